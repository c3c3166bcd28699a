"""What does the trap map of a host tell, of which kinds, and why do they wait? (URL-6)"""

from __future__ import annotations

from tenax.crawl.traps.judgement import TrapPolicy
from tenax.ops.hosts.shapes import DeferralBudget, HostShape, mapped
from tenax.ports import ShapeCounts
from tenax.ports.overview import SampledUrl, ShapesAt

POLICY = TrapPolicy()
GOOD = ShapeCounts(visits=40, good=38, judged=20, fruitful=18, worded=18)
BARREN = ShapeCounts(visits=20, good=1, late=6, judged=20, fruitful=1, idle=19)


def put_off(number: int, shape: str) -> SampledUrl:
    return SampledUrl(f"https://a.example/{number}", shape, "deferred: for a reason", deferred=True)


def told(*places: ShapesAt, deferred: bool | None = None) -> list[HostShape]:
    return mapped(places, POLICY, deferred=deferred).shapes


def test_kinds_are_told_by_visits_with_why_they_wait() -> None:
    urls = tuple(SampledUrl(f"https://a.example/p/{n}", "/p/N") for n in range(9))
    place = ShapesAt("shop", {"/cal/N": BARREN, "/p/N": GOOD}, (put_off(1, "/cal/N"), *urls))
    good, barren = told(place)
    assert (good.shape, good.visits, good.fruitless, good.why, good.deferred) == (
        "/p/N", 40, 2, "", 0
    )  # fmt: skip
    assert good.examples == tuple(f"https://a.example/p/{n}" for n in range(3))
    assert barren.why.startswith("/cal/N: lately 19 visits brought nothing new")
    assert (barren.judged, barren.fruitful, barren.late, barren.deferred) == (20, 1, 6, 1)
    assert barren.examples == ("https://a.example/1",)
    assert [each.shape for each in told(place, deferred=True)] == ["/cal/N"]
    assert [each.shape for each in told(place, deferred=False)] == ["/p/N"]


def test_what_was_put_off_unseen_is_told_with_the_reason_that_it_was_given() -> None:
    (unseen,) = told(ShapesAt("shop", {}, (put_off(1, "/x?sort"), put_off(2, "/x?sort"))))
    assert (unseen.shape, unseen.visits, unseen.deferred) == ("/x?sort", 0, 2)
    assert unseen.why == "for a reason"


def test_a_url_of_which_nothing_was_counted_is_no_kind() -> None:
    assert told(ShapesAt("shop", {}, (SampledUrl("https://a.example/x", "/W"),))) == []


def test_each_job_has_a_budget_of_its_own() -> None:
    places = [ShapesAt("one", {"/cal/N": BARREN}, ()), ShapesAt("two", {"/p/N": GOOD}, ())]
    found = mapped(places, POLICY)
    assert found.budgets == [DeferralBudget("one", 200, 6), DeferralBudget("two", 200, 0)]
    assert [(each.job, each.shape) for each in found.shapes] == [("two", "/p/N"), ("one", "/cal/N")]
    assert found.is_whole


def test_urls_of_made_up_folders_are_shown_for_what_they_are_counted_as() -> None:
    counts = {f"/made{chr(97 + n // 8)}{chr(97 + n % 8)}/N": BARREN for n in range(64)}
    urls = (SampledUrl("https://a.example/another/7", "/another/N"),)
    (shown,) = [
        each for each in told(ShapesAt("shop", {**counts, "/W/N": BARREN}, urls)) if each.examples
    ]
    assert (shown.shape, shown.examples) == ("/W/N", ("https://a.example/another/7",))
