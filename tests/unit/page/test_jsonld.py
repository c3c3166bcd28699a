"""JSON-LD as people write it: mended where one can tell what was meant."""

import time

import pytest

from tenax.page.html import parse
from tenax.page.jsonld import json_ld, json_values


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ('{"a": "x"}', [{"a": "x"}]),
        ('// of the theme\n{"a": "https://x.example/y" // where it is\n}', [{"a": "https://x.example/y"}]),
        ('/* v2 */ {"a": 1, /* not "b": 2, */ "c": "/* text */"}', [{"a": 1, "c": "/* text */"}]),
        ('{"a": [1, 2,], "b": 3, // the last\n}', [{"a": [1, 2], "b": 3}]),
        ('{"a": "x, }", "b": 3,}', [{"a": "x, }", "b": 3}]),
        ('{"a": 1,, "b": 2}', [{"a": 1, "b": 2}]),
        ('{"a": , "b":}', [{"a": None, "b": None}]),
        ('{"a": "x"\n"b": 1\n"c": {"d": true}\n"e": []\n"f": 2}',
         [{"a": "x", "b": 1, "c": {"d": True}, "e": [], "f": 2}]),
        ('<!-- {"a": 1} -->', [{"a": 1}]),
        ('//<![CDATA[\n{"a": [[1]]}\n//]]>', [{"a": [[1]]}]),
        ('/*<![CDATA[*/{"a": "<!-- text -->",}/*]]>*/', [{"a": "<!-- text -->"}]),
        (r'{"a": "C:\dir \u12 \n"}', [{"a": "C:\\dir \\u12 \n"}]),
        ('{"a": "two\nlines"}', [{"a": "two\nlines"}]),
        ('{"a": "6" wide, 3" high", "b": "5"", "c": 1}',
         [{"a": '6" wide, 3" high', "b": '5"', "c": 1}]),
        ('{"a": "a "so called", and \\"escaped\\" one"}',
         [{"a": 'a "so called", and "escaped" one'}]),
        ("{&quot;a&quot;: 1,}", [{"a": 1}]),
        ('[{"a": 1}];', [[{"a": 1}]]),
        ('{"a": 1,}{"b": 2}', [{"a": 1}, {"b": 2}]),
        ('{"a": 1} and so on {', [{"a": 1}]),
        ("nothing", []),
        ("", []),
    ],
)  # fmt: skip
def test_what_is_broken_is_mended_where_it_is_plain_what_was_meant(
    text: str, values: list[object]
) -> None:
    assert json_values(text) == values


def test_scripts_of_any_spelling_of_the_type_are_read() -> None:
    html = '<script type="Application/LD+JSON; charset=utf-8">{"a": 1,}</script><script>{}</script>'
    assert json_ld(parse(html.encode(), "utf-8")) == [{"a": 1}]


@pytest.mark.parametrize(
    "unit", ['"\\', '"', "[", '{"a":', "/*", "//\n", '" ', '",', ",\n", '": ', "a ", "\\", '{"a"\n']
)
def test_rubbish_costs_no_more_than_its_length(unit: str) -> None:
    started = time.process_time()
    json_values(unit * (400_000 // len(unit)))
    # Half a second on a slow machine; a minute, if it were looked at anew from every mark.
    assert time.process_time() - started < 5
