"""What do workers share through Redis? Everything here is made only where `redis` is set."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from tenax.compose.places import is_store, names_redis
from tenax.crawl.fleet.intake import Reception
from tenax.crawl.fleet.start_guard import Watch
from tenax.crawl.outages.best_effort_copies import Copies
from tenax.crawl.outages.bodies import Bodies
from tenax.crawl.outages.outage import OutagePatience
from tenax.crawl.outages.patient_store import PatientShelf, PatientStore
from tenax.model import Job
from tenax.ops.secrets import masked
from tenax.ports import (
    Clock,
    ContentStore,
    Frontier,
    HostBook,
    Jobs,
    RedisFacts,
    RobotsStore,
    Shelf,
    Unavailable,
)
from tenax.ports.accounts import RequestCounts
from tenax.settings import Settings, SettingsError
from tenax.urls.decide import Door
from tenax.urls.sites import Sites
from tenax.version import pip_install

if TYPE_CHECKING:
    from tenax.adapters.redis.client import RedisServer
    from tenax.adapters.sql.engine.transactions import Transactions


class Shared:
    """One Redis server, and what is made on it."""

    def __init__(self, server: RedisServer, settings: Settings, clock: Clock) -> None:
        self._server = server
        self._settings = settings
        self._clock = clock
        # Asking costs nothing while the server is given a rest, and oversleeping its end does.
        outage = replace(settings.outage, longest=min(settings.outage.longest, 1.0))
        self._patience = OutagePatience("Redis, where the bodies are,", outage, clock)

    def robots(self, ledger: RobotsStore) -> RobotsStore:
        from tenax.adapters.redis.robots import RedisRobotsStore

        return RedisRobotsStore(self._server, ledger, self._clock)

    def host_book(self, database: Transactions, sites: Sites) -> HostBook:
        from tenax.adapters.redis.robots import SharedHostBook

        settings = self._settings
        return SharedHostBook(
            self._server, database, self._clock, settings.treatment, settings.lease, sites
        )

    def watch(self, stack: AsyncExitStack, sites: Sites) -> Watch:
        from tenax.adapters.redis.start_guard import RedisGuard

        guard = RedisGuard(self._server)
        stack.push_async_callback(guard.close)
        return Watch(guard, self._clock, self._settings.pace, sites)

    def request_counts(self, ledger: RequestCounts) -> RequestCounts:
        from tenax.adapters.redis.request_counts import RedisRequestCounts

        return RedisRequestCounts(self._server, ledger)

    def content(self) -> ContentStore:
        from tenax.adapters.redis.content import RedisContentStore

        store = RedisContentStore(self._server, self._settings.bodies.ttl)
        return PatientStore(store, self._patience)

    def bodies(self, content: ContentStore) -> Bodies:
        return Bodies(content, self.shelf(), expires=is_store(self._settings))

    def shelf(self) -> Shelf | None:
        """Where bodies are laid out by URL: as the store's own, as copies, or nowhere."""
        from tenax.adapters.redis.content import RedisShelf

        shelf = RedisShelf(self._server, self._settings.bodies.ttl)
        if is_store(self._settings):
            return PatientShelf(shelf, self._patience)
        return Copies(shelf) if self._settings.bodies.copy else None

    def reception(
        self, jobs: Jobs, frontier: Frontier, door: Callable[[Job], Door]
    ) -> Reception | None:
        from tenax.adapters.redis.intake import RedisIntakeQueue

        settings = self._settings
        if not settings.intake.on:
            return None
        names = settings.intake.queue, settings.relay.dead_list
        queue = RedisIntakeQueue(self._server, self._clock, *names)
        limit = settings.feed.frontier_limit
        return Reception(queue, jobs, frontier, self._clock, settings.intake, door, limit)


def open_shared(settings: Settings, clock: Clock, stack: AsyncExitStack) -> Shared | None:
    """None where no Redis is named. Nothing is connected to yet."""
    if not names_redis(settings):
        return None
    server = make_server(settings, clock)
    stack.push_async_callback(server.close)
    return Shared(server, settings, clock)


def make_server(settings: Settings, clock: Clock) -> RedisServer:
    """The server that `redis` names, not connected to yet."""
    try:
        from tenax.adapters.redis.client import RedisServer

        return RedisServer(settings.redis, clock)
    except ImportError as error:
        raise SettingsError(f"redis: needs {pip_install('redis')}.") from error
    except ValueError as error:
        raise SettingsError(f"redis: {error}.") from error


async def look_at_redis(settings: Settings, clock: Clock) -> RedisFacts | None:
    """What the server says of itself; None where none is named."""
    if not settings.redis:
        return None
    from tenax.adapters.redis.client import place

    try:
        server = make_server(settings, clock)
    except SettingsError as error:
        return RedisFacts(str(masked("redis", settings.redis)), error=str(error))
    where = place(settings.redis)
    try:
        told: dict[str, Any] = await server.ask(lambda redis: redis.info())
    except Unavailable as error:
        return RedisFacts(where, error=str(error))
    finally:
        await server.close()
    version = told.get("valkey_version") or told.get("redis_version", "")
    return RedisFacts(where, str(version), str(told.get("maxmemory_policy", "")))
