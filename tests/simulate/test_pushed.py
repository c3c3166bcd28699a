"""URLs that other programs push: each ends in the ledger or as a dead letter, whatever happens."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tenax.compose.crawler import Crawler
from tenax.crawl.event import TargetFacts, Telling, told
from tenax.crawl.fleet.intake import Busy, IntakePolicy, PushedUrl, Reception, read_item
from tenax.crawl.run import conclude_if_done
from tenax.model import Fault, JobSpec, JobState, Request, Response, State, Target
from tenax.outcome import End, Settlement
from tenax.ports import Added, Frontier, Letters, Unwanted
from tenax.settings import Settings
from tenax.testing import (
    SimulatedWeb,
    VirtualClock,
    open_test_app,
    page,
    run_virtually,
    scratch,
    simulate,
    status,
)
from tenax.urls.decide import Door
from tests.intakes import MemoryIntake, MemoryList

POLICY = IntakePolicy(at_once=3)
PUSHED = [f"https://{name}.example/{n}" for name in "abc" for n in range(3)]


def reception(
    app: Crawler,
    shared: MemoryList,
    policy: IntakePolicy = POLICY,
    limit: int = 100,
    queue: MemoryIntake | None = None,
    frontier: Frontier | None = None,
) -> Reception:
    return Reception(
        queue or MemoryIntake(shared),
        app.parts.jobs,
        frontier or app.parts.frontier,
        app.parts.clock,
        policy,
        lambda job: Door(job.spec, app.ledger.addresses, app.parts.clock.now()),
        limit,
    )


async def take_in(taking: Reception) -> None:
    while await taking.take_in():
        pass


async def known(app: Crawler, job: str = "intake") -> int:
    found = await app.parts.jobs.get(job)
    return (await app.parts.jobs.counts(found.id)).known if found else 0


@pytest.mark.parametrize(
    ("raw", "item"),
    [
        (b"https://a.example/", PushedUrl("https://a.example/", "intake")),
        (b"  a.example/x \n", PushedUrl("a.example/x", "intake")),
        (b'{"url": "https://a.example/"}', PushedUrl("https://a.example/", "intake")),
        (
            b' {"url": "https://a.example/", "job": "news", "priority": 1, "depth": 2, "by": "me"}',
            PushedUrl("https://a.example/", "news", 1, 2),
        ),
        (
            b'{"url": "https://a.example/", "method": "POST", "body": "q=tea"}',
            PushedUrl("https://a.example/", "intake", method="POST", body="q=tea"),
        ),
    ],
)
def test_an_item_is_a_url_or_json(raw: bytes, item: PushedUrl) -> None:
    assert read_item(raw, POLICY) == item


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"  ",
        b"\xff\xfe",
        b"{",
        b"{}",
        b'{"url": 7}',
        b'{"url": ""}',
        b'{"url": "https://a.example/", "priority": "high"}',
        b'{"url": "https://a.example/", "depth": -1}',
        b'{"url": "https://a.example/", "job": "a\\nb"}',
        b'{"url": "https://a.example/", "method": "PUT"}',
        b'{"url": "https://a.example/", "method": "POST", "body": {"q": "tea"}}',
        b'{"url": "https://a.example/", "method": "POST", "body": "\\u0000"}',
        b'{"url": "https://a.example/", "method": "POST", "content_type": "a\\nb"}',
        b'{"url": "https://a.example/", "job": "%s"}' % (b"x" * 300),
        b'{"url": "https://a.example/", "by": %s%s}' % (b"[" * 20_000, b"]" * 20_000),
        b"https://a.example/" + b"x" * 65_536,
    ],
)
def test_what_cannot_be_read_is_unwanted_as_it_was(raw: bytes) -> None:
    item = read_item(raw, POLICY)
    assert isinstance(item, Unwanted)
    assert (item.item, item.reason) == (raw, "malformed")
    assert item.detail


def test_what_is_pushed_is_in_the_job_that_it_names() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        shared = MemoryList()
        shared.waiting += [
            b"https://a.example/",
            b'{"url": "https://b.example/", "job": "news", "priority": 9}',
            b"https://a.example/",
        ]
        await take_in(reception(app, shared))
        assert (await known(app), await known(app, "news")) == (1, 1)
        job = await app.parts.jobs.get("news")
        assert job is not None
        assert job.state is JobState.RUNNING
        (assignment,) = await app.parts.frontier.claim([job.id], 9)
        assert [target.priority for target in assignment.targets] == [9]
        assert (shared.waiting, shared.dead) == ([], [])

    simulate(story)


def test_only_the_pushed_page_is_fetched_where_nobody_asked_for_more() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> list[str]:
        web.at("https://a.example/", page("home", "/next", "https://b.example/"))
        shared = MemoryList([b"https://a.example/"])
        await take_in(reception(app, shared))
        await app.serve_jobs(until_done=True).run()
        return web.urls()

    assert simulate(story) == ["https://a.example/"]


def test_a_job_that_exists_keeps_its_wishes() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        spec = JobSpec(seeds=("https://a.example/",), exclude=("*/private/*",))
        await app.parts.jobs.save("mine", spec)
        shared = MemoryList([b'{"url": "https://a.example/private/x", "job": "mine"}'])
        await take_in(reception(app, shared))
        assert [one.reason for one in shared.dead] == ["excluded"]
        job = await app.parts.jobs.get("mine")
        assert job is not None
        assert job.spec == spec

    simulate(story)


def test_what_the_door_refuses_is_a_dead_letter() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        shared = MemoryList([b"ftp://a.example/", b"http://127.0.0.1/", b"https://a.example/"])
        await take_in(reception(app, shared))
        assert [one.reason for one in shared.dead] == ["scheme", "private_address"]
        assert await known(app) == 1

    simulate(story)


def test_more_than_a_job_takes_is_a_dead_letter_each() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        await app.parts.jobs.save("intake", JobSpec(max_urls=2))
        shared = MemoryList([url.encode() for url in PUSHED[:3]])
        await take_in(reception(app, shared))
        assert [one.reason for one in shared.dead] == ["job_limit"]
        assert await known(app) == 2

    simulate(story)


def test_a_full_frontier_leaves_the_rest_in_the_list() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        shared = MemoryList([url.encode() for url in PUSHED])
        taking = reception(app, shared, limit=4)
        assert await taking.take_in() == 3
        assert isinstance(await taking.take_in(), Busy)
        assert await known(app) == 4
        assert shared.waiting == [url.encode() for url in PUSHED[4:]]
        assert shared.dead == []

    simulate(story)


@pytest.mark.parametrize("state", list(JobState))
def test_a_job_that_was_done_goes_on_and_a_stopped_one_waits(state: JobState) -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> JobState:
        job = await app.parts.jobs.save("intake", JobSpec(), JobState.RUNNING)
        await app.parts.jobs.set_state(job.id, state)
        await take_in(reception(app, MemoryList([b"https://a.example/"])))
        return (await app.parts.jobs.states())[job.id]

    assert simulate(story) is (JobState.RUNNING if state is JobState.DONE else state)


def test_a_url_pushed_again_is_fetched_again() -> None:
    """STORE-3: a scheduler that pushes the same URL every cycle gets it every cycle; also what is
    gone by now, or was given up."""

    async def story(web: SimulatedWeb, app: Crawler) -> list[str]:
        web.at("https://a.example/", page("one"))
        web.at("https://b.example/", status(404), page("back"))
        web.at("https://c.example/", status(400), page("mended"))
        urls = [b"https://a.example/", b"https://b.example/", b"https://c.example/"]
        shared = MemoryList()
        for _ in range(3):
            shared.waiting += urls
            await take_in(reception(app, shared))
            await app.serve_jobs(until_done=True).run()
        job = await app.parts.jobs.get("intake")
        assert job is not None
        counts = await app.parts.jobs.counts(job.id)
        assert (counts.of(State.DONE), counts.known) == (3, 3)
        return web.urls()

    asked = simulate(story)
    assert {url: asked.count(url) for url in asked} == {
        "https://a.example/": 3,
        "https://b.example/": 3,
        "https://c.example/": 3,
    }


def test_what_is_sent_to_one_url_is_as_many_pages_each_asked_for_again_when_it_is_pushed() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> list[tuple[str, str]]:
        asked = list[tuple[str, str]]()

        def answer(request: Request) -> Response:
            asked.append((request.method, request.body.decode()))
            return page(f"one says {request.body.decode()}")

        web.at("https://a.example/", answer)
        sent = b'{"url": "https://a.example/", "method": "POST", "body": "q=%s"}'
        for pushed in ([b"https://a.example/", sent % b"tea", sent % b"rum"], [sent % b"tea"]):
            shared = MemoryList()
            shared.waiting += pushed
            await take_in(reception(app, shared))
            await app.serve_jobs(until_done=True).run()
        assert await known(app) == 3
        assert shared.dead == []
        return asked

    once = [("GET", ""), ("POST", "q=rum"), ("POST", "q=tea")]
    asked = simulate(story)
    assert (sorted(asked[:3]), asked[3:]) == (once, [("POST", "q=tea")])


def test_a_dead_letter_can_be_pushed_back_as_it_is() -> None:
    """Whoever empties the list of dead letters may put them on the other list unread."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at("https://a.example/", status(400), page("mended"))
        await take_in(reception(app, MemoryList([b'{"url": "https://a.example/", "job": "mine"}'])))
        await app.serve_jobs(until_done=True).run()
        (letter,) = await app.ledger.dead.find(Letters())
        facts = TargetFacts(letter.url, letter.job, letter.attempts)
        end = End(State.FAILED, letter.reason, Fault(letter.fault))
        event = told(Settlement(1, 2, 3, end, None, url_hash=bytes(32)), facts, 0.0, Telling())
        await take_in(reception(app, MemoryList([event])))
        assert await app.ledger.dead.find(Letters()) == []
        await app.serve_jobs(until_done=True).run()
        job = await app.parts.jobs.get("mine")
        assert job is not None
        assert (await app.parts.jobs.counts(job.id)).of(State.DONE) == 1
        assert await known(app) == 0

    simulate(story)


