"""The promises of `Pages`: what is known of URLs and what was stored of them."""

from __future__ import annotations

from msgspec.structs import replace

from tenax.model import Fault, OutcomeWord, Page, Reason, State
from tenax.outcome import Attempt, End, Later
from tenax.ports import Letters
from tests.ledgers import START, Ledger, settlement, target

A = "https://a.example"
FULL = Page(
    url=f"{A}/last-hop", status=203, content_type="text/html", body=b"<p>hello</p>",
    fetched_at=START + 0.25, charset="utf-8", title="Grüße, 100%", description="d",
    canonical=f"{A}/canonical", language="de", published="2026-01-02", modified="2026-01-03",
    content_hash=b"c" * 32, digest=b"d" * 32, words=3, etag='"e"', last_modified="yesterday",
    rights=(("robots Content-Usage", "ai=n"),),
)  # fmt: skip


async def store(ledger: Ledger, *urls: str, job: str = "job", page: Page = FULL) -> list[int]:
    worker, job_id = await ledger.worker(), await ledger.job(job)
    ids = []
    for url in urls:
        await worker.frontier.add(job_id, [target(url)])
        ledger.clock.time += 5
        (held,) = await worker.frontier.claim([job_id])
        visit = replace(settlement(held, held.targets[0]), page=page)
        chained = Attempt(
            START, "read", 203, 1.0, 2.0, 3, "http", "192.0.2.1", (url, page.url),
            download_ms=7.0, kbps=40_000, body="Bad ü",
        )  # fmt: skip
        await worker.frontier.commit([replace(visit, attempt=chained)], [held.id])
        ids.append(held.targets[0].id)
    return ids


async def test_a_page_is_told_as_it_was_read(ledger: Ledger) -> None:
    (id,) = await store(ledger, f"{A}/x?b=1&a=2")
    found = await ledger.pages.page(id)
    assert found is not None
    assert (found.url, found.final_url, found.job) == (f"{A}/x?b=1&a=2", f"{A}/last-hop", "job")
    same = (
        "status", "content_type", "charset", "title", "description", "canonical", "language",
        "published", "modified", "words", "etag", "last_modified", "rights", "fetched_at",
    )  # fmt: skip
    assert {n: getattr(found, n) for n in same} == {n: getattr(FULL, n) for n in same}
    assert (found.content_hash, found.digest) == ((b"c" * 32).hex(), (b"d" * 32).hex())
    assert found.length == len(b"<p>hello</p>")
    assert len(found.url_hash) == 64


async def test_a_target_without_a_page_has_none(ledger: Ledger) -> None:
    assert await ledger.pages.page(7) is None


async def test_attempts_are_told_first_to_last_with_their_chain(ledger: Ledger) -> None:
    (id,) = await store(ledger, f"{A}/x")
    (attempt,) = await ledger.pages.attempts(id)
    assert (attempt.outcome, attempt.status, attempt.address) == ("read", 203, "192.0.2.1")
    assert attempt.chain == (f"{A}/x", f"{A}/last-hop")
    assert (attempt.download_ms, attempt.kbps, attempt.body) == (7, 40_000, "Bad ü")


async def test_how_the_last_visit_ended_is_told_in_words_whatever_the_reason_says(
    ledger: Ledger,
) -> None:
    worker, job_id = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job_id, [target(f"{A}/x")])
    endings = (
        (Later(ledger.clock.time, counts=True, reason="moved (301)"), OutcomeWord.FAILED, "reset"),
        (End(State.DONE, "stale: is what this page is about"), OutcomeWord.READ, ""),
    )
    told = []
    for then, outcome, cause in endings:
        ledger.clock.time += 5
        (held,) = await worker.frontier.claim([job_id])
        visit = replace(settlement(held, held.targets[0], then), outcome=outcome, cause=cause)
        tried = Attempt(START, outcome, cause=cause)
        await worker.frontier.commit([replace(visit, attempt=tried)], [held.id])
        (record,) = await ledger.pages.targets(target(f"{A}/x").identity, "a.example")
        told.append((record.outcome, record.cause, record.reason))
    assert told == [(outcome, cause, then.reason) for then, outcome, cause in endings]
    tries = await ledger.pages.attempts(held.targets[0].id)
    assert [(each.outcome, each.cause) for each in tries] == [("failed", "reset"), ("read", "")]


async def test_what_is_to_be_visited_again_still_tells_how_the_last_visit_ended(
    ledger: Ledger,
) -> None:
    worker, job_id = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job_id, [target(f"{A}/x")])
    (held,) = await worker.frontier.claim([job_id])
    gone = settlement(held, held.targets[0], End(State.REJECTED, "captcha"))
    gone = replace(gone, outcome=OutcomeWord.GARBAGE, cause="captcha")
    await worker.frontier.commit([gone], [held.id])
    assert await worker.frontier.revisit(job_id) == 1
    (record,) = await ledger.pages.targets(target(f"{A}/x").identity, "a.example")
    assert (record.state, record.outcome, record.cause) == (State.PENDING, "garbage", "captcha")


