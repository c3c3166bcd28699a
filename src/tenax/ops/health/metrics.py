"""What does Prometheus read? Every series with its name, which stays, and what it means (OBS-1).
Pure, but for who reads the ledger.

Counters and histograms are of the process that is asked and of those it has started: added up over
all processes they are the fleet's. Figures of the ledger are the same wherever they are asked for.
Labels come from closed sets, but for the few hosts that are in the deepest trouble.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from tenax.crawl.observe.troubled_hosts import HostSeen
from tenax.fetch.tally import Histogram, Tally
from tenax.hosts.breaker import Circuit
from tenax.hosts.changes import TreatmentChange
from tenax.model import OutcomeWord, State
from tenax.ports import Backlog, Clock, Counts, DeadLetters, JobProgress, Letters, Outbox
from tenax.ports.checks import MetricBuckets, MetricLabels, MetricSeries
from tenax.ports.overview import Overview

SILENT = 120.0
"""Seconds without a heartbeat after which a worker does not count as active (OBS-3)."""
_NOT_CLOSED = (Circuit.OPEN, Circuit.HALF_OPEN)
_CIRCUITS = {Circuit.CLOSED: 0, Circuit.HALF_OPEN: 1, Circuit.OPEN: 2}


class LedgerFigures(Struct, frozen=True):
    """What the ledger tells: the same in every process."""

    totals: Counts
    lately: JobProgress
    dead: int
    workers: int
    backlogs: tuple[Backlog, ...] = ()
    pushed: int = 0
    """URLs that others have pushed and nobody has taken in yet."""
    tickets: int | None = None
    """Hosts that wait in the queue to be worked on; None where there is no queue."""


class ProcessFigures(Struct, frozen=True):
    """What this process knows by itself, also while the ledger is away."""

    tally: Tally
    at: float
    worst: Sequence[HostSeen] = ()
    circuits: Mapping[Circuit, int] = {}
    parts: Mapping[str, bool] = {}
    """Whether each server that it works with answers."""
    under_way: Mapping[str, int] = {}
    """Visits by the step that they are in."""
    late: float = 0.0
    """Seconds by which the event loop was late."""
    active_at: float = 0.0
    """When a visit last got on."""
    is_stalled: bool = False
    is_held: bool = False
    """Nothing is claimed, because something of ours is wrong."""
    disk: float | None = None
    """The share of the data folder's disk that is free."""


async def measure(
    overview: Overview, dead: DeadLetters, outbox: Outbox, clock: Clock
) -> LedgerFigures:
    now = clock.now()
    workers = await overview.workers()
    return LedgerFigures(
        totals=await overview.totals(),
        lately=await overview.lately(),
        dead=sum((await dead.counts(Letters())).values()),
        workers=sum(now - worker.seen_at < SILENT for worker in workers),
        backlogs=tuple(await outbox.backlogs()),
    )


def series(process: ProcessFigures, ledger: LedgerFigures | None) -> tuple[MetricSeries, ...]:
    """All there are; without those of the ledger while it does not answer."""
    return (
        *_counted(process.tally),
        *_of_the_process(process),
        *(() if ledger is None else _of_the_ledger(ledger, process.at)),
        _gauge("crawler_ledger_up", "Whether the ledger answers: 1, or 0.", ledger is not None),
    )


