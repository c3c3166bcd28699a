"""Pushed again: what a frontier promises to those who bring URLs that it knows (STORE-3)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tenax.model import Fault, Reason, State
from tenax.outcome import Attempt, End, Kept, Later
from tenax.ports import Added, Letters
from tests.ledgers import UNPACED, Ledger, Worker, settlement, settlements, target, urls

A = "https://a.example"
ONE = target(f"{A}/1", priority=4)
ENDS = [
    End(State.DONE, "read"), End(State.DONE, "moved (301) to https://b.example/"),
    End(State.BLOCKED, "robots: line 3"), End(State.REJECTED, "captcha"),
    End(State.GONE, "http 404"), End(State.FAILED, "too_large: x", Fault.TOO_LARGE),
]  # fmt: skip


async def visited(ledger: Ledger, end: End, max_pages: int | None = None) -> tuple[Worker, int]:
    """A worker, and a job that has visited one URL."""
    worker, job = await ledger.worker(UNPACED), await ledger.job(max_pages=max_pages)
    await worker.frontier.push(job, [ONE])
    await visit(ledger, worker, job, end)
    return worker, job


async def visit(ledger: Ledger, worker: Worker, job: int, end: End | Later) -> list[str]:
    """Visit what is due, once."""
    seen: list[str] = []
    for held in await worker.frontier.claim([job]):
        is_read = isinstance(end, End) and end.reason == "read"
        settled = [settlement(held, one, end, stored=is_read) for one in held.targets]
        await worker.frontier.commit(settled, [held.id])
        seen += urls(held)
    ledger.clock.time += 30
    return seen


@pytest.mark.parametrize("end", ENDS, ids=lambda end: end.reason)
async def test_whatever_became_of_a_url_pushed_again_it_is_visited_again(
    ledger: Ledger, end: End
) -> None:
    worker, job = await visited(ledger, end)
    pushed = replace(ONE, priority=2)
    assert await worker.frontier.push(job, [pushed]) == Added(again=1)
    (record,) = await ledger.pages.targets(ONE.identity, ONE.host)
    assert (record.state, record.reason) == (State.PENDING, "pushed again")
    assert (record.attempts, record.priority) == (0, 2)
    assert await ledger.dead.find(Letters()) == []
    assert await visit(ledger, worker, job, End(State.DONE, "read")) == [f"{A}/1"]
    assert await ledger.state(f"{A}/1") is State.DONE


async def test_what_is_new_is_added_with_what_is_known(ledger: Ledger) -> None:
    worker, job = await visited(ledger, End(State.DONE, "read"))
    two, three = target(f"{A}/2"), target("https://b.example/3")
    assert await worker.frontier.push(job, [two, ONE, three]) == Added(new=2, again=1)
    assert sorted(await visit(ledger, worker, job, End(State.DONE, "read"))) == [
        f"{A}/1",
        f"{A}/2",
        "https://b.example/3",
    ]


async def test_what_waits_to_be_visited_is_visited_once(ledger: Ledger) -> None:
    """It answers both pushes; one that waits for its next try goes on waiting."""
    worker, job = await ledger.worker(UNPACED), await ledger.job()
    await worker.frontier.push(job, [ONE])
    assert await worker.frontier.push(job, [ONE]) == Added(known=1)
    later = ledger.clock.time + 100
    await visit(ledger, worker, job, Later(later, counts=True, reason="reset"))
    assert await worker.frontier.push(job, [ONE]) == Added(known=1)
    (record,) = await ledger.pages.targets(ONE.identity, ONE.host)
    assert (record.due_at, record.attempts) == (later, 1)
    ledger.clock.time = later
    assert await visit(ledger, worker, job, End(State.DONE, "read")) == [f"{A}/1"]
    assert await visit(ledger, worker, job, End(State.DONE, "read")) == []


@pytest.mark.parametrize("end", ENDS, ids=lambda end: end.reason)
@pytest.mark.parametrize("renews", [False, True], ids=["first", "again"])
async def test_what_is_pushed_while_it_is_visited_is_visited_once_more(
    ledger: Ledger, end: End, renews: bool
) -> None:
    """The visit had asked for the page before the push: it may have changed since."""
    worker, job = await ledger.worker(UNPACED), await ledger.job()
    await worker.frontier.push(job, [ONE])
    if renews:
        await visit(ledger, worker, job, End(State.DONE, "read"))
        await worker.frontier.push(job, [ONE])
    (held,) = await worker.frontier.claim([job])
    (leased,) = held.targets
    asked_at = ledger.clock.time
    ledger.clock.time += 5
    assert await worker.frontier.push(job, [ONE]) == Added(again=1)
    settled = settlement(held, leased, end, stored=end.reason == "read")
    await worker.frontier.commit([replace(settled, attempt=Attempt(asked_at, "read"))], [held.id])
    (record,) = await ledger.pages.targets(ONE.identity, ONE.host)
    assert (record.state, record.attempts) == (State.PENDING, 0)
    assert await ledger.dead.find(Letters()) == []
    assert await ledger.pages.page(record.id) is not None or end.reason != "read"
    assert await visit(ledger, worker, job, End(State.DONE, "read")) == [f"{A}/1"]
    assert await visit(ledger, worker, job, End(State.DONE, "read")) == []


async def test_a_page_that_asks_not_to_be_kept_meanwhile_is_not_counted_as_one_to_renew(
    ledger: Ledger,
) -> None:
    worker, job = await visited(ledger, End(State.DONE, "read"))
    await worker.frontier.push(job, [ONE])
    (held,) = await worker.frontier.claim([job])
    asked_at = ledger.clock.time
    ledger.clock.time += 5
    await worker.frontier.push(job, [ONE])
    (dropped,) = settlements(held, End(State.DONE, "noindex"))
    dropped = replace(dropped, kept=Kept.DROPPED, renews=True, attempt=Attempt(asked_at, "read"))
    await worker.frontier.commit([dropped], [held.id])
    assert (await ledger.jobs.counts(job)).renewing == 0


async def test_a_visit_that_asked_after_the_push_answers_it(ledger: Ledger) -> None:
    worker, job = await ledger.worker(UNPACED), await ledger.job()
    await worker.frontier.push(job, [ONE])
    (held,) = await worker.frontier.claim([job])
    assert await worker.frontier.push(job, [ONE]) == Added(again=1)
    ledger.clock.time += 5
    (read,) = settlements(held, stored=True)
    asked = replace(read, attempt=Attempt(ledger.clock.time, "read"))
    await worker.frontier.commit([asked], [held.id])
    assert await ledger.state(f"{A}/1") is State.DONE


async def test_what_was_fetched_just_now_stays_as_it_is_where_that_is_wanted(
    ledger: Ledger,
) -> None:
    worker, job = await visited(ledger, End(State.DONE, "read"))
    fetched_at = ledger.clock.time - 30
    assert await worker.frontier.push(job, [ONE], fetched_at - 1) == Added(known=1)
    assert await ledger.state(f"{A}/1") is State.DONE
    assert await worker.frontier.push(job, [ONE], fetched_at + 1) == Added(again=1)


async def test_a_dead_letter_was_not_fetched_however_lately_it_failed(ledger: Ledger) -> None:
    worker, job = await visited(ledger, ENDS[-1])
    assert await worker.frontier.push(job, [ONE], 0.0) == Added(again=1)


async def test_a_job_with_all_its_pages_visits_those_again_and_says_so_of_others(
    ledger: Ledger,
) -> None:
    """URL-5: what has no page would wait in vain."""
    worker, job = await visited(ledger, End(State.GONE, "http 404"), max_pages=1)
    two = target(f"{A}/2")
    await worker.frontier.push(job, [two])
    await visit(ledger, worker, job, End(State.DONE, "read"))
    added = await worker.frontier.push(job, [ONE, two])
    assert added == Added(over_limit=((f"{A}/1", Reason.JOB_LIMIT),), again=1)
    assert await visit(ledger, worker, job, End(State.DONE, "read")) == [f"{A}/2"]


async def test_the_url_of_another_job_is_not_touched(ledger: Ledger) -> None:
    worker, _ = await visited(ledger, End(State.DONE, "read"))
    other = await ledger.job("other")
    assert await worker.frontier.push(other, [ONE]) == Added(new=1)
