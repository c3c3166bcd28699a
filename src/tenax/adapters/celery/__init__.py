"""The Celery app: `celery -A tenax.adapters.celery worker` runs assignments as tasks.

A task waits while its assignment is worked on in the one event loop of its process, which lives in
a thread from the first task to the end of the process. So `--pool threads` crawls as many hosts at
once as it has threads, and a prefork process one.
"""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError, Future
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

from celery import Celery, signals
from celery.exceptions import Reject

from tenax.adapters import tickets
from tenax.adapters.celery.queue import TASK
from tenax.crawl.fleet.tasks import Errands
from tenax.ports import Ticket, Unavailable

log = logging.getLogger(__name__)
Opener = Callable[[], AbstractAsyncContextManager[Errands]]
Runner = Callable[[Coroutine[Any, Any, None]], None]
_FAREWELL = 8.0
"""Seconds that a process has to hand everything back when it ends."""

_LOOK = 1.0
"""Seconds between two looks of a waiting task whether there is still somebody to wait for."""

app = Celery("tenax")
# By name: it knows the settings, and how a crawl is put together, which no adapter does.
app.config_from_object("tenax.compose.celery:configuration")


class Closed(Exception):
    """This process works on nothing more."""


class Desk:
    """Takes tickets from tasks, in whatever thread, to the loop where they are worked on."""

    def __init__(self, opener: Opener, run: Runner, ending: int) -> None:
        """`ending` is a file descriptor that becomes readable when it is time to go."""
        self._opener = opener
        self._ending = ending
        self._opened: Future[tuple[asyncio.AbstractEventLoop, Errands]] = Future()
        self._thread = threading.Thread(
            target=lambda: run(self._live()), name="tenax-loop", daemon=True
        )
        self._thread.start()

    @property
    def is_closed(self) -> bool:
        return not self._thread.is_alive()

    def work(self, ticket: Ticket) -> bool:
        """Blocks until it is settled. Raises `Closed`, or what our infrastructure fails of."""
        loop, errands = self._opened.result()
        errand = errands.work(ticket)
        try:
            future = asyncio.run_coroutine_threadsafe(errand, loop)
        except RuntimeError as error:
            errand.close()  # the loop has ended
            raise Closed from error
        while True:
            try:
                return future.result(_LOOK)
            except CancelledError as error:
                raise Closed from error
            except TimeoutError as error:
                if future.done():
                    raise
                if self.is_closed:
                    # It ended between taking this and looking at it.
                    raise Closed from error

    def close(self) -> None:
        if self._opened.done() and self._opened.exception() is None:
            loop, errands = self._opened.result()
            if not loop.is_closed():
                loop.call_soon_threadsafe(errands.stop)
        self._thread.join(_FAREWELL)

    async def _live(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            async with self._opener() as errands:

                def end() -> None:
                    loop.remove_reader(self._ending)
                    errands.stop()

                loop.add_reader(self._ending, end)
                self._opened.set_result((loop, errands))
                try:
                    await errands.run()
                finally:
                    loop.remove_reader(self._ending)
        except Exception as error:
            if not self._opened.done():
                self._opened.set_exception(error)
                return
            # The tasks that waited have ended; the next one opens everything anew.
            is_known = isinstance(error, Unavailable)
            log.error("the crawl in this process has ended: %s", error, exc_info=not is_known)


class _Process:
    """What this process has of it: the desk, once somebody needed it."""

    def __init__(self) -> None:
        self.opener: Opener | None = None
        self.run: Runner = asyncio.run
        self._desk: Desk | None = None
        self._lock = threading.Lock()
        self._ends: tuple[int, int] | None = None
        self._is_ending = False
        self._parent = 0
        self.folder = Path()
        """What the processes of this worker tell each other."""
        self.is_eager = False
        """Somebody asks this process how it is, before there is any work."""

    def prepare(self) -> None:
        """Before any process is forked: all of them hear by this pipe that it is time to go. Once
        the parent is gone, however that came, its end of it is closed, and they hear that, too."""
        self._ends = os.pipe()
        self._parent = os.getpid()
        self.folder = Path(tempfile.mkdtemp(prefix="tenax-celery-"))

    def born(self) -> None:
        """In a child that was forked."""
        self._desk = None
        self._lock = threading.Lock()
        if self._ends is not None:
            os.close(self._ends[1])
        self.open()

    def open(self) -> None:
        """Begin before the first task where somebody asks."""
        if self.is_eager:
            self.desk()

    def desk(self) -> Desk:
        with self._lock:
            if self._is_ending:
                raise Closed
            if self._desk is None or self._desk.is_closed:
                assert self.opener is not None, "app.conf was never read"
                assert self._ends is not None, "the worker was never started"
                self._desk = Desk(self.opener, self.run, self._ends[0])
            return self._desk

    def tell_to_end(self) -> None:
        self._is_ending = True
        if self._ends is not None:
            os.write(self._ends[1], b"!")

    def close(self) -> None:
        self._is_ending = True
        if self._desk is not None:
            self._desk.close()
        if os.getpid() == self._parent:
            shutil.rmtree(self.folder, ignore_errors=True)


here = _Process()


@app.task(name=TASK, bind=True)  # type: ignore[untyped-decorator]  # Celery has no types
def work(task: Any, text: str) -> bool:
    """Whether the ticket was still worth something."""
    try:
        return here.desk().work(tickets.read(text))
    except Closed:
        raise Reject("this worker is ending", requeue=True) from None


def _say_shortly(record: logging.LogRecord) -> bool:
    """That a ticket is handed back is no error: Celery would show where in our code that was."""
    if record.exc_info and isinstance(record.exc_info[1], Reject):
        record.exc_info = None
    return True


logging.getLogger("celery.app.trace").addFilter(_say_shortly)


@signals.worker_init.connect(weak=False)  # type: ignore[untyped-decorator]  # Celery has no types
def _prepare(**_: Any) -> None:
    here.prepare()


@signals.worker_process_init.connect(weak=False)  # type: ignore[untyped-decorator]  # no types
def _born(**_: Any) -> None:
    here.born()


@signals.worker_ready.connect(weak=False)  # type: ignore[untyped-decorator]  # no types
def _ready(sender: Any, **_: Any) -> None:
    # What forks works in its children; all others work here.
    if not sender.pool.uses_semaphore:
        here.open()


@signals.worker_shutting_down.connect(weak=False)  # type: ignore[untyped-decorator]  # no types
def _tell_to_end(**_: Any) -> None:
    here.tell_to_end()


@signals.worker_process_shutdown.connect(weak=False)  # type: ignore[untyped-decorator]  # no types
@signals.worker_shutdown.connect(weak=False)  # type: ignore[untyped-decorator]  # no types
def _close(**_: Any) -> None:
    here.close()
