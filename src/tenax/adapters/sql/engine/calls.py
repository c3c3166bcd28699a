"""A hung server told from a slow one: who takes long makes us probe another connection.

A server that hangs answers nothing and refuses nothing, and a long read looks just like that from
here. So nothing has a time limit that an export of millions would have to fit into: a server that
opens another connection is at work. One that does not, three times, is taken for gone with all our
connections, and everything is tried again as after any outage.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakSet

from tenax.crawl.outages.outage import Away, OutagePatience, OutagePolicy
from tenax.ports import Clock
from tenax.ports.retry import Backoff, retry

if TYPE_CHECKING:
    import asyncpg

T = TypeVar("T")
_HANGS = 2.0
"""Seconds longer than for one that refuses us a server is waited for that says nothing."""


_FALLS = 0.5
"""Seconds in which a call notices that its connection is gone, if it has one."""


class Calls:
    """The transactions of one ledger, and the connections they run on."""

    def __init__(
        self,
        place: str,
        patience: OutagePatience,
        policy: OutagePolicy,
        knock: Callable[[], Awaitable[bool]],
        clock: Clock,
    ) -> None:
        """`knock` asks whether anybody is there, and may take as long as it likes."""
        self.abandoned = ""
        """Why nothing more is asked; empty while it is."""
        self._place = place
        self._patience = patience
        self._policy = policy
        self._knock = knock
        self._clock = clock
        self._under_way: dict[asyncio.Future[Any], float] = {}
        """With when they began, by the loop's time."""
        self._connections: WeakSet[asyncpg.Connection] = WeakSet()
        self._ends_at: float | None = None
        """When we are to end: the loop's time at which a server that hangs is left."""
        self._watch: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return len(self._under_way)

    def opened(self, connection: asyncpg.Connection) -> None:
        self._connections.add(connection)

    async def make(self, call: Coroutine[Any, Any, T]) -> T:
        """What it brings. Whoever asked may be cancelled: the transaction is not, or a connection
        would be lost and nobody would know whether it was committed."""
        task = asyncio.ensure_future(call)
        self._under_way[task] = asyncio.get_running_loop().time()
        task.add_done_callback(self._done)
        if self._ends_at is not None:
            self._limit(task, self._ends_at)
        elif self._watch is None:
            self._watch = asyncio.ensure_future(self._watched())
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if task.cancelled() and self.abandoned:
                raise Away(self.abandoned) from None
            raise

    def hasten(self, seconds: float) -> None:
        """We are to end: whatever takes longer than this is let go of."""
        self._ends_at = asyncio.get_running_loop().time() + seconds + _HANGS
        for task in self._under_way:
            self._limit(task, self._ends_at)

    async def end(self, seconds: float) -> None:
        """Give what is under way so much time, and then none."""
        if self._watch is not None:
            self._watch.cancel()
        if self._under_way:
            await asyncio.wait(self._under_way, timeout=seconds)
        for task in self._under_way:
            task.cancel()

    def hang_up(self) -> None:
        """Without a word: one that hangs would not hear it."""
        for connection in list(self._connections):
            connection.terminate()

    def _limit(self, task: asyncio.Future[Any], at: float) -> None:
        """Let go of a server that neither answers nor refuses; what it may have done, it has."""

        def abandon() -> None:
            self.abandoned = f"{self._place}: the database does not answer. Is it overloaded?"
            self._patience.give_up(self.abandoned)
            # What waits for an answer fails by this, in order; cancelled, it would say goodbye to
            # the server and wait for that, too.
            self.hang_up()
            loop.call_later(_FALLS, task.cancel)

        loop = asyncio.get_running_loop()
        timer = loop.call_at(max(at, loop.time() + _HANGS), abandon)
        task.add_done_callback(lambda _: timer.cancel())

    def _done(self, task: asyncio.Future[Any]) -> None:
        del self._under_way[task]
        if not task.cancelled():
            task.exception()  # heard, even where the one who asked is gone

    async def _watched(self) -> None:
        """As long as anything is under way, look whether it takes long."""
        loop = asyncio.get_running_loop()
        while self._under_way:
            await asyncio.sleep(self._policy.limit)
            begun = min(self._under_way.values(), default=loop.time())
            if loop.time() - begun >= self._policy.limit and not await self._is_there():
                self.hang_up()
        self._watch = None

    async def _is_there(self) -> bool:
        async def knock() -> None:
            async with asyncio.timeout(self._policy.limit):
                if not await self._knock():
                    raise TimeoutError

        again = Backoff(self._policy.first, tries=self._policy.tries)
        try:
            await retry(knock, again, self._clock, is_worth=_is_timeout)
        except TimeoutError:
            return False
        return True


def _is_timeout(error: Exception) -> bool:
    return isinstance(error, TimeoutError)
