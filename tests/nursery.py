"""A process that has loaded all tests already, and forks those of a parallel run from it.

To load them takes five seconds of a processor, and as long again where nothing is compiled yet. A
process that is forked goes through its own collection all the same, in a second and a half: it
finds the modules there. Whoever cannot be forked starts from nothing, and finds all compiled.

xdist starts a program for each of its workers and talks to it by its stdin and stdout. Here that
program hands these to the process that forks, and waits for its worker to end.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

_ME = str(Path(__file__).resolve())
_MESSAGE = 1 << 16
_FILES = (0, 1, 2)


class Nursery:
    """The process that forks, as the one sees it that hands out the tests."""

    def __init__(self, tests: Iterable[str], path: Path) -> None:
        """It is heard at this path from now on, and answers when it has loaded these."""
        self._path = path
        with socket.socket(socket.AF_UNIX) as door:
            door.bind(str(path))
            door.listen(64)
            self._process = subprocess.Popen(
                [sys.executable, _ME, str(door.fileno()), json.dumps(sys.path), *tests],
                stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                pass_fds=[door.fileno()],
            )  # fmt: skip

    @property
    def python(self) -> list[str]:
        """What to call instead of Python, with the same flags and program."""
        return [sys.executable, _ME, str(self._path)]

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
        self._path.unlink(missing_ok=True)


def can_fork() -> bool:
    """Elsewhere what libraries have begun may not outlive a fork."""
    return sys.platform == "linux"


def _be_forked(path: str, words: list[str]) -> None:
    """Hand over what we were given, and be there for as long as the process that has it now."""
    try:
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(path)
            socket.send_fds(line, [json.dumps(words).encode()], _FILES)
            if line.recv(1):
                line.recv(1)
                return
    except OSError:
        pass
    os.execv(sys.executable, [sys.executable, *words])


def _load(path: list[str], tests: list[str]) -> None:
    import pytest

    sys.path[:] = path
    # What a library keeps as stderr while it is imported has to be there to stay.
    flags = ["--collect-only", "-qq", "--capture=no", "-p", "no:xdist", "-p", "no:cacheprovider"]
    pytest.main([*flags, *tests])
    gc.collect()
    gc.freeze()


def _serve(door: socket.socket) -> str:
    """Fork for everybody who asks, until nobody is there who could. Returns in the process that is
    a worker what that is to run."""
    # They bury themselves.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        ready, _, _ = select.select([door.fileno(), 0], [], [])
        if door.fileno() not in ready:
            os._exit(0)
        line, _ = door.accept()
        told, files, _, _ = socket.recv_fds(line, _MESSAGE, len(_FILES))
        if told and can_fork() and not os.fork():
            door.close()
            _become(line, files)
            return str(json.loads(told)[-1])
        line.close()
        for file in files:
            os.close(file)


def _become(line: socket.socket, files: list[int]) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for file, number in zip(files, _FILES, strict=True):
        os.dup2(file, number)
        os.close(file)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115
    line.send(b"!")
    # Open for as long as this process is there.
    line.detach()


def _run(program: str) -> None:
    sys.modules["__main__"] = main = ModuleType("__main__")
    sys.argv[:] = ["-c"]
    exec(program, vars(main))


if __name__ == "__main__":
    if sys.argv[1].isdecimal():
        _load(json.loads(sys.argv[2]), sys.argv[3:])
        _run(_serve(socket.socket(fileno=int(sys.argv[1]))))
    else:
        _be_forked(sys.argv[1], sys.argv[2:])
