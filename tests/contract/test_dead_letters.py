"""The promises of `DeadLetters`: what was given up is listed, returned and purged, never lost."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import pytest
from msgspec.structs import replace
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine.transactions import Transactions
from tenax.adapters.sql.records import dead_letters
from tenax.hosts.conduct import HostPolicies
from tenax.model import Fault, JobState, State
from tenax.outcome import Attempt, End, Later, Settlement
from tenax.ports import DeadLetter, Letters
from tests.ledgers import (
    LEASES,
    START,
    UNPACED,
    Ledger,
    Worker,
    get_to_know,
    settlement,
    settlements,
    target,
    urls,
)

T = TypeVar("T")

ALL = Letters()
SPENT = End(State.FAILED, "server_error: http 500", Fault.SERVER_ERROR)
DENIED = End(State.FAILED, "client_error: http 403", Fault.CLIENT_ERROR)


async def fail(
    ledger: Ledger, worker: Worker, job_id: int, *names: str, then: End = SPENT
) -> list[int]:
    """Give these URLs up, one after the other, a second apart; the ids of their targets."""
    ids = []
    for name in names:
        ledger.clock.time += 1
        await worker.frontier.inner.add(job_id, [target(name, priority=4)])
        (assignment,) = await worker.frontier.inner.claim([job_id], 10)
        given_up = settlements(assignment, then)
        await worker.frontier.commit(given_up, [assignment.id])
        ids += [each.target_id for each in given_up]
    return ids


async def listed(ledger: Ledger, which: Letters = ALL) -> list[str]:
    return [letter.url for letter in await ledger.dead.find(which)]


# What becomes a dead letter.


async def test_a_target_given_up_is_listed_with_all_that_is_known_of_it(ledger: Ledger) -> None:
    worker, job_id = await ledger.worker(), await ledger.job("shop")
    (id,) = await fail(ledger, worker, job_id, "https://a.example/x?y=1")
    assert await ledger.dead.find(ALL) == [
        DeadLetter(
            target_id=id,
            job="shop",
            url="https://a.example/x?y=1",
            host="a.example",
            at=START + 1,
            fault="server_error",
            reason="server_error: http 500",
            attempts=1,
        )
    ]


@pytest.mark.parametrize("state", [State.DONE, State.BLOCKED, State.REJECTED, State.GONE])
async def test_no_other_end_is_a_dead_letter(ledger: Ledger, state: State) -> None:
    worker, job_id = await ledger.worker(), await ledger.job()
    await fail(ledger, worker, job_id, "https://a.example/", then=End(state, "said so"))
    assert await listed(ledger) == []


async def test_every_attempt_counts_and_is_part_of_the_history(ledger: Ledger) -> None:
    worker, job_id = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job_id, [target("https://a.example/")])
    for then in (Later(0.0, counts=True), Later(0.0, counts=False), SPENT):
        ledger.clock.time += 10
        (assignment,) = await worker.frontier.claim([job_id])
        await worker.frontier.commit(settlements(assignment, then), [assignment.id])
    (letter,) = await ledger.dead.find(ALL)
    assert letter.attempts == 2, "a wait costs none"
    assert len(await ledger.pages.attempts(letter.target_id)) == 3


@pytest.mark.parametrize(
    ("attempt", "word", "count"), [(Attempt(START, "throttled", 429), "throttled", 1),
                                   (None, "failed", 0)]
)  # fmt: skip
async def test_without_a_fault_the_letter_is_named_for_how_the_visit_ended(
    ledger: Ledger, attempt: Attempt | None, word: str, count: int
) -> None:
    worker, job_id = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job_id, [target("https://a.example/")])
    (assignment,) = await worker.frontier.claim([job_id])
    (visit,) = settlements(assignment, End(State.FAILED, "enough"))
    await worker.frontier.commit([replace(visit, attempt=attempt)], [assignment.id])
    (letter,) = await ledger.dead.find(ALL)
    assert (letter.fault, letter.attempts) == (word, count)


async def test_a_visit_whose_lease_was_lost_leaves_no_letter(ledger: Ledger) -> None:
    worker, job_id = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job_id, [target("https://a.example/")])
    (assignment,) = await worker.frontier.claim([job_id])
    await worker.frontier.commit([], [assignment.id])
    await worker.frontier.commit(settlements(assignment, SPENT))
    assert await listed(ledger) == []


# Finding them.


@pytest.fixture
async def mixed(ledger: Ledger) -> Ledger:
    """Five letters of two jobs, two hosts and two faults; the last is the latest."""
    worker = await ledger.worker()
    shop, news = await ledger.job("shop"), await ledger.job("news")
    await fail(ledger, worker, shop, "https://a.example/1", "https://b.example/2")
    await fail(ledger, worker, shop, "https://a.example/Three%20", then=DENIED)
    await fail(ledger, worker, news, "https://a.example/4")
    await fail(ledger, worker, news, "https://b.example/5_5", then=DENIED)
    return ledger


@pytest.mark.parametrize(
    ("which", "found"),
    [
        (ALL, "54321"),
        (Letters(job="shop"), "321"),
        (Letters(job="nobody"), ""),
        (Letters(host="a.example"), "431"),
        (Letters(host="example"), ""),
        (Letters(fault="client_error"), "53"),
        (Letters(fault="dns"), ""),
        (Letters(contains="THREE"), "3"),
        (Letters(contains="b.example/"), "52"),
        (Letters(contains="HTTP 403"), "53"),
        (Letters(contains="%20"), "3"),
        (Letters(contains="5_"), "5"),
        (Letters(contains="_"), "54321"),
        (Letters(job="news", host="b.example", fault="client_error", contains="5"), "5"),
        (Letters(job="news", host="b.example", fault="server_error"), ""),
    ],
    ids=str,
)
async def test_letters_are_found_by_what_is_asked_latest_first(
    mixed: Ledger, which: Letters, found: str
) -> None:
    numbers = {"1": "1", "2": "2", "Three%20": "3", "4": "4", "5_5": "5"}
    told = "".join(numbers[url.rpartition("/")[2]] for url in await listed(mixed, which))
    assert told == found
    assert sum((await mixed.dead.counts(which)).values()) == len(found)


async def test_letters_are_counted_by_fault_the_commonest_first(mixed: Ledger) -> None:
    assert list((await mixed.dead.counts(ALL)).items()) == [
        ("server_error", 3),
        ("client_error", 2),
    ]
    assert await mixed.dead.counts(Letters(job="nobody")) == {}


async def test_they_are_counted_no_further_than_one_wants_to_know(mixed: Ledger) -> None:
    assert [await mixed.dead.count(most) for most in (3, 5, 9)] == [3, 5, 5]


async def test_letters_are_found_by_the_targets_they_are_about(mixed: Ledger) -> None:
    first, second, *_ = [letter.target_id for letter in await mixed.dead.find(ALL)]
    found = await mixed.dead.find(Letters(ids=(second, 10**9)))
    assert [letter.target_id for letter in found] == [second]
    assert await mixed.dead.find(Letters(ids=())) == []
    assert await mixed.dead.find(Letters(ids=(first,), job="shop")) == []


async def test_pages_of_the_list_have_every_letter_once_even_of_one_moment(ledger: Ledger) -> None:
    worker, job_id = await ledger.worker(UNPACED), await ledger.job()
    await get_to_know(ledger, worker, job_id, "a.example")
    await worker.frontier.add(job_id, [target(f"https://a.example/{n}") for n in range(7)])
    (assignment,) = await worker.frontier.claim([job_id])
    await worker.frontier.commit(settlements(assignment, SPENT), [assignment.id])
    seen: list[DeadLetter] = []
    while batch := await ledger.dead.find(
        ALL, after=(seen[-1].at, seen[-1].target_id) if seen else None, limit=3
    ):
        seen += batch
    assert len(seen) == 7
    assert [letter.target_id for letter in seen] == sorted(
        (letter.target_id for letter in seen), reverse=True
    )


# Returning them.


async def test_a_returned_target_is_due_at_once_with_all_its_attempts(ledger: Ledger) -> None:
    worker, job_id = await ledger.worker(), await ledger.job()
    await fail(ledger, worker, job_id, "https://a.example/x")
    await ledger.sql(f"UPDATE targets SET attempts = 3, due_at = {START + 999}")
    assert await ledger.dead.give_back(ALL) == {"job": 1}
    assert await listed(ledger) == []
    assert await ledger.state("https://a.example/x") is State.PENDING
    query = "SELECT priority, attempts, due_at FROM targets WHERE state = 'pending'"
    assert await ledger.sql(query) == [(4, 0, 0.0)], "its priority is kept"
    (record,) = await ledger.pages.targets(target("https://a.example/x").identity, "a.example")
    assert record.reason == ""
    ledger.clock.time += 1
    (assignment,) = await worker.frontier.claim([job_id])
    assert [leased.attempts for leased in assignment.targets] == [0]
    assert urls(assignment) == ["https://a.example/x"]


async def test_the_ledger_is_whole_after_a_return(mixed: Ledger) -> None:
    """FR-10: states, totals and lanes move together."""
    await mixed.dead.give_back(Letters(fault="server_error"))
    assert await mixed.auditor.audit() == []
    shop, news = [await mixed.jobs.counts(job.id) for job in await mixed.jobs.all()]
    assert shop.states == {State.PENDING: 2, State.FAILED: 1}
    assert news.states == {State.PENDING: 1, State.FAILED: 1}


@pytest.mark.parametrize(
    ("which", "returned", "left"),
    [
        (Letters(host="a.example"), {"shop": 2, "news": 1}, 2),
        (Letters(job="shop", fault="client_error"), {"shop": 1}, 4),
        (Letters(contains="5_5"), {"news": 1}, 4),
        (Letters(job="nobody"), {}, 5),
        (Letters(ids=()), {}, 5),
        (ALL, {"shop": 3, "news": 2}, 0),
    ],
    ids=str,
)
async def test_only_the_letters_meant_are_returned_and_how_many_is_told_by_job(
    mixed: Ledger, which: Letters, returned: dict[str, int], left: int
) -> None:
    assert await mixed.dead.give_back(which) == returned
    assert len(await mixed.dead.find(ALL)) == left
    assert await mixed.dead.find(which) == []


async def test_a_letter_is_returned_once(mixed: Ledger) -> None:
    ids = tuple(letter.target_id for letter in await mixed.dead.find(ALL))
    assert sum((await mixed.dead.give_back(Letters(ids=ids[:2]))).values()) == 2
    assert sum((await mixed.dead.give_back(Letters(ids=ids))).values()) == 3
    assert await mixed.dead.give_back(Letters(ids=ids)) == {}


@pytest.mark.parametrize("state", JobState)
async def test_a_job_that_was_done_has_work_again_and_others_stay_as_they_are(
    ledger: Ledger, state: JobState
) -> None:
    worker, job_id, other = await ledger.worker(), await ledger.job(), await ledger.job("other")
    await fail(ledger, worker, job_id, "https://a.example/x")
    for id in (job_id, other):
        await ledger.jobs.set_state(id, state)
    await ledger.dead.give_back(ALL)
    job, untouched = await ledger.jobs.all()
    was_done = state is JobState.DONE
    assert job.state is (JobState.STOPPED if was_done else state)
    assert job.ended_at is None
    assert untouched.state is state
    assert (untouched.ended_at is None) is (not was_done)


async def test_the_end_of_a_job_is_found_again_by_a_crawl(ledger: Ledger) -> None:
    """Nothing waits, then something does: `next_ready` is what a crawl asks before it ends."""
    worker, job_id = await ledger.worker(), await ledger.job()
    await fail(ledger, worker, job_id, "https://a.example/x")
    assert await worker.frontier.next_ready([job_id]) is None
    await ledger.dead.give_back(ALL)
    ready = await worker.frontier.next_ready([job_id])
    assert ready is not None
    assert ready <= ledger.clock.time + 1


async def test_what_is_returned_does_not_wait_for_another_retry_of_its_host(
    ledger: Ledger,
) -> None:
    worker, job_id = await ledger.worker(), await ledger.job()
    await fail(ledger, worker, job_id, "https://a.example/x")
    ledger.clock.time += 1
    await worker.frontier.add(job_id, [target("https://a.example/y")])
    (assignment,) = await worker.frontier.claim([job_id])
    later = settlements(assignment, Later(START + 100, counts=True))
    await worker.frontier.commit(later, [assignment.id])
    assert await worker.frontier.next_ready([job_id]) == START + 100
    await ledger.dead.give_back(ALL)
    ledger.clock.time += 1
    (assignment,) = await worker.frontier.claim([job_id])
    assert urls(assignment) == ["https://a.example/x"]


async def test_what_is_returned_is_found_where_another_job_has_work_already(
    ledger: Ledger,
) -> None:
    worker, shop, news = await ledger.worker(), await ledger.job("shop"), await ledger.job("news")
    await fail(ledger, worker, shop, "https://a.example/x")
    await worker.frontier.add(news, [target("https://a.example/y")])
    await ledger.dead.give_back(ALL)
    assert await ledger.auditor.audit() == []
    assert await worker.frontier.next_ready([shop]) is not None


async def test_returning_does_not_make_two_workers_ask_one_host(ledger: Ledger) -> None:
    """FR-5: what is returned to a host in somebody's hands waits for them."""
    first, second, job_id = await ledger.worker(), await ledger.worker(), await ledger.job()
    await fail(ledger, first, job_id, "https://a.example/x")
    await first.frontier.add(job_id, [target("https://a.example/y")])
    ledger.clock.time += 1
    (held,) = await first.frontier.claim([job_id])
    await ledger.dead.give_back(ALL)
    assert await ledger.auditor.audit() == []
    assert await second.frontier.claim([job_id]) == []
    await first.frontier.commit(settlements(held), [held.id])
    ledger.clock.time += 1
    (taken,) = await second.frontier.claim([job_id])
    assert urls(taken) == ["https://a.example/x"]


