"""Which process runs which test? Each takes the next; what looks at one crawl stays in one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from xdist.scheduler import LoadScopeScheduling

Test = TypeVar("Test")

TOGETHER = frozenset(
    {
        "tests/e2e/test_browser.py",
        "tests/e2e/test_demo_web.py",
        "tests/e2e/test_fleet.py",
        "tests/e2e/test_hostile.py",
        "tests/e2e/test_hostile_clients.py",
        "tests/e2e/test_serve.py",
        "tests/e2e/test_traps.py",
        "tests/service/test_browser.py",
        "tests/simulate/test_crash.py",
    }
)
"""Files whose tests share what takes long to make, or need so much of the machine that two of them
at once would be too many."""


class Shares(LoadScopeScheduling):  # type: ignore[misc]  # xdist's schedulers have no types
    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return file if file in TOGETHER else nodeid


def spread(few: Sequence[Test], many: Sequence[Test]) -> Iterator[Test]:
    """All of them in order, the few at even distances among the many."""
    done = 0
    for number, one in enumerate(few):
        until = len(many) * (number + 1) // (len(few) + 1)
        yield from many[done:until]
        yield one
        done = until
    yield from many[done:]
