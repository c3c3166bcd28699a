"""What a slot of a host holds on to between its visits: nothing."""

from __future__ import annotations

import weakref
from types import SimpleNamespace
from typing import Any

from tenax.crawl.host_run import HostRun
from tenax.crawl.steps import Steps
from tenax.model import Assignment, Host, LeasedTarget
from tenax.testing import VirtualClock, run_virtually


class Settled:
    """What a visit brings, with the body of its page: megabytes, at times."""


class VisitingWorker:
    """Looks, as each visit begins, who still has what the one before brought."""

    def __init__(self) -> None:
        self.brought: list[weakref.ref[Settled]] = []
        self.is_held: list[bool] = []

    def jars_at(self, assignment: Assignment) -> None:
        return None

    async def process(self, *_: Any, **__: Any) -> Settled:
        self.is_held += [each() is not None for each in self.brought[-1:]]
        settled = Settled()
        self.brought.append(weakref.ref(settled))
        return settled


def test_a_slot_does_not_hold_the_last_page_through_the_next_visit() -> None:
    """64 slots would hold as many bodies, each until the next one is there."""
    worker = VisitingWorker()

    async def forget(_: Settled) -> None:
        return

    targets = tuple(LeasedTarget(n, 1, f"https://a.example/{n}", 0, 5, 0) for n in range(3))
    clock = VirtualClock()
    host = Host("a.example", "https://a.example")
    run = HostRun(
        Assignment(1, host, targets, 1, 1e9),
        SimpleNamespace(host=host, is_paced=True, is_silenced=False),  # type: ignore[arg-type]
        None,  # type: ignore[arg-type]  # nothing is asked for
        worker,  # type: ignore[arg-type]
        SimpleNamespace(put=forget),  # type: ignore[arg-type]
        Steps(clock),
    )
    run_virtually(run.run())
    assert worker.is_held == [False, False]
