"""Is what somebody wants of a site held to what rules may say, and told what to do instead?"""

from __future__ import annotations

import pytest

from tenax.jobs.revisit_policy import RecrawlPolicy
from tenax.model import SiteRules
from tenax.ops.sites.wishes import SiteProblem, make_rules, read_wishes


def typed(*wishes: str) -> SiteRules | SiteProblem:
    wanted = read_wishes(wishes, lambda: "from stdin")
    if isinstance(wanted, SiteProblem):
        return wanted
    return make_rules("A.example", wanted, RecrawlPolicy(), strict=False)


def test_every_kind_of_key_can_be_typed() -> None:
    assert typed(
        "delay=2.5", "concurrency=3", "force_https=false", "exclude=*/a,b/*", "exclude=*/c/*",
        "headers.X-Key=a=b", "cookies.session=-", "render=never", "priority=2", "parser=generic",
    ) == SiteRules(
        "a.example", delay=2.5, concurrency=3, force_https=False, exclude=("*/a,b/*", "*/c/*"),
        headers={"X-Key": "a=b"}, cookies={"session": "from stdin"}, render="never", priority=2,
        parser="generic",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("wish", "told"),
    [
        ("dleay=5", "unknown key 'dleay'. Did you mean 'delay'?"),
        ("zzz=5", "unknown key 'zzz'. Use headers, cookies"),
        ("delay", "write KEY=VALUE"),
        ("delay=-1", "must be at least 0 seconds"),
        ("delay=soon", "must be a number, at least 0 seconds"),
        ("priority=11", "use 1 to 10"),
        ("concurrency=0", "must be at least 1"),
        ("force_https=perhaps", "use true or false"),
        ("render=perhaps", "use always, auto or never"),
        ("robots_on_error=maybe", "use allow or disallow"),
        ("interval=1", "recrawl.shortest"),
        ("parser=amazom", "Did you mean 'amazon'?"),
        ("exclude=re:(", "not a regular expression"),
        ("headers.A B=c", "a header needs a name"),
        ("cookies.a=b;c", "without semicolon"),
        ("headers=c", "headers.NAME=VALUE"),
        ("delay.x=1", "has nothing below it"),
    ],
)
def test_what_cannot_be_is_told_with_what_to_do(wish: str, told: str) -> None:
    problem = typed(wish)
    assert isinstance(problem, SiteProblem)
    assert told in problem.told


def test_a_key_is_given_once() -> None:
    assert typed("delay=1", "delay=2") == SiteProblem("delay", "given twice.")