def test_what_was_fetched_lately_is_left_where_that_is_wanted() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> list[str]:
        web.at("https://a.example/", page("one"))
        policy = replace(POLICY, again=60.0)
        for seconds in (0, 30, 40):
            await app.parts.clock.sleep(seconds)
            await take_in(reception(app, MemoryList([b"https://a.example/"]), policy))
            await app.serve_jobs(until_done=True).run()
        return web.urls()

    assert simulate(story) == ["https://a.example/"] * 2


def test_a_job_is_not_done_when_a_known_url_is_pushed_as_it_is_found_so() -> None:
    """Whoever pushes finds the job running, and leaves it at that."""

    async def story(web: SimulatedWeb, app: Crawler) -> JobState:
        web.at("https://a.example/", page("one"))
        await take_in(reception(app, MemoryList([b"https://a.example/"])))
        await app.serve_jobs(until_done=True).run()
        job = await app.parts.jobs.get("intake")
        assert job is not None
        await app.parts.jobs.set_state(job.id, JobState.RUNNING)

        class Pushing:
            """Between the look and the note that the job is done somebody pushes."""

            def __getattr__(self, name: str) -> Any:
                return getattr(app.parts.jobs, name)

            async def set_state(self, job_id: int, state: JobState) -> None:
                if state is JobState.DONE:
                    await take_in(reception(app, MemoryList([b"https://a.example/"])))
                await app.parts.jobs.set_state(job_id, state)

        parts = replace(app.parts, jobs=Pushing())
        assert not await conclude_if_done(parts, job)
        return (await app.parts.jobs.states())[job.id]

    assert simulate(story) is JobState.RUNNING


