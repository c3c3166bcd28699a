"""Is the ground truth true? Every site is walked by an independent reference crawl."""

from __future__ import annotations

from functools import cache

import pytest

from tenax.demo import SITES, DemoWeb, FlakySite, Site, SiteRequest, TreeSite, Truth, truth
from tests.unit.demo.reference import Walk, walk

SETTLED = [name for name in SITES if name != "flaky"]


def placed(*hosts: str | Site) -> DemoWeb:
    """A web that knows its addresses and has no sockets."""
    web = DemoWeb(hosts or tuple(SITES))
    origins = {name: f"http://127.0.0.1:{9000 + at}" for at, name in enumerate(web.sites)}
    for site in web.sites.values():
        site.place(origins)
    return web


@cache
def walked(name: str) -> tuple[Walk, Truth]:
    web = placed()
    known = truth(web)[name]
    return walk(web.sites[name], known), known


@pytest.mark.parametrize("name", SETTLED)
def test_links_lead_to_exactly_the_pages_of_the_truth(name: str) -> None:
    met, known = walked(name)
    # A wall under an error is one all the same.
    walled = met.failures & set(known.garbage)
    assert met.stored | walled == known.pages | set(known.garbage)


@pytest.mark.parametrize("name", SETTLED)
def test_everything_else_a_crawl_meets_is_told_too(name: str) -> None:
    met, known = walked(name)
    assert met.unstored == known.unstored
    assert met.files == known.files
    assert met.gone == known.gone
    assert met.failures - set(known.garbage) == set(known.failures)
    assert met.redirects == known.redirects


@pytest.mark.parametrize("name", SETTLED)
def test_a_polite_crawl_requests_nothing_it_must_not(name: str) -> None:
    met, known = walked(name)
    assert known.breaches(met.requested) == []


@pytest.mark.parametrize("name", SETTLED)
def test_every_trap_has_a_mouth_that_links_lead_to(name: str) -> None:
    met, known = walked(name)
    assert {known.trap_of(url) for url in met.trapped} == set(known.traps)


@pytest.mark.parametrize("name", SETTLED)
def test_links_leave_a_site_only_for_front_pages_of_its_neighbours(name: str) -> None:
    met, _ = walked(name)
    assert met.outside <= {site.url for site in placed().sites.values()}


@pytest.mark.parametrize("name", SETTLED)
def test_hidden_pages_exist_and_no_link_leads_to_them(name: str) -> None:
    met, known = walked(name)
    site = placed().sites[name]
    hidden = set().union(*known.hidden.values()) - {site.url}
    assert not hidden & met.requested
    assert all(status(site, url) == 200 for url in hidden)


@pytest.mark.parametrize("name", SETTLED)
def test_what_must_not_be_requested_would_have_answered(name: str) -> None:
    """A crawler that does ask gets a page: the mistake shows in its results, not in an error."""
    site = placed().sites[name]
    asked = [url for url, why in site.truth().never.items() if why != "phantom"]
    assert {status(site, url) for url in asked} <= {200}


@pytest.mark.parametrize("name", SETTLED)
def test_an_answer_is_either_to_be_stored_or_to_be_refused(name: str) -> None:
    met, known = walked(name)
    for by_browser in (False, True):
        stored, refused = (
            known.to_store(by_browser=by_browser),
            known.to_refuse(by_browser=by_browser),
        )
        assert not stored & refused.keys()
        assert met.stored <= stored | refused.keys()


@pytest.mark.parametrize("name", SETTLED)
def test_a_browser_finds_a_way_from_the_front_page_to_everything_it_renders(name: str) -> None:
    known = walked(name)[1]
    seen = set(known.garbage) & set(known.rendered)
    ahead = list(seen)
    while ahead:
        found = set(known.rendered[ahead.pop()].links) - seen
        seen |= found
        ahead += found
    assert seen == set(known.rendered)


def test_only_a_browser_has_the_pages_that_scripts_make() -> None:
    known = walked("script")[1]
    assert known.to_store(by_browser=False) == frozenset()
    assert known.to_refuse(by_browser=False) == {known.front: "needs_javascript"}
    assert len(known.to_store(by_browser=True)) == 5
    assert known.to_refuse(by_browser=True) == {}


def test_a_browser_passes_no_wall() -> None:
    known = walked("wall")[1]
    assert known.to_refuse(by_browser=True) == known.to_refuse(by_browser=False) == known.garbage


def test_a_flaky_site_is_whole_once_every_page_has_had_its_failure() -> None:
    site = placed("flaky").sites["flaky"]
    first = [status(site, url) for url in sorted(site.truth().pages)]
    assert sum(code != 200 for code in first) == 3, "500, 503 and 429; two more are cut"
    assert walk(site, site.truth()).stored == site.truth().pages


def test_every_site_is_true_without_its_neighbours_too() -> None:
    site = placed("docs").sites["docs"]
    met = walk(site, site.truth())
    assert met.stored == site.truth().pages
    assert met.redirects == site.truth().redirects


@pytest.mark.parametrize(("pages", "links"), [(1, 20), (2, 1), (40, 20), (700, 1), (400, 20)])
def test_every_page_of_a_tree_is_within_reach(pages: int, links: int) -> None:
    site = TreeSite(pages=pages, links=links)
    placed(site)
    met = walk(site, site.truth())
    assert met.stored == site.expected_urls()
    assert len(met.stored) == pages


def test_a_large_tree_has_about_as_many_links_as_asked_for() -> None:
    site = TreeSite(pages=5000, links=20)
    counts = [len(site.neighbours(number)) for number in range(5000)]
    assert (min(counts) >= 19, max(counts) <= 20) == (True, True)


def test_what_robots_closes_and_opens_again_is_open() -> None:
    known = walked("shop")[1]
    assert known.breaches(
        [known.front + path for path in ("admin/x", "admin/press-kit", "cart")]
    ) == [
        known.front + "admin/x",
        known.front + "cart",
    ]


def test_failing_pages_of_a_flaky_site_can_be_chosen() -> None:
    site = FlakySite(pages=40, failing=20, times=2)
    placed(site)
    first, second, third = [status(site, f"{site.url}item/4") for _ in range(3)]
    assert (first, second, third) == (500, 500, 200)


def status(site: Site, url: str) -> int:
    reply = site.answer(SiteRequest("GET", url.removeprefix(site.origin), {}))
    return reply.status
