"""Does the command find a deep archive on a real server, several guesses at once? (DISC-1 … 3)

By the same figures as `tests/simulate/test_deep_archives.py`.
"""

from __future__ import annotations

import pytest

from tenax.demo import ChronicleSite, serving
from tenax.demo.chronicle import WAYS
from tests.e2e.command import EVERY_SOURCE, Tenax


@pytest.mark.parametrize("ways", [WAYS, ("pagination",)], ids=["newspaper", "blog"])
def test_nearly_all_of_it_is_found_and_hardly_a_request_is_wasted(
    tenax: Tenax, ways: tuple[str, ...]
) -> None:
    site = ChronicleSite(ways=ways)
    with serving([site]) as web:
        ended = tenax.crawl(site.url, "--delay", "0", job__discover=EVERY_SOURCE)
        assert ended.code == 0, ended.err
        articles = site.truth().articles.keys()
    found = articles & {page.url for page in tenax.pages()}
    assert len(found) >= 0.95 * len(articles)
    asked = [visit for visit in web.log if visit.path != "/robots.txt"]
    wasted = [visit.path for visit in asked if visit.status != 200]
    assert len(wasted) < 0.05 * len(asked), wasted
    assert len({visit.path for visit in asked}) == len(asked)
    assert tenax.audit().code == 0
