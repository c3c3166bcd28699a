"""One thread for handlers that are no coroutines: one at a time, so that they need no locks, and
away from the event loop, so that a slow one holds up nothing but the visits that wait for it.

Whoever takes too long is interrupted at his next Python instruction. One that is not to be
interrupted, because it waits in C, is left behind with its thread, and a new one takes over.
"""

from __future__ import annotations

import asyncio
import ctypes
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, Generic, TypeVar

T = TypeVar("T")
_GRACE = 1.0
"""Seconds from the interruption until it is given up."""


class HandlerStuck(Exception):
    """It did not end, and was left behind."""


class HandlerOverdue(BaseException):
    """Raised inside of a handler that takes too long; no `except Exception` of its own holds it."""


class _Call(Generic[T]):
    """What is to be done, and who waits for it."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._loop = asyncio.get_running_loop()
        self.answer: asyncio.Future[T] = self._loop.create_future()
        self.is_over = False
        self.lock = Lock()

    def run(self) -> None:
        result: Any = None
        error: BaseException | None = None
        try:
            result = self._work()
        except (Exception, HandlerOverdue) as raised:
            error = raised
            if isinstance(raised, StopIteration):  # no future can hold one
                error = RuntimeError("the handler raised StopIteration")
        except BaseException as raised:
            # sys.exit() in a handler ends the handler.
            error = RuntimeError(f"the handler raised {type(raised).__name__}")
        with self.lock:
            self.is_over = True
        with suppress(RuntimeError):  # the loop may be closed by the time a stuck one comes back
            self._loop.call_soon_threadsafe(self._tell, result, error)

    def _tell(self, result: Any, error: BaseException | None) -> None:
        if self.answer.done():
            return  # nobody waits any more
        if error is not None:
            self.answer.set_exception(error)
        else:
            self.answer.set_result(result)


class HandlerThread:
    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._calls: SimpleQueue[_Call[Any] | None] | None = None
        self._thread: Thread | None = None

    async def call(self, work: Callable[[], T], seconds: float) -> T:
        """What the work answers. Raises what it raises, `HandlerOverdue` when it took longer than
        this, and `HandlerStuck` when it could not be ended either."""
        async with self._turn:
            call = _Call(work)
            self._queue().put(call)
            done, _ = await asyncio.wait((call.answer,), timeout=seconds)
            if not done:
                self._interrupt(call)
                done, _ = await asyncio.wait((call.answer,), timeout=_GRACE)
            if not done:
                # It keeps its thread, which ends with it or with the process.
                self.close()
                raise HandlerStuck
            return call.answer.result()

    def close(self) -> None:
        if self._calls is not None:
            self._calls.put(None)
        self._calls = self._thread = None

    def _queue(self) -> SimpleQueue[_Call[Any] | None]:
        if self._calls is None:
            self._calls = SimpleQueue()
            # Nobody waits for it at the end of the process, where a handler hangs in it.
            self._thread = Thread(
                target=_serve, args=(self._calls,), name="tenax-handlers", daemon=True
            )
            self._thread.start()
        return self._calls

    def _interrupt(self, call: _Call[Any]) -> None:
        thread = self._thread
        with call.lock:
            if not call.is_over and thread is not None and thread.ident is not None:
                raised = ctypes.py_object(HandlerOverdue)
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), raised)


def _serve(calls: SimpleQueue[_Call[Any] | None]) -> None:
    while True:
        try:
            call = calls.get()
            if call is None:
                return
            call.run()
            del call  # or the page would be kept until the next one comes
        except HandlerOverdue:
            continue  # it came when all was done already
