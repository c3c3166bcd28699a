"""What does the ledger promise on a real PostgreSQL that goes away and loses answers?"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
import pytest
import sqlalchemy as sa
from msgspec.structs import replace
from sqlalchemy.engine import Connection

from tenax.adapters.local.clock import SteeredClock
from tenax.adapters.sql.engine.postgres import Postgres
from tenax.adapters.sql.frontier import due
from tenax.adapters.sql.schema.tables import REVISION
from tenax.crawl.outages.outage import OutagePolicy
from tenax.ports import Unavailable
from tests.frozen import frozen
from tests.ledgers import POLITE, Ledger, get_to_know, postgresql, settlements, target
from tests.live import own_service, service
from tests.postgres import empty_database, empty_ledger

SOON = OutagePolicy(first=0.05, longest=0.2, limit=2.0, patience=60.0)
A, B = "https://a.example", "https://b.example"


@pytest.fixture
async def ledger(tmp_path: Path) -> AsyncIterator[Ledger]:
    async with postgresql(tmp_path) as opened:
        yield opened


def add_row(name: str) -> Callable[[Connection], str]:
    """Fails when it is done twice."""

    def work(connection: Connection) -> str:
        connection.execute(
            sa.text("INSERT INTO units (key, next_at) VALUES (:key, 0)"), {"key": name}
        )
        return name

    return work


async def rows(database: Postgres) -> list[str]:
    query = sa.text("SELECT key FROM units ORDER BY key")
    return await database.read(lambda c: list(c.execute(query).scalars()))


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:hu/sh@127.0.0.1:9/x",
        "postgresql://me:hu?sh@127.0.0.1:9/x",
        "postgresql://me:hu#sh@127.0.0.1:9/x",
        "postgresql://me:hush@127.0.0.1:nine/x",
        "postgresql://me:hush@127.0.0.1:9/x?sslmode=perhaps",
        "postgresql://127.0.0.1:9/x?password=hush",
    ],
)
async def test_a_url_that_cannot_be_used_is_told_without_its_secrets(url: str) -> None:
    database = Postgres(url, outage=OutagePolicy(limit=0.2))
    with pytest.raises(Unavailable) as caught:
        await database.check()
    told = str(caught.value)
    assert "127.0.0.1:" in told
    assert "hu" not in told
    facts = await database.facts()
    assert facts.error == told or "does not answer" in told
    await database.close()


async def test_a_server_that_does_not_even_refuse_is_away() -> None:
    """As behind a firewall that drops everything, or on a machine that hangs."""
    accepted = []

    async def hang(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        accepted.append(asyncio.current_task())
        await reader.read()
        writer.close()

    silent = await asyncio.start_server(hang, "127.0.0.1", 0)
    port = silent.sockets[0].getsockname()[1]
    database = Postgres(f"postgresql://me@127.0.0.1:{port}/x", outage=OutagePolicy(limit=0.1))
    with pytest.raises(Unavailable, match="does not answer"):
        await database.check()
    assert accepted
    await database.close()
    silent.close()
    await asyncio.gather(*filter(None, accepted), return_exceptions=True)


async def test_who_is_to_end_leaves_a_server_that_hangs(ledger: Ledger) -> None:
    """It answers nothing and refuses nothing: without a limit nobody would ever end."""
    database = ledger.database
    assert isinstance(database, Postgres)

    def hang(connection: Connection) -> None:
        connection.execute(sa.text("SELECT pg_sleep(200)"))

    asking = asyncio.create_task(database.read(hang))
    await asyncio.sleep(0.3)
    started = time.monotonic()
    database.hasten(-1.5)
    with pytest.raises(Unavailable, match="does not answer"):
        await asking
    with pytest.raises(Unavailable, match="does not answer"):
        await database.read(hang)
    assert time.monotonic() - started < 120.0, "it was waited for"


BRIEF = OutagePolicy(first=0.05, longest=0.2, limit=1.0, patience=10.0)


@pytest.mark.parametrize("writes", [False, True], ids=["read", "write"])
async def test_a_server_that_stands_still_is_away_and_comes_back(
    tmp_path: Path, *, writes: bool
) -> None:
    """OBS-5: nobody waits for ever for an answer that will not come."""
    with own_service("postgres", tmp_path / "server") as server:
        patient = Postgres(server.url, outage=replace(BRIEF, patience=900.0))
        database = Postgres(server.url, outage=BRIEF)
        await patient.upgrade()
        await rows(patient)
        await rows(database)
        with frozen(server):
            ask = database.write(add_row("never")) if writes else rows(database)
            waiting = asyncio.create_task(
                patient.write(add_row("later")) if writes else rows(patient)
            )
            async with asyncio.timeout(120):
                with pytest.raises(Unavailable, match="does not answer"):
                    await ask
            assert not waiting.done()
        assert await waiting == ("later" if writes else [])
        assert set(await rows(patient)) <= {"later", "never"}
        for each in (database, patient):
            await each.close()


async def test_a_server_that_is_long_at_work_is_not_taken_for_one_that_hangs() -> None:
    """However long a read takes, it is asked for once."""
    database = Postgres(await empty_ledger(), outage=replace(BRIEF, limit=2.0))
    asked = []

    def work(connection: Connection) -> str:
        asked.append(1)
        connection.execute(sa.text("SELECT pg_sleep(8)"))
        return "done"

    assert await database.read(work) == "done"
    assert len(asked) == 1
    await database.close()


async def test_who_closes_a_server_that_stands_still_does_not_wait_for_it(tmp_path: Path) -> None:
    with own_service("postgres", tmp_path / "server") as server:
        database = Postgres(server.url)
        await database.upgrade()
        await database.write(add_row("mine"))
        with frozen(server):
            database.hasten(4.0)
            async with asyncio.timeout(100):
                await database.close()


# Going away and coming back


async def test_what_is_written_while_the_server_restarts_is_written_once(tmp_path: Path) -> None:
    with own_service("postgres", tmp_path / "server") as server:
        database = Postgres(server.url, outage=SOON)
        await database.upgrade()
        written: list[str] = []

        async def write(lane: int) -> None:
            for number in range(60):
                written.append(await database.write(add_row(f"{lane}-{number:03}")))
                await asyncio.sleep(0.01)

        writing = [asyncio.create_task(write(lane)) for lane in range(3)]
        await asyncio.sleep(0.2)
        for end in (server.kill, server.stop):
            await asyncio.to_thread(end)
            await asyncio.sleep(0.3)
            await asyncio.to_thread(server.start)
            await asyncio.sleep(0.2)
        await asyncio.gather(*writing)
        assert await rows(database) == sorted(written)
        await database.close()


async def test_a_server_that_stays_away_is_an_error_that_says_where(tmp_path: Path) -> None:
    with own_service("postgres", tmp_path / "server") as server:
        database = Postgres(server.url, outage=OutagePolicy(first=0.05, patience=0.5))
        await database.upgrade()
        await asyncio.to_thread(server.stop)
        with pytest.raises(Unavailable, match=r"127\.0\.0\.1.*does not answer") as told:
            await database.write(add_row("never"))
        assert str(urlsplit(server.url).password) not in str(told.value)
        assert database.trouble
        await asyncio.to_thread(server.start)
        assert await database.write(add_row("later")) == "later"
        assert not database.trouble
        await database.close()


@dataclass
class Line:
    """A connection to the server that can be cut at the worst moment."""

    server: tuple[str, int]
    cut: str = ""
    """`before` or `after` the next COMMIT reaches the server; empty for not at all."""
    cuts: int = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        theirs, ours = await asyncio.open_connection(*self.server)
        answers = asyncio.create_task(self._pass(theirs, writer))
        try:
            while data := await reader.read(65_536):
                cut = self.cut if b"COMMIT" in data else ""
                if cut:
                    self.cut, self.cuts = "", self.cuts + 1
                    answers.cancel()
                    await asyncio.wait([answers])
                if cut == "before":
                    return
                ours.write(data)
                await ours.drain()
                if cut == "after":
                    await theirs.read(1)
                    return
        finally:
            answers.cancel()
            for end in (writer, ours):
                end.close()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while data := await reader.read(65_536):
                writer.write(data)
                await writer.drain()
            writer.close()


@asynccontextmanager
async def on_a_line() -> AsyncIterator[tuple[Postgres, Line]]:
    parts = urlsplit(await empty_ledger())
    assert parts.hostname
    assert parts.port
    line = Line((parts.hostname, parts.port))
    server = await asyncio.start_server(line.serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    netloc = f"{parts.username}:{parts.password}@127.0.0.1:{port}"
    url = parts._replace(netloc=netloc, query="sslmode=disable").geturl()
    database = await Postgres.open(url, outage=SOON)
    try:
        yield database, line
    finally:
        await database.close()
        server.close()


@pytest.mark.parametrize("moment", ["before", "after"])
async def test_a_commit_whose_answer_is_lost_is_neither_doubled_nor_lost(moment: str) -> None:
    async with on_a_line() as (database, line):
        line.cut = moment
        assert await database.write(add_row("once")) == "once"
        assert line.cuts == 1
        assert await rows(database) == ["once"]


async def test_a_visit_whose_commit_was_not_answered_counts_once(tmp_path: Path) -> None:
    """And is not taken for lost, although its lease is gone when it is asked for again."""
    async with on_a_line() as (database, line), postgresql_on(database, tmp_path) as ledger:
        worker, job = await ledger.worker(), await ledger.job()
        await worker.frontier.add(job, [target(f"{A}/")])
        (held,) = await worker.frontier.claim([job])
        line.cut = "after"
        committed = await worker.frontier.commit(settlements(held, stored=True), [held.id])
        assert line.cuts == 1
        assert committed.lost == frozenset()
        assert (await ledger.jobs.counts(job)).pages == 1


@asynccontextmanager
async def postgresql_on(database: Postgres, folder: Path) -> AsyncIterator[Ledger]:
    from tests.ledgers import ledger_on

    async def same() -> Postgres:
        return database

    async with ledger_on(folder, same) as made:
        yield made


# Several at once


async def test_a_claim_passes_over_a_host_that_somebody_is_changing(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job, [target(f"{A}/"), target(f"{B}/")])
    async with locked("SELECT id FROM hosts WHERE name = 'a.example' FOR UPDATE"):
        claimed = await asyncio.wait_for(worker.frontier.inner.claim([job], 10), 120)
        assert [each.host.name for each in claimed] == ["b.example"]
    (other,) = await worker.frontier.claim([job])
    assert other.host.name == "a.example"


async def test_a_turn_taken_back_is_spent_when_the_host_is_ours_not_when_we_asked_for_it(
    ledger: Ledger,
) -> None:
    """While one waits for the host, the other may ask it once more before it dies."""
    first, second, job = await ledger.worker(), await ledger.worker(), await ledger.job()
    await first.frontier.add(job, [target(f"{A}/")])
    await first.frontier.claim([job])
    first.die()
    async with locked("SELECT id FROM hosts FOR UPDATE"):
        reclaiming = asyncio.create_task(second.frontier.reclaim())
        await asyncio.sleep(0.3)
        ledger.clock.time += 10
    await reclaiming
    record = await ledger.hosts.get("a.example")
    assert record is not None
    assert record.host.pace.next_at == ledger.clock.time + POLITE.delay


async def test_work_found_while_a_host_is_given_back_is_not_forgotten(ledger: Ledger) -> None:
    """Neither sees what the other writes; whoever comes second must wait and look again."""
    worker, other, job = await ledger.worker(), await ledger.worker(), await ledger.job()
    await get_to_know(ledger, worker, job, "a.example")
    for number in range(10):
        await worker.frontier.add(job, [target(f"{A}/{number}")])
        ledger.clock.time += 2
        (held,) = await worker.frontier.claim([job])
        await asyncio.gather(
            worker.frontier.inner.commit(settlements(held), [held.id]),
            other.frontier.inner.add(job, [target(f"{A}/{number}/more")]),
        )
        assert await ledger.auditor.audit() == []
        ledger.clock.time += 2
        (again,) = await other.frontier.claim([job])
        await other.frontier.commit(settlements(again), [again.id])


@asynccontextmanager
async def locked(query: str) -> AsyncIterator[None]:
    """Somebody else holds these rows."""
    url = service("postgres").url
    from tests.postgres import own_url

    connection = await asyncpg.connect(own_url(url))
    try:
        async with connection.transaction():
            await connection.execute(query)
            yield
    finally:
        await connection.close()


# What it says


async def test_a_database_without_tables_says_how_to_make_them() -> None:
    url = await empty_database("bare")
    with pytest.raises(Unavailable, match=r"no ledger here yet\. Run `tenax db upgrade`"):
        await Postgres.open(url, outage=SOON)
    database = Postgres(url)
    assert await database.upgrade() == (None, REVISION)
    assert await database.upgrade() == (REVISION, REVISION)
    await database.check()
    await database.close()


async def test_an_older_and_a_newer_ledger_are_told_apart() -> None:
    url = await empty_database("aged")
    database = Postgres(url, outage=SOON)
    await database.upgrade()
    for revision, says in (("0003", "older Tenax.*db upgrade"), ("9999", "newer Tenax")):
        change = f"UPDATE alembic_version SET version_num = '{revision}'"
        await database.write(lambda c, change=change: c.exec_driver_sql(change))  # type: ignore[misc]
        with pytest.raises(Unavailable, match=says):
            await database.check()
    await database.close()


async def test_a_missing_database_is_made_by_the_upgrade() -> None:
    url = await empty_database("gone")
    name = urlsplit(url).path[1:]
    connection = await asyncpg.connect(service("postgres").url)
    await connection.execute(f"DROP DATABASE {name}")
    await connection.close()
    with pytest.raises(Unavailable, match="there is no such database"):
        await Postgres.open(url, outage=SOON)
    database = Postgres(url, outage=SOON)
    assert await database.upgrade() == (None, REVISION)
    await database.close()


async def test_a_wrong_password_is_told_without_it() -> None:
    parts = urlsplit(service("postgres").url)
    wrong = parts._replace(netloc=f"tenax:not-this-one@127.0.0.1:{parts.port}").geturl()
    with pytest.raises(Unavailable, match="does not let us in") as told:
        await Postgres.open(wrong, outage=SOON)
    assert "not-this-one" not in str(told.value)


async def test_text_that_a_database_cannot_store_does_not_hold_up_a_commit(
    ledger: Ledger,
) -> None:
    """The web brings NUL characters; SQLite stores them, PostgreSQL does not."""
    worker, job = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job, [target(f"{A}/")])
    (held,) = await worker.frontier.claim([job])
    (done,) = settlements(held, stored=True)
    assert done.page is not None
    done = replace(done, page=replace(done.page, title="a\0b"))
    await worker.frontier.commit([done], [held.id])
    (stored,) = await ledger.pages.find()
    assert stored.title == "a\N{REPLACEMENT CHARACTER}b"


# How


async def test_targets_are_in_partitions_and_a_claim_looks_into_one(ledger: Ledger) -> None:
    (count,) = await ledger.sql(
        "SELECT count(*) FROM pg_inherits WHERE inhparent = 'targets'::regclass"
    )
    assert count == (16,)

    def plan(connection: Connection) -> str:
        made = due._next.compile(connection)
        values = {"host": "1", "job": "1", "now": "5", "most": "8"}
        text = made.string
        for place, name in enumerate(made.positiontup or [], 1):
            text = text.replace(f"${place}::", f"{values[name]}::")
        return "\n".join(row[0] for row in connection.exec_driver_sql(f"EXPLAIN {text}"))

    database = ledger.database
    steps = await database.write(plan)
    assert "Seq Scan" not in steps
    assert steps.count("targets_") <= 3, steps


async def test_the_servers_time_is_the_time() -> None:
    clock = SteeredClock(wall=lambda: 5.0)
    database = await Postgres.open(await empty_ledger(), outage=SOON, clock=clock)
    before = clock.now()
    shown = await database.read(
        lambda c: c.exec_driver_sql("SELECT extract(epoch FROM clock_timestamp())").scalar_one()
    )
    # It is known as exactly as the answers come quickly.
    assert before - 60.0 <= float(shown) <= clock.now() + 60.0
    await database.close()
