"""Which hosts are named in the metrics? The worst, while they are in trouble."""

from __future__ import annotations

from random import Random

from tenax.crawl.observe.troubled_hosts import NAMED, TroubledHosts
from tenax.hosts import conduct
from tenax.hosts.breaker import Circuit
from tenax.hosts.conduct import HostPolicies
from tenax.hosts.signs import Answered, FailedWith
from tenax.model import Fault, Host

POLICIES = HostPolicies()
NOW = 1_790_000_000.0


def test_of_many_hosts_in_trouble_only_the_worst_are_named() -> None:
    hosts = TroubledHosts()
    for n in range(3 * NAMED):
        host = Host(f"{n}.example", "")
        for _ in range(n + 1):
            sign = FailedWith(NOW, Fault.CONNECT_TIMEOUT)
            host = conduct.learn(host, sign, NOW, POLICIES, Random(0))
        hosts.heard(host)
    worst = hosts.worst(NOW)
    assert [each.name for each in worst] == [f"{n}.example" for n in range(29, 19, -1)]
    assert worst[0].circuit is Circuit.OPEN
    assert worst[0].backoff == POLICIES.breaker.backoffs[0]
    assert hosts.circuits(NOW) == {Circuit.OPEN: 26, Circuit.HALF_OPEN: 0}


def test_a_host_whose_trouble_is_over_is_forgotten() -> None:
    hosts = TroubledHosts()
    host = Host("a.example", "")
    failed = conduct.learn(host, FailedWith(NOW, Fault.RESET), NOW, POLICIES, Random(0))
    hosts.heard(failed)
    assert [each.name for each in hosts.worst(NOW)] == ["a.example"]
    hosts.heard(conduct.learn(failed, Answered(NOW + 1), NOW + 1, POLICIES, Random(0)))
    assert hosts.worst(NOW) == []
