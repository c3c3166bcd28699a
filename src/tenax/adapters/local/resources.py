"""How much of this machine is left: the disk of a folder, and the memory that we have taken."""

from __future__ import annotations

import os


def free_share(folder: str) -> float | None:
    """The share of the folder's disk that we may still write; None where nobody can tell."""
    try:
        found = os.statvfs(folder)
    except (OSError, AttributeError):
        return None
    return found.f_bavail / found.f_blocks if found.f_blocks else None


def resident() -> int:
    """Bytes of memory in use by this process; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")
    except (OSError, IndexError, ValueError):
        return 0


class Machine:
    """The machine that a data folder is on."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def free(self) -> float | None:
        return free_share(self._folder)

    def resident(self) -> int:
        return resident()
