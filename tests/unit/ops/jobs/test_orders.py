"""What becomes of a job that is ordered about, and what does the order answer? (FR-7)"""

from __future__ import annotations

from pathlib import Path

from tenax.jobs.states import JobOrder, Refusal
from tenax.model import JobSpec, JobState, State
from tenax.ops.jobs.create import JobCreated, NewJob, create_job
from tenax.ops.jobs.orders import Deletion, RunsAgain, delete_job, order_job, run_again
from tenax.testing import SimulatedWeb, crawl, open_test_app, page, run_virtually

HOME = "https://a.example/"


def test_an_order_is_written_down_or_refused_with_a_reason(tmp_path: Path) -> None:
    async def story() -> None:
        async with open_test_app(SimulatedWeb(), tmp_path) as app:
            context = app.ledger.job_context
            made = await create_job(context, NewJob("a", JobSpec(seeds=(HOME,))))
            assert isinstance(made, JobCreated)
            assert await order_job(context, made.job, JobOrder.START) is JobState.RUNNING
            now = await app.ledger.jobs.get("a")
            assert now is not None
            assert now.state is JobState.RUNNING
            assert isinstance(await order_job(context, now, JobOrder.RESUME), JobState)
            assert isinstance(await order_job(context, made.job, JobOrder.PAUSE), Refusal)

    run_virtually(story())


def test_running_again_tells_how_much_and_refuses_where_there_is_nothing(tmp_path: Path) -> None:
    async def story() -> None:
        web = SimulatedWeb()
        web.at(HOME, page("home", "/1"))
        web.at(f"{HOME}1", page("one"))
        async with open_test_app(web, tmp_path) as app:
            context = app.ledger.job_context
            await crawl(app, HOME, name="a")
            job = await app.ledger.jobs.get("a")
            assert job is not None
            assert await run_again(context, job) == RunsAgain(again=2, pending=2)
            empty = await app.ledger.jobs.save("b", JobSpec(), JobState.DONE)
            assert isinstance(await run_again(context, empty), Refusal)
            await app.ledger.jobs.set_state(job.id, JobState.PAUSED)
            paused = await app.ledger.jobs.get("a")
            assert paused is not None
            assert isinstance(await run_again(context, paused), Refusal)

    run_virtually(story())


def test_nothing_is_deleted_while_somebody_has_it_in_hand(tmp_path: Path) -> None:
    async def story() -> None:
        async with open_test_app(SimulatedWeb(), tmp_path) as app:
            context, jobs = app.ledger.job_context, app.ledger.jobs
            wanted = NewJob("a", JobSpec(seeds=(HOME,)), is_started=True)
            made = await create_job(context, wanted)
            assert isinstance(made, JobCreated)
            (held,) = await app.ledger.frontier.claim([made.job.id], 1)
            began = app.ledger.clock.now()
            told: list[Deletion] = []

            async def tell(so_far: Deletion) -> None:
                told.append(so_far)

            done = await delete_job(context, made.job, patience=3.0, seconds=9.0, tell=tell)
            assert done == Deletion(held=1)
            assert told[0].held == 1, "who waits is told what for"
            assert 3.0 <= app.ledger.clock.now() - began < 4.0
            stopped = await jobs.get("a")
            assert stopped is not None
            assert stopped.state is JobState.STOPPED
            await app.ledger.frontier.commit([], [held.id])
            assert not (await jobs.counts(made.job.id)).of(State.LEASED)
            done = await delete_job(context, made.job, patience=0.0, seconds=9.0)
            assert (done.deleted, done.is_gone, await jobs.all()) == (1, True, [])

    run_virtually(story())
