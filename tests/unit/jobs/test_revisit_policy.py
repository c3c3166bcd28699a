"""When a page is visited again, and whether its sitemap is believed (FR-6)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tenax.jobs.revisit_policy import (
    Honesty,
    Recrawling,
    RecrawlPolicy,
    VisitFinding,
    believed,
    is_disproved,
    is_trusted,
    judge,
    next_interval,
    seen,
)
from tenax.model import Page, SiteRules, State
from tenax.outcome import Attempt, End, Settlement
from tenax.urls.sites import Sites

HOUR, DAY = 3_600.0, 86_400.0
POLICY = RecrawlPolicy()


@pytest.mark.parametrize(
    ("interval", "what", "wanted"),
    [
        (DAY, VisitFinding.CHANGED, DAY / 2),
        (DAY, VisitFinding.SAME, 1.5 * DAY),
        (DAY, VisitFinding.ABSENT, 1.5 * DAY),
        (DAY, VisitFinding.UNKNOWN, DAY),
        (1.5 * HOUR, VisitFinding.CHANGED, HOUR),
        (25 * DAY, VisitFinding.SAME, 30 * DAY),
    ],
)
def test_a_change_halves_the_interval_and_none_makes_it_half_as_long_again(
    interval: float, what: VisitFinding, wanted: float
) -> None:
    assert next_interval(interval, what, POLICY) == wanted


def test_a_sitemap_never_waits_longer_than_a_day() -> None:
    assert next_interval(DAY, VisitFinding.SAME, POLICY, is_listing=True) == DAY
    assert next_interval(10 * DAY, VisitFinding.UNKNOWN, POLICY, is_listing=True) == DAY
    assert next_interval(DAY, VisitFinding.CHANGED, POLICY, is_listing=True) == DAY / 2


@pytest.mark.parametrize(
    ("host", "wanted", "first"),
    [
        ("c.example", 6 * HOUR, 6 * HOUR),
        ("c.example", 0.0, DAY),
        ("a.example", 6 * HOUR, 2 * DAY),
        ("b.example", 6 * HOUR, 6 * HOUR),
        ("c.example", 1.0, HOUR),
    ],
)
def test_the_first_interval_is_the_sites_or_the_jobs_or_the_settings(
    host: str, wanted: float, first: float
) -> None:
    sites = (
        SiteRules("a.example", interval=2 * DAY),
        SiteRules("b.example"),
        SiteRules("*.example:8080", interval=9 * DAY),
    )
    assert Recrawling(POLICY, Sites(sites)).first_interval(host, wanted) == first


# What a visit says


def visited(word: str, end: End | None = None, *, text: str = "", body: str = "") -> Settlement:
    page = Page("https://a.example/", 200, "text/html", body.encode(), 1.0)
    stored = replace(page, content_hash=text.encode(), digest=body.encode()) if body else None
    attempt = Attempt(1.0, word) if word else None
    return Settlement(1, 1, 1, end or End(State.DONE, word), attempt, page=stored)


KNOWN = (b"text", b"body")


@pytest.mark.parametrize(
    ("settlement", "what"),
    [
        (visited("read", text="text", body="other"), VisitFinding.SAME),
        (visited("read", text="other", body="body"), VisitFinding.CHANGED),
        (visited("read", body="body"), VisitFinding.SAME),
        (visited("read", body="other"), VisitFinding.CHANGED),
        (visited("unchanged"), VisitFinding.SAME),
        (visited("stale"), VisitFinding.UNKNOWN),
        (visited(""), VisitFinding.UNKNOWN),
        (visited("moved"), VisitFinding.ABSENT),
        (visited("read"), VisitFinding.ABSENT),
        (visited("gone", End(State.GONE)), VisitFinding.ABSENT),
        (visited("", End(State.BLOCKED)), VisitFinding.ABSENT),
        (visited("garbage", End(State.REJECTED)), VisitFinding.ABSENT),
    ],
)
def test_a_page_has_changed_when_its_text_has(settlement: Settlement, what: VisitFinding) -> None:
    assert seen(settlement, KNOWN, is_listing=False) is what


def test_a_page_where_none_was_has_changed() -> None:
    assert (
        seen(visited("read", text="text", body="body"), None, is_listing=False)
        is VisitFinding.CHANGED
    )


def test_a_sitemap_that_was_read_may_have_changed() -> None:
    assert seen(visited("read"), None, is_listing=True) is VisitFinding.CHANGED


# Honesty


def after(*claims: tuple[bool, bool]) -> Honesty:
    """Visits as (the lastmod was newer, the page had changed)."""
    honesty = Honesty()
    for newer, changed in claims:
        honesty = judge(honesty, 20.0 if newer else 5.0, 10.0, changed, POLICY)
    return honesty


def test_each_visit_counts_for_or_against_the_sitemap() -> None:
    assert after((True, True)) == Honesty(honest=1)
    assert after((True, False)) == Honesty(lied=1)
    assert after((False, True)) == Honesty(silent=1)
    assert after((False, False)) == Honesty(calm=1)


def test_trust_takes_evidence() -> None:
    calm = (False, False)
    assert not is_trusted(after(calm, *[(True, True)] * 4), POLICY)
    assert is_trusted(after(calm, *[(True, True)] * 6), POLICY)


def test_a_sitemap_that_always_says_now_is_not_trusted_however_often_it_is_right() -> None:
    """Pages that change before every visit prove nothing."""
    assert not is_trusted(after(*[(True, True)] * 50), POLICY)


def test_one_that_lies_is_found_out_and_may_mend_its_ways() -> None:
    mixed = after((False, False), *[(True, True), (True, False)] * 10)
    assert not is_trusted(mixed, POLICY)
    assert is_disproved(mixed, POLICY)
    mended = mixed
    for _ in range(100):
        mended = judge(mended, 20.0, 10.0, True, POLICY)
    assert is_trusted(mended, POLICY)
    assert not is_disproved(mended, POLICY)


def test_nothing_is_disproved_before_there_is_evidence() -> None:
    assert not is_disproved(after(*[(True, False)] * 4), POLICY)
    assert is_disproved(after(*[(True, False)] * 6), POLICY)


@pytest.mark.parametrize(
    ("newer", "known", "visited"),
    [(0, 100, 0), (3, 4, 3), (10, 10, 10), (11, 12, 10), (50, 100, 50), (51, 100, 10)],
)
def test_a_sitemap_that_calls_most_of_it_new_is_tried_out_on_a_few(
    newer: int, known: int, visited: int
) -> None:
    assert believed(newer, known, POLICY) == visited


def test_a_front_page_is_visited_daily_or_as_often_as_the_job_wants() -> None:
    """DISC-2: with it an idle host is looked at again."""
    assert next_interval(DAY, VisitFinding.SAME, POLICY, entry=DAY) == DAY
    assert next_interval(DAY, VisitFinding.CHANGED, POLICY, entry=DAY) == DAY / 2
    assert next_interval(7 * DAY, VisitFinding.SAME, POLICY, entry=7 * DAY) == 7 * DAY
    assert next_interval(20 * DAY, VisitFinding.SAME, POLICY) == 30 * DAY
