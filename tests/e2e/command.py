"""How do the tests run the command? As a user does: a process, a folder, signals, an exit code."""

from __future__ import annotations

import asyncio
import io
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tenax.cli.look.show_audit import audit_ledger
from tenax.compose.crawler import open_crawler
from tenax.model import UrlSource
from tenax.ports import PageRecord
from tenax.settings import load
from tests import warm

EVERY_SOURCE = ",".join(UrlSource)
"""For `job__discover`: as it is for users."""
PATIENCE = 240.0
"""Seconds until a process counts as hanging: generous, because the machine may be busy."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended and what it said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The one object on stdout; anything besides it is an error."""
        value = json.loads(self.out)
        assert isinstance(value, dict)
        return value


class Running:
    """A `tenax` command under way, talking to files: a pipe would tie us to its children."""

    def __init__(
        self,
        arguments: Sequence[str],
        folder: Path,
        environment: dict[str, str],
        *,
        cold: Sequence[str] = (),
    ) -> None:
        """With `cold` that is what is run, from nothing: see tests/warm.py."""
        self._process: warm.Forked | subprocess.Popen[bytes]
        self._said = Path(tempfile.mkdtemp(prefix="said-", dir=folder))
        with (self._said / "out").open("wb") as out, (self._said / "err").open("wb") as err:
            if cold:
                words = [*cold, *arguments]
                self._process = warm.start_cold(words, folder, environment, out, err)
            else:
                self._process = warm.start(arguments, folder, environment, out, err)
        self.pid = self._process.pid
        self._is_supervised = arguments[0] in ("crawl", "worker")
        self._crawler = self.pid

    @property
    def crawler(self) -> int:
        """The process that does the work: of a crawl or a worker not the one we have started, but
        the one that it looks after."""
        is_known = self._crawler != self.pid and is_alive(self._crawler)
        if self._is_supervised and self.is_alive and not is_known:
            until(lambda: children(self.pid) or not self.is_alive, "the crawling process is there")
            self._crawler = next(iter(children(self.pid)), self._crawler)
        return self._crawler

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def interrupt(self, number: signal.Signals = signal.SIGINT) -> None:
        if number in (signal.SIGSTOP, signal.SIGCONT) and self._is_supervised:
            os.kill(self.crawler, number)
        self._process.send_signal(number)

    def press_ctrl_c(self) -> None:
        """As a terminal does it: every process of the group gets the signal."""
        os.killpg(self.pid, signal.SIGINT)

    def kill(self) -> Ended:
        """kill -9, and the body is taken care of."""
        crawler = self.crawler
        self._process.kill()
        ended = self.wait()
        until(lambda: not is_alive(crawler), "what it looked after has ended with it")
        return ended

    def wait(self, seconds: float = PATIENCE) -> Ended:
        """Until it ends; TimeoutExpired tells where it hung."""
        code = self._process.wait(seconds)
        return Ended(code, self.out, self.err)

    @property
    def out(self) -> str:
        return (self._said / "out").read_text(errors="replace")

    @property
    def err(self) -> str:
        return (self._said / "err").read_text(errors="replace")

    def children(self) -> list[int]:
        """Whom the process that does the work has started."""
        return children(self.crawler)


