"""RFC 9651: values as they stand in HTTP fields."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tenax.fetch.bot_auth.structured_fields import Bare, bare, dictionary, inner_list, item
from tests.verifier import Reader


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("", '""'),
        ("plain", '"plain"'),
        ('a "quoted" \\ path', '"a \\"quoted\\" \\\\ path"'),
        (0, "0"),
        (-7, "-7"),
        (999_999_999_999_999, "999999999999999"),
        (b"", "::"),
        (b"pretend this is binary content.", ":cHJldGVuZCB0aGlzIGlzIGJpbmFyeSBjb250ZW50Lg==:"),
        (True, "?1"),
        (False, "?0"),
    ],
)
def test_a_value_has_one_spelling(value: Bare, written: str) -> None:
    assert bare(value) == written


@pytest.mark.parametrize("value", ["caf\u00e9", "two\nlines", "\x7f", 10**15, -(10**15)])
def test_what_has_no_spelling_is_refused(value: Bare) -> None:
    with pytest.raises(ValueError, match="structured field"):
        bare(value)


@pytest.mark.parametrize("key", ["", "Upper", "1st", "-x", "a b", "k\u00e9y"])
def test_a_key_that_is_none_is_refused(key: str) -> None:
    with pytest.raises(ValueError, match="key of a structured field"):
        dictionary({key: "1"})
    with pytest.raises(ValueError, match="key of a structured field"):
        item("a", {key: 1})


def test_parameters_follow_their_value_and_true_is_left_out() -> None:
    assert item("@authority", {"req": True}) == '"@authority";req'
    assert item("x", {"a": False, "b": 2}) == '"x";a=?0;b=2'
    assert inner_list([item("a"), item("b")], {"created": 1}) == '("a" "b");created=1'
    assert inner_list([], {}) == "()"
    assert dictionary({"a": item(1), "b": item("x")}) == 'a=1, b="x"'


@given(st.text(alphabet=st.characters(min_codepoint=32, max_codepoint=126)))
@settings(deadline=None)
def test_a_string_reads_back_as_written(text: str) -> None:
    assert Reader(bare(text)).bare() == text
