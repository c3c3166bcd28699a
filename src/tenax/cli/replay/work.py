"""How do several processes read stored pages again? Stretch by stretch, each to whoever is free.

The parent hands out stretches of targets and counts; its members read and write. A stretch that is
done is noted in the data folder, so that one can go on behind it.
"""

from __future__ import annotations

import asyncio
import faulthandler
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from tenax.cli.look.show_pages import chosen_jobs
from tenax.cli.terminal.bar import Bar
from tenax.cli.terminal.children import Child, Parent, live, told_end, understood
from tenax.cli.terminal.interrupts import interruptible
from tenax.cli.terminal.say import (
    EXIT_BAD_INPUT,
    EXIT_INTERRUPTED,
    as_json,
    duration,
    indented,
    note,
    plural,
    printable,
)
from tenax.compose import Ledger, open_ledger
from tenax.compose.replay import make_replay
from tenax.jobs.durations import parse_duration
from tenax.model import JobState
from tenax.ops.replay.reread import ReplayTally
from tenax.ports import Unavailable
from tenax.ports.replayed import PageFilter
from tenax.settings import Settings, SettingsError

_STRETCH = 100
"""Targets read by one transaction."""
Stretch = tuple[int, int]
Reader = Callable[[Stretch], Awaitable[ReplayTally]]


class ReplayOrder(Struct, frozen=True):
    """One `tenax replay` as the user asked for it."""

    settings: Settings
    job: str | None
    host: str | None
    since: str | None
    dry: bool
    links: bool
    resume: bool
    quiet: bool
    as_json: bool


class _Task(msgspec.Struct):
    """What a parent tells its members first."""

    settings: Settings
    which: PageFilter
    dry: bool
    links: bool


class _Note(msgspec.Struct):
    """How far a replay came."""

    what: str
    after: int
    tally: ReplayTally


async def run_replay(order: ReplayOrder) -> int:
    async with open_ledger(order.settings, create=False) as ledger:
        await ledger.know_sites()
        if await chosen_jobs(ledger, order.job) is None:
            return EXIT_BAD_INPUT
        task = _Task(ledger.settings, _which(order, ledger), order.dry, order.links)
        crew = _ReplayCrew(ledger, task, Path(ledger.settings.data) / "replay.json")
        total = await ledger.rereads.count(task.which)
        started = ledger.clock.now()
        with Bar(total, quiet=order.quiet or order.as_json) as bar:
            async with interruptible(crew) as interruption:
                try:
                    tally = await crew.run(bar, resume=order.resume)
                except asyncio.CancelledError:
                    if not interruption.count:
                        raise
                    return EXIT_INTERRUPTED
        woken = await _wake(ledger) if tally.found else []
        _tell(order, tally, ledger.clock.now() - started, woken)
        if interruption.count:
            note("Cut off. The same command with --resume goes on from there.")
            return EXIT_INTERRUPTED
    return 0


def _which(order: ReplayOrder, ledger: Ledger) -> PageFilter:
    since = None
    if order.since is not None:
        try:
            since = ledger.clock.now() - parse_duration(order.since)
        except ValueError as error:
            raise SettingsError(f"--since: {error}") from error
    return PageFilter(order.job, order.host, since)


class _ReplayCrew:
    """Those who read, and how far they are together."""

    def __init__(self, ledger: Ledger, task: _Task, place: Path) -> None:
        self._ledger = ledger
        self._task = task
        self._place = place
        # A moment that moves on with every call is no other wish.
        asked = (task.which.job, task.which.host, task.which.since is not None)
        self._what = repr((*asked, task.dry, task.links, task.settings.handlers))
        self._tally = ReplayTally()
        self._stretches: Iterator[Stretch] = iter(())
        self._open: dict[int, int] = {}
        """Stretches handed out: where each begins, and where it ends."""
        self._done: dict[int, tuple[int, ReplayTally]] = {}
        """Those that are done while one before them is not."""
        self._after = 0
        self._is_stopping = False

    def stop(self) -> None:
        self._is_stopping = True

    async def run(self, bar: Bar, *, resume: bool) -> ReplayTally:
        noted = self._noted() if resume else None
        if noted is not None:
            self._after, self._tally = noted.after, noted.tally
        elif resume:
            note("Nothing is there to go on with: from the beginning.")
        last = await self._ledger.rereads.last()
        self._stretches = (
            (after, min(after + _STRETCH, last)) for after in range(self._after, last, _STRETCH)
        )
        async with AsyncExitStack() as stack:
            many = self._ledger.settings.processes
            members = [
                await _ReplayMember.start(self._task, stack) for _ in range(many if many > 1 else 0)
            ]
            ourselves = await _reader(self._ledger, self._task)
            try:
                async with asyncio.TaskGroup() as group:
                    for member in members:
                        group.create_task(self._read(member.read, bar))
                    group.create_task(self._read(ourselves, bar, members))
            except ExceptionGroup as failed:
                # One that failed is enough to tell: the others were told to end.
                raise failed.exceptions[0] from None
        if not self._is_stopping:
            self._place.unlink(missing_ok=True)
        return self._tally

    async def _read(self, reader: Reader, bar: Bar, members: Sequence[_ReplayMember] = ()) -> None:
        """Until nothing is left. We ourselves only until all members have begun: who hands out must
        not read, or the others would wait for him stretch by stretch."""
        while not self._is_stopping and (stretch := next(self._stretches, None)):
            self._open[stretch[0]] = stretch[1]
            self._note(stretch, await reader(stretch))
            tally = self._tally
            bar.tick(tally.pages + tally.bodiless + tally.lost + tally.too_large)
            await asyncio.sleep(0)  # others answer, and whoever stops us is heard
            if members and all(member.has_begun for member in members):
                return

    def _note(self, stretch: Stretch, tally: ReplayTally) -> None:
        """What is done counts when all before it is: from there one could go on."""
        del self._open[stretch[0]]
        self._done[stretch[0]] = stretch[1], tally
        while self._after in self._done:
            self._after, done = self._done.pop(self._after)
            self._tally.add(done)
        new = self._place.with_suffix(".new")
        new.write_bytes(msgspec.json.encode(_Note(self._what, self._after, self._tally)))
        new.replace(self._place)

    def _noted(self) -> _Note | None:
        try:
            noted = msgspec.json.decode(self._place.read_bytes(), type=_Note)
        except (FileNotFoundError, msgspec.DecodeError):
            return None
        return noted if noted.what == self._what else None


