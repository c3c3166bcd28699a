"""What did a visit show of the place it asked for?"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from tenax.model import Role
from tenax.outcome import (
    Duplicate,
    Garbage,
    Gone,
    Moved,
    Outcome,
    Priced,
    Read,
    Refused,
    Unchanged,
)
from tenax.urls.normalise import path_of


class Result(StrEnum):
    """How a visit ended, as far as guesses are concerned."""

    READ = "read"
    """There is a page; whether it brought anything is another question."""
    GONE = "gone"
    REPEATED = "repeated"
    """The content of another page, or a redirect to one."""
    FAILED = "failed"
    """No answer that says anything of the page: a guess goes on waiting for one."""
    REFUSED = "refused"
    """We may not ask for it: the door or robots.txt says so."""
    KNOWN = "known"
    """A guess that the job knew already: nobody is asked on its account."""


class Sight(Struct, frozen=True):
    path: str
    """Path and query of what was asked for."""
    role: Role
    result: Result
    brought: bool
    """It was the first to name some URL."""
    found: tuple[str, ...] = ()
    """Those of its own host, as paths."""
    was_asked: bool = False
    """It is the answer to a guess that we know of."""

    @property
    def is_hit(self) -> bool:
        return self.result is Result.READ and self.brought

    @property
    def why_not(self) -> str:
        """Why it is no hit, in words that stand behind its name."""
        return _WHY_NOT[self.result]


_WHY_NOT = {
    Result.READ: "brought nothing new",
    Result.GONE: "is not there",
    Result.REPEATED: "repeats another",
    Result.FAILED: "gave no answer",
    Result.REFUSED: "may not be asked for",
    Result.KNOWN: "was known",
}


def result_of(outcome: Outcome, url: str, *, is_duplicate: bool = False) -> Result:
    """What a visit to `url` says of it."""
    match outcome:
        case Read(page=page):
            is_elsewhere = page.url != url and (
                path_of(page.url).rstrip("/") != path_of(url).rstrip("/")
            )
            return Result.REPEATED if is_elsewhere or is_duplicate else Result.READ
        case Unchanged():
            return Result.READ
        case Duplicate() | Moved():
            return Result.REPEATED
        case Gone() | Garbage(is_hard=False):
            return Result.GONE
        case Refused() | Priced():
            return Result.REFUSED
        case _:
            return Result.FAILED
