"""Visiting again: what a frontier promises of finished targets and the pages they have (FE-4)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
import sqlalchemy as sa
from msgspec.structs import replace

from tenax.adapters.sql.frontier import due
from tenax.adapters.sql.recrawl import requeue
from tenax.adapters.sql.schema.tables import pages as pages_table
from tenax.model import Assignment, Fault, JobState, LeasedTarget, Pace, Page, State
from tenax.outcome import Attempt, End, Kept, Later, Settlement
from tenax.ports import Letters, PageRecord
from tests.ledgers import (
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

A = "https://a.example"
DAY = 86_400.0
ETAG, DATE = '"v1"', "Sun, 06 Nov 1994 08:49:37 GMT"


async def visit(ledger: Ledger, worker: Worker, job: int, *ends: End | Later) -> list[str]:
    """Visit what is due, once; the last of `ends` is how all further visits end."""
    left = list(ends) or [End(State.DONE, "read")]
    seen: list[str] = []
    while claimed := await worker.frontier.claim([job]):
        for assignment in claimed:
            settled = []
            for leased in assignment.targets:
                end = left.pop(0) if len(left) > 1 else left[0]
                is_read = isinstance(end, End) and end.reason == "read"
                settled.append(settlement(assignment, leased, end, stored=is_read))
            await worker.frontier.commit(settled, [assignment.id])
            seen += urls(assignment)
        ledger.clock.time += 30
    return seen


async def page_of(ledger: Ledger, url: str = f"{A}/1") -> PageRecord | None:
    wanted = target(url)
    (record,) = await ledger.pages.targets(wanted.identity, wanted.host)
    return await ledger.pages.page(record.id)


async def a_stored_page(ledger: Ledger, **page: str) -> tuple[Worker, int]:
    """A worker, and a job with one page of `A`, due again."""
    worker, job = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job, [target(f"{A}/1")])
    (held,) = await worker.frontier.claim([job])
    (read,) = settlements(held, stored=True)
    assert read.page is not None
    kept = Page(**{**{name: getattr(read.page, name) for name in Page.__struct_fields__}, **page})
    await worker.frontier.commit([replace(read, page=kept)], [held.id])
    ledger.clock.time += 100
    assert await worker.frontier.revisit(job) == 1
    return worker, job


async def claimed(worker: Worker, job: int) -> tuple[Assignment, LeasedTarget]:
    (held,) = await worker.frontier.claim([job])
    (leased,) = held.targets
    return held, leased


def renewal(held: Assignment, kept: Kept | None, at: float, **more: object) -> Settlement:
    """A visit that leaves the stored page as it is, or says something of it."""
    (leased,) = held.targets
    plain = settlement(held, leased, End(State.DONE, "unchanged: 304"))
    changes = {"kept": kept, "stale": "", "attempt": Attempt(at, "unchanged", 304), **more}
    return replace(plain, **changes)


# What goes back


@pytest.mark.parametrize(
    "end",
    [
        End(State.DONE, "read"), End(State.DONE, "unchanged: 304"), End(State.DONE, "stale: dns"),
        End(State.DONE, "noindex"), End(State.DONE, "moved (301) to https://b.example/"),
        End(State.BLOCKED, "robots: line 3"), End(State.REJECTED, "captcha"),
        End(State.GONE, "http 404"),
    ],
    ids=lambda end: end.reason,
)  # fmt: skip
async def test_what_was_visited_is_visited_again(ledger: Ledger, end: End) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job, [target(f"{A}/1", priority=4)])
    await visit(ledger, worker, job, end)
    await ledger.jobs.set_state(job, JobState.DONE)
    ledger.clock.time += 2 * DAY
    assert await worker.frontier.revisit(job, ledger.clock.time - DAY) == 1
    (record,) = await ledger.pages.targets(target(f"{A}/1").identity, "a.example")
    assert (record.state, record.reason, record.priority) == (State.PENDING, "revisit", 4)
    assert (record.attempts, record.due_at) == (0, ledger.clock.time)
    found = await ledger.jobs.get("job")
    assert found is not None
    assert (found.state, found.ended_at) == (JobState.RUNNING, None)
    assert await visit(ledger, worker, job) == [f"{A}/1"]


async def test_what_failed_waits_for_a_person(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job, [target(f"{A}/1")])
    await visit(ledger, worker, job, End(State.FAILED, "too_large: x", Fault.TOO_LARGE))
    assert await worker.frontier.revisit(job) == 0
    assert await ledger.state(f"{A}/1") is State.FAILED


async def test_what_waits_or_is_under_way_is_left_alone(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job, [target(f"{A}/1"), target(f"{A}/2")])
    (held,) = await worker.frontier.claim([job])
    assert await worker.frontier.revisit(job) == 0
    assert (await worker.frontier.commit(settlements(held), [held.id])).lost == frozenset()


@pytest.mark.parametrize(("passed", "again"), [(DAY - 60, 0), (DAY + 60, 1)])
async def test_a_404_is_remembered_for_a_while(ledger: Ledger, passed: float, again: int) -> None:
    """FE-5: counted from the last attempt."""
    worker, job = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job, [target(f"{A}/1")])
    await visit(ledger, worker, job, End(State.GONE, "http 404"))
    now = START + passed
    assert await worker.frontier.revisit(job, now - DAY) == again


async def test_other_jobs_are_left_alone(ledger: Ledger) -> None:
    worker, job, other = await ledger.worker(), await ledger.job(), await ledger.job("other")
    for id in (other, job):
        await worker.frontier.add(id, [target(f"{A}/{n}") for n in range(5)])
    await visit(ledger, worker, job)
    await visit(ledger, worker, other)
    assert await worker.frontier.revisit(job) == 5
    assert (await ledger.jobs.counts(job)).states == {State.PENDING: 5}
    assert (await ledger.jobs.counts(other)).states == {State.DONE: 5}


async def test_a_paused_job_stays_paused(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job, [target(f"{A}/1")])
    await visit(ledger, worker, job)
    await ledger.jobs.set_state(job, JobState.PAUSED)
    assert await worker.frontier.revisit(job) == 1
    found = await ledger.jobs.get("job")
    assert found is not None
    assert found.state is JobState.PAUSED


async def test_more_than_one_step_holds_goes_back_too(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = requeue._candidates.limit(3)
    monkeypatch.setattr(requeue, "_candidates", small)
    worker, job = await ledger.worker(UNPACED), await ledger.job()
    hosts = [f"https://{name}.example" for name in "abc"]
    await worker.frontier.add(job, [target(f"{host}/{n}") for host in hosts for n in range(7)])
    await visit(ledger, worker, job)
    assert await worker.frontier.revisit(job) == 21
    counts = await ledger.jobs.counts(job)
    assert (counts.states, counts.pages, counts.renewing) == ({State.PENDING: 21}, 21, 21)
    assert len(await visit(ledger, worker, job)) == 21


async def test_two_who_ask_for_it_at_once_double_nothing(ledger: Ledger) -> None:
    one, two = await ledger.worker(UNPACED), await ledger.worker(UNPACED)
    job = await ledger.job()
    await one.frontier.add(job, [target(f"{A}/{n}") for n in range(40)])
    await visit(ledger, one, job)
    first, second = await asyncio.gather(
        one.frontier.inner.revisit(job, START), two.frontier.inner.revisit(job, START)
    )
    assert first + second == 40
    assert await ledger.auditor.audit() == []
    seen = await visit(ledger, one, job)
    assert len(seen) == len(set(seen)) == 40


async def test_a_crawl_under_way_goes_on(ledger: Ledger) -> None:
    """What it holds it still may commit, and what it finished goes back once."""
    one, two = await ledger.worker(UNPACED), await ledger.worker(UNPACED)
    job = await ledger.job()
    await get_to_know(ledger, one, job, "a.example")
    await one.frontier.add(job, [target(f"{A}/{n}") for n in range(80)])
    (held,) = await one.frontier.claim([job])
    half = settlements(held, stored=True)
    await one.frontier.commit(half[:10])
    assert await two.frontier.revisit(job) == 11
    assert (await one.frontier.commit(half[10:], [held.id])).lost == frozenset()
    counts = await ledger.jobs.counts(job)
    assert (counts.pages, counts.renewing, counts.known) == (len(half), 10, 81)


# What is known of the page


async def test_a_leased_target_carries_its_copy(ledger: Ledger) -> None:
    worker, job = await a_stored_page(ledger, etag=ETAG, last_modified=DATE)
    _, leased = await claimed(worker, job)
    assert leased.copy is not None
    assert (leased.copy.etag, leased.copy.last_modified) == (ETAG, DATE)
    assert (leased.copy.digest, leased.copy.fetched_at) == (b"d" * 32, START)
    assert (leased.copy.words, leased.copy.links, leased.copy.url) == (1, 0, "")


async def test_a_copy_says_where_redirects_led(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job, [target(f"{A}/1")])
    (held,) = await worker.frontier.claim([job])
    (read,) = settlements(held, stored=True)
    assert read.page is not None
    chain = (f"{A}/1", f"{A}/end")
    moved = replace(
        read,
        page=replace(read.page, url=chain[-1]),
        attempt=Attempt(START, "read", 200, chain=chain),
    )
    await worker.frontier.commit([moved], [held.id])
    ledger.clock.time += 100
    await worker.frontier.revisit(job)
    _, leased = await claimed(worker, job)
    assert leased.copy is not None
    assert leased.copy.url == f"{A}/end"


async def test_a_target_never_stored_has_no_copy(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job, [target(f"{A}/1")])
    _, leased = await claimed(worker, job)
    assert leased.copy is None


async def test_a_confirmed_page_says_when(ledger: Ledger) -> None:
    worker, job = await a_stored_page(ledger, etag=ETAG)
    held, _ = await claimed(worker, job)
    await worker.frontier.commit([renewal(held, Kept.CHECKED, START + 100)], [held.id])
    page = await page_of(ledger)
    assert page is not None
    assert (page.fetched_at, page.checked_at, page.stale) == (START, START + 100, "")
    assert page.etag == ETAG, "an answer that names no validators leaves those that are there"
    ledger.clock.time += 100
    await worker.frontier.revisit(job)
    _, leased = await claimed(worker, job)
    assert leased.copy is not None
    assert leased.copy.fetched_at == START + 100, "its age counts from then"


async def test_the_newest_validators_are_kept(ledger: Ledger) -> None:
    worker, job = await a_stored_page(ledger, etag=ETAG, last_modified=DATE)
    held, _ = await claimed(worker, job)
    confirmed = renewal(held, Kept.CHECKED, START + 100, validators=('"v2"', ""))
    await worker.frontier.commit([confirmed], [held.id])
    page = await page_of(ledger)
    assert page is not None
    assert (page.etag, page.last_modified) == ('"v2"', DATE)


async def test_a_stale_page_stays_and_says_why_until_it_is_confirmed(ledger: Ledger) -> None:
    worker, job = await a_stored_page(ledger)
    held, _ = await claimed(worker, job)
    failed = renewal(held, Kept.STALE, START + 100, stale=str(Fault.DNS))
    await worker.frontier.commit([failed], [held.id])
    page = await page_of(ledger)
    assert page is not None
    assert (page.stale, page.checked_at) == ("dns", None)
    ledger.clock.time += 100
    await worker.frontier.revisit(job)
    held, leased = await claimed(worker, job)
    assert leased.copy is not None
    assert leased.copy.fetched_at == START, "a failure confirms nothing"
    await worker.frontier.commit([renewal(held, Kept.CHECKED, START + 300)], [held.id])
    page = await page_of(ledger)
    assert page is not None
    assert (page.stale, page.checked_at) == ("", START + 300)


async def test_a_page_read_anew_replaces_the_stale_one(ledger: Ledger) -> None:
    worker, job = await a_stored_page(ledger)
    held, _ = await claimed(worker, job)
    await worker.frontier.commit([renewal(held, Kept.STALE, START, stale="dns")], [held.id])
    ledger.clock.time += 100
    await worker.frontier.revisit(job)
    held, _ = await claimed(worker, job)
    await worker.frontier.commit(settlements(held, stored=True), [held.id])
    page = await page_of(ledger)
    assert page is not None
    assert (page.stale, page.checked_at) == ("", None)
    counts = await ledger.jobs.counts(job)
    assert (counts.pages, counts.renewing) == (1, 0)


async def test_a_page_that_asks_not_to_be_kept_any_more_goes(ledger: Ledger) -> None:
    worker, job = await a_stored_page(ledger)
    held, _ = await claimed(worker, job)
    await worker.frontier.commit([renewal(held, Kept.DROPPED, START)], [held.id])
    assert await page_of(ledger) is None
    counts = await ledger.jobs.counts(job)
    assert (counts.pages, counts.renewing, counts.states) == (0, 0, {State.DONE: 1})


async def test_a_lost_lease_says_nothing_of_the_page(ledger: Ledger) -> None:
    worker, job = await a_stored_page(ledger)
    held, _ = await claimed(worker, job)
    ledger.clock.time += 1_000
    other = await ledger.worker()
    assert await other.frontier.claim([job]) == [], "the turn of whoever vanished is spent"
    ledger.clock.time += 10
    (again,) = await other.frontier.claim([job])
    late = renewal(held, Kept.DROPPED, START)
    assert (await worker.frontier.commit([late], [held.id])).lost == {late.lease}
    assert await page_of(ledger) is not None
    await other.frontier.commit([renewal(again, Kept.CHECKED, START)], [again.id])


async def test_a_returned_dead_letter_that_has_a_page_is_a_renewal(ledger: Ledger) -> None:
    """A bug of ours on the second visit; with a page limit it must still be found (URL-5)."""
    worker, job = await ledger.worker(), await ledger.job(max_pages=1)
    await worker.frontier.add(job, [target(f"{A}/1")])
    await visit(ledger, worker, job)
    await worker.frontier.revisit(job)
    await visit(ledger, worker, job, End(State.FAILED, "internal: bug", Fault.INTERNAL))
    assert (await ledger.jobs.counts(job)).renewing == 0
    assert await ledger.dead.give_back(Letters()) == {"job": 1}
    assert (await ledger.jobs.counts(job)).renewing == 1
    assert await ledger.auditor.audit() == []
    await ledger.jobs.set_state(job, JobState.RUNNING)
    assert await visit(ledger, worker, job) == [f"{A}/1"]


# Page limits


async def test_pages_visited_again_need_no_room_and_new_ones_get_none(ledger: Ledger) -> None:
    """URL-5: never one page more than the limit, and every page is visited again."""
    worker, job = await ledger.worker(UNPACED), await ledger.job(max_pages=5)
    await worker.frontier.add(job, [target(f"{A}/{n}") for n in range(40)])
    first = await visit(ledger, worker, job)
    assert len(first) == 5
    assert await worker.frontier.revisit(job) == 5
    assert sorted(await visit(ledger, worker, job)) == sorted(first)
    counts = await ledger.jobs.counts(job)
    assert (counts.pages, counts.renewing) == (5, 0)
    assert counts.states == {State.DONE: 5, State.PENDING: 35}


async def test_a_full_job_visits_only_its_pages_again(ledger: Ledger) -> None:
    """What has no page would lose its state and wait in vain."""
    worker, job = await ledger.worker(), await ledger.job(max_pages=1)
    urls = [f"{A}/{n}" for n in range(4)]
    await worker.frontier.add(job, [target(url, priority=n + 1) for n, url in enumerate(urls)])
    ends = (State.BLOCKED, State.REJECTED, State.DONE)
    first, *others = [End(state, "why") for state in ends] + [End(State.DONE, "read")]
    await visit(ledger, worker, job, first, *others)
    assert await worker.frontier.revisit(job) == 1
    states = [await ledger.state(url) for url in urls]
    assert states == [*ends, State.PENDING]


async def test_a_renewal_put_off_to_any_time_is_still_found_in_a_full_job(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job(max_pages=1)
    await worker.frontier.add(job, [target(f"{A}/1")])
    await visit(ledger, worker, job)
    await worker.frontier.revisit(job)
    held, leased = await claimed(worker, job)
    await worker.frontier.commit([settlement(held, leased, Later(0.0, False))], [held.id])
    ledger.clock.time += 30
    assert await visit(ledger, worker, job) == [f"{A}/1"]


async def test_a_page_that_goes_makes_room_for_another(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job(max_pages=1)
    await worker.frontier.add(job, [target(f"{A}/1", priority=1), target(f"{A}/2")])
    await visit(ledger, worker, job)
    await worker.frontier.revisit(job)
    held, _ = await claimed(worker, job)
    await worker.frontier.commit([renewal(held, Kept.DROPPED, START)], [held.id])
    ledger.clock.time += 30
    assert await visit(ledger, worker, job) == [f"{A}/2"]
    assert (await ledger.jobs.counts(job)).pages == 1


async def test_renewals_are_found_behind_many_hosts_that_have_only_new_targets(
    ledger: Ledger,
) -> None:
    """With the limit reached those hosts are ready for ever, and have nothing to give."""
    worker, job = await ledger.worker(), await ledger.job(max_pages=1)
    await worker.frontier.add(job, [target("https://z.example/1", priority=1)])
    held, leased = await claimed(worker, job)
    busy = replace(held.host, pace=Pace(next_at=START + 1_000))
    await worker.frontier.commit([settlement(held, leased, stored=True, host=busy)], [held.id])
    await worker.frontier.add(job, [target(f"https://h{n}.example/") for n in range(20)])
    ledger.clock.time += 2_000
    await worker.frontier.revisit(job)
    (held,) = await worker.frontier.claim([job], 3)
    assert urls(held) == ["https://z.example/1"]


async def test_a_full_job_is_ready_when_a_page_of_it_can_be_visited_again(ledger: Ledger) -> None:
    """Its new targets are ready for ever: waiting for those would never end."""
    worker, job = await ledger.worker(), await ledger.job(max_pages=1)
    await worker.frontier.add(job, [target(f"{A}/1")])
    await visit(ledger, worker, job)
    await worker.frontier.add(job, [target(f"{A}/2"), target("https://b.example/")])
    assert await worker.frontier.next_ready([job]) is None
    await worker.frontier.revisit(job)
    held, leased = await claimed(worker, job)
    closed = replace(held.host, pace=Pace(backoff_until=START + 5_000))
    put_off = settlement(held, leased, Later(START + 3_000, False), host=closed)
    await worker.frontier.commit([put_off], [held.id])
    assert await worker.frontier.next_ready([job]) == START + 5_000, "the host's own wait"
    ledger.clock.time = START + 5_000
    held, leased = await claimed(worker, job)
    later = settlement(held, leased, Later(START + 9_000, False))
    await worker.frontier.commit([later], [held.id])
    assert await worker.frontier.next_ready([job]) == START + 9_000, "the target's"


async def test_with_room_left_both_kinds_are_handed_out(ledger: Ledger) -> None:
    worker, job = await ledger.worker(UNPACED), await ledger.job(max_pages=12)
    await get_to_know(ledger, worker, job, "a.example")
    await worker.frontier.add(job, [target(f"{A}/old{n}", priority=9) for n in range(10)])
    await visit(ledger, worker, job)
    await worker.frontier.revisit(job)
    await worker.frontier.add(job, [target(f"{A}/new{n}", priority=1) for n in range(10)])
    seen = await visit(ledger, worker, job)
    assert len(seen) == len(set(seen))
    assert sum("old" in url for url in seen) == 10
    assert sum("new" in url for url in seen) == 2
    assert (await ledger.jobs.counts(job)).pages == 12


# The audit


@pytest.mark.parametrize(
    ("damage", "promise"),
    [
        ("UPDATE tallies SET count = 7 WHERE name = 'renewing'", "totals equal"),
        ("UPDATE targets SET due_at = 0", "has a moment when"),
        ("UPDATE targets SET state = 'gone'; UPDATE tallies SET name = 'gone' WHERE name ="
         " 'pending'; UPDATE tallies SET count = 0 WHERE name = 'renewing'", "marked stale"),
    ],
    ids=["tally", "date", "mark"],
)  # fmt: skip
async def test_the_audit_notices(ledger: Ledger, damage: str, promise: str) -> None:
    worker, _ = await a_stored_page(ledger)

    def harm(connection: sa.Connection) -> None:
        for statement in damage.split("; "):
            assert connection.exec_driver_sql(statement).rowcount == 1

    await worker.database.write(harm)
    assert [f.promise for f in await ledger.auditor.audit() if promise in f.promise]


async def test_looking_for_a_copy_and_for_deaths_costs_a_claim_a_step_by_key_each(
    sqlite_ledger: Ledger,
) -> None:
    """FR-9: whatever the number of pages."""
    worker = await sqlite_ledger.worker()

    def plan(connection: sa.Connection) -> list[str]:
        text = str(due._next.compile(connection))
        marks = tuple(range(text.count("?")))
        found = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", marks)
        return [row[3] for row in found]

    steps = await worker.database.read(plan)
    assert len(steps) == 3, "no sorting, no scan"
    assert "targets_queue" in steps[0]
    assert "SEARCH crashes USING INTEGER PRIMARY KEY" in steps[1]
    assert f"SEARCH {pages_table.name} USING INTEGER PRIMARY KEY" in steps[2]


async def test_renewals_are_found_past_any_number_of_new_targets(sqlite_ledger: Ledger) -> None:
    """FR-9: by the index, not by looking at what comes before them."""
    worker = await sqlite_ledger.worker()

    def plans(connection: sa.Connection) -> list[str]:
        found: list[sa.Row[*tuple[Any, ...]]] = []
        for query in (due._renewals, due._ready_renewals):
            text = str(query.compile(connection))
            marks = tuple(range(text.count("?")))
            found += connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", marks).all()
        return [row[3] for row in found if "targets" in row[3] or "TEMP" in row[3]]

    steps = await worker.database.read(plans)
    by_moment = "targets_queue (host_id=? AND job_id=? AND priority=? AND due_at>? AND due_at<?)"
    assert len(steps) == 2
    assert all(by_moment in step for step in steps)


async def test_a_page_has_changed_when_its_text_has(ledger: Ledger) -> None:
    """However often it was fetched since."""
    worker, job = await a_stored_page(ledger)
    first = await page_of(ledger)
    assert first is not None

    async def fetch_again(text: bytes) -> float:
        held, leased = await claimed(worker, job)
        read = settlement(held, leased, End(State.DONE, "read"), stored=True)
        assert read.page is not None
        at = ledger.clock.now()
        said = replace(read.page, content_hash=text, fetched_at=at)
        await worker.frontier.commit([replace(read, page=said)], [held.id])
        ledger.clock.time += 100
        await worker.frontier.revisit(job)
        return at

    async def found(**since: float) -> int:
        return len(await ledger.pages.find(**since))  # type: ignore[arg-type]  # names of its own

    same = bytes.fromhex(first.content_hash)
    for _ in range(2):
        again = await fetch_again(same)
        assert (await found(since=again), await found(changed_since=again)) == (1, 0)
    assert await found(changed_since=first.fetched_at) == 1
    changed = await fetch_again(b"\x01" * 32)
    assert (await found(since=changed), await found(changed_since=changed)) == (1, 1)
    assert await found(since=changed + 1) == 0
