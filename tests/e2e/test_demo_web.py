"""Does a crawl of the whole demo web find what is there, and leave alone what it must?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urljoin

import pytest

from tenax.cli.crawl.demo import settings_file
from tenax.demo import DemoWeb, Truth, serving, truth
from tenax.model import JobSpec
from tenax.page.verdict.validate import FOR_THE_BROWSER
from tenax.ports import PageRecord
from tenax.urls.normalise import IdentityRules, host_of, normalise
from tests.e2e.command import EVERY_SOURCE, Ended, Tenax

RULES = IdentityRules(JobSpec().drop_parameters, drop_trailing_slash=False)
SITES = ("shop", "news", "docs", "traps", "slow", "flaky", "script", "wall", "private",
         "brokenrobots")  # fmt: skip
LEFT_ALONE = ("private", "brokenrobots")
NO_BROWSER = "/nowhere/chromium"


@dataclass(frozen=True)
class Crawled:
    """One crawl of everything, looked at by many tests."""

    ended: Ended
    audit: Ended
    web: DemoWeb
    truths: Mapping[str, Truth]
    by_browser: bool
    pages: Mapping[str, Mapping[str, PageRecord]]
    """By site: what is stored, by where it finally came from, in normal form."""
    targets: Mapping[str, tuple[str, str]]
    """Every target by its normal form: state and reason."""

    def requested(self, site: str) -> set[str]:
        origin = self.web.sites[site].origin
        return {normalise(origin + visit.path, RULES) for visit in self.web.asked(site)}

    def stored(self, site: str) -> set[str]:
        return set(self.pages[site])


@pytest.fixture(
    scope="module",
    params=[pytest.param("with a browser", marks=pytest.mark.alone), "without one"],
)
def crawled(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Crawled]:
    by_browser = request.param == "with a browser"
    executable = request.getfixturevalue("chromium") if by_browser else NO_BROWSER
    tenax = Tenax(tmp_path_factory.mktemp("demo-web"))
    file = tenax.folder / "tenax.toml"
    file.write_text(settings_file(tenax.data))
    try:
        with serving(SITES) as web:
            truths = truth(web)
            # What is stored of a trap before it is known for one is nobody's truth.
            traps = [
                prefix for each in truths.values() for t in each.traps for prefix in t.prefixes
            ]
            flags = [flag for prefix in traps for flag in ("--exclude", f"{prefix}*")]
            ended = tenax.crawl(
                *web.seeds, "--job", "demo", "--config", str(file), *flags,
                retry__base=0.2, breaker__backoffs=60, browser__executable=executable,
                browser__nice=0, job__discover=EVERY_SOURCE,
            )  # fmt: skip
            pages: dict[str, dict[str, PageRecord]] = {name: {} for name in SITES}
            names = {host_of(site.url): name for name, site in web.sites.items()}
            for page in tenax.pages():
                final = normalise(page.final_url, RULES)
                pages[names[host_of(final)]][final] = page
            targets = _targets(tenax)
            yield Crawled(ended, tenax.audit(), web, truths, by_browser, pages, targets)
    finally:
        tenax.clean_up()


def test_the_crawl_ends_saying_which_sites_wait(crawled: Crawled) -> None:
    """One has no robots.txt to be had; a challenge under a 503 closes no host."""
    assert crawled.ended.code == 5, crawled.ended.err
    assert "robots.txt cannot be had" in crawled.ended.err
    assert crawled.ended.err.count(" waits until ") == 1, crawled.ended.err
    assert "Traceback" not in crawled.ended.err
    assert crawled.audit.code == 0, crawled.audit.out


def test_exactly_the_pages_that_are_there_are_stored(
    crawled: Crawled, subtests: pytest.Subtests
) -> None:
    """Those made by scripts only where there is a browser; walls and shells never (VAL-1)."""
    for site in SITES:
        with subtests.test(site):
            truth = crawled.truths[site]
            expected = truth.to_store(by_browser=crawled.by_browser)
            hidden = frozenset[str]().union(*truth.hidden.values())
            extra = crawled.stored(site) - expected
            # What is discovered has print views too.
            assert {url for url in extra if url.removesuffix("?print=1") not in hidden} == set()
            assert expected - crawled.stored(site) == set()


def test_pages_that_no_link_names_are_found_where_the_site_lists_them(
    crawled: Crawled, subtests: pytest.Subtests
) -> None:
    """DISC-1"""
    for site in SITES:
        with subtests.test(site):
            hidden = crawled.truths[site].hidden
            listed = hidden.get("sitemap", frozenset()) | hidden.get("feed", frozenset())
            assert listed - crawled.stored(site) == set()


def test_what_only_looks_like_a_page_is_refused_for_what_it_is(
    crawled: Crawled, subtests: pytest.Subtests
) -> None:
    for site in SITES:
        with subtests.test(site):
            refused = crawled.truths[site].to_refuse(by_browser=crawled.by_browser)
            assert {url: crawled.targets.get(url) for url in refused} == {
                url: _fate(verdict, crawled.by_browser) for url, verdict in refused.items()
            }


def _fate(verdict: str, by_browser: bool) -> tuple[str, str]:
    if verdict in FOR_THE_BROWSER and not by_browser:
        return "pending", f"{verdict}: waits for a browser"
    return "rejected", verdict


def test_a_rendered_page_is_what_a_person_would_see(crawled: Crawled) -> None:
    rendered = crawled.truths["script"].rendered if crawled.by_browser else {}
    for url, seen in rendered.items():
        page = crawled.pages["script"][url]
        assert (page.title, page.link_count) == (seen.title, len(seen.links))
        assert page.words >= len(seen.text.split())


def test_nothing_that_had_to_be_left_alone_was_requested(
    crawled: Crawled, subtests: pytest.Subtests
) -> None:
    for site in SITES:
        with subtests.test(site):
            assert crawled.truths[site].breaches(crawled.requested(site)) == []


def test_pages_that_are_gone_are_known_to_be(crawled: Crawled, subtests: pytest.Subtests) -> None:
    for site in SITES:
        with subtests.test(site):
            expected = {
                url: ("gone", f"http {code}") for url, code in crawled.truths[site].gone.items()
            }
            assert {url: crawled.targets.get(url) for url in expected} == expected


def test_pages_not_to_be_indexed_are_visited_and_not_kept(
    crawled: Crawled, subtests: pytest.Subtests
) -> None:
    for site in SITES:
        with subtests.test(site):
            unstored = crawled.truths[site].unstored
            assert {url: crawled.targets.get(url) for url in unstored} == dict.fromkeys(
                unstored, ("done", "noindex")
            )
            assert not unstored & crawled.stored(site)


def test_redirects_end_where_they_lead(crawled: Crawled, subtests: pytest.Subtests) -> None:
    for site in SITES:
        with subtests.test(site):
            everything = set().union(*crawled.pages.values())
            redirects = crawled.truths[site].redirects
            assert {
                url for url in redirects if crawled.targets.get(url, ("",))[0] != "done"
            } == set()
            assert {end for end in redirects.values() if end not in everything} == set()


def test_what_cannot_be_had_failed_with_its_reason(
    crawled: Crawled, subtests: pytest.Subtests
) -> None:
    for site in SITES:
        with subtests.test(site):
            for url, fault in crawled.truths[site].failures.items():
                state, reason = crawled.targets[url]
                assert (state, reason.partition(":")[0]) == (_state_of(fault), fault)


def test_near_duplicates_are_those_that_the_sites_have(
    crawled: Crawled, subtests: pytest.Subtests
) -> None:
    """PAGE-2: print views, second editions, one page under two URLs; no product, no article."""
    for site in ("shop", "news", "docs"):
        with subtests.test(site):
            truth, pages = crawled.truths[site], crawled.pages[site].values()
            same = [*truth.canonicals.items(), *truth.redirects.items(), *truth.similar]
            known = {frozenset(normalise(url, RULES) for url in pair) for pair in same}
            doubled = {
                frozenset(normalise(url, RULES) for url in (page.url, page.duplicate_of))
                for page in pages
                if page.duplicate_of
            }
            print_views = {
                pair for pair in doubled if len({url.partition("?")[0] for url in pair}) == 1
            }
            assert doubled - print_views <= known
            assert {
                frozenset(normalise(url, RULES) for url in pair) for pair in truth.similar
            } <= doubled


def test_a_closed_site_is_asked_for_its_rules_only(
    crawled: Crawled, subtests: pytest.Subtests
) -> None:
    for site in LEFT_ALONE:
        with subtests.test(site):
            assert {visit.path for visit in crawled.web.asked(site)} == {"/robots.txt"}


def test_no_page_was_asked_for_more_often_than_its_retries_allow(crawled: Crawled) -> None:
    """Except where the whole host is to blame: then its breaker says how often (FE-8)."""
    hosts_fault = {url for url, fault in crawled.truths["wall"].failures.items()
                   if fault == "bad_gateway"}  # fmt: skip
    asked: dict[str, int] = {}
    for visit in crawled.web.log:
        if visit.path != "/robots.txt" and f"http://{visit.host}{visit.path}" not in hosts_fault:
            asked[visit.host + visit.path] = asked.get(visit.host + visit.path, 0) + 1
    assert {url: times for url, times in asked.items() if times > 3} == {}


@pytest.mark.alone
def test_the_demo_shows_a_site_made_by_scripts_where_there_is_a_browser(
    tenax: Tenax, chromium: str
) -> None:
    ended = tenax.run("demo", "--quiet", browser__executable=chromium, browser__nice=0)
    _went_well(ended)
    assert ", made by a browser" in ended.err
    assert "pip install" not in ended.err


def test_the_demo_says_how_to_get_a_browser_where_there_is_none(tenax: Tenax) -> None:
    ended = tenax.run("demo", "--quiet", browser__executable=NO_BROWSER)
    _went_well(ended)
    assert "5 missed: needs a browser" in ended.err
    assert "pip install 'tenax-crawler[browser]'" in ended.err


def _went_well(ended: Ended) -> None:
    assert ended.code == 0, ended.err
    assert "  private           0 pages      1 requests" in ended.err
    # Which of them are met before the page limit depends on the machine; the first one always is.
    assert "/challenge               challenge         not-a-bot: title 'just" in ended.err
    assert "FORBIDDEN" not in ended.err
    assert "FAKE" not in ended.err


def _state_of(fault: str) -> str:
    """A bad gateway costs a URL no attempt: it is tried again when its host is back (FE-8)."""
    return {"priced": "blocked", "bad_gateway": "pending"}.get(fault, "failed")


def _targets(tenax: Tenax) -> dict[str, tuple[str, str]]:
    query = (
        "SELECT hosts.origin, targets.url, targets.state, targets.reason"
        " FROM targets JOIN hosts ON hosts.id = targets.host_id"
    )
    with tenax.ledger() as ledger:
        rows = ledger.execute(query).fetchall()
    return {
        normalise(urljoin(origin + "/", url), RULES): (state, reason or "")
        for origin, url, state, reason in rows
    }
