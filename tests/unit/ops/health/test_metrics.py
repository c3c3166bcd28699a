"""Are the figures told as Prometheus reads them, and are they right? (OBS-1)"""

from __future__ import annotations

import re

from tenax.model import Reason, State
from tenax.ops.health.metrics import Figures, VisitCount, series, text
from tenax.ports import Counts, JobProgress
from tenax.ports.overview import Overview, VisitRow
from tests.ledgers import START, HandClock

SAMPLE = re.compile(r'[a-z_]+(\{[a-z]+="[a-z0-9]+"\})? -?[0-9.e+-]+')
FIGURES = Figures(
    totals=Counts({State.DONE: 5, State.BLOCKED: 2}, pages=4, rejected={Reason.ROBOTS: 1}),
    lately=JobProgress(100.0, 50, 25, 10, 9_000),
    dead=3,
    workers=2,
    fetched=40,
    codes={200: 37, 404: 2},
    verified=7,
    different=1,
)


def parsed(told: str) -> dict[str, float]:
    """As a scraper takes it: every line a comment it knows, or a sample."""
    found = {}
    for line in told.splitlines():
        if line.startswith("#"):
            assert re.fullmatch(r"# (HELP [a-z_]+ .+|TYPE [a-z_]+ (counter|gauge))", line)
            continue
        assert SAMPLE.fullmatch(line), line
        name, _, value = line.rpartition(" ")
        assert name not in found
        found[name] = float(value)
    return found


def test_the_text_is_what_prometheus_reads() -> None:
    told = text(series(FIGURES))
    assert told.endswith("\n")
    found = parsed(told)
    assert found["crawler_pages_fetched_total"] == 40
    assert found["crawler_pages_per_second"] == 0.25
    assert found["crawler_fetch_success_rate"] == 0.8
    assert found['crawler_http_status_total{code="404"}'] == 2
    assert found["crawler_pages_verified_total"] == 7
    assert found["crawler_pages_read_otherwise_total"] == 1
    assert found['crawler_frontier_size{state="done"}'] == 5
    assert found["crawler_robots_denials_total"] == 3
    assert found["crawler_active_workers"] == 2
    assert found["page_fetcher_dlq_size"] == 3


def test_every_state_is_there_also_when_nothing_is_in_it() -> None:
    empty = Figures(Counts(), JobProgress(), 0, 0, 0, {})
    found = parsed(text(series(empty)))
    assert {f'crawler_frontier_size{{state="{state}"}}' for state in State} <= set(found)
    assert found["crawler_fetch_success_rate"] == 1


def test_every_series_says_what_it_is() -> None:
    for each in series(FIGURES):
        assert each.help
        assert (each.kind == "counter") == each.name.endswith("_total")


class Attempts(Overview):
    """A ledger of visits."""

    def __init__(self) -> None:
        self.all: list[VisitRow] = []
        self.most = 0

    async def totals(self) -> Counts:
        return Counts(pages=100)

    async def visits(self, after: int | None, limit: int) -> list[VisitRow]:
        if after is None:
            return self.all[-1:]
        found = [visit for visit in self.all if visit.id > after][:limit]
        self.most = max(self.most, len(found))
        return found

    def add(self, at: float, outcome: str = "read", status: int | None = 200) -> None:
        self.all.append(VisitRow(len(self.all) + 1, at, outcome, status))


async def test_visits_are_counted_once_each_and_from_the_start_of_the_process() -> None:
    ledger, clock = Attempts(), HandClock()  # type: ignore[abstract]  # the rest is not asked for
    ledger.add(START - 100)
    count = VisitCount(ledger, clock)
    await count.read_on()
    assert (count.fetched, dict(count.codes)) == (100, {})
    ledger.add(START)
    ledger.add(START, "failed", None)
    ledger.add(START, "gone", 404)
    clock.time += 60
    for _ in range(2):
        await count.read_on()
    assert (count.fetched, dict(count.codes)) == (101, {200: 1, 404: 1})


async def test_the_latest_visits_wait_until_others_with_lower_ids_are_committed() -> None:
    ledger, clock = Attempts(), HandClock()  # type: ignore[abstract]  # the rest is not asked for
    count = VisitCount(ledger, clock)
    await count.read_on()
    ledger.add(START)
    await count.read_on()
    assert count.fetched == 100
    clock.time += 31
    await count.read_on()
    assert count.fetched == 101
