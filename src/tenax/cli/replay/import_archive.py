"""How are archives taken in from a terminal, and what is said of what was left out?"""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from msgspec import Struct
from msgspec.structs import replace

from tenax.cli.terminal.bar import Bar
from tenax.cli.terminal.interrupts import interruptible
from tenax.cli.terminal.say import (
    EXIT_BAD_INPUT,
    EXIT_INTERRUPTED,
    EXIT_NOTHING,
    as_json,
    fail,
    note,
    plural,
    printable,
)
from tenax.compose import Ledger, open_ledger
from tenax.compose.replay import make_importer
from tenax.model import Job
from tenax.ops.jobs.create import archive_job
from tenax.ops.replay.import_archive import Importer, ImportTally
from tenax.settings import Settings


class ImportOrder(Struct, frozen=True):
    """One `tenax import-warc` as the user asked for it."""

    settings: Settings
    files: tuple[Path, ...]
    job: str
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    max_pages: int | None
    quiet: bool
    as_json: bool


async def run_import(order: ImportOrder) -> int:
    for file in order.files:
        if not file.is_file():
            return fail(f"{file}: no such file.", EXIT_BAD_INPUT)
    async with open_ledger(order.settings) as ledger:
        importer = make_importer(ledger, await _job(order, ledger))
        async with interruptible(importer) as interruption:
            await _take(order, importer)
    tally = importer.tally
    _tell(order, tally)
    if interruption.count:
        note("Cut off. The same command takes the rest: what is there is not taken twice.")
        return EXIT_INTERRUPTED
    return 0 if tally.pages or tally.older else EXIT_NOTHING


async def _job(order: ImportOrder, ledger: Ledger) -> Job:
    spec = replace(
        ledger.settings.job,
        include=order.include,
        exclude=order.exclude,
        max_pages=order.max_pages,
    )
    return await archive_job(ledger.jobs, order.job, spec)


async def _take(order: ImportOrder, importer: Importer) -> None:
    total = sum(file.stat().st_size for file in order.files) // _MEGABYTE
    done = 0
    with Bar(total, "MB", quiet=order.quiet or order.as_json) as bar:
        for file in order.files:
            with file.open("rb") as opened:
                await importer.take(_Watched(opened, bar, done), file.name)
            done += file.stat().st_size
            if importer.is_full:
                return


class _Watched:
    """A file that tells how much of it was read."""

    def __init__(self, file: BinaryIO, bar: Bar, before: int) -> None:
        self._file = file
        self._bar = bar
        self._before = before

    def read(self, size: int, /) -> bytes:
        data = self._file.read(size)
        self._bar.tick((self._before + self._file.tell()) // _MEGABYTE)
        return data

    def seek(self, offset: int, /) -> object:
        return self._file.seek(offset)


def _tell(order: ImportOrder, tally: ImportTally) -> None:
    if order.as_json:
        as_json({
            "job": order.job, "records": tally.records, "new": tally.new,
            "renewed": tally.renewed, "older": tally.older, "held": tally.held,
            "unresolved": tally.unresolved, "left_out": dict(tally.left_out),
            "damaged": tally.damaged, "damages": tally.damages,
        })  # fmt: skip
        return
    renewed = f", {tally.renewed:,} of them newer copies" if tally.renewed else ""
    name = printable(order.job)
    note(f"Took {plural(tally.pages, 'page')} into {name}{renewed}.")
    if tally.older:
        note(f"  {tally.older:,} were there already.")
    for why, count in tally.left_out.most_common():
        note(f"  {count:,} left out: {why}")
    if tally.unresolved:
        note(f"  {tally.unresolved:,} left out: they only name a record that did not come before")
    if tally.held:
        note(f"  {tally.held:,} left out: a crawl is just visiting them")
    if tally.damaged:
        note(f"  {plural(tally.damaged, 'damaged stretch', 'damaged stretches')} passed over:")
        for damage in tally.damages:
            note(f"    {damage}")


_MEGABYTE = 1_000_000