async def test_moves_are_counted_by_outcomes_whatever_reasons_say(ledger: Ledger) -> None:
    """FE-3: also of a page that waits to be visited again."""
    worker, job_id = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job_id, [target(f"{A}/0")])
    for number, outcome in enumerate((OutcomeWord.READ, OutcomeWord.MOVED, OutcomeWord.MOVED), 1):
        ledger.clock.time += 5
        (held,) = await worker.frontier.claim([job_id])
        (leased,) = held.targets
        to = target(f"{A}/{number}", found_on=leased.id)
        visit = settlement(held, leased, End(State.DONE, "moved (301) to it"), found=[to])
        await worker.frontier.commit([replace(visit, outcome=outcome)], [held.id])
    assert await worker.frontier.revisit(job_id) == 3
    (last,) = await ledger.pages.targets(target(f"{A}/3").identity, "a.example")
    assert await worker.frontier.inner.moves(last.id) == 2


async def test_a_returned_dead_letter_leaves_no_word_behind(ledger: Ledger) -> None:
    worker, job_id = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job_id, [target(f"{A}/x")])
    (held,) = await worker.frontier.claim([job_id])
    end = End(State.FAILED, "reset: by peer", Fault.RESET, "by peer")
    failed = replace(settlement(held, held.targets[0], end), outcome=OutcomeWord.FAILED)
    await worker.frontier.commit([replace(failed, cause="reset")], [held.id])
    (letter,) = await ledger.dead.find(Letters())
    assert (letter.fault, letter.detail, letter.reason) == ("reset", "by peer", "reset: by peer")
    await ledger.dead.give_back(Letters())
    (record,) = await ledger.pages.targets(target(f"{A}/x").identity, "a.example")
    assert (record.state, record.outcome, record.cause) == (State.PENDING, None, "")


async def test_a_url_is_found_in_every_job_that_knows_it(ledger: Ledger) -> None:
    worker = await ledger.worker()
    wanted = target(f"{A}/x")
    for name in ("one", "two"):
        await worker.frontier.add(await ledger.job(name), [wanted])
    records = await ledger.pages.targets(wanted.identity, wanted.host)
    assert {r.job for r in records} == {"one", "two"}
    assert {(r.url, r.state) for r in records} == {(f"{A}/x", State.PENDING)}
    assert await ledger.pages.targets(wanted.identity, "b.example") == []


async def test_a_target_names_the_page_it_was_found_on(ledger: Ledger) -> None:
    (id,) = await store(ledger, f"{A}/source")
    worker, job_id = await ledger.worker(), await ledger.job()
    found = target(f"{A}/found", depth=4, priority=3, found_on=id)
    await worker.frontier.add(job_id, [found])
    (record,) = await ledger.pages.targets(found.identity, found.host)
    assert (record.found_on, record.depth, record.priority) == (f"{A}/source", 4, 3)


async def test_pages_are_listed_in_order_a_page_at_a_time(ledger: Ledger) -> None:
    ids = await store(ledger, *(f"{A}/{n}" for n in range(5)))
    first = await ledger.pages.find(limit=2)
    rest = await ledger.pages.find(after=first[-1].target_id)
    assert [r.target_id for r in first + rest] == ids
    newest = await ledger.pages.find(newest=True, limit=2)
    assert [r.target_id for r in newest] == ids[:2:-1]
    before = await ledger.pages.find(newest=True, after=newest[-1].target_id)
    assert [r.target_id for r in before] == ids[2::-1]


async def test_pages_are_found_by_job_and_by_words_of_title_or_url(ledger: Ledger) -> None:
    await store(ledger, f"{A}/needle_1", job="one")
    await store(ledger, f"{A}/needleX1", job="two", page=replace(FULL, title="Other"))
    assert [r.job for r in await ledger.pages.find(job="two")] == ["two"]
    assert [r.job for r in await ledger.pages.find(contains="needle_")] == ["one"]
    assert [r.job for r in await ledger.pages.find(contains="OTHER")] == ["two"]
    assert [r.job for r in await ledger.pages.find(contains="100%")] == ["one"]
    assert await ledger.pages.find(contains="' OR 1=1 --") == []


async def test_failures_are_counted_by_reason(ledger: Ledger) -> None:
    worker, job_id = await ledger.worker(), await ledger.job()
    reasons = ["dns: x", "dns: x", "reset: y"]
    await worker.frontier.add(job_id, [target(f"https://h{n}.example/") for n in range(4)])
    held = await worker.frontier.claim([job_id])
    ends = [End(State.FAILED, reason) for reason in reasons] + [End(State.DONE, "read")]
    visits = [settlement(a, a.targets[0], end) for a, end in zip(held, ends, strict=True)]
    await worker.frontier.commit(visits, [a.id for a in held])
    assert await ledger.pages.failures(job_id) == [("dns: x", 2), ("reset: y", 1)]
    assert await ledger.pages.failures(job_id, limit=1) == [("dns: x", 2)]


async def test_a_kept_rejection_is_told(ledger: Ledger) -> None:
    worker, job_id = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job_id, [target(f"{A}/")])
    (held,) = await worker.frontier.claim([job_id])
    kept = ((f"{A}/trap", Reason.TRAP),)
    visit = replace(settlement(held, held.targets[0]), kept_rejections=kept)
    await worker.frontier.commit([visit], [held.id])
    assert await ledger.pages.rejection(f"{A}/trap") == [("job", Reason.TRAP, START)]
    assert await ledger.pages.rejection(f"{A}/other") == []
