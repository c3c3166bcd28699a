"""Does every ledger end up with today's tables, however old it is? (STORE-1)"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from tenax.adapters.local.clock import SystemClock
from tenax.adapters.sql.engine.sqlite import Database
from tenax.adapters.sql.frontier.frontier import SqlFrontier
from tenax.adapters.sql.records.dead_letters import SqlDeadLetters
from tenax.adapters.sql.records.jobs import SqlJobs
from tenax.adapters.sql.records.pages import SqlPages
from tenax.adapters.sql.records.workers import Membership
from tenax.adapters.sql.reports.audit import SqlAuditor
from tenax.adapters.sql.schema import tables
from tenax.adapters.sql.schema.migrate import downgrade, head, known_revisions, upgrade
from tenax.crawl.policy import LeasePolicy
from tenax.hosts.conduct import HostPolicies
from tenax.model import JobSpec
from tenax.ports import Letters, Unavailable
from tests import products_of_old, reasons_of_old
from tests.compiled import empty_ledger, tables_made_anew


@pytest.fixture(autouse=True)
def anew() -> Iterator[None]:
    with tables_made_anew():
        yield


def engine(path: Path) -> sa.Engine:
    return sa.create_engine(f"sqlite:///{path}", poolclass=sa.pool.NullPool)


def shape(connection: sa.Connection) -> dict[str, tuple[object, ...]]:
    """Tables, columns and indexes, without the order and spelling SQL text has."""
    inspector = sa.inspect(connection)
    described: dict[str, tuple[object, ...]] = {}
    for table in sorted(set(inspector.get_table_names()) - {"alembic_version"}):
        columns = sorted(
            (c["name"], str(c["type"]), c["nullable"], str(c["default"] or ""))
            for c in inspector.get_columns(table)
        )
        indexes = sorted(
            (
                str(i["name"]),
                str(i["column_names"]),
                bool(i["unique"]),
                _texts(i["dialect_options"]),
            )
            for i in inspector.get_indexes(table)
        )
        unique = sorted(str(c["column_names"]) for c in inspector.get_unique_constraints(table))
        text = connection.exec_driver_sql(
            "SELECT sql FROM sqlite_master WHERE name = ?", (table,)
        ).scalar_one()
        key = inspector.get_pk_constraint(table)["constrained_columns"]
        options = ("AUTOINCREMENT" in text, "WITHOUT ROWID" in text)
        described[table] = (columns, indexes, unique, key, options)
    return described


def _texts(options: dict[str, object]) -> str:
    return str(sorted((name, str(value)) for name, value in options.items()))


def test_the_code_and_the_migrations_agree_on_the_newest_revision() -> None:
    assert head() == tables.REVISION
    assert tables.REVISION in known_revisions()


def test_migrating_from_nothing_makes_the_tables_the_code_declares(tmp_path: Path) -> None:
    with engine(tmp_path / "migrated.db").begin() as migrated:
        upgrade(migrated)
        by_migration = shape(migrated)
        assert compare_metadata(MigrationContext.configure(migrated), tables.metadata) == []
    with engine(tmp_path / "created.db").begin() as created:
        tables.metadata.create_all(created)
        assert shape(created) == by_migration


def test_every_migration_can_be_taken_back(tmp_path: Path) -> None:
    with engine(tmp_path / "ledger.db").begin() as connection:
        upgrade(connection)
        downgrade(connection, "base")
        assert shape(connection) == {}
        upgrade(connection)
        assert shape(connection)


async def test_a_ledger_made_by_migrations_serves_and_keeps_its_rows(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with engine(path).begin() as connection:
        upgrade(connection, "0001")
        connection.execute(
            sa.text("INSERT INTO jobs (name, state, spec, created_at)"
                    " VALUES ('old', 'running', '{}', 1)")
        )  # fmt: skip
    database = await Database.open(path)
    job = await SqlJobs(database, SystemClock()).get("old")
    await database.close()
    assert job is not None
    assert job.spec == JobSpec()


async def test_what_had_failed_before_there_were_dead_letters_gets_one(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with engine(path).begin() as connection:
        upgrade(connection, "0001")
        _fill_of_old(connection)
    database = await Database.open(path)
    letters = SqlDeadLetters(database, SystemClock(), HostPolicies(), LeasePolicy())
    found = await letters.find(Letters())
    findings = await SqlAuditor(database).audit()
    await database.close()
    told = [(x.url, x.at, x.fault, x.reason, x.attempts) for x in found]
    assert told == [
        ("https://a.example/2", 30.0, "read_timeout", "read_timeout: 30 s", 2),
        ("https://a.example/4", 7.0, "failed", "", 0),
        ("https://a.example/3", 7.0, "failed", "readXtimeout: no fault", 0),
    ]
    assert findings == []


async def test_pages_from_before_they_could_be_checked_have_not_been(tmp_path: Path) -> None:
    """FE-4: they are visited again like any other."""
    path = tmp_path / "ledger.db"
    with engine(path).begin() as connection:
        upgrade(connection, "0001")
        _fill_of_old(connection)
        connection.exec_driver_sql(
            "INSERT INTO pages (target_id, job_id, url_hash, status, length, words, links,"
            " fetched_at, etag) VALUES (1, 1, x'01', 200, 0, 0, 0, 40, '\"v1\"')"
        )
        connection.exec_driver_sql("INSERT INTO tallies VALUES (1, 'pages', 1)")
    database = await Database.open(path)
    page = await SqlPages(database).page(1)
    membership = Membership(database, SystemClock(), tmp_path / "workers")
    frontier = SqlFrontier(database, SystemClock(), HostPolicies(), LeasePolicy(), membership)
    again = await frontier.revisit(1, 0.0)
    findings = await SqlAuditor(database).audit()
    await database.close()
    assert page is not None
    assert (page.fetched_at, page.checked_at, page.stale) == (40.0, None, "")
    assert (again, findings) == (1, [])


def test_without_dead_letters_the_failed_are_still_there(tmp_path: Path) -> None:
    with engine(tmp_path / "ledger.db").begin() as connection:
        upgrade(connection, "0001")
        _fill_of_old(connection)
        before = shape(connection)
        upgrade(connection)
        downgrade(connection, "0001")
        assert shape(connection) == before
        left = connection.exec_driver_sql("SELECT count(*) FROM targets WHERE state = 'failed'")
        assert left.scalar() == 3


def test_products_of_several_jobs_become_one_with_the_union_of_their_histories(
    tmp_path: Path,
) -> None:
    with engine(tmp_path / "ledger.db").begin() as connection:
        upgrade(connection, "0011")
        products_of_old.fill(connection)
        upgrade(connection)
        products_of_old.check_merged(connection)
        downgrade(connection, "0011")
        products_of_old.check_parted(connection)


def test_what_reasons_told_before_outcomes_were_words_is_told_by_words(tmp_path: Path) -> None:
    with engine(tmp_path / "ledger.db").begin() as connection:
        upgrade(connection, "0008")
        reasons_of_old.fill(connection)
        upgrade(connection)
        reasons_of_old.check_words(connection)
        downgrade(connection, "0008")
        reasons_of_old.check_prose(connection)


def _fill_of_old(connection: sa.Connection) -> None:
    """A ledger of the first revision: one page, three targets given up."""
    for statement in (
        "INSERT INTO jobs (id, name, state, spec, created_at) VALUES (1, 'old', 'done', '{}', 7)",
        "INSERT INTO hosts (id, name, origin) VALUES (1, 'a.example', 'https://a.example')",
        "INSERT INTO lanes (host_id, job_id, known) VALUES (1, 1, 4)",
        "INSERT INTO tallies VALUES (1, 'done', 1), (1, 'failed', 3)",
        "INSERT INTO targets (id, job_id, host_id, key, url, state, priority, depth, reason)"
        " VALUES (1, 1, 1, x'01', '/1', 'done', 5, 1, 'read'),"
        " (2, 1, 1, x'02', '/2', 'failed', 5, 1, 'read_timeout: 30 s'),"
        " (3, 1, 1, x'03', '/3', 'failed', 5, 1, 'readXtimeout: no fault'),"
        " (4, 1, 1, x'04', '/4', 'failed', 5, 1, NULL)",
        "INSERT INTO attempts (target_id, at, outcome)"
        " VALUES (1, 40, 'read'), (2, 10, 'failed'), (2, 20, 'throttled'), (2, 30, 'failed')",
    ):
        connection.exec_driver_sql(statement)


async def test_opening_a_ledger_twice_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    await (await Database.open(path)).close()
    with engine(path).connect() as connection:
        before = shape(connection)
    await (await Database.open(path)).close()
    with engine(path).connect() as connection:
        assert shape(connection) == before


async def test_the_copy_that_other_tests_begin_with_is_like_one_made_anew(tmp_path: Path) -> None:
    made, copied = tmp_path / "made.db", tmp_path / "copied.db"
    await (await Database.open(made)).close()
    copied.write_bytes(empty_ledger())
    with engine(made).connect() as one, engine(copied).connect() as other:
        assert shape(one) == shape(other)
        rows = "SELECT version_num FROM alembic_version"
        assert one.exec_driver_sql(rows).all() == other.exec_driver_sql(rows).all()


async def test_a_ledger_of_a_newer_tenax_is_refused_with_advice(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    await (await Database.open(path)).close()
    with engine(path).begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(Unavailable, match=r"newer Tenax \(schema 9999.*Upgrade Tenax"):
        await Database.open(path)


async def test_a_file_that_is_no_ledger_is_refused_with_advice(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    path.write_bytes(b"this is a letter, not a database" * 100)
    with pytest.raises(Unavailable, match="not a Tenax ledger"):
        await Database.open(path)


async def test_a_missing_ledger_is_not_made_by_looking(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with pytest.raises(Unavailable, match="no ledger here"):
        await Database.open(path, create=False)
    assert not path.exists()


async def test_a_failed_transaction_leaves_the_connection_usable(tmp_path: Path) -> None:
    database = await Database.open(tmp_path / "ledger.db")
    with pytest.raises(Unavailable):
        await database.write(lambda c: c.exec_driver_sql("INSERT INTO nowhere VALUES (1)"))
    with pytest.raises(ZeroDivisionError):
        await database.write(lambda c: 1 // 0)
    assert await database.write(lambda c: c.exec_driver_sql("SELECT 7").scalar()) == 7
    await database.close()
