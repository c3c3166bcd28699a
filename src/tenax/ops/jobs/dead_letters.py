"""Return or purge dead letters: which ones are meant, and what became of them (FE-8)."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, Struct, UnsetType

from tenax.model import Fault, Job
from tenax.ops.why.lookup import as_asked, letters_of
from tenax.ports import DeadLetters, Jobs, Letters, Pages
from tenax.urls.normalise import host_of


class LetterChoice(Struct, frozen=True):
    """Those that meet everything named here; `all` for really all."""

    urls: tuple[str, ...] = ()
    ids: tuple[int, ...] | None = None
    """`target_id` of the letters."""
    job: str | None = None
    host: str | None = None
    """Or any URL of it."""
    fault: str | None = None
    contains: str = ""
    all: bool = False

    @property
    def says_which(self) -> bool:
        return self != LetterChoice(all=self.all)


class LettersMeant(Struct, frozen=True):
    """What was chosen, as the ledger understands it."""

    which: Letters
    jobs: tuple[Job, ...]
    not_found: tuple[str, ...] = ()
    """URLs that name no letter."""


class NoSuchJob(Struct, frozen=True):
    name: str
    known: tuple[str, ...]


class NoSuchFault(Struct, frozen=True):
    word: str


class SaysNotWhich(Struct, frozen=True):
    """Nothing was named, and not `all`: nobody means that."""


LetterMistake = NoSuchJob | NoSuchFault | SaysNotWhich


class LettersDone(Struct, frozen=True):
    by_job: dict[str, int]
    meant: LettersMeant

    def told(self) -> dict[str, Any]:
        """For `LetterAct`."""
        return {"jobs": self.by_job, "not_found": self.meant.not_found}

    @property
    def total(self) -> int:
        return sum(self.by_job.values())


class LettersCounted(Struct, frozen=True):
    faults: dict[str, int]
    meant: LettersMeant

    def told(self) -> dict[str, Any]:
        """For `LetterAct`."""
        return {"faults": self.faults, "not_found": self.meant.not_found}

    @property
    def total(self) -> int:
        return sum(self.faults.values())


class LetterAct(Struct, frozen=True, kw_only=True):
    jobs: dict[str, int] = {}
    """How many of each job."""
    not_found: tuple[str, ...] = ()
    """URLs of which there is no dead letter."""
    faults: dict[str, int] | UnsetType = UNSET
    """With `dry_run` only: how many of each fault."""


class LettersReturned(LetterAct, frozen=True, kw_only=True):
    returned: int
    """With `dry_run`, how many it would be."""


class LettersPurged(LetterAct, frozen=True, kw_only=True):
    purged: int
    """With `dry_run`, how many it would be."""


class LetterBooks(Struct, frozen=True):
    jobs: Jobs
    pages: Pages
    dead: DeadLetters


async def return_letters(books: LetterBooks, choice: LetterChoice) -> LettersDone | LetterMistake:
    """Have their URLs tried again, with all attempts. A job that was done is stopped then."""
    meant = await letters_meant(books, choice, is_change=True)
    if not isinstance(meant, LettersMeant):
        return meant
    return LettersDone(await books.dead.give_back(meant.which), meant)


async def purge_letters(books: LetterBooks, choice: LetterChoice) -> LettersDone | LetterMistake:
    """Forget them; their URLs stay failed."""
    meant = await letters_meant(books, choice, is_change=True)
    if not isinstance(meant, LettersMeant):
        return meant
    return LettersDone(await books.dead.purge(meant.which), meant)


async def count_letters(books: LetterBooks, choice: LetterChoice) -> LettersCounted | LetterMistake:
    """How many of each fault a change would be about: a dry run, which has to say which, too."""
    meant = await letters_meant(books, choice, is_change=True)
    if not isinstance(meant, LettersMeant):
        return meant
    return LettersCounted(await books.dead.counts(meant.which), meant)


async def letters_meant(
    books: LetterBooks, choice: LetterChoice, *, is_change: bool = False
) -> LettersMeant | LetterMistake:
    """A change has to say which; who only looks may look at all."""
    if is_change and not choice.all and not choice.says_which:
        return SaysNotWhich()
    jobs = await books.jobs.all()
    if choice.job is not None:
        names = tuple(job.name for job in jobs)
        jobs = [job for job in jobs if job.name == choice.job]
        if not jobs:
            return NoSuchJob(choice.job, names)
    # Older ledgers may have words that are none any more.
    is_word = choice.fault is None or choice.fault in {*Fault}
    if choice.fault and not is_word and choice.fault not in await books.dead.counts(Letters()):
        return NoSuchFault(choice.fault)
    found = {url: await letters_of(url, jobs, books.pages, books.dead) for url in choice.urls}
    ids = choice.ids
    if choice.urls:
        named = {letter.target_id for letters in found.values() for letter in letters}
        ids = tuple(sorted(named if ids is None else named & set(ids)))
    which = Letters(choice.job, _host(choice.host), choice.fault, choice.contains, ids)
    missing = tuple(url for url, letters in found.items() if not letters)
    return LettersMeant(which, tuple(jobs), missing)


def _host(typed: str | None) -> str | None:
    href = as_asked(typed) if typed else None
    return host_of(href) if href else typed