class Tenax:
    """One data folder, and the commands run on it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.data = folder / "data"
        self.is_cold = False
        """Where how it starts is the point."""
        self._started: list[Running] = []

    def start(self, *arguments: str, **settings: object) -> Running:
        """Start a command; settings are dotted names with `__`, handed over by environment.

        Nothing is looked for besides links unless the test wants that: most count requests.
        """
        arguments = (*arguments, "--data", str(self.data))
        cold = warm.COLD if self.is_cold else ()
        running = Running(arguments, self.folder, self._environment(settings), cold=cold)
        self._started.append(running)
        return running

    def start_inside(self, namespace: str, *arguments: str, **settings: object) -> Running:
        """The same in a network namespace."""
        arguments = (*arguments, "--data", str(self.data))
        cold = ("ip", "netns", "exec", namespace, *warm.COLD)
        running = Running(arguments, self.folder, self._environment(settings), cold=cold)
        self._started.append(running)
        return running

    def start_celery(self, *flags: str, **settings: object) -> Running:
        """`celery -A tenax.adapters.celery worker`, told all by its environment. Its name is its
        own: tests that run at once may share a RabbitMQ."""
        environment = self._environment({"data": self.data, **settings})
        named = ("-n", f"{uuid.uuid4().hex}@%h")
        arguments = ("-A", "tenax.adapters.celery", "worker", "--loglevel", "INFO", *named, *flags)
        running = Running(
            arguments, self.folder, environment, cold=(sys.executable, "-m", "celery")
        )
        self._started.append(running)
        return running

    def _environment(self, settings: Mapping[str, object]) -> dict[str, str]:
        environment = {k: v for k, v in os.environ.items() if not k.startswith("TENAX_")}
        environment["TENAX_JOB__DISCOVER"] = ""
        # Beside other tests a browser that stands back gets nothing at all.
        environment["TENAX_BROWSER__NICE"] = "0"
        return environment | {f"TENAX_{name.upper()}": str(v) for name, v in settings.items()}

    def run(self, *arguments: str, **settings: object) -> Ended:
        return self.start(*arguments, **settings).wait()

    def start_crawl(self, *arguments: str, **settings: object) -> Running:
        """A crawl that may visit 127.0.0.1 and no other private address."""
        settings.setdefault("allow_private", "127.0.0.1/32")
        return self.start("crawl", *arguments, **settings)

    def crawl(self, *arguments: str, **settings: object) -> Ended:
        return self.start_crawl(*arguments, **settings).wait()

    def audit(self) -> Ended:
        """`tenax audit --bodies`, without a process of its own: to start one takes ten times as
        long, and nearly every test asks."""
        said = io.StringIO()
        settings = load({"data": str(self.data)}, environment={}).settings
        with redirect_stdout(said):
            code = asyncio.run(audit_ledger(settings, bodies=True, json=False))
        return Ended(code, said.getvalue(), "")

    def pages(self) -> list[PageRecord]:
        """Everything stored, in one list."""
        return asyncio.run(_pages(str(self.data)))

    @contextmanager
    def ledger(self) -> Iterator[sqlite3.Connection]:
        """A copy of the ledger, for a look that heals or changes nothing."""
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            for file in self.data.glob("ledger.db*"):
                if not file.name.endswith("-shm"):
                    shutil.copy(file, folder)
            with closing(sqlite3.connect(Path(folder) / "ledger.db")) as connection:
                yield connection

    def live(self, query: str) -> list[tuple[Any, ...]]:
        """Ask the ledger while others work on it."""
        path = f"file:{self.data}/ledger.db?mode=ro"
        with closing(sqlite3.connect(path, uri=True, timeout=10)) as connection:
            return connection.execute(query).fetchall()

    def clean_up(self) -> None:
        """End what a failed test left behind: by process id, nothing else."""
        for running in self._started:
            children = running.children()
            if running.is_alive:
                _kill(running.pid)
            for pid in children:
                _kill(pid)
            running.wait()


async def _pages(data: str) -> list[PageRecord]:
    found: list[PageRecord] = []
    async with open_crawler(load({"data": data}, environment={}).settings, create=False) as app:
        while batch := await app.ledger.pages.find(
            after=found[-1].target_id if found else 0, limit=1000
        ):
            found += batch
    return found


def until(condition: Callable[[], object], what: str, seconds: float = PATIENCE) -> None:
    """Look again and again: what other processes do cannot be awaited.

    The dearer a look, the rarer: it must not take from those it waits for.
    """
    deadline = time.monotonic() + seconds
    while True:
        begun = time.monotonic()
        if condition():
            return
        ended = time.monotonic()
        assert ended < deadline, f"after {seconds:.0f} s still not: {what}"
        time.sleep(min(max(0.005, 4 * (ended - begun)), 3.0))


def is_alive(pid: int) -> bool:
    """Whether the process runs; one that only waits to be buried does not."""
    state = _stat(pid)
    return state is not None and state[0] not in "ZX"


def is_stopped(pid: int) -> bool:
    """Whether SIGSTOP has reached every thread."""
    threads = Path(f"/proc/{pid}/task").iterdir()
    return all((state := _stat(f"{pid}/task/{each.name}")) and state[0] == "T" for each in threads)


def children(pid: int) -> list[int]:
    found = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal()]
    return [each for each in found if (state := _stat(each)) and state[1] == str(pid)]


def _stat(pid: int | str) -> list[str] | None:
    """State and parent of a process, as the kernel tells them."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return text.rpartition(")")[2].split()[:2]


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
