"""What do the commands of `tenax dead` do? Find the letters meant, show or change them."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import AsyncIterator, Sequence

from msgspec import Struct

from tenax.cli.explain.show_story import attempt_lines
from tenax.cli.look.show_pages import chosen_jobs
from tenax.cli.terminal.say import (
    EXIT_BAD_INPUT,
    EXIT_NOTHING,
    as_json,
    fail,
    moment,
    note,
    plain,
    plural,
    printable,
)
from tenax.cli.terminal.table import TableColumn, table, terminal_width
from tenax.compose import App, open_app
from tenax.model import Fault, Job
from tenax.ops.why.lookup import as_asked, letters_of
from tenax.ports import DeadLetter, Letters
from tenax.settings import Settings
from tenax.urls.normalise import host_of

_PAGE = 500


class WantedLetters(Struct, frozen=True):
    """Which letters a command is about, as typed; all of it must hold."""

    urls: tuple[str, ...] = ()
    job: str | None = None
    host: str | None = None
    fault: str | None = None
    contains: str = ""

    @property
    def says_which(self) -> bool:
        return self != WantedLetters()

    @property
    def flags(self) -> str:
        """The same choice for the next command."""
        named = {"fault": self.fault, "host": self.host, "job": self.job, "contains": self.contains}
        flags = [f"--{name} {shlex.quote(value)}" for name, value in named.items() if value]
        return " ".join(flags) or "--all"


class _Meant(Struct, frozen=True):
    """What was typed, as the ledger understands it."""

    which: Letters
    jobs: list[Job]
    missing: list[str]
    """URLs that name no letter."""


async def list_letters(settings: Settings, wanted: WantedLetters, limit: int, json: bool) -> int:
    async with open_app(settings, create=False) as app:
        meant = await _understand(app, wanted)
        if meant is None:
            return EXIT_BAD_INPUT
        if json:
            async for letter in _all(app, meant.which, limit):
                as_json(plain(letter))
            return 0
        shown = [letter async for letter in _all(app, meant.which, limit)]
        counts = await app.dead.counts(meant.which)
    _tell_list(settings, wanted, shown, counts)
    return 0


async def show_letters(settings: Settings, wanted: WantedLetters, json: bool) -> int:
    async with open_app(settings, create=False) as app:
        meant = await _understand(app, wanted)
        if meant is None:
            return EXIT_BAD_INPUT
        for letter in await app.dead.find(meant.which):
            attempts = tuple(await app.pages.attempts(letter.target_id))
            if json:
                as_json({**plain(letter), "history": plain(attempts)})
                continue
            tries = plural(letter.attempts, "attempt")
            print(printable(letter.url))
            print(f"  In job {printable(letter.job)}: given up at {moment(letter.at)}, {tries}")
            print(f"  {'reason':<10}  {printable(letter.reason)}")
            print("\n".join(attempt_lines(attempts)))
    if not meant.missing and not json:
        note(f"Try it again: tenax dead return {shlex.quote(wanted.urls[0])}{_data(settings)}")
    return _complain(meant, settings)


async def return_letters(settings: Settings, wanted: WantedLetters, json: bool) -> int:
    async with open_app(settings, create=False) as app:
        meant = await _understand(app, wanted)
        if meant is None:
            return EXIT_BAD_INPUT
        returned = await app.dead.give_back(meant.which)
    if json:
        as_json({"returned": sum(returned.values()), "jobs": returned, "not_found": meant.missing})
        return EXIT_NOTHING if meant.missing else 0
    if returned or not meant.missing:
        note(f"Returned {_sum(returned)}.")
    if returned:
        note("A crawl under way fetches them by itself. Otherwise run it again, as before:")
    for job in meant.jobs:
        if job.name in returned:
            seed = shlex.quote(job.spec.seeds[0]) if job.spec.seeds else "URL"
            note(f"  tenax crawl {seed} --job {shlex.quote(job.name)}{_data(settings)}")
    return _complain(meant, settings)


async def purge_letters(settings: Settings, wanted: WantedLetters, json: bool) -> int:
    async with open_app(settings, create=False) as app:
        meant = await _understand(app, wanted)
        if meant is None:
            return EXIT_BAD_INPUT
        purged = await app.dead.purge(meant.which)
    if json:
        as_json({"purged": sum(purged.values()), "jobs": purged, "not_found": meant.missing})
        return EXIT_NOTHING if meant.missing else 0
    if purged or not meant.missing:
        note(f"Purged {_sum(purged)}.")
    if purged:
        note(f"Their URLs stay failed; `tenax why URL{_data(settings)}` still tells their story.")
    return _complain(meant, settings)


async def _understand(app: App, wanted: WantedLetters) -> _Meant | None:
    """None, with the complaint told, when a job or fault is not one."""
    jobs = await chosen_jobs(app, wanted.job)
    if jobs is None or not await _is_fault(app, wanted.fault):
        return None
    ids: tuple[int, ...] | None = None
    missing = []
    if wanted.urls:
        found = {url: await letters_of(url, jobs, app.pages, app.dead) for url in wanted.urls}
        ids = tuple(letter.target_id for letters in found.values() for letter in letters)
        missing = [url for url, letters in found.items() if not letters]
    which = Letters(wanted.job, _host(wanted.host), wanted.fault, wanted.contains, ids)
    return _Meant(which, jobs, missing)


async def _is_fault(app: App, word: str | None) -> bool:
    if word is None or word in {*Fault} or word in await app.dead.counts(Letters()):
        return True
    close = difflib.get_close_matches(word, [*Fault], n=1)
    hint = f"Did you mean {close[0]}?" if close else f"There are: {', '.join(Fault)}."
    fail(f"--fault {printable(word)}: no such fault. {hint}", EXIT_BAD_INPUT)
    return False


def _host(typed: str | None) -> str | None:
    """A host may be named by any URL of it."""
    href = as_asked(typed) if typed else None
    return host_of(href) if href else typed


async def _all(app: App, which: Letters, limit: int) -> AsyncIterator[DeadLetter]:
    """The latest letters, in memory only so many at a time."""
    after: tuple[float, int] | None = None
    while limit > 0 and (found := await app.dead.find(which, after, min(limit, _PAGE))):
        for letter in found:
            yield letter
        limit -= len(found)
        after = (found[-1].at, found[-1].target_id)


def _tell_list(
    settings: Settings, wanted: WantedLetters, shown: Sequence[DeadLetter], counts: dict[str, int]
) -> None:
    if not shown:
        note("No dead letters match." if wanted.says_which else "No dead letters.")
        return
    columns = (
        TableColumn("given up"), TableColumn("fault"), TableColumn("URL", yields=True),
        TableColumn("reason", most=80, yields=True), TableColumn("attempts", right=True),
    )  # fmt: skip
    print("\n".join(table(columns, [_row(letter) for letter in shown], terminal_width())))
    total = sum(counts.values())
    part = "" if total <= len(shown) else f"{len(shown):,} of "
    rest = "" if total <= len(shown) else ", the latest; --limit for more"
    faults = ", ".join(f"{count:,} {printable(fault)}" for fault, count in counts.items())
    note(f"{part}{plural(total, 'dead letter')}{rest}: {faults}.")
    data = _data(settings)
    note(f"Look at one: tenax dead show URL{data}")
    note(f"Have them tried again: tenax dead return {wanted.flags}{data}")


def _row(letter: DeadLetter) -> tuple[str, ...]:
    return (
        moment(letter.at),
        letter.fault,
        printable(letter.url),
        printable(letter.detail or letter.reason),
        str(letter.attempts),
    )


def _sum(by_job: dict[str, int]) -> str:
    if not by_job:
        return "nothing: there is no such dead letter"
    jobs = ", ".join(f"{count:,} of job {printable(name)}" for name, count in by_job.items())
    return f"{plural(sum(by_job.values()), 'dead letter')}: {jobs}"


def _complain(meant: _Meant, settings: Settings) -> int:
    for url in meant.missing:
        fail(
            f"{printable(url)}: not a dead letter."
            f" `tenax why URL{_data(settings)}` tells where it stands.",
            EXIT_NOTHING,
        )
    return EXIT_NOTHING if meant.missing else 0


def _data(settings: Settings) -> str:
    return "" if settings.data == "./tenax-data" else f" --data {shlex.quote(settings.data)}"
