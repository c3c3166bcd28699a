"""Did a site stop being readable? Compares how well its products are read with how they were."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from msgspec import Struct

from tenax.ports.products import RateRecord

ENOUGH = 20
"""Pages before and after that a comparison takes."""
DROP = 0.7
"""Below this share of what it was, the rate has dropped."""


class SiteRate(Struct, frozen=True):
    """How a parser does on a site: in all, and on the last day it read anything there."""

    site: str
    parser: str
    version: str
    pages: int
    complete: int
    last_day: int
    last_pages: int
    last_complete: int
    has_dropped: bool
    """The last day is much worse than what was read of the site before (PROD-5)."""


def by_site(rates: Iterable[RateRecord]) -> list[SiteRate]:
    """Rates come sorted by site, parser, version and day."""
    listed = list(rates)
    sites: dict[str, list[RateRecord]] = {}
    for rate in listed:
        sites.setdefault(rate.site, []).append(rate)
    found = []
    for (site, parser, version), group in groupby(
        listed, key=lambda rate: (rate.site, rate.parser, rate.version)
    ):
        days = list(group)
        last = days[-1]
        # Of all versions: a new one that reads less is a drop, too.
        before = [rate for rate in sites[site] if rate.day < last.day]
        found.append(
            SiteRate(
                site, parser, version,
                sum(rate.pages for rate in days), sum(rate.complete for rate in days),
                last.day, last.pages, last.complete, _has_dropped(before, last),
            )
        )  # fmt: skip
    return found


def _has_dropped(before: list[RateRecord], last: RateRecord) -> bool:
    pages = sum(rate.pages for rate in before)
    if pages < ENOUGH or last.pages < ENOUGH:
        return False
    return last.rate < DROP * sum(rate.complete for rate in before) / pages
