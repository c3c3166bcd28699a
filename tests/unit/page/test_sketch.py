"""Do pages share in their sketches what they share in words? (URL-6)"""

from __future__ import annotations

from array import array
from itertools import product

import pytest

from tenax.page.rules import SAYS_BITS, SAYS_FIGURES
from tenax.page.sketch import figures as figures_of
from tenax.page.sketch import heard_first, pack, prose, sample, unpack, word_hash
from tenax.page.sketch import sketch as sketch_of
from tenax.page.text import written

pytestmark = pytest.mark.usefixtures("either_way")

STORY = "The bell rang from the old mill before the farmer came up with a wagon full of plums."
OTHER = "Nobody at the harbour wanted pumpkins when the market boat finally put in with apples."


def sketch(text: str, *own: str) -> tuple[int, ...]:
    return told(sketch_of(sample(written(text)), pack(word_hash(word) for word in own)))


def told(packed: bytes) -> tuple[int, ...]:
    return tuple(unpack(packed))


def words(*said: str, figures: bool = False) -> set[int]:
    """As they stand in a sketch, which tells words with figures from others."""
    return {word_hash(word) & ~SAYS_BITS | (SAYS_FIGURES if figures else 0) for word in said}


def test_the_same_words_are_known_again_wherever_they_stand() -> None:
    assert set(sketch(STORY)) <= set(sketch(f"{OTHER}\n{STORY}\n{OTHER}"))


def test_other_words_are_not() -> None:
    assert len(set(sketch(STORY)) & set(sketch(OTHER))) <= 1


def test_a_short_line_is_heard_word_by_word() -> None:
    """What combines a few words, as filters do, is soon known."""
    assert set(sketch("Red shirts, large")) == words("red", "shirts", "large")
    known = set(sketch("Red shirts")) | set(sketch("Large hats"))
    assert set(sketch("LARGE (red) hats")) <= known


def test_words_that_are_joined_are_as_many_as_they_are() -> None:
    """Names of files that combine a few words: doorways for every trade in every town."""
    known = set(sketch("Baker miller")) | set(sketch("Harbour town"))
    assert set(sketch("miller-in-harbour_town+baker")) <= known
    assert set(sketch("2026-beta img_1234 -x-")) == {*sketch("2026-beta"), *sketch("img_1234")}


def test_what_is_heard_first_is_new_once() -> None:
    known = array("I", (0,)) * 8
    assert told(heard_first(known, pack((8, 13, 0xFFFFFFFF)), 5)) == (8, 13, 0xFFFFFFFF)
    assert told(heard_first(known, pack((8, 14, 0xFFFFFFFF)), 5)) == (14,)
    assert known.tolist() == [0, 0, 0xFFFFFFFF, 0, 0, 0, 14, 8]
    assert told(heard_first(known, pack((13,)), 5)) == (13,), "14 has taken its place"


def test_words_figures_and_prose_are_told_apart() -> None:
    plain, numbers, story = pack(sketch("Red shirts")), pack(sketch("1.5 2.5 3.5")), sketch(STORY)
    assert (figures_of(plain), prose(plain)) == (0, b"")
    assert figures_of(numbers) == 4, "three, and the row of them"
    assert prose(numbers) == b""
    assert told(prose(pack(story))) == story
    priced = sketch(f"{STORY} 17.50")
    assert len({*priced} - {*told(prose(pack(priced)))}) == 1


def test_a_long_line_is_heard_by_its_wording() -> None:
    assert not set(sketch(STORY)) & words("bell", "farmer", "wagon", "plums")
    mixed = " ".join(reversed(STORY.split()))
    assert set(sketch(mixed)) != set(sketch(STORY))


@pytest.mark.parametrize("figure", ["17.50", "7", "-3.1", "img_1234", "€20", "1,013", "x2"])
def test_a_word_with_figures_counts_by_itself(figure: str) -> None:
    """A price, a number of an article, a measurement: in prose, too."""
    for text in (f"It costs {figure} today", f"{STORY} {figure} {OTHER}"):
        assert words(figure.strip("-"), figures=True) <= set(sketch(text))
        assert figures_of(pack(words(figure, figures=True))) == 1


@pytest.mark.parametrize(
    "moment", ["2026-11-17", "17/11/2026", "17.11.2026", "10:30", "10:30:59", "2026-11-17T10:30"]
)
def test_a_date_and_a_time_of_day_do_not(moment: str) -> None:
    for text in (f"Made {moment} here", f"{STORY}\n{moment}\n{OTHER}"):
        assert sketch(text) == sketch(text.replace(moment, ""))


def test_of_two_letters_no_word_is_heard() -> None:
    assert sketch("Mo Tu We Th Fr") == ()


