"""How is a body read, so that no page takes the crawl down twice? (decision 0029)

Reading is C in the end: parsers, character sets, whatever a site's own parser calls. So before it
begins a note says which target it is for; and a target that has killed its reader is read by a
process of its own.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

from msgspec import Struct

from tenax.discover.gathered import ListingPolicy
from tenax.model import Fault, LeasedTarget, Page, Response
from tenax.outcome import Failed
from tenax.page import pdf
from tenax.page.media import MediaKind, kind_of, settle_type
from tenax.page.read import read
from tenax.page.verdict.validate import PageVerdict, validate
from tenax.page.verdict.wall_patterns import Signatures


class Reading(Struct, frozen=True):
    """One body, and what is asked of it."""

    response: Response
    fetched_at: float
    token: str = "tenax"
    products: bool = False
    listing: ListingPolicy | None = None
    """For a sitemap or feed: how much of it counts."""
    now: float = 0.0
    parser: str = ""
    """Who reads the product, by name; empty for whoever is registered for the host."""


class Died(Struct, frozen=True):
    """What became of the process that read a body alone, or rehearsed what is done with it."""

    how: str
    is_sure: bool = True
    """It was the page. Otherwise somebody else may have ended it, or it took too long."""

    @property
    def outcome(self) -> Failed:
        return Failed(Fault.INTERNAL, f"{KILLED}: {self.how}")


KILLED = "killed its worker"
MOST_CRASHES = 4
"""So often may a target take down its worker although its body was read alone and the rest was
rehearsed, where that was not clear: then it is not visited any more."""


class Note(Protocol):
    def begin(self, target_id: int, url: str, *, goes_on: bool = False) -> None:
        """What this process does from now on, it does for this target; where it `goes_on`, with
        more of a body that was begun before."""

    def end(self) -> None: ...


class LoneReader(Protocol):
    async def read(self, reading: Reading) -> Page | PageVerdict | Died | None:
        """Read it where nothing else can be harmed; None for a listing that is none."""


class Rehearsal(Protocol):
    async def died(self, work: Callable[[], Awaitable[object]], seconds: float) -> Died | None:
        """Do it first where nothing else can be harmed, and nothing comes of it. None where that
        was survived: here it will be, too. What it raises is no death."""


class NoNote:
    """For those whom nobody looks after."""

    def begin(self, target_id: int, url: str, *, goes_on: bool = False) -> None:
        return

    def end(self) -> None:
        return


async def foresee(response: Response) -> int:
    """Begin with what would keep everybody else waiting: PDF files, each read by a process of its
    own. How many bytes are left to read here."""
    body = response.body
    if not body:
        return 0
    # No type that is found by a look at the body is a PDF's, so none is taken.
    named = settle_type(response.headers.get("content-type") or "", b"")
    if kind_of(named) is MediaKind.PDF:
        await pdf.read_ahead(body)
        return 0
    return len(body)


def examine(reading: Reading, signatures: Signatures) -> Page | PageVerdict:
    """The page, or why it is none."""
    page = read(
        reading.response,
        fetched_at=reading.fetched_at,
        token=reading.token,
        products=reading.products,
        parser=reading.parser,
    )
    return validate(reading.response, page, signatures) or page


def is_hopeless(target: LeasedTarget) -> Failed | None:
    """The outcome of a target that is not to be visited any more."""
    if target.crashes < MOST_CRASHES:
        return None
    return Failed(Fault.INTERNAL, f"{KILLED}: {target.crashes} processes died of it")
