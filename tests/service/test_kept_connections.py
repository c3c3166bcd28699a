"""Does a test get the connections of the one before it, and nothing else of it? See
tests/postgres.py."""

from __future__ import annotations

from pathlib import Path

from tenax.adapters.sql.engine.postgres import Postgres
from tests.ledgers import Ledger, postgresql
from tests.postgres import connections_are_kept

WHO = "SELECT pg_backend_pid()"


async def test_a_ledger_has_the_connections_of_the_one_before_and_none_of_its_rows(
    tmp_path: Path,
) -> None:
    async with connections_are_kept():
        async with postgresql(tmp_path) as ledger:
            await ledger.job()
            first = await ledger.sql(WHO)
        async with postgresql(tmp_path) as ledger:
            assert await ledger.sql(WHO) == first
            assert await ledger.sql("SELECT * FROM jobs") == []
    async with postgresql(tmp_path) as ledger:
        assert await ledger.sql(WHO) != first


async def test_two_that_are_open_have_none_in_common(tmp_path: Path) -> None:
    async with connections_are_kept():
        for _ in range(2):
            async with postgresql(tmp_path) as ledger:
                workers = [(await ledger.worker()).database for _ in range(2)]
                databases = [ledger.database, *workers]
                assert len({id(each._writers) for each in databases}) == 3  # type: ignore[attr-defined]  # of Postgres


async def test_one_that_was_hung_up_keeps_nothing_for_others(tmp_path: Path) -> None:
    async with connections_are_kept():
        async with postgresql(tmp_path) as ledger:
            first = await ledger.sql(WHO)
            assert isinstance(ledger.database, Postgres)
            ledger.database._calls.abandoned = "it hung"
        async with postgresql(tmp_path) as ledger:
            assert await ledger.sql(WHO) != first


async def test_what_a_large_one_has_left_takes_no_room(tmp_path: Path) -> None:
    async with connections_are_kept():
        async with postgresql(tmp_path) as ledger:
            await ledger.sql(
                "INSERT INTO receipts (name, number, at)"
                " SELECT md5(n::text), n, 0 FROM generate_series(1, 9000) n"
            )
            assert await _room(ledger) > 200_000
        async with postgresql(tmp_path) as ledger:
            assert await _room(ledger) < 20_000


async def _room(ledger: Ledger) -> int:
    ((size,),) = await ledger.sql("SELECT pg_relation_size('receipts')")
    return int(size)
