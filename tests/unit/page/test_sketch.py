"""Do pages share in their sketches what they share in words? (URL-6)"""

from __future__ import annotations

from tenax.page.sketch import sketch

STORY = "The bell rang from the old mill before the farmer came up with a wagon full of plums."
OTHER = "Nobody at the harbour wanted pumpkins when the market boat finally put in with apples."


def test_the_same_words_are_known_again_wherever_they_stand() -> None:
    assert set(sketch(STORY)) <= set(sketch(f"{OTHER}\n{STORY}\n{OTHER}"))


def test_other_words_are_not() -> None:
    assert len(set(sketch(STORY)) & set(sketch(OTHER))) <= 1


def test_figures_make_no_difference() -> None:
    assert sketch("Events of 2026/11, page 3 of 17") == sketch("Events of 2031/02, page 5 of 9")


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