async def test_a_host_that_asked_us_to_wait_is_left_alone_by_a_return(ledger: Ledger) -> None:
    worker, job_id = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job_id, [target("https://a.example/x")])
    (assignment,) = await worker.frontier.claim([job_id])
    pace = replace(assignment.host.pace, backoff_until=START + 100)
    (leased,) = assignment.targets
    visit = settlement(assignment, leased, SPENT, host=replace(assignment.host, pace=pace))
    await worker.frontier.commit([visit], [assignment.id])
    await ledger.dead.give_back(ALL)
    assert await worker.frontier.next_ready([job_id]) == START + 100


async def test_a_target_that_fails_again_is_a_new_letter_with_the_old_history(
    ledger: Ledger,
) -> None:
    worker, job_id = await ledger.worker(), await ledger.job()
    await fail(ledger, worker, job_id, "https://a.example/x")
    await ledger.dead.give_back(ALL)
    ledger.clock.time += 10
    (assignment,) = await worker.frontier.claim([job_id])
    await worker.frontier.commit(settlements(assignment, DENIED), [assignment.id])
    (letter,) = await ledger.dead.find(ALL)
    assert (letter.fault, letter.at, letter.attempts) == ("client_error", START + 11, 1)
    assert len(await ledger.pages.attempts(letter.target_id)) == 2


