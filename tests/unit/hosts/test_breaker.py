"""Is a host answering at all? (HOST-3, FE-6)"""

from __future__ import annotations

import pytest

from tenax.hosts.breaker import (
    BreakerPolicy,
    Circuit,
    answered,
    backoff,
    circuit,
    failing,
    heed,
    is_old_news,
    unreached,
)
from tenax.hosts.signs import AMBIGUOUS, OURS, URL_SPECIFIC
from tenax.model import Breaker, Fault, HostHealth
from tenax.outcome import SITE_WIDE

NOW = 1_790_000_000.0
POLICY = BreakerPolicy()


def failed(health: HostHealth, now: float, fault: Fault = Fault.CONNECT_TIMEOUT) -> HostHealth:
    return failing(health, fault, now, now, POLICY)


def passed(health: HostHealth, now: float) -> HostHealth:
    return answered(health, now, now, POLICY)


def down(times: int = 5, fault: Fault = Fault.CONNECT_TIMEOUT) -> HostHealth:
    health = HostHealth()
    for _ in range(times):
        health = failed(health, NOW, fault)
    return health


def test_five_failures_in_a_row_open_it() -> None:
    assert circuit(down(4), NOW) is Circuit.CLOSED
    assert circuit(down(5), NOW) is Circuit.OPEN


def test_an_answer_ends_the_row() -> None:
    health = failed(passed(down(4), NOW), NOW)
    assert (health.failures, circuit(health, NOW)) == (1, Circuit.CLOSED)


@pytest.mark.parametrize("fault", sorted(SITE_WIDE | AMBIGUOUS))
def test_faults_that_may_be_the_sites_count(fault: Fault) -> None:
    assert circuit(down(5, fault), NOW) is Circuit.OPEN


@pytest.mark.parametrize("fault", sorted(URL_SPECIFIC | OURS))
def test_faults_of_one_url_and_our_own_do_not(fault: Fault) -> None:
    assert down(9, fault) == HostHealth()


def test_every_fault_is_of_one_kind() -> None:
    kinds = (SITE_WIDE, AMBIGUOUS, URL_SPECIFIC, OURS)
    assert sorted(fault for kind in kinds for fault in kind) == sorted(Fault)


def test_it_is_half_open_when_the_back_off_ends() -> None:
    health = down()
    assert circuit(health, NOW + 29.9) is Circuit.OPEN
    assert circuit(health, NOW + 30) is Circuit.HALF_OPEN


def test_every_failed_probe_waits_longer_until_it_is_five_minutes() -> None:
    health, now, waits = down(), NOW, []
    for _ in range(7):
        assert health.trouble is not None
        waits.append(health.trouble.breaker.until - now)
        now = health.trouble.breaker.until
        health = failed(health, now)
    assert waits == [30, 60, 120, 300, 300, 300, 300]


def test_the_second_success_closes_it() -> None:
    half = passed(down(), NOW + 30)
    assert circuit(half, NOW + 31) is Circuit.HALF_OPEN
    assert circuit(passed(half, NOW + 32), NOW + 32) is Circuit.CLOSED


@pytest.mark.parametrize("fault", sorted(SITE_WIDE))
def test_a_failure_of_the_site_after_the_probe_opens_it_with_the_next_back_off(
    fault: Fault,
) -> None:
    half = passed(down(), NOW + 30)
    again = failed(half, NOW + 31, fault)
    assert circuit(again, NOW + 31 + 59.9) is Circuit.OPEN
    assert circuit(again, NOW + 31 + 60) is Circuit.HALF_OPEN


@pytest.mark.parametrize("fault", sorted(AMBIGUOUS))
def test_after_an_answered_probe_a_fault_that_may_be_the_urls_leaves_it_half_open(
    fault: Fault,
) -> None:
    half = passed(down(), NOW + 30)
    for n in range(POLICY.failures - 1):
        half = failed(half, NOW + 31 + n, fault)
        assert circuit(half, NOW + 31 + n) is Circuit.HALF_OPEN
    assert circuit(passed(half, NOW + 40), NOW + 40) is Circuit.CLOSED
    again = failed(half, NOW + 40, fault)
    assert circuit(again, NOW + 40 + 59.9) is Circuit.OPEN, "five in a row are more than one URL"


