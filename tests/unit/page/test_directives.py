"""ROB-3 and ROB-4: what X-Robots-Tag, meta robots and Link headers ask."""

from __future__ import annotations

import pytest

from tenax.model import Directives
from tenax.page.directives import Asked, bounded_rights, decide_directives, linked, read_directives

NOW = 1_800_000_000.0  # January 2027


@pytest.mark.parametrize(
    ("value", "asked"),
    [
        ("noindex", Asked(noindex=True)),
        ("NoFollow", Asked(nofollow=True)),
        ("noindex, nofollow", Asked(noindex=True, nofollow=True)),
        ("none", Asked(noindex=True, nofollow=True)),
        ("noindex nofollow", Asked(noindex=True, nofollow=True)),
        ("noindex;nofollow", Asked(noindex=True, nofollow=True)),
        ("all", Asked()),
        ("index, follow, max-snippet:-1, max-image-preview:large", Asked()),
        ("noarchive, nosnippet, noai, noimageai", Asked()),
        ("max-snippet: 20, noindex", Asked(noindex=True)),
        ("nonesuch, noindexing", Asked()),
        ("", Asked()),
        (",,:,::,", Asked()),
    ],
)
def test_directives_are_read_however_they_are_spelled(value: str, asked: Asked) -> None:
    assert read_directives(value, "tenax", NOW) == asked


@pytest.mark.parametrize(
    ("value", "asked"),
    [
        ("tenax: noindex", Asked(noindex=True)),
        ("Tenax: noindex, nofollow", Asked(noindex=True, nofollow=True)),
        ("googlebot: noindex", Asked()),
        ("googlebot: noindex, nofollow", Asked()),
        ("noindex, googlebot: nofollow", Asked(noindex=True)),
        ("googlebot: noindex, tenax: nofollow", Asked(nofollow=True)),
        ("tenaxbot: noindex", Asked()),
    ],
)
def test_a_robot_prefix_holds_until_the_next_one(value: str, asked: Asked) -> None:
    assert read_directives(value, "tenax", NOW) == asked


@pytest.mark.parametrize(
    ("value", "asked"),
    [
        ("unavailable_after: 25 Jun 2010 15:00:00 GMT", Asked(noindex=True)),
        ("unavailable_after: Friday, 25-Jun-10 15:00:00 GMT", Asked(noindex=True)),
        ("unavailable_after: 2010-06-25T15:00:00Z, nofollow", Asked(noindex=True, nofollow=True)),
        ("unavailable_after: Fri, 25 Jun 2090 15:00:00 GMT, nofollow", Asked(nofollow=True)),
        ("unavailable_after: 2090-06-25", Asked()),
        ("unavailable_after: soon", Asked()),
        ("unavailable_after:", Asked()),
        ("googlebot: unavailable_after: 25 Jun 2010 15:00:00 GMT", Asked()),
    ],
)
def test_a_date_with_colons_and_commas_counts_once_it_has_passed(value: str, asked: Asked) -> None:
    assert read_directives(value, "tenax", NOW) == asked


def test_the_most_restrictive_of_header_and_meta_wins_and_says_where_it_stood() -> None:
    assert decide_directives(
        ["noindex", "googlebot: nofollow"], [("robots", "index, nofollow")], "tenax", NOW
    ) == Directives(
        noindex=True,
        nofollow=True,
        source="X-Robots-Tag: noindex; meta robots: index, nofollow",
    )


def test_a_meta_tag_for_another_robot_is_not_for_us() -> None:
    assert decide_directives([], [("googlebot", "noindex")], "tenax", NOW) == Directives()
    assert decide_directives([], [("tenax", "noindex")], "Tenax", NOW).noindex


def test_silence_asks_for_nothing() -> None:
    assert decide_directives([], [], "tenax", NOW) == Directives()
    assert decide_directives(["all"], [("robots", "index")], "tenax", NOW).source == ""


def test_link_headers_are_read_by_relation() -> None:
    headers = [
        '<https://a.example/licence>; rel="license", </next>; rel=next',
        '<b>; title="x, rel=license"; rel="foo LICENSE"',
        "<c>; rev=license; rel=prev, broken <x ; rel=license",
    ]
    assert list(linked(headers, "license")) == ["https://a.example/licence", "b"]


def test_rights_are_kept_once_each_and_bounded() -> None:
    many = [("meta robots", f"x{n}") for n in range(10_000)]
    assert len(bounded_rights(many)) == 50
    assert bounded_rights([("a", " v "), ("a", "v"), ("b", " ")]) == (("a", "v"),)
    assert len(bounded_rights([("a", "v" * 10_000)])[0][1]) == 1_000
