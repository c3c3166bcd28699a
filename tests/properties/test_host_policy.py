"""What holds for every host, whatever it answers and in whatever order? (HOST-1 … HOST-6)"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tenax.adapters.sql.engine import codec
from tenax.hosts.breaker import Circuit, circuit
from tenax.hosts.budget import BudgetPolicy
from tenax.hosts.conduct import HostEntry, HostPolicies, heed, learn, opens_at, reset, stance
from tenax.hosts.pace import PacePolicy, delay_of
from tenax.hosts.signs import (
    AMBIGUOUS,
    Answered,
    FailedWith,
    Probed,
    Sign,
    ToldToWait,
    TurnedAway,
    Unreached,
    WalledOff,
)
from tenax.model import Fault, Host, Pace

START = 1_790_000_000.0
HOST = Host("a.example", "https://a.example", id=7)
BACKOFFS = [30.0, 60.0, 120.0, 300.0]


class Step(NamedTuple):
    """Time passes, then a request that was under way for a while ends."""

    wait: float
    under_way: float
    sign: Sign | None
    seed: int


faults = st.sampled_from(Fault)
hard_faults = st.sampled_from([Fault.DNS, Fault.BAD_GATEWAY, Fault.SERVER_ERROR, Fault.RESET])
waits_named = st.none() | st.floats(-10, 1e6) | st.sampled_from([0.0, 1.0, 60.0, float("inf")])
signs = st.one_of(
    st.none(),
    st.builds(Answered, st.just(0.0)),
    st.builds(ToldToWait, st.just(0.0), waits_named, st.sampled_from([429, 503])),
    st.builds(TurnedAway, st.just(0.0)),
    st.builds(WalledOff, st.just(0.0)),
    st.builds(FailedWith, st.just(0.0), hard_faults | faults),
    st.builds(Probed, st.just(0.0), st.none() | faults),
    st.builds(Unreached, st.just(0.0), hard_faults),
)
steps = st.builds(
    Step,
    st.sampled_from([0.0, 0.1, 1.0, 29.0, 31.0, 61.0, 301.0, 2_000.0]) | st.floats(0, 1_000),
    st.sampled_from([0.0, 0.1, 5.0, 40.0]),
    signs,
    st.integers(0, 9),
)
histories = st.lists(steps, max_size=40)
policies = st.builds(
    HostPolicies, pace=st.builds(PacePolicy, delay=st.sampled_from([0.0, 0.1, 1.0, 30.0, 90.0]))
)


def lived(
    history: list[Step], policies: HostPolicies, host: Host = HOST, now: float = START
) -> Iterator[tuple[Host, Step, float, Host]]:
    """(before, step, now, after) for every step, whether or not a polite crawler would take it."""
    for step in history:
        now += step.wait
        sign = step.sign and replace(step.sign, started=now - step.under_way)
        after = learn(host, sign, now, policies, Random(step.seed))
        yield host, step._replace(sign=sign), now, after
        host = after


def view(history: list[Step | None]) -> Host:
    """A holder's view of a host; None stands for a person who clears its record."""
    host, now = HOST, START
    for step in history:
        if step is None:
            host = reset(host, now)
        else:
            now += step.wait
            ((*_, host),) = lived([step._replace(wait=0.0)], HostPolicies(), host, now)
    return host


lives = st.lists(steps | steps | steps | st.none(), max_size=25)
views = st.builds(view, lives)
# Two holders began with what the ledger knew, and went on each by itself.
pairs = st.builds(lambda known, a, b: (view(known + a), view(known + b)), lives, lives, lives)


def last(history: list[Step], policies: HostPolicies) -> Host:
    return ([HOST] + [after for *_, after in lived(history, policies)])[-1]


def until(host: Host) -> float:
    return host.health.trouble.breaker.until if host.health.trouble else 0.0


def trips(host: Host) -> int:
    return host.health.trouble.breaker.trips if host.health.trouble else 0


