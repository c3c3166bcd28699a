"""The promises of `Users`, `Acts` and `RequestCounts`, on every ledger; counts in Redis, too."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from hashlib import sha256

import pytest

from tenax.adapters.redis.client import RedisServer
from tenax.adapters.redis.request_counts import RedisRequestCounts
from tenax.adapters.sql.records.acts import SqlActs, SqlRequestCounts
from tenax.adapters.sql.records.users import SqlUsers
from tenax.ports.accounts import ApiRole, RequestCounts, Users
from tests.ledgers import START, Ledger

ONE, OTHER = sha256(b"one").digest(), sha256(b"other").digest()


@pytest.fixture
def users(ledger: Ledger) -> Users:
    return SqlUsers(ledger.database, ledger.clock)


async def test_somebody_is_found_by_their_name_and_a_name_is_given_once(users: Users) -> None:
    assert await users.add("anna", ApiRole.ADMIN, "hash")
    assert not await users.add("anna", ApiRole.USER, "other")
    found = await users.find("anna")
    assert found is not None
    assert (found.role, found.password, found.created_at) == (ApiRole.ADMIN, "hash", START)
    assert not found.one_time
    assert await users.find("Anna") is None


async def test_the_first_one_is_added_to_a_ledger_that_knows_nobody(users: Users) -> None:
    made = await asyncio.gather(*(users.add_first("admin", "hash") for _ in range(3)))
    assert sorted(made) == [False, False, True]
    (found,) = await users.all()
    assert (found.role, found.one_time) == (ApiRole.ADMIN, True)
    await users.remove("admin")
    await users.add("anna", ApiRole.USER, "hash")
    assert not await users.add_first("admin", "hash")


async def test_of_admins_who_remove_each_other_one_is_kept(users: Users) -> None:
    for _ in range(10):
        for name in ("anna", "bert"):
            await users.add(name, ApiRole.ADMIN, "hash")
        gone = await asyncio.gather(
            *(users.remove(name, keep_an_admin=True) for name in ("anna", "bert", "nobody"))
        )
        assert sorted(gone) == [False, False, True]
        assert len(await users.all()) == 1
    await users.add("carl", ApiRole.USER, "hash")
    assert await users.remove("carl", keep_an_admin=True)


async def test_a_session_is_found_until_it_expires(users: Users, ledger: Ledger) -> None:
    await users.add("anna", ApiRole.USER, "hash")
    anna = await users.find("anna")
    assert anna is not None
    await users.open_session(anna.id, ONE, START + 100)
    found = await users.session(ONE)
    assert found is not None
    assert (found.user, found.expires_at) == (anna, START + 100)
    assert await users.session(OTHER) is None
    ledger.clock.time += 100
    assert await users.session(ONE) is None
    assert await users.end_expired() == 1
    assert await users.end_expired() == 0


async def test_sessions_end_with_logout_a_new_password_and_the_user(users: Users) -> None:
    await users.add("anna", ApiRole.USER, "hash")
    await users.add("bert", ApiRole.USER, "hash")
    anna, bert = await users.find("anna"), await users.find("bert")
    assert anna is not None
    assert bert is not None
    await users.open_session(bert.id, OTHER, START + 100)
    ends: list[Callable[[], Awaitable[bool]]] = [
        lambda: users.end_session(ONE),
        lambda: users.change_password("anna", "new"),
        lambda: users.remove("anna"),
    ]
    for end in ends:
        await users.open_session(anna.id, ONE, START + 100)
        assert await users.session(ONE) is not None
        assert await end()
        assert await users.session(ONE) is None
    assert not await users.remove("anna")
    assert not await users.change_password("anna", "new")
    assert await users.session(OTHER) is not None, "others stay"


async def test_acts_are_told_newest_first_page_by_page(ledger: Ledger) -> None:
    acts = SqlActs(ledger.database, ledger.clock)
    for number in range(5):
        await acts.note("user anna", f"POST /{number}", 200)
    first = await acts.latest(None, 3)
    assert [act.what for act in first] == ["POST /4", "POST /3", "POST /2"]
    rest = await acts.latest(first[-1].id, 3)
    assert [act.what for act in rest] == ["POST /1", "POST /0"]
    assert (rest[0].who, rest[0].status, rest[0].at) == ("user anna", 200, START)


@pytest.fixture(params=["of the ledger", "of Redis"])
def counts(request: pytest.FixtureRequest, ledger: Ledger, redis: RedisServer) -> RequestCounts:
    kept = SqlRequestCounts(ledger.database)
    return kept if request.param == "of the ledger" else RedisRequestCounts(redis, kept)


async def test_each_asker_is_counted_by_window(counts: RequestCounts) -> None:
    assert await counts.count("a", 7) == (1, 0)
    assert await counts.count("a", 7) == (2, 0)
    assert await counts.count("b", 7) == (1, 0)
    assert await counts.count("a", 8) == (1, 2)
    assert await counts.count("a", 10) == (1, 0)


async def test_those_who_ask_at_once_are_all_counted(counts: RequestCounts) -> None:
    told = await asyncio.gather(*(counts.count("a", 7) for _ in range(20)))
    assert sorted(now for now, _ in told) == list(range(1, 21))


async def test_what_was_none_after_all_is_not_counted(counts: RequestCounts) -> None:
    await counts.uncount("a", 7)
    assert await counts.count("a", 7) == (1, 0)
    assert await counts.count("a", 7) == (2, 0)
    await counts.uncount("a", 7)
    assert await counts.count("a", 7) == (2, 0)
    assert await counts.count("a", 8) == (1, 2)
    await counts.uncount("a", 7)
    assert await counts.count("a", 8) == (2, 1), "of that window alone"


async def test_while_redis_is_away_the_ledger_counts(ledger: Ledger) -> None:
    nowhere = RedisServer("redis://127.0.0.1:1/0", ledger.clock)
    counts = RedisRequestCounts(nowhere, SqlRequestCounts(ledger.database))
    assert [await counts.count("a", 7) for _ in range(3)] == [(1, 0), (2, 0), (3, 0)]
    await counts.uncount("a", 7)
    assert await counts.count("a", 7) == (3, 0)
    await nowhere.close()
