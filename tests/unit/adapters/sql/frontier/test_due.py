"""Which of what is deferred is handed out first? (URL-6)"""

from __future__ import annotations

from tenax.adapters.sql.frontier.due import Row, from_both_ends
from tenax.urls.priority import LAST


def rows(*ids: int) -> list[Row]:
    return [(id, 1, "/", 3, LAST + 1) for id in ids]


def test_the_nearest_and_the_deepest_are_taken_half_of_eight_each() -> None:
    """Or all of a level would be visited before what it leads to."""
    few = from_both_ends(rows(*range(20)), rows(*range(99, 91, -1)))
    assert [row[0] for row in few] == [0, 1, 2, 3, 99, 98, 97, 96]


def test_where_nothing_is_deeper_the_nearest_are_taken_and_each_once() -> None:
    assert from_both_ends(rows(*range(20)), []) == rows(*range(8))
    assert from_both_ends(rows(*range(9)), rows(*range(3, 0, -1))) == rows(0, 1, 2, 3, 4, 5, 6, 7)
