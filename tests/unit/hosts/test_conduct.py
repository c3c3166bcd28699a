"""How is a host treated? The policies together (HOST-1 … HOST-6)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random

import pytest
from msgspec.structs import replace

from tenax.adapters.sql.engine import codec
from tenax.hosts.breaker import Circuit, circuit
from tenax.hosts.conduct import (
    HostEntry,
    HostPolicies,
    Opening,
    Stance,
    Why,
    heed,
    learn,
    opens_at,
    reset,
    stance,
)
from tenax.hosts.pace import PacePolicy, delay_of
from tenax.hosts.signs import (
    Answered,
    FailedWith,
    Probed,
    Sign,
    ToldToWait,
    TurnedAway,
    WalledOff,
)
from tenax.hosts.throttle import ThrottlePolicy
from tenax.model import Breaker, Fault, Host, HostHealth, HostTrouble, Pace, Throttle

NOW = 1_790_000_000.0
HOST = Host("a.example", "https://a.example", id=7)
POLICIES = HostPolicies(pace=PacePolicy(margin=0.0), throttle=ThrottlePolicy(jitter=0.0))


def after(host: Host, *signs: Sign | None, now: float = NOW) -> Host:
    for sign in signs:
        host = learn(host, sign, now, POLICIES, Random(1))
    return host


def failing(now: float, times: int, fault: Fault = Fault.CONNECT_REFUSED) -> Iterator[FailedWith]:
    return (FailedWith(now, fault) for _ in range(times))


def entry(host: Host, now: float) -> HostEntry:
    return stance(host, now, POLICIES).entry


def opening(host: Host) -> Opening:
    return opens_at(host, POLICIES)


DOWN = after(HOST, *failing(NOW, 5))


# When and how it may be asked.


def test_a_host_nobody_knows_is_open() -> None:
    assert opening(HOST).at == 0
    assert stance(HOST, NOW, POLICIES) == Stance(HostEntry.OPEN)


@pytest.mark.parametrize(
    ("host", "at", "why"),
    [
        (replace(HOST, pace=Pace(next_at=NOW + 1)), NOW + 1, Why.DELAY),
        (after(HOST, ToldToWait(NOW)), NOW + 45, Why.BLACKOUT),
        (after(HOST, *failing(NOW, 6, Fault.CLIENT_ERROR)), NOW + 120, Why.BUDGET),
        (DOWN, NOW + 30, Why.BREAKER),
        (after(HOST, WalledOff(NOW)), NOW + 600, Why.COOLDOWN),
        (replace(DOWN, paused=True), math.inf, Why.PAUSED),
        (after(HOST, *failing(NOW, 6)), NOW + 30, Why.BREAKER),
        (after(DOWN, WalledOff(NOW), ToldToWait(NOW)), NOW + 600, Why.COOLDOWN),
        (after(DOWN, ToldToWait(NOW, 3_600)), NOW + 3_600, Why.BLACKOUT),
        (after(DOWN, ToldToWait(NOW, 30)), NOW + 30, Why.BREAKER),
    ],
)
def test_the_clock_that_lasts_longest_says_when_and_why(host: Host, at: float, why: Why) -> None:
    assert opening(host) == Opening(at, why)


def test_the_delay_between_requests_closes_nothing() -> None:
    """Whoever holds the host waits its turns out; the ledger asks for the opening."""
    waiting = replace(HOST, pace=Pace(next_at=NOW + 60))
    assert entry(waiting, NOW) is HostEntry.OPEN


def test_a_closed_host_says_until_when_and_why() -> None:
    assert stance(DOWN, NOW + 29, POLICIES) == Stance(HostEntry.CLOSED, NOW + 30, Why.BREAKER)
    assert entry(replace(HOST, paused=True), NOW) is HostEntry.CLOSED


def test_an_open_breaker_is_probed_then_let_through_singly_then_closed() -> None:
    assert entry(DOWN, NOW + 30) is HostEntry.PROBE
    back = after(DOWN, Probed(NOW + 30), now=NOW + 31)
    assert entry(back, NOW + 31) is HostEntry.SINGLE
    assert entry(after(back, Answered(NOW + 31), now=NOW + 32), NOW + 32) is HostEntry.OPEN


def test_a_probe_waits_for_the_other_clocks_too() -> None:
    walled = after(HOST, WalledOff(NOW), *failing(NOW, 5))
    assert entry(walled, NOW + 599) is HostEntry.CLOSED
    assert entry(walled, NOW + 600) is HostEntry.PROBE


# What it is taught.


def test_a_healthy_host_costs_a_healthy_record() -> None:
    visited = after(HOST, Answered(NOW))
    assert visited == replace(HOST, visits=1, health=HostHealth(last_success_at=NOW))


def test_within_a_second_the_record_of_a_healthy_host_is_used_again() -> None:
    visited = after(HOST, Answered(NOW))
    assert after(visited, Answered(NOW), now=NOW + 0.9).health is visited.health
    assert after(visited, Answered(NOW), now=NOW + 1).health.last_success_at == NOW + 1


def test_an_answer_never_hides_a_failure_from_the_second_before() -> None:
    shaken = after(HOST, Answered(NOW), FailedWith(NOW, Fault.DNS))
    assert after(shaken, Answered(NOW)).health.failures == 0


def test_every_visit_is_counted_and_a_probe_is_none() -> None:
    visited = after(HOST, None, Answered(NOW), FailedWith(NOW, Fault.DNS), ToldToWait(NOW))
    assert visited.visits == 4
    assert after(visited, Probed(NOW), Probed(NOW, Fault.DNS)).visits == 4


def test_failures_scattered_among_successes_lock_the_host() -> None:
    """The breaker never sees five in a row; the budget counts all the same (HOST-2)."""
    host = HOST
    for n in range(6):
        host = after(host, FailedWith(NOW, Fault.READ_TIMEOUT), Answered(NOW), now=NOW + 50 * n)
    assert opening(host) == Opening(NOW + 250 + 120, Why.BUDGET)
    assert circuit(host.health, NOW + 250) is Circuit.CLOSED


def test_a_missing_page_is_no_failure() -> None:
    """404 and 410 come as answers."""
    assert opening(after(HOST, *(Answered(NOW) for _ in range(50)))).at == 0


def test_failures_of_requests_under_way_when_the_breaker_opened_spend_no_budget() -> None:
    burst = after(DOWN, *failing(NOW - 1, 3), now=NOW + 10)
    assert opening(burst) == Opening(NOW + 30, Why.BREAKER)


def test_failed_probes_spend_no_budget() -> None:
    probed = after(DOWN, Probed(NOW + 30, Fault.DNS), now=NOW + 30)
    assert opening(probed) == Opening(NOW + 90, Why.BREAKER)


def test_an_answer_about_one_url_shows_that_the_server_is_there() -> None:
    host = after(HOST, *failing(NOW, 4), FailedWith(NOW, Fault.TOO_LARGE), *failing(NOW, 1))
    assert circuit(host.health, NOW) is Circuit.CLOSED


def test_a_429_shows_that_the_server_is_there_and_a_503_does_not() -> None:
    shaken = after(HOST, *failing(NOW, 4))
    assert after(shaken, ToldToWait(NOW, 5.0, 429)).health.failures == 0
    assert after(shaken, ToldToWait(NOW, 5.0, 503)).health.failures == 4


def test_five_403_in_a_row_start_a_cooldown() -> None:
    turned_away = [TurnedAway(NOW)] * 5
    assert opening(after(HOST, *turned_away)) == Opening(NOW + 600, Why.COOLDOWN)
    mixed = after(HOST, *turned_away[:4], Answered(NOW), *turned_away[:1])
    assert opening(mixed).why is not Why.COOLDOWN


def test_403_and_429_make_one_row() -> None:
    host = after(HOST, *([TurnedAway(NOW)] * 4), ToldToWait(NOW))
    assert opening(host) == Opening(NOW + 600, Why.COOLDOWN)


def test_a_burst_of_429_is_one_refusal() -> None:
    """Eight requests at once and one limit: 45 seconds, not ten minutes."""
    host = after(HOST, *([ToldToWait(NOW - 1)] * 8))
    assert opening(host) == Opening(NOW + 45, Why.BLACKOUT)


def test_a_timeout_between_two_403_does_not_end_the_row() -> None:
    away = TurnedAway(NOW)
    host = after(HOST, away, away, FailedWith(NOW, Fault.READ_TIMEOUT), away, away, away)
    assert opening(host).why is Why.COOLDOWN


def test_a_dead_proxy_and_our_own_bugs_are_not_the_hosts() -> None:
    """FE-11: they count against the proxy."""
    host = after(HOST, *failing(NOW, 9, Fault.PROXY), *failing(NOW, 9, Fault.INTERNAL))
    assert host == replace(HOST, visits=18)


def test_a_throttled_host_recovers_by_answers() -> None:
    told = after(HOST, ToldToWait(NOW))
    assert delay_of(told.pace, POLICIES.pace) == 4
    recovered = after(told, *([Answered(NOW + 45)] * 1_500), now=NOW + 3_000)
    assert delay_of(recovered.pace, POLICIES.pace) == 1


# An outage, start to end.


def test_an_outage_of_two_hours_costs_few_probes_and_ends_with_two_successes() -> None:
    down_from, up_again = NOW + 10, NOW + 10 + 7_200

    def ask(host: Host, now: float) -> Host:
        up = not down_from <= now < up_again
        if entry(host, now) is HostEntry.PROBE:
            return after(host, Probed(now, None if up else Fault.CONNECT_REFUSED), now=now)
        return after(host, Answered(now) if up else FailedWith(now, Fault.DNS), now=now)

    host, now, entries, gaps, last = HOST, NOW, [], [], NOW
    while now < up_again + 600:
        entries.append((now, entry(host, now)))
        host = ask(host, now)
        last, now = now, max(now + 1, opening(host).at)
        gaps.append(now - last)
    probes = [at for at, kind in entries if kind is HostEntry.PROBE]
    singles = [at for at, kind in entries if kind is HostEntry.SINGLE]
    waits = [gap for gap in gaps if gap > 1]

    assert waits == [30, 60, 120, *[300] * (len(probes) - 3)]
    assert len(probes) == 27
    assert up_again <= probes[-1] <= up_again + 300
    assert singles == [probes[-1] + 1]
    assert entry(host, now) is HostEntry.OPEN
    assert [kind for at, kind in entries if at < down_from + 5] == [HostEntry.OPEN] * 15


# Several holders, and persons.


def test_a_reset_host_is_open_at_its_usual_pace() -> None:
    host = after(HOST, ToldToWait(NOW, 3_600), *([TurnedAway(NOW)] * 9), *failing(NOW, 9))
    cleared = reset(replace(host, pace=replace(host.pace, next_at=NOW + 1)), NOW + 1)
    assert stance(cleared, NOW + 1, POLICIES) == Stance(HostEntry.OPEN)
    assert opening(cleared) == Opening(NOW + 1, Why.DELAY)
    assert delay_of(cleared.pace, POLICIES.pace) == 1
    assert (cleared.health.failures, cleared.health.refusals) == (0, 0)


def test_a_holder_that_has_not_heard_of_a_reset_does_not_undo_it() -> None:
    stale = after(HOST, ToldToWait(NOW, 3_600), WalledOff(NOW), *failing(NOW, 9))
    cleared = reset(HOST, NOW + 1)
    for merged in (heed(stale, cleared), heed(cleared, stale)):
        assert stance(merged, NOW + 1, POLICIES) == Stance(HostEntry.OPEN)
        assert merged.pace == HOST.pace
        assert merged.health.failures == 0


def test_what_a_holder_learned_after_a_reset_counts() -> None:
    stale = after(HOST, ToldToWait(NOW, 60))
    again = after(stale, ToldToWait(NOW + 70, 3_600), WalledOff(NOW + 70), now=NOW + 70)
    merged = heed(again, reset(stale, NOW + 65))
    assert opening(merged) == Opening(NOW + 70 + 3_600, Why.BLACKOUT)
    assert merged.health.trouble is not None
    assert merged.health.trouble.cool_until == NOW + 670


def test_after_a_reset_a_silence_of_another_source_is_kept() -> None:
    """A robots.txt that cannot be had silences the host without any complaint of its own."""
    cleared = reset(HOST, NOW)
    silenced = replace(after(cleared, FailedWith(NOW, Fault.DNS)), pace=Pace(0, 0, NOW + 3_600))
    assert heed(silenced, cleared).pace.backoff_until == NOW + 3_600


def test_what_one_holder_was_told_holds_for_the_other() -> None:
    told, unaware = after(HOST, ToldToWait(NOW, 60)), after(HOST, Answered(NOW), now=NOW + 1)
    merged = heed(unaware, told)
    assert opening(merged) == Opening(NOW + 60, Why.BLACKOUT)
    assert delay_of(merged.pace, POLICIES.pace) == 4


def test_a_breaker_stays_open_when_another_holder_commits_what_it_knew_before() -> None:
    unaware = after(HOST, Answered(NOW), now=NOW + 1)
    assert entry(heed(unaware, DOWN), NOW + 2) is HostEntry.CLOSED


def test_every_change_of_a_breaker_is_newer_than_the_one_before() -> None:
    probed = after(DOWN, Probed(NOW + 30), now=NOW + 30)
    relapsed = after(probed, FailedWith(NOW + 31, Fault.DNS), now=NOW + 32)
    for old, new in ((DOWN, probed), (probed, relapsed), (DOWN, relapsed)):
        for merged in (heed(old, new), heed(new, old)):
            assert merged.health.trouble == new.health.trouble


def test_a_breaker_that_closed_is_not_opened_by_an_old_view() -> None:
    closed = after(after(DOWN, Probed(NOW + 30), now=NOW + 30), Answered(NOW + 31), now=NOW + 32)
    for merged in (heed(closed, DOWN), heed(DOWN, closed)):
        assert entry(merged, NOW + 33) is HostEntry.OPEN
        assert merged.health.failures == 0


def test_a_holders_row_of_failures_does_not_outlive_a_later_answer() -> None:
    shaken = after(HOST, *failing(NOW, 4), *([TurnedAway(NOW)] * 3))
    fine = after(HOST, Answered(NOW), now=NOW + 5)
    merged = heed(shaken, fine)
    assert (merged.health.failures, merged.health.refusals) == (0, 0)


def test_the_name_and_the_crawl_delay_are_the_holders_own() -> None:
    mine, theirs = replace(HOST, pace=Pace(crawl_delay=3)), replace(HOST, visits=9, paused=True)
    assert heed(mine, theirs) == replace(mine, visits=9)


# The ledger.


def test_a_host_without_trouble_is_a_short_row() -> None:
    assert len(codec.host_state(after(HOST, Answered(NOW)))) < 230


def test_a_row_written_before_there_was_trouble_can_be_read() -> None:
    row = (
        '{"visits":3,"pace":{"crawl_delay":7.0,"next_at":9.0,"backoff_until":5.0},'
        '"health":{"failures":2,"last_fault":"dns","last_failure_at":4.0,"last_success_at":1.0}}'
    )
    known = codec.host(7, "a.example", "https://a.example", False, row)
    assert known == replace(
        HOST, visits=3, pace=Pace(7.0, 9.0, 5.0), health=HostHealth(2, Fault.DNS, 4.0, 1.0)
    )


def test_everything_learned_survives_the_ledger() -> None:
    host = replace(
        HOST,
        visits=3,
        pace=Pace(7.0, 9.5, 5.25, Throttle(1.5, 2.5, 3, 4.5, 6)),
        health=HostHealth(
            2,
            Fault.DNS,
            4.0,
            1.0,
            4,
            HostTrouble((1.0, 2.0), Breaker(1, 2.0, 1, 3.0), 4.0, 5.0, 6.0),
        ),
    )
    text = codec.host_state(host)
    assert codec.host(host.id, host.name, host.origin, host.paused, text) == host


def test_a_served_lock_is_not_served_again_because_an_older_view_knows_its_failures() -> None:
    """HOST-2: what the ledger knew when the lock began is merged with what came after it."""
    policies, then, now = HostPolicies(), 1_790_000_000.0, 1_790_000_000.0 + 125
    older = Host("a.example", "https://a.example")
    for n in range(6):
        older = learn(
            older, FailedWith(then + n, Fault.CLIENT_ERROR), then + n, policies, Random(1)
        )
    assert stance(older, then + 6, policies).why is Why.BUDGET
    newer = learn(older, FailedWith(now, Fault.CLIENT_ERROR), now, policies, Random(1))
    assert stance(newer, now, policies).entry is HostEntry.OPEN
    for both in (heed(newer, older, policies), heed(older, newer, policies)):
        assert stance(both, now, policies).entry is HostEntry.OPEN
