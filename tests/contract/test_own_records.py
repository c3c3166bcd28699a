"""The promises of `OwnRecords`: one row for each record of a job, touched by change alone, all it
was kept, and told whether it is still there (REC-1)."""

from __future__ import annotations

import math

import msgspec
import pytest
from msgspec.structs import replace

from tenax.adapters.sql.handled.book import SqlOwnRecords
from tenax.adapters.sql.lifecycle.retention import SqlRetention
from tenax.crawl.event import Telling
from tenax.model import EventKind, OutcomeWord, State
from tenax.model.record import Handled, HandledRecord, HandlerReport
from tenax.outcome import Attempt, End, Kept
from tenax.page.handlers.storable import as_json
from tenax.ports import Frontier
from tenax.ports.handled import HandledSighting, RecordFilter, StoredRecord
from tenax.ports.lifecycle.retention import Cutoffs
from tests.contract.test_audit import broken
from tests.contract.test_outbox import a_teller
from tests.contract.test_pages import FULL
from tests.ledgers import START, Ledger, settlement, target
from tests.schemas import check

A = "https://a.example"


def told(*texts: str, key: str = "", error: str = "", version: str = "1") -> Handled:
    """A quote for each text, by the handler `quote`."""
    records = []
    for place, text in enumerate(texts):
        data, digest = as_json({"text": text})
        records.append(HandledRecord("quote", key, "quote", version, place, data, digest))
    return Handled(tuple(records), (HandlerReport("quote", version, len(texts), error),))


async def visit(
    ledger: Ledger,
    url: str,
    handled: Handled | None,
    *,
    job: str = "job",
    outcome: OutcomeWord = OutcomeWord.READ,
    kept: Kept | None = None,
    given: Frontier | None = None,
) -> int:
    """Visit a URL, again where it was visited; what handlers told is committed with it."""
    job_id = await ledger.job(job)
    frontier = given or (await ledger.worker()).frontier
    await frontier.push(job_id, [target(url)], math.inf)
    ledger.clock.time += 5
    at = ledger.clock.time
    (held,) = await frontier.claim([job_id], 1)
    (leased,) = held.targets
    page = replace(FULL, url=url, fetched_at=at) if outcome is OutcomeWord.READ else None
    state = State.GONE if outcome is OutcomeWord.GONE else State.DONE
    done = replace(
        settlement(held, leased, End(state)), page=page, attempt=Attempt(at, outcome.value, 200),
        outcome=outcome, renews=leased.copy is not None, kept=kept, handled=handled,
        stale="gone" if kept is Kept.STALE else "",
    )  # fmt: skip
    await frontier.commit([done], [held.id])
    return leased.id


def book(ledger: Ledger) -> SqlOwnRecords:
    return SqlOwnRecords(ledger.database, ledger.clock)


async def all_of(ledger: Ledger, **wanted: object) -> list[StoredRecord]:
    return await book(ledger).find(msgspec.convert(wanted, RecordFilter))


async def test_a_record_is_told_as_it_was_with_its_page_and_handler(ledger: Ledger) -> None:
    await visit(ledger, f"{A}/1", told("Be.", "Do."))
    first, second = await all_of(ledger)
    assert (first.name, first.data, first.url) == ("quote", {"text": "Be."}, f"{A}/1")
    assert (first.job, first.handler, first.version) == ("job", "quote", "1")
    assert (first.status, first.first_seen_at, first.changed_at) == ("there", START + 5, START + 5)
    assert second.data == {"text": "Do."}


async def test_what_is_told_again_as_it_was_is_only_confirmed(ledger: Ledger) -> None:
    await visit(ledger, f"{A}/1", told("Be."))
    (before,) = await all_of(ledger)
    await visit(ledger, f"{A}/1", told("Be.", version="2"))
    (after,) = await all_of(ledger)
    assert (after.id, after.changed_at, after.version) == (before.id, before.changed_at, "2")
    assert after.last_seen_at > before.last_seen_at
    assert len(await book(ledger).history(after.id)) == 1


