"""Transactions on PostgreSQL: a connection pool, retries after deadlock or outage, and a receipt in
each that tells whether a commit whose answer was lost was made.

The work is the same plain function of a `Connection` that SQLite runs; it runs in a greenlet, so
the event loop goes on while the server works. Others write at the same time: what must not change
between reading and writing is locked by `locks`.
"""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import TYPE_CHECKING, Any, TypeVar

import sqlalchemy as sa
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy.engine import Connection

from tenax.adapters.local.clock import SteeredClock, SystemClock
from tenax.adapters.sql.engine.calls import Calls
from tenax.adapters.sql.engine.connecting import STATEMENTS, connect, is_there
from tenax.adapters.sql.engine.postgres_errors import PostgresTrouble, explain, place_of, trouble
from tenax.adapters.sql.schema import tables
from tenax.adapters.sql.schema.version_check import outdated, revision_of, upgrade_tables
from tenax.crawl.outages.outage import Away, OutagePatience, OutagePolicy
from tenax.ports import Clock, LedgerFacts, Unavailable
from tenax.ports.retry import Backoff, retry

if TYPE_CHECKING:
    import asyncpg
    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

T = TypeVar("T")

WRITERS = 4
READERS = 2
_ANSWER = 30.0
"""Seconds after which a statement that writes counts as lost with its connection."""
_COLLISIONS = Backoff(0.025, factor=1.0, jitter=1.0, tries=8)
"""How often two transactions that got in each other's way may do so, and by how much they part."""
_KEPT = 7 * 86_400.0
"""Seconds after which what a process that was killed has signed is thrown away."""
_POOL_LOG = "sqlalchemy.pool.impl.AsyncAdaptedQueuePool"
_LEAVE = 5.0
"""Seconds that work under way has when the ledger is closed."""
_GOODBYE = 1.5
"""Seconds to say that we go: a server that hangs is left without."""

# All statements name what they look for: a plan made while a table was empty is still right when
# it has grown, and nothing is planned anew for every batch.
_OURS = {
    # A server that lost us must not keep what we had locked for as long as TCP would let it.
    "idle_in_transaction_session_timeout": "60000",
    "tcp_keepalives_idle": "30",
    "tcp_keepalives_interval": "10",
    "tcp_keepalives_count": "3",
    "application_name": "tenax",
    "jit": "off",
    "plan_cache_mode": "force_generic_plan",
    "enable_seqscan": "off",
}
_THEIRS = {"application_name": "tenax", "jit": "off", "plan_cache_mode": "force_generic_plan"}
_TIME = "CAST(extract(epoch FROM clock_timestamp()) AS double precision)"
# Only of what has written something: whoever looked in vain need not wait for the disk.
_SIGN = sa.text(
    "WITH signed AS (UPDATE receipts SET number = :number, at = :at WHERE name = :name"
    " AND pg_current_xact_id_if_assigned() IS NOT NULL RETURNING 1)"
    f" SELECT EXISTS (SELECT FROM signed), {_TIME}"
)
_BEGIN_SIGNING = sa.text("INSERT INTO receipts (name, number, at) VALUES (:name, 0, :at)")
# Waits for a transaction that has signed and is not over yet.
_SIGNED = sa.text("SELECT number FROM receipts WHERE name = :name FOR UPDATE")
_END_SIGNING = sa.text("DELETE FROM receipts WHERE name = ANY(:names) OR at < :long_ago")
# Of several who bring the tables up to date, one does; any number that nobody else uses will do.
_ALONE = "SELECT pg_advisory_xact_lock(8316287034598203)"
_SIZE = sa.text(
    f"SELECT pg_database_size(current_database()), {_TIME}, current_setting('server_version')"
)


