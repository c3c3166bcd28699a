"""Has a host failed too often lately? (HOST-2)"""

from __future__ import annotations

import pytest

from tenax.hosts.budget import BudgetPolicy, counts, heed, locked_until, spent
from tenax.hosts.signs import OURS, URL_SPECIFIC
from tenax.model import Fault

POLICY = BudgetPolicy()


def after(*times: float) -> tuple[float, ...]:
    failed_at: tuple[float, ...] = ()
    for now in times:
        failed_at = spent(failed_at, now, POLICY)
    return failed_at


def test_six_failures_within_five_minutes_lock_the_host_for_two() -> None:
    assert locked_until(after(0, 60, 120, 180, 240), POLICY) == 0
    assert locked_until(after(0, 60, 120, 180, 240, 300), POLICY) == 420


def test_six_failures_in_a_longer_time_do_not() -> None:
    assert locked_until(after(0, 60, 120, 180, 240, 301), POLICY) == 0


def test_six_failures_at_one_moment_are_six() -> None:
    assert locked_until(after(9, 9, 9, 9, 9, 9), POLICY) == 129


def test_failures_while_locked_do_not_stretch_the_lock() -> None:
    assert after(0, 1, 2, 3, 4, 5, 6, 30, 124) == (0, 1, 2, 3, 4, 5)


def test_a_lock_that_was_served_has_paid_for_its_failures() -> None:
    assert locked_until(after(0, 1, 2, 3, 4, 5, 126), POLICY) == 0
    assert locked_until(after(0, 1, 2, 3, 4, 5, *range(126, 132)), POLICY) == 251


def test_no_more_failures_are_remembered_than_it_takes() -> None:
    assert after(*range(0, 10_000, 100)) == (9_400, 9_500, 9_600, 9_700, 9_800, 9_900)


@pytest.mark.parametrize("fault", Fault)
def test_every_failure_counts_but_our_own(fault: Fault) -> None:
    assert counts(fault, POLICY) == (fault not in OURS)


@pytest.mark.parametrize("fault", Fault)
def test_failures_of_single_urls_can_be_left_out(fault: Fault) -> None:
    lenient = BudgetPolicy(url_faults=False)
    assert counts(fault, lenient) == (fault not in OURS | URL_SPECIFIC)


def test_the_failures_two_holders_saw_add_up() -> None:
    mine, theirs = after(1, 2, 3), after(2, 4, 5, 6)
    assert heed(mine, theirs, POLICY) == heed(theirs, mine, POLICY) == (1, 2, 3, 4, 5, 6)
    assert locked_until(heed(mine, theirs, POLICY), POLICY) == 126


def test_what_both_holders_know_is_counted_once() -> None:
    shared = after(1, 1, 2)
    assert heed(shared, shared, POLICY) == shared
    assert heed(shared, after(1), POLICY) == shared
