"""PAGE-1: JSON as pages have it."""

from __future__ import annotations

import pytest

from tenax.page.mended import json_values


@pytest.mark.parametrize(
    "text",
    [
        '{"a": "b",}',
        '// why\n{"a": "b"}',
        '{"a": /* why */ "b"}',
        '{\n"a": "b"\n}; ',
        '<!--{"a": "b"}-->',
        '/*<![CDATA[*/{"a": "b"}/*]]>*/',
        "{&quot;a&quot;: &quot;b&quot;}",
    ],
)
def test_what_templates_break_is_mended(text: str) -> None:
    assert list(json_values(text)) == [{"a": "b"}]


def test_what_is_missing_is_filled_in() -> None:
    assert list(json_values('{"a": "b"\n"c": 1}')) == [{"a": "b", "c": 1}]
    assert list(json_values('{"a": , "b": 1}')) == [{"a": None, "b": 1}]
    assert list(json_values('{"a": "two\nlines"}')) == [{"a": "two\nlines"}]
    assert list(json_values('{"a": 1} {"a": 2}')) == [{"a": 1}, {"a": 2}]


def test_addresses_are_no_comments() -> None:
    text = '{"a": "https://a.example/*", "b": "*/x",}'
    assert list(json_values(text)) == [{"a": "https://a.example/*", "b": "*/x"}]


@pytest.mark.parametrize("piece", ["/*", "\n", ",", '"\n', "{", "[", ' "', ": ", "&quot;", ";\n"])
def test_what_cannot_be_mended_is_given_up_in_time(piece: str) -> None:
    assert list(json_values('"' + piece * 100_000)) == []
