"""Are the figures told as Prometheus reads them, under the names that were promised? (OBS-1)"""

from __future__ import annotations

import re

from prometheus_client.parser import text_string_to_metric_families

from tenax.adapters.local.prometheus import Exposition
from tenax.crawl.observe.troubled_hosts import HostSeen
from tenax.fetch.tally import Tally
from tenax.hosts.breaker import Circuit
from tenax.model import State
from tenax.ops.health.metrics import LedgerFigures, ProcessFigures, series
from tenax.ports import Backlog, Counts, JobProgress

NOW = 1_790_000_000.0
PROMISED = {
    "crawler_pages_fetched_total", "crawler_pages_per_second", "crawler_fetch_success_rate",
    "crawler_http_status_total", "crawler_frontier_size", "crawler_robots_denials_total",
    "crawler_active_workers", "page_fetcher_pages_fetched_total",
    "page_fetcher_pages_failed_total", "page_fetcher_pages_skipped_robots_total",
    "page_fetcher_pages_requeued_total", "page_fetcher_retries_total",
    "page_fetcher_dlq_enqueued_total", "page_fetcher_circuit_breaker_opened_total",
    "page_fetcher_circuit_breaker_closed_total", "page_fetcher_circuit_breaker_probes_total",
    "page_fetcher_input_queue_size", "page_fetcher_dlq_size",
    "page_fetcher_circuit_breaker_state", "page_fetcher_consecutive_failures",
    "page_fetcher_current_backoff_seconds", "page_fetcher_fetch_duration_seconds",
    "page_fetcher_content_size_bytes",
}  # fmt: skip
TALLY = Tally(
    codes={200: 37, 404: 2}, pages=40, failed=4, requeued=3, retries=2, dead=1, robots=5,
    changes={"breaker_opened": 2, "breaker_closed": 1}, probes={"passed": 1},
    visits={"read": 40}, rejected={"trap": 9},
)  # fmt: skip
PROCESS = ProcessFigures(
    TALLY,
    NOW,
    worst=[HostSeen('od"d.example', Circuit.OPEN, 7, 12.5)],
    parts={"ledger": True, "redis": False},
    disk=0.25,
)
LEDGER = LedgerFigures(
    totals=Counts({State.DONE: 5, State.PENDING: 2}, pages=4),
    lately=JobProgress(100.0, 50, 25, 10, 9_000),
    dead=3,
    workers=2,
    backlogs=(Backlog("events", 1, 6, NOW - 30.0, "", NOW),),
    pushed=8,
    tickets=11,
)


def scraped(ledger: LedgerFigures | None = LEDGER) -> dict[tuple[str, tuple[str, ...]], float]:
    """As a scraper takes it: by name and the values of the labels."""
    told = Exposition().text(series(PROCESS, ledger)).decode()
    return {
        (sample.name, tuple(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(told)
        for sample in family.samples
    }


def test_every_promised_name_is_there() -> None:
    assert len(PROMISED) == 23
    assert {each.name for each in series(PROCESS, LEDGER)} >= PROMISED
    named = {re.sub("_(bucket|count|sum)$", "", name) for name, _ in scraped()}
    assert named >= PROMISED


def test_the_text_is_what_prometheus_reads() -> None:
    TALLY.durations.observe(30.0)
    found = scraped()
    expected = {
        ("crawler_pages_fetched_total", ()): 40, ("page_fetcher_pages_fetched_total", ()): 40,
        ("crawler_http_status_total", ("404",)): 2, ("crawler_robots_denials_total", ()): 5,
        ("page_fetcher_pages_failed_total", ()): 4, ("page_fetcher_dlq_enqueued_total", ()): 1,
        ("page_fetcher_circuit_breaker_opened_total", ()): 2,
        ("page_fetcher_circuit_breaker_closed_total", ()): 1,
        ("page_fetcher_circuit_breaker_probes_total", ("passed",)): 1,
        ("page_fetcher_circuit_breaker_probes_total", ("failed",)): 0,
        ("page_fetcher_circuit_breaker_state", ('od"d.example',)): 2,
        ("page_fetcher_consecutive_failures", ('od"d.example',)): 7,
        ("page_fetcher_current_backoff_seconds", ('od"d.example',)): 12.5,
        ("page_fetcher_fetch_duration_seconds_bucket", ("0.025",)): 0,
        ("page_fetcher_fetch_duration_seconds_bucket", ("0.05",)): 1,
        ("page_fetcher_fetch_duration_seconds_bucket", ("+Inf",)): 1,
        ("page_fetcher_fetch_duration_seconds_sum", ()): 0.03,
        ("page_fetcher_input_queue_size", ()): 10, ("page_fetcher_dlq_size", ()): 3,
        ("crawler_pages_per_second", ()): 0.25, ("crawler_fetch_success_rate", ()): 0.8,
        ("crawler_frontier_size", ("done",)): 5, ("crawler_frontier_size", ("gone",)): 0,
        ("crawler_active_workers", ()): 2, ("crawler_queue_size", ()): 11,
        ("crawler_relay_lag_seconds", ("events",)): 30, ("crawler_ledger_up", ()): 1,
        ("crawler_server_up", ("redis",)): 0, ("crawler_disk_free_ratio", ()): 0.25,
        ("crawler_urls_rejected_total", ("trap",)): 9,
    }  # fmt: skip
    assert {key: found.get(key) for key in expected} == expected


def test_the_process_tells_of_itself_while_the_ledger_is_away() -> None:
    found = scraped(None)
    assert found["crawler_ledger_up", ()] == 0
    assert found["crawler_pages_fetched_total", ()] == 40
    assert ("crawler_frontier_size", ("done",)) not in found


def test_memory_and_processor_time_of_the_process_are_told() -> None:
    assert scraped()["process_cpu_seconds_total", ()] > 0


def test_every_series_says_what_it_is() -> None:
    for each in series(PROCESS, LEDGER):
        assert each.help
        assert (each.kind == "counter") == each.name.endswith("_total")
