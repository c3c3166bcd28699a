"""How is a sitemap or feed read without keeping others waiting, or memory from them? (DISC-1)"""

from __future__ import annotations

import asyncio

from tenax.discover.gathered import ListingPolicy
from tenax.discover.listings import listing_steps
from tenax.fetch.reading import Died, LoneReader, Note, Reading
from tenax.model import LeasedTarget, Listing, Page, Request, Response, Role
from tenax.outcome import Gone, Outcome

LISTINGS = frozenset({Role.SITEMAP, Role.FEED})


class Room:
    """A place among the large bodies in memory; taken when the turn has come, kept until read."""

    __slots__ = ("_is_taken", "_places")

    def __init__(self, places: asyncio.Semaphore) -> None:
        self._places = places
        self._is_taken = False

    async def enter(self) -> None:
        if not self._is_taken:
            await self._places.acquire()
            self._is_taken = True

    def leave(self) -> None:
        if self._is_taken:
            self._places.release()
            self._is_taken = False


class ListingReader:
    """Reads what one process fetches of them."""

    def __init__(self, policy: ListingPolicy) -> None:
        self._policy = policy
        self._places = asyncio.Semaphore(policy.at_once)
        self._turn = asyncio.Lock()

    def room(self) -> Room:
        return Room(self._places)

    def request(self, url: str, headers: tuple[tuple[str, str], ...]) -> Request:
        """Its type is no matter: they come as text, as HTML, and as files of no type."""
        return Request(url, "GET", headers, self._policy.limits, any_type=True)

    async def read(
        self,
        response: Response,
        *,
        fetched_at: float,
        now: float,
        note: Note | None = None,
        target: LeasedTarget | None = None,
    ) -> Page | Gone:
        """A page with nothing but its listing; `Gone` for what is none, whatever its status says.

        Fifty megabytes take seconds, so the network is looked at every few milliseconds, and of
        several documents each is read a little in turn. No thread does it: that would only fight
        for the same interpreter. The note says at each step whose it is.
        """
        header = response.headers.get("content-type") or ""
        steps = listing_steps(response.body or b"", response.url, header, self._policy, now=now)
        goes_on = False
        while True:
            async with self._turn:
                if note is not None and target is not None:
                    note.begin(target.id, target.url, goes_on=goes_on)
                try:
                    next(steps)
                except StopIteration as end:
                    return listed(response, end.value, fetched_at)
                finally:
                    if note is not None:
                        note.end()
                goes_on = True
                await asyncio.sleep(0)

    async def read_alone(
        self, reader: LoneReader, response: Response, *, fetched_at: float, now: float
    ) -> Page | Outcome:
        """The same for a document that has killed its reader."""
        seen = await reader.read(Reading(response, fetched_at, listing=self._policy, now=now))
        if isinstance(seen, Died):
            return seen.outcome
        return seen if isinstance(seen, Page) else no_listing(response)


def listed(response: Response, listing: Listing | None, fetched_at: float) -> Page | Gone:
    """The page of what an answer lists; `Gone` when that is nothing."""
    if listing is None:
        return no_listing(response)
    return as_page(response, listing, fetched_at)


def no_listing(response: Response) -> Gone:
    kind = response.content_type
    came = f"but {kind[:100]}" if kind else "and of no type"
    return Gone(response.status, f"no sitemap or feed, {came}")


def as_page(response: Response, listing: Listing, fetched_at: float) -> Page:
    # What its headers say of indexing is said of the document, not of the pages it lists.
    return Page(
        response.url,
        response.status,
        response.content_type,
        None,
        fetched_at,
        etag=response.headers.get("etag") or "",
        last_modified=response.headers.get("last-modified") or "",
        base=response.url,
        listing=listing,
    )
