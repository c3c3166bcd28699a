"""Is the ground truth true? Every site is walked by an independent reference crawl."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tenax.demo import SITES, DemoWeb, Site, Truth, truth
from tests.unit.demo.reference import Walk, walk


@pytest.fixture(scope="module")
def sites() -> Iterator[dict[str, Site]]:
    web = DemoWeb()
    origins = {name: f"http://127.0.0.1:{9000 + port}" for port, name in enumerate(web.sites)}
    for site in web.sites.values():
        site.place(origins)
    return web.sites


@pytest.fixture(scope="module")
def truths(sites):
    return {name: site.truth() for name, site in sites.items()}


@pytest.fixture(scope="module")
def walks(sites, truths):
    return {name: walk(site, truths[name]) for name, site in sites.items() if name != "flaky"}


@pytest.mark.parametrize("name", [n for n in SITES if n != "flaky"])
def test_x(name, walks, truths):
    w, t = walks[name], truths[name]
    assert w.stored == t.pages | set(t.garbage), (
        sorted(w.stored - t.pages - set(t.garbage))[:10],
        sorted((t.pages | set(t.garbage)) - w.stored)[:10],
    )
    assert w.unstored == t.unstored
    assert w.gone == t.gone
    assert w.failures == set(t.failures)
    assert w.redirects == t.redirects
    assert w.files == t.files
    assert t.breaches(w.requested) == []
    print(name, len(w.stored), len(w.requested), len(w.trapped), len(w.outside))
