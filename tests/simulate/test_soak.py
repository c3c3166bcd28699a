"""Does a crawl that goes on for a day stay as it is? Memory, descriptors, ledger and log."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from tenax.compose.health import watching_alerts
from tenax.compose.lifecycle.upkeep import cleaning_up
from tenax.jobs.revisit_policy import RecrawlPolicy
from tenax.model import Request
from tenax.ops.alerts.rules import AlertingPolicy, AlertRule, AlertWhat
from tenax.ops.lifecycle.retention_policy import RetentionPolicy
from tenax.testing import (
    Answer,
    SimulatedWeb,
    open_test_app,
    page,
    run_virtually,
    scratch,
    start_job,
    status,
)
from tests.simulate.test_schedules import DAY, HOUR, SETTINGS

PAGES = 12
DAILY = replace(
    SETTINGS,
    recrawl=RecrawlPolicy(interval=HOUR, shortest=HOUR, longest=HOUR, longest_entry=HOUR),
    # Who beats every five minutes would be missed after two.
    alerts=(AlertRule(AlertWhat.SILENT_WORKER, off=True),),
    alerting=AlertingPolicy(look=600.0),
    retention=RetentionPolicy(every=HOUR, attempts=2 * HOUR / DAY, stats=2 * HOUR / DAY),
)
"""What is kept for a week is kept for two hours here: after a third of the day all is full."""


def test_a_day_of_visiting_the_same_pages_leaves_everything_as_it_was(
    caplog: pytest.LogCaptureFixture,
) -> None:
    turns = 0

    def answer(request: Request) -> Answer:
        nonlocal turns
        turns += 1
        if request.url.endswith("/robots.txt"):
            return status(404)
        number = int(request.url.rpartition("/")[2] or 0)
        if number == 3 and turns % 3 == 0:
            return status(503)
        said = f"turn {turns % 7}" if number == 5 else "as ever"
        return page(f"page {number} {said}", *(f"/{n}" for n in range(1, PAGES)))

    seen: list[dict[str, int]] = []

    async def main() -> None:
        web = SimulatedWeb()
        web.host("a.example", answer)
        with scratch() as name:
            folder = Path(name)
            async with open_test_app(web, folder, DAILY) as app:
                await start_job(app, "https://a.example/", recrawl=HOUR)
                run = app.serve_jobs()
                working = asyncio.create_task(run.run())
                async with watching_alerts(app.ledger), cleaning_up(app.ledger, lambda _: None):
                    for hour in range(24):
                        await asyncio.sleep(HOUR)
                        if hour >= 8:
                            seen.append(_looked(folder, len(caplog.records)))
                run.stop()
                await working
        assert len(web.urls()) > 20 * PAGES, "they were visited every hour"

    with caplog.at_level(logging.WARNING, "tenax"):
        run_virtually(main())
    first, last = seen[:8], seen[-8:]
    for what, room in (("objects", 1.02), ("descriptors", 1.0), ("ledger", 1.05), ("log", 1.0)):
        was, is_now = max(each[what] for each in first), max(each[what] for each in last)
        assert is_now <= was * room, (what, was, is_now)


def _looked(folder: Path, log: int) -> dict[str, int]:
    gc.collect()
    return {
        "objects": len(gc.get_objects()),
        "descriptors": len(os.listdir("/proc/self/fd")),
        "ledger": sum(file.stat().st_size for file in folder.rglob("ledger.db")),
        "log": log,
    }
