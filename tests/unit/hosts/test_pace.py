"""When may a host be asked next? (FR-5, HOST-1)"""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tenax.hosts.pace import (
    PacePolicy,
    delay_of,
    heed,
    interrupted,
    obey,
    opens_at,
    sent,
    start,
)
from tenax.model import Pace

NOW = 1_790_000_000.0
POLICY = PacePolicy(delay=1.0, margin=0.0)

times = st.floats(0, 1e6)
delays = st.floats(0, 1e3)
paces = st.builds(Pace, st.floats(0, 60), times, times)
policies = st.builds(PacePolicy, delay=st.floats(0, 100))


def test_the_first_turn_is_now_and_the_next_a_delay_later() -> None:
    first, at = start(Pace(), NOW, POLICY)
    _, then = start(first, NOW, POLICY)
    assert (at, then) == (NOW, NOW + 1)


def test_the_delay_counts_from_when_the_request_left() -> None:
    taken, at = start(Pace(), NOW, POLICY)
    assert opens_at(sent(taken, at + 0.4, POLICY)) == NOW + 1.4


def test_a_margin_is_added_for_the_servers_clock() -> None:
    taken, _ = start(Pace(), NOW, PacePolicy(delay=1.0, margin=0.25))
    assert opens_at(taken) == NOW + 1.25


def test_without_any_delay_every_moment_is_a_turn() -> None:
    policy = PacePolicy(delay=0.0)
    taken, at = start(Pace(), NOW, policy)
    assert start(taken, NOW, policy)[1] == at == NOW


def test_the_longer_of_our_delay_and_theirs_counts() -> None:
    assert delay_of(obey(Pace(), 5.0, NOW, POLICY), POLICY) == 5
    assert delay_of(obey(Pace(), 0.2, NOW, POLICY), POLICY) == 1
    assert delay_of(obey(Pace(), None, NOW, POLICY), POLICY) == 1
    assert delay_of(obey(Pace(), -3.0, NOW, POLICY), POLICY) == 1


def test_a_crawl_delay_is_obeyed_up_to_a_minute() -> None:
    assert delay_of(obey(Pace(), 86_400.0, NOW, POLICY), POLICY) == 60


def test_the_turn_robots_txt_took_is_stretched_to_what_it_asks_for() -> None:
    taken, _ = start(Pace(), NOW, POLICY)
    assert opens_at(obey(taken, 10.0, NOW, POLICY)) == NOW + 10


def test_a_crawl_delay_taken_back_is_forgotten() -> None:
    slow = obey(Pace(), 30.0, NOW, POLICY)
    assert delay_of(obey(slow, None, NOW, POLICY), POLICY) == 1


def test_a_vanished_worker_may_have_asked_just_now() -> None:
    assert opens_at(interrupted(Pace(), NOW, POLICY)) == NOW + 1


@given(pace=paces, policy=policies, waits=st.lists(st.floats(0, 50), min_size=2, max_size=20))
def test_two_turns_are_never_closer_than_the_delay(
    pace: Pace, policy: PacePolicy, waits: list[float]
) -> None:
    now, starts = 0.0, []
    for wait in waits:
        now += wait
        pace, at = start(pace, now, policy)
        starts.append(at)
    rounding = 1e-6
    assert all(b - a >= delay_of(pace, policy) - rounding for a, b in pairwise(starts))
    assert starts[0] >= waits[0]


@given(pace=paces, now=times, crawl_delay=st.none() | st.floats(-10, 1e6), policy=policies)
def test_obeying_never_brings_a_turn_forward_and_is_done_once(
    pace: Pace, now: float, crawl_delay: float | None, policy: PacePolicy
) -> None:
    obeyed = obey(pace, crawl_delay, now, policy)
    assert opens_at(obeyed) >= opens_at(pace)
    assert obey(obeyed, crawl_delay, now, policy) == obeyed
    assert policy.delay <= delay_of(obeyed, policy) <= max(policy.delay, policy.crawl_delay_cap)


@given(pace=paces, now=times, policy=policies)
def test_no_event_brings_a_turn_forward(pace: Pace, now: float, policy: PacePolicy) -> None:
    after = (start(pace, now, policy)[0], sent(pace, now, policy), interrupted(pace, now, policy))
    assert all(opens_at(later) >= opens_at(pace) for later in after)


@given(mine=paces, theirs=paces)
def test_what_one_holder_was_told_holds_for_the_other(mine: Pace, theirs: Pace) -> None:
    assert opens_at(heed(mine, theirs)) == max(opens_at(mine), opens_at(theirs))
    assert heed(mine, theirs).crawl_delay == mine.crawl_delay
