"""The Redis client: few retries, a deadline for each call, a circuit breaker while it is down.

A call is tried again when it was not answered, although the server may have done it: whoever
calls must not mind that. After some failures in a row nobody asks for a while (OBS-5).
"""

from __future__ import annotations

import asyncio
import builtins
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from msgspec import Struct

from tenax.adapters.server_breaker import ServerBreaker
from tenax.ports import Clock, Unavailable
from tenax.ports.retry import Backoff, retry

if TYPE_CHECKING:
    from redis.asyncio import Redis
    from redis.commands.core import AsyncScript

T = TypeVar("T")
_SOCKET = 120.0
"""Seconds: more than any call has, so that only its own limit counts."""
SCHEMES = ("redis", "rediss", "unix")


class RedisPolicy(Struct, frozen=True):
    tries: int = 3
    """How often a call is tried."""
    pause: float = 0.1
    """Seconds between these tries."""
    limit: float = 1.0
    """Seconds that a call may take, all its tries together."""
    pace: float = 1_000_000.0
    """Bytes a second that a slow network still carries: a call that brings many has longer."""
    failures: int = 5
    """Calls failed in a row after which the server is left alone."""
    rest: float = 10.0
    """For so many seconds."""


class RedisServer:
    """One Redis server and the connections to it, opened when first needed."""

    def __init__(self, url: str, clock: Clock, policy: RedisPolicy | None = None) -> None:
        """Raises ImportError without the library, ValueError for a URL that is none."""
        from redis.asyncio import Redis
        from redis.asyncio.retry import Retry
        from redis.backoff import NoBackoff

        policy = policy or RedisPolicy()
        if urlsplit(url).scheme not in SCHEMES:
            raise ValueError(f"not a Redis URL: use {', '.join(f'{s}://' for s in SCHEMES)}")
        self._policy = policy
        self._again = Backoff(policy.pause, factor=1.0, tries=policy.tries)
        self._clock = clock
        self._place = place(url)
        self._outage = ServerBreaker(policy.failures, policy.rest)
        # Its own retries and times know nothing of our limit for all of them together.
        self._client: Redis = Redis.from_url(
            url,
            socket_timeout=_SOCKET,
            socket_connect_timeout=policy.limit,
            retry=Retry(NoBackoff(), 0),
            health_check_interval=0,
        )

    @property
    def is_resting(self) -> bool:
        """Whether it failed so often that it is not asked for now."""
        return self._outage.is_on(self._clock.now())

    def script(self, text: str) -> AsyncScript:
        """A Lua script, sent once and called by its hash from then on; to be `run`."""
        return self._client.register_script(text)

    async def run(
        self, script: AsyncScript, keys: Sequence[str], arguments: Sequence[str | bytes | float]
    ) -> Any:
        """What the script answers, or `Unavailable`."""
        return await self.ask(lambda _: script(keys, arguments))

    async def ask(self, call: Callable[[Redis], Awaitable[T]], size: int = 0) -> T:
        """The answer of a call such as `lambda redis: redis.get(key)`, or `Unavailable`.

        `size` is how many bytes it may send or bring, where they are many.
        """
        from redis.exceptions import (
            ConnectionError,
            ReadOnlyError,
            RedisError,
            ResponseError,
            TimeoutError,
        )

        if self.is_resting:
            raise Unavailable(f"Redis at {self._place} does not answer. {_ADVICE}")
        fault: Exception | None = None
        limit = self._policy.limit + size / self._policy.pace
        told = _told_to_end()
        unanswered = (ConnectionError, TimeoutError, OSError)

        async def attempt() -> T:
            nonlocal fault
            try:
                answer = await call(self._client)
            except unanswered as error:
                fault = error
                _heed(told)
                raise
            _heed(told)
            return answer

        try:
            async with asyncio.timeout(limit):
                is_lost = partial(_is_one_of, unanswered)
                answer = await retry(attempt, self._again, self._clock, is_worth=is_lost)
            self._outage.answered()
            return answer
        except builtins.TimeoutError as error:
            fault = fault or error
        except ReadOnlyError as error:
            # A primary became a replica: another server has its name by now, or soon will.
            await _left(self._client.connection_pool.disconnect())
            fault = error
        except ResponseError as error:
            raise Unavailable(f"Redis at {self._place} refuses: {error}.") from error
        except (RedisError, OSError) as error:
            fault = error
        _heed(told)
        self._outage.failed(self._clock.now())
        why = str(fault) or f"nothing within {limit:g} s"
        raise Unavailable(f"Redis at {self._place} does not answer ({why}). {_ADVICE}") from fault

    async def close(self) -> None:
        await _left(self._client.aclose())


async def _left(closing: Awaitable[None]) -> None:
    """Who does not hear us is left all the same. What was on its way is lost, as callers know."""
    from redis.exceptions import RedisError

    with suppress(RedisError, OSError):
        await closing


def _is_one_of(kinds: tuple[type[Exception], ...], error: Exception) -> bool:
    return isinstance(error, kinds)


def _told_to_end() -> int:
    """How often this task was."""
    task = asyncio.current_task()
    return task.cancelling() if task is not None else 0


def _heed(before: int) -> None:
    """The client loses a cancellation that meets an answer (redis 8.1), and nobody says it twice:
    a scheduler did not end on SIGTERM."""
    if _told_to_end() > before:
        raise asyncio.CancelledError


_ADVICE = "Start it, or see the settings `redis` and `queue`."


_NO_URL = "not the URL of a server. In user and password write %2F for /, %3F for ?, %23 for #"


def place(url: str) -> str:
    """Where a server is, without the secrets of its URL. Raises ValueError for one that is none."""
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        # Python's own words quote it, and it may be a piece of the password.
        raise ValueError(_NO_URL) from None
    if "@" in parts.path + parts.query + parts.fragment:
        raise ValueError(_NO_URL)
    if not parts.hostname:
        return parts.path or "localhost"
    return f"{parts.hostname}:{port}" if port else parts.hostname
