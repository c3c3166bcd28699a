"""Which rules apply to a host, and which of several decides? (HOST-7)"""

from __future__ import annotations

import pytest

from tenax.model import Candidate, JobSpec, Reason, Rejected, SiteRules, Target
from tenax.urls.addresses import AddressRules
from tenax.urls.decide import Door
from tenax.urls.sites import Sites, spelled, wrong_rules

NOW = 1_790_000_000.0
HOME = "https://a.example/"


def test_a_host_without_rules_has_none() -> None:
    site = Sites((SiteRules("a.example", delay=3.0),)).of("b.example")
    assert (site.decided, site.rules.delay) == ({}, None)


@pytest.mark.parametrize(
    ("host", "delay"),
    [
        ("a.b.example", 1.0),  # by name
        ("a.b.example:8080", 2.0),  # by name and port
        ("c.b.example", 3.0),  # by the longer pattern
        ("c.example", 4.0),
        ("c.example:444", 5.0),  # a pattern with a port before one without
        ("elsewhere.org", 6.0),
    ],
)
def test_the_most_specific_pattern_decides_whatever_the_order(host: str, delay: float) -> None:
    rules = (
        SiteRules("*", delay=6.0),
        SiteRules("*.example", delay=4.0),
        SiteRules("*.example:444", delay=5.0),
        SiteRules("a.b.example", delay=1.0),
        SiteRules("*.b.example", delay=3.0),
        SiteRules("a.b.example:8080", delay=2.0),
    )
    for order in (rules, rules[::-1]):
        assert Sites(order).of(host).rules.delay == delay


def test_each_key_is_decided_for_itself() -> None:
    sites = Sites(
        (SiteRules("*.example", delay=3.0, render="never"), SiteRules("a.example", delay=1.0))
    )
    site = sites.of("a.example")
    assert (site.rules.delay, site.rules.render) == (1.0, "never")
    assert [site.decided[key].rules.host for key in ("delay", "render")] == [
        "a.example",
        "*.example",
    ]


def test_of_equal_patterns_the_ledgers_counts_and_a_more_specific_one_of_the_settings_before() -> (
    None
):
    sites = Sites((SiteRules("a.example", delay=1.0), SiteRules("*.org", delay=2.0, priority=3)))
    sites.heed(1, [SiteRules("*.example", delay=9.0), SiteRules("*.org", delay=8.0)])
    assert sites.of("a.example").rules.delay == 1.0
    assert (sites.of("a.org").rules.delay, sites.of("a.org").rules.priority) == (8.0, 3)
    assert sites.of("a.org").decided["delay"].told == "site rule *.org (ledger)"


def test_what_is_off_may_be_said_of_one_host_of_many() -> None:
    sites = Sites((SiteRules("*", force_https=True), SiteRules("a.example", force_https=False)))
    assert (sites.of("a.example").rules.force_https, sites.of("b").rules.force_https) == (
        False,
        True,
    )


def test_news_of_the_ledger_hold_at_once_and_replace_what_it_said() -> None:
    sites = Sites()
    assert sites.of("a.example").rules.delay is None
    sites.heed(1, [SiteRules("a.example", delay=5.0)])
    assert sites.of("a.example").rules.delay == 5.0
    sites.heed(2, [])
    assert (sites.of("a.example").rules.delay, bool(sites), sites.version) == (None, False, 2)


def test_patterns_are_spelled_as_hosts_are() -> None:
    assert spelled("*.MÜLLER.de") == "*.xn--mller-kva.de"
    assert Sites((SiteRules("Shop.EXAMPLE", delay=2.0),)).of("shop.example").rules.delay == 2.0


@pytest.mark.parametrize(
    ("rules", "key"),
    [
        (SiteRules("http://a.example/"), "host"),
        (SiteRules("a.example", exclude=("re:(",)), "exclude"),
        (SiteRules("a.example", include=("re:[",)), "include"),
        (SiteRules("a.example", headers={"X Key": "v"}), "headers"),
        (SiteRules("a.example", headers={"X-Key": "v\r\nHost: b"}), "headers"),
        (SiteRules("a.example", cookies={"a": "b; c=d"}), "cookies"),
    ],
)
def test_what_cannot_be_meant_is_told(rules: SiteRules, key: str) -> None:
    wrong = wrong_rules(rules)
    assert wrong is not None
    assert wrong[0] == key


def door(sites: Sites, **spec: tuple[str, ...]) -> Door:
    return Door(JobSpec(seeds=(HOME,), **spec), AddressRules(), NOW, sites)  # type: ignore[arg-type]


def test_the_door_names_the_rule_that_excludes() -> None:
    sites = Sites((SiteRules("*.example", exclude=("*/private/*",)),))
    refused = door(sites).follow("https://a.example/private/1", 1, 1)
    told = "matches exclude */private/* of the site rule *.example (settings)"
    assert refused == Rejected("https://a.example/private/1", Reason.EXCLUDED, told)
    assert f"excluded: refused, {told}" in door(sites).explain(Candidate(refused.url))


def test_what_a_site_includes_binds_besides_what_the_job_does_and_not_seeds() -> None:
    at_door = door(Sites((SiteRules("a.example", include=("*/p/*",)),)), include=("*1",))
    taken = [f"{HOME}p/1", f"{HOME}p/2", f"{HOME}q/1"]
    verdicts = [isinstance(at_door.follow(url, 1, 1), Target) for url in taken]
    assert verdicts == [True, False, False]
    assert isinstance(at_door.decide(Candidate(HOME)), Target)


def test_a_door_decides_by_the_rules_of_now() -> None:
    sites = Sites()
    at_door = door(sites)
    url = f"{HOME}tag/1"
    assert isinstance(at_door.follow(url, 1, 1), Target)
    sites.heed(1, [SiteRules("a.example", exclude=("*/tag/*",))])
    assert isinstance(at_door.follow(url, 1, 1), Rejected)
    assert isinstance(at_door.decide(Candidate(url)), Rejected)
    sites.heed(2, [])
    assert isinstance(at_door.follow(url, 1, 1), Target)


def test_a_site_says_how_soon_its_urls_are_visited_unless_a_caller_does() -> None:
    at_door = door(Sites((SiteRules("a.example", priority=9),)))
    link, called = at_door.follow(f"{HOME}x", 1, 1), at_door.decide(Candidate(HOME, priority=3))
    assert isinstance(link, Target)
    assert isinstance(called, Target)
    assert (link.priority, called.priority) == (9, 3)
