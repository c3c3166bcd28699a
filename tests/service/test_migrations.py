"""Do the migrations lead up and down on PostgreSQL, too, with rows in the tables? (STORE-1)"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any, TypeVar

import asyncpg
import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy.engine import Connection
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from tenax.adapters.local.clock import SystemClock
from tenax.adapters.sql.engine.postgres import Postgres
from tenax.adapters.sql.records.dead_letters import SqlDeadLetters
from tenax.adapters.sql.reports.audit import SqlAuditor
from tenax.adapters.sql.schema import tables as schema
from tenax.adapters.sql.schema.migrate import downgrade, upgrade
from tenax.crawl.policy import LeasePolicy
from tenax.hosts.conduct import HostPolicies
from tenax.ports import Letters
from tests import products_of_old, reasons_of_old
from tests.postgres import empty_database

T = TypeVar("T")
Run = Callable[[Callable[[Connection], Any]], Any]


@pytest.fixture
async def url() -> str:
    return await empty_database("migrated")


@pytest.fixture
async def engine(url: str) -> AsyncIterator[AsyncEngine]:
    made = create_async_engine(url.replace("postgresql:", "postgresql+asyncpg:"))
    yield made
    await made.dispose()


async def run(engine: AsyncEngine, work: Callable[[Connection], T]) -> T:
    async with engine.begin() as connection:
        return await connection.run_sync(work)


def tables(connection: Connection) -> dict[str, list[str]]:
    """Columns with their types, and indexes, by table; partitions are one with their table."""
    inspector = sa.inspect(connection)
    found = {}
    for table in inspector.get_table_names():
        if table == "alembic_version" or table.startswith("targets_"):
            continue
        columns = [f"{c['name']} {c['type']} {c['nullable']}" for c in inspector.get_columns(table)]
        indexes = [f"{i['name']} {i['column_names']}" for i in inspector.get_indexes(table)]
        found[table] = sorted(columns) + sorted(indexes)
    return found


def fill(connection: Connection) -> None:
    """A ledger of the first revision: a page, and two targets given up."""
    for statement in (
        "INSERT INTO jobs (id, name, state, spec, created_at) VALUES (1, 'old', 'done', '{}', 7)",
        "INSERT INTO hosts (id, name, origin) VALUES (1, 'a.example', 'https://a.example'),"
        " (2, 'b.example', 'https://b.example')",
        "INSERT INTO lanes (host_id, job_id, known) VALUES (1, 1, 2), (2, 1, 1)",
        "INSERT INTO tallies VALUES (1, 'done', 1), (1, 'failed', 2), (1, 'pages', 1)",
        "INSERT INTO targets (job_id, host_id, key, url, state, priority, depth, reason)"
        " VALUES (1, 1, '\\x01', '/1', 'done', 5, 1, 'read'),"
        " (1, 1, '\\x02', '/2', 'failed', 5, 1, 'read_timeout: 30 s'),"
        " (1, 2, '\\x01', '/1', 'failed', 5, 1, NULL)",
        "INSERT INTO attempts (target_id, at, outcome) VALUES (1, 40, 'read'), (2, 30, 'failed')",
        "INSERT INTO pages (target_id, job_id, url_hash, status, length, words, links, fetched_at)"
        " VALUES (1, 1, '\\x01', 200, 0, 0, 0, 40)",
    ):
        connection.exec_driver_sql(statement)


def targets(connection: Connection) -> list[tuple[Any, ...]]:
    query = "SELECT id, host_id, url, state FROM targets ORDER BY id"
    return [tuple(row) for row in connection.exec_driver_sql(query)]


async def test_migrating_makes_the_tables_the_code_declares(engine: AsyncEngine) -> None:
    def differences(connection: Connection) -> list[Any]:
        def is_ours(name: str | None, kind: str, _parents: Any) -> bool:
            # The first are partitions; receipts are no business of the ledger's modules.
            return kind != "table" or not (name or "").startswith(("targets_", "receipts"))

        upgrade(connection)
        context = MigrationContext.configure(
            connection, opts={"include_name": is_ours, "compare_type": True}
        )
        return list(compare_metadata(context, schema.metadata))

    assert await run(engine, differences) == []


async def test_every_migration_can_be_taken_back_with_rows_in_the_tables(
    engine: AsyncEngine,
) -> None:
    def up_and_down(connection: Connection) -> None:
        upgrade(connection, "0001")
        fill(connection)
        before, rows = tables(connection), targets(connection)
        upgrade(connection)
        assert targets(connection) == rows
        newest = tables(connection)
        downgrade(connection, "0001")
        assert (tables(connection), targets(connection)) == (before, rows)
        upgrade(connection)
        assert (tables(connection), targets(connection)) == (newest, rows)
        downgrade(connection, "base")
        assert tables(connection) == {}

    await run(engine, up_and_down)


async def test_products_of_several_jobs_become_one_with_the_union_of_their_histories(
    engine: AsyncEngine,
) -> None:
    def up_and_down(connection: Connection) -> None:
        upgrade(connection, "0011")
        products_of_old.fill(connection)
        upgrade(connection)
        products_of_old.check_merged(connection)
        downgrade(connection, "0011")
        products_of_old.check_parted(connection)

    await run(engine, up_and_down)


async def test_what_reasons_told_before_outcomes_were_words_is_told_by_words(
    engine: AsyncEngine,
) -> None:
    def up_and_down(connection: Connection) -> None:
        upgrade(connection, "0008")
        reasons_of_old.fill(connection)
        upgrade(connection)
        reasons_of_old.check_words(connection)
        downgrade(connection, "0008")
        reasons_of_old.check_prose(connection)

    await run(engine, up_and_down)


async def test_an_old_ledger_serves_after_its_upgrade(engine: AsyncEngine, url: str) -> None:
    def old(connection: Connection) -> None:
        upgrade(connection, "0001")
        fill(connection)

    await run(engine, old)
    database = Postgres(url)
    assert await database.upgrade() == ("0001", schema.REVISION)
    letters = SqlDeadLetters(database, SystemClock(), HostPolicies(), LeasePolicy())
    assert {letter.fault for letter in await letters.find(Letters())} == {"read_timeout", "failed"}
    assert await letters.give_back(Letters()) == {"old": 2}
    assert await SqlAuditor(database).audit() == []
    await database.close()


async def test_many_may_bring_one_ledger_up_to_date_at_once(url: str) -> None:
    """As the machines of a fleet do that are started together."""
    fleet = [Postgres(f"{url}_anew") for _ in range(4)]
    connection = await asyncpg.connect(url)
    await connection.execute(f"DROP DATABASE IF EXISTS {url.rpartition('/')[2]}_anew")
    try:
        found = await asyncio.gather(*(each.upgrade() for each in fleet))
        assert sorted(found, key=str) == [(schema.REVISION, schema.REVISION)] * 3 + [
            (None, schema.REVISION)
        ]
    finally:
        for each in fleet:
            await each.close()
        await connection.execute(f"DROP DATABASE IF EXISTS {url.rpartition('/')[2]}_anew")
        await connection.close()


async def test_ids_have_room_for_more_than_two_thousand_million(engine: AsyncEngine) -> None:
    def grow(connection: Connection) -> list[tuple[Any, ...]]:
        upgrade(connection)
        connection.exec_driver_sql("SELECT setval('targets_id_seq', 3000000000)")
        connection.exec_driver_sql(
            "INSERT INTO targets (job_id, host_id, key, url, state, priority, depth)"
            " VALUES (1, 5000000000, '\\x01', '/1', 'done', 5, 1)"
        )
        return targets(connection)

    assert await run(engine, grow) == [(3000000001, 5000000000, "/1", "done")]
