"""Are the clues that spare most names their patterns complete?"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from re import _constants as ops  # type: ignore[attr-defined]  # it reads patterns as re does
from re import _parser  # type: ignore[attr-defined]
from typing import Any

import pytest

from tenax.page.product import zones
from tenax.page.product.zones import Zone, named_zone


def spelled(parsed: Sequence[Any]) -> Iterator[str]:
    """Everything that a pattern of these names matches, without what must stand beside it."""
    for parts in itertools.product(*[list(_one(op, value)) for op, value in parsed]):
        yield "".join(parts)


def _one(op: Any, value: Any) -> Iterator[str]:
    if op is ops.LITERAL:
        yield chr(value)
    elif op is ops.BRANCH:
        for branch in value[1]:
            yield from spelled(branch)
    elif op is ops.SUBPATTERN:
        yield from spelled(value[3])
    elif op in (ops.MAX_REPEAT, ops.MIN_REPEAT):
        least, most, inner = value
        for count in range(least, most + 1):
            for parts in itertools.product(list(spelled(inner)), repeat=count):
                yield "".join(parts)
    elif op is ops.IN:
        # Separators differ in nothing else; of the rest every one counts.
        yield from (chr(each) if kind is ops.LITERAL else " " for kind, each in value)
    elif op in (ops.AT, ops.ASSERT, ops.ASSERT_NOT):
        yield ""
    else:
        raise AssertionError(f"{op} is new here")


@pytest.mark.parametrize("zone", zones._WORDS)
def test_whatever_a_pattern_matches_has_one_of_its_clues(zone: int) -> None:
    clues = zones._CLUES[zone].split("|")
    for name in set(spelled(_parser.parse(zones._WORDS[zone].pattern))):
        assert any(clue in name for clue in clues), name


@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize(
    ("name", "zone"),
    [
        ("product-card", Zone.OTHERS),
        ("product-info product-card", Zone.OTHERS | Zone.MAIN),
        ("product-page product-card", Zone.MAIN),
        ("price option", Zone.PRICE),
        ("related-gallery", Zone.OTHERS),
        ("gallery product-card", Zone.GALLERY),
        ("delivery-status", Zone.STOCK),
        ("delivery-status badge", Zone.STOCK | Zone.SIDE),
        ("mt-4 flex", Zone.NONE),
        ("Old-PRICE", Zone.STRUCK | Zone.PRICE),
        ("bold-price", Zone.PRICE),
    ],
)
def test_words_of_a_name_that_disagree_are_settled(name: str, zone: int) -> None:
    zones._named.cache_clear()
    zones._of_word.cache_clear()
    assert named_zone(name) == zone


def test_a_long_name_is_cut() -> None:
    assert named_zone("x" * 300 + " price") == Zone.NONE