class Postgres:
    """An open ledger on a server. Writes of this process and of others go on side by side."""

    def __init__(
        self,
        url: str,
        *,
        outage: OutagePolicy | None = None,
        clock: SteeredClock | None = None,
        waits: Clock | None = None,
    ) -> None:
        self.place = place_of(url)
        self._url = url
        self._clock = clock
        policy = outage or OutagePolicy()
        waits = self._waits = waits or SystemClock()
        self._patience = OutagePatience(f"the database {self.place}", policy, waits)
        self._at_once = OutagePatience("", replace(policy, patience=policy.limit), waits)
        self._calls = Calls(self.place, self._patience, policy, lambda: is_there(url), waits)
        self._writers = self._engine(WRITERS, _OURS, _ANSWER, "READ COMMITTED")
        # What is read in several statements has to fit together: totals and what they count, say.
        self._readers = self._engine(READERS, _THEIRS, None, "REPEATABLE READ")
        self._dice = Random()
        self._receipts: list[_Receipt] = []
        """Not in use at the moment."""
        self._named: list[str] = []
        """All there are of this process."""

    @classmethod
    async def open(
        cls,
        url: str,
        *,
        outage: OutagePolicy | None = None,
        clock: SteeredClock | None = None,
    ) -> Postgres:
        """Open a ledger that is up to date; `upgrade` makes one so. The server's time is heeded."""
        database = cls(url, outage=outage, clock=clock)
        try:
            await database.check()
        except BaseException:
            await database.close()
            raise
        return database

    @property
    def trouble(self) -> str:
        """Why the server counts as away; empty while it answers."""
        return self._patience.trouble

    def hasten(self, seconds: float) -> None:
        self._patience.hasten(seconds)
        self._calls.hasten(seconds)

    async def check(self) -> None:
        """Raise what is wrong with the ledger, soon; ask for the time."""
        found = await self._insist(self._at_once, self._readers, revision_of, writes=False)
        if found != tables.REVISION:
            raise Unavailable(outdated(found, self.place))
        await self._insist(self._at_once, self._writers, lambda _: None, writes=True)

    async def facts(self) -> LedgerFacts:
        """What a look tells, whatever is wrong."""
        facts = LedgerFacts(
            self.place, exists=False, known_revision=tables.REVISION, on_server=True
        )

        def look(connection: Connection) -> LedgerFacts:
            size, now, version = connection.execute(_SIZE).one()
            told = replace(facts, exists=True, size=size, changed_at=now, version=version)
            return replace(told, revision=revision_of(connection))

        try:
            return await self._insist(self._at_once, self._readers, look, writes=False)
        except Unavailable as error:
            return replace(facts, error=str(error))

    async def upgrade(self) -> tuple[str | None, str]:
        """Bring the tables up to date, making them where there are none; from what to what."""
        return await self.remake(upgrade_tables)

    async def remake(self, work: Callable[[Connection], T]) -> T:
        """Change the tables themselves, in one transaction that may take long; one at a time."""
        await self._create()

        async def attempt() -> T:
            try:
                # Not as a writer: to copy a table of many rows takes as long as it takes.
                async with self._readers.connect() as connection:
                    # Who has waited for the lock has to see what the other did meanwhile.
                    await connection.execution_options(isolation_level="READ COMMITTED")
                    async with connection.begin():
                        await connection.exec_driver_sql(_ALONE)
                        return await connection.run_sync(work)
            except Unavailable:
                raise
            except Exception as error:
                self._judge(error)
                raise

        return await self._at_once.insist(attempt)

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Run `work` in one transaction; it is committed once or it never happened."""
        return await self._insist(self._patience, self._writers, work, writes=True)

    async def read(self, work: Callable[[Connection], T]) -> T:
        return await self._insist(self._patience, self._readers, work, writes=False)

    async def close(self) -> None:
        await self._calls.end(_LEAVE)
        engines = (self._readers, self._writers)
        if not self.trouble and not self._calls.abandoned:
            with suppress(Exception):  # others clear away what we have signed, in time
                async with asyncio.timeout(_GOODBYE):
                    if self._named:
                        await self._end_signing()
                    for engine in engines:
                        await engine.dispose()
        for engine in engines:
            engine.sync_engine.dispose(close=False)
        self._calls.hang_up()

    async def _insist(
        self,
        patience: OutagePatience,
        engine: AsyncEngine,
        work: Callable[[Connection], T],
        *,
        writes: bool,
    ) -> T:
        doubt: _Doubt | None = None
        receipt = self._receipts.pop() if writes and self._receipts else None

        async def attempt() -> T:
            nonlocal doubt, receipt
            try:
                if writes and receipt is None:
                    receipt = await self._begin_signing()
                if doubt is not None and await self._is_committed(doubt):
                    result: T = doubt.result
                    return result
                doubt = None
                return await self._untangled(engine, work, receipt)
            except _Doubt as lost:
                doubt = lost
                raise Away(explain(lost.cause, self.place)) from lost.cause
            except Unavailable:
                raise
            except Exception as error:
                self._judge(error)
                raise

        async def insist() -> T:
            result = await patience.insist(attempt)
            if receipt is not None:
                self._receipts.append(receipt)
            return result

        return await self._calls.make(insist())

    async def _untangled(
        self, engine: AsyncEngine, work: Callable[[Connection], T], receipt: _Receipt | None
    ) -> T:
        """Again where two transactions waited for each other, or both wrote the same row."""
        return await retry(
            lambda: self._run(engine, work, receipt),
            _COLLISIONS,
            self._waits,
            is_worth=lambda error: trouble(error) is PostgresTrouble.COLLISION,
            rng=self._dice,
        )

    async def _run(
        self, engine: AsyncEngine, work: Callable[[Connection], T], receipt: _Receipt | None
    ) -> T:
        async with engine.connect() as connection:
            try:
                result = await connection.run_sync(work)
                if receipt is None:
                    return result
                is_signed = await self._sign(connection, receipt)
            except Exception as error:
                # Most statements pass by SQLAlchemy, which would else lend a dead one again.
                if trouble(error) is PostgresTrouble.AWAY:
                    await connection.invalidate(error)
                raise
            try:
                await connection.commit()
            except Exception as error:
                if not is_signed or trouble(error) is not PostgresTrouble.AWAY:
                    raise
                await connection.invalidate(error)
                raise _Doubt(replace(receipt), result, error) from error
            return result

    async def _begin_signing(self) -> _Receipt:
        receipt = _Receipt(uuid.uuid4().hex)
        async with self._writers.begin() as connection:
            await connection.execute(_BEGIN_SIGNING, {"name": receipt.name, "at": time.time()})
        self._named.append(receipt.name)
        return receipt

    async def _end_signing(self) -> None:
        values = {"names": self._named, "long_ago": time.time() - _KEPT}
        async with self._writers.begin() as connection:
            await connection.execute(_END_SIGNING, values)

    async def _sign(self, connection: AsyncConnection, receipt: _Receipt) -> bool:
        """Whether the transaction has written anything; by the way the server tells its time."""
        receipt.number += 1
        asked = _steady()
        values = {"name": receipt.name, "number": receipt.number, "at": time.time()}
        is_signed, shown = (await connection.execute(_SIGN, values)).one()
        if self._clock is not None:
            self._clock.heed(shown, asked, _steady())
        return bool(is_signed)

    async def _is_committed(self, doubt: _Doubt) -> bool:
        """What became of a transaction whose end nobody heard of."""
        async with self._writers.begin() as connection:
            await connection.exec_driver_sql("SET LOCAL lock_timeout = '3s'")
            found = await connection.execute(_SIGNED, {"name": doubt.receipt.name})
            return bool(found.scalar() == doubt.receipt.number)

    def _judge(self, error: Exception) -> None:
        """Raise what an error means to a user; return when it means a bug."""
        match trouble(error):
            case PostgresTrouble.AWAY:
                raise Away(explain(error, self.place)) from error
            case PostgresTrouble.NONE:
                return
            case _:
                raise Unavailable(explain(error, self.place)) from error

    async def _create(self) -> None:
        """Make the database where the server has none of this name and lets us make it."""
        import asyncpg

        try:
            connection = await connect(self._url, _THEIRS, None)
        except asyncpg.InvalidCatalogNameError as error:
            name = place_of(self._url).rpartition("/")[2]
            try:
                connection = await connect(self._url, _THEIRS, None, database="postgres")
                quoted = name.replace('"', '""')
                with suppress(asyncpg.DuplicateDatabaseError, asyncpg.UniqueViolationError):
                    await connection.execute(f'CREATE DATABASE "{quoted}"')
            except asyncpg.PostgresError:
                raise Unavailable(explain(error, self.place)) from error
        except (OSError, asyncpg.PostgresError) as error:
            raise Unavailable(explain(error, self.place)) from error
        await connection.close()

    def _engine(
        self, size: int, server_settings: dict[str, str], answer: float | None, isolation: Any
    ) -> AsyncEngine:
        from sqlalchemy.ext.asyncio import create_async_engine

        async def make() -> asyncpg.Connection:
            made = await connect(self._url, server_settings, answer)
            self._calls.opened(made)
            return made

        made_engine = create_async_engine(
            f"postgresql+asyncpg://?prepared_statement_cache_size={STATEMENTS}",
            async_creator=make,
            pool_logging_name="tenax",
            pool_size=size,
            max_overflow=0,
            pool_timeout=3_600,
            isolation_level=isolation,
        )
        # It prints a traceback for each connection that dies while it is put back. That one is
        # closed and replaced; that the server is away we tell ourselves, once.
        logging.getLogger(f"{_POOL_LOG}.tenax").setLevel(logging.CRITICAL)
        return made_engine


class _Receipt(Struct):
    """A row that each transaction on it leaves its number in."""

    name: str
    number: int = 0


class _Doubt(Exception):
    """The connection was lost while a transaction was being committed: it was, or it was not."""

    def __init__(self, receipt: _Receipt, result: Any, cause: Exception) -> None:
        super().__init__(receipt)
        self.receipt = receipt
        self.result = result
        self.cause = cause


_steady = SteeredClock().steady
