"""Which known URLs are asked for? A list that goes on until enough are found."""

from __future__ import annotations

from msgspec import Struct

from tenax.model import State
from tenax.ports.overview import ListOrder, Overview, Sieve, UrlRecord


class SieveUnclear(Struct, frozen=True):
    """Nobody can mean that: which field, and what to do."""

    field: str
    why: str


def unclear(sieve: Sieve) -> SieveUnclear | None:
    """What is wrong with a question for URLs, if anything is."""
    if sieve.order is not ListOrder.NEXT:
        return None
    if sieve.job is None and sieve.host is None:
        return SieveUnclear("order", "what comes next is told of a job or a host: name one.")
    if sieve.reason is not None or sieve.state not in (None, State.PENDING):
        return SieveUnclear("order", "only what waits comes next: leave out state and reason.")
    return None


class FoundUrls(Struct, frozen=True):
    urls: list[UrlRecord]
    is_whole: bool
    """Whether there are no others."""


async def first_urls(overview: Overview, sieve: Sieve, limit: int) -> FoundUrls:
    """So many URLs, however many steps it takes to find them."""
    found: list[UrlRecord] = []
    place: int | None = 0
    while place is not None and len(found) < limit:
        some, place = await overview.urls(sieve, place, min(limit - len(found), _STEP))
        found += some
    return FoundUrls(found, place is None)


_STEP = 500
