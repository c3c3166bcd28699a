"""How slowly is a host asked that told us to slow down, and when is it forgiven? (HOST-1)"""

from __future__ import annotations

from random import Random

import pytest

from tenax.hosts.pace import PacePolicy, delay_of, obey, opens_at, start
from tenax.hosts.signs import ToldToWait
from tenax.hosts.throttle import ThrottlePolicy, heed, is_new, succeeded, throttled
from tenax.model import Pace, Throttle

NOW = 1_790_000_000.0
POLICY = ThrottlePolicy(jitter=0.0)
SECOND = PacePolicy(delay=1.0, margin=0.0)
UNPACED = PacePolicy(delay=0.0)


def told(
    pace: Pace,
    now: float,
    retry_after: float | None = None,
    *,
    started: float | None = None,
    usual: float = 1.0,
    policy: ThrottlePolicy = POLICY,
    seed: int = 1,
) -> Pace:
    sign = ToldToWait(now if started is None else started, retry_after)
    return throttled(pace, sign, usual, now, policy, Random(seed))


def after(pace: Pace, successes: int, usual: float = 1.0) -> Pace:
    for _ in range(successes):
        pace = succeeded(pace, opens_at(pace), usual, POLICY)
    return pace


def in_a_row(count: int, retry_after: float | None = None) -> list[float]:
    """How long each of several incidents in a row silences us."""
    pace, now, waits = Pace(), NOW, []
    for _ in range(count):
        pace = told(pace, now, retry_after)
        waits.append(round(pace.backoff_until - now, 3))
        now = pace.backoff_until
    return waits


def test_the_silence_grows_with_every_incident_in_a_row() -> None:
    assert in_a_row(5) == [45, 300, 900, 900, 900]


def test_a_long_retry_after_is_honoured_and_a_short_one_grows_too() -> None:
    assert in_a_row(3, retry_after=1_200) == [1_200, 1_200, 1_200]
    assert in_a_row(3, retry_after=2) == [2, 300, 900]


@pytest.mark.parametrize("nonsense", [None, 0.0, -5.0, float("nan")])
def test_a_retry_after_of_nothing_counts_as_absent(nonsense: float | None) -> None:
    assert told(Pace(), NOW, nonsense).backoff_until == NOW + 45


def test_nobody_silences_us_for_more_than_a_day() -> None:
    for wait in (1e9, float("inf")):
        silenced = told(Pace(), NOW, wait, policy=ThrottlePolicy())
        assert silenced.backoff_until == NOW + 86_400


def test_our_own_guess_varies_by_a_tenth_both_ways() -> None:
    jittery = ThrottlePolicy()
    waits = [told(Pace(), NOW, policy=jittery, seed=n).backoff_until - NOW for n in range(200)]
    assert 40.5 <= min(waits) < 42
    assert 48 < max(waits) <= 49.5


def test_a_silence_the_host_named_is_never_cut_short() -> None:
    jittery = ThrottlePolicy()
    waits = [told(Pace(), NOW, 60, policy=jittery, seed=n).backoff_until - NOW for n in range(200)]
    assert 60 <= min(waits) < 61
    assert 65 < max(waits) <= 66.01


def test_the_second_silence_is_never_below_five_minutes() -> None:
    first = told(Pace(), NOW)
    then = first.backoff_until
    for seed in range(100):
        again = told(first, then, policy=ThrottlePolicy(), seed=seed)
        assert 300 <= again.backoff_until - then <= 330.01


def test_a_burst_is_one_incident_however_many_answers_it_has() -> None:
    once = told(Pace(), NOW)
    burst = once
    for n in range(1, 8):
        burst = told(burst, NOW + n, started=NOW - 10 + n)
    assert burst == once


def test_a_slow_answer_to_a_request_of_the_burst_still_belongs_to_it() -> None:
    """The blackout of a second is over; the request was sent before it began."""
    once = told(Pace(), NOW, retry_after=1)
    assert told(once, NOW + 20, started=NOW - 5) == once


def test_a_request_sent_in_ignorance_of_the_blackout_belongs_to_it() -> None:
    once = told(Pace(), NOW)
    assert not is_new(once, NOW + 44)
    assert is_new(once, NOW + 45)


def test_the_longest_retry_after_of_a_burst_counts_and_no_shorter_one_undoes_it() -> None:
    burst = told(Pace(), NOW, 10)
    longer = told(burst, NOW + 1, 600, started=NOW - 1)
    shorter = told(longer, NOW + 2, 5, started=NOW - 1)
    assert longer.backoff_until == shorter.backoff_until == NOW + 601
    assert shorter.throttle is not None
    assert shorter.throttle.incidents == 1


def test_a_longer_silence_of_another_source_stays() -> None:
    """A robots.txt that cannot be had silences the host for an hour."""
    assert told(Pace(backoff_until=NOW + 3_600), NOW).backoff_until == NOW + 3_600


