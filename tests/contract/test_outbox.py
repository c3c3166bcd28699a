"""The outbox: events are written with their visits, read in order, and kept until they are told."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from tenax.adapters.sql.frontier.frontier import SqlFrontier
from tenax.adapters.sql.records.outbox import SqlOutbox
from tenax.crawl.event import Telling
from tenax.hosts.conduct import HostPolicies
from tenax.model import Event, EventKind, Fault, OutcomeWord, Product, State, Stock
from tenax.model.dates import iso_time
from tenax.outcome import Attempt, End, Kept
from tenax.urls.normalise import url_digest
from tests.contract.test_pages import FULL
from tests.ledgers import LEASES, START, UNPACED, Ledger, settlement, settlements, target
from tests.schemas import check


class Teller:
    """A worker whose visits are told, or not."""

    def __init__(self, ledger: Ledger, frontier: SqlFrontier, outbox: SqlOutbox) -> None:
        self.ledger = ledger
        self.frontier = frontier
        self.outbox = outbox

    async def visit(self, *urls: str, then: End | None = None) -> None:
        """Visit these, one after the other, each in a transaction of its own."""
        job_id = await self.ledger.job()
        for url in urls:
            await self.frontier.add(job_id, [target(url)])
            (assignment,) = await self.frontier.claim([job_id], 1)
            done = settlements(assignment, then, stored=then is None)
            await self.frontier.commit(done, [assignment.id])
            self.ledger.clock.time += 1

    async def events(self, after: int = 0, most: int = 100) -> list[Event]:
        return await self.outbox.read(after, most)


async def a_teller(ledger: Ledger, telling: Telling | None = Telling()) -> Teller:  # noqa: B008  frozen
    worker = await ledger.worker(UNPACED)
    frontier = SqlFrontier(
        worker.database,
        ledger.clock,
        HostPolicies(pace=UNPACED),
        LEASES,
        worker.membership,
        telling=telling,
    )
    return Teller(ledger, frontier, SqlOutbox(worker.database, ledger.clock))


@pytest.fixture
async def teller(ledger: Ledger) -> Teller:
    return await a_teller(ledger)


def urls(events: Sequence[Event]) -> list[str]:
    return [str(check(event.value)["url"]) for event in events]


A, B, C = (f"https://{name}.example/" for name in "abc")


async def test_a_page_is_in_the_outbox_once_its_visit_is_committed(teller: Teller) -> None:
    await teller.visit(A)
    (event,) = await teller.events()
    assert event.kind is EventKind.FETCHED
    told = check(event.value)
    assert (told["url"], told["job"]) == (A, "job")
    assert event.key.hex() == told["url_hash"]
    assert event.at == START


async def test_nothing_is_written_where_nobody_is_told(ledger: Ledger) -> None:
    teller = await a_teller(ledger, None)
    await teller.visit(A)
    await teller.visit(B, then=End(State.FAILED, "reset: no", Fault.RESET))
    assert await teller.events() == []


async def test_a_dead_letter_is_told_with_its_attempts(teller: Teller) -> None:
    await teller.visit(A, then=End(State.FAILED, "reset: no", Fault.RESET))
    (event,) = await teller.events()
    told = check(event.value)
    assert event.kind is EventKind.FAILED
    assert (told["fault"], told["attempts"]) == ("reset", 1)


async def test_a_page_found_unchanged_is_told_as_it_is_stored(ledger: Ledger) -> None:
    """Where bodies expire: everything but the moment is what was told first."""
    teller = await a_teller(ledger, Telling(by_url=True, unchanged=True))
    await teller.visit(A)
    assert await teller.frontier.revisit(1, START) == 1
    ledger.clock.time += 100
    (assignment,) = await teller.frontier.claim([1], 1)
    (leased,) = assignment.targets
    found = settlement(assignment, leased, End(State.DONE, "unchanged: 304"))
    at = ledger.clock.time
    changes = {"outcome": OutcomeWord.UNCHANGED, "attempt": Attempt(at, "unchanged", 304)}
    confirmed = replace(found, kept=Kept.CHECKED, **changes)
    await teller.frontier.commit([confirmed], [assignment.id])
    first, second = (check(event.value) for event in await teller.events())
    differs = ("event_id", "fetched_at", "unchanged")
    for event in (first, second):
        assert event["cache_key"] == f"webpage:{event['url_hash']}"
    assert {k: v for k, v in first.items() if k not in differs} == {
        k: v for k, v in second.items() if k not in differs
    }
    assert (second["unchanged"], second["fetched_at"]) == (True, iso_time(at))


async def test_other_ends_are_not_told(teller: Teller) -> None:
    await teller.visit(A, then=End(State.GONE, "http 404"))
    assert await teller.events() == []


async def sell(teller: Teller, price: str | None, stock: Stock = Stock.IN_STOCK) -> None:
    """Visit A once more, where a kettle costs this; None when its page is gone."""
    job_id = await teller.ledger.job()
    await teller.frontier.add(job_id, [target(A)])
    await teller.frontier.revisit(job_id, teller.ledger.clock.time + 1)
    teller.ledger.clock.time += 5
    (held,) = await teller.frontier.claim([job_id], 1)
    (done,) = settlements(held, None if price else End(State.GONE, "http 404"), stored=bool(price))
    done = replace(done, url_hash=url_digest(target(A).identity))
    if price:
        offer = Product(A, "Kettle", price=price, currency="EUR", availability=stock, sku="K-1")
        now = replace(FULL, url=A, product=offer, fetched_at=teller.ledger.clock.time)
        done = replace(done, page=now, renews=held.targets[0].copy is not None)
    else:
        tried = Attempt(teller.ledger.clock.time, "gone", 404)
        done = replace(done, attempt=tried, outcome=OutcomeWord.GONE, renews=True,
                       kept=Kept.STALE, stale="gone")  # fmt: skip
    await teller.frontier.commit([done], [held.id])


async def test_what_changed_of_a_product_is_told_old_and_new(teller: Teller) -> None:
    for price, stock in (
        ("10.00", Stock.IN_STOCK), ("10.00", Stock.IN_STOCK), ("12.00", Stock.OUT_OF_STOCK),
        (None, Stock.UNKNOWN), (None, Stock.UNKNOWN), ("12.00", Stock.OUT_OF_STOCK),
    ):  # fmt: skip
        await sell(teller, price, stock)
    events = [e for e in await teller.events() if e.kind is EventKind.PRODUCT]
    told = [check(event.value) for event in events]
    assert [event["changed"] for event in told] == [
        ["price", "availability"], ["status"], ["status"]
    ]  # fmt: skip
    old, new = told[0]["old"], told[0]["new"]
    assert (old["price"], old["availability"], old["status"]) == ("10.00", "InStock", "listed")
    assert (new["price"], new["availability"], new["status"]) == ("12.00", "OutOfStock", "listed")
    assert (told[1]["old"]["status"], told[1]["new"]["status"]) == ("listed", "delisted")
    assert (told[2]["old"]["status"], told[2]["new"]["status"]) == ("delisted", "listed")
    assert (told[0]["url"], told[0]["sku"], told[0]["job"]) == (A, "K-1", "job")
    assert [event.key.hex() for event in events] == [each["url_hash"] for each in told]
    assert len({each["event_id"] for each in told}) == 3
    assert told[0]["changed_at"].startswith("2026-")


async def test_who_wants_no_pages_is_not_told_of_products(ledger: Ledger) -> None:
    teller = await a_teller(ledger, Telling(kinds=frozenset({EventKind.FAILED})))
    await sell(teller, "10.00")
    await sell(teller, "12.00")
    assert await teller.events() == []


async def test_a_visit_whose_lease_was_lost_is_not_told(teller: Teller, ledger: Ledger) -> None:
    job_id = await ledger.job()
    await teller.frontier.add(job_id, [target(A)])
    (assignment,) = await teller.frontier.claim([job_id], 1)
    late = [
        replace(s, assignment_id=s.assignment_id + 1) for s in settlements(assignment, stored=True)
    ]
    await teller.frontier.commit(late)
    assert await teller.events() == []


async def test_a_batch_committed_again_is_told_once(teller: Teller, ledger: Ledger) -> None:
    """Whoever lost the answer of a commit commits again (OBS-5)."""
    job_id = await ledger.job()
    await teller.frontier.add(job_id, [target(A)])
    (assignment,) = await teller.frontier.claim([job_id], 1)
    done = settlements(assignment, stored=True)
    await teller.frontier.commit(done, [assignment.id])
    await teller.frontier.commit(done, [assignment.id])
    assert len(await teller.events()) == 1


async def test_events_come_in_order_and_from_where_one_stopped(teller: Teller) -> None:
    await teller.visit(A, B, C)
    first, second = await teller.events(most=2)
    assert urls([first, second]) == [A, B]
    assert urls(await teller.events(after=second.place)) == [C]


async def test_a_new_sink_begins_before_everything(teller: Teller) -> None:
    await teller.visit(A)
    assert await teller.outbox.hold("events", "one", 10) == 0


async def test_only_one_relay_holds_a_sink(teller: Teller) -> None:
    outbox = teller.outbox
    assert await outbox.hold("events", "one", 10) == 0
    assert await outbox.hold("events", "two", 10) is None
    assert await outbox.hold("events", "one", 10) == 0
    assert await outbox.hold("other", "two", 10) == 0


async def test_what_a_dead_relay_held_falls_to_another(teller: Teller, ledger: Ledger) -> None:
    outbox = teller.outbox
    await teller.visit(A)
    (event,) = await teller.events()
    await outbox.hold("events", "one", 10)
    assert await outbox.told("events", "one", event.place)
    ledger.clock.time += 10
    assert await outbox.hold("events", "two", 10) == event.place
    assert not await outbox.told("events", "one", event.place), "it is not its own any more"


async def test_what_is_let_go_can_be_held_at_once(teller: Teller) -> None:
    await teller.outbox.hold("events", "one", 10)
    await teller.outbox.let_go("events", "two")
    assert await teller.outbox.hold("events", "two", 10) is None
    await teller.outbox.let_go("events", "one")
    assert await teller.outbox.hold("events", "two", 10) == 0


async def test_only_what_every_sink_was_told_is_forgotten(teller: Teller, ledger: Ledger) -> None:
    outbox = teller.outbox
    await teller.visit(A, B, C)
    first, second, _ = await teller.events()
    for name, place in (("files", first.place), ("kafka", second.place)):
        await outbox.hold(name, "one", 10)
        await outbox.told(name, "one", place)
    assert await outbox.prune(ledger.clock.now() + 1, most=10) == 1
    assert urls(await teller.events()) == [B, C]


async def test_what_was_told_lately_stays(teller: Teller) -> None:
    await teller.visit(A, B)
    _, second = await teller.events()
    await teller.outbox.hold("events", "one", 10)
    await teller.outbox.told("events", "one", second.place)
    assert await teller.outbox.prune(START + 1, most=10) == 1
    assert urls(await teller.events()) == [B]
    assert await teller.outbox.prune(START + 9, most=0) == 0


async def test_nothing_is_forgotten_before_anybody_was_told(teller: Teller) -> None:
    await teller.visit(A)
    assert await teller.outbox.prune(START + 99, most=10) == 0


async def test_nothing_is_removed_before_all_who_are_to_be_told_were(
    teller: Teller, ledger: Ledger
) -> None:
    """Kafka's relay may be started hours after the one to Redis."""
    await teller.visit(A)
    (event,) = await teller.events()
    worker = await ledger.worker(UNPACED)
    outbox = SqlOutbox(worker.database, ledger.clock, ["events", "page_fetcher_dlq"])
    await outbox.hold("page_fetcher_dlq", "one", 10)
    await outbox.told("page_fetcher_dlq", "one", event.place)
    assert await outbox.prune(START + 99, most=10) == 0
    await outbox.hold("events", "two", 10)
    await outbox.told("events", "two", event.place)
    assert await outbox.prune(START + 99, most=10) == 1


