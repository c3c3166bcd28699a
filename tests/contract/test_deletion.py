"""The promises of deleting a job: what is its own goes, step by step, and nothing else (FR-7)."""

from __future__ import annotations

import pytest
import sqlalchemy as sa
from msgspec.structs import replace

from tenax.adapters.sql.records import deletion
from tenax.adapters.sql.schema.tables import jobs as jobs_table
from tenax.adapters.sql.schema.tables import metadata
from tenax.model import Fault, JobSpec, JobState, Reason, State
from tenax.outcome import End
from tenax.ports import Counts, Deleted, Letters
from tests.ledgers import Ledger, Worker, get_to_know, settlement, settlements, target

OWN = ("job_id", "target_id")
"""A column of one of these names says whose a row is."""


async def deleted(ledger: Ledger, job_id: int, most: int = 1_000) -> int:
    """Delete it to the end, the ledger being whole after every step; how many steps it took."""
    for steps in range(1, most):
        step = await ledger.jobs.delete(job_id)
        assert await ledger.auditor.audit() == []
        if step.is_gone:
            return steps
    raise AssertionError(f"still there after {most} steps")


async def filled(ledger: Ledger, name: str = "job") -> tuple[Worker, int]:
    """A job with pages, failures, rejections and work left, at two hosts."""
    worker = await ledger.worker()
    job_id = await ledger.job(name)
    for host in ("a.example", "b.example"):
        await get_to_know(ledger, worker, job_id, host)
    ledger.clock.time += 10
    await worker.frontier.add(
        job_id, [target(f"https://{h}.example/{n}") for h in "ab" for n in range(30)]
    )
    for number, assignment in enumerate(await worker.frontier.claim([job_id])):
        done = [settlement(assignment, each, stored=True) for each in assignment.targets[1:]]
        given_up = End(State.FAILED, "read_timeout: 30 s", Fault.READ_TIMEOUT)
        done.append(
            replace(
                settlement(assignment, assignment.targets[0], given_up),
                rejected={Reason.TRAP: 3},
                kept_rejections=((f"https://a.example/trap{number}", Reason.TRAP),),
            )
        )
        await worker.frontier.commit(done, [assignment.id])
    return worker, job_id


async def rows_of(ledger: Ledger, job_id: int) -> dict[str, int]:
    """How many rows each table has that name this job, or a target that no job has."""
    database = ledger.workers[0].database

    def count(connection: sa.Connection) -> dict[str, int]:
        found = {}
        targets = metadata.tables["targets"]
        for table in metadata.tables.values():
            if "job_id" in table.c:
                query = sa.select(sa.func.count()).where(table.c.job_id == job_id)
            elif "target_id" in table.c:
                orphan = ~sa.exists().where(targets.c.id == table.c.target_id)
                query = sa.select(sa.func.count()).select_from(table).where(orphan)
            else:
                continue
            if rows := connection.execute(query).scalar_one():
                found[table.name] = rows
        return found

    return await database.read(count)


async def test_nothing_of_a_deleted_job_is_left(ledger: Ledger) -> None:
    _, job_id = await filled(ledger)
    before = await rows_of(ledger, job_id)
    assert {"targets", "pages", "lanes", "tallies", "dead_letters", "stats"} <= set(before)
    await deleted(ledger, job_id)
    assert await rows_of(ledger, job_id) == {}
    assert await ledger.jobs.get("job") is None
    assert await ledger.jobs.counts(job_id) == Counts()
    assert await ledger.pages.find() == []
    assert await ledger.dead.find(Letters()) == []


async def test_another_job_at_the_same_hosts_keeps_everything(ledger: Ledger) -> None:
    _, kept_id = await filled(ledger, "kept")
    _, job_id = await filled(ledger, "job")
    counts = await ledger.jobs.counts(kept_id)
    rows = await rows_of(ledger, kept_id)
    assert counts.known
    await deleted(ledger, job_id)
    assert await ledger.jobs.counts(kept_id) == counts
    assert await rows_of(ledger, kept_id) == rows
    assert [job.name for job in await ledger.jobs.all()] == ["kept"]