async def test_a_page_that_failed_when_visited_again_is_kept_and_counted_when_returned(
    ledger: Ledger,
) -> None:
    worker, job_id = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job_id, [target("https://a.example/x")])
    (first,) = await worker.frontier.claim([job_id])
    await worker.frontier.commit(settlements(first, stored=True), [first.id])
    await worker.frontier.revisit(job_id)
    ledger.clock.time += 1
    (again,) = await worker.frontier.claim([job_id])
    await worker.frontier.commit(settlements(again, SPENT), [again.id])
    await ledger.dead.give_back(ALL)
    counts = await ledger.jobs.counts(job_id)
    assert (counts.pages, counts.renewing, counts.states) == (1, 1, {State.PENDING: 1})
    assert await ledger.auditor.audit() == []


# Purging them.


async def test_a_purged_letter_is_gone_and_its_target_stays_failed(mixed: Ledger) -> None:
    assert await mixed.dead.purge(Letters(job="shop", host="a.example")) == {"shop": 2}
    assert len(await mixed.dead.find(ALL)) == 3
    assert await mixed.state("https://a.example/1", "shop") is State.FAILED
    assert await mixed.dead.give_back(Letters(job="shop", host="a.example")) == {}
    assert await mixed.auditor.audit() == []


async def test_a_purge_does_not_reopen_the_job(ledger: Ledger) -> None:
    worker, job_id = await ledger.worker(), await ledger.job()
    await fail(ledger, worker, job_id, "https://a.example/x")
    await ledger.jobs.set_state(job_id, JobState.DONE)
    await ledger.dead.purge(ALL)
    (job,) = await ledger.jobs.all()
    assert job.state is JobState.DONE


