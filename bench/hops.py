"""Does the walk of a URL run one way? Calls between its steps, and the transactions of a visit.

`python -m bench.hops` crawls a small simulated site under `sys.setprofile`. A hop is a call from
one step of the walk to another, through whatever helpers lie between; it goes backward when the
one called comes earlier in the walk. Returns are no hops: a step answers whoever asked it.
"""

from __future__ import annotations

import inspect
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from dis import opmap
from pathlib import Path
from types import FrameType
from typing import Any

from tenax.adapters.sql.engine.sqlite import Database
from tenax.adapters.sql.frontier.frontier import SqlFrontier
from tenax.compose.crawler import Crawler
from tenax.crawl.admit import Admission
from tenax.crawl.commit import Committer
from tenax.crawl.gate import Gate
from tenax.crawl.host_run import HostRun
from tenax.crawl.settle import settle
from tenax.crawl.turns import HostTurns
from tenax.crawl.visit import Worker
from tenax.fetch.fetcher import Fetcher
from tenax.hosts.pace import PacePolicy
from tenax.model import UrlSource
from tenax.page.read import read
from tenax.settings import Settings
from tenax.testing import SimulatedWeb, crawl, page, redirect, robots, simulate, status
from tenax.urls.decide import Door

WALK: dict[str, tuple[Any, ...]] = {
    "admit": (Admission, Door),
    "visit": (Worker, HostRun),
    "gate": (Gate,),
    "fetch": (Fetcher,),
    # A fetch asks for its turn last of all, at the moment of sending.
    "turn": (HostTurns,),
    "read": (read,),
    "settle": (settle,),
    "commit": (Committer,),
}
"""The steps in their order, by what lives in their files."""
NAMES = tuple(WALK)
_STEP_OF = {
    inspect.getsourcefile(each): place
    for place, those in enumerate(WALK.values())
    for each in those
}
_STORES = str(Path(inspect.getfile(Database)).parents[1])
_RESUME = opmap["RESUME"]

Hop = tuple[int, int, str]
"""From which step, to which, and the function called."""


@dataclass
class Visited:
    """What happened from the beginning of one visit to that of the next."""

    url: str
    hops: Counter[Hop] = field(default_factory=Counter)
    writes: Counter[str] = field(default_factory=Counter)
    """Transactions that write, by the call of a port that made them."""

    @property
    def back(self) -> Counter[tuple[str, str]]:
        """The hops that go backward, by their steps."""
        back: Counter[tuple[str, str]] = Counter()
        for (a, b, _), count in self.hops.items():
            if b < a:
                back[NAMES[a], NAMES[b]] += count
        return back

    @property
    def backward(self) -> int:
        return self.back.total()


class Profile:
    """Hears of every call, of one visit after the other."""

    def __init__(self) -> None:
        self.visits = [Visited("before the first")]
        self.commits: list[list[int]] = []
        """The targets whose visits each transaction of visits wrote."""

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event != "call" or _goes_on(frame):
            return
        if code is _WRITE:
            asker = _asker(frame)
            settled = asker.f_locals["settlements"] if asker.f_code is _COMMIT else ()
            if settled:
                self.commits.append([settlement.target_id for settlement in settled])
            is_release = asker.f_code is _COMMIT and not settled
            self.visits[-1].writes[RELEASE if is_release else asker.f_code.co_qualname] += 1
        step = _STEP_OF.get(code.co_filename)
        if step is None:
            return
        if code is _PROCESS:
            self.visits.append(Visited(frame.f_locals["target"].url))
        before = _step_above(frame)
        if before is not None and before != step:
            self.visits[-1].hops[before, step, code.co_qualname] += 1

    @contextmanager
    def listening(self) -> Iterator[None]:
        sys.setprofile(self)
        try:
            yield
        finally:
            sys.setprofile(None)


_WRITE = Database.write.__code__
_COMMIT = SqlFrontier.commit.__code__
_PROCESS = Worker.process.__code__


def _goes_on(frame: FrameType) -> bool:
    """Whether a coroutine is only woken again: what was called before is not called twice."""
    code, at = frame.f_code.co_code, frame.f_lasti
    return at >= 0 and code[at] == _RESUME and code[at + 1] != 0