@given(histories, policies)
def test_nothing_a_host_does_ends_a_blackout_early(
    history: list[Step], policies: HostPolicies
) -> None:
    told_until = 0.0
    for _, step, now, after in lived(history, policies):
        assert after.pace.backoff_until >= told_until
        told_until = after.pace.backoff_until
        if isinstance(step.sign, ToldToWait) and step.sign.retry_after is not None:
            assert told_until >= now + min(step.sign.retry_after, 86_400)
        assert opens_at(after, policies).at >= told_until
        if now < told_until:
            assert stance(after, now, policies).entry is HostEntry.CLOSED


@given(histories, policies)
def test_a_host_is_entered_only_when_every_clock_agrees(
    history: list[Step], policies: HostPolicies
) -> None:
    for *_, now, after in lived(history, policies):
        may_enter = stance(after, now, policies).entry is not HostEntry.CLOSED
        closed_for = opens_at(replace(after, pace=replace(after.pace, next_at=0)), policies)
        assert may_enter == (closed_for.at <= now)


@given(histories, policies)
def test_the_breaker_never_skips_half_open(history: list[Step], policies: HostPolicies) -> None:
    for before, _, now, after in lived(history, policies):
        was, became = circuit(before.health, now), circuit(after.health, now)
        if was is Circuit.OPEN:
            assert became is Circuit.OPEN
        if was is Circuit.CLOSED:
            assert became is not Circuit.HALF_OPEN
        if was is Circuit.HALF_OPEN and became is Circuit.CLOSED:
            assert stance(_unhindered(before), now, policies).entry is HostEntry.SINGLE


def _unhindered(host: Host) -> Host:
    """The host with no clock against it but the breaker's."""
    assert host.health.trouble is not None
    alone = replace(host.health.trouble, failed_at=(), cool_until=0.0)
    health = replace(host.health, trouble=alone)
    return replace(host, pace=Pace(), health=health)


@given(histories, policies)
def test_back_offs_come_in_their_order_whatever_happens(
    history: list[Step], policies: HostPolicies
) -> None:
    for before, _, now, after in lived(history, policies):
        if trips(after) not in (trips(before), 0):
            assert trips(after) == trips(before) + 1
            assert until(after) == now + BACKOFFS[min(trips(after), 4) - 1]
        elif trips(after):
            assert until(after) == until(before)


@given(
    st.lists(st.tuples(st.floats(0, 40), waits_named), min_size=1, max_size=12),
    policies,
    st.integers(0, 9),
)
def test_a_burst_is_one_incident(
    answers: list[tuple[float, float | None]], policies: HostPolicies, seed: int
) -> None:
    """All sent before the first answer came; they end one after the other."""
    host, now, delays = HOST, START, set()
    for gap, wait in answers:
        now += gap
        host = learn(host, ToldToWait(START - 1, wait), now, policies, Random(seed))
        delays.add(delay_of(host.pace, policies.pace))
    assert host.pace.throttle is not None
    assert host.pace.throttle.incidents == 1
    assert host.health.refusals == 1
    assert len(delays) == 1


@given(histories, policies)
def test_rates_stay_within_bounds(history: list[Step], policies: HostPolicies) -> None:
    ours = policies.pace.delay
    for *_, after in lived(history, policies):
        assert ours <= delay_of(after.pace, policies.pace) <= max(ours, 60)
        throttle = after.pace.throttle
        assert (
            throttle is None
            or throttle.interval == 0
            or throttle.interval > max(ours, 0.2)
            or (ours >= 60)
        )


@given(histories, policies)
def test_the_record_of_a_host_stays_small_and_survives_the_ledger(
    history: list[Step], policies: HostPolicies
) -> None:
    for *_, after in lived(history, policies):
        text = codec.host_state(after)
        assert len(text) < 800
        assert codec.host(after.id, after.name, after.origin, after.paused, text) == after


