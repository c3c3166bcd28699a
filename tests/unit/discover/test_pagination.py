"""Are the pages of a listing told from ids, and its unknown ones guessed one at a time? (DISC-3)"""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tenax.discover.guess_policy import GuessPolicy
from tenax.discover.pagination import (
    between,
    beyond,
    is_listing,
    learn,
    merged,
    names_its_last,
    path_at,
    step,
)
from tenax.discover.sights import Result, Sight
from tenax.model import PageSeries, Role
from tenax.urls.paging import place_of, stem_of, turns

POLICY = GuessPolicy()
KEY = "/list?page={n}"


def page(number: int) -> str:
    return path_at(KEY, number)


def read(
    known: dict[str, PageSeries],
    path: str,
    *found: str,
    role: Role = Role.PAGE,
    result: Result = Result.READ,
    policy: GuessPolicy = POLICY,
) -> dict[str, PageSeries]:
    sight = Sight(path, role, result, brought=bool(found), found=found)
    return learn(known, sight, policy)


def guessed(
    known: dict[str, PageSeries], number: int, *found: str, result: Result = Result.READ
) -> PageSeries:
    sight = Sight(page(number), Role.PAGINATION, result, bool(found), found, was_asked=True)
    return learn(known, sight, POLICY)[KEY]


def listing(*numbers: int) -> dict[str, PageSeries]:
    """As a page without a number names it."""
    return read({}, "/list", *(page(number) for number in numbers))


@pytest.mark.parametrize(
    ("path", "key", "number"),
    [
        ("/list?page=2", "/list?page={n}", 2),
        ("/list?p=2", "/list?p={n}", 2),
        ("/list?sort=new&Page=12&view=all", "/list?sort=new&Page={n}&view=all", 12),
        ("/blog/page/3", "/blog/page/{n}", 3),
        ("/blog/page/3/", "/blog/page/{n}/", 3),
        ("/blog/page-3.html", "/blog/page-{n}.html", 3),
        ("/blog/Seite2", "/blog/Seite{n}", 2),
        ("/news/2025/03/page/2?view=all", "/news/2025/03/page/{n}?view=all", 2),
        ("/?paged=4", "/?paged={n}", 4),
    ],
)
def test_a_page_has_a_place(path: str, key: str, number: int) -> None:
    place = place_of(path)
    assert place is not None
    assert (place.key, place.number, place.is_offset) == (key, number, False)
    assert path_at(place.key, number) == path


@pytest.mark.parametrize("path", ["/l?start=20", "/l?offset=40", "/l?q=a&skip=0", "/l?from=100"])
def test_an_offset_has_a_place(path: str) -> None:
    place = place_of(path)
    assert place is not None
    assert place.is_offset


@pytest.mark.parametrize(
    "path",
    [
        "/", "/list", "/2024/", "/2024/03", "/product/1234", "/product-12.html", "/list/2",
        "/?p=1234", "/index.php?p=7", "/list?page=", "/list?page=two", "/list?page=02",
        "/list?page=123456789", "/list?homepage=2", "/page/2/comments", "/pages/7", "/page",
        "/list?page=2&offset=20", "/page/2?page=3", "/list?page={n}", "/list?page=2" + "x" * 1_000,
        "", "page=2", "/page/٣",
    ],
)  # fmt: skip
def test_anything_else_has_none(path: str) -> None:
    assert place_of(path) is None


@pytest.mark.parametrize("numbers", [(2,), (2, 3), (1, 2), (0, 1, 2), (2, 3, 37)])
def test_numbers_that_begin_at_the_start_and_follow_each_other_are_pages(
    numbers: tuple[int, ...],
) -> None:
    assert is_listing(listing(*numbers)[KEY])


@pytest.mark.parametrize("numbers", [(1,), (3,), (2, 37), (1234, 1235), (2023, 2024), (17, 23, 45)])
def test_other_numbers_may_be_ids(numbers: tuple[int, ...]) -> None:
    known = read(listing(*numbers), page(numbers[-1]), "/a")
    assert not is_listing(known[KEY])
    assert not between(known[KEY])
    assert beyond(known[KEY], POLICY) is None


@pytest.mark.parametrize(
    ("numbers", "by"),
    [
        ((24,), 24),
        ((0, 20), 20),
        ((20, 40), 20),
        ((20, 740), 20),
        ((11, 21, 31), 10),
        ((1, 11), 10),
    ],
)
def test_offsets_tell_their_step(numbers: tuple[int, ...], by: int) -> None:
    known = read({}, "/l", *(f"/l?start={number}" for number in numbers))["/l?start={n}"]
    assert step(known) == by
    assert is_listing(known)


@pytest.mark.parametrize("numbers", [(4,), (2024,), (3, 17), (20, 50), (100, 101), (117, 734)])
def test_other_offsets_tell_nothing(numbers: tuple[int, ...]) -> None:
    known = read({}, "/l", *(f"/l?from={number}" for number in numbers))["/l?from={n}"]
    assert not is_listing(known)


def test_a_second_page_alone_leads_to_a_third_once_it_was_read() -> None:
    """DISC-3: one link is enough (issue 17, 12); nothing is asked for before it proved good."""
    named = listing(2)
    assert beyond(named[KEY], POLICY) is None
    assert beyond(read(named, page(2), "/a")[KEY], POLICY) == 3


def test_pages_between_two_known_ones_are_proposed_at_once() -> None:
    assert list(between(listing(2, 3, 4, 9)[KEY])) == [5, 6, 7, 8]
    known = read({}, "/l", *(f"/l?start={number}" for number in (20, 40, 100)))
    assert list(between(known["/l?start={n}"])) == [60, 80]


