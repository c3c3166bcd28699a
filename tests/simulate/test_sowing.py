"""Do very many seeds enter a job without being lost, doubled or held in memory? (FR-8)"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from tenax.compose.crawler import Crawler
from tenax.crawl.policy import FeedPolicy
from tenax.model import Job, JobSpec, JobState, Reason, ScopeKind, State
from tenax.ops.jobs import bulk_seeds
from tenax.ops.jobs.bulk_seeds import Grounds, Seed, Sown, sow
from tenax.settings import Settings
from tenax.testing import SimulatedWeb, page, simulate
from tests.simulate.sites import assert_whole

SETTINGS = Settings(contact="mailto:test@example.org")


def seeds(count: int, hosts: int = 10) -> Iterator[Seed]:
    for n in range(count):
        yield Seed(f"file:{n + 1}", f"https://h{n % hosts}.example/{n}")


async def a_job(app: Crawler, **spec: object) -> Job:
    wanted = JobSpec(discover=(), **spec)  # type: ignore[arg-type]  # whatever a test asks for
    return await app.parts.jobs.save("job", wanted, JobState.STOPPED)


async def all_sown(app: Crawler, job: Job, some: Iterator[Seed]) -> Sown:
    return await sow(app.ledger.job_context, app.ledger.admission(job), some)


def test_all_of_them_become_targets_that_are_due() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        job = await a_job(app)
        sown = await all_sown(app, job, seeds(5_000))
        assert (sown.read, sown.new, sown.known) == (5_000, 5_000, 0)
        assert (await app.parts.jobs.counts(job.id)).states == {State.PENDING: 5_000}
        await assert_whole(app)

    simulate(story)


def test_those_of_before_are_known_and_nothing_is_doubled() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        job = await a_job(app)
        await all_sown(app, job, seeds(2_500))
        sown = await all_sown(app, job, seeds(4_000))
        assert (sown.new, sown.known) == (1_500, 2_500)
        assert (await app.parts.jobs.counts(job.id)).known == 4_000

    simulate(story)


def test_what_was_interrupted_half_way_goes_on_when_done_again() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        job = await a_job(app)

        def interrupted() -> Iterator[Seed]:
            yield from seeds(3_000)
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            await all_sown(app, job, interrupted())
        known = (await app.parts.jobs.counts(job.id)).known
        assert known == bulk_seeds.BATCH
        await assert_whole(app)
        sown = await all_sown(app, job, seeds(5_000))
        assert (sown.new, sown.known) == (5_000 - known, known)

    simulate(story)


def test_bad_ones_are_told_with_their_place_and_the_rest_goes_on() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        job = await a_job(app, exclude=("*secret*",))
        bad = ["ftp://a.example/", "http://", "http://127.0.0.1/", "https://u:p@a.example/"]
        bad += ["https://a.example/secret"] * 3
        lines = [Seed(f"file:{n}", text) for n, text in enumerate(bad)]
        sown = await all_sown(app, job, iter([*lines, Seed("file:7", "a.example/fine")]))
        assert (sown.read, sown.new, sum(sown.refused.values())) == (8, 1, 7)
        assert sown.refused[Reason.EXCLUDED] == 3
        told = [(seed.place, refused.reason) for seed, refused in sown.examples]
        assert told == [
            ("file:0", Reason.SCHEME),
            ("file:1", Reason.MALFORMED),
            ("file:2", Reason.PRIVATE_ADDRESS),
            ("file:3", Reason.CREDENTIALS_IN_URL),
            ("file:4", Reason.EXCLUDED),
        ]

    simulate(story)


def test_what_a_limit_of_the_job_leaves_out_is_counted() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        job = await a_job(app, max_urls=100)
        sown = await all_sown(app, job, seeds(2_500))
        assert (sown.new, sown.refused) == (100, {Reason.JOB_LIMIT: 2_400})

    simulate(story)


def test_only_as_many_as_are_needed_are_read_at_once() -> None:
    """Memory does not grow with the file: a batch is in the ledger before the next is read."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        job = await a_job(app)
        read = 0
        most = 0

        def watched() -> Iterator[Seed]:
            nonlocal read
            for seed in seeds(10_000):
                read += 1
                yield seed

        def tell(sown: Sown) -> None:
            nonlocal most
            most = max(most, read - sown.read)

        await sow(app.ledger.job_context, app.ledger.admission(job), watched(), tell)
        assert read == 10_000
        assert most == 0

    simulate(story)


def test_above_the_limit_of_the_frontier_they_wait_until_there_is_room() -> None:
    """FR-8: fetching goes on meanwhile, and nothing is dropped."""
    limited = replace(SETTINGS, feed=FeedPolicy(frontier_limit=50))

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        for n in range(10):
            web.host(f"h{n}.example", lambda request: page("a page"))
        job = await a_job(app, max_depth=0)
        busy = asyncio.Event()
        longest = 0

        def tell(sown: Sown) -> None:
            if sown.is_busy:
                busy.set()

        sowing_task = asyncio.create_task(
            sow(app.ledger.job_context, app.ledger.admission(job), seeds(300), tell)
        )
        await busy.wait()
        await app.parts.jobs.set_state(job.id, JobState.RUNNING)
        while not sowing_task.done():
            longest = max(longest, (await app.parts.jobs.counts(job.id)).unfinished)
            await app.run(job).run()
        await app.run(job).run()
        assert longest <= 50
        assert sowing_task.result().new == 300
        assert (await app.parts.jobs.counts(job.id)).states == {State.DONE: 300}
        assert len(web.urls()) == len(set(web.urls())) == 300
        await assert_whole(app)

    simulate(story, limited)


@pytest.mark.parametrize(
    ("scope", "kept"),
    [
        (ScopeKind.HOST, ["https://a.example/x/1", "https://www.b.example/y"]),
        (ScopeKind.DOMAIN, ["https://a.example/x/1", "https://www.b.example/y"]),
        (ScopeKind.PREFIX, ["https://a.example/x/1", "https://a.example/z/1?q=/",
                            "https://www.b.example/y"]),
        (ScopeKind.ANY, []),
    ],
)  # fmt: skip
def test_of_very_many_seeds_those_that_make_the_scope_are_kept(
    scope: ScopeKind, kept: list[str]
) -> None:
    grounds = Grounds(scope, ["https://known.example/"])
    for text in (
        "known.example/7", "a.example/x/1", "https://a.example/x/2", "https://a.example/z/1?q=/",
        "www.b.example/y", "ftp://c.example/", "::",
    ):  # fmt: skip
        grounds.add(text)
    assert [*grounds.new] == kept
    assert grounds.is_complete


def test_a_domain_is_kept_once_whatever_its_hosts() -> None:
    grounds = Grounds(ScopeKind.DOMAIN, ())
    for n in range(100):
        grounds.add(f"https://h{n}.shop.co.uk/")
    assert [*grounds.new] == ["https://h0.shop.co.uk/"]


def test_more_hosts_than_a_job_keeps_in_mind_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk_seeds, "MOST_GROUNDS", 3)
    grounds = Grounds(ScopeKind.HOST, ())
    complete = []
    for n in (0, 1, 2, 0, 1, 3):
        grounds.add(f"https://h{n}.example/")
        complete.append(grounds.is_complete)
    assert complete == [True] * 5 + [False]
    assert len([*grounds.new]) == 3
