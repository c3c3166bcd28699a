"""What does Prometheus read? Figures of the whole ledger, under names that stay (OBS-1). Pure, but
for who reads the ledger.

Labels come from closed sets: a state, a status code. Never a URL, a host or the name of a job.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from msgspec import Struct

from tenax.model import Reason, State
from tenax.outcome import Duplicate, Read, Unchanged
from tenax.page.native import VERIFIED
from tenax.ports import Clock, Counts, DeadLetters, JobProgress, Letters
from tenax.ports.overview import Overview, VisitRow

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_SETTLED = 30.0
"""Seconds after which a visit counts: ids are given out before they are committed, and one that
came late would be passed over."""
_BATCH = 5_000
_MOST_BATCHES = 10
"""Read by one request; what is left is read by the next."""
_PAGES = (Read.word, Duplicate.word, Unchanged.word)
SILENT = 120.0
"""Seconds without a heartbeat after which a worker does not count as active (OBS-3)."""


class Figures(Struct, frozen=True):
    totals: Counts
    lately: JobProgress
    dead: int
    workers: int
    fetched: int
    """Pages, since the first one that the ledger knows of."""
    codes: Mapping[int, int]
    """Answers by status code, since this process started."""
    verified: int = 0
    """Pages that this process read both ways."""
    different: int = 0
    """Of those, pages that compiled code read otherwise."""


class MetricSeries(Struct, frozen=True):
    name: str
    kind: str
    help: str
    values: tuple[tuple[str, float], ...]
    """(labels as they are written, or nothing; value)."""


class VisitCount:
    """Counts visits as they come: only new ones are read, and only when somebody asks."""

    def __init__(self, overview: Overview, clock: Clock) -> None:
        self._overview = overview
        self._clock = clock
        self._after: int | None = None
        self._before = 0
        self.pages = 0
        self.codes: Counter[int] = Counter()

    @property
    def fetched(self) -> int:
        return self._before + self.pages

    async def read_on(self) -> None:
        if self._after is None:
            self._before = (await self._overview.totals()).pages
            last = await self._overview.visits(None, 1)
            self._after = last[0].id if last else 0
        for _ in range(_MOST_BATCHES):
            visits = await self._overview.visits(self._after, _BATCH)
            settled = list(_until(visits, self._clock.now() - _SETTLED))
            for visit in settled:
                self.pages += visit.outcome in _PAGES
                if visit.status is not None:
                    self.codes[visit.status] += 1
                self._after = visit.id
            if len(settled) < _BATCH:
                return


def _until(visits: Iterable[VisitRow], moment: float) -> Iterable[VisitRow]:
    for visit in visits:
        if visit.at > moment:
            return
        yield visit


async def measure(
    overview: Overview, dead: DeadLetters, count: VisitCount, clock: Clock
) -> Figures:
    await count.read_on()
    now = clock.now()
    workers = await overview.workers()
    return Figures(
        totals=await overview.totals(),
        lately=await overview.lately(),
        dead=sum((await dead.counts(Letters())).values()),
        workers=sum(now - worker.seen_at < SILENT for worker in workers),
        fetched=count.fetched,
        codes=dict(count.codes),
        verified=VERIFIED.pages,
        different=VERIFIED.different,
    )


def series(figures: Figures) -> tuple[MetricSeries, ...]:
    totals, lately = figures.totals, figures.lately
    rate = lately.pages / lately.seconds if lately.seconds else 0.0
    success = 1.0 - lately.failures / lately.visits if lately.visits else 1.0
    denied = totals.of(State.BLOCKED) + totals.rejected.get(Reason.ROBOTS, 0)
    sizes = tuple((f'state="{state}"', float(totals.of(state))) for state in State)
    codes = tuple((f'code="{code}"', float(n)) for code, n in sorted(figures.codes.items()))
    return (
        MetricSeries("crawler_pages_fetched_total", "counter", "Pages fetched.",
               (("", figures.fetched),)),
        MetricSeries("crawler_pages_per_second", "gauge", "Pages a second, over the last minutes.",
               (("", rate),)),
        MetricSeries("crawler_fetch_success_rate", "gauge",
               "Share of visits that did not fail, over the last minutes.", (("", success),)),
        MetricSeries("crawler_http_status_total", "counter",
               "Answers by status code, since this process started.", codes),
        MetricSeries("crawler_pages_verified_total", "counter",
               "Pages that this process read by compiled code and without it, to compare.",
               (("", figures.verified),)),
        MetricSeries("crawler_pages_read_otherwise_total", "counter",
               "Of those, pages that compiled code read otherwise.", (("", figures.different),)),
        MetricSeries("crawler_frontier_size", "gauge", "Known URLs by state.", sizes),
        MetricSeries("crawler_robots_denials_total", "counter", "URLs that sites forbid us.",
               (("", denied),)),
        MetricSeries("crawler_active_workers", "gauge", "Workers heard of lately.",
               (("", figures.workers),)),
        MetricSeries("page_fetcher_dlq_size", "gauge", "Dead letters.", (("", figures.dead),)),
    )  # fmt: skip


def text(all_series: Iterable[MetricSeries]) -> str:
    """The text format of Prometheus, version 0.0.4."""
    lines: list[str] = []
    for each in all_series:
        lines += [f"# HELP {each.name} {each.help}", f"# TYPE {each.name} {each.kind}"]
        lines += [
            f"{each.name}{f'{{{labels}}}' if labels else ''} {_number(value)}"
            for labels, value in each.values
        ]
    return "\n".join(lines) + "\n"


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)
