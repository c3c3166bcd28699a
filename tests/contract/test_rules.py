"""What a ledger promises of what hosts have taught (DISC-2, DISC-3)."""

from __future__ import annotations

import sqlalchemy as sa

from tenax.adapters.sql.records.rules import SqlRules
from tenax.adapters.sql.schema.tables import rules as table
from tenax.discover.guess_policy import GuessPolicy
from tenax.discover.guesses import observe, propose, total
from tenax.discover.sights import Result
from tenax.model import HostRules, PathAnswer, Role
from tests.ledgers import START, Ledger

HOME = "https://a.example"
POLICY = GuessPolicy()
HOST = 7


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
    assert await ledger.rules.load(HOST) is None
    assert await ledger.rules.notes(HOST) == {}


async def test_what_was_saved_is_loaded_again(ledger: Ledger) -> None:
    learned = a_host()
    assert await ledger.rules.save(HOST, learned) == learned
    assert await ledger.rules.load(HOST) == learned
    assert await ledger.rules.load(HOST + 1) is None


async def test_two_processes_forget_nothing_of_each_other(ledger: Ledger) -> None:
    other = SqlRules((await ledger.worker()).database, ledger.clock, POLICY)
    start = a_host()
    await ledger.rules.save(HOST, start)
    mine = seen(start, "/list?page=4", role=Role.PAGINATION, result=Result.GONE)
    theirs = seen(start, "/2025/02/", role=Role.ARCHIVE, result=Result.GONE)
    theirs = seen(theirs, "/list?page=3", "/b")
    await ledger.rules.save(HOST, mine)
    together = await other.save(HOST, theirs)
    assert together.series["/list?page={n}"].ended == "page 4 is not there"
    assert together.archives["/{Y}"].missing == (202502,)
    assert total(together).misses == 3
    assert await ledger.rules.load(HOST) == together


async def test_an_answer_takes_a_guess_off_the_list(ledger: Ledger) -> None:
    learned = a_host()
    await ledger.rules.save(HOST, learned)
    assert "/2025/02/" in learned.asked
    answered = seen(learned, "/2025/02/", "/2025/02/slug", role=Role.ARCHIVE)
    await ledger.rules.save(HOST, answered)
    loaded = await ledger.rules.load(HOST)
    assert loaded is not None
    assert "/2025/02/" not in loaded.asked
    assert loaded.names == {"/archive": PathAnswer.MISS}


async def test_only_what_changed_is_written(ledger: Ledger) -> None:
    learned = a_host()
    await ledger.rules.save(HOST, learned)
    ledger.clock.time += 60
    await ledger.rules.save(HOST, seen(learned, "/2025/04/", "/x"))
    database = (await ledger.worker()).database
    query = sa.select(table.c.kind).where(table.c.updated_at > START)
    written = await database.read(lambda c: sorted(c.execute(query).scalars()))
    assert written == ["archive", "guesses"]


async def test_numbers_seen_once_are_not_written(ledger: Ledger) -> None:
    learned = seen(HostRules(), "/", *(f"/product-{n}?page=2" for n in range(50)))
    kept = await ledger.rules.save(HOST, learned)
    assert len(kept.series) == 50
    loaded = await ledger.rules.load(HOST)
    assert loaded is not None
    assert (loaded.series, loaded.origin) == ({}, HOME)


async def test_what_others_keep_of_a_host_is_theirs(ledger: Ledger) -> None:
    database = (await ledger.worker()).database
    row = {"host_id": HOST, "kind": "lastmod", "key": "", "state": "{}", "updated_at": START}
    await database.write(lambda c: c.execute(sa.insert(table).values(row)))
    assert await ledger.rules.load(HOST) is None
    await ledger.rules.save(HOST, a_host())
    assert await ledger.rules.notes(HOST) == {"lastmod": "{}"}
