"""How does a host stand, in plain words? (HOST-5)"""

from __future__ import annotations

from random import Random

import pytest
from msgspec.structs import replace

from tenax.hosts.conduct import HostPolicies, learn
from tenax.hosts.pace import PacePolicy
from tenax.hosts.signs import (
    Answered,
    FailedWith,
    Probed,
    Sign,
    ToldToWait,
    TurnedAway,
    WalledOff,
)
from tenax.hosts.standing import Word, budget_used, lasting, standing
from tenax.hosts.throttle import ThrottlePolicy
from tenax.model import Fault, Host, Pace

NOW = 1_790_000_000.0
HOST = Host("a.example", "https://a.example")
POLICIES = HostPolicies(pace=PacePolicy(margin=0.0), throttle=ThrottlePolicy(jitter=0.0))


def after(*signs: Sign, host: Host = HOST, at: float = NOW) -> Host:
    for sign in signs:
        host = learn(host, replace(sign, started=at), at, POLICIES, Random(0))
    return host


DOWN = after(*[FailedWith(NOW, Fault.DNS)] * 5)
WAITING = after(ToldToWait(NOW, 60.0))


@pytest.mark.parametrize(
    ("host", "at", "word", "says", "until"),
    [
        (HOST, NOW, Word.NEW, "not asked yet", None),
        (after(Answered(NOW)), NOW, Word.OK, "ok", None),
        (after(FailedWith(NOW, Fault.RESET)), NOW, Word.OK, "ok", None),
        (
            after(*[FailedWith(NOW, Fault.RESET)] * 2),
            NOW, Word.FAILING, "2 failures in a row", None,
        ),
        (replace(DOWN, paused=True), NOW, Word.PAUSED, "paused", None),
        (DOWN, NOW, Word.BREAKER, "breaker open", NOW + 30),
        (DOWN, NOW + 30, Word.PROBE, "breaker half-open", None),
        (
            after(Probed(NOW), host=DOWN, at=NOW + 31),
            NOW + 32, Word.SINGLE, "breaker half-open", None,
        ),
        (
            after(*[FailedWith(NOW, Fault.TOO_LARGE)] * 6),
            NOW, Word.BUDGET, "locked (6 failures in 5 min)", NOW + 120,
        ),
        (after(WalledOff(NOW)), NOW, Word.COOLDOWN, "cooling down", NOW + 600),
        (after(*[TurnedAway(NOW)] * 5), NOW, Word.COOLDOWN, "cooling down", NOW + 600),
        (WAITING, NOW, Word.TOLD_TO_WAIT, "told to wait", NOW + 60),
        (WAITING, NOW + 60, Word.SLOWED, "slowed to one request per 4 s", None),
        (
            replace(HOST, pace=Pace(backoff_until=NOW + 3_600)),
            NOW, Word.ROBOTS, "its robots.txt cannot be had", NOW + 3_600,
        ),
        (
            replace(WAITING, pace=replace(WAITING.pace, backoff_until=NOW + 3_600)),
            NOW, Word.ROBOTS, "its robots.txt cannot be had", NOW + 3_600,
        ),
    ],
    ids=str,
)  # fmt: skip
def test_every_standing_has_its_words_and_its_clock(
    host: Host, at: float, word: Word, says: str, until: float | None
) -> None:
    stands = standing(host, at, POLICIES)
    assert (stands.word, stands.says, stands.until) == (word, says, until)


def test_the_delay_between_requests_is_no_trouble() -> None:
    paced = replace(after(Answered(NOW)), pace=Pace(next_at=NOW + 60))
    assert standing(paced, NOW, POLICIES).word is Word.OK


def test_the_breaker_tells_what_opened_it() -> None:
    assert standing(DOWN, NOW, POLICIES).because == "5 failures in a row, the last dns"


def test_complaints_in_a_row_are_counted() -> None:
    again = after(ToldToWait(NOW), host=WAITING, at=NOW + 61)
    assert standing(again, NOW + 62, POLICIES).because == "2 times in a row"


def test_a_host_slowed_to_less_than_our_own_delay_is_not_slowed() -> None:
    lazy = replace(POLICIES, pace=PacePolicy(delay=10.0))
    assert standing(WAITING, NOW + 60, lazy).word is Word.OK


def test_failures_leave_the_budget_with_time_and_with_a_lock_that_was_served() -> None:
    three = after(*[FailedWith(NOW, Fault.TOO_LARGE)] * 3)
    assert budget_used(three, NOW + 300, POLICIES) == 3
    assert budget_used(three, NOW + 301, POLICIES) == 0
    locked = after(*[FailedWith(NOW, Fault.TOO_LARGE)] * 3, host=three)
    assert budget_used(locked, NOW + 119, POLICIES) == 6
    assert budget_used(locked, NOW + 120, POLICIES) == 0


@pytest.mark.parametrize(
    ("seconds", "said"), [(30.0, "30 s"), (300.0, "5 min"), (90.0, "90 s"), (0.5, "0.5 s")]
)
def test_a_span_is_said_shortly(seconds: float, said: str) -> None:
    assert lasting(seconds) == said
