"""Is each thing that closes a host told once, when it begins? And nothing else."""

from __future__ import annotations

from random import Random

from msgspec.structs import replace

from tenax.hosts import conduct
from tenax.hosts.changes import incidents, is_troubled
from tenax.hosts.conduct import HostPolicies
from tenax.hosts.signs import Answered, FailedWith, Sign, ToldToWait, TurnedAway
from tenax.model import Fault, Host, IncidentKind

POLICIES = HostPolicies()
HOST = Host("a.example", "https://a.example", 1)


def told(signs: list[Sign], step: float = 1.0) -> list[tuple[int, IncidentKind]]:
    """What is told after which of these."""
    host, now, found = HOST, 1_000.0, []
    for number, sign in enumerate(signs):
        after = conduct.learn(host, replace(sign, started=now), now, POLICIES, Random(1))
        new = incidents(host, after, now, POLICIES)
        assert all(each.until is not None and each.until > now for each in new)
        found += [(number, each.kind) for each in new]
        host, now = after, now + step
    return found


def test_a_host_that_answers_has_no_incidents() -> None:
    assert told([Answered(0.0)] * 20) == []
    assert not is_troubled(HOST)
    assert is_troubled(replace(HOST, paused=True))


def test_a_host_that_tells_us_to_wait_is_one_incident() -> None:
    wait = ToldToWait(0.0, 120.0)
    assert told([Answered(0.0), wait, Answered(0.0)]) == [(1, IncidentKind.SILENCE)]


def test_the_breaker_opens_once_for_a_row_of_failures() -> None:
    failures: list[Sign] = [FailedWith(0.0, Fault.SERVER_ERROR)] * POLICIES.breaker.failures
    found = told(failures)
    kinds = [kind for _, kind in found]
    assert kinds.count(IncidentKind.BREAKER) == 1
    assert found[-1][0] == len(failures) - 1


def test_a_host_that_turns_us_away_cools_down() -> None:
    refusals: list[Sign] = [TurnedAway(0.0)] * POLICIES.cooldown.refusals
    assert IncidentKind.COOLDOWN in [kind for _, kind in told(refusals)]
