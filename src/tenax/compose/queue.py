"""How is work handed out, by the settings? From the ledger, or through a queue that is opened."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

from tenax.ops.secrets import masked
from tenax.ports import Clock, ServerFacts, Unavailable, WorkQueue
from tenax.settings import Settings, SettingsError
from tenax.version import pip_install


def has_queue(settings: Settings) -> bool:
    """Whether workers take from a queue. Raises for a URL that names none."""
    return _opener(settings) is not None


@asynccontextmanager
async def open_queue(settings: Settings, clock: Clock) -> AsyncIterator[WorkQueue | None]:
    """The queue; None where workers claim from the ledger. Nothing is connected to yet."""
    opener = _opener(settings)
    if opener is None:
        yield None
        return
    queue = opener(settings, clock)
    try:
        yield queue
    finally:
        await queue.close()


async def look_at_queue(settings: Settings, clock: Clock) -> ServerFacts | None:
    """For `tenax doctor`, without changing anything; None where there is no queue."""
    url = settings.redis if settings.queue == "redis:" else settings.queue
    where = str(masked("queue", url))
    try:
        opener = _opener(settings)
        if opener is None:
            return None
        # The client of a queue that nothing is asked of, to learn whether it can be had at all.
        await opener(settings, clock).close()
        if opener is _redis:
            await _reach_redis(url, clock)
        else:
            from tenax.adapters.celery.queue import reach

            await reach(url)
    except (SettingsError, Unavailable) as error:
        return ServerFacts("queue", where, str(error))
    return ServerFacts("queue", where)


async def _reach_redis(url: str, clock: Clock) -> None:
    from tenax.adapters.redis.client import RedisServer

    server = RedisServer(url, clock)
    try:
        await server.ask(lambda redis: redis.info("server"))
    finally:
        await server.close()


def _opener(settings: Settings) -> Callable[[Settings, Clock], WorkQueue] | None:
    url = settings.queue
    if not url or url == "direct":
        return None
    scheme = urlsplit(url).scheme or url
    if scheme not in _SCHEMES:
        raise SettingsError(
            f"queue: unknown scheme {scheme!r}. Use redis: (the server of the setting redis),"
            " redis://HOST:PORT/0 or amqp://USER:PASSWORD@HOST; leave it empty to hand out work"
            " from the ledger."
        )
    return _SCHEMES[scheme]


def _redis(settings: Settings, clock: Clock) -> WorkQueue:
    from tenax.adapters.redis.client import RedisServer
    from tenax.adapters.redis.queue import RedisQueue

    url = settings.redis if settings.queue == "redis:" else settings.queue
    if not url:
        raise SettingsError("queue = redis: needs the setting redis: redis://HOST:PORT/0.")
    try:
        server = RedisServer(url, clock)
    except ImportError as error:
        raise SettingsError(f"queue: Redis needs {pip_install('redis')}.") from error
    except ValueError as error:
        raise SettingsError(f"queue: {error}.") from error
    return RedisQueue(server, settings.dispatch.name, settings.dispatch.again)


def _celery(settings: Settings, clock: Clock) -> WorkQueue:
    try:
        from tenax.adapters.celery.queue import CeleryQueue
    except ImportError as error:
        raise SettingsError(f"queue: RabbitMQ needs {pip_install('celery')}.") from error
    try:
        return CeleryQueue(settings.queue, settings.dispatch.name, clock)
    except ValueError as error:
        raise SettingsError(f"queue: {error}.") from error


_SCHEMES: dict[str, Callable[[Settings, Clock], WorkQueue]] = {
    "redis": _redis,
    "rediss": _redis,
    "unix": _redis,
    "amqp": _celery,
    "amqps": _celery,
}
