"""The queue on RabbitMQ: every ticket is a Celery task, for `celery worker` or for `tenax worker`.

Celery's client blocks, so it lives in a thread of its own, with one connection that is opened anew
when it fails.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import kombu
from celery import Celery

from tenax.adapters import tickets
from tenax.adapters.redis.client import place
from tenax.adapters.server_breaker import ServerBreaker
from tenax.ports import Clock, Ticket, Unavailable

T = TypeVar("T")
log = logging.getLogger(__name__)

TASK = "tenax.work"
PRIORITIES = 10
_AT_ONCE = 200
_LIMIT = 4
"""Seconds until the broker counts as gone: connecting, or without an answer."""
_FAILURES, _REST = 1, 5.0


def configuration(url: str, name: str) -> dict[str, Any]:
    """How Celery is set up, for those who put tasks and those who work on them."""
    return {
        "broker_url": url,
        "broker_connection_retry_on_startup": True,
        "broker_connection_max_retries": None,
        "broker_transport_options": {"confirm_publish": True},
        "task_default_queue": name,
        "task_queues": [queue(name)],
        "task_create_missing_queues": False,
        "task_ignore_result": True,
        "task_serializer": "json",
        "accept_content": ["json"],
        # A ticket is taken back by the broker when its worker dies. Whoever gets it then finds
        # that it is worth nothing, or goes on with it: the ledger knows.
        "task_acks_late": True,
        "task_reject_on_worker_lost": True,
        "worker_prefetch_multiplier": 1,
        # Celery would ask for more again from whichever thread ends its task first after the broker
        # was away, two threads would read one connection, and the worker would hang for good.
        "worker_enable_prefetch_count_reduction": False,
        "worker_enable_remote_control": True,
    }


def queue(name: str) -> kombu.Queue:
    return kombu.Queue(
        name, routing_key=name, durable=True, queue_arguments={"x-max-priority": PRIORITIES}
    )


class CeleryQueue:
    def __init__(self, url: str, name: str, clock: Clock) -> None:
        self._place = place(url)
        self._clock = clock
        self._queue = queue(name)
        self._app = Celery("tenax", set_as_current=False)
        self._app.conf.update(configuration(url, name))
        unopened = self._app.connection()
        self._lost, self._refused = unopened.connection_errors, unopened.channel_errors
        self._outage = ServerBreaker(_FAILURES, _REST)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="tenax-celery")
        self._connection: kombu.Connection | None = None
        self._bound: kombu.Queue | None = None
        self._taken: dict[Ticket, kombu.Message] = {}

    async def put(self, wanted: Sequence[Ticket], keep: float) -> None:
        await self._do(lambda: self._put(wanted, keep))

    async def take(self, most: int) -> list[Ticket]:
        return await self._do(lambda: self._take(min(most, _AT_ONCE)))

    async def done(self, used: Sequence[Ticket]) -> None:
        await self._do(lambda: self._done(used))

    async def size(self) -> int:
        return await self._do(self._size)

    async def close(self) -> None:
        await asyncio.get_running_loop().run_in_executor(self._thread, self._disconnect)
        self._thread.shutdown(wait=False)

    async def _do(self, work: Callable[[], T]) -> T:
        if self._outage.is_on(self._clock.now()):
            raise Unavailable(f"RabbitMQ at {self._place} does not answer. {_ADVICE}")
        try:
            answer = await asyncio.get_running_loop().run_in_executor(self._thread, self._try, work)
        except Unavailable:
            self._outage.failed(self._clock.now())
            raise
        self._outage.answered()
        return answer

    def _try(self, work: Callable[[], T]) -> T:
        """Once more with a new connection: the broker may have ended an old one long ago."""
        had_one = self._connection is not None
        for is_last in (False, True) if had_one else (True,):
            try:
                self._connect()
                return work()
            except self._lost as error:
                self._disconnect()
                if is_last:
                    raise Unavailable(
                        f"RabbitMQ at {self._place} does not answer ({error}). {_ADVICE}"
                    ) from error
            except self._refused as error:
                self._disconnect()
                raise Unavailable(f"RabbitMQ at {self._place} refuses: {error}.") from error
        raise AssertionError("unreachable: the last try returns or raises")

    def _connect(self) -> None:
        if self._connection is not None:
            return
        limits = {"connect_timeout": _LIMIT, "read_timeout": _LIMIT, "write_timeout": _LIMIT}
        options = {**self._app.conf.broker_transport_options, **limits}
        connection = self._app.connection(transport_options=options, connect_timeout=_LIMIT)
        _reach(connection)
        self._connection = connection
        self._bound = self._queue(connection.default_channel)
        self._bound.declare()

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        self._bound = None
        self._taken.clear()
        if connection is not None:
            try:
                connection.release()
            except OSError:
                log.debug("the connection was gone", exc_info=True)

    def _put(self, wanted: Sequence[Ticket], keep: float) -> None:
        assert self._connection is not None
        with self._app.amqp.Producer(self._connection, auto_declare=False) as producer:
            for ticket in wanted:
                self._app.send_task(
                    TASK,
                    (tickets.written(ticket),),
                    producer=producer,
                    # Here 1 is first; there the highest is.
                    priority=max(0, PRIORITIES - ticket.priority),
                    expiration=keep,
                    retry=False,
                    ignore_result=True,
                )

    def _take(self, most: int) -> list[Ticket]:
        assert self._bound is not None
        found: list[Ticket] = []
        while len(found) < most and (message := self._bound.get(no_ack=False)) is not None:
            ticket = _read(message)
            if ticket is None:
                message.reject()
                continue
            if (twin := self._taken.get(ticket)) is not None:
                twin.ack()
            self._taken[ticket] = message
            found.append(ticket)
        return found

    def _done(self, used: Sequence[Ticket]) -> None:
        for ticket in used:
            # None of before the connection was lost: the broker has given it to others.
            if (message := self._taken.pop(ticket, None)) is not None:
                message.ack()

    def _size(self) -> int:
        assert self._bound is not None
        return int(self._bound.queue_declare(passive=True).message_count)


def _reach(connection: kombu.Connection) -> None:
    """Try each of its servers once: left to itself, it rests in between and tries all again."""
    connection.ensure_connection(
        max_retries=max(0, len(connection.alt) - 1),
        interval_start=0,
        interval_step=0,
        interval_max=0,
        timeout=_LIMIT,
        reraise_as_library_errors=False,
    )


async def reach(url: str) -> None:
    """Connect to the broker and leave everything as it is; raises `Unavailable`."""

    def work() -> None:
        limits = {"read_timeout": _LIMIT, "write_timeout": _LIMIT}
        with kombu.Connection(url, connect_timeout=_LIMIT, transport_options=limits) as connection:
            try:
                _reach(connection)
            except (*connection.connection_errors, *connection.channel_errors) as error:
                raise Unavailable(
                    f"RabbitMQ at {place(url)} does not answer ({error}). {_ADVICE}"
                ) from error

    await asyncio.to_thread(work)


_ADVICE = "Start it, or see the setting `queue`."


def _read(message: kombu.Message) -> Ticket | None:
    try:
        ((text,), _, _) = message.payload
        return tickets.read(text)
    except Exception:
        # Whatever it is: left in the queue it would stop everybody behind it.
        log.warning("a message in the queue is no ticket; is its name used for other tasks?")
        return None
