"""Whatever pages and sitemaps do, intervals stay in bounds and lies are found out (FR-6)."""

from __future__ import annotations

import math
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from tenax.jobs.revisit_policy import (
    Honesty,
    RecrawlPolicy,
    VisitFinding,
    believed,
    is_disproved,
    is_trusted,
    judge,
    next_interval,
)

POLICY = RecrawlPolicy()
INTERVALS = st.floats(POLICY.shortest, POLICY.longest)
VISITS = st.lists(st.sampled_from(VisitFinding), max_size=60)


def walk(interval: float, visits: list[VisitFinding], *, is_listing: bool = False) -> float:
    for what in visits:
        interval = next_interval(interval, what, POLICY, is_listing=is_listing)
    return interval


@given(INTERVALS, VISITS, st.booleans())
def test_no_interval_leaves_its_bounds(
    interval: float, visits: list[VisitFinding], is_listing: bool
) -> None:
    longest = POLICY.longest_listing if is_listing and visits else POLICY.longest
    assert POLICY.shortest <= walk(interval, visits, is_listing=is_listing) <= longest


@given(INTERVALS, INTERVALS, VISITS)
def test_what_was_visited_more_often_is_so_after_the_same_visits(
    one: float, two: float, visits: list[VisitFinding]
) -> None:
    shorter, longer = sorted((one, two))
    assert walk(shorter, visits) <= walk(longer, visits)


@given(INTERVALS, VISITS, st.data())
def test_one_change_more_never_makes_the_next_visit_later(
    interval: float, visits: list[VisitFinding], data: st.DataObject
) -> None:
    calm = [i for i, what in enumerate(visits) if what is not VisitFinding.CHANGED]
    if calm:
        changed = data.draw(st.sampled_from(calm))
        busier = [*visits[:changed], VisitFinding.CHANGED, *visits[changed + 1 :]]
        assert walk(interval, busier) <= walk(interval, visits)


@given(st.floats(0.5 * 86_400.0, 10 * 86_400.0), st.integers(0, 2**32))
def test_the_interval_finds_the_rate_at_which_a_page_changes(every: float, seed: int) -> None:
    """With 0.5 and 1.5 it settles where about 37 of 100 visits find a change."""
    rng = Random(seed)
    interval, visits, changes = POLICY.interval, 0, 0
    for n in range(1_200):
        changed = rng.random() < 1 - math.exp(-interval / every)
        if n >= 200:
            visits, changes = visits + 1, changes + changed
        interval = next_interval(
            interval, VisitFinding.CHANGED if changed else VisitFinding.SAME, POLICY
        )
    assert 0.30 < changes / visits < 0.44


# Sitemaps: (the lastmod was newer than the last visit, the page had changed), by kind.

CHANGES = st.lists(st.booleans(), min_size=60, max_size=120)


def judged(claims: list[tuple[bool, bool]]) -> Honesty:
    honesty = Honesty()
    for newer, changed in claims:
        honesty = judge(honesty, 20.0 if newer else 5.0, 10.0, changed, POLICY)
    return honesty


@given(CHANGES.filter(lambda changes: 8 <= sum(changes) < len(changes)))
def test_an_honest_sitemap_comes_to_be_trusted(changes: list[bool]) -> None:
    honesty = judged([(changed, changed) for changed in changes])
    assert is_trusted(honesty, POLICY)
    assert not is_disproved(honesty, POLICY)


@given(CHANGES)
def test_one_that_always_says_now_is_never_trusted(changes: list[bool]) -> None:
    """Also when it is right by accident: it says the same of what has not changed."""
    assert not is_trusted(judged([(True, changed) for changed in changes]), POLICY)


@given(CHANGES)
def test_one_that_says_nothing_new_is_neither_trusted_nor_disproved(changes: list[bool]) -> None:
    honesty = judged([(False, changed) for changed in changes])
    assert not is_trusted(honesty, POLICY)
    assert not is_disproved(honesty, POLICY)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=200))
def test_nobody_is_both_trusted_and_disproved(claims: list[tuple[bool, bool]]) -> None:
    honesty = judged(claims)
    assert not (is_trusted(honesty, POLICY) and is_disproved(honesty, POLICY))
    limit = 1 / (1 - POLICY.fading)
    assert all(0 <= n <= limit for n in (honesty.honest, honesty.lied, honesty.silent))


@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_no_more_are_visited_at_once_than_are_new(newer: int, known: int) -> None:
    assert 0 <= believed(newer, known + newer, POLICY) <= newer
