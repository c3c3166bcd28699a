"""What holds things up? Visits under way, in words: which step each is in, and for how long."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec import Struct

from tenax.cli.terminal.say import duration, note, plural, printable
from tenax.compose import Ledger
from tenax.model import Step, UnderWay, VisitUnderWay
from tenax.ports.overview import WorkerRecord

_FIRST = 1.0
_EVERY = 5.0
"""Seconds after which somebody who waits for the end is told what it waits for, and told again."""
_SHOWN = 3


class SeenVisit(Struct, frozen=True):
    """A visit under way in some process, as that told at some moment."""

    pid: int
    at: float
    visit: VisitUnderWay


def sightings(
    workers: Iterable[WorkerRecord], is_meant: Callable[[VisitUnderWay], bool]
) -> list[SeenVisit]:
    """Those meant, in whichever process, the oldest first."""
    found = [
        SeenVisit(worker.pid, worker.under_way.at, visit)
        for worker in workers
        if worker.under_way is not None
        for visit in worker.under_way.visits
        if is_meant(visit)
    ]
    return sorted(found, key=lambda sighting: sighting.visit.began_at)


def told_visit(visit: VisitUnderWay, at: float) -> str:
    """As it was at that moment."""
    return f"{visit.step} for {duration(max(at - visit.since, 0.0))}: {printable(visit.url)}"


def told_under_way(under_way: UnderWay) -> list[str]:
    """The visits that began first, and how many more there are, by their steps."""
    shown = under_way.visits[:_SHOWN]
    lines = [told_visit(visit, under_way.at) for visit in shown]
    rest = {step: under_way.steps.get(step, 0) for step in Step}
    for visit in shown:
        rest[visit.step] -= 1
    if any(rest.values()):
        counts = ", ".join(f"{count:,} in {step}" for step, count in rest.items() if count)
        lines.append(f"and {plural(sum(rest.values()), 'visit')} more: {counts}")
    return lines


async def tell_what_is_left(ledger: Ledger, who: str = "") -> None:
    """Say now and then which visits hold up the end; to be run beside it, and cancelled."""
    pause = _FIRST
    while True:
        await ledger.clock.sleep(pause)
        pause = _EVERY
        if lines := told_under_way(ledger.steps.look()):
            note(f"{who}Still under way: " + "\n  ".join(lines))
