"""ROB-3 and ROB-4: what X-Robots-Tag, meta robots and Link headers ask."""

from __future__ import annotations

import pytest

from tenax.model import Directives
from tenax.page.directives import (
    RobotsDirectives,
    bounded_rights,
    decide_directives,
    linked,
    read_directives,
)

NOW = 1_800_000_000.0  # January 2027


@pytest.mark.parametrize(
    ("value", "asked"),
    [
        ("noindex", RobotsDirectives(noindex=True)),
        ("NoFollow", RobotsDirectives(nofollow=True)),
        ("noindex, nofollow", RobotsDirectives(noindex=True, nofollow=True)),
        ("none", RobotsDirectives(noindex=True, nofollow=True)),
        ("noindex nofollow", RobotsDirectives(noindex=True, nofollow=True)),
        ("noindex;nofollow", RobotsDirectives(noindex=True, nofollow=True)),
        ("all", RobotsDirectives()),
        ("index, follow, max-snippet:-1, max-image-preview:large", RobotsDirectives()),
        ("noarchive, nosnippet, noai, noimageai", RobotsDirectives()),
        ("max-snippet: 20, noindex", RobotsDirectives(noindex=True)),
        ("nonesuch, noindexing", RobotsDirectives()),
        ("", RobotsDirectives()),
        (",,:,::,", RobotsDirectives()),
    ],
)
def test_directives_are_read_however_they_are_spelled(value: str, asked: RobotsDirectives) -> None:
    assert read_directives(value, "tenax", NOW) == asked


@pytest.mark.parametrize(
    ("value", "asked"),
    [
        ("tenax: noindex", RobotsDirectives(noindex=True)),
        ("Tenax: noindex, nofollow", RobotsDirectives(noindex=True, nofollow=True)),
        ("googlebot: noindex", RobotsDirectives()),
        ("googlebot: noindex, nofollow", RobotsDirectives()),
        ("noindex, googlebot: nofollow", RobotsDirectives(noindex=True)),
        ("googlebot: noindex, tenax: nofollow", RobotsDirectives(nofollow=True)),
        ("tenaxbot: noindex", RobotsDirectives()),
    ],
)
def test_a_robot_prefix_holds_until_the_next_one(value: str, asked: RobotsDirectives) -> None:
    assert read_directives(value, "tenax", NOW) == asked


@pytest.mark.parametrize(
    ("value", "asked"),
    [
        ("unavailable_after: 25 Jun 2010 15:00:00 GMT", RobotsDirectives(noindex=True)),
        ("unavailable_after: Friday, 25-Jun-10 15:00:00 GMT", RobotsDirectives(noindex=True)),
        (
            "unavailable_after: 2010-06-25T15:00:00Z, nofollow",
            RobotsDirectives(noindex=True, nofollow=True),
        ),
        (
            "unavailable_after: Fri, 25 Jun 2090 15:00:00 GMT, nofollow",
            RobotsDirectives(nofollow=True),
        ),
        ("unavailable_after: 2090-06-25", RobotsDirectives()),
        ("unavailable_after: soon", RobotsDirectives()),
        ("unavailable_after:", RobotsDirectives()),
        ("googlebot: unavailable_after: 25 Jun 2010 15:00:00 GMT", RobotsDirectives()),
    ],
)
def test_a_date_with_colons_and_commas_counts_once_it_has_passed(
    value: str, asked: RobotsDirectives
) -> None:
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
