"""A process that has loaded the command already, and forks one for each that a test runs.

To load it takes a third of a second of a processor, and a run of all tests runs hundreds.
What a test gets is a process like any other: with its own folder, environment, group and files,
killed by its own signals, looked after and buried as usual. It differs in nothing but that its
modules are there when it begins: `tests/e2e/test_warm.py`. Where starting is the point, a test says
so: `is_cold`.
"""

from __future__ import annotations

import array
import atexit
import gc
import importlib
import json
import os
import pkgutil
import resource
import runpy
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO, Any

COLD = (sys.executable, "-m", "tenax.cli")
"""The command, to be started from nothing."""
_ROOT = Path(__file__).parents[1]
_ROOMS = ("tenax.cli", "tenax.compose", "tenax.adapters.sql", "tenax.adapters.libcurl")
_NOT_LOADED = ("tenax.compose.celery",)
"""Needs its settings to be loaded at all."""
_LIBRARIES = ("uvloop", "pycurl", "turbohtml", "sqlalchemy.dialects.sqlite.aiosqlite")
"""What the command loads when it needs it, by name."""
_BORN_WITH = dict(os.environ)
"""What the process that forks is given. A test may have changed ours by the time it is started."""
_MESSAGE = 1 << 17


class Forked:
    """A command that was forked; as much of `subprocess.Popen` as tests use."""

    def __init__(self, kennel: _Kennel, pid: int) -> None:
        self._kennel = kennel
        self.pid = pid
        self.returncode: int | None = None
        self._ends = os.pidfd_open(pid)

    def poll(self) -> int | None:
        with suppress(subprocess.TimeoutExpired):
            return self.wait(0)
        return None

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            waiting = select.poll()
            waiting.register(self._ends, select.POLLIN)
            if not waiting.poll(None if timeout is None else timeout * 1_000):
                raise subprocess.TimeoutExpired(str(self.pid), timeout or 0.0)
            os.close(self._ends)
            self.returncode = self._kennel.bury(self.pid)
        return self.returncode

    def send_signal(self, number: int) -> None:
        # Until it is buried its number is no other's.
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def start(
    arguments: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    out: IO[bytes],
    err: IO[bytes],
) -> Forked | subprocess.Popen[bytes]:
    """Run `tenax` with these arguments, in a group of its own and with nothing on its stdin."""
    if not hasattr(os, "pidfd_open") or _heeded(environment) != _heeded(_BORN_WITH):
        return start_cold([*COLD, *arguments], folder, environment, out, err)
    return _kennel().fork(arguments, folder, environment, out, err)


def start_cold(
    command: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    out: IO[bytes],
    err: IO[bytes],
) -> subprocess.Popen[bytes]:
    """The same from nothing, as a user's shell does it; any command."""
    return subprocess.Popen(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
        process_group=0,
    )  # fmt: skip


def worked() -> float:
    """Seconds of a processor that forked commands have had, as far as they are buried."""
    return _kennel().worked if _kennel.cache_info().currsize else 0.0


class _Kennel:
    """The process that forks, as tests see it."""

    def __init__(self) -> None:
        self._line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._turn = threading.Lock()
        self.worked = 0.0
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.warm"],
                cwd=_ROOT, env=_BORN_WITH, stdin=theirs.fileno(), stdout=subprocess.DEVNULL,
                start_new_session=True,
            )  # fmt: skip
        atexit.register(self.close)

    def fork(
        self,
        arguments: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        out: IO[bytes],
        err: IO[bytes],
    ) -> Forked:
        told = json.dumps([list(arguments), str(folder), dict(environment), _limits()]).encode()
        assert len(told) < _MESSAGE
        files = array.array("i", [out.fileno(), err.fileno()])
        with self._turn:
            self._line.sendmsg([told], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, files)])
            return Forked(self, int(self._answer()))

    def bury(self, pid: int) -> int:
        """The exit code of one that has ended."""
        with self._turn:
            self._line.send(str(pid).encode())
            code, worked = self._answer()
            self.worked += worked
            return int(code)

    def close(self) -> None:
        self._line.close()
        self._process.wait()

    def _answer(self) -> Any:
        heard = self._line.recv(_MESSAGE)
        assert heard, "the process that forks commands has died: see what it said"
        return json.loads(heard)


