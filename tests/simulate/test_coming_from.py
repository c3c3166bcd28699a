"""Do the programs on the pages for those who come from elsewhere do what stands beside them?"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tenax.compose.crawler import Crawler
from tenax.model import Response
from tenax.ports.handled import RecordFilter
from tenax.settings import Settings
from tenax.testing import SimulatedWeb, crawl, simulate, status

PAGES = Path(__file__).parents[2] / "docs" / "coming-from"
HOME = "https://quotes.example.org/"
MORE = "There is more to say of it than stands here, as there is of all that is quoted. " * 3


def quotes(*authors: str, link: str = "") -> Response:
    """As the page is made that everybody's first program reads."""
    told = "".join(
        f'<div class="quote"><span class="text">{author} said so. {MORE}</span>'
        f'<small class="author">{author}</small></div>'
        for author in authors
    )
    following = f'<ul class="pager"><li class="next"><a href="{link}">Next</a></li></ul>'
    html = f"<!doctype html><title>Quotes</title><h1>Quotes</h1>{told}{following if link else ''}"
    return status(200, html, **{"content-type": "text/html; charset=utf-8"})


@pytest.mark.parametrize("peer", ["scrapy", "crawlee"])
def test_the_program_beside_theirs_takes_the_same_from_every_page(
    peer: str, tmp_path: Path
) -> None:
    *_, ours = re.findall(r"```python\n(.*?)```", (PAGES / f"{peer}.md").read_text(), re.DOTALL)
    assert ours.startswith("# Tenax: tenax crawl ")
    (tmp_path / "quotes.py").write_text(ours)

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, quotes("Ada", "Bob", link="/page/2/"))
        web.at(f"{HOME}page/2/", quotes("Cyd"))
        await crawl(app, HOME)
        found = [record.data for record in await app.ledger.records.find(RecordFilter())]
        assert [each["author"] for each in found] == ["Ada", "Bob", "Cyd"]
        assert found[0]["text"] == f"Ada said so. {MORE.strip()}"

    handlers = (str(tmp_path / "quotes.py"),)
    simulate(story, Settings(contact="mailto:test@example.org", handlers=handlers))
