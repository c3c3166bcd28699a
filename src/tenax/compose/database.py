"""Which database is the ledger in? A SQLite file, or a PostgreSQL that many machines share."""

from __future__ import annotations

from contextlib import AsyncExitStack
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from tenax.compose.places import is_shared, ledger_path
from tenax.ports import Backlog, Clock, LedgerFacts, Unavailable
from tenax.settings import Settings, SettingsError
from tenax.version import pip_install

if TYPE_CHECKING:
    from tenax.adapters.local.clock import SteeredClock
    from tenax.adapters.local.reading_note import ReadingNote
    from tenax.adapters.sql.engine.postgres import Postgres
    from tenax.adapters.sql.engine.transactions import Transactions
    from tenax.adapters.sql.records.workers import Membership


class OpenDatabase(Struct, frozen=True):
    """The ledger's tables, its time, and this process among those who work on it."""

    database: Transactions
    clock: Clock
    membership: Membership
    note: ReadingNote
    """Of what this process is reading."""


def as_shared(settings: Settings) -> Settings:
    """Settings for a ledger that machines share: who is silent for long holds nothing any more.

    On one machine a lock tells whether a worker lives. Elsewhere only its silence tells, so no
    lease may be longer than the silence that counts as death.
    """
    if not is_shared(settings):
        return settings
    lease = settings.lease
    return replace(settings, lease=replace(lease, seconds=min(lease.seconds, lease.silence)))


async def open_database(
    settings: Settings, stack: AsyncExitStack, clock: Clock | None, *, create: bool
) -> OpenDatabase:
    from tenax.adapters.local import supervised
    from tenax.adapters.local.reading_note import ReadingNote
    from tenax.adapters.sql.records.workers import Membership

    if is_shared(settings):
        from tenax.adapters.local.clock import SteeredClock, kernel

        steered = SteeredClock()
        server = server_of(settings, steered)
        stack.push_async_callback(server.close)
        await server.check()
        database: Transactions = server
        workers, name = Path(settings.data) / "workers", f"{kernel()}-"
        clock = clock or steered
    else:
        from tenax.adapters.local.clock import SharedClock
        from tenax.adapters.sql.engine.sqlite import Database

        # A thread of its own would take the interpreter's lock at every row it writes, and wait
        # for it as often: a broad crawl took a fifth more processor time by that.
        path = ledger_path(settings)
        database = await Database.open(path, create=create, busy=settings.busy)
        stack.push_async_callback(database.close)
        workers, name = path.parent / "workers", ""
        if clock is None:
            clock = shared = SharedClock(workers / "clock")
            stack.callback(shared.close)
    limits = settings.reading
    note = ReadingNote(lambda path: supervised.report(path, limits.seconds, limits.memory))
    membership = Membership(database, clock, workers, settings.lease.silence, name, note)
    stack.callback(membership.let_go)
    stack.push_async_exit(membership.depart)
    return OpenDatabase(database, clock, membership, note)


async def upgrade_ledger(settings: Settings) -> tuple[str, str | None, str]:
    """Bring the tables up to date: where, and from which schema to which."""
    if is_shared(settings):
        server = server_of(settings)
        try:
            return (server.place, *await server.upgrade())
        finally:
            await server.close()
    from tenax.adapters.local.checkup import ledger
    from tenax.adapters.sql.engine.sqlite import Database
    from tenax.adapters.sql.schema.tables import REVISION

    path = ledger_path(settings)
    before = ledger(path).revision
    await (await Database.open(path, busy=settings.busy)).close()
    return str(path), before, REVISION


async def downgrade_ledger(settings: Settings, revision: str) -> str:
    """Bring the tables back to an older schema; where they are."""
    from tenax.adapters.sql.engine.sqlite import Database
    from tenax.adapters.sql.schema.migrate import downgrade_to

    work = partial(downgrade_to, revision)
    if is_shared(settings):
        server = server_of(settings)
        try:
            await server.remake(work)
            return server.place
        finally:
            await server.close()
    path = ledger_path(settings)
    if not path.exists():
        raise Unavailable(f"{path}: no ledger here. Name its folder with --data.")
    database = Database(path, busy=settings.busy)
    try:
        await database.write(work)
    finally:
        await database.close()
    return str(path)


async def look_at_server(settings: Settings) -> tuple[LedgerFacts, tuple[Backlog, ...]]:
    """For `tenax doctor`: what can be said of the ledger without changing it."""
    from tenax.adapters.sql.records.outbox import backlogs

    try:
        server = server_of(settings)
    except SettingsError as error:
        return LedgerFacts("", exists=False, on_server=True, error=str(error)), ()
    try:
        facts = await server.facts()
        if facts.error or facts.revision != facts.known_revision:
            return facts, ()
        now = facts.changed_at
        return facts, tuple(await server.read(lambda connection: backlogs(connection, now)))
    finally:
        await server.close()


def server_of(settings: Settings, clock: SteeredClock | None = None) -> Postgres:
    if find_spec("asyncpg") is None:
        raise SettingsError(
            f"database = postgresql:…: asyncpg is not installed. Run: {pip_install('postgres')}"
        )
    from tenax.adapters.sql.engine.postgres import Postgres

    return Postgres(settings.database, outage=settings.outage, clock=clock)
