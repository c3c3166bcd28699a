"""What does a query mean, and what is shown of what it found?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenax.ops.search.query import QueryError, parse
from tenax.ops.search.snippets import snippet
from tenax.page.wording import fold, spaced, words_of
from tenax.ports.search import Query, Span, Words

DAY = 86_400.0
NEW_YEAR = 1_767_225_600.0


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("", Query()),
        ("Tea pot", Query((Words(("tea",)), Words(("pot",))))),
        ('"Tea Pot"', Query((Words(("tea", "pot")),))),
        ('"tea pot', Query((Words(("tea", "pot")),))),
        ("tea-pot", Query((Words(("tea", "pot")),))),
        ("-tea", Query(none_of=(Words(("tea",)),))),
        ('-"tea pot" x', Query((Words(("x",)),), (Words(("tea", "pot")),))),
        ("title:Größe", Query((Words(("grosse",), "title"),))),
        ("host:A.example", Query(equal={"host": ("a.example",)})),
        ("site:a host:b", Query(equal={"host": ("a", "b")})),
        ("-lang:de", Query(unequal={"language": ("de",)})),
        ('brand:"Acme Inc"', Query(equal={"brand": ("acme inc",)})),
        ("sku:K-17", Query(equal={"sku": ("k-17",)})),
        ('availability:"Out of stock"', Query(equal={"availability": ("outofstock",)})),
        ("rating:>4", Query(rating=Span(4, None))),
        ("price:10..20.5", Query(price=Span(10, 20.5))),
        ("price:..20", Query(price=Span(None, 20))),
        ("price:>=10", Query(price=Span(10, None))),
        ("price:10", Query(price=Span(10, 10))),
        ("date:2026-01-01", Query(at=Span(NEW_YEAR, NEW_YEAR + DAY - 0.001))),
        ("since:2026-01-01 before:2026-01-02",
         Query(at=Span(NEW_YEAR, NEW_YEAR + DAY - 0.001))),
        ("https://a.example/x", Query((Words(("https", "a", "example", "x")),))),
        ("- -- \"\" ,", Query()),
    ],
)  # fmt: skip
def test_a_query_is_read(text: str, query: Query) -> None:
    assert parse(text) == query


@pytest.mark.parametrize(
    "text",
    ["price:cheap", "date:yesterday", "since:", 'title:""', "-price:10", "price:1..2..3",
     "colour:red", "-colour:red", 'colour:"dark red"'],
)  # fmt: skip
def test_what_means_nothing_is_told(text: str) -> None:
    with pytest.raises(QueryError):
        parse(text)


def test_a_field_that_there_is_not_is_named_with_those_there_are() -> None:
    with pytest.raises(QueryError, match=r"colour: is no field\. There are .*brand.*sku"):
        parse("kettle colour:red")
    assert parse('"colour:red"') == Query((Words(("colour", "red")),))


@given(st.text())
def test_whatever_is_typed_is_a_query_or_told(text: str) -> None:
    try:
        query = parse(text)
    except QueryError:
        return
    for words in (*query.all_of, *query.none_of):
        assert words.words
        assert all(word == spaced(word) for word in words.words)


@given(st.text())
def test_folding_twice_changes_nothing_more(text: str) -> None:
    assert words_of(" ".join(words_of(text))) == words_of(text)


def test_case_and_accents_make_no_difference() -> None:
    assert fold("CRÈME Straße") == "creme strasse"
    assert words_of("snake_case, USB-C!") == ["snake", "case", "usb", "c"]


def test_a_snippet_shows_where_most_of_the_words_are() -> None:
    text = f"tea here. {'filler ' * 100} the best tea for a pot <b>of tea</b> {'more ' * 100}"
    shown = snippet(text, parse("tea pot"), 80)
    assert "best tea for a pot <b>of tea</b>" in "".join(piece.text for piece in shown)
    assert [piece.text for piece in shown if piece.is_match] == ["tea", "pot", "tea"]
    assert shown[0].text.startswith("… ")
    assert shown[-1].text.endswith(" …")


def test_what_is_written_without_spaces_is_marked_as_one() -> None:
    shown = snippet("彼は日本語を話す", parse("日本語"))
    assert [piece.text for piece in shown if piece.is_match] == ["日本語"]


def test_a_snippet_without_words_is_the_beginning() -> None:
    (only,) = snippet("short\n text", parse("host:x"))
    assert (only.text, only.is_match) == ("short text", False)
    assert snippet("", parse("x")) == ()


@given(st.text(max_size=400), st.text(max_size=10), st.integers(10, 100))
def test_a_snippet_is_a_part_of_the_text(text: str, word: str, length: int) -> None:
    try:
        query = parse(word)
    except QueryError:
        return
    pieces = snippet(text, query, length)
    shown = "".join(piece.text for piece in pieces).removeprefix("… ").removesuffix(" …")
    assert shown in " ".join(text.split())
    assert len(shown) <= length