@given(histories, policies)
def test_a_host_is_never_closed_for_ever(history: list[Step], policies: HostPolicies) -> None:
    for *_, now, after in lived(history, policies):
        assert opens_at(after, policies).at <= now + 86_400
        assert stance(after, now + 86_400, policies).entry is not HostEntry.CLOSED


@given(histories, policies, st.sampled_from(sorted(AMBIGUOUS)), st.integers(1, 4))
def test_after_an_answered_probe_a_single_url_does_not_close_the_host(
    history: list[Step], policies: HostPolicies, fault: Fault, attempts: int
) -> None:
    """Whatever was before: all attempts that one URL has leave the breaker where it is."""
    host = last(history, policies)
    now = START + 10_000_000
    host = learn(host, Unreached(now, Fault.DNS), now, policies, Random(1))
    now = until(host)
    host = learn(host, Probed(now), now, policies, Random(1))
    assert stance(_unhindered(host), now, policies).entry is HostEntry.SINGLE
    for _ in range(attempts):
        now += 1
        host = learn(host, FailedWith(now, fault), now, policies, Random(1))
        assert stance(_unhindered(host), now, policies).entry is HostEntry.SINGLE


@given(histories, policies)
def test_a_host_whose_robots_txt_could_not_be_had_is_closed_or_answers_elsewhere(
    history: list[Step], policies: HostPolicies
) -> None:
    """In all cases nothing is fetched meanwhile."""
    for before, step, now, after in lived(history, policies):
        if isinstance(step.sign, Unreached):
            is_closed = stance(after, now, policies).entry is HostEntry.CLOSED
            is_late = step.sign.started < until(before) <= now
            assert is_closed or is_late or after.health == before.health


@given(histories, policies)
def test_a_host_that_is_back_is_open_after_two_successes(
    history: list[Step], policies: HostPolicies
) -> None:
    host = last(history, policies)
    now = START + 10_000_000
    for _ in range(2):
        is_probe = stance(host, now, policies).entry is HostEntry.PROBE
        host = learn(host, Probed(now) if is_probe else Answered(now), now, policies, Random(1))
    assert stance(host, now, policies).entry is HostEntry.OPEN


@given(histories, policies, st.floats(0, 1e5))
def test_a_reset_host_is_open(history: list[Step], policies: HostPolicies, later: float) -> None:
    host = last(history, policies)
    now = START + 10_000_000 + later
    cleared = reset(host, now)
    assert stance(cleared, now, policies).entry is HostEntry.OPEN
    assert delay_of(cleared.pace, policies.pace) == policies.pace.delay


@given(views)
def test_a_view_adds_nothing_to_itself(host: Host) -> None:
    assert heed(host, host) == host


@given(pairs)
def test_two_views_in_either_order_give_one(pair: tuple[Host, Host]) -> None:
    mine, theirs = pair
    assert heed(mine, theirs) == heed(theirs, mine)


@given(pairs)
def test_what_was_heeded_once_needs_no_heeding_again(pair: tuple[Host, Host]) -> None:
    mine, theirs = pair
    both = heed(mine, theirs)
    assert heed(both, mine) == heed(both, theirs) == both


@given(pairs)
def test_no_view_talks_the_other_out_of_a_blackout(pair: tuple[Host, Host]) -> None:
    """Unless a person said so."""
    mine, theirs = pair
    both = heed(mine, theirs)
    if cleared_at(mine) == cleared_at(theirs):
        assert both.pace.backoff_until == max(mine.pace.backoff_until, theirs.pace.backoff_until)


@given(pairs)
def test_two_views_close_a_host_no_longer_than_one_of_them_did(pair: tuple[Host, Host]) -> None:
    """But for the budget, where the failures of both add up."""
    lenient = HostPolicies(budget=BudgetPolicy(failures=1_000))
    both = opens_at(heed(*pair), lenient)
    assert both.at <= max(opens_at(host, lenient).at for host in pair)


def cleared_at(host: Host) -> float:
    return host.health.trouble.reset_at if host.health.trouble else 0.0
