"""How much of what is deferred is handed out at once? (URL-6)"""

from __future__ import annotations

from tenax.adapters.sql.frontier.due import Row, few_deferred
from tenax.urls.priority import ASKED, LAST


def rows(*priorities: int) -> list[Row]:
    return [(id, 1, "/", 3, priority) for id, priority in enumerate(priorities)]


def test_eight_deferred_ones_at_once_and_any_number_of_others() -> None:
    """Or all of a level would be visited before what it leads to."""
    due = rows(*[5] * 20, *[LAST] * 20, *[LAST + 1] * 5, *[ASKED - 1] * 20, *[ASKED] * 20)
    left = [row[4] for row in few_deferred(due)]
    assert left == [*[5] * 20, *[LAST] * 20, *[LAST + 1] * 5, *[ASKED - 1] * 3, *[ASKED] * 20]


def test_the_first_of_them_are_taken() -> None:
    assert [row[0] for row in few_deferred(rows(*[LAST + 2] * 12))] == list(range(8))
    assert few_deferred(rows(*[LAST + 2] * 8)) == rows(*[LAST + 2] * 8)