class Killed(Exception):
    """The process is gone."""


class Steps:
    """Counts what a reception does to the world outside, and kills it at one of these."""

    def __init__(self, last: int) -> None:
        self.left = last

    def __call__(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise Killed


class MortalIntake(MemoryIntake):
    def __init__(self, shared: MemoryList, step: Steps) -> None:
        super().__init__(shared)
        self._step = step

    async def take(self, most: int) -> list[bytes]:
        self._step()
        taken = await super().take(most)
        self._step()
        return taken

    async def settle(self, unwanted: Sequence[Unwanted] = (), back: Sequence[bytes] = ()) -> None:
        self._step()
        await super().settle(unwanted, back)
        self._step()


class MortalFrontier:
    def __init__(self, inner: Frontier, step: Steps) -> None:
        self._inner = inner
        self._step = step

    async def push(self, job_id: int, targets: Sequence[Target], fetched_before: float) -> Added:
        self._step()
        added = await self._inner.push(job_id, targets, fetched_before)
        self._step()
        return added


def test_nothing_is_lost_when_takers_are_killed_at_any_step() -> None:
    """STORE-3: a crash between pop and store returns it."""

    async def story(web: SimulatedWeb, app: Crawler) -> int:
        lives = 0
        shared = MemoryList([*(url.encode() for url in PUSHED), b"{"])
        while shared.waiting or any(shared.taken.values()):
            step = Steps(last=lives % 9)
            queue = MortalIntake(shared, step)
            frontier = MortalFrontier(app.parts.frontier, step)
            taking = reception(app, shared, queue=queue, frontier=frontier)  # type: ignore[arg-type]  # nothing else of it is used
            lives += 1
            try:
                await queue.recover()
                await take_in(taking)
            except Killed:
                queue.die()
        assert await known(app) == len(PUSHED)
        assert {one.item for one in shared.dead} == {b"{"}
        return lives

    assert simulate(story) > 6


def test_a_worker_takes_in_what_is_pushed_while_it_runs() -> None:
    async def main(folder: Path) -> tuple[list[str], JobState]:
        web = SimulatedWeb()
        for url in PUSHED:
            web.at(url, page(url))
        config = Settings(contact="mailto:test@example.org")
        async with open_test_app(web, folder, config) as app:
            shared = MemoryList([PUSHED[0].encode()])
            app = replace(app, parts=replace(app.parts, intake=reception(app, shared)))
            run = app.serve_jobs()
            working = asyncio.create_task(run.run())
            await asyncio.sleep(20)
            shared.is_down = True
            shared.waiting += [url.encode() for url in PUSHED[1:]]
            await asyncio.sleep(60)
            assert len(web.urls()) == 1, "the list cannot be had for now"
            shared.is_down = False
            await asyncio.sleep(120)
            run.stop()
            await working
            job = await app.parts.jobs.get("intake")
            assert job is not None
            done = (await app.parts.jobs.counts(job.id)).of(State.DONE)
            assert done == len(PUSHED)
            assert not any(shared.taken.values())
            return web.urls(), job.state

    with scratch() as folder:
        urls, state = run_virtually(main(Path(folder)))
    assert sorted(urls) == sorted(PUSHED)
    assert state is JobState.DONE


def test_a_reception_ends_without_leaving_anything_behind() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        shared = MemoryList()
        taking = reception(app, shared)
        running = asyncio.create_task(taking.run())
        await VirtualClock().sleep(5)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        assert not shared.alive

    simulate(story)
