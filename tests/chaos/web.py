"""The web of a chaos run: sites with an address each, in a process of their own. They have new
pages for as long as things go wrong, however long that is. It writes down each request as it
arrives, and when it is told to end, whether any came too early.

    python -m tests.chaos.web FOLDER DELAY ADDRESS...
"""

from __future__ import annotations

import asyncio
import json
import signal
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tenax.demo import LoggedRequest
from tenax.demo.site import Reply, Site, SiteRequest
from tenax.demo.wire import Connection
from tests.e2e.politeness import Lateness, after_cuts, measured_lateness, too_early
from tests.killers import DeadlySite

PORT = 8_000
LOG, VERDICT, CUTS = "requests.log", "politeness.json", "cuts.log"
OVER, ENDS = "over", "ends.json"
"""A file that says that no more pages are to come, and one that says which was each site's last."""
DEADLY = {5 + 20 * n: ("crash", "abort", "leave")[n % 3] for n in range(1_000)}
"""Which pages of the first site kill their readers, and how: spread over the whole crawl."""
FEWEST = 50
"""Pages of a site, at least: so many that a reader has died in each way."""
PUNCTUAL = 0.97
"""The share of the delay that has to lie between two requests: on a machine with ten times more to
do than it can, one that left in time is seen to come some hundredths of a second late."""
AHEAD = 20
"""How many pages each one leads to: a crawl has as many to choose from."""


@dataclass
class GrowingSite(DeadlySite):
    """Each page leads to the next ones, until the site is told to stop: then to those that some
    page has led to already. So what there is does not depend on whether an answer was heard."""

    pages: int = 1_000_000
    furthest: int = 0
    last: int | None = None

    def neighbours(self, number: int) -> list[int]:
        end = number + AHEAD
        if self.last is None:
            self.furthest = max(self.furthest, end)
        else:
            end = min(end, self.last)
        return list(range(number + 1, end + 1))

    def stop(self) -> int:
        if self.last is None:
            self.last = max(self.furthest, FEWEST)
        return self.last


def make_sites(addresses: list[str]) -> list[GrowingSite]:
    sites = [
        GrowingSite(name=f"site{n}", deadly={} if n else DEADLY) for n in range(len(addresses))
    ]
    origins = {
        site.name: f"http://{address}:{PORT}"
        for site, address in zip(sites, addresses, strict=True)
    }
    for site in sites:
        site.place(origins)
    return sites


def wanted(sites: list[GrowingSite], ends: dict[str, int]) -> tuple[set[str], set[str]]:
    """Every page that a crawl has to bring; those that kill their readers, dead letters in the
    end."""
    found: set[str] = set()
    deadly: set[str] = set()
    for site in sites:
        for number in range(ends[site.name] + 1):
            url = f"{site.origin}/p/{number}" if number else site.url
            (deadly if number in site.deadly else found).add(url)
    return found, deadly


async def _serve(sites: list[GrowingSite], addresses: list[str], log: Path) -> list[LoggedRequest]:
    ends = log.with_name(ENDS)
    seen: list[LoggedRequest] = []
    connections: set[Connection] = set()
    over = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, over.set)
    with log.open("w", buffering=1) as written:

        def answer(site: Site, request: SiteRequest) -> Reply:
            at = time.monotonic()
            seen.append(
                LoggedRequest(at, site.name, "", request.method, request.target, "", 200, 1)
            )
            written.write(f"{at:.4f} {site.name} {request.target}\n")
            if not ends.exists() and log.with_name(OVER).exists():
                told = ends.with_suffix(".part")
                told.write_text(json.dumps({each.name: each.stop() for each in sites}))
                told.rename(ends)
            return site.answer(request)

        for site, address in zip(sites, addresses, strict=True):
            await loop.create_server(
                partial(Connection, partial(answer, site), lambda: None, connections),
                address, PORT, backlog=256,
            )  # fmt: skip
        await over.wait()
    return seen


def read_cuts(path: Path) -> list[tuple[float, float]]:
    """When the network was cut, and there again: written by whoever did it, by the same clock."""
    if not path.exists():
        return []
    lines = [line.split() for line in path.read_text().splitlines()]
    return [(float(begin), float(end)) for begin, end in lines]


def verdict(
    seen: list[LoggedRequest],
    delay: float,
    lateness: Lateness,
    cuts: Sequence[tuple[float, float]] = (),
) -> dict[str, object]:
    early, close = {}, 0
    for name in {each.site for each in seen}:
        # What robots.txt forbids is not known before it was asked for: it is a request like others.
        asked_here = [each for each in seen if each.site == name]
        told, found = after_cuts(asked_here, delay, cuts)
        kept = too_early(told, delay, lateness)
        close += len(too_early(asked_here, delay, lateness)) - len(kept)
        if found := found + kept:
            early[name] = found
    asked = Counter((each.site, each.path) for each in seen)
    return {
        "requests": len(seen),
        "pages": len(asked),
        "again": sum(asked.values()) - len(asked),
        "too_early": early,
        "close_around_cuts": max(0, close),
    }


def main() -> None:
    folder, delay, *addresses = sys.argv[1:]
    sites = make_sites(addresses)
    with measured_lateness() as lateness:
        seen = asyncio.run(_serve(sites, addresses, Path(folder) / LOG))
    told = verdict(seen, PUNCTUAL * float(delay), lateness, read_cuts(Path(folder) / CUTS))
    (Path(folder) / VERDICT).write_text(json.dumps(told))


if __name__ == "__main__":
    main()