async def _reader(ledger: Ledger, task: _Task) -> Reader:
    """We ourselves."""
    _name_deaths()
    replay = await make_replay(ledger, task.which, dry=task.dry, links=task.links)
    return lambda stretch: replay.stretch(*stretch)


def _name_deaths() -> None:
    """Handlers may call C that crashes, and nobody starts us again: at least their line is told."""
    with suppress(OSError, ValueError):  # where nothing real is to be written to
        if not faulthandler.is_enabled():
            faulthandler.enable()


class _ReplayMember:
    """Another process that reads."""

    def __init__(self, child: Child) -> None:
        self._child = child
        self.has_begun = False

    @classmethod
    async def start(cls, task: _Task, stack: AsyncExitStack) -> _ReplayMember:
        child = await Child.start("tenax.cli.replay.work", answers=True)
        stack.push_async_callback(child.end)
        await child.tell(task)
        return cls(child)

    async def read(self, stretch: Stretch) -> ReplayTally:
        await self._child.tell(stretch)
        if not self.has_begun:
            await self._answer()
            self.has_begun = True
        return msgspec.json.decode(await self._answer(), type=ReplayTally)

    async def _answer(self) -> bytes:
        answer = await self._child.answer()
        if not answer:
            raise Unavailable(
                f"A process that read pages {told_end(await self._child.ended())}. What it had not"
                " finished is as it was: the same command with --resume goes on."
            )
        return answer


async def _life(parent: Parent) -> int:
    """Of a member: it reads what it is told, and ends when its parent lets go."""
    if not (line := await parent.told()):
        return 0
    task = understood(line, _Task)
    _name_deaths()
    async with open_ledger(task.settings, create=False) as ledger:
        await ledger.know_sites()
        replay = await make_replay(ledger, task.which, dry=task.dry, links=task.links)
        parent.answer("ready")
        while line := await parent.told():
            first, last = understood(line, list[int])
            parent.answer(await replay.stretch(first, last))
    return 0


async def _wake(ledger: Ledger) -> list[str]:
    """Jobs that were done and have work again are stopped: a person decides."""
    woken = []
    for job in await ledger.jobs.all():
        if job.state is JobState.DONE and (await ledger.jobs.counts(job.id)).unfinished:
            await ledger.jobs.set_state(job.id, JobState.STOPPED)
            woken.append(job.name)
    return woken


def _tell(order: ReplayOrder, tally: ReplayTally, seconds: float, woken: list[str]) -> None:
    if order.as_json:
        told: dict[str, Any] = msgspec.to_builtins(tally)
        as_json({"dry_run": order.dry, "seconds": round(seconds, 3), **told, "jobs": woken})
        return
    rate = f", {tally.pages / seconds:,.0f}/s" if seconds > 0.5 else ""
    note(f"Read {plural(tally.pages, 'page')} again in {duration(seconds)}{rate}.")
    would = "would say" if order.dry else "say"
    note(f"{plural(tally.changed, 'page')} {would} something else now.")
    for field, count in sorted(tally.fields.items(), key=lambda item: (-item[1], item[0])):
        print(f"{field}: {plural(count, 'page')}")
        for each in tally.examples[field]:
            print(f"  {each.url}: {_shown(each.was)} -> {_shown(each.now)}")
    if tally.products:
        note(f"{plural(tally.products, 'product')} new or changed: `tenax products`.")
    if tally.handled:
        would = "would be" if order.dry else "are"
        changed = f", {tally.records_changed:,} new, changed or gone" if not order.dry else ""
        note(f"{plural(tally.records, 'record')} {would} told of {plural(tally.handled, 'page')}"
             f"{changed}: `tenax records`.")  # fmt: skip
    for handler, count in sorted(tally.failures.items()):
        url, error = tally.errors[handler]
        note(f"{printable(handler)} failed {plural(count, 'time')}, first at {url}:")
        note(indented(error))
    if tally.lost:
        note(f"{plural(tally.lost, 'body', 'bodies')} missing or damaged: `tenax audit --bodies`"
             " names the pages.")  # fmt: skip
    if tally.too_large:
        note(f"{plural(tally.too_large, 'page')} not read: too much memory, or a PDF that cannot be"
             " read here. They stay as they are.")  # fmt: skip
    if tally.unwanted:
        note(f"{plural(tally.unwanted, 'page')} asked not to be kept (noindex), read as today.")
    if order.links:
        note(f"{plural(tally.found, 'new URL')} found.")
    for name in woken:
        note(f"  {printable(name)} has work again: tenax jobs start {printable(name)}")


def _shown(value: Any) -> str:
    return printable(str(value)) or "(nothing)"


if __name__ == "__main__":
    live(_life)