def _counted(tally: Tally) -> Iterable[MetricSeries]:
    changes = tally.changes
    opened = changes.get(TreatmentChange.BREAKER_OPENED, 0)
    closed = changes.get(TreatmentChange.BREAKER_CLOSED, 0)
    yield _counter("crawler_pages_fetched_total", "Pages fetched, those found unchanged too.",
                   tally.pages)  # fmt: skip
    yield _counters("crawler_http_status_total",
                    "Answers by status code: to pages, robots.txt, probes, each redirect.",
                    "code", {str(code): n for code, n in sorted(tally.codes.items())})  # fmt: skip
    yield _counter("crawler_robots_denials_total", "Visits that robots.txt forbade.", tally.robots)
    prefix = "page_fetcher_"
    yield _counter(f"{prefix}pages_fetched_total", "Pages fetched, those found unchanged too.",
                   tally.pages)  # fmt: skip
    yield _counter(f"{prefix}pages_failed_total",
                   "Visits that failed, whether or not the URL is tried again.",
                   tally.failed)  # fmt: skip
    yield _counter(f"{prefix}pages_skipped_robots_total", "Visits that robots.txt forbade.",
                   tally.robots)  # fmt: skip
    yield _counter(f"{prefix}pages_requeued_total",
                   "Visits after which the URL waits for another one, whatever the reason.",
                   tally.requeued)  # fmt: skip
    yield _counter(f"{prefix}retries_total",
                   "Failed visits that cost the URL a try and are repeated.",
                   tally.retries)  # fmt: skip
    yield _counter(f"{prefix}dlq_enqueued_total", "URLs given up.", tally.dead)
    yield _counter(f"{prefix}circuit_breaker_opened_total", "Breakers of hosts that opened.",
                   opened)  # fmt: skip
    yield _counter(f"{prefix}circuit_breaker_closed_total", "Breakers of hosts that closed.",
                   closed)  # fmt: skip
    yield _counters(f"{prefix}circuit_breaker_probes_total",
                    "Questions whether a host is back, by what came of them.",
                    "result", {"passed": 0, "failed": 0} | tally.probes)  # fmt: skip
    yield _histogram(f"{prefix}fetch_duration_seconds", "Seconds that a try at a page took.",
                     ((), tally.durations, 0.001))  # fmt: skip
    yield _histogram(f"{prefix}content_size_bytes", "Bytes of the bodies of pages.",
                     ((), tally.sizes, 1.0))  # fmt: skip
    yield _counters("crawler_visits_total", "Visits by outcome.", "outcome",
                    _all(OutcomeWord, tally.visits))  # fmt: skip
    yield _counters("crawler_urls_rejected_total", "URLs found and not taken, by reason.",
                    "reason", tally.rejected)  # fmt: skip
    yield _counters("crawler_pages_parsed_total", "Bodies parsed, by what they turned out to be.",
                    "result",
                    {"page": 0, "garbage": 0, "unrendered": 0} | tally.verdicts)  # fmt: skip
    yield _counters("crawler_products_read_total",
                    "Pages that sell something, by whether everything was read.",
                    "result", {"complete": 0, "incomplete": 0} | tally.products)  # fmt: skip
    yield _counters("crawler_requests_unanswered_total", "Requests without an answer, by fault.",
                    "fault", tally.unanswered)  # fmt: skip
    yield _counters("crawler_proxy_requests_total", "Requests through proxies.", "result",
                    {"answered": 0, "unanswered": 0} | tally.proxied)  # fmt: skip
    yield _counters("crawler_host_changes_total", "How the treatment of hosts changed.", "change",
                    _all(TreatmentChange, changes))  # fmt: skip
    yield _counter("crawler_bytes_received_total", "Bytes received for visits.", tally.bytes)
    yield _counter("crawler_stalls_total", "How often this process looked why nothing happened.",
                   tally.stalls)  # fmt: skip
    yield _counters("crawler_events_told_total", "Events told, by sink.", "sink", tally.told)
    yield _counter("crawler_pages_verified_total",
                   "Pages read by compiled code and without it, to compare.",
                   tally.verified)  # fmt: skip
    yield _counter("crawler_pages_read_otherwise_total",
                   "Of those, pages that compiled code read otherwise.",
                   tally.different)  # fmt: skip
    yield _histogram("crawler_database_seconds", "Seconds that a transaction took.",
                     *(((("kind", kind),), taken, 1.0)
                       for kind, taken in tally.database.items()))  # fmt: skip


def _of_the_process(process: ProcessFigures) -> Iterable[MetricSeries]:
    worst = process.worst
    yield _gauges("page_fetcher_circuit_breaker_state",
                  "The breakers of the hosts in the deepest trouble: 0 closed, 1 half-open,"
                  " 2 open.", "host",
                  {seen.name: _CIRCUITS[seen.circuit] for seen in worst})  # fmt: skip
    yield _gauges("page_fetcher_consecutive_failures", "Their failures in a row.", "host",
                  {seen.name: seen.failures for seen in worst})  # fmt: skip
    yield _gauges("page_fetcher_current_backoff_seconds", "Seconds until they may be asked again.",
                  "host", {seen.name: seen.backoff for seen in worst})  # fmt: skip
    yield _gauges("crawler_hosts_troubled", "Hosts whose breaker is not closed.", "state",
                  {str(each): process.circuits.get(each, 0) for each in _NOT_CLOSED})  # fmt: skip
    yield _gauges("crawler_visits_under_way", "Visits by the step that they are in.", "step",
                  process.under_way)  # fmt: skip
    yield _gauges("crawler_server_up", "Whether a server of ours answers: 1, or 0.", "server",
                  process.parts)  # fmt: skip
    yield _gauge("crawler_loop_late_seconds", "Seconds by which this process was last late.",
                 process.late)  # fmt: skip
    yield _gauge("crawler_last_activity_timestamp_seconds", "When a visit last got on; 0: never.",
                 process.active_at)  # fmt: skip
    yield _gauge("crawler_stalled", "Whether nothing has happened for too long: 1, or 0.",
                 process.is_stalled)  # fmt: skip
    yield _gauge("crawler_claiming_held",
                 "Whether no work is claimed because something of ours is wrong: 1, or 0.",
                 process.is_held)  # fmt: skip
    if process.disk is not None:
        yield _gauge("crawler_disk_free_ratio", "The free share of the data folder's disk.",
                     process.disk)  # fmt: skip


