"""Purge stored pages: which are meant, how many they are, and away with them step by step."""

from __future__ import annotations

from msgspec import Struct

from tenax.ports import Clock, PageChoice, Pages


class PagesPurged(Struct, frozen=True):
    pages: int
    is_whole: bool
    """False where time was up: to be ordered again for the rest."""


class PurgeNamesNothing(Struct, frozen=True):
    """Nothing was named, and not `all`: nobody means that."""


async def purge_pages(
    pages: Pages,
    clock: Clock,
    which: PageChoice,
    *,
    everything: bool = False,
    dry: bool = False,
    seconds: float,
) -> PagesPurged | PurgeNamesNothing:
    """Forget these pages, for so many seconds at most; dry, they are only counted. Their URLs stay
    known, and so do products, prices and bodies."""
    if which == PageChoice() and not everything:
        return PurgeNamesNothing()
    purged, after, until = 0, 0, clock.now() + seconds
    while True:
        count, place = await pages.purge(which, after, dry=dry)
        purged += count
        if place is None:
            return PagesPurged(purged, is_whole=True)
        if clock.now() >= until:
            return PagesPurged(purged, is_whole=False)
        after = place
