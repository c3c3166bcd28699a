"""How do transactions reach PostgreSQL? Pooled connections, and a second try for what failed.

The work is the same plain function of a `Connection` that SQLite runs; it runs in a greenlet, so
the event loop goes on while the server works. Others write at the same time: what must not change
between reading and writing is locked by `locks`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.clock import SteeredClock, SystemClock
from tenax.adapters.sql import schema
from tenax.adapters.sql.troubles import Trouble, explain, place_of, trouble
from tenax.crawl.outage import Away, OutagePolicy, Patience
from tenax.ports import Clock, LedgerFacts, Unavailable

if TYPE_CHECKING:
    import asyncpg
    from sqlalchemy.ext.asyncio import AsyncEngine

T = TypeVar("T")

WRITERS = 4
READERS = 2
_STATEMENTS = 500
"""Statements kept prepared per connection: there are about a hundred and fifty."""
_ANSWER = 30.0
"""Seconds after which a statement that writes counts as lost with its connection."""
_COLLISIONS = 8
"""How often two transactions that got in each other's way may do so again."""
_LEAVE = 5.0
"""Seconds that work under way has when the ledger is closed."""

# All statements name what they look for: a plan made while a table was empty is still right when
# it has grown, and nothing is planned anew for every batch.
_OURS = {
    "application_name": "tenax",
    "jit": "off",
    "plan_cache_mode": "force_generic_plan",
    "enable_seqscan": "off",
}
_THEIRS = {"application_name": "tenax", "jit": "off", "plan_cache_mode": "force_generic_plan"}
_NOW = sa.text(
    "SELECT CAST(pg_current_xact_id_if_assigned() AS text),"
    " CAST(extract(epoch FROM clock_timestamp()) AS double precision)"
)
_SIZE = sa.text(
    "SELECT pg_database_size(current_database()),"
    " CAST(extract(epoch FROM clock_timestamp()) AS double precision)"
)
_STATUS = sa.text("SELECT pg_xact_status(CAST(CAST(:id AS text) AS xid8))")


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
        waits = waits or SystemClock()
        self._patience = Patience(f"the database {self.place}", policy, waits)
        self._at_once = Patience("", replace(policy, patience=policy.limit), waits)
        self._writers = self._engine(WRITERS, _OURS, _ANSWER, "READ COMMITTED")
        # What is read in several statements has to fit together: totals and what they count, say.
        self._readers = self._engine(READERS, _THEIRS, None, "REPEATABLE READ")
        self._under_way: set[asyncio.Future[Any]] = set()
        self._dice = Random()

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

    async def check(self) -> None:
        """Raise what is wrong with the ledger, soon; ask for the time."""
        found = await self._insist(self._at_once, self._writers, _revision, writes=True)
        if found != schema.REVISION:
            raise Unavailable(_outdated(found, self.place))

    async def facts(self) -> LedgerFacts:
        """What a look tells, whatever is wrong."""
        facts = LedgerFacts(
            self.place, exists=False, known_revision=schema.REVISION, on_server=True
        )

        def look(connection: Connection) -> LedgerFacts:
            size, now = connection.execute(_SIZE).one()
            found = _revision(connection)
            return replace(facts, exists=True, revision=found, size=size, changed_at=now)

        try:
            return await self._insist(self._at_once, self._readers, look, writes=False)
        except Unavailable as error:
            return replace(facts, error=str(error))

    async def upgrade(self) -> tuple[str | None, str]:
        """Bring the tables up to date, making them where there are none; from what to what."""
        await self._create()
        return await self._insist(self._at_once, self._writers, _upgrade, writes=True)

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Run `work` in one transaction; it is committed once or it never happened."""
        return await self._insist(self._patience, self._writers, work, writes=True)

    async def read(self, work: Callable[[Connection], T]) -> T:
        return await self._insist(self._patience, self._readers, work, writes=False)

    async def close(self) -> None:
        if self._under_way:
            await asyncio.wait(self._under_way, timeout=_LEAVE)
        for task in self._under_way:
            task.cancel()
        await self._readers.dispose()
        await self._writers.dispose()

    async def _insist(
        self,
        patience: Patience,
        engine: AsyncEngine,
        work: Callable[[Connection], T],
        *,
        writes: bool,
    ) -> T:
        doubt: _Doubt | None = None

        async def attempt() -> T:
            nonlocal doubt
            try:
                if doubt is not None and await self._is_committed(doubt):
                    result: T = doubt.result
                    return result
                doubt = None
                return await self._untangled(engine, work, writes)
            except _Doubt as lost:
                doubt = lost
                raise Away(explain(lost.cause, self.place)) from lost.cause
            except Unavailable:
                raise
            except Exception as error:
                self._judge(error)
                raise

        # Whoever asked may be cancelled: the transaction is not, or a connection would be lost
        # and nobody would know whether it was committed.
        task = asyncio.ensure_future(patience.insist(attempt))
        self._under_way.add(task)
        task.add_done_callback(self._done)
        return await asyncio.shield(task)

    def _done(self, task: asyncio.Future[Any]) -> None:
        self._under_way.discard(task)
        if not task.cancelled():
            task.exception()  # heard, even where the one who asked is gone

    async def _untangled(
        self, engine: AsyncEngine, work: Callable[[Connection], T], writes: bool
    ) -> T:
        """Again where two transactions waited for each other, or both wrote the same row."""
        for left in reversed(range(_COLLISIONS)):
            try:
                return await self._run(engine, work, writes)
            except sa.exc.DBAPIError as error:
                if trouble(error) is not Trouble.COLLISION or not left:
                    raise
            await asyncio.sleep(self._dice.uniform(0.0, 0.05))
        raise AssertionError("unreachable: the last try returns or raises")

    async def _run(self, engine: AsyncEngine, work: Callable[[Connection], T], writes: bool) -> T:
        async with engine.connect() as connection:
            result = await connection.run_sync(work)
            if not writes:
                return result
            steady = (self._clock or _NO_CLOCK).steady
            asked = steady()
            id, shown = (await connection.execute(_NOW)).one()
            if self._clock is not None:
                self._clock.heed(shown, asked, steady())
            try:
                await connection.commit()
            except Exception as error:
                if id is None or trouble(error) is not Trouble.AWAY:
                    raise
                raise _Doubt(id, result, error) from error
            return result

    async def _is_committed(self, doubt: _Doubt) -> bool:
        """What became of a transaction whose end nobody heard of."""

        async def ask() -> Any:
            async with self._writers.connect() as connection:
                return (await connection.execute(_STATUS, {"id": doubt.id})).scalar()

        try:
            status = await ask()
        except sa.exc.DBAPIError as error:
            if trouble(error) is Trouble.AWAY:
                raise
            return False  # a server that has never heard of it: another one, made from a backup
        if status == "in progress":
            raise Away(f"{self.place}: the server has not noticed yet that a connection was lost.")
        return bool(status == "committed")

    def _judge(self, error: Exception) -> None:
        """Raise what an error means to a user; return when it means a bug."""
        match trouble(error):
            case Trouble.AWAY:
                raise Away(explain(error, self.place)) from error
            case Trouble.NONE:
                return
            case _:
                raise Unavailable(explain(error, self.place)) from error

    async def _create(self) -> None:
        """Make the database where the server has none of this name and lets us make it."""
        import asyncpg

        try:
            connection = await self._connect(_THEIRS, None)
        except asyncpg.InvalidCatalogNameError as error:
            name = place_of(self._url).rpartition("/")[2]
            try:
                connection = await self._connect(_THEIRS, None, database="postgres")
                quoted = name.replace('"', '""')
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

        def connect() -> Awaitable[asyncpg.Connection]:
            return self._connect(server_settings, answer)

        return create_async_engine(
            f"postgresql+asyncpg://?prepared_statement_cache_size={_STATEMENTS}",
            async_creator=connect,
            pool_size=size,
            max_overflow=0,
            pool_timeout=3_600,
            isolation_level=isolation,
        )

    async def _connect(
        self, server_settings: dict[str, str], answer: float | None, **more: Any
    ) -> asyncpg.Connection:
        import asyncpg

        return await asyncpg.connect(
            self._url,
            timeout=5.0,
            command_timeout=answer,
            server_settings=server_settings,
            statement_cache_size=_STATEMENTS,
            **more,
        )


class _Doubt(Exception):
    """The connection was lost while a transaction was being committed: it was, or it was not."""

    def __init__(self, id: str, result: Any, cause: Exception) -> None:
        super().__init__(id)
        self.id = id
        self.result = result
        self.cause = cause


_NO_CLOCK = SteeredClock()


def _revision(connection: Connection) -> str | None:
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    found = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
    return str(found) if found is not None else None


def _upgrade(connection: Connection) -> tuple[str | None, str]:
    from tenax.adapters.sql.migrate import known_revisions, upgrade

    # Several machines may be told at once; the first does it, the others find it done.
    connection.exec_driver_sql("SELECT pg_advisory_xact_lock(7365746578)")
    before = _revision(connection)
    if before is not None and before not in known_revisions():
        raise Unavailable(_outdated(before, "This database"))
    if before != schema.REVISION:
        upgrade(connection)
    return before, schema.REVISION


def _outdated(found: str | None, place: str) -> str:
    if found is None:
        return f"{place}: no ledger here yet. Run `tenax db upgrade` once to make its tables."
    if found < schema.REVISION:
        return (
            f"{place}: the tables are those of an older Tenax (schema {found}, this one needs"
            f" {schema.REVISION}). Stop the workers and run `tenax db upgrade`."
        )
    return (
        f"{place}: this ledger was written by a newer Tenax (schema {found}, this one knows"
        f" {schema.REVISION}). Upgrade Tenax, or name another database."
    )
