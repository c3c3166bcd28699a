"""How is it told what a page is like? (PAGE-2)"""

from __future__ import annotations

import pytest

from tenax.ops.search.near_duplicates import Likeness


@pytest.mark.parametrize(
    ("likeness", "told"),
    [
        (
            Likeness("https://a.example/", 2, ()),
            "near-duplicate of https://a.example/ (2 of 64 bits differ)",
        ),
        (
            Likeness("https://a.example/", 0, ()),
            "near-duplicate of https://a.example/ (same SimHash)",
        ),
        (Likeness("", None, ("https://a.example/b",)), ""),
    ],
)
def test_a_near_duplicate_says_how_near_it_is(likeness: Likeness, told: str) -> None:
    assert likeness.told == told
