"""How soon a URL is visited, by its spelling and depth (FR-3)."""

from __future__ import annotations

import pytest

from tenax.urls.priority import GRANTED, HIGH, LAST, LOW, MEDIUM, deferred, priority


@pytest.mark.parametrize(
    ("path", "depth", "rank"),
    [
        ("/", 9, HIGH),
        ("/shoes", 1, HIGH),
        ("/shoes", 2, HIGH),
        ("/shoes", 3, MEDIUM),
        ("/shoes", 5, MEDIUM),
        ("/shoes", 6, LOW),
        ("/about", 6, MEDIUM),
        ("/en/contact-us.html", 6, MEDIUM),
        ("/about-turns", 6, LOW),
        ("/2024/05/05/05-things", 3, MEDIUM),
        ("/pages/7-wonders", 3, MEDIUM),
        ("/?homepage=1", 3, MEDIUM),
    ],
)
def test_home_pages_and_shallow_pages_come_first_deep_ones_last(
    path: str, depth: int, rank: int
) -> None:
    assert priority(path, depth, is_seed=False) == rank


@pytest.mark.parametrize(
    "path",
    ["/page/2", "/blog/page/12/", "/blog/page-3", "/page3?x", "/?page=2", "/x?sort=a&p=3",
     "/x?offset=20", "/archive/", "/archives", "/Tag/cats", "/2024/05/", "/2024/05/05"],
)  # fmt: skip
def test_pagination_and_archives_wait_at_any_depth(path: str) -> None:
    assert priority(path, 1, is_seed=False) == LOW


def test_a_seed_is_never_low() -> None:
    assert priority("/archive/?page=2", 0, is_seed=True) == HIGH


def test_what_is_deferred_comes_after_all_else_the_nearest_first() -> None:
    ranks = [deferred(depth) for depth in (1, 2, 9, 14)]
    assert ranks == sorted({*ranks})
    assert deferred(400) == ranks[-1]
    assert ranks[0] > LAST
    assert ranks[-1] < GRANTED, "what is granted and asked for comes after it, and is known by that"