def test_stragglers_do_not_stretch_the_shortest_silence_of_an_incident() -> None:
    first = told(Pace(), NOW)
    then = first.backoff_until
    second = told(first, then)
    assert told(second, then + 20, retry_after=1, started=then).backoff_until == then + 300


def test_an_incident_leaves_a_quarter_of_the_rate() -> None:
    assert delay_of(told(Pace(), NOW), SECOND) == 4


def test_a_host_without_delay_is_cut_from_300_a_minute() -> None:
    slowed = told(Pace(), NOW, usual=0.0)
    assert delay_of(slowed, UNPACED) == pytest.approx(60 / 75)


def test_a_host_without_delay_is_paced_while_it_is_throttled() -> None:
    slowed = told(Pace(), NOW, usual=0.0)
    taken, first = start(slowed, NOW + 60, UNPACED)
    _, second = start(taken, NOW + 60, UNPACED)
    assert second - first >= 0.8


def test_a_burst_cuts_the_rate_once() -> None:
    burst = told(told(Pace(), NOW, 9), NOW + 1, 9, started=NOW)
    assert delay_of(burst, SECOND) == 4


def test_no_incident_pushes_the_rate_below_one_a_minute() -> None:
    pace, now = Pace(), NOW
    for _ in range(9):
        pace = told(pace, now)
        now = pace.backoff_until
    assert delay_of(pace, SECOND) == 60


def test_a_delay_of_ours_beyond_a_minute_stays() -> None:
    slow = PacePolicy(delay=120)
    assert delay_of(told(Pace(), NOW, usual=120), slow) == 120


def test_a_hundred_successes_earn_a_tenth_of_the_rate() -> None:
    slowed = told(Pace(), NOW)
    assert delay_of(after(slowed, 99), SECOND) == 4
    assert 1 / delay_of(after(slowed, 100), SECOND) == pytest.approx(1.1 / 4)


def test_a_recovered_host_is_asked_as_if_it_had_never_complained() -> None:
    """From a quarter to all: 15 steps of a tenth."""
    slowed = told(Pace(), NOW)
    assert delay_of(after(slowed, 1_499), SECOND) > 1
    recovered = after(slowed, 1_500)
    assert delay_of(recovered, SECOND) == 1
    assert in_a_row(1) == [told(recovered, NOW + 1e6).backoff_until - NOW - 1e6]


def test_a_host_without_delay_is_unpaced_again_at_300_a_minute() -> None:
    slowed = told(Pace(), NOW, usual=0.0)
    assert delay_of(after(slowed, 1_400, usual=0.0), UNPACED) > 0.2
    assert delay_of(after(slowed, 1_500, usual=0.0), UNPACED) == 0


def test_answers_to_requests_sent_before_the_blackout_earn_nothing() -> None:
    slowed = told(Pace(), NOW)
    for _ in range(200):
        slowed = succeeded(slowed, NOW - 1, 1.0, POLICY)
    assert delay_of(slowed, SECOND) == 4


def test_one_success_between_two_complaints_does_not_end_the_row() -> None:
    first = told(Pace(), NOW)
    then = NOW + 60
    assert told(after(first, 1), then).backoff_until == then + 300


def test_a_step_of_recovery_ends_the_row() -> None:
    first = told(Pace(), NOW)
    then = NOW + 460
    assert told(after(first, 100), then).backoff_until == then + 45


def test_thirty_quiet_minutes_end_the_row() -> None:
    first = told(Pace(), NOW)
    quiet = first.backoff_until + 1_800
    assert told(first, quiet - 1).backoff_until == quiet - 1 + 300
    assert told(first, quiet).backoff_until == quiet + 45


def test_quiet_minutes_alone_do_not_raise_the_rate() -> None:
    first = told(Pace(), NOW)
    again = told(first, NOW + 86_400)
    assert delay_of(again, SECOND) == 16


def test_the_delay_and_the_back_off_are_two_clocks() -> None:
    taken, _ = start(Pace(), NOW, SECOND)
    silenced = told(taken, NOW, 10)
    assert (silenced.next_at, silenced.backoff_until) == (NOW + 1, NOW + 10)


def test_a_crawl_delay_shorter_than_the_throttle_stretches_no_turn() -> None:
    slowed = told(Pace(), NOW)
    assert obey(slowed, 3.0, NOW, SECOND).next_at == slowed.next_at
    assert obey(slowed, 9.0, NOW, SECOND).next_at == NOW + 5


def test_of_two_views_the_later_blackout_counts() -> None:
    early, late = Throttle(NOW, NOW + 45, 1, 4.0), Throttle(NOW + 90, NOW + 390, 2, 16.0)
    assert heed(early, late) == heed(late, early) == late
    assert heed(None, late) == heed(late, None) == late


def test_a_view_that_has_recovered_is_not_undone_by_one_that_has_not() -> None:
    stale = told(Pace(), NOW).throttle
    recovered = after(told(Pace(), NOW), 1_500).throttle
    assert heed(stale, recovered) == heed(recovered, stale) == recovered