# Broken promises are found.


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE targets SET state = 'done'",
        "UPDATE targets SET state = 'pending'",
        "DELETE FROM targets",
        "UPDATE dead_letters SET job_id = job_id + 1",
        "UPDATE dead_letters SET host_id = host_id + 1",
    ],
)
async def test_the_audit_finds_a_letter_about_no_failed_target(ledger: Ledger, damage: str) -> None:
    worker, job_id = await ledger.worker(), await ledger.job()
    (id,) = await fail(ledger, worker, job_id, "https://a.example/x")
    await ledger.sql(damage)
    findings = {finding.promise: finding.rows for finding in await ledger.auditor.audit()}
    assert findings["every dead letter is about a failed target"] == (f"id {id}",)


# Many of them.


async def _many(ledger: Ledger, count: int) -> tuple[Worker, int]:
    """So many letters, two of them at any one moment."""
    worker, job_id = await ledger.worker(UNPACED), await ledger.job()
    await get_to_know(ledger, worker, job_id, "a.example")
    await worker.frontier.add(job_id, [target(f"https://a.example/{n}") for n in range(count)])
    while claimed := await worker.frontier.claim([job_id]):
        for assignment in claimed:
            for pair in _pairs(settlements(assignment, SPENT)):
                ledger.clock.time += 1
                await worker.frontier.inner.commit(pair)
            await worker.frontier.commit([], [assignment.id])
    return worker, job_id


