"""The promises of `ApiKeys`: a key is found by its hash alone, until it is revoked (API-2)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from hashlib import sha256
from pathlib import Path

import pytest

from tenax.adapters.sql.records.api_keys import SqlApiKeys
from tenax.ports.accounts import ApiKeys, ApiRole
from tests.ledgers import LEDGERS, START, Ledger

ONE, OTHER = sha256(b"one").digest(), sha256(b"other").digest()


@pytest.fixture(params=LEDGERS)
async def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Ledger]:
    async with LEDGERS[request.param](tmp_path) as made:
        yield made


@pytest.fixture
def keys(ledger: Ledger) -> ApiKeys:
    return SqlApiKeys(ledger.database, ledger.clock)


async def test_a_key_is_found_by_its_hash(keys: ApiKeys) -> None:
    assert await keys.add("grafana", ApiRole.USER, ONE)
    found = await keys.find(ONE)
    assert found is not None
    assert (found.name, found.role, found.digest) == ("grafana", ApiRole.USER, ONE)
    assert found.created_at == START
    assert await keys.find(OTHER) is None


async def test_a_name_is_given_once_and_the_first_one_stays(keys: ApiKeys) -> None:
    assert await keys.add("ops", ApiRole.USER, ONE)
    assert not await keys.add("ops", ApiRole.ADMIN, OTHER)
    assert await keys.find(OTHER) is None
    assert [key.role for key in await keys.all()] == [ApiRole.USER]


async def test_a_key_is_given_once(keys: ApiKeys) -> None:
    assert await keys.add("ops", ApiRole.USER, ONE)
    assert not await keys.add("others", ApiRole.ADMIN, ONE)


async def test_keys_are_listed_by_name(keys: ApiKeys) -> None:
    await keys.add("b", ApiRole.USER, ONE)
    await keys.add("a", ApiRole.ADMIN, OTHER)
    assert [key.name for key in await keys.all()] == ["a", "b"]


async def test_a_revoked_key_is_gone_and_its_number_is_not_used_again(
    keys: ApiKeys, ledger: Ledger
) -> None:
    await keys.add("ops", ApiRole.ADMIN, ONE)
    before = await keys.find(ONE)
    assert await keys.revoke("ops")
    assert not await keys.revoke("ops")
    database = await ledger.open()
    ledger.stack.push_async_callback(database.close)
    elsewhere = SqlApiKeys(database, ledger.clock)
    assert await elsewhere.find(ONE) is None
    assert await keys.add("ops", ApiRole.USER, OTHER)
    after = await keys.find(OTHER)
    assert before is not None
    assert after is not None
    assert after.id != before.id
