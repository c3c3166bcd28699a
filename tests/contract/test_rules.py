"""What a ledger promises of what hosts have taught (DISC-2, DISC-3)."""

from __future__ import annotations

import sqlalchemy as sa
from msgspec.structs import replace

from tenax.adapters.sql.schema.tables import rules as table
from tenax.discover.guess_policy import GuessPolicy
from tenax.discover.guesses import observe, propose, total
from tenax.discover.sights import Result
from tenax.model import HostRules, PathAnswer, Role
from tests.ledgers import (
    START,
    UNPACED,
    Ledger,
    get_to_know,
    settlement,
    settlements,
    target,
    teach,
)

HOME = "https://a.example"
POLICY = GuessPolicy()


def seen(
    rules: HostRules,
    path: str,
    *found: str,
    role: Role = Role.PAGE,
    result: Result = Result.READ,
) -> HostRules:
    urls = [f"{HOME}{each}" for each in found]
    return observe(rules, f"{HOME}{path}", role, result, urls, START, POLICY)


def a_host() -> HostRules:
    """A listing, an archive, an answer, and guesses that wait."""
    rules = seen(HostRules(), "/list", "/list?page=2", "/list?page=3")
    rules = seen(rules, "/list?page=3", "/a")
    rules = seen(rules, "/2025/03/", "/2025/03/slug")
    rules = seen(rules, "/archive", role=Role.ARCHIVE, result=Result.GONE)
    rules, guesses = propose(rules, 1_000, START, POLICY)
    assert guesses
    return rules


async def test_a_host_never_heard_of_has_taught_nothing(ledger: Ledger) -> None:
    assert await ledger.rules.load(1) is None
    assert await ledger.rules.notes(1) == {}


async def host_of(ledger: Ledger) -> int:
    record = await ledger.hosts.get("a.example")
    assert record is not None
    return record.host.id


async def known(ledger: Ledger) -> HostRules:
    rules = await ledger.rules.load(await host_of(ledger))
    assert rules is not None
    return rules


async def test_what_a_visit_taught_is_loaded_again(ledger: Ledger) -> None:
    worker, job = await ledger.worker(UNPACED), await ledger.job()
    learned = a_host()
    assert (await teach(worker, job, learned)).rules == {}
    assert await known(ledger) == learned
    assert await ledger.rules.load(await host_of(ledger) + 1) is None


async def test_a_visit_that_lost_its_lease_teaches_nothing(ledger: Ledger) -> None:
    worker, job = await ledger.worker(UNPACED), await ledger.job()
    await worker.frontier.add(job, [target("https://a.example/")])
    (assignment,) = await worker.frontier.claim([job])
    visit = replace(settlement(assignment, assignment.targets[0]), learned=a_host())
    await worker.frontier.commit([], [assignment.id])
    committed = await worker.frontier.commit([visit])
    assert committed.lost == {visit.lease}
    assert await ledger.rules.load(assignment.host.id) is None


async def test_of_visits_written_together_the_last_has_learned_what_the_others_have(
    ledger: Ledger,
) -> None:
    worker, job = await ledger.worker(UNPACED), await ledger.job()
    await get_to_know(ledger, worker, job, "a.example")
    await worker.frontier.add(job, [target(f"https://a.example/{n}") for n in range(2)])
    (assignment,) = await worker.frontier.claim([job])
    first, second = settlements(assignment)
    start = a_host()
    later = seen(start, "/list?page=4", role=Role.PAGINATION, result=Result.GONE)
    both = [replace(first, learned=start), replace(second, learned=later)]
    assert (await worker.frontier.commit(both, [assignment.id])).rules == {}
    assert await known(ledger) == later


async def test_two_processes_forget_nothing_of_each_other(ledger: Ledger) -> None:
    mine, theirs = await ledger.worker(UNPACED), await ledger.worker(UNPACED)
    job = await ledger.job()
    start = a_host()
    await teach(mine, job, start)
    learned = seen(start, "/list?page=4", role=Role.PAGINATION, result=Result.GONE)
    others = seen(start, "/2025/02/", role=Role.ARCHIVE, result=Result.GONE)
    others = seen(others, "/list?page=3", "/b")
    await teach(mine, job, learned)
    told = (await teach(theirs, job, others)).rules
    together = told[await host_of(ledger)]
    assert together.series["/list?page={n}"].ended == "page 4 is not there"
    assert together.archives["/{Y}"].missing == (202502,)
    assert total(together).misses == 3
    assert await known(ledger) == together


async def test_an_answer_takes_a_guess_off_the_list(ledger: Ledger) -> None:
    worker, job = await ledger.worker(UNPACED), await ledger.job()
    learned = a_host()
    await teach(worker, job, learned)
    assert "/2025/02/" in learned.asked
    await teach(worker, job, seen(learned, "/2025/02/", "/2025/02/slug", role=Role.ARCHIVE))
    loaded = await known(ledger)
    assert "/2025/02/" not in loaded.asked
    assert loaded.names == {"/archive": PathAnswer.MISS}


async def test_only_what_changed_is_written(ledger: Ledger) -> None:
    worker, job = await ledger.worker(UNPACED), await ledger.job()
    learned = a_host()
    await teach(worker, job, learned)
    ledger.clock.time += 60
    await teach(worker, job, seen(learned, "/2025/04/", "/x"))
    query = sa.select(table.c.kind).where(table.c.updated_at > START)
    written = await worker.database.read(lambda c: sorted(c.execute(query).scalars()))
    assert written == ["archive", "guesses"]


async def test_numbers_seen_once_are_not_written(ledger: Ledger) -> None:
    worker, job = await ledger.worker(UNPACED), await ledger.job()
    learned = seen(HostRules(), "/", *(f"/product-{n}?page=7" for n in range(50)))
    assert len(learned.series) == 50
    assert (await teach(worker, job, learned)).rules == {}
    loaded = await known(ledger)
    assert (loaded.series, loaded.origin) == ({}, HOME)


async def test_what_others_keep_of_a_host_is_theirs(ledger: Ledger) -> None:
    worker, job = await ledger.worker(UNPACED), await ledger.job()
    await get_to_know(ledger, worker, job, "a.example")
    host = await host_of(ledger)
    row = {"host_id": host, "kind": "lastmod", "key": "", "state": "{}", "updated_at": START}
    await worker.database.write(lambda c: c.execute(sa.insert(table).values(row)))
    assert await ledger.rules.load(host) is None
    await teach(worker, job, a_host())
    assert await ledger.rules.notes(host) == {"lastmod": "{}"}