def test_one_page_beyond_the_last_is_guessed_once_that_was_read() -> None:
    known = listing(2, 3)
    assert beyond(known[KEY], POLICY) is None
    known = read(known, page(3), "/a")
    assert beyond(known[KEY], POLICY) == 4


def test_a_last_page_that_brought_nothing_leads_nowhere() -> None:
    known = read(listing(2, 3), page(3))
    assert beyond(known[KEY], POLICY) is None


def test_success_guesses_the_next() -> None:
    known = read(listing(2, 3), page(3), "/a")
    after = guessed(known, 4, "/b")
    assert (after.high, after.beyond, after.missed) == (4, 1, ())
    assert beyond(after, POLICY) == 5


def test_not_for_ever() -> None:
    known = read(listing(2, 3), page(3), "/a")
    assert beyond(guessed(known, 4, "/b"), replace(POLICY, most_beyond=1)) is None


@pytest.mark.parametrize(
    ("result", "why"),
    [
        (Result.GONE, "page 4 is not there"),
        (Result.REPEATED, "page 4 repeats another"),
        (Result.READ, "page 4 brought nothing new"),
        (Result.REFUSED, "page 4 may not be asked for"),
    ],
)
def test_a_guess_that_brings_nothing_ends_it_for_good(result: Result, why: str) -> None:
    known = read(listing(2, 3, 4 + 5), page(3), "/a")
    after = guessed(known, 4, result=result)
    assert after.ended == why
    assert after.missed == (() if result is Result.REFUSED else (4,))
    later = read({KEY: after}, "/list", page(10), page(20))
    later = read(later, page(20), "/b")
    assert not between(later[KEY])
    assert beyond(later[KEY], POLICY) is None


def test_a_named_page_that_is_gone_ends_it() -> None:
    known = read(listing(2, 3), page(2), result=Result.GONE)
    assert known[KEY].ended == "page 2 is not there"
    assert known[KEY].missed == ()


def test_the_twin_of_the_first_page_does_not_end_it() -> None:
    known = read(listing(1, 2, 3), page(1), result=Result.REPEATED)
    assert not known[KEY].ended
    known = read(known, page(3), result=Result.REPEATED)
    assert known[KEY].ended == "page 3 repeats another"


def test_pages_that_name_their_next_need_no_guess() -> None:
    known = read(read({}, "/list", page(2)), page(2), "/a", page(3))
    assert is_listing(known[KEY])
    known = read(known, page(3), "/b")
    assert names_its_last(known[KEY])
    assert beyond(known[KEY], POLICY) is None


def test_a_first_page_that_names_the_first_few_leaves_the_rest_to_guesses() -> None:
    known = read({}, page(1), page(2), page(3))
    known = read(known, page(3), "/a")
    assert beyond(known[KEY], POLICY) == 4


def test_a_guess_that_was_known_already_is_as_good_as_read() -> None:
    known = read(listing(2, 3), page(3), "/a")
    assert beyond(guessed(known, 4, result=Result.KNOWN), POLICY) == 5
    assert guessed(known, 4, result=Result.KNOWN).beyond == 0


def test_a_guess_of_another_process_counts_once() -> None:
    known = read(listing(2, 3), page(3), "/a")
    known = read(known, page(4), "/b", role=Role.PAGINATION)
    assert known[KEY].beyond == 1
    again = read(known, page(4), "/c", role=Role.PAGINATION)
    assert again[KEY].beyond == 1


def test_nothing_new_is_the_same_object() -> None:
    known = read(listing(2, 3), page(3), "/a")
    assert read(known, "/a", "/b", "/c") is known
    assert read(known, page(3), "/d") is known


def test_lessons_are_kept_longest() -> None:
    policy = replace(POLICY, most_series=3)
    known = {KEY: guessed(read(listing(2, 3), page(3), "/a"), 4, result=Result.GONE)}
    for name in "abcdef":
        known = read(known, "/", f"/{name}?page=2", policy=policy)
    assert list(known) == [KEY, "/e?page={n}", "/f?page={n}"]


def test_two_views_know_together_what_each_knows() -> None:
    mine = guessed(read(listing(2, 3), page(3), "/a"), 4, result=Result.GONE)
    theirs = read(listing(2, 3, 9), page(2), "/a")[KEY]
    together = merged(mine, theirs)
    assert together == merged(theirs, mine)
    assert (together.high, together.ended, together.missed) == (9, "page 4 is not there", (4,))
    assert merged(listing(2)[KEY], listing(3)[KEY]).has_neighbours


@pytest.mark.parametrize(
    ("here", "there"),
    [
        ("/shop", "/shop?page=2"),
        ("/shop/", "/shop?page=2"),
        ("/shop?page=2", "/shop?page=3"),
        ("/shop?sort=a", "/shop?sort=a&page=2"),
        ("/shop?sort=a", "/shop?page=2&sort=a"),
        ("/shop/", "/shop/page/2/"),
        ("/shop/page/2/", "/shop/page/37/"),
        ("/", "/page/2"),
        ("/list", "/list?start=24"),
        ("/list?start=24", "/list?start=48"),
    ],
)
def test_a_page_is_turned(here: str, there: str) -> None:
    assert turns(here, there)
    assert there.startswith(stem_of(here))


@pytest.mark.parametrize(
    ("here", "there"),
    [
        ("/shop?page=3", "/shop?page=2"),
        ("/shop", "/other?page=2"),
        ("/shop?sort=a", "/shop?page=2"),
        ("/shop?page=2", "/shop?page=3&sort=a"),
        ("/shop", "/shop/thing"),
        ("/2025/03/", "/2025/04/"),
    ],
)
def test_other_links_turn_no_page(here: str, there: str) -> None:
    assert not turns(here, there)
