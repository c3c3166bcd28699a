"""Do pages share in their sketches what they share in words? (URL-6)"""

from __future__ import annotations

import pytest

from tenax.page.sketch import sketch as sketch_of
from tenax.page.text import written

pytestmark = pytest.mark.usefixtures("either_way")

STORY = "The bell rang from the old mill before the farmer came up with a wagon full of plums."
OTHER = "Nobody at the harbour wanted pumpkins when the market boat finally put in with apples."


def sketch(text: str) -> tuple[int, ...]:
    return sketch_of(written(text))


def test_the_same_words_are_known_again_wherever_they_stand() -> None:
    assert set(sketch(STORY)) <= set(sketch(f"{OTHER}\n{STORY}\n{OTHER}"))


def test_other_words_are_not() -> None:
    assert len(set(sketch(STORY)) & set(sketch(OTHER))) <= 1


def test_figures_make_no_difference() -> None:
    assert sketch("Events of 2026/11, page 3 of 17") == sketch("Events of 2031/02, page 5 of 9")


def test_figures_count_in_a_text_that_is_made_of_them() -> None:
    """Measurements differ in nothing else."""
    one = sketch("Weather\n00:00 12.4 1013 57\n01:00 11.9 1012 61\n02:00 11.2 1009 66")
    other = sketch("Weather\n00:00 -3.1 998 80\n01:00 -2.5 997 84\n02:00 -2.0 995 91")
    assert len(set(one) - set(other)) > 4
    assert len(set(sketch("4 8 15 21 33 42")) - set(sketch("3 11 19 28 37 45"))) > 2


def test_decimals_count_where_there_are_more_of_them_than_in_prose() -> None:
    said = "Open {} USD\nHighest price {} USD\nLowest price {} USD\nAt the close {} USD"
    one = sketch(said.format("182.15", "184.26", "180.93", "181.18"))
    other = sketch(said.format("171.40", "177.25", "170.02", "176.91"))
    assert len(set(other) - set(one)) == 4
    assert sketch(said.format(182, 184, 181, 190)) == sketch(said.format(171, 177, 170, 176))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "November 2026\nMo Tu We\n1 2 3 4 5 6 7\n8 9 10 11 12 13 14\n15 16 17",
            "November 2027\nMo Tu We\n5 6 7 8 9 10 11\n12 13 14 15 16 17 18",
        ),
        ("2026-11-17\n2026-11-18\n2026-11-19", "2030-02-04\n2030-02-05\n2030-02-06"),
        ("Free: 09:00 09:30 10:00 14:30", "Free: 11:00 12:30 13:00 17:30"),
        (
            "On Tuesday 17.11 doors open at 10.30, on Friday 20.11 they do not open until 19.45",
            "On Tuesday 24.02 doors open at 18.50, on Friday 27.02 they do not open until 17.30",
        ),
        (
            "What is on in the month 11.2026, in the month 12.2026, and in the month 01.2027",
            "What is on in the month 02.2031, in the month 03.2031, and in the month 04.2031",
        ),
        ("Page 3 4 5 6 7 8", "Page 71 72 73 74 75 76"),
        ("46 9 10 11 12 13 14 15\n47 16 17 18 19 20", "1 4 5 6 7 8 9 10\n2 11 12 13 14 15"),
    ],
)
def test_what_counts_on_and_tells_the_time_is_no_news(one: str, other: str) -> None:
    assert len(set(sketch(other)) - set(sketch(one))) <= 2


@pytest.mark.parametrize("names", [("Tent", "Knife", "Boots", "Lamp"), ("A warm jacket", "A cap")])
def test_wares_in_another_order_are_known_by_their_prices(names: tuple[str, ...]) -> None:
    wares = [f"{name} {n * 37 + 129}.{n * 10 + 65}" for n, name in enumerate(names)]
    assert set(sketch("\n".join(wares))) == set(sketch("\n".join(reversed(wares))))


def test_layout_makes_no_difference() -> None:
    assert sketch(STORY.replace(" ", "  \t")) == sketch(STORY)


def test_a_long_text_is_heard_at_its_beginning_middle_and_end() -> None:
    filler = "lorem ipsum dolor sit amet " * 400
    plain = set(sketch(filler))
    for text in (STORY + filler, filler + STORY, filler + STORY + filler):
        assert set(sketch(text)) - plain
    assert len(sketch(STORY * 1_000)) < 300


def test_no_text_has_no_sketch() -> None:
    assert sketch("") == sketch(" \n\t 12 ") == ()


def test_any_text_can_be_sketched() -> None:
    assert sketch("日本語のページです。港のあさ。" * 5)
    assert sketch("\udcff broken")