@cache
def _kennel() -> _Kennel:
    return _Kennel()


def _heeded(environment: Mapping[str, str]) -> dict[str, str]:
    """What a program heeds only while it starts; where else Python looks for modules is no such."""
    return {
        name: value
        for name, value in environment.items()
        if name.startswith(("PYTHON", "LD_")) and name != "PYTHONPATH"
    }


def _limits() -> dict[str, tuple[int, int]]:
    """What a process inherits from the one that starts it, by name: those of the test."""
    names = [name for name in dir(resource) if name.startswith("RLIMIT_")]
    return {name: resource.getrlimit(getattr(resource, name)) for name in names}


def _load() -> None:
    gc.disable()
    for room in _ROOMS:
        package = importlib.import_module(room)
        for module in pkgutil.walk_packages(package.__path__, f"{room}."):
            if not module.name.endswith("__main__") and module.name not in _NOT_LOADED:
                importlib.import_module(module.name)
    for name in _LIBRARIES:
        importlib.import_module(name)
    _make_what_is_always_the_same()
    gc.enable()
    gc.freeze()


def _make_what_is_always_the_same() -> None:
    """Tables and statements in SQLite's words, and the signatures of walls: half of what a crawl of
    a few pages takes."""
    import sqlalchemy as sa

    from tenax.adapters.sql.engine.bulk import _Prepared
    from tenax.adapters.sql.engine.sqlite import prepare
    from tenax.page.verdict.pattern_table import shipped

    shipped()
    engine = sa.create_engine("sqlite://")
    with engine.connect() as connection:
        prepare(connection)
        for statement in (each for each in gc.get_objects() if isinstance(each, _Prepared)):
            statement._compile(connection)
    engine.dispose()


def _serve() -> None:
    """Fork and bury as told. Returns in the process that is to run a command."""
    line = socket.socket(fileno=0)
    while True:
        # Not before it is asked for: the tests go on meanwhile.
        told, passed, _, _ = line.recvmsg(_MESSAGE, socket.CMSG_SPACE(8))
        if not told:
            os._exit(0)
        if not passed:
            _, status, usage = os.wait4(int(told), 0)
            worked = usage.ru_utime + usage.ru_stime
            line.send(json.dumps([os.waitstatus_to_exitcode(status), worked]).encode())
            continue
        files = array.array("i", passed[0][2])
        has_become, becoming = os.pipe()
        pid = os.fork()
        if not pid:
            line.detach()
            os.close(has_become)
            _become(*json.loads(told), *files)
            os.close(becoming)
            return
        for file in (*files, becoming):
            os.close(file)
        # As Popen does: whoever is told of a process finds its limits, folder and group in place.
        os.read(has_become, 1)
        os.close(has_become)
        line.send(str(pid).encode())


def _become(
    arguments: list[str],
    folder: str,
    environment: dict[str, str],
    limits: dict[str, list[int]],
    out: int,
    err: int,
) -> None:
    os.setpgid(0, 0)
    for name, limit in limits.items():
        resource.setrlimit(getattr(resource, name), (limit[0], limit[1]))
    os.chdir(folder)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for file, number in ((nothing, 0), (out, 1), (err, 2)):
        os.dup2(file, number)
        os.close(file)
    os.environ.clear()
    os.environ.update(environment)
    more = environment.get("PYTHONPATH", "").split(os.pathsep)
    sys.path[:1] = [folder, *(path for path in more if path and path not in sys.path)]
    sys.argv[1:] = arguments


if __name__ == "__main__":
    _load()
    _serve()
    runpy.run_module("tenax.cli", run_name="__main__", alter_sys=True)