@pytest.mark.parametrize("fault", sorted(AMBIGUOUS))
def test_a_probe_that_fails_opens_it_whatever_the_fault(fault: Fault) -> None:
    assert circuit(failed(down(), NOW + 30, fault), NOW + 31) is Circuit.OPEN


def away(health: HostHealth, now: float) -> HostHealth:
    return unreached(health, Fault.CONNECT_REFUSED, now, now, POLICY)


def test_a_host_without_a_robots_txt_to_be_had_is_away_at_once() -> None:
    health, now, waits = away(HostHealth(), NOW), NOW, []
    for _ in range(5):
        assert health.trouble is not None
        waits.append(health.trouble.breaker.until - now)
        now = health.trouble.breaker.until
        health = away(health, now)
    assert waits == [30, 60, 120, 300, 300]


def test_who_asked_at_the_same_time_says_nothing_new() -> None:
    once = away(HostHealth(), NOW)
    assert unreached(once, Fault.DNS, NOW - 1, NOW + 40, POLICY).trouble == once.trouble


def test_a_host_that_answers_elsewhere_is_not_away() -> None:
    """Its port for http is closed, say, and that for https is not."""
    well = passed(HostHealth(), NOW)
    assert away(well, NOW + 60) == well
    assert circuit(away(well, NOW + 301), NOW + 301) is Circuit.OPEN, "that was long ago"
    assert circuit(away(failed(well, NOW + 1), NOW + 2), NOW + 2) is Circuit.OPEN


def test_a_probe_after_a_relapse_has_to_succeed_again() -> None:
    """One success is not carried over from the back-off before."""
    relapsed = failed(passed(down(), NOW + 30), NOW + 31)
    assert circuit(passed(relapsed, NOW + 100), NOW + 100) is Circuit.HALF_OPEN


def test_once_closed_it_takes_five_failures_and_the_first_back_off_again() -> None:
    closed = passed(passed(failed(down(), NOW + 30), NOW + 90), NOW + 91)
    for n in range(5):
        assert circuit(closed, NOW + 99) is Circuit.CLOSED
        closed = failed(closed, NOW + 100 + n)
    assert circuit(closed, NOW + 104 + 29.9) is Circuit.OPEN
    assert circuit(closed, NOW + 104 + 30) is Circuit.HALF_OPEN


def test_requests_under_way_when_it_opened_do_not_advance_the_back_off() -> None:
    opened = down()
    late = failing(opened, Fault.READ_TIMEOUT, NOW - 1, NOW + 31, POLICY)
    assert late.trouble == opened.trouble


def test_an_answer_to_a_request_sent_before_it_opened_does_not_close_it() -> None:
    opened = down()
    late = answered(answered(opened, NOW - 1, NOW + 31, POLICY), NOW - 1, NOW + 32, POLICY)
    assert late.trouble == opened.trouble
    assert late.last_success_at == NOW + 32


def test_what_was_sent_before_the_back_off_ended_is_old_news() -> None:
    assert is_old_news(down(), NOW + 29)
    assert not is_old_news(down(), NOW + 30)
    assert not is_old_news(HostHealth(), NOW)


def test_no_policy_is_too_short_for_a_back_off() -> None:
    assert backoff(3, BreakerPolicy(backoffs=())) == 0
    assert backoff(3, BreakerPolicy(backoffs=(7.0,))) == 7


def test_a_stale_view_does_not_close_it() -> None:
    """One holder opens it, the other commits a moment later what it knew before."""
    opened = Breaker(1, NOW + 30, 0, NOW)
    assert heed(Breaker(), opened) == heed(opened, Breaker()) == opened


def test_a_stale_view_does_not_keep_it_open() -> None:
    opened, closed = Breaker(2, NOW + 60, 0, NOW), Breaker(changed_at=NOW + 70)
    assert heed(closed, opened) == heed(opened, closed) == closed


def test_of_two_changes_at_one_moment_the_more_careful_counts() -> None:
    opened, closed = Breaker(1, NOW + 30, 0, NOW), Breaker(changed_at=NOW)
    assert heed(closed, opened) == heed(opened, closed) == opened
