"""Work tried first in a copy of this process, forked, which may die of it.

Handlers of a program can be called nowhere else: no other process has them. The copy keeps nothing
of what it does, and the kernel ends it with us and after a while. It costs some milliseconds, for
pages that somebody has died of (decision 0029).
"""

from __future__ import annotations

import asyncio
import faulthandler
import fcntl
import gc
import logging
import os
import signal
import sys
import warnings
from collections.abc import Awaitable, Callable
from typing import NoReturn

from tenax.adapters.local.read_alone import OVER_MEMORY, how_it_ended, keep_within
from tenax.fetch.fetch_policy import ReadingPolicy
from tenax.fetch.reading import Died

Work = Callable[[], Awaitable[object]]
_WELL = 66
"""Nobody ends with this code by chance."""
_UNCLEAR = (-signal.SIGKILL, -signal.SIGTERM, -signal.SIGALRM)
"""Somebody else ended it; or it took too long, as what waits for a thread does: a copy has only the
one that made it."""


class ForkedRehearsal:
    def __init__(self, limits: ReadingPolicy) -> None:
        self._limits = limits

    async def died(self, work: Work, seconds: float) -> Died | None:
        """`seconds` come on top of what reading a page may take."""
        if not hasattr(fcntl, "F_SETSIG"):
            # Nothing would end the copy with us; and on macOS libraries abort in any copy.
            return Died("it is not rehearsed on this system", is_sure=False)
        limit = self._limits.seconds + seconds
        try:
            child, lifeline = self._fork(work, limit)
        except OSError as error:
            return Died(f"no process could be started: {error}", is_sure=False)
        try:
            _, status = await asyncio.to_thread(os.waitpid, child, 0)
        finally:
            os.close(lifeline)  # which ends it, when we do not wait any more
        code = os.waitstatus_to_exitcode(status)
        if code == _WELL:
            return None
        how = how_it_ended(code, limit, self._limits.memory)
        return Died(how, is_sure=code not in _UNCLEAR)

    def _fork(self, work: Work, limit: float) -> tuple[int, int]:
        """The child, and what keeps it alive for as long as it is open."""
        us = os.getpid()
        lives, lifeline = os.pipe()
        try:
            with warnings.catch_warnings():
                # From 3.12 on, of threads: only this one goes on, and calls nothing of theirs.
                warnings.simplefilter("ignore", DeprecationWarning)
                child = os.fork()
        except OSError:
            os.close(lives)
            os.close(lifeline)
            raise
        if not child:
            os.close(lifeline)
            self._rehearse(work, limit, us, lives)
        os.close(lives)
        return child, lifeline

    def _rehearse(self, work: Work, limit: float, parent: int, lives: int) -> NoReturn:
        code = _WELL
        try:
            gc.disable()  # no object of ours is to say goodbye to a server
            _end_with(lives)
            if os.getppid() != parent:
                os._exit(_WELL)
            signal.set_wakeup_fd(-1)
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1):
                signal.signal(number, signal.SIG_IGN)
            logging.disable()
            faulthandler.disable()
            silence = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silence, 1)
            os.dup2(silence, 2)
            sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - as long as we live
            keep_within(limit, self._limits.memory)
            asyncio.run(_whole(work))
        except MemoryError:
            code = OVER_MEMORY
        except BaseException:
            pass  # it will be raised where it is done for good, and be told there
        finally:
            os._exit(code)


async def _whole(work: Work) -> None:
    await work()


def _end_with(pipe: int) -> None:
    """The kernel ends us when the other end of this pipe is closed, whatever we are doing then. Its
    locks on files are ours as well: whoever dies must not seem to be alive."""
    fcntl.fcntl(pipe, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(pipe, fcntl.F_SETSIG, signal.SIGKILL)
    flags = fcntl.fcntl(pipe, fcntl.F_GETFL)
    fcntl.fcntl(pipe, fcntl.F_SETFL, flags | os.O_ASYNC)
