"""What becomes of proposed URLs, whatever has been forgotten meanwhile? (URL-4, FR-8)"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tenax.crawl.admit import Admission
from tenax.crawl.settle import Admitted
from tenax.model import (
    Candidate,
    Copy,
    Directives,
    Fault,
    Job,
    JobSpec,
    JobState,
    LeasedTarget,
    Page,
    Reason,
    ScopeKind,
    Target,
)
from tenax.outcome import NEVER, Evidence, Failed, Garbage, Gone, Read, Waiting
from tenax.ports import ShapeBook, ShapeCounts
from tenax.urls.addresses import AddressRules
from tenax.urls.decide import Door
from tenax.urls.priority import ASKED, GRANTED, deferred

NOW = 1_790_000_000.0
HOME = "https://a.example/"


def admission(**spec: object) -> Admission:
    chosen = JobSpec(seeds=(HOME,), **spec)  # type: ignore[arg-type]  # fields of the spec
    job = Job(1, "job", JobState.RUNNING, chosen, NOW)
    return Admission(job, Door(chosen, AddressRules(()), NOW))


def page(url: str, *hrefs: str, nofollow: bool = False) -> Page:
    directives = Directives(nofollow=nofollow)
    return Page(url, 200, "text/html", b"", NOW, base=url, links=hrefs, directives=directives)


def offer(to: Admission, url: str, *hrefs: str, depth: int = 0) -> Admitted:
    return to.offer_page(page(url, *hrefs), depth, found_on=1)


def found(offered: Admitted) -> list[str]:
    return [target.url for target in offered.found]


def test_links_are_resolved_and_one_deeper_than_their_page() -> None:
    offered = offer(admission(), f"{HOME}dir/page", "x", "/y", "?q=1", depth=2)
    assert found(offered) == [f"{HOME}dir/x", f"{HOME}y", f"{HOME}dir/page?q=1"]
    assert {target.depth for target in offered.found} == {3}
    assert {target.found_on for target in offered.found} == {1}


def test_spellings_of_one_url_are_found_once() -> None:
    offered = offer(admission(), HOME, "/x", "x", "./x", f"{HOME}x#part", "https://A.example/x")
    assert found(offered) == [f"{HOME}x"]
    assert offered.rejected == {}


def test_what_was_offered_once_is_known() -> None:
    door = admission()
    offer(door, HOME, "/x")
    assert offer(door, HOME, "/x", "x").rejected == {Reason.KNOWN: 2}


@pytest.mark.parametrize(
    ("one", "href", "other", "other_href"),
    [
        ("https://a.example/x/p", "/y", "https://a.example/q", "https://a.example/x//y"),
        ("https://a.example/x/p", "/y", "https://a.example/x//p", "y"),
        ("https://a.example/p", "//b.example/y", "https://a.example//p", "/b.example/y"),
    ],
)
def test_different_urls_are_never_taken_for_one_another(
    one: str, href: str, other: str, other_href: str
) -> None:
    """A site with double slashes must not lose pages to the memory of spellings."""
    door = admission()
    offer(door, one, href)
    offer(door, one, href)
    assert found(offer(door, other, other_href)) == found(offer(admission(), other, other_href))


def test_a_page_that_asks_for_it_has_none_of_its_links_followed() -> None:
    door = admission()
    offered = door.offer_page(page(HOME, "/x", "/y", nofollow=True), 0, 1)
    assert (offered.found, offered.rejected) == ((), {Reason.NOFOLLOW: 2})


def test_a_nofollow_link_does_not_spoil_the_same_link_elsewhere() -> None:
    door = admission()
    asked = replace(page(HOME), links=("/x",), unfollowed=frozenset({"/x"}))
    assert door.offer_page(asked, 0, 1).rejected == {Reason.NOFOLLOW: 1}
    assert found(offer(door, HOME, "/x")) == [f"{HOME}x"]


def test_a_link_too_deep_here_may_be_found_nearer() -> None:
    door = admission(max_depth=3)
    assert offer(door, HOME, "/x", depth=3).rejected == {Reason.TOO_DEEP: 1}
    assert found(offer(door, HOME, "/x", depth=1)) == [f"{HOME}x"]


def test_refusals_are_counted_alike_the_first_and_the_second_time() -> None:
    door = admission()
    links = ("https://b.example/", "mailto:x@a.example", "/x.zip", "http://")
    first, second = offer(door, HOME, *links), offer(door, HOME, *links)
    assert first.rejected == second.rejected
    assert sum(first.rejected.values()) == 4


def test_what_depends_on_the_moment_is_kept_for_explaining() -> None:
    trap = "/a/a/a/a/a/a/a/a"
    offered = offer(admission(), HOME, trap)
    assert offered.rejected == {Reason.TRAP: 1}
    assert offered.kept == ((f"{HOME}{trap[1:]}", Reason.TRAP),)


def test_of_what_is_refused_each_url_is_an_example_once() -> None:
    door = admission()
    # From folders of their own: no spelling is remembered.
    offers = [offer(door, f"{HOME}{n}/", "https://b.example/", f"https://{n}.example/")
              for n in range(30)]  # fmt: skip
    kept = [url for each in offers for url, _ in each.kept]
    assert len(kept) == len(set(kept)) == 20
    assert sum(each.rejected[Reason.OUT_OF_SCOPE] for each in offers) == 60, "all are counted"


def test_of_what_is_not_to_be_followed_there_are_examples() -> None:
    door = admission()
    whole = door.offer_page(page(f"{HOME}dir/", "x", nofollow=True), 0, found_on=1)
    single = replace(page(HOME, "/y", "/z"), unfollowed=frozenset({"/y", "/z"}))
    mixed = door.offer_page(replace(single, links=("/y", "/z", "/taken")), 0, found_on=1)
    assert whole.kept == ((f"{HOME}dir/x", Reason.NOFOLLOW),)
    assert mixed.kept == tuple((f"{HOME}{name}", Reason.NOFOLLOW) for name in "yz")
    assert found(mixed) == [f"{HOME}taken"]
    assert door.offer_page(single, 0, found_on=1).kept == (), "each once"


BARREN = {"/cal/N": ShapeCounts(visits=30, judged=30, idle=30)}
CAL = f"{HOME}cal/2050"


def test_what_is_taken_for_a_trap_is_taken_all_the_same_and_waits() -> None:
    door = admission(max_depth=100)
    door.traps.hear("a.example", BARREN)
    ranks = {t.url: t.priority for t in offer(door, HOME, "/cal/2050", "/about", depth=3).found}
    assert ranks == {CAL: deferred(4), f"{HOME}about": 5}


def test_what_was_found_before_its_like_were_judged_is_put_off_until_all_else_was_visited() -> None:
    door = admission(max_depth=100)
    early = LeasedTarget(99, 1, f"{HOME}cal/2050", 3, 5, 0)
    assert door.reconsider(early, NOW) is None
    door.traps.hear("a.example", BARREN)
    put_off = door.reconsider(early, NOW)
    assert isinstance(put_off, Waiting)
    assert (put_off.until, put_off.priority) == (NOW, deferred(3))
    late = replace(early, priority=deferred(3))
    assert door.reconsider(late, NOW) is None, "its turn has come, and there is budget"
    assert door.reconsider(replace(early, url=f"{HOME}about"), NOW) is None
    assert door.reconsider(replace(early, depth=0), NOW) is None, "a person asked for a seed"
    assert door.reconsider(replace(early, copy=Copy("")), NOW) is None, "what is there is renewed"


def test_when_the_budget_is_spent_it_is_left_unless_somebody_asks() -> None:
    door = admission(max_depth=100)
    spent = ShapeCounts(visits=230, judged=30, idle=30, late=200, looked=60, added=60)
    door.traps.hear("a.example", {"/cal/N": spent})
    late = LeasedTarget(99, 1, CAL, 3, deferred(3), 0)
    left = door.reconsider(late, NOW)
    assert isinstance(left, Waiting)
    assert (left.until, left.shape) == (NEVER, "/cal/N")
    assert left.why == "deferred: /cal/N: lately 30 visits brought nothing new"
    door.traps.learn("a.example", ShapeBook({"/cal/N": spent}), NOW)
    assert all(door.reconsider(late, NOW) == left for _ in range(64))
    assert door.traps.is_due("a.example", NOW), "should it come back, the ledger knows better"
    assert door.reconsider(replace(late, priority=ASKED), NOW) is None
    granted = replace(late, priority=GRANTED)
    assert door.reconsider(granted, NOW) == left, "there was some, when it was granted"
    door.traps.hear("a.example", {"/cal/N": replace(spent, late=199)})
    assert door.reconsider(late, NOW) is None
    door.traps.hear("a.example", {"/cal/N": replace(spent, late=199, added=50)})
    assert door.reconsider(late, NOW) == left, "what does not lead on waits for the end"
    assert door.reconsider(granted, NOW) is None


def test_those_begun_at_once_keep_to_the_budget_together() -> None:
    door = admission(max_depth=100)
    nearly = ShapeCounts(visits=228, judged=30, idle=30, late=198, looked=60, added=60)
    door.traps.hear("a.example", {"/cal/N": nearly})
    one, two, three = (
        LeasedTarget(id, 1, f"{HOME}cal/{2000 + id}", 3, deferred(3), 0) for id in (1, 2, 3)
    )

    def may_begin(target: LeasedTarget) -> bool:
        return door.reconsider(target, NOW) is None

    assert [may_begin(one), may_begin(two)] == [True, True]
    assert not may_begin(three), "two were left"
    assert may_begin(two), "that it is asked about again takes nothing more"
    door.weigh(two, Waiting(NOW, "its host is away"), Admitted())
    assert may_begin(three), "the second one was not made"
    door.weigh(one, Gone(404), Admitted())
    assert not may_begin(two), "the first was made, and is not counted yet"
    door.traps.hear("a.example", {"/cal/N": replace(nearly, visits=229, late=199)})
    assert not may_begin(two), "now it is counted, and only once"
    door.weigh(three, Waiting(NOW, "its host is away"), Admitted())
    assert may_begin(two)


def test_of_what_has_proved_good_most_visits_are_evidence_for_nothing() -> None:
    door = admission(max_depth=100)
    proved = ShapeCounts(visits=99, good=99, judged=30, fruitful=30, worded=30, looked=30)
    door.traps.hear("a.example", {"/news/N": proved})

    def weighed(*links: str) -> list[int]:
        told = []
        for n in range(100):
            visited = LeasedTarget(99, 1, f"{HOME}news/{n}", 3, 5, 0)
            said = f"kettle{chr(97 + n // 10)}{chr(97 + n % 10)}"
            read = replace(page(visited.url), links=links, sample=said.encode())
            evidence = door.weigh(visited, Read(read), door.offer_page(read, 3, 1))
            told.append(0 if evidence is None else evidence.times)
        return told

    told = weighed("/about")
    assert set(told) == {0, 16}
    assert told.count(16) < 15
    door.traps.hear("a.example", {"/news/N": replace(proved, met=9)})
    visited = next(n for n, times in enumerate(told) if not times)
    for links, is_heard in ((("/one",), False), (("/two", "/three"), True)):
        read = replace(page(f"{HOME}news/{visited}"), links=links, sample=b"lantern")
        target = LeasedTarget(99, 1, read.url, 3, 5, 0)
        heard = door.weigh(target, Read(read), door.offer_page(read, 3, 1))
        assert (heard is not None and bool(heard.said)) is is_heard, "its views may be among them"


def test_of_what_is_no_page_an_end_is_evidence_and_an_error_dressed_as_success() -> None:
    door = admission(max_depth=100)
    visited = LeasedTarget(99, 1, f"{HOME}cal/2050", 3, 5, 0)
    soft = door.weigh(visited, Garbage("soft_404", ""), Admitted())
    assert soft == Evidence("/cal/N", judged=True, looked=True, copy=True)
    assert door.weigh(visited, Gone(404), Admitted()) is None, "nobody asks for an end"
    grows = ShapeCounts(visits=9, looked=9, grew=9)
    door.traps.hear("a.example", {"/cal/N": grows})
    assert door.weigh(visited, Gone(404), Admitted()) == Evidence("/cal/N", looked=True)
    other = replace(visited, url=f"{HOME}about/1")
    assert door.weigh(other, Gone(404), Admitted()) is None
    assert door.weigh(visited, Garbage("challenge", ""), Admitted()) is None
    door.traps.hear("a.example", BARREN)
    late = replace(visited, priority=deferred(3))
    spent = door.weigh(late, Garbage("too_short", ""), Admitted())
    assert spent == Evidence("/cal/N", looked=True, late=True), "the budget pays for it"
    failed = door.weigh(late, Failed(Fault.RESET, ""), Admitted())
    assert failed == Evidence("/cal/N", late=True), "and for that"


def test_a_crowd_of_one_shape_lets_other_shapes_go_first() -> None:
    door = admission()
    crowd = offer(door, HOME, *(f"/list?page={n}&x=1" for n in range(80)), "/rare")
    priorities = {target.url: target.priority for target in crowd.found}
    assert priorities[f"{HOME}list?page=79&x=1"] > priorities[f"{HOME}rare"]
    assert priorities[f"{HOME}list?page=79&x=1"] > priorities[f"{HOME}list?page=0&x=1"]


def test_a_seed_or_a_move_is_offered_by_itself() -> None:
    door = admission()
    assert [t.url for t in door.offer(Candidate(HOME)).found] == [HOME]
    moved = door.offer(Candidate("https://b.example/", depth=1, found_on=1))
    assert moved.rejected == {Reason.OUT_OF_SCOPE: 1}


paths = st.sampled_from(["/", "/x", "/x/", "/x//", "/x//y", "/y", "/x/y", "//a.example/y"])
bases = st.sampled_from([f"https://a.example{p}" for p in ("/", "/x", "/x/", "/x//", "/x/y")])
spellings = st.one_of(
    paths,
    st.sampled_from(["x", "y", "../y", "./", "?q", "http://b.example/", "/a.zip"]),
    paths.map(lambda path: f"https://a.example{path}"),
)
steps = st.lists(
    st.tuples(bases, st.lists(spellings, min_size=1, max_size=4)),
    min_size=3,
    max_size=12,
)


@given(steps)
@settings(max_examples=100)
def test_no_memory_ever_loses_a_url(steps: list[tuple[str, list[str]]]) -> None:
    """Whatever was seen before, a URL not offered yet is offered, and nothing else is."""
    door = admission(scope=ScopeKind.HOST)
    ledger: set[bytes] = set()
    for base, hrefs in steps:
        offered = offer(door, base, *hrefs)
        verdicts = [door.door.decide(Candidate(href, base, 1, found_on=1)) for href in hrefs]
        fresh = {verdict.key for verdict in verdicts if isinstance(verdict, Target)}
        assert {target.key for target in offered.found} == fresh - ledger
        ledger |= {target.key for target in offered.found}