async def test_for_a_sink_that_is_forgotten_nothing_is_kept(teller: Teller) -> None:
    outbox = teller.outbox
    await teller.visit(A)
    (event,) = await teller.events()
    await outbox.hold("old", "one", 10)
    await outbox.hold("events", "one", 10)
    await outbox.told("events", "one", event.place)
    assert await outbox.prune(START + 99, most=10) == 0
    assert await outbox.forget("old")
    assert not await outbox.forget("old")
    assert not await outbox.forget("*")
    assert await outbox.prune(START + 99, most=10) == 1


async def test_a_sink_can_be_told_again(teller: Teller) -> None:
    outbox = teller.outbox
    await teller.visit(A, B, C)
    last = (await teller.events())[-1]
    await outbox.hold("events", "one", 10)
    await outbox.told("events", "one", last.place)
    assert await outbox.move("events", START + 1) == 2
    assert not await outbox.told("events", "one", last.place), "who holds it has to look again"
    place = await outbox.hold("events", "one", 10)
    assert place is not None
    assert urls(await teller.events(after=place)) == [B, C]


async def test_it_knows_how_far_behind_a_sink_is(teller: Teller, ledger: Ledger) -> None:
    outbox = teller.outbox
    assert await outbox.backlogs() == []
    await teller.visit(A, B, C)
    (first, *_) = await teller.events()
    await outbox.hold("events", "one", 10)
    await outbox.told("events", "one", first.place)
    (backlog,) = await outbox.backlogs()
    assert (backlog.sink, backlog.waiting, backlog.holder) == ("events", 2, "one")
    assert backlog.oldest == START + 1
    ledger.clock.time += 10
    (backlog,) = await outbox.backlogs()
    assert backlog.holder == ""


