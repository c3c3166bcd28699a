"""What is a backup made of, and where does it go back to? The parts, opened."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tenax.compose.content import Around, open_content
from tenax.compose.database import server_of
from tenax.compose.places import is_shared, is_store, ledger_path, names_redis
from tenax.ops.lifecycle.backup import BackupParts
from tenax.ports import Clock, ContentStock, Unavailable
from tenax.ports.lifecycle.copies import KeptLists
from tenax.settings import Settings

if TYPE_CHECKING:
    from tenax.adapters.sql.engine.transactions import Transactions


@asynccontextmanager
async def open_backup(settings: Settings, *, fresh: bool = False) -> AsyncIterator[BackupParts]:
    """Everything that is to be copied; `fresh` is for who fills it: no ledger is there yet."""
    from tenax.adapters.local.clock import SystemClock
    from tenax.adapters.local.vault import KEY_FILE
    from tenax.adapters.sql.lifecycle.copies import SqlLedgerCopies
    from tenax.adapters.sql.lifecycle.upkeep import SqlUpkeep

    clock = SystemClock()
    async with AsyncExitStack() as stack:
        shared = None
        if names_redis(settings):
            from tenax.compose.redis import open_shared

            shared = open_shared(settings, clock, stack)
        database, make = await _open(settings, stack, fresh=fresh)
        around = Around(settings, shared, threads=False)
        key = Path(settings.bot_auth.key or Path(settings.data) / "bot-key.pem")
        yield BackupParts(
            SqlLedgerCopies(database, make),
            None if fresh else SqlUpkeep(database, clock),
            open_content(around, stack),
            (Path(settings.data) / KEY_FILE, key),
            _lists(settings, clock, stack),
            body_folder,
            clock,
            keeps_bodies=not is_store(settings),
        )


def body_folder(folder: Path) -> ContentStock:
    from tenax.adapters.content.files import FileContentStore

    return FileContentStore(folder, threads=False)


async def _open(
    settings: Settings, stack: AsyncExitStack, *, fresh: bool
) -> tuple[Transactions, Callable[[Callable[[Any], Any]], Awaitable[Any]]]:
    from tenax.adapters.sql.lifecycle.copies import require_empty

    if is_shared(settings):
        server = server_of(settings)
        stack.push_async_callback(server.close)
        await (server.remake(require_empty) if fresh else server.check())
        return server, server.remake
    from tenax.adapters.sql.engine.sqlite import Database

    path = ledger_path(settings)
    if not fresh:
        database = await Database.open(path, create=False, busy=settings.busy)
    else:
        if path.exists():
            raise Unavailable(
                f"{path}: a ledger is there already. Name another folder with --data."
            )
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise Unavailable(f"{path.parent}: cannot be made ({error.strerror}).") from error
        database = Database(path, busy=settings.busy)
    stack.push_async_callback(database.close)
    return database, database.write


def _lists(settings: Settings, clock: Clock, stack: AsyncExitStack) -> KeptLists | None:
    if not settings.redis:
        return None
    from tenax.adapters.redis.lists import RedisLists
    from tenax.compose.redis import make_server

    server = make_server(settings, clock)
    stack.push_async_callback(server.close)
    return RedisLists(server, settings.intake.queue, (settings.relay.dead_list,))
