"""Are all words of a text found at once, and the same ones either way?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenax.page.for_sale.needles import Needles
from tests.either_way import compiled, in_python, required

pytestmark = pytest.mark.usefixtures("either_way")


def test_every_word_that_is_there_is_found_once() -> None:
    needles = Needles(["to cart", "cart", "basket", "ca"])
    assert needles.within("Add to cart, to cart") == [0, 1, 3]
    assert needles.within(b"A BASKET") == [2]
    assert needles.within("car") == [3]
    assert needles.within("") == []


def test_words_of_other_scripts_are_found_as_they_are_written() -> None:
    needles = Needles(["корзин", "köp nu"])
    assert needles.within("в корзину") == [0]
    assert needles.within("KöP NU") == [1]
    assert needles.within("KÖP NU") == []


def test_a_text_that_is_no_text_is_searched_all_the_same() -> None:
    assert Needles(["cart"]).within("\ud800 cart") == [0]


WORDS = st.lists(st.text("abcé", min_size=2, max_size=5), max_size=20)


@given(words=WORDS, text=st.text("aAbBcCéÉ\ud800", max_size=40))
def test_what_is_compiled_finds_what_python_finds(words: list[str], text: str) -> None:
    if not required():
        return
    with compiled():
        one = Needles(words).within(text)
    with in_python():
        assert Needles(words).within(text) == one


@pytest.mark.parametrize("words", [["a"], ["a" * 201]])
def test_what_is_compiled_refuses_words_it_cannot_look_for(words: list[str]) -> None:
    if required():
        with compiled(), pytest.raises(ValueError, match="needle"):
            Needles(words).within("a")
