"""Which kinds of URLs wait until all else was visited, by what was counted of them? (URL-6)"""

from __future__ import annotations

from random import Random
from string import ascii_letters

import pytest
from msgspec.structs import replace

from tenax.crawl.traps.judgement import TrapPolicy, TrapStanding
from tenax.ports import ShapeCounts

POLICY = TrapPolicy()
PATIENCE, ENDLESS = POLICY.patience, POLICY.endless


def brought(judged: int, fruitful: int = 0, idle: int | None = None) -> ShapeCounts:
    """The fruitful ones came first, unless it is said how many were in vain since."""
    last = judged - fruitful if idle is None else idle
    return ShapeCounts(visits=judged, good=fruitful, judged=judged, fruitful=fruitful, idle=last)


def named(looked: int, grew: int, met: int = 0) -> ShapeCounts:
    return ShapeCounts(visits=looked, good=looked, looked=looked, grew=grew, met=met)


def standing(counts: dict[str, ShapeCounts], policy: TrapPolicy = POLICY) -> TrapStanding:
    made = TrapStanding(policy)
    made.hear(counts)
    return made


STATES = {
    "nothing is known": ({}, "/a/N", False),
    "barren": ({"/a/N": brought(PATIENCE)}, "/a/N", True),
    "barren, though it was good": ({"/a/N": brought(64, 64 - PATIENCE)}, "/a/N", True),
    "the last brought something": ({"/a/N": brought(64, 1, idle=0)}, "/a/N", False),
    "too few in a row": ({"/a/N": brought(64, 8, idle=PATIENCE - 1)}, "/a/N", False),
    "another folder": ({"/a/N": brought(PATIENCE)}, "/b/N", False),
    "another kind in the folder": ({"/a/N": brought(4 * PATIENCE)}, "/a/W", False),
    "kin, tried three times": (
        {"/a/N": brought(2 * PATIENCE - 3), "/a/W": brought(3)}, "/a/W", True,
    ),
    "kin, tried twice": ({"/a/N": brought(2 * PATIENCE), "/a/W": brought(2)}, "/a/W", False),
    "kin, of few in vain": (
        {"/a/N": brought(2 * PATIENCE - 4), "/a/W": brought(3)}, "/a/W", False,
    ),
    "kin that brought something": (
        {"/a/N": brought(3 * PATIENCE), "/a/W": brought(9, 1, idle=2)}, "/a/W", False,
    ),
    "kin of what is good": (
        {"/a/N": brought(PATIENCE, PATIENCE), "/a/W": brought(3)}, "/a/W", False,
    ),
    "many combinations, none of them often": (
        {f"/?{n}": brought(3) for n in range(PATIENCE)}, "/?7", True,
    ),
    "many small folders, tried three times": (
        {f"/f{chr(97 + n)}/N": brought(4) for n in range(16)} | {"/b/N": brought(4)}, "/b/N", True,
    ),
    "small folders, of few in vain": (
        {f"/f{n}/N": brought(4) for n in range(PATIENCE - 1)} | {"/b/N": brought(3)}, "/b/N", False,
    ),
    "endless": ({"/a/N": named(ENDLESS, ENDLESS)}, "/a/N", True),
    "endless, and so are its kin": ({"/a/N": named(ENDLESS, ENDLESS)}, "/a/S", True),
    "endless, though a few have ends": ({"/a/N": named(ENDLESS, 9 * ENDLESS // 10)}, "/a/N", True),
    "growing, as all do at first": ({"/a/N": named(ENDLESS - 1, ENDLESS - 1)}, "/a/N", False),
    "a tree: half of it are ends": ({"/a/N": named(ENDLESS, ENDLESS // 2)}, "/a/N", False),
    "a web: they name the same": ({"/a/N": named(ENDLESS, ENDLESS, 20)}, "/a/N", False),
    "a large one: now and then one does": ({"/a/N": named(96, 96, 1)}, "/a/N", False),
    "one does, of three kinds of a maze": (
        {f"/a/{kind}": named(96, 96, kind == "N") for kind in "NWS"}, "/a/N", True,
    ),
    "endless in a folder": (
        {"/a/N": named(ENDLESS // 2, ENDLESS // 2), "/a/W": named(ENDLESS, ENDLESS)},
        "/a/N", True,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("counts", "shape", "waits"), STATES.values(), ids=STATES)
def test_what_waits(counts: dict[str, ShapeCounts], shape: str, waits: bool) -> None:
    assert bool(standing(counts).why_deferred(shape)) is waits


def test_it_says_by_which_figures() -> None:
    waste = standing({"/a/N": brought(40, 2)}).why_deferred("/a/N")
    assert waste == "/a/N: lately 38 visits brought nothing new"
    growth = standing({"/a/N": named(200, 190, 1)}).why_deferred("/a/N")
    assert growth.startswith("/a/: of the last 200 visits 190 named more like it, and 1 any")


def test_folders_that_a_site_makes_up_are_judged_together() -> None:
    """Three visits of each, and each names more folders."""
    made_up = {f"/f{chr(97 + n)}/N": named(3, 3) for n in range(ENDLESS // 3 - 1)}
    assert standing(made_up).why_deferred("/new/N") == ""
    made = standing(made_up | {"/ga/N": named(5, 5)})
    assert made.why_deferred("/fa/N").startswith("folders with few visits: of the last 47 visits")
    assert made.why_deferred("/new/N"), "nor is one that nobody has been to any better"


def test_a_small_folder_with_an_end_does_not_wait_with_them() -> None:
    made_up = {f"/f{chr(97 + n)}/N": named(8, 8) for n in range(20)}
    made = standing(made_up | {"/about/N": named(8, 1)})
    assert made.why_deferred("/fa/N")
    assert made.why_deferred("/about/N") == ""


def test_folders_without_number_are_counted_by_their_kind() -> None:
    made = standing({f"/f{a}{b}/N": brought(1) for a in "abcdefgh" for b in "abcdefgh"})
    assert made.name("/faa/N") == "/faa/N", "the first are known by name"
    assert made.name("/zzz/N") == "/W/N"


def test_what_brings_something_again_waits_no_longer() -> None:
    made = standing({"/a/N": brought(PATIENCE), "/b/N": named(ENDLESS, ENDLESS)})
    made.hear({"/a/N": brought(PATIENCE + 1, 1, idle=0), "/b/N": named(ENDLESS + 80, ENDLESS)})
    assert made.why_deferred("/a/N") == made.why_deferred("/b/N") == ""


def test_one_way_or_another_the_judgement_is_the_same() -> None:
    """A function of the counts: it does not matter who heard them when."""
    counts = {
        "/a/N": brought(PATIENCE), "/a/W": brought(3), "/b/N": named(ENDLESS, ENDLESS),
        **{f"/f{n}/N": named(30, 30) for n in "vwxyz"},
    }  # fmt: skip
    at_once, one_by_one = standing(counts), TrapStanding(POLICY)
    for shape in reversed(counts):
        one_by_one.hear({shape: brought(1)})
        one_by_one.hear({shape: counts[shape]})
    for shape in counts:
        assert one_by_one.why_deferred(shape) == at_once.why_deferred(shape) != ""
    assert one_by_one.may_still_visit() == at_once.may_still_visit()


def test_whatever_was_counted_the_judgement_is_that_of_all_heard_at_once() -> None:
    """What is summed up as it comes is the same as if it was summed up in the end."""
    for seed in range(40):
        dice = Random(seed)
        shapes = [
            f"/{folder}/{kind}" for folder in ascii_letters[:24] for kind in ("N", "W", "S?a")
        ]
        heard = TrapStanding(POLICY)
        for _ in range(30):
            heard.hear({shape: _any(dice) for shape in dice.sample(shapes, dice.randrange(1, 9))})
        at_once = standing(heard.counts)
        heard.rates.clear()
        assert heard == at_once, seed


def _any(dice: Random) -> ShapeCounts:
    looked, judged = dice.randrange(97), dice.randrange(65)
    return ShapeCounts(
        visits=judged, good=dice.randrange(99), late=dice.randrange(9), judged=judged,
        wordless=judged // 2, fruitful=judged // 3, worded=dice.choice((0, judged // 3)),
        idle=dice.choice((0, 0, 2, 4, 20, 70)), looked=looked,
        grew=dice.choice((looked, looked // 3)), met=dice.choice((0, 1, looked // 4)), added=looked,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("good", "late", "left"),
    [(0, 0, 200), (0, 150, 50), (0, 999, 0), (2_000, 150, 50), (10_000, 150, 850)],
)
def test_a_host_has_a_budget_for_what_waits(good: int, late: int, left: int) -> None:
    """At least 200 requests, and a tenth of what brought something."""
    made = standing({"/a/N": ShapeCounts(good=good), "/b/N": ShapeCounts(late=late)})
    assert made.may_still_visit() == left


def visited(looked: int, added: int, **more: int) -> ShapeCounts:
    """In vain, all of them."""
    fields = {"idle": PATIENCE, "judged": PATIENCE, "looked": looked, "added": added, **more}
    return ShapeCounts(visits=looked, **fields)


def test_the_budget_is_for_what_leads_on() -> None:
    made = standing({"/a/N": visited(40, 40), "/b/N": visited(40, 30), "/b/W": visited(5, 0)})
    assert made.leads_on("/a/N")
    assert not made.leads_on("/b/N"), "each takes one, and adds less"
    assert [made.may_visit(shape) for shape in ("/a/N", "/b/N")] == [True, False]
    assert made.may_visit("/b/W"), "a few visits are due to each, to know it"
    made.hear({"/a/N": visited(40, 40, late=200)})
    assert [made.may_visit(shape) for shape in ("/a/N", "/b/W")] == [False, False]
    assert not standing({"/b/W": visited(5, 0)}, TrapPolicy(budget=0)).may_visit("/b/W")


def test_views_of_pages_that_are_there_are_not_worth_the_budget() -> None:
    made = standing({"/a/N": visited(40, 40, copied=7), "/b/N": visited(40, 40, copied=6)})
    assert [made.copies(shape) for shape in ("/a/N", "/b/N", "/new/N")] == [True, False, False]
    assert not made.may_visit("/a/N")


def test_what_leads_on_and_waits_is_open_and_so_is_what_was_cut() -> None:
    made = standing({
        "/month/N": visited(40, 80), "/day/N": visited(40, 3), "/deep/N": visited(40, 80, cut=1),
    })  # fmt: skip
    assert made.is_open("/month/N", {"/month/"})
    assert not made.is_open("/month/N", {"/day/"}), "nothing of it waits"
    assert not made.is_open("/day/N", {"/day/"}), "it does not lead on"
    assert made.is_open("/deep/N", ())
    assert made.is_open("/new/N", {"/new/"}), "of which nothing is known"


def test_more_are_let_go_at_once_the_more_are_known() -> None:
    made = standing({"/a/N": visited(300, 0)})
    assert (made.at_once("/new/N"), made.at_once("/a/N")) == (50, 150)


def told(wordless: int, worded: int = 0, added: int = 0) -> ShapeCounts:
    """All of them have brought figures at least."""
    counted = min(64, wordless + worded)
    return ShapeCounts(
        visits=wordless + worded, wordless=wordless, judged=counted, fruitful=counted,
        worded=worded, looked=64, added=added,
    )  # fmt: skip


FIGURES = {
    "a lattice": ({"/a/N": told(110, added=70)}, "/a/N", True),
    "as every shop at first": ({"/a/N": told(109, added=70)}, "/a/N", False),
    "a catalogue, named by a page": ({"/a/N": told(900)}, "/a/N", False),
    "days that weeks lead on to": (
        {"/day/N": told(90), "/week/N": told(20, added=500)}, "/day/N", True,
    ),
    "figures and words": ({"/a/N": told(56, 8, added=70)}, "/a/N", False),
    "words beside them": (
        {"/a/N": told(110, added=70), "/b/N": told(4, 60, added=70)}, "/b/N", False,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("counts", "shape", "waits"), FIGURES.values(), ids=FIGURES)
def test_figures_that_lead_on_wait(counts: dict[str, ShapeCounts], shape: str, waits: bool) -> None:
    assert bool(standing(counts).why_deferred(shape)) is waits


def test_a_chance_meeting_of_small_folders_is_no_web() -> None:
    made_up = {f"/f{chr(97 + n)}/N": named(3, 3) for n in range(20)}
    assert standing(made_up | {"/fa/N": named(3, 3, 1)}).why_deferred("/fa/N")
    assert not standing({shape: named(3, 3, 1) for shape in made_up}).why_deferred("/fa/N")


def test_of_choices_that_were_made_in_vain_no_other_combination_is_tried() -> None:
    made = standing({f"/W?{names}": brought(PATIENCE) for names in ("a", "b", "a,b", "a,c")})
    assert made.why_deferred("/W?b,c") == "/W?: lately 56 visits brought nothing new"
    assert made.why_deferred("/W?b,c,x") == "", "of what is chosen by x nothing is known"
    assert made.why_deferred("/x/W?b,c") == ""
    made.hear({"/W?b,c": brought(1, 1)})
    assert made.why_deferred("/W?b,c") == "", "it brought something"
    made.hear({"/W?a": brought(PATIENCE, 0, idle=PATIENCE - 1)})
    assert made.why_deferred("/W?c") == "", "not so many were in vain"


def test_a_few_pages_of_an_endless_folder_are_not_what_has_no_end() -> None:
    made = standing({"/a/S": named(ENDLESS, ENDLESS), "/a/W/N": named(PATIENCE - 1, PATIENCE - 1)})
    assert made.why_deferred("/a/W/N")
    assert made.is_of_the_maze("/a/S")
    assert not made.is_of_the_maze("/a/W/N")
    assert not made.is_of_the_maze("/b/N")
    made_up = standing({f"/f{chr(97 + n)}/N": named(3, 3) for n in range(ENDLESS)})
    assert made_up.is_of_the_maze("/fa/N"), "there each has a few"


def test_ends_are_seen_where_as_many_pages_end_as_branch() -> None:
    """Of a tree half of the pages name two, and half none; of a row each names one."""
    tree, row = visited(60, 60, grew=30, late=200), visited(60, 60, late=200)
    pit = visited(60, 160, grew=40, late=200)
    assert standing({"/a/N": tree}).closes("/a/N")
    assert not standing({"/a/N": row}).closes("/a/N"), "it may go on for ever"
    assert not standing({"/a/N": pit}).closes("/a/N"), "a third are ends, and there is ever more"
    assert not standing({"/a/N": tree}).may_visit("/a/N"), "that is left to what is bought"


def test_visits_beyond_the_budget_are_for_what_leads_on_by_its_path() -> None:
    row = visited(60, 60, late=200)
    assert standing({"/a/N": row}).may_buy("/a/N")
    assert not standing({"/a/N": visited(60, 30, late=200)}).may_buy("/a/N"), "it does not lead on"
    assert not standing({"/a?n": row}).may_buy("/a?n"), "choices are combined, and have ends, too"
    assert not standing({"/a/N": replace(row, copied=PATIENCE)}).may_buy("/a/N")


def test_what_runs_out_pays_for_more_visits() -> None:
    made = standing({})
    assert made.bought(24, 18, 0, closes=False) == PATIENCE, "so many at once"
    assert made.bought(24, 22, 32, closes=False) == 8, "28, and 6 for each that fewer wait"
    assert made.bought(24, 22, 40, closes=False) == 0, "they are spent"
    assert made.bought(24, 0, 99, closes=False) == 1
    assert made.bought(24, 0, 100, closes=False) == 0, "half a budget, and no more"
    assert made.bought(24, 24, 20, closes=False) == 8, "as many wait as ever: a few more are tried"
    assert made.bought(24, 24, 28, closes=False) == 0
    assert made.bought(392, 315, 0, closes=False) == 0, "more wait than could be paid for"
    assert standing({}, TrapPolicy(budget=0)).bought(24, 0, 0, closes=True) == 0


def test_what_has_ends_is_visited_whole_unless_ever_more_waits() -> None:
    made = standing({})
    assert made.bought(400, 300, 9_999, closes=True) == 4_999, "a quarter is gone"
    assert made.bought(400, 380, 0, closes=True) == PATIENCE, "that it becomes fewer is tried"
    assert made.bought(400, 301, 100, closes=True) == 0, "half a budget for that, and no more"
    assert made.bought(400, 400, 0, closes=True) == 0, "a maze most of whose pages branch"


def test_the_budget_is_what_the_settings_say() -> None:
    policy = TrapPolicy(budget=5, share=0.5)
    assert standing({}, policy).may_still_visit() == 5
    assert standing({"/a/N": ShapeCounts(good=40, late=3)}, policy).may_still_visit() == 17
    # No budget at all: a trap costs what it takes to know it.
    assert standing({}, TrapPolicy(budget=0)).may_still_visit() == 0


def test_what_was_heard_twice_is_not_added_twice() -> None:
    made = standing({"/a/N": ShapeCounts(late=20)})
    made.hear({"/a/N": ShapeCounts(late=20)})
    assert made.late == 20


def test_what_has_proved_good_need_not_be_judged_each_time() -> None:
    good = ShapeCounts(judged=PATIENCE, fruitful=PATIENCE, worded=PATIENCE)
    assert standing({"/a/N": good}).is_proved("/a/N")
    assert standing({"/a/N": good}).is_proved("/a/W"), "by those of its folder"
    assert not standing({"/a/N": good, "/a/W": brought(1)}).is_proved("/a/W"), "till it fails"
    assert standing({"/a/N": good}).is_proved("/b/N"), "by those of folders with few visits"
    assert not standing({"/a/N": replace(good, looked=ENDLESS)}).is_proved("/b/N")
    assert not standing({"/a/N": good, "/c/N": brought(3)}).is_proved("/b/N")
    few = ShapeCounts(judged=PATIENCE - 1, fruitful=PATIENCE - 1, worded=PATIENCE - 1)
    assert not standing({"/a/N": few}).is_proved("/a/N")
    figures = ShapeCounts(judged=64, fruitful=64)
    assert not standing({"/a/N": figures}).is_proved("/a/N"), "by figures nothing is"


def test_what_is_known_to_meet_need_not_be_looked_at_each_time() -> None:
    assert not standing({}).is_known_to_meet("/a/N")
    assert standing({"/a/N": named(40, 40, 20)}).is_known_to_meet("/a/W"), "nor its kin"
    assert not standing({"/a/N": named(40, 40, 3)}).is_known_to_meet("/a/N")


def test_a_few_visits_show_what_is_poor() -> None:
    assert standing({"/a/N": brought(6)}).is_poor("/a/N")
    assert not standing({"/a/N": brought(5)}).is_poor("/a/N")
    assert not standing({"/a/N": brought(60, 30, idle=5)}).is_poor("/a/N")


def test_small_folders_are_akin_and_large_ones_are_not() -> None:
    made = standing({"/a/N": named(ENDLESS, 0), "/b/N": named(ENDLESS - 1, 0)})
    assert made.is_akin("/a/N", "/a/W")
    assert made.is_akin("/b/N", "/new/W")
    assert not made.is_akin("/a/N", "/b/N")
    assert not made.is_akin("/new/N", "/a/N")


def test_large_folders_that_grow_are_akin_when_they_are_made_alike() -> None:
    made = standing({f"/{name}/N": named(ENDLESS, ENDLESS) for name in "ab"})
    assert made.is_akin("/a/N", "/b/N")
    assert made.is_akin("/a/N", "/new/N")
    assert not made.is_akin("/a/N", "/b/W")
    made = standing({"/tr/de/W/S": named(ENDLESS, ENDLESS), "/tr/fr/W/*": named(ENDLESS, ENDLESS)})
    assert made.is_akin("/tr/de/W/S", "/tr/fr/W/*"), "both are in one folder"


def test_what_each_page_has_for_itself_is_no_more_of_the_same() -> None:
    """To share it, to log in and come back: another one for each article."""
    assert not standing({}).is_akin("/a/S", "/W?return")
    grows = standing({"/a/S": named(9, 9), "/W?return": named(ENDLESS, ENDLESS)})
    assert not grows.is_akin("/a/S", "/W?return")