def _of_the_ledger(ledger: LedgerFigures, now: float) -> Iterable[MetricSeries]:
    totals, lately = ledger.totals, ledger.lately
    rate = lately.pages / lately.seconds if lately.seconds else 0.0
    success = 1.0 - lately.failures / lately.visits if lately.visits else 1.0
    waiting = totals.of(State.PENDING) + ledger.pushed
    yield _gauge("crawler_pages_per_second", "Pages a second, over the last minutes.", rate)
    yield _gauge("crawler_fetch_success_rate",
                 "Share of visits that did not fail, over the last minutes.", success)  # fmt: skip
    yield _gauges("crawler_frontier_size", "Known URLs by state.", "state",
                  {state: totals.of(state) for state in State})  # fmt: skip
    yield _gauge("crawler_active_workers", "Workers heard of lately.", ledger.workers)
    yield _gauge("page_fetcher_input_queue_size", "URLs that wait: pending, or pushed.", waiting)
    yield _gauge("page_fetcher_dlq_size", "Dead letters.", ledger.dead)
    yield _gauge("crawler_ledger_pages", "Pages that the ledger has.", totals.pages)
    yield _gauges("crawler_relay_waiting", "Events that a sink was not told yet.", "sink",
                  {each.sink: each.waiting for each in ledger.backlogs})  # fmt: skip
    yield _gauges("crawler_relay_lag_seconds", "Seconds that the oldest of them has waited.",
                  "sink", {each.sink: max(0.0, now - each.oldest) if each.oldest else 0.0
                           for each in ledger.backlogs})  # fmt: skip
    if ledger.tickets is not None:
        yield _gauge("crawler_queue_size", "Hosts that wait in the queue to be worked on.",
                     ledger.tickets)  # fmt: skip


def _all(words: Iterable[str], counts: Mapping[str, int]) -> dict[str, int]:
    """Those nothing was counted of are there, too: who looks at a rate needs a beginning."""
    return {str(word): counts.get(word, 0) for word in words}


def _counter(name: str, help: str, value: float) -> MetricSeries:
    return MetricSeries(name, "counter", help, (((), value),))


def _counters(name: str, help: str, label: str, values: Mapping[str, float]) -> MetricSeries:
    return MetricSeries(name, "counter", help, _labelled(label, values))


def _gauge(name: str, help: str, value: float) -> MetricSeries:
    return MetricSeries(name, "gauge", help, (((), float(value)),))


def _gauges(name: str, help: str, label: str, values: Mapping[str, float]) -> MetricSeries:
    return MetricSeries(name, "gauge", help, _labelled(label, values))


def _labelled(label: str, values: Mapping[str, float]) -> tuple[tuple[MetricLabels, float], ...]:
    return tuple((((label, str(key)),), float(value)) for key, value in values.items())


def _histogram(name: str, help: str, *each: tuple[MetricLabels, Histogram, float]) -> MetricSeries:
    """Each with what its values are multiplied by."""
    return MetricSeries(name, "histogram", help, buckets=tuple(_buckets(*one) for one in each))


def _buckets(labels: MetricLabels, histogram: Histogram, scale: float) -> MetricBuckets:
    bounds = [*(round(bound * scale, 9) for bound in histogram.bounds), math.inf]
    found, so_far = [], 0
    for bound, count in zip(bounds, histogram.counts, strict=True):
        so_far += count
        found.append((bound, so_far))
    return MetricBuckets(labels, tuple(found), histogram.total * scale)
