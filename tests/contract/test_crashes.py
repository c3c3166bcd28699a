"""Is a death counted against the target that was being read, once, and against no other? (FR-1)"""

from __future__ import annotations

from msgspec.structs import replace

from tenax.adapters.local.reading_note import read_note
from tenax.model import State
from tenax.outcome import Later
from tests.ledgers import LEASES, UNPACED, Ledger, Worker, get_to_know, settlement, target

A = "https://a.example"


async def reading(ledger: Ledger, kernel: str = "") -> tuple[Worker, Worker, int, dict[str, int]]:
    """Two workers, a job, and the targets that the first has claimed, by URL."""
    first, second = [await ledger.worker(UNPACED, kernel=kernel) for _ in range(2)]
    job = await ledger.job()
    await get_to_know(ledger, first, job, "a.example")
    await first.frontier.add(job, [target(f"{A}/deadly"), target(f"{A}/well")])
    (claimed,) = await first.frontier.claim([job])
    return first, second, job, {each.url: each.id for each in claimed.targets}


async def deaths(ledger: Ledger) -> list[tuple[int, int]]:
    return [(id, n) for id, n in await ledger.sql("SELECT target_id, count FROM crashes")]


async def claimed_by(worker: Worker, job: int) -> dict[str, int]:
    """The deaths that stand against what it claims now."""
    (claimed,) = await worker.frontier.claim([job])
    return {each.url: each.crashes for each in claimed.targets}


async def test_a_death_counts_against_what_was_being_read_and_nothing_else(ledger: Ledger) -> None:
    first, second, job, ids = await reading(ledger)
    first.note.begin(ids[f"{A}/deadly"], f"{A}/deadly")
    first.die()
    assert await second.frontier.reclaim() == 2, "both leases came back"
    assert await ledger.state(f"{A}/well") is State.PENDING
    assert await claimed_by(second, job) == {f"{A}/deadly": 1, f"{A}/well": 0}


async def test_who_died_between_two_pages_counts_against_none(ledger: Ledger) -> None:
    first, second, job, ids = await reading(ledger)
    first.note.begin(ids[f"{A}/deadly"], f"{A}/deadly")
    first.note.end()
    first.die()
    assert await second.frontier.reclaim() == 2
    assert await deaths(ledger) == []
    assert await claimed_by(second, job) == {f"{A}/deadly": 0, f"{A}/well": 0}


async def test_every_death_counts_once(ledger: Ledger) -> None:
    first, second, job, ids = await reading(ledger)
    third = await ledger.worker(UNPACED)
    await third.membership.join()
    first.note.begin(ids[f"{A}/deadly"], f"{A}/deadly")
    first.die()
    await second.frontier.reclaim()
    await third.frontier.reclaim()
    assert await deaths(ledger) == [(ids[f"{A}/deadly"], 1)]
    await second.frontier.claim([job])
    second.note.begin(ids[f"{A}/deadly"], f"{A}/deadly")
    second.die()
    await third.frontier.reclaim()
    assert await deaths(ledger) == [(ids[f"{A}/deadly"], 2)]


async def test_a_death_whose_file_is_still_there_when_another_starts_counts_once(
    ledger: Ledger,
) -> None:
    """As when whoever counted it is killed before it has cleared the file away."""
    first, second, _, ids = await reading(ledger)
    first.note.begin(ids[f"{A}/deadly"], f"{A}/deadly")
    first.die()
    (file,) = [path for path in (ledger.folder / "workers").glob("*.lock") if read_note(path)]
    kept = file.read_bytes()
    await second.frontier.reclaim()
    assert not file.exists()
    file.write_bytes(kept)
    third = await ledger.worker(UNPACED)
    await third.membership.join()
    assert await deaths(ledger) == [(ids[f"{A}/deadly"], 1)]
    assert not file.exists(), "it was looked at"


async def test_what_was_settled_meanwhile_has_no_death_on_its_account(ledger: Ledger) -> None:
    first, second, _, _ = await reading(ledger)
    ((known,),) = await ledger.sql("SELECT id FROM targets WHERE state = 'done'")
    first.note.begin(known, f"{A}/known")
    first.die()
    await second.frontier.reclaim()
    assert await deaths(ledger) == []


async def test_a_visit_says_what_stands_against_its_target_from_now_on(ledger: Ledger) -> None:
    first, second, job, ids = await reading(ledger)
    first.note.begin(ids[f"{A}/deadly"], f"{A}/deadly")
    first.die()
    await second.frontier.reclaim()
    for stands, left in ((None, 1), (5, 5), (0, None)):
        (claimed,) = await second.frontier.claim([job])
        deadly = next(each for each in claimed.targets if each.url.endswith("/deadly"))
        again = settlement(claimed, deadly, Later(ledger.clock.time, counts=False))
        await second.frontier.commit([replace(again, crashes=stands)], [claimed.id])
        expected = [] if left is None else [(deadly.id, left)]
        assert await deaths(ledger) == expected


async def test_a_note_that_another_machine_could_not_read_is_counted_by_the_next_start_here(
    ledger: Ledger,
) -> None:
    first, _, job, ids = await reading(ledger, "here-")
    there = await ledger.worker(UNPACED, kernel="there-")
    first.note.begin(ids[f"{A}/deadly"], f"{A}/deadly")
    first.die()
    (lock,) = (ledger.folder / "workers").glob("here-*.lock")
    elsewhere = lock.rename(ledger.folder / "on-another-machine")
    ledger.clock.time += LEASES.seconds + LEASES.silence
    await there.frontier.reclaim()
    elsewhere.rename(lock)
    assert await deaths(ledger) == []
    assert await claimed_by(there, job) == {f"{A}/deadly": 0, f"{A}/well": 0}
    new = await ledger.worker(UNPACED, kernel="here-")
    await new.membership.join()
    assert await deaths(ledger) == [(ids[f"{A}/deadly"], 1)]
    again = await ledger.worker(UNPACED, kernel="here-")
    await again.membership.join()
    assert await deaths(ledger) == [(ids[f"{A}/deadly"], 1)], "and once is enough"


async def test_the_note_of_a_worker_that_lives_is_no_death(ledger: Ledger) -> None:
    first, second, _, ids = await reading(ledger)
    first.note.begin(ids[f"{A}/deadly"], f"{A}/deadly")
    await second.membership.join()
    assert await second.frontier.reclaim() == 0
    assert await deaths(ledger) == []
