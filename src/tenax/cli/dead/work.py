"""What do the commands of `tenax dead` do? Find the letters meant, show or change them."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import AsyncIterator, Sequence

from tenax.cli.explain.show_story import attempt_lines
from tenax.cli.look.show_pages import no_such_job
from tenax.cli.terminal.say import (
    EXIT_BAD_INPUT,
    EXIT_NOTHING,
    as_json,
    at_data,
    fail,
    moment,
    note,
    plain,
    plural,
    printable,
)
from tenax.cli.terminal.table import TableColumn, table, terminal_width
from tenax.compose import Ledger, open_ledger
from tenax.model import Fault
from tenax.ops.jobs.dead_letters import (
    LetterBooks,
    LetterChoice,
    LetterMistake,
    LettersCounted,
    LettersDone,
    LettersMeant,
    LettersPurged,
    LettersReturned,
    NoSuchFault,
    NoSuchJob,
    SaysNotWhich,
    count_letters,
    letters_meant,
    purge_letters,
    return_letters,
)
from tenax.ports import DeadLetter, Letters
from tenax.settings import Settings

_PAGE = 500


async def list_letters(settings: Settings, wanted: LetterChoice, limit: int, json: bool) -> int:
    async with open_ledger(settings, create=False) as ledger:
        meant = await letters_meant(_books(ledger), wanted)
        if not isinstance(meant, LettersMeant):
            return _mistaken(ledger, meant)
        if json:
            async for letter in _all(ledger, meant.which, limit):
                as_json(letter)
            return 0
        shown = [letter async for letter in _all(ledger, meant.which, limit)]
        counts = await ledger.dead.counts(meant.which)
    _tell_list(settings, wanted, shown, counts)
    return 0


async def show_letters(settings: Settings, wanted: LetterChoice, json: bool) -> int:
    async with open_ledger(settings, create=False) as ledger:
        meant = await letters_meant(_books(ledger), wanted)
        if not isinstance(meant, LettersMeant):
            return _mistaken(ledger, meant)
        for letter in await ledger.dead.find(meant.which):
            attempts = tuple(await ledger.pages.attempts(letter.target_id))
            if json:
                as_json({**plain(letter), "history": plain(attempts)})
                continue
            tries = plural(letter.attempts, "attempt")
            print(printable(letter.url))
            print(f"  In job {printable(letter.job)}: given up at {moment(letter.at)}, {tries}")
            print(f"  {'reason':<10}  {printable(letter.reason)}")
            print("\n".join(attempt_lines(attempts)))
    if not meant.not_found and not json:
        note(f"Try it again: tenax dead return {shlex.quote(wanted.urls[0])}{at_data(settings)}")
    return _complain(meant, settings)


async def give_back(settings: Settings, wanted: LetterChoice, dry: bool, json: bool) -> int:
    async with open_ledger(settings, create=False) as ledger:
        if dry:
            counted = await count_letters(_books(ledger), wanted)
            if not isinstance(counted, LettersCounted):
                return _mistaken(ledger, counted)
            if json:
                as_json(LettersReturned(returned=counted.total, **counted.told()))
            return _tell_dry(counted, "return", settings, json)
        done = await return_letters(_books(ledger), wanted)
        if not isinstance(done, LettersDone):
            return _mistaken(ledger, done)
    meant, returned = done.meant, done.by_job
    if json:
        as_json(LettersReturned(returned=done.total, **done.told()))
        return EXIT_NOTHING if meant.not_found else 0
    if returned or not meant.not_found:
        note(f"Returned {_sum(returned)}.")
    if returned:
        note("A crawl under way fetches them by itself. Otherwise run it again, as before:")
    for job in meant.jobs:
        if job.name in returned:
            seed = shlex.quote(job.spec.seeds[0]) if job.spec.seeds else "URL"
            note(f"  tenax crawl {seed} --job {shlex.quote(job.name)}{at_data(settings)}")
    return _complain(meant, settings)


async def purge(settings: Settings, wanted: LetterChoice, dry: bool, json: bool) -> int:
    async with open_ledger(settings, create=False) as ledger:
        if dry:
            counted = await count_letters(_books(ledger), wanted)
            if not isinstance(counted, LettersCounted):
                return _mistaken(ledger, counted)
            if json:
                as_json(LettersPurged(purged=counted.total, **counted.told()))
            return _tell_dry(counted, "purge", settings, json)
        done = await purge_letters(_books(ledger), wanted)
        if not isinstance(done, LettersDone):
            return _mistaken(ledger, done)
    meant, purged = done.meant, done.by_job
    if json:
        as_json(LettersPurged(purged=done.total, **done.told()))
        return EXIT_NOTHING if meant.not_found else 0
    if purged or not meant.not_found:
        note(f"Purged {_sum(purged)}.")
    if purged:
        note(f"Their URLs stay failed; `tenax why URL{at_data(settings)}` still tells their story.")
    return _complain(meant, settings)


def _tell_dry(counted: LettersCounted, word: str, settings: Settings, json: bool) -> int:
    if json:
        return EXIT_NOTHING if counted.meant.not_found else 0
    faults = ", ".join(f"{count:,} {printable(fault)}" for fault, count in counted.faults.items())
    letters = plural(counted.total, "dead letter")
    note(f"Would {word} {letters}{f': {faults}' if faults else ''}. Nothing is changed.")
    return _complain(counted.meant, settings)


def _books(ledger: Ledger) -> LetterBooks:
    return LetterBooks(ledger.jobs, ledger.pages, ledger.dead)


def _mistaken(ledger: Ledger, mistake: LetterMistake) -> int:
    match mistake:
        case NoSuchJob(name=name, known=known):
            return no_such_job(ledger, name, known)
        case NoSuchFault(word=word):
            close = difflib.get_close_matches(word, [*Fault], n=1)
            hint = f"Did you mean {close[0]}?" if close else f"There are: {', '.join(Fault)}."
            return fail(f"--fault {printable(word)}: no such fault. {hint}", EXIT_BAD_INPUT)
        case SaysNotWhich():
            return fail(
                "dead: which ones? Name URLs, choose by --fault, --host, --job or --contains, or"
                " say --all for every one.",
                EXIT_BAD_INPUT,
            )


async def _all(ledger: Ledger, which: Letters, limit: int) -> AsyncIterator[DeadLetter]:
    """The latest letters, in memory only so many at a time."""
    after: tuple[float, int] | None = None
    while limit > 0 and (found := await ledger.dead.find(which, after, min(limit, _PAGE))):
        for letter in found:
            yield letter
        limit -= len(found)
        after = (found[-1].at, found[-1].target_id)


def _tell_list(
    settings: Settings, wanted: LetterChoice, shown: Sequence[DeadLetter], counts: dict[str, int]
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
    data = at_data(settings)
    note(f"Look at one: tenax dead show URL{data}")
    note(f"Have them tried again: tenax dead return {_flags(wanted)}{data}")


def _flags(wanted: LetterChoice) -> str:
    """The same choice for the next command."""
    named = {"fault": wanted.fault, "host": wanted.host, "job": wanted.job,
             "contains": wanted.contains}  # fmt: skip
    flags = [f"--{name} {shlex.quote(value)}" for name, value in named.items() if value]
    return " ".join(flags) or "--all"


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


def _complain(meant: LettersMeant, settings: Settings) -> int:
    for url in meant.not_found:
        fail(
            f"{printable(url)}: not a dead letter."
            f" `tenax why URL{at_data(settings)}` tells where it stands.",
            EXIT_NOTHING,
        )
    return EXIT_NOTHING if meant.not_found else 0
