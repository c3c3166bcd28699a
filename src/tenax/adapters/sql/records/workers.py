"""Worker liveness: a file lock that the kernel drops at death, and a heartbeat for other machines.

So what a dead process held is recognised at once, whatever killed it and whoever reuses its
process id; the lease time only has to cover workers that are alive but stuck. A worker whose lock
cannot be seen, because it is on another machine or somebody cleaned up the folder, is believed by
its heartbeat, and what it has leased stays its own until the lease is over: it may still be asking.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import socket
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.local.reading_note import ReadingNote, read_note
from tenax.adapters.sql.engine import codec
from tenax.adapters.sql.engine.transactions import Transactions
from tenax.adapters.sql.frontier import crashes
from tenax.adapters.sql.schema.tables import assignments, workers
from tenax.crawl.policy import LeasePolicy
from tenax.model import UnderWay
from tenax.ports import Clock, Unavailable
from tenax.version import VERSION

SILENCE = LeasePolicy().silence


class Membership:
    """This process among the workers of one ledger."""

    def __init__(
        self,
        database: Transactions,
        clock: Clock,
        folder: Path,
        silence: float = SILENCE,
        kernel: str = "",
        note: ReadingNote | None = None,
    ) -> None:
        """`kernel` tells machines that share a ledger apart: locks are no news from another.
        `note` is kept in our lock's file, for whoever finds us dead."""
        self._note = note
        self._kernel = kernel
        self._database = database
        self._clock = clock
        self._folder = folder
        self._silence = silence
        self._name = f"{kernel}{os.getpid()}-{uuid.uuid4().hex[:8]}"
        self._lock: int | None = None
        self._id: int | None = None
        self._joining = asyncio.Lock()
        self.role = "crawl"
        """What this process is there for, to be said before it joins."""

    async def join(self) -> int:
        """This worker's id, registering it on first use."""
        async with self._joining:
            if self._id is None:
                self._lock = self._take_lock()
                self._id = await self._database.write(self._register)
                await self._count_strays()
        return self._id

    async def rejoin(self) -> int:
        """Register anew: the others have taken us for dead."""
        async with self._joining:
            self._id = await self._database.write(self._register)
        return self._id

    async def leave(self) -> None:
        """Strike the worker off. If it still holds something it stays on the list, as a dead one
        without a lock, so that the next to look takes that back.
        """
        if self._id is None:
            return
        worker_id, self._id = self._id, None
        held = sa.select(assignments.c.id).where(assignments.c.worker_id == worker_id)

        def work(connection: Connection) -> bool:
            is_free = connection.execute(held.limit(1)).first() is None
            if is_free:
                connection.execute(sa.delete(workers).where(workers.c.id == worker_id))
            return is_free

        is_struck_off = await self._database.write(work)
        self.let_go()
        if is_struck_off:
            self._path(self._name).unlink(missing_ok=True)

    async def depart(
        self, _kind: type[BaseException] | None, error: BaseException | None, _at: object
    ) -> None:
        """Leave in order; a ledger that has just failed is not made to wait for once more."""
        if isinstance(error, Unavailable):
            self.let_go()
            return
        try:
            await self.leave()
        except Unavailable:
            self.let_go()  # others notice by our silence, or by the file that is left

    def let_go(self) -> None:
        """Drop the lock without touching the ledger: to others this worker is dead now, by the
        file that is left."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def beat(self, connection: Connection) -> None:
        connection.execute(
            sa.update(workers).where(workers.c.id == self._id).values(seen_at=self._clock.now())
        )

    def show(self, connection: Connection, under_way: UnderWay) -> None:
        connection.execute(
            sa.update(workers)
            .where(workers.c.id == self._id)
            .values(under_way=codec.under_way_text(under_way))
        )

    def any_dead(self, connection: Connection) -> bool:
        return next(self._dead(connection), None) is not None

    def bury(self, connection: Connection) -> dict[int, str]:
        """Strike off workers whose process is gone: their ids, so that leases can be taken back,
        and names, so that what they were reading can be counted and their files cleared away."""
        struck = sa.delete(workers).where(workers.c.id == sa.bindparam("dead"))
        # Whoever else has found it dead must not count it, too.
        return {
            id: name
            for id, name in list(self._dead(connection))
            if connection.execute(struck, {"dead": id}).rowcount
        }

    def count(self, connection: Connection, names: Iterable[str]) -> None:
        """Count these deaths against what was being read."""
        notes = ((name, read_note(self._path(name))) for name in names)
        deaths = [(note.target_id, name) for name, note in notes if note is not None]
        crashes.count(connection, deaths, self._clock.now())

    def clear(self, names: Iterable[str]) -> None:
        """Away with the files of the dead, once the ledger has what stands in them."""
        for name in names:
            self._path(name).unlink(missing_ok=True)

    async def _count_strays(self) -> None:
        """Who died here while another machine struck it off left a note that nobody has read."""
        found = [path.stem for path in self._folder.glob(f"{self._kernel}*.lock")]
        noted = [name for name in found if name != self._name and read_note(self._path(name))]
        if not noted:
            return

        def work(connection: Connection) -> list[str]:
            known = set(connection.execute(sa.select(workers.c.name)).scalars())
            strays = [name for name in noted if name not in known and not self._is_locked(name)]
            self.count(connection, strays)
            return strays

        self.clear(await self._database.write(work))

    def _dead(self, connection: Connection) -> Iterator[tuple[int, str]]:
        rows = connection.execute(sa.select(workers.c.id, workers.c.name, workers.c.seen_at)).all()
        for id, name, seen_at in rows:
            if name != self._name and not self._is_alive(connection, id, name, seen_at):
                yield id, name

    def _is_alive(self, connection: Connection, id: int, name: str, seen_at: float) -> bool:
        locked = self._is_locked(name) if name.startswith(self._kernel) else None
        return self._may_live(connection, id, seen_at) if locked is None else locked

    def _is_locked(self, name: str) -> bool | None:
        """Whether its process lives; None when there is no file to tell it."""
        try:
            handle = os.open(self._path(name), os.O_RDWR)
        except FileNotFoundError:
            return None
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(handle)
        return False

    def _may_live(self, connection: Connection, id: int, seen_at: float) -> bool:
        """Heard of lately, or with a lease that it may still be using."""
        now = self._clock.now()
        if now - seen_at < self._silence:
            return True
        leased = sa.select(assignments.c.id).where(
            assignments.c.worker_id == id, assignments.c.expires_at > now
        )
        return connection.execute(leased.limit(1)).first() is not None

    def _take_lock(self) -> int:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            handle = os.open(self._path(self._name), os.O_RDWR | os.O_CREAT, 0o600)
            if self._note is not None:
                self._note.keep_in(self._path(self._name))
        except OSError as error:
            raise Unavailable(
                f"{self._folder}: cannot be written ({error.strerror}). Name another folder with"
                " --data, or free some space."
            ) from error
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return handle

    def _register(self, connection: Connection) -> int:
        now = self._clock.now()
        inserted = connection.execute(
            sa.insert(workers)
            .returning(workers.c.id)
            .values(
                name=self._name,
                pid=os.getpid(),
                started_at=now,
                seen_at=now,
                machine=socket.gethostname(),
                role=self.role,
                version=VERSION,
            )
        )
        return int(inserted.scalar_one())

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.lock"
