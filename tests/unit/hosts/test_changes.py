"""Is it told when a host is treated otherwise, once, and until when?"""

from __future__ import annotations

from random import Random

from tenax.hosts import conduct
from tenax.hosts.changes import TreatmentChange, host_changes, incidents
from tenax.hosts.conduct import HostPolicies
from tenax.hosts.signs import Answered, FailedWith, Probed, Sign, ToldToWait, WalledOff
from tenax.model import Fault, Host, IncidentKind

POLICIES = HostPolicies()
NOW = 1_790_000_000.0


def told(*signs: Sign) -> list[tuple[TreatmentChange, float]]:
    """What is told of a host that did this, a second apart, with when it may be asked again."""
    host, found, now = Host("a.example", "https://a.example"), [], NOW
    for sign in signs:
        now = max(now + 1.0, sign.started)
        after = conduct.learn(host, sign, now, POLICIES, Random(0))
        found += [(each.what, each.until) for each in host_changes(host, after, POLICIES)]
        host = after
    return found


def test_nothing_is_told_of_a_host_that_answers() -> None:
    assert told(*[Answered(NOW)] * 5) == []


def test_a_breaker_opens_half_opens_and_closes() -> None:
    failures: list[Sign] = [FailedWith(NOW + n, Fault.CONNECT_TIMEOUT) for n in range(5)]
    opened = NOW + 5.0 + POLICIES.breaker.backoffs[0]
    back: list[Sign] = [Probed(opened + 1.0), Answered(opened + 3.0)]
    assert told(*failures, *back) == [
        (TreatmentChange.BREAKER_OPENED, opened),
        (TreatmentChange.BREAKER_HALF_OPEN, opened),
        (TreatmentChange.BREAKER_CLOSED, 0.0),
    ]


def test_a_spent_budget_is_told_when_it_locks_the_host() -> None:
    mixed = [s for n in range(6) for s in (FailedWith(NOW + n, Fault.TOO_LARGE), Answered(NOW + n))]
    found = told(*mixed)
    assert [what for what, _ in found] == [TreatmentChange.BUDGET_SPENT]
    assert found[0][1] > NOW + POLICIES.budget.lock


def test_a_wall_and_a_complaint_are_told() -> None:
    (walled,) = told(WalledOff(NOW))
    assert walled == (TreatmentChange.COOLDOWN_BEGUN, NOW + 1.0 + POLICIES.cooldown.seconds)
    ((what, until),) = told(ToldToWait(NOW, 60.0))
    assert what is TreatmentChange.THROTTLED
    assert until >= NOW + 60.0


def test_a_breaker_that_closed_and_opened_anew_between_two_records_is_told() -> None:
    """Commits compare what stood in the ledger with what stands after several visits."""
    host, now = Host("a.example", "https://a.example"), NOW
    records = []
    for _ in range(2):
        for _ in range(POLICIES.breaker.failures):
            now += 1.0
            sign = FailedWith(now, Fault.CONNECT_TIMEOUT)
            host = conduct.learn(host, sign, now, POLICIES, Random(0))
        records.append((host, now))
        now += POLICIES.breaker.backoffs[-1]
        for good in (Probed(now), Answered(now), Answered(now)):
            host = conduct.learn(host, good, now, POLICIES, Random(0))
    (first, _), (second, then) = records
    assert [each.kind for each in incidents(first, second, then, POLICIES)] == [
        IncidentKind.BREAKER
    ]