async def test_every_change_is_kept(ledger: Ledger) -> None:
    await visit(ledger, f"{A}/1", told("Be."))
    await visit(ledger, f"{A}/1", told("Be good.", version="2"))
    (record,) = await all_of(ledger)
    states = await book(ledger).history(record.id)
    assert [(s.version, s.data) for s in states] == [
        ("1", {"text": "Be."}),
        ("2", {"text": "Be good."}),
    ]
    assert record.changed_at == states[-1].at > record.first_seen_at


async def test_what_its_page_tells_no_more_is_gone_and_stays(ledger: Ledger) -> None:
    await visit(ledger, f"{A}/1", told("Be.", "Do."))
    await visit(ledger, f"{A}/1", told("Be."))
    first, second = await all_of(ledger)
    assert (first.status, second.status) == ("there", "gone")
    assert [s.data for s in await book(ledger).history(second.id)] == [{"text": "Do."}, None]
    await visit(ledger, f"{A}/1", told("Be.", "Do."))
    assert [each.status for each in await all_of(ledger)] == ["there", "there"]


async def test_a_handler_that_failed_makes_nothing_gone(ledger: Ledger) -> None:
    await visit(ledger, f"{A}/1", told("Be.", "Do."))
    await visit(ledger, f"{A}/1", told("Be.", error="KeyError: 'x'"))
    assert [each.status for each in await all_of(ledger)] == ["there", "there"]
    (failure,) = await book(ledger).failures()
    assert (failure.handler, failure.url, failure.error) == ("quote", f"{A}/1", "KeyError: 'x'")
    (rate,) = await book(ledger).rates()
    assert (rate.pages, rate.records, rate.failures) == (2, 3, 1)


async def test_a_key_is_the_same_record_on_any_page_of_its_job(ledger: Ledger) -> None:
    await visit(ledger, f"{A}/1", told("Be.", key="k"))
    await visit(ledger, f"{A}/2", told("Be good.", key="k"))
    await visit(ledger, f"{A}/1", told("Other.", key="k"), job="other")
    mine, other = await all_of(ledger)
    assert (mine.key, mine.url, mine.data) == ("k", f"{A}/2", {"text": "Be good."})
    assert other.job == "other"
    # The page that told it before has no say in it any more.
    await visit(ledger, f"{A}/1", told())
    assert [each.status for each in await all_of(ledger, job="job")] == ["there"]


async def test_records_of_a_page_that_is_gone_are(ledger: Ledger) -> None:
    await visit(ledger, f"{A}/1", told("Be."))
    await visit(ledger, f"{A}/1", None, outcome=OutcomeWord.GONE, kept=Kept.STALE)
    assert [each.status for each in await all_of(ledger)] == ["gone"]


async def test_an_unchanged_page_confirms_its_records(ledger: Ledger) -> None:
    await visit(ledger, f"{A}/1", told("Be."))
    same = Handled(is_same=True)
    await visit(ledger, f"{A}/1", same, outcome=OutcomeWord.UNCHANGED, kept=Kept.CHECKED)
    (record,) = await all_of(ledger)
    assert record.status == "there"
    assert record.last_seen_at > record.changed_at


async def test_a_page_that_asks_not_to_be_kept_takes_its_records_with_it(ledger: Ledger) -> None:
    await visit(ledger, f"{A}/1", told("Be."))
    await visit(ledger, f"{A}/1", None, outcome=OutcomeWord.UNCHANGED, kept=Kept.DROPPED)
    assert await all_of(ledger) == []
    assert await ledger.sql("SELECT * FROM record_history") == []