@pytest.mark.parametrize("text", ["Shirts in teal", f"{STORY} teal {OTHER}", "No. 77 teal"])
def test_own_words_are_not_heard(text: str) -> None:
    """Of a page whose URL has them: what it says besides is the same as without."""
    assert sketch(text, "teal") == sketch(text.replace(" teal", ""))
    assert sketch("Teal 77", "teal", "77") == ()


def test_a_line_without_its_own_words_may_be_a_short_one() -> None:
    long = "Everything about Constantinopolitanism in general terms"
    assert set(sketch(long, "constantinopolitanism")) == words(
        "everything", "about", "general", "terms"
    )


def test_measurements_differ_by_their_figures() -> None:
    one = sketch("Weather\n00:00 12.4 1013 57\n01:00 11.9 1012 61\n02:00 11.2 1009 66")
    other = sketch("Weather\n00:00 -3.1 998 80\n01:00 -2.5 997 84\n02:00 -2.0 995 91")
    assert len(set(one) - set(other)) > 4


def test_numbers_in_a_row_count_together() -> None:
    """A table has no other words, and few figures: which stand together is what it says."""
    known = set(sketch("and\n1.5\n2.5\n3.5\n4.5\n12°C"))
    assert not set(sketch("3.5\n2.5\n1.5")) <= known
    assert set(sketch("2.5\n3.5\n4.5")) <= known
    assert set(sketch("2.5\n3.5\nand\n1.5")) <= known, "a word stands between them"


def test_names_with_figures_are_no_row_and_end_one() -> None:
    """A list in another order, or another choice from it, says nothing new."""
    known = set(sketch("thing-1\nthing-2\nthing-3\n1.5\n2.5"))
    assert set(sketch("thing-3\nthing-1\nthing-2\n2.5\nthing-1\n1.5\n2.5")) <= known


def test_words_of_its_own_end_a_row() -> None:
    """A map says where it is in its title, and again in its heading."""
    known = set(sketch("47.5\n10.9"))
    assert set(sketch("Map 47.5 10.9\nMap 47.5 10.9", "map")) <= known


def test_a_calendar_is_soon_known() -> None:
    """Names of months, days, years: a dozen words and some figures."""
    known = set(sketch("November 2026\n" + "\n".join(map(str, range(1, 32)))))
    assert set(sketch("November 2027\n" + " ".join(map(str, range(1, 29))), "2027")) <= known


@pytest.mark.parametrize("names", [("Tent", "Knife", "Boots", "Lamp"), ("A warm jacket", "A cap")])
def test_wares_in_another_order_are_known(names: tuple[str, ...]) -> None:
    wares = [f"{name} {n * 37 + 129}.{n * 10 + 65}" for n, name in enumerate(names)]
    assert set(sketch("\n".join(wares))) == set(sketch("\n".join(reversed(wares))))


def test_layout_makes_no_difference() -> None:
    assert sketch(STORY.replace(" ", "  \t")) == sketch(STORY)


def test_of_a_long_text_beginning_middle_and_end_are_kept_in_whole_words() -> None:
    filler = " lorem ipsum dolor sit amet" * 400 + " "
    kept = sample(written(STORY + filler + OTHER))
    assert len(kept) <= 2_402
    assert kept.startswith(b"The bell rang")
    assert kept.endswith(b"apples.")
    assert set(kept.decode().split()) <= {*STORY.split(), *OTHER.split(), *filler.split()}
    plain = set(sketch(filler))
    for text in (STORY + filler, filler + STORY, filler + STORY + filler):
        assert set(sketch(text)) - plain


def test_a_short_text_is_kept_whole() -> None:
    assert sample(written(STORY)) == written(STORY)
    assert sample(b"") == b""


def test_there_are_only_so_many_hashes_in_order() -> None:
    plain = ["".join(letters) for letters in product("abcdefg", repeat=3)]
    found = sketch("\n".join(plain))
    assert len(found) == 256
    assert list(found) == sorted(set(found))
    assert found == tuple(sorted(words(*plain))[:256])
    assert len(sketch("1.5 2.5 3.5 4.5")) == 6, "four, and every three of them together"


def test_hashes_are_packed_and_unpacked() -> None:
    assert unpack(pack((0, 7, 0xFFFFFFFF))) == [0, 7, 0xFFFFFFFF]
    assert unpack(b"") == []


def test_no_text_has_no_sketch() -> None:
    assert sketch("") == sketch(" \n\t ") == sketch("- | *\n...") == ()


def test_any_text_can_be_sketched() -> None:
    assert sketch("日本語のページです。港のあさ。" * 5)
    assert sketch("\udcff broken")
