"""The browser pool: one takes new pages; a worn one is drained while the next is started (FE-10).

At most one browser takes new pages. A worn one finishes those it has while the next one is
already started; nothing is started before somebody asks for a page.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from tenax.adapters.browser import trust, watch
from tenax.adapters.browser.policy import BrowserPolicy, worn
from tenax.adapters.browser.process import BrowserProcess, NoBrowser
from tenax.adapters.libcurl.roots import common_roots
from tenax.ports import Clock

log = logging.getLogger(__name__)

_MEMORY_EVERY = 2.0
_HEALTH_SECONDS = 10.0


class Member:
    """A browser and how it has fared."""

    def __init__(self, process: BrowserProcess, now: float) -> None:
        self.process = process
        self.started_at = self.well_at = now
        self.pages = 0
        self.errors = 0
        self.memory = 0
        self.visits = 0
        self.is_retired = False
        self.is_broken = False
        """Opens no pages any more."""

    def went(self, is_sound: bool, now: float) -> None:
        self.pages += 1
        self.errors = 0 if is_sound else self.errors + 1
        if is_sound:
            self.well_at = now


class BrowserPool:
    def __init__(self, policy: BrowserPolicy, clock: Clock, roots: str = "") -> None:
        self._policy = policy
        self._roots = roots
        self._trusts: Path | None = None
        self._clock = clock
        self._slots = asyncio.Semaphore(policy.concurrency)
        self._starting = asyncio.Lock()
        self._current: Member | None = None
        self._members: set[Member] = set()
        self._closings: set[asyncio.Task[None]] = set()
        self._care: asyncio.Task[None] | None = None
        self._numbers = itertools.count(1)
        self._folder: Path | None = None
        self._watcher: subprocess.Popen[bytes] | None = None

    @asynccontextmanager
    async def member(self, proxy: str) -> AsyncIterator[Member]:
        """A browser for one visit, in its turn; raises NoBrowser."""
        async with self._slots:
            member = await self._ready(proxy)
            member.visits += 1
            try:
                yield member
            finally:
                member.visits -= 1
                if self._wear(member):
                    self._retire(member)
                self._close_if_done(member)

    async def close(self) -> None:
        """When nobody has a member any more: ends them all, and what watches over them."""
        if self._care is not None:
            self._care.cancel()
            await asyncio.gather(self._care, return_exceptions=True)
        for member in list(self._members):
            self._retire(member)
        await asyncio.gather(*self._closings, return_exceptions=True)
        await self._end_watch()

    async def _ready(self, proxy: str) -> Member:
        async with self._starting:
            if self._current is not None and self._wear(self._current):
                self._retire(self._current)
            if self._current is None:
                folder = self._next_folder()
                if self._roots:
                    await self._learn_trust(folder.parent / "trust")
                process = await BrowserProcess.start(self._policy, folder, proxy, self._trusts)
                self._current = Member(process, self._clock.now())
                self._members.add(self._current)
                self._care = self._care or asyncio.create_task(self._look_after())
            return self._current

    def _wear(self, member: Member) -> str:
        if member.is_broken or not member.process.is_connected:
            return "gone"
        return worn(
            self._policy,
            pages=member.pages + member.visits,
            age=self._clock.now() - member.started_at,
            memory=member.memory,
            errors=member.errors,
        )

    def _retire(self, member: Member) -> None:
        """No new pages; it ends with its last one."""
        member.is_retired = True
        if self._current is member:
            self._current = None
        self._close_if_done(member)

    def _close_if_done(self, member: Member) -> None:
        if member.is_retired and not member.visits and member in self._members:
            self._members.discard(member)
            task = asyncio.create_task(member.process.close())
            self._closings.add(task)
            task.add_done_callback(self._closings.discard)

    async def _look_after(self) -> None:
        """Memory every two seconds, health every `health_every`, for as long as the pool lives."""
        while True:
            await self._clock.sleep(min(_MEMORY_EVERY, self._policy.health_every))
            for member in list(self._members):
                await self._examine(member)

    async def _examine(self, member: Member) -> None:
        member.memory = await member.process.memory()
        if member.memory >= 2 * self._policy.memory:
            await member.process.kill()  # the visits in it fail; better than all of us
        elif self._clock.now() - member.well_at >= self._policy.health_every:
            is_healthy = await member.process.is_healthy(_HEALTH_SECONDS)
            member.well_at = self._clock.now()
            member.is_broken = not is_healthy
        if self._wear(member):
            self._retire(member)

    # The folder all browsers live in, and the process that outlives us to remove it.

    def _next_folder(self) -> Path:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="tenax-browser-"))
        if self._watcher is None or self._watcher.poll() is not None:
            self._watcher = _start_watch(self._folder)
        return self._folder / str(next(self._numbers))

    async def _learn_trust(self, folder: Path) -> None:
        """Once, for all browsers: what the crawl trusts and a browser does not by itself."""
        roots, self._roots = self._roots, ""
        found = await asyncio.to_thread(trust.unknown, roots, common_roots())
        if not found:
            return
        trouble = await asyncio.to_thread(trust.install, found, str(folder))
        if trouble:
            what = "the browser does not trust the %d certificates of %s that are your own: %s"
            log.warning(what, len(found), roots, trouble)
        else:
            self._trusts = folder

    async def _end_watch(self) -> None:
        watcher, self._watcher = self._watcher, None
        if watcher is None or watcher.stdin is None:
            return
        with suppress(OSError):
            watcher.stdin.write(watch.FAREWELL)
            watcher.stdin.close()
        await asyncio.to_thread(watcher.wait)


def _start_watch(folder: Path) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            [sys.executable, "-I", "-S", watch.__file__, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,
        )
    except OSError as error:
        raise NoBrowser(f"no process to watch over the browser: {error}") from error