async def test_records_are_found_by_all_that_is_asked_for(ledger: Ledger) -> None:
    await visit(ledger, f"{A}/1", told("Be."))
    id = await visit(ledger, "https://b.example/1", told("Do."), job="other")
    wanted: list[tuple[dict[str, object], list[str]]] = [
        ({}, ["Be.", "Do."]),
        ({"name": "quote"}, ["Be.", "Do."]),
        ({"name": "other"}, []),
        ({"job": "other"}, ["Do."]),
        ({"host": "a.example"}, ["Be."]),
        ({"targets": (id,)}, ["Do."]),
        ({"targets": ()}, []),
        ({"handler": "quote"}, ["Be.", "Do."]),
        ({"status": "gone"}, []),
        ({"text": "DO."}, ["Do."]),
        ({"changed_since": START + 6}, ["Do."]),
    ]
    for asked, texts in wanted:
        found = await all_of(ledger, **asked)
        assert [each.data["text"] for each in found] == texts, asked
        assert await book(ledger).count(msgspec.convert(asked, RecordFilter)) == len(texts), asked
    assert await book(ledger).names() == {"quote": 2}
    first, second = await all_of(ledger)
    assert await book(ledger).find(RecordFilter(), after=first.id, limit=1) == [second]


async def test_what_stored_pages_tell_today_is_noted(ledger: Ledger) -> None:
    id = await visit(ledger, f"{A}/1", told("Be."))
    sighting = HandledSighting(id, START + 5, told("Be good.", version="2"), FULL.digest)
    assert await book(ledger).note([sighting]) == 1
    assert await book(ledger).note([sighting]) == 0
    (record,) = await all_of(ledger)
    assert (record.data, record.version) == ({"text": "Be good."}, "2")
    # A visit has replaced the page meanwhile.
    stale = HandledSighting(id, START + 5, told("Old."), b"x" * 32)
    assert await book(ledger).note([stale]) == 0


async def test_a_change_is_told(ledger: Ledger) -> None:
    teller = await a_teller(ledger, Telling(kinds=frozenset({EventKind.RECORD})))
    for handled in (told("Be."), told("Be."), told("Do."), told()):
        await visit(ledger, f"{A}/1", handled, given=teller.frontier)
    values = [check(event.value) for event in await teller.events()]
    assert [(v["change"], v["old"], v["new"]) for v in values] == [
        ("new", None, {"text": "Be."}),
        ("changed", {"text": "Be."}, {"text": "Do."}),
        ("gone", {"text": "Do."}, None),
    ]
    assert len({v["event_id"] for v in values}) == 3


async def test_a_job_takes_its_records_with_it(ledger: Ledger) -> None:
    await visit(ledger, f"{A}/1", told("Be.", error="x"))
    job = await ledger.jobs.get("job")
    assert job is not None
    while not (await ledger.jobs.delete(job.id)).is_gone:
        pass
    for table in ("records", "record_history", "handler_rates", "handler_failures"):
        assert await ledger.sql(f"SELECT * FROM {table}") == []


@pytest.mark.parametrize(
    ("promise", "damage"),
    [
        ("every record was told of a target of its job and host", "UPDATE records SET job_id = 99"),
        ("every state of a record belongs to one",
         "INSERT INTO record_history VALUES (99, 1, '1', '{}')"),
        ("the last state of a record's history is the record", "DELETE FROM record_history"),
        ("the last state of a record's history is the record", "UPDATE records SET gone_at = 1"),
        ("no record was seen or changed before it was first seen",
         "UPDATE records SET changed_at = 1"),
        ("every rate of a handler belongs to a job", "UPDATE handler_rates SET job_id = 99"),
    ],
)  # fmt: skip
async def test_what_is_wrong_with_records_is_found(
    ledger: Ledger, promise: str, damage: str
) -> None:
    await visit(ledger, f"{A}/1", told("Be."))
    assert await broken(ledger) == {}
    await ledger.sql(damage)
    assert promise in await broken(ledger)


async def test_what_told_a_record_is_not_forgotten_by_age(ledger: Ledger) -> None:
    kept = await visit(ledger, f"{A}/1", told("Be."))
    forgotten = await visit(ledger, f"{A}/2", None)
    await ledger.sql("UPDATE jobs SET state = 'done', ended_at = 1, next_run_at = NULL")
    far = dict.fromkeys(Cutoffs.__struct_fields__, ledger.clock.time + 1e6)
    found = await SqlRetention(ledger.database).look("targets", Cutoffs(**far), 0)
    assert forgotten in found.ids
    assert kept not in found.ids
