"""The web of a chaos run: sites with an address each, in a process of their own. It writes down
each request as it arrives, and when it is told to end, whether any came too early.

    python -m tests.chaos.web FOLDER PAGES DELAY ADDRESS...
"""

from __future__ import annotations

import asyncio
import json
import signal
import sys
import time
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from tenax.demo import LoggedRequest, TreeSite
from tenax.demo.site import Reply, Site, SiteRequest
from tenax.demo.wire import Connection
from tests.e2e.politeness import Lateness, after_cuts, measured_lateness, too_early
from tests.killers import DeadlySite

PORT = 8_000
LOG, VERDICT, CUTS = "requests.log", "politeness.json", "cuts.log"
DEADLY = ("crash", "abort", "leave")
"""How pages of the first site kill their readers."""


def make_sites(pages: int, addresses: list[str]) -> list[TreeSite]:
    # Spread over the whole crawl, so that readers die while other things go wrong.
    deadly = {pages * (n + 1) // (len(DEADLY) + 1): way for n, way in enumerate(DEADLY)}
    sites: list[TreeSite] = [DeadlySite(name="site0", pages=pages, deadly=deadly)]
    sites += [TreeSite(name=f"site{n}", pages=pages) for n in range(1, len(addresses))]
    origins = {
        site.name: f"http://{address}:{PORT}"
        for site, address in zip(sites, addresses, strict=True)
    }
    for site in sites:
        site.place(origins)
    return sites


def wanted(sites: list[TreeSite]) -> set[str]:
    """Every page that a crawl has to bring."""
    return set().union(*(site.expected_urls() for site in sites)) - deadly(sites)


def deadly(sites: list[TreeSite]) -> set[str]:
    """Those that kill their readers: dead letters in the end."""
    return {url for site in sites if isinstance(site, DeadlySite) for url in site.deadly_urls()}


async def _serve(sites: list[TreeSite], addresses: list[str], log: Path) -> list[LoggedRequest]:
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
    folder, pages, delay, *addresses = sys.argv[1:]
    sites = make_sites(int(pages), addresses)
    with measured_lateness() as lateness:
        seen = asyncio.run(_serve(sites, addresses, Path(folder) / LOG))
    told = verdict(seen, float(delay), lateness, read_cuts(Path(folder) / CUTS))
    (Path(folder) / VERDICT).write_text(json.dumps(told))


if __name__ == "__main__":
    main()
