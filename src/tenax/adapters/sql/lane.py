"""Who works on a connection, and in which order? And what do its failures mean to a user?"""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from tenax.ports import Unavailable

T = TypeVar("T")

_LOOK_AGAIN = 0.002
_TOGETHER = 100
"""Requests in one transaction, at most: others have to write, too."""


class _Locked(Unavailable):
    """Another process is writing: nothing was begun, so it can be tried again."""


@dataclass(slots=True, eq=False)
class _Request:
    work: Callable[[Connection], Any]
    told: asyncio.Future[None]
    """Done when the transaction has ended, one way or the other."""
    result: Any = None
    error: Exception | None = None


class Lane:
    """One connection and who works on it: a thread, or whoever asks, in the order of asking.

    What waits for the thread is done in one transaction, each part of it all or nothing: a
    thousand hosts that are met for the first time cost a few commits instead of thousands.
    """

    def __init__(self, path: Path, begin: str, thread: str | None, busy: float) -> None:
        self._path = path
        self._busy = busy
        self._begin = begin
        self._is_writer = begin != "BEGIN"
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=thread) if thread else None
        self._waiting: deque[_Request] = deque()
        self._turn = asyncio.Lock()
        self._engine: Engine | None = None
        self._connection: Connection | None = None

    async def run(self, work: Callable[[Connection], T]) -> T:
        if self._thread is None:
            return await self._run_here(work)
        loop = asyncio.get_running_loop()
        request = _Request(work, loop.create_future())
        self._waiting.append(request)
        self._thread.submit(self._serve, loop)
        await request.told
        if request.error is not None:
            raise request.error
        return request.result  # type: ignore[no-any-return]  # what `work` returned

    async def _run_here(self, work: Callable[[Connection], T]) -> T:
        async with self._turn:
            deadline = time.monotonic() + self._busy
            while True:
                try:
                    return self._run(work)
                except _Locked:
                    if time.monotonic() > deadline:
                        raise
                await asyncio.sleep(_LOOK_AGAIN)

    def _run(self, work: Callable[[Connection], T]) -> T:
        try:
            if self._connection is None:
                self._connection = self._connect()
            with self._connection.begin():
                return work(self._connection)
        except sa.exc.DBAPIError as error:
            raise self._unavailable(error.orig) from error
        except sqlite3.Error as error:
            raise self._unavailable(error) from error

    def _serve(self, loop: asyncio.AbstractEventLoop) -> None:
        """Do all that waits; of those who come meanwhile, the first serves the others."""
        group: list[_Request] = []
        while self._waiting and len(group) < _TOGETHER:
            request = self._waiting.popleft()
            if not request.told.cancelled():
                group.append(request)
        if not group:
            return
        try:
            self._run(lambda connection: self._do(connection, group))
        except Exception as error:
            for request in group:
                request.error = request.error or error
        with contextlib.suppress(RuntimeError):  # the loop has ended, and nobody is there to hear
            loop.call_soon_threadsafe(_tell, group)

    def _do(self, connection: Connection, group: list[_Request]) -> None:
        if len(group) == 1:
            group[0].result = group[0].work(connection)
            return
        for request in group:
            if self._is_writer:
                connection.exec_driver_sql("SAVEPOINT apart")
            try:
                request.result = request.work(connection)
            except (sa.exc.DBAPIError, sqlite3.Error):
                # SQLite may have given the whole transaction up: then none of them happened.
                raise
            except Exception as error:
                request.error = error
                if self._is_writer:
                    connection.exec_driver_sql("ROLLBACK TO apart")
            if self._is_writer:
                connection.exec_driver_sql("RELEASE apart")

    def _unavailable(self, error: BaseException | None) -> Unavailable:
        kind = _Locked if _is_locked(error) else Unavailable
        return kind(explain(error, self._path))

    def _connect(self) -> Connection:
        engine = sa.create_engine(f"sqlite:///{self._path}", poolclass=sa.pool.StaticPool)
        sa.event.listen(engine, "connect", self._configure)
        sa.event.listen(engine, "begin", self._wait_for_turn)
        self._engine = engine
        return engine.connect()

    def _configure(self, connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None  # we say BEGIN ourselves
        cursor = connection.cursor()
        # A writer only ever waits at BEGIN, in smaller steps than SQLite would.
        patience = 0 if self._is_writer else int(self._busy * 1000)
        cursor.execute(f"PRAGMA busy_timeout = {patience}")
        _patiently(lambda: cursor.execute("PRAGMA journal_mode = WAL"), self._busy)
        # NORMAL survives any crash of ours; a power cut may take the last moments, never the file.
        cursor.execute("PRAGMA synchronous = NORMAL")
        cursor.execute(f"PRAGMA cache_size = -{16_000 if self._is_writer else 2_000}")
        cursor.execute("PRAGMA temp_store = MEMORY")
        cursor.execute("PRAGMA journal_size_limit = 67108864")
        cursor.close()

    def _wait_for_turn(self, connection: Connection) -> None:
        """Begin as soon as other processes let us: SQLite's own waiting grows to 0.1 s a step."""
        # On the event loop nobody may sleep here: `run` does, letting others work meanwhile.
        patience = 0.0 if self._thread is None else self._busy
        _patiently(lambda: connection.exec_driver_sql(self._begin), patience)

    async def close(self) -> None:
        if self._thread is None:
            self._close()
            return
        await asyncio.get_running_loop().run_in_executor(self._thread, self._close)
        self._thread.shutdown(wait=True)

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        if self._engine is not None:
            self._engine.dispose()


def _tell(group: list[_Request]) -> None:
    for request in group:
        if not request.told.done():
            request.told.set_result(None)


def _patiently(attempt: Callable[[], object], seconds: float) -> None:
    """Try until the lock is ours, looking often: transactions take milliseconds."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            attempt()
        except (sqlite3.OperationalError, sa.exc.OperationalError) as error:
            if not _is_locked(error) or time.monotonic() >= deadline:
                raise
            time.sleep(_LOOK_AGAIN)
        else:
            return


def _is_locked(error: BaseException | None) -> bool:
    return "locked" in str(error)


def explain(error: BaseException | None, path: Path) -> str:
    """What a database error means, where, and what to do: for people, not for programmers."""
    text = str(error)
    lower = text.lower()
    advice = next((advice for words, advice in _ADVICE if words in lower), None)
    return f"{path}: {advice or f'the ledger failed: {text}'}"


_ADVICE = (
    ("disk is full", "the disk is full. Nothing stored so far is lost: free some space and run"
     " the same command again."),
    ("locked", "the ledger is locked by another program, longer than we wait. Close what"
     " holds it (a database browser, a backup) and run the same command again."),
    ("readonly", "the ledger cannot be written (read-only file or folder). Fix its permissions,"
     " or name another folder with --data."),
    ("unable to open", "the ledger cannot be opened. Check that the folder exists and that you"
     " may write to it, or name another with --data."),
    ("not a database", "this file is not a Tenax ledger, or it is damaged. Restore it from a"
     " backup, or name another folder with --data; page bodies beside it are intact."),
    ("malformed", "the ledger is damaged. Restore it from a backup, or salvage it with"
     " `sqlite3 FILE .recover`; page bodies beside it are intact."),
    ("disk i/o error", "reading or writing the ledger failed (disk error, or the file was removed"
     " while in use). Nothing committed is lost if the disk is sound: run the command again."),
)  # fmt: skip
