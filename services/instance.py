"""One server of our own: started once however many ask, found again, taken down and up."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import secrets
import shutil
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from services import processes
from services.errors import Missing
from services.kind import Kind, Place
from services.ports import free_ports, wait_for_free


@dataclass(frozen=True, slots=True)
class State:
    """What is kept about an instance between the processes that use it."""

    pid: int = 0
    birth: str = ""
    ports: tuple[int, ...] = ()
    secret: str = ""
    kept: bool = False
    """Whether a person asked for it: then no test run stops it."""
    users: tuple[int, ...] = ()
    """The test runs that use it: the last one to end stops it."""
    options: dict[str, str] = field(default_factory=dict)


class Service:
    """A server in a folder. Its ports and password stay the same over restarts."""

    def __init__(self, kind: Kind, folder: Path, *, options: dict[str, str] | None = None) -> None:
        self.kind = kind
        self.folder = folder
        self._options = options or {}

    @property
    def name(self) -> str:
        return self.kind.name

    @property
    def url(self) -> str:
        return self.kind.url(self._place(self._read()))

    @property
    def port(self) -> int:
        return self._place(self._read()).port

    @property
    def exports(self) -> dict[str, str]:
        return self.kind.exports(self._place(self._read()))

    @property
    def log(self) -> Path:
        return self.folder / "log"

    def is_running(self) -> bool:
        state = self._read()
        return processes.is_alive(state.pid, state.birth)

    def start(self, *, keep: bool = False, user: int = 0) -> None:
        """Have it running and answering; nothing to do when it is. Raises `Missing`."""
        self.kind.obtain()
        with self._alone():
            state = self._read()
            living = [pid for pid in state.users if _exists(pid)]
            users = tuple(sorted({*living, *([user] if user else [])}))
            state = replace(state, kept=keep or (state.kept and self.is_running()), users=users)
            if not processes.is_alive(state.pid, state.birth):
                state = self._launch(state, user)
            self._write(state)

    def stop(self) -> None:
        """End it in good order; what it was told is on disk."""
        with self._alone():
            self._stop()

    def kill(self) -> None:
        """End it as a crash does."""
        with self._alone():
            state = self._read()
            processes.kill(state.pid, state.birth)

    def let_go(self, user: int) -> None:
        """A test run is over: end it unless another run, or a person, still wants it."""
        if not self.folder.exists():
            return
        with self._alone():
            state = self._read()
            if user not in state.users:
                return
            users = tuple(pid for pid in state.users if pid != user and _exists(pid))
            self._write(replace(state, users=users))
            if not users and not state.kept:
                self._stop()

    def remove(self) -> None:
        """End it and forget its data."""
        self.stop()
        shutil.rmtree(self.folder)

    def _launch(self, state: State, user: int) -> State:
        ports = state.ports
        if not ports or not wait_for_free(ports):
            ports = tuple(free_ports(self.kind.ports))
        secret = state.secret or secrets.token_hex(8)
        state = replace(state, ports=ports, secret=secret, options=self._options or state.options)
        place = self._place(state)
        self.kind.prepare(place)
        started = self.kind.launch(place)
        pid, birth = processes.launch(
            started.command, dict(started.environment), self.folder, self.log, user=user
        )
        state = replace(state, pid=pid, birth=birth)
        # Written before it is known to work: whatever happens now, somebody can end it.
        self._write(state)
        try:
            self._wait(state, place)
            self.kind.furnish(place)
        except BaseException:
            processes.kill(state.pid, state.birth)
            raise
        return state

    def _wait(self, state: State, place: Place) -> None:
        until = time.monotonic() + self.kind.patience
        while not self.kind.is_ready(place):
            if not processes.is_alive(state.pid, state.birth):
                raise Missing(f"{self.name} ended while starting: {self._last_words()}")
            if time.monotonic() > until:
                raise Missing(
                    f"{self.name} did not answer in {self.kind.patience:.0f} s:"
                    f" {self._last_words()}"
                )
            time.sleep(0.05)

    def _stop(self) -> None:
        state = self._read()
        processes.end(state.pid, state.birth, how=self.kind.farewell, patience=20)
        self._write(replace(state, kept=False, users=()))

    def _last_words(self) -> str:
        lines = self.log.read_text(errors="replace").strip().splitlines()
        return " / ".join(lines[-3:]) + f" (all of it: {self.log})"

    def _place(self, state: State) -> Place:
        return Place(self.folder, state.ports, state.secret, state.options)

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """One process at a time decides about this instance."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _read(self) -> State:
        try:
            kept = json.loads((self.folder / "state.json").read_text())
        except FileNotFoundError:
            return State()
        return State(**{**kept, "ports": tuple(kept["ports"]), "users": tuple(kept["users"])})

    def _write(self, state: State) -> None:
        partial = self.folder / "state.part"
        partial.touch(mode=0o600)
        partial.write_text(json.dumps(asdict(state)))
        partial.rename(self.folder / "state.json")


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
