"""Does a crawl of the whole demo web find what is there, and leave alone what it must?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urljoin

import pytest

from tenax.demo import DemoWeb, Truth, serving, truth
from tenax.model import JobSpec
from tenax.urls.normalise import IdentityRules, host_of, normalise
from tests.e2e.command import Ended, Tenax

RULES = IdentityRules(JobSpec().drop_parameters, drop_trailing_slash=False)
SITES = ("shop", "news", "docs", "traps", "slow", "flaky", "script", "wall", "private",
         "brokenrobots")  # fmt: skip
LEFT_ALONE = ("private", "brokenrobots")


@dataclass(frozen=True)
class Crawled:
    """One crawl of everything, looked at by many tests."""

    ended: Ended
    audit: Ended
    web: DemoWeb
    truths: Mapping[str, Truth]
    stored: Mapping[str, set[str]]
    """By site: where the pages finally came from, in normal form."""
    targets: Mapping[str, tuple[str, str]]
    """Every target by its normal form: state and reason."""

    def requested(self, site: str) -> set[str]:
        origin = self.web.sites[site].origin
        return {normalise(origin + visit.path, RULES) for visit in self.web.asked(site)}


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    tenax = Tenax(tmp_path_factory.mktemp("demo-web"))
    try:
        with serving(SITES) as web:
            truths = truth(web)
            # Until traps are recognised by their sameness, a crawl is told where they are.
            traps = [
                prefix for each in truths.values() for t in each.traps for prefix in t.prefixes
            ]
            flags = [flag for prefix in traps for flag in ("--exclude", f"{prefix}*")]
            ended = tenax.crawl(
                *web.seeds, "--job", "demo", "--delay", "0.01", *flags,
                robots__retry_base=0.1, feed__patience=5, retry__base=0.2,
            )  # fmt: skip
            stored: dict[str, set[str]] = {name: set() for name in SITES}
            names = {host_of(site.url): name for name, site in web.sites.items()}
            for page in tenax.pages():
                stored[names[host_of(page.final_url)]].add(normalise(page.final_url, RULES))
            targets = _targets(tenax)
            yield Crawled(ended, tenax.audit(), web, truths, stored, targets)
    finally:
        tenax.clean_up()


def test_the_crawl_ends_saying_that_one_site_waits(crawled: Crawled) -> None:
    assert crawled.ended.code == 5, crawled.ended.err
    assert "robots.txt cannot be had" in crawled.ended.err
    assert "Traceback" not in crawled.ended.err
    assert crawled.audit.code == 0, crawled.audit.out


@pytest.mark.parametrize("site", SITES)
def test_exactly_the_pages_that_are_there_are_stored(crawled: Crawled, site: str) -> None:
    """Garbage is stored as well until somebody judges it."""
    known = crawled.truths[site]
    expected = set(known.pages) | set(known.garbage)
    assert crawled.stored[site] - expected == set()
    assert expected - crawled.stored[site] == set()


@pytest.mark.parametrize("site", SITES)
def test_nothing_that_had_to_be_left_alone_was_requested(crawled: Crawled, site: str) -> None:
    assert crawled.truths[site].breaches(crawled.requested(site)) == []


@pytest.mark.parametrize("site", SITES)
def test_pages_that_are_gone_are_known_to_be(crawled: Crawled, site: str) -> None:
    expected = {url: ("gone", f"http {code}") for url, code in crawled.truths[site].gone.items()}
    assert {url: crawled.targets.get(url) for url in expected} == expected


@pytest.mark.parametrize("site", SITES)
def test_pages_not_to_be_indexed_are_visited_and_not_kept(crawled: Crawled, site: str) -> None:
    unstored = crawled.truths[site].unstored
    assert {url: crawled.targets.get(url) for url in unstored} == dict.fromkeys(
        unstored, ("done", "noindex")
    )
    assert not unstored & crawled.stored[site]


@pytest.mark.parametrize("site", SITES)
def test_redirects_end_where_they_lead(crawled: Crawled, site: str) -> None:
    everything = set().union(*crawled.stored.values())
    redirects = crawled.truths[site].redirects
    assert {url for url in redirects if crawled.targets.get(url, ("",))[0] != "done"} == set()
    assert {end for end in redirects.values() if end not in everything} == set()


@pytest.mark.parametrize("site", SITES)
def test_what_cannot_be_had_failed_with_its_reason(crawled: Crawled, site: str) -> None:
    for url, fault in crawled.truths[site].failures.items():
        state, reason = crawled.targets[url]
        assert (state, reason.partition(":")[0]) == (_state_of(fault), fault)


@pytest.mark.parametrize("site", LEFT_ALONE)
def test_a_closed_site_is_asked_for_its_rules_only(crawled: Crawled, site: str) -> None:
    assert {visit.path for visit in crawled.web.asked(site)} == {"/robots.txt"}


def test_no_page_was_asked_for_more_often_than_its_retries_allow(crawled: Crawled) -> None:
    asked: dict[str, int] = {}
    for visit in crawled.web.log:
        if visit.path != "/robots.txt":
            asked[visit.host + visit.path] = asked.get(visit.host + visit.path, 0) + 1
    assert {url: times for url, times in asked.items() if times > 3} == {}


def _state_of(fault: str) -> str:
    return "blocked" if fault == "priced" else "failed"


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