def _pairs(visits: Sequence[Settlement]) -> list[Sequence[Settlement]]:
    return [visits[i : i + 2] for i in range(0, len(visits), 2)]


@pytest.mark.parametrize("by_id", [False, True], ids=["by filter", "by id"])
@pytest.mark.parametrize("count", [6, 7, 9])
async def test_many_are_changed_in_small_transactions_none_left_out(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch, count: int, by_id: bool
) -> None:
    monkeypatch.setattr(dead_letters, "CHUNK", 3)
    await _many(ledger, count)
    ids = tuple(letter.target_id for letter in await ledger.dead.find(ALL))
    which = Letters(ids=ids) if by_id else ALL
    assert await ledger.dead.give_back(which) == {"job": count}
    assert await listed(ledger) == []
    assert await ledger.auditor.audit() == []


@dataclass
class Interleaved:
    """A database where others get a turn after every transaction."""

    inner: Transactions
    meanwhile: Callable[[], Awaitable[None]]
    trouble: str = ""

    async def write(self, work: Callable[[Connection], T]) -> T:
        result = await self.inner.write(work)
        await self.meanwhile()
        return result

    async def read(self, work: Callable[[Connection], T]) -> T:
        return await self.inner.read(work)

    async def close(self) -> None: ...

    def hasten(self, seconds: float) -> None: ...


async def test_a_return_ends_although_what_it_returns_fails_again_at_once(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A crawl under way may write letters faster than they are returned."""
    monkeypatch.setattr(dead_letters, "CHUNK", 2)
    worker, job_id = await _many(ledger, 6)
    rounds = 0

    async def fail_again() -> None:
        nonlocal rounds
        rounds += 1
        assert rounds < 20, "it never ends"
        ledger.clock.time += 1
        for assignment in await worker.frontier.claim([job_id]):
            await worker.frontier.commit(settlements(assignment, SPENT), [assignment.id])

    database = Interleaved(await ledger.open(), fail_again)
    ledger.stack.push_async_callback(database.inner.close)
    letters = dead_letters.SqlDeadLetters(
        database, ledger.clock, HostPolicies(pace=UNPACED), LEASES
    )
    assert await letters.give_back(ALL) == {"job": 6}
    assert len(await listed(ledger)) == 6