async def test_the_backlog_counts_what_no_relay_has_looked_at(teller: Teller) -> None:
    await teller.outbox.hold("events", "one", 10)
    await teller.visit(A, B)
    (backlog,) = await teller.outbox.backlogs()
    assert (backlog.waiting, backlog.oldest) == (2, START)


async def test_events_outlive_the_job_they_tell_of(teller: Teller, ledger: Ledger) -> None:
    await teller.visit(A)
    job_id = await ledger.job()
    while not (await ledger.jobs.delete(job_id)).is_gone:
        pass
    assert urls(await teller.events()) == [A]


async def test_a_page_that_is_gone_is_told_once_until_it_is_back(ledger: Ledger) -> None:
    teller = await a_teller(ledger, Telling(kinds=frozenset({EventKind.GONE})))
    await teller.visit(A)

    async def visit_again(state: State) -> None:
        ledger.clock.time += 100
        await teller.frontier.revisit(1, ledger.clock.time)
        (assignment,) = await teller.frontier.claim([1], 1)
        (leased,) = assignment.targets
        is_there = state is State.DONE
        found = settlement(assignment, leased, End(state, "http 404"), stored=is_there)
        if not is_there:
            attempt = Attempt(ledger.clock.time, "gone", 404)
            found = replace(found, kept=Kept.STALE, stale="gone", attempt=attempt)
        await teller.frontier.commit([found], [assignment.id])

    for state in (State.GONE, State.GONE, State.DONE, State.GONE):
        await visit_again(state)
    told = [check(event.value) for event in await teller.events()]
    assert [event["type"] for event in told] == ["page_gone", "page_gone"]
    assert [(event["url"], event["status_code"]) for event in told] == [(A, 404)] * 2
    assert told[0]["fetched_at"] < told[0]["gone_at"] < told[1]["gone_at"]


async def test_a_url_that_never_had_a_page_is_not_told_as_gone(ledger: Ledger) -> None:
    teller = await a_teller(ledger, Telling(kinds=frozenset({EventKind.GONE})))
    await teller.visit(A, then=End(State.GONE, "http 404"))
    assert await teller.events() == []
