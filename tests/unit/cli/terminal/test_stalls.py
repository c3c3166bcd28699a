"""Is what holds things up told: which visits, in which step, for how long?"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from tenax.cli.crawl.progress import ProgressLine
from tenax.cli.jobs.delete import _oldest
from tenax.cli.terminal.stalls import tell_what_is_left, told_under_way, told_visit
from tenax.compose.crawler import Crawler, open_crawler
from tenax.crawl.run import CrawlParts
from tenax.crawl.steps import Mark
from tenax.model import JobSpec, LeasedTarget, Step, UnderWay, VisitUnderWay
from tenax.settings import Settings
from tenax.testing import SimulatedWeb, page, simulate, start_job
from tests.asking import Asker, opened
from tests.cli import invoke
from tests.ledgers import target

A = "https://a.example"


def visit(step: Step, path: str = "x", host: str = "a.example", job: int = 1) -> VisitUnderWay:
    return VisitUnderWay(f"https://{host}/{path}", host, job, step, 20.0, 10.0)


def test_a_visit_is_told_by_its_step_the_time_it_has_been_there_and_its_url() -> None:
    assert told_visit(visit(Step.REQUEST), 95.0) == f"request for 1 min 15 s: {A}/x"
    assert told_visit(visit(Step.TURN, "\x1b[2J"), 22.0).isprintable()


def test_the_visits_that_began_first_are_named_and_the_rest_counted_by_step() -> None:
    named = tuple(visit(Step.REQUEST, str(number)) for number in range(5))
    counts = {Step.REQUEST: 7, Step.COMMIT: 2}
    assert told_under_way(UnderWay(24.0, counts, named)) == [
        f"request for 4.0 s: {A}/0",
        f"request for 4.0 s: {A}/1",
        f"request for 4.0 s: {A}/2",
        "and 6 visits more: 4 in request, 2 in commit",
    ]
    assert told_under_way(UnderWay(24.0, {}, ())) == []


def test_whoever_waits_for_the_end_is_told_what_it_waits_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    async def story(_: SimulatedWeb, app: Crawler) -> None:
        telling = asyncio.create_task(tell_what_is_left(app.ledger, "Worker process 7: "))
        mark = begin(app.parts)
        await app.parts.clock.sleep(0.9)
        assert capsys.readouterr().err == "", "nobody has waited for long"
        mark.enter(Step.COMMIT)
        await app.parts.clock.sleep(6.0)
        telling.cancel()
        assert capsys.readouterr().err.splitlines() == [
            f"Worker process 7: Still under way: commit for 0.1 s: {A}/x",
            f"Worker process 7: Still under way: commit for 5.1 s: {A}/x",
        ]

    simulate(story)


def begin(parts: CrawlParts) -> Mark:
    return parts.steps.begin(LeasedTarget(1, 1, f"{A}/x", 0, 5, 0), 1, "a.example")


def test_a_crawl_that_makes_no_progress_names_the_visit_it_waits_for() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(f"{A}/", page("home"))
        job = await start_job(app, f"{A}/")
        progress = ProgressLine(app.ledger, job)
        clock = app.parts.clock
        now = clock.now()
        slow = VisitUnderWay(f"{A}/slow", "a.example", job.id, Step.REQUEST, now - 1, now - 2)
        others = VisitUnderWay(f"{A}/", "a.example", job.id + 1, Step.TURN, now - 90, now - 90)
        await app.parts.frontier.show(UnderWay(now, {}, (others, slow)))
        assert "for" not in await progress._tell_job(), "two seconds are nothing"
        await clock.sleep(9.0)
        assert (await progress._tell_job()).endswith(f" · request for 10.0 s: {A}/slow")
        assert await _oldest(app.ledger, job) == f" (request for 1.0 s: {A}/slow)"

    simulate(story)


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    """With a worker at a host, which was killed a moment ago."""

    async def work() -> None:
        async with open_crawler(Settings(data=str(tmp_path))) as app:
            await app.parts.jobs.save("job", JobSpec(seeds=(f"{A}/",)))
            await app.parts.frontier.add(1, [target(f"{A}/")])
            await app.parts.frontier.claim([1], 1)
            now = app.parts.clock.now()
            slow = VisitUnderWay(f"{A}/", "a.example", 1, Step.REQUEST, now - 70, now - 80)
            other = visit(Step.TURN, host="b.example")
            await app.parts.frontier.show(
                UnderWay(now, {Step.REQUEST: 1, Step.TURN: 3}, (other, slow))
            )

    asyncio.run(work())
    return tmp_path


def test_a_host_is_told_with_the_visits_under_way_there(ledger: Path) -> None:
    command = ["hosts", "a.example", "--data", str(ledger)]
    said = invoke(command).output
    (line,) = [line for line in said.splitlines() if "under way" in line]
    assert line.startswith(f"  under way   request for 1 min 10 s: {A}/ (process ")
    assert line.endswith(" ago)")
    told = json.loads(invoke([*command, "--json"]).stdout)
    (seen,) = told["under_way"]
    assert (seen["url"], seen["step"], seen["job_id"]) == (f"{A}/", "request", 1)
    assert isinstance(seen["pid"], int)
    assert seen["began_at"] < seen["since"] < seen["at"]


async def test_the_api_tells_of_each_worker_what_it_does(ledger: Path) -> None:
    async with opened(ledger, Settings(data=str(ledger))) as made:
        asker = Asker(made)
        await asker.make_keys()
        (worker,) = (await asker.ask("/api/workers")).json["items"]
    told = worker["under_way"]
    assert told["steps"] == {"request": 1, "turn": 3}
    assert [(each["host"], each["step"]) for each in told["visits"]] == [
        ("b.example", "turn"), ("a.example", "request"),
    ]  # fmt: skip
    assert told["visits"][0]["since"] == "1970-01-01T00:00:20.000Z"
