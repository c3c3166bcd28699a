"""What does a robots.txt cost in memory, and is the strongest rule found among very many?"""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable

import pytest

from tenax.hosts.robots import MAX_BYTES, Robots, parse

Line = Callable[[int], str]


def large(line: Line, agent: str = "*") -> str:
    """As many rules as are read of a file."""
    lines = [f"User-agent: {agent}"]
    room = MAX_BYTES - 100
    number = 0
    while room > 0:
        lines.append(line(number))
        room -= len(lines[-1]) + 1
        number += 1
    return "\n".join(lines)


def plain(number: int) -> str:
    return f"Disallow: /{number:x}/"


@pytest.mark.parametrize(
    ("line", "most"),
    [
        (plain, 1_500_000),
        (lambda n: f"Disallow: /?a=b:{n:x}", 2_500_000),
        (lambda n: f"Disallow: /*{n:x}/", 4_000_000),
    ],
    ids=["prefixes", "queries", "wildcards"],
)
def test_the_largest_file_takes_little_and_says_how_much(line: Line, most: int) -> None:
    text = large(line)
    tracemalloc.start()
    kept = parse(text).only_for("tenax")
    gc.collect()  # from 3.14 on what is in a circle may lie about for longer
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert taken < most
    assert 0.9 < kept.size / taken < 1.1
    assert kept.decide("/a/b", "tenax").allowed is (line is not plain and "*" not in line(0))


def test_what_is_said_to_others_takes_nothing() -> None:
    kept = parse(large(plain, agent="other") + "\n\nUser-agent: *\nDisallow: /x").only_for("tenax")
    assert kept.size < 5_000
    assert not kept.decide("/x", "tenax").allowed


def test_of_tens_of_thousands_the_longest_match_decides() -> None:
    text = large(plain).replace("\nDisallow: /7f/", "\nDisallow: /7f/\nAllow: /7f/*/open", 1)
    kept: Robots = parse(text).only_for("tenax")
    verdicts = [kept.decide(path, "tenax") for path in ("/7f/x", "/7f/x/open", "/zz/x", "/7f0/y")]
    assert [(v.allowed, v.rule) for v in verdicts] == [
        (False, "Disallow: /7f/"),
        (True, "Allow: /7f/*/open"),
        (True, ""),
        (False, "Disallow: /7f0/"),
    ]


def test_a_crawler_it_was_not_kept_for_is_not_answered_wrongly() -> None:
    kept = parse("User-agent: other\nDisallow: /").only_for("tenax")
    with pytest.raises(AssertionError, match="other was let go of"):
        kept.decide("/", "other")
