"""What is measured for alerts? The ledger, asked now and then, and compared with what it was."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Sequence

from tenax.crawl.outages.self_care import stalled_since
from tenax.crawl.policy import CarePolicy
from tenax.jobs.durations import tell_duration
from tenax.model import State, UnderWay
from tenax.ops.alerts.judge import Symptom
from tenax.ops.alerts.offers import Offers
from tenax.ops.alerts.rules import AlertWhat
from tenax.ops.health.parse_rates import DROP, by_site
from tenax.ports import Clock, DeadLetters, Letters, Outbox, ProcessHealth
from tenax.ports.overview import Overview, WorkerRecord
from tenax.ports.products import Products

_ENOUGH = 20
"""Visits from which a share of them means something."""
_MANY = 1_000
"""URLs that wait, from which their growth means something: a young crawl doubles every minute."""
_HOUR = 3_600.0
_MINUTE = 60.0
_DAYS = 30
_NO_STALL = CarePolicy(stall=1e-9)


SERVERS = frozenset({"queue", "redis", "content"})
"""The parts of a process that are elsewhere; the ledger is known by whoever asks it."""


def silent_ledger(seconds: float) -> Symptom:
    """For how long the ledger has just not answered: known to whoever asked it."""
    told = f"the ledger did not answer for {tell_duration(round(seconds))}"
    return Symptom(AlertWhat.SERVER, seconds, told, "ledger")


class Symptoms:
    """Measures; remembers what it needs to compare with."""

    def __init__(
        self,
        overview: Overview,
        dead: DeadLetters,
        outbox: Outbox,
        products: Products,
        clock: Clock,
        free: Callable[[], float | None],
        offers: Offers | None = None,
        health: Callable[[], Awaitable[ProcessHealth]] | None = None,
    ) -> None:
        """`free` is the share of the data folder's disk; `offers` looks at products, if anybody
        wants to know of some; `health` tells which servers answer."""
        self._overview = overview
        self._dead = dead
        self._outbox = outbox
        self._products = products
        self._clock = clock
        self._free = free
        self._offers = offers
        self._health = health
        self._away: dict[str, float] = {}
        self._waiting: deque[tuple[float, int]] = deque()
        self._letters: deque[tuple[float, int]] = deque()

    async def look(self) -> list[Symptom]:
        now = self._clock.now()
        found = [*await self._errors(), *await self._workers(now), *await self._parsing(now)]
        found += await self._servers()
        totals = await self._overview.totals()
        found += _backlog(self._waiting, now, totals.of(State.PENDING))
        letters = sum((await self._dead.counts(Letters())).values())
        found += _letters(self._letters, now, letters)
        for backlog in await self._outbox.backlogs():
            late = max(0.0, now - backlog.oldest) if backlog.oldest else 0.0
            told = f"{backlog.sink} was not told of {backlog.waiting:,} events for {late:.0f} s"
            found.append(Symptom(AlertWhat.RELAY, late, told, backlog.sink))
        if self._offers is not None:
            found += await self._offers.look(now)
        if (free := self._free()) is not None:
            found.append(Symptom(AlertWhat.DISK, free, f"{free:.1%} of the disk is free"))
        return found

    async def _servers(self) -> list[Symptom]:
        if self._health is None:
            return []
        parts = (await self._health()).parts
        now, found = self._clock.now(), []
        for name in SERVERS.intersection(parts):
            why = parts[name]
            since = self._away.setdefault(name, now) if why else now
            if not why:
                self._away.pop(name, None)
            found.append(Symptom(AlertWhat.SERVER, now - since, f"{name} is away: {why}", name))
        return found

    async def _errors(self) -> Iterator[Symptom]:
        lately = await self._overview.lately()
        share = lately.failures / lately.visits if lately.visits >= _ENOUGH else 0.0
        told = f"{share:.0%} of {lately.visits:,} visits failed lately"
        return iter([Symptom(AlertWhat.ERRORS, share, told)])

    async def _workers(self, now: float) -> list[Symptom]:
        workers = await self._overview.workers()
        found = [self._cut_off(workers, now)]
        for worker in workers:
            name = f"{worker.name} (process {worker.pid})"
            silent = max(0.0, now - worker.seen_at)
            told = f"worker {name} was last heard of {tell_duration(round(silent))} ago"
            found.append(Symptom(AlertWhat.SILENT_WORKER, silent, told, worker.name))
            since = _stood_since(worker.under_way, now)
            stood = now - since if since else 0.0
            told = f"no visit of worker {name} has got on for {tell_duration(round(stood))}"
            found.append(Symptom(AlertWhat.STALL, stood, told, worker.name))
        return found

    def _cut_off(self, workers: Sequence[WorkerRecord], now: float) -> Symptom:
        """Told by those who notice: whoever looks here may ask nobody but the ledger."""
        names = [w.name for w in workers if w.under_way and "network" in w.under_way.held]
        since = self._away.setdefault("network", now) if names else now
        if not names:
            self._away.pop("network", None)
        told = f"{len(names)} of {len(workers)} workers have no network: {', '.join(names[:3])}"
        return Symptom(AlertWhat.SERVER, now - since, told, "network")

    async def _parsing(self, now: float) -> list[Symptom]:
        rates = await self._products.rates(int(now // 86_400) - _DAYS)
        return [
            Symptom(
                AlertWhat.PARSE_RATE,
                0.0 if rate.has_dropped else 1.0,
                f"{rate.site}: {rate.last_complete} of {rate.last_pages} products were read whole,"
                f" less than {DROP:.0%} of what it was",
                f"{rate.site} {rate.parser}",
            )
            for rate in by_site(rates)
        ]


def _stood_since(under_way: UnderWay | None, now: float) -> float | None:
    """Of a worker with more visits than it tells of, some may get on that nobody sees."""
    if under_way is None or sum(under_way.steps.values()) > len(under_way.visits):
        return None
    return stalled_since(under_way, now, _NO_STALL)


def _backlog(kept: deque[tuple[float, int]], now: float, waiting: int) -> Iterator[Symptom]:
    before = _ago(kept, now, waiting, _MINUTE)
    if before is None:
        return
    at, was = before
    grown = (waiting - was) / was / ((now - at) / _MINUTE) if was >= _MANY else 0.0
    told = f"{waiting:,} URLs wait, {grown:.0%} more than a minute ago"
    yield Symptom(AlertWhat.BACKLOG, max(0.0, grown), told)


def _letters(kept: deque[tuple[float, int]], now: float, letters: int) -> Iterator[Symptom]:
    before = _ago(kept, now, letters, _HOUR)
    first = before or (kept[0] if kept else (now, letters))
    more = max(0, letters - first[1])
    told = "1 URL was" if more == 1 else f"{more:,} URLs were"
    yield Symptom(AlertWhat.DEAD_LETTERS, float(more), f"{told} given up in an hour")


def _ago(
    kept: deque[tuple[float, int]], now: float, value: int, seconds: float
) -> tuple[float, int] | None:
    """The youngest value that is at least so old; None while there is none."""
    kept.append((now, value))
    while len(kept) > 1 and kept[1][0] <= now - seconds:
        kept.popleft()
    return kept[0] if kept[0][0] <= now - seconds else None
