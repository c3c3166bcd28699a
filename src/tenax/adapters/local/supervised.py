"""Does somebody look after this process? Tells its supervisor which reading note is ours.

The supervisor (`cli/terminal/supervisor.py`) hands a pipe down to the process that crawls and to
those that it starts. Programs that use Tenax as a library have none, and nobody is told.
"""

from __future__ import annotations

import os
from pathlib import Path

LINE = "_TENAX_SUPERVISOR"
"""The environment names the pipe: its number, and its inode, so that none is taken for it."""


def report(path: Path, seconds: float, memory: int) -> None:
    """Let the reading note in this file be watched: how long one page may take, and how much."""
    pipe = inherited()
    if pipe is not None:
        line = f"watch {os.getpid()} {seconds:g} {memory} {path.resolve()}\n".encode()
        # Longer, it could be mixed with what others write.
        if len(line) <= 4096:
            os.write(pipe, line)


def inherited() -> int | None:
    number, _, inode = os.environ.get(LINE, "").partition(":")
    try:
        return int(number) if os.fstat(int(number)).st_ino == int(inode) else None
    except (ValueError, OSError):
        return None