def _step_above(frame: FrameType) -> int | None:
    caller = frame.f_back
    while caller is not None:
        step = _STEP_OF.get(caller.f_code.co_filename)
        if step is not None:
            return step
        caller = caller.f_back
    return None


def _asker(frame: FrameType) -> FrameType:
    """The port's call that a transaction is for: the last one on the way that is the ledger's."""
    asker, caller = frame, frame.f_back
    while caller is not None and caller.f_code.co_filename.startswith(_STORES):
        asker, caller = caller, caller.f_back
    return asker


SITE = "https://a.example"
SETTINGS = Settings(contact="mailto:bench@example.org", pace=PacePolicy(delay=1.0))
"""One visit after the other, each committed before the next."""
MOVED = f"{SITE}/moved"


def build(web: SimulatedWeb) -> None:
    """A site with everything that teaches something: a sitemap, a listing, archives, a redirect."""
    listed = "".join(f"<url><loc>{SITE}/listed/{n}</loc></url>" for n in range(5))
    web.at(f"{SITE}/robots.txt", robots(f"User-agent: *\nAllow: /\nSitemap: {SITE}/map.xml"))
    web.at(
        f"{SITE}/map.xml",
        status(200, f"<urlset>{listed}</urlset>", **{"content-type": "application/xml"}),
    )
    web.at(f"{SITE}/", page("front", "/list?page=1", "/list?page=2", "/2026/08/a", "/moved"))
    web.at(MOVED, redirect(f"{SITE}/here"))
    for path in ("here", "2026/08/a", *(f"listed/{n}" for n in range(5))):
        web.at(f"{SITE}/{path}", page(path, "/"))
    for n in range(1, 7):
        items = [f"/item-{n}-{k}" for k in range(4)]
        web.at(f"{SITE}/list?page={n}", page(f"list {n}", *items))
        for item in items:
            web.at(SITE + item, page(item, "/", "/list?page=1"))


def profile() -> Profile:
    """Crawl that site and listen."""
    heard = Profile()

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        build(web)
        with heard.listening():
            await crawl(app, f"{SITE}/", discover=tuple(UrlSource))

    simulate(story, SETTINGS)
    return heard


CLAIM, COMMIT, ROBOTS = "SqlFrontier.claim", "SqlFrontier.commit", "SqlRobotsStore.save"
RELEASE = "SqlFrontier.commit of no visit, but of hosts given back"


def ordinary(heard: Profile) -> list[Visited]:
    """All visits but the first, which has to ask for robots.txt, one that is led elsewhere, and
    the last, after which the crawl ends."""
    return [each for each in heard.visits[2:-1] if each.url != MOVED]


def table(visit: Visited) -> str:
    """The hops of one visit as Markdown."""
    rows = [
        f"| {NAMES[a]} | {NAMES[b]} | {'backward' if b < a else ''} | `{name}` | {count} |"
        for (a, b, name), count in sorted(visit.hops.items())
    ]
    return "\n".join(("| from | to | | call | times |", "|---|---|---|---|---|", *rows))


def main(_: Sequence[str] | None = None) -> int:
    heard = profile()
    visits = sorted(ordinary(heard), key=lambda visit: (visit.hops.total(), visit.backward))
    shown = {
        "an ordinary visit": visits[len(visits) // 2],
        "the visit that goes backward most": max(visits, key=lambda visit: visit.backward),
        "a redirect": next(each for each in heard.visits if each.url == MOVED),
        "the first at its host": heard.visits[1],
    }
    for title, visit in shown.items():
        print(f"\n{title}: {visit.url}")
        print(f"{visit.hops.total()} hops, {visit.backward} of them backward")
        print(f"transactions: {dict(visit.writes)}\n\n{table(visit)}")
    writes = sum((each.writes for each in heard.visits), Counter[str]())
    print(f"\n{len(heard.visits) - 1} visits; transactions of all of them: {dict(writes)}")
    print(f"{len(heard.commits)} of them wrote visits: {sum(map(len, heard.commits))}, each once")
    return 0


if __name__ == "__main__":
    sys.exit(main())
