"""The fleet of a chaos run: roles that are started again when they end, as systemd does it, and all
that they say and tell, so that one can look for signs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from tempfile import TemporaryFile

from prometheus_client.parser import text_string_to_metric_families

from services.ports import free_ports
from tests import warm

RESTART = 2.0
"""Seconds until a role that has ended is started again."""
LAST_CALL = 120.0
"""Seconds that a role may take to end: the machine may be busy."""
_LOOK = 0.5
_SCRAPE = 2.0
"""Seconds between two scrapes of a role: each takes 20 ms of a processor. What is to be seen lasts
until it was."""
_ANSWER = 10.0
"""Seconds after which a role does not answer: the machine may be busy."""


@dataclass(frozen=True)
class Scraped:
    at: float
    role: str
    said: str | None
    """None when it did not answer."""

    @cached_property
    def values(self) -> Mapping[tuple[str, ...], float] | None:
        """By name and labels. To read it takes 20 ms of a processor, and few are ever looked at."""
        if self.said is None:
            return None
        return {
            (sample.name, *sample.labels.values()): sample.value
            for family in text_string_to_metric_families(self.said)
            for sample in family.samples
        }


@dataclass
class Role:
    name: str
    command: tuple[str, ...]
    environment: dict[str, str]
    port: int
    folder: Path
    process: warm.Forked | subprocess.Popen[bytes] | None = None
    ended_at: float = 0.0
    starts: int = 0
    is_held: bool = False
    """It is not to be started again yet."""

    def start(self) -> None:
        self.starts += 1
        with (self.folder / f"{self.name}.log").open("ab") as said:
            self.process = warm.start(self.command, self.folder, self.environment, said, said)

    def tree(self) -> list[int]:
        found, wanted = [], [self.process.pid] if self.process else []
        while wanted:
            each = wanted.pop()
            found.append(each)
            try:
                text = Path(f"/proc/{each}/task/{each}/children").read_text()
            except (FileNotFoundError, ProcessLookupError):
                continue
            wanted += map(int, text.split())
        return found

    def send(self, number: signal.Signals) -> None:
        """To it and all that it has started."""
        for pid in self.tree():
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                continue


@dataclass
class Fleet:
    folder: Path
    environment: dict[str, str]
    roles: dict[str, Role] = field(default_factory=dict)
    scraped: list[Scraped] = field(default_factory=list)
    latest: dict[str, Scraped] = field(default_factory=dict)
    _over: threading.Event = field(default_factory=threading.Event)
    _threads: list[threading.Thread] = field(default_factory=list)

    def add(self, name: str, *command: str, **more: str) -> None:
        (port,) = free_ports(1)
        own = {**self.environment, "TENAX_HEALTH__PORT": str(port), **more}
        self.roles[name] = Role(name, command, own, port, self.folder)

    def start(self) -> None:
        for role in self.roles.values():
            role.start()
        # Each by itself: one that is stopped holds nobody else up.
        scraping: list[Callable[[], None]] = [
            partial(self._keep_scraping, role) for role in self.roles.values()
        ]
        for work in [self._keep_running, *scraping]:
            thread = threading.Thread(target=work, daemon=True)
            thread.start()
            self._threads.append(thread)

    def stop(self) -> dict[str, int]:
        """Tell all to end; their exit codes. One that has just been started must have begun to
        listen."""
        with suppress(AssertionError):
            until(self.are_all_up, "every role answers", LAST_CALL)
        self._over.set()
        for thread in self._threads:
            thread.join()
        codes = {}
        for role in self.roles.values():
            assert role.process is not None
            role.process.send_signal(signal.SIGTERM)
        for name, role in self.roles.items():
            assert role.process is not None
            try:
                codes[name] = role.process.wait(LAST_CALL)
            except subprocess.TimeoutExpired:
                role.send(signal.SIGKILL)
                codes[name] = -9
        return codes

    def tenax(self, *command: str) -> subprocess.CompletedProcess[str]:
        with TemporaryFile() as out, TemporaryFile() as err:
            code = warm.start(command, self.folder, self.environment, out, err).wait()
            out.seek(0)
            err.seek(0)
            said, wrong = out.read().decode(), err.read().decode()
        return subprocess.CompletedProcess(command, code, said, wrong)

    def said(self, since: Mapping[str, int]) -> Iterator[tuple[str, str]]:
        """Lines of the logs behind these places, each with its role."""
        for name in self.roles:
            path = self.folder / f"{name}.log"
            if not path.exists():
                continue
            with path.open("rb") as file:
                file.seek(since.get(name, 0))
                for line in file:
                    yield name, line.decode(errors="replace")

    def places(self) -> dict[str, int]:
        paths = {name: self.folder / f"{name}.log" for name in self.roles}
        return {name: path.stat().st_size for name, path in paths.items() if path.exists()}

    def open_alerts(self) -> dict[object, str]:
        """Raised and not cleared since, as the logs have it: what and what about, by number."""
        raised: dict[object, str] = {}
        cleared = set()
        for _, line in self.said({}):
            facts = events(line) if "alert_" in line else {}
            if facts.get("event") == "alert_raised":
                raised[facts.get("id")] = f"{facts.get('what')} {facts.get('about', '')}".strip()
            elif facts.get("event") == "alert_cleared":
                cleared.add(facts.get("id"))
        return {id: told for id, told in raised.items() if id not in cleared}

    def silent(self) -> list[str]:
        """Who did not answer when last asked, or was not asked yet."""
        latest = {name: self.latest.get(name) for name in self.roles}
        return [name for name, each in latest.items() if each is None or each.said is None]

    def are_all_up(self) -> bool:
        return not self.silent()

    def _keep_running(self) -> None:
        while not self._over.wait(_LOOK):
            now = time.monotonic()
            for role in self.roles.values():
                assert role.process is not None
                if role.process.poll() is None:
                    role.ended_at = 0.0
                elif not role.ended_at:
                    role.ended_at = now
                elif now - role.ended_at > RESTART and not role.is_held:
                    role.ended_at = 0.0
                    role.start()

    def _keep_scraping(self, role: Role) -> None:
        while not self._over.wait(_SCRAPE):
            told = Scraped(time.monotonic(), role.name, _scrape(role.port))
            self.latest[role.name] = told
            self.scraped.append(told)


def _scrape(port: int) -> str | None:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=_ANSWER) as said:
            return str(said.read(), "utf-8")
    except OSError:
        return None


def events(line: str) -> dict[str, object]:
    """The facts of a line of the log; nothing for one of words."""
    try:
        told = json.loads(line)
    except json.JSONDecodeError:
        return {}
    return told if isinstance(told, dict) else {}


def until(condition: Callable[[], object], what: str, seconds: float) -> float:
    """Seconds that it took; raises AssertionError when it takes longer than it may."""
    begun = asked = time.monotonic()
    while not condition():
        now = time.monotonic()
        if now - begun > seconds:
            raise AssertionError(f"after {seconds:.0f} s still not: {what}")
        # The dearer a look, the rarer: it must not take from those it waits for.
        time.sleep(min(max(0.1, 4 * (now - asked)), 3.0))
        asked = time.monotonic()
    return time.monotonic() - begun
