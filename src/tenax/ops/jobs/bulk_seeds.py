"""How do very many seeds enter a job? In batches, in constant memory, and none is dropped (FR-8).

The seeds of a file become targets and are not written down a second time: what the job keeps of
them is one for each host, domain or folder that they bring into its scope.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Literal, Protocol

import msgspec
from msgspec import Struct, field
from msgspec.structs import astuple, replace

from tenax.crawl.admit import Admission
from tenax.crawl.policy import FeedPolicy
from tenax.model import Candidate, Post, Reason, Rejected, ScopeKind, Target
from tenax.model.knobs import OutOfBounds
from tenax.model.work import sends_of
from tenax.ports import Clock, Frontier, Jobs
from tenax.urls.domains import registrable_domain
from tenax.urls.normalise import name_of, parts_of, resolve, seed_url

BATCH = 2_000
"""Seeds of one transaction: a crawl under way has to write in between."""
MOST_GROUNDS = 100_000
"""Hosts, domains or folders that a job keeps in mind; every process has them all in memory."""
_SHOWN = 5


class SeedBed(Protocol):
    """What seeds are put into, and how much of them it takes."""

    @property
    def jobs(self) -> Jobs: ...

    @property
    def frontier(self) -> Frontier: ...

    @property
    def clock(self) -> Clock: ...

    @property
    def feed(self) -> FeedPolicy: ...


class Seed(Struct, frozen=True):
    """A line of a file that names a seed, as it stands there."""

    place: str
    """The file and the line, for people."""
    text: str


class Sown(Struct):
    """What became of the seeds so far."""

    read: int = 0
    new: int = 0
    known: int = 0
    refused: Counter[Reason] = field(default_factory=Counter)
    examples: list[tuple[Seed, Rejected]] = field(default_factory=list)
    """The first that were refused."""
    is_busy: bool = False
    """So much waits in the job that the next ones have to wait (`feed.frontier_limit`)."""

    @property
    def taken(self) -> int:
        return self.new + self.known


async def sow(
    bed: SeedBed,
    admission: Admission,
    seeds: Iterable[Seed],
    tell: Callable[[Sown], None] = lambda _: None,
) -> Sown:
    """Offer all of them at the door; what was offered before is known and costs little."""
    sown = Sown()
    rest = iter(seeds)
    while batch := list(islice(rest, await _room(bed, admission.job.id, sown, tell))):
        accepted = [t for seed in batch if (t := _decide(admission, seed, sown)) is not None]
        added = await bed.frontier.add(admission.job.id, accepted)
        sown.read += len(batch)
        sown.new += added.new
        sown.known += added.known
        sown.refused.update(reason for _, reason in added.over_limit)
        tell(sown)
        await asyncio.sleep(0)  # for Ctrl-C, where the ledger has no thread of its own
    return sown


async def _room(bed: SeedBed, job_id: int, sown: Sown, tell: Callable[[Sown], None]) -> int:
    """How many the job takes now; waits until it takes any."""
    feed = bed.feed
    while True:
        waiting = (await bed.jobs.counts(job_id)).unfinished
        sown.is_busy = waiting >= feed.frontier_limit
        if not sown.is_busy:
            return min(BATCH, feed.frontier_limit - waiting)
        tell(sown)
        await bed.clock.sleep(feed.look)


def start_in(text: str) -> str | Post:
    """What a line names; the line itself where it is nothing."""
    read = read_seed(text)
    if isinstance(read, Rejected):
        return text
    return read.url if read.sends is None else Post(read.url, *astuple(read.sends))


def read_seed(text: str) -> Candidate | Rejected:
    """A line is a URL, or a JSON object that says what is sent there as well."""
    if not text.startswith("{"):
        return Candidate(seed_url(text))
    try:
        told = _decode(text)
        sends = sends_of(told.url, told.method, told.body, told.content_type)
    except (msgspec.MsgspecError, OutOfBounds, RecursionError) as error:
        return Rejected(text, Reason.MALFORMED, f"as JSON: {error}")
    return Candidate(seed_url(told.url), sends=sends)


class _JsonSeed(Struct, frozen=True, forbid_unknown_fields=True):
    url: str
    method: Literal["GET", "POST"] = "GET"
    body: str | None = None
    content_type: str | None = None


_decode = msgspec.json.Decoder(_JsonSeed).decode


def _decide(admission: Admission, seed: Seed, sown: Sown) -> Target | None:
    asked = read_seed(seed.text)
    verdict = asked if isinstance(asked, Rejected) else admission.door.decide(asked)
    if isinstance(verdict, Target):
        return verdict
    sown.refused[verdict.reason] += 1
    if len(sown.examples) < _SHOWN:
        sown.examples.append((seed, verdict))
    return None


class Grounds:
    """Of very many seeds, the first of each host, domain or folder: what the scope is made of."""

    def __init__(self, scope: ScopeKind, known: Iterable[str | Post]) -> None:
        self._scope = scope
        self._found: dict[str, str | Post] = {}
        self.is_complete = True
        """False when there were more than a job keeps in mind."""
        for seed in known:
            self.add(seed)
        self._known = len(self._found)

    def add(self, seed: str | Post) -> None:
        url = seed.url if isinstance(seed, Post) else seed
        href = resolve(seed_url(url)) if self._scope is not ScopeKind.ANY else None
        if href is None or not href.startswith(("http://", "https://")):
            return
        ground = self._ground(href)
        if len(self._found) < MOST_GROUNDS:
            whole = replace(seed, url=href) if isinstance(seed, Post) else href
            self._found.setdefault(ground, whole)
        elif ground not in self._found:
            self.is_complete = False

    @property
    def new(self) -> Iterator[str | Post]:
        """Those that were not known before."""
        return islice(self._found.values(), self._known, None)

    def _ground(self, href: str) -> str:
        _, host, path = parts_of(href)
        match self._scope:
            case ScopeKind.DOMAIN:
                return registrable_domain(name_of(host))
            case ScopeKind.PREFIX:
                return host + path.partition("?")[0].rpartition("/")[0]
            case _:
                return host