async def test_what_is_known_of_hosts_stays(ledger: Ledger) -> None:
    _, job_id = await filled(ledger)
    before = await ledger.hosts.get("a.example")
    await deleted(ledger, job_id)
    after = await ledger.hosts.get("a.example")
    assert before is not None
    assert after is not None
    assert after.host == before.host
    assert (after.known, after.pages) == (0, 0)


async def test_steps_are_small_and_each_leaves_the_ledger_whole(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deletion, "CHUNK", 7)
    _, job_id = await filled(ledger)
    known = (await ledger.jobs.counts(job_id)).known
    step = await ledger.jobs.delete(job_id)
    assert step == Deleted(targets=7)
    assert await ledger.auditor.audit() == []
    left = await ledger.jobs.counts(job_id)
    assert left.known == known - 7
    assert await deleted(ledger, job_id) >= left.known // 7


async def test_a_job_half_deleted_can_be_deleted_by_another_process(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a crash leaves behind is a smaller job, of the same name."""
    monkeypatch.setattr(deletion, "CHUNK", 7)
    worker, job_id = await filled(ledger)
    await ledger.jobs.delete(job_id)
    worker.die()
    found = await ledger.jobs.get("job")
    assert found is not None
    assert found.state is JobState.STOPPED
    await deleted(ledger, found.id)
    assert await rows_of(ledger, job_id) == {}


async def test_a_job_that_is_being_deleted_gives_out_nothing(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deletion, "CHUNK", 7)
    worker, job_id = await filled(ledger)
    await ledger.jobs.delete(job_id)
    ledger.clock.time += 1_000
    assert (await ledger.jobs.counts(job_id)).unfinished
    assert await worker.frontier.claim([job_id]) == []


async def test_what_a_worker_has_in_hand_is_waited_for(ledger: Ledger) -> None:
    worker, job_id = await filled(ledger)
    ledger.clock.time += 100
    held = await worker.frontier.claim([job_id])
    in_hand = sum(len(assignment.targets) for assignment in held)
    assert in_hand
    step = await ledger.jobs.delete(job_id)
    assert (step.held, step.is_gone) == (in_hand, False)
    assert (await ledger.jobs.counts(job_id)).states == {State.LEASED: in_hand}
    for assignment in held:
        await worker.frontier.commit(settlements(assignment, stored=True), [assignment.id])
    await deleted(ledger, job_id)


async def test_what_comes_too_late_for_a_deleted_job_is_dropped(ledger: Ledger) -> None:
    """URLs of a visit whose lease was lost are added later: perhaps to a job that is no more."""
    worker, job_id = await filled(ledger)
    await deleted(ledger, job_id)
    added = await worker.frontier.add(job_id, [target("https://a.example/late")])
    assert (added.new, added.known) == (0, 0)
    assert await rows_of(ledger, job_id) == {}


async def test_a_new_job_never_gets_the_number_of_a_deleted_one(ledger: Ledger) -> None:
    """A process at work may still know the old one by it."""
    job_id = await ledger.job()
    await deleted(ledger, job_id)
    assert await ledger.job() > job_id


async def test_a_job_without_any_url_goes_at_once(ledger: Ledger) -> None:
    job = await ledger.jobs.save("empty", JobSpec(), JobState.STOPPED)
    assert await ledger.jobs.delete(job.id) == Deleted(is_gone=True)
    assert await ledger.jobs.all() == []


def test_every_table_that_belongs_to_a_job_is_emptied() -> None:
    """A new table with a job's or a target's rows has to be thought of here."""
    owned = {t.name for t in metadata.tables.values() if any(name in t.c for name in OWN)}
    emptied = {table.name for table, _ in (*deletion.OF_A_TARGET, *deletion.OF_A_JOB)}
    assert owned - emptied - {jobs_table.name} <= {"lanes", "fingerprints", "records"}
