"""Where a chaos run takes place: two network namespaces and what joins them, a small disk, and a
clock that can be set, as far as this machine lets us."""

from __future__ import annotations

import os
import shutil
import signal
import struct
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

NETWORK = "198.51.100"
OURS = f"{NETWORK}.200"
SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

static const volatile double *ahead;

static double seconds(void) {
    if (ahead == NULL) {
        const char *path = getenv("CHAOS_CLOCK");
        int file = path ? open(path, O_RDONLY) : -1;
        void *mapped = file < 0 ? MAP_FAILED : mmap(NULL, 8, PROT_READ, MAP_SHARED, file, 0);
        if (mapped == MAP_FAILED) return 0;
        ahead = mapped;
    }
    return *ahead;
}

int clock_gettime(clockid_t which, struct timespec *told) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
    int failed = real(which, told);
    if (!failed && which == CLOCK_REALTIME) told->tv_sec += (time_t)seconds();
    return failed;
}

time_t time(time_t *told) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (told) *told = now.tv_sec;
    return now.tv_sec;
}
"""


class CannotBe(Exception):
    """This machine does not let us do that; says why."""


@dataclass(frozen=True)
class Cable:
    """The web in one namespace, the fleet in the other."""

    there: str
    here: str
    addresses: tuple[str, ...]


def run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise CannotBe(f"{' '.join(command)}: {done.stderr.strip()}")


@contextmanager
def cable(count: int) -> Iterator[Cable]:
    if os.geteuid() != 0 or shutil.which("ip") is None:
        raise CannotBe("network namespaces need root and iproute2")
    number = uuid.uuid4().hex[:6]
    made = Cable(
        f"chaos-{number}-a", f"chaos-{number}-b", tuple(f"{NETWORK}.{n + 1}" for n in range(count))
    )
    run("ip", "netns", "add", made.there)
    try:
        run("ip", "netns", "add", made.here)
        run("ip", "-n", made.there, "link", "add", "far", "type", "veth",
            "peer", "name", "near", "netns", made.here)  # fmt: skip
        for address in made.addresses:
            run("ip", "-n", made.there, "addr", "add", f"{address}/24", "dev", "far")
        run("ip", "-n", made.there, "link", "set", "far", "up")
        run("ip", "-n", made.here, "link", "set", "lo", "up")
        run("ip", "-n", made.here, "addr", "add", f"{OURS}/24", "dev", "near")
        run("ip", "-n", made.here, "link", "set", "near", "up")
        yield made
    finally:
        for name in (made.there, made.here):
            _end_all(name)
            subprocess.run(["ip", "netns", "del", name], capture_output=True)


def _end_all(name: str) -> None:
    """Whoever is left in a namespace was started by us, by one that was ended before it could."""
    told = subprocess.run(["ip", "netns", "pids", name], capture_output=True, text=True)
    for pid in map(int, told.stdout.split()):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def pull_out() -> None:
    """To be called where the fleet is."""
    run("ip", "link", "set", "near", "down")


def plug_in() -> None:
    run("ip", "link", "set", "near", "up")


@contextmanager
def small_disk(folder: Path, size: int) -> Iterator[None]:
    """A disk in memory; nobody else sees it where `ip netns exec` gave us mounts of our own."""
    folder.mkdir(parents=True)
    run("mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder))
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(folder: Path) -> Path:
    """To the last byte."""
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(65_536))
        except OSError:
            return filler


class SetClock:
    """A wall clock for a process of ours, ahead of the machine's by as much as we like."""

    def __init__(self, folder: Path) -> None:
        compiler = shutil.which("cc") or shutil.which("gcc")
        if compiler is None:
            raise CannotBe("a clock that can be set needs a C compiler")
        source, self._shim = folder / "clock.c", folder / "clock.so"
        source.write_text(SHIM)
        run(compiler, "-shared", "-fPIC", "-O1", "-o", str(self._shim), str(source), "-ldl")
        self._file = folder / "clock"
        self.step(0.0)

    @property
    def environment(self) -> dict[str, str]:
        return {"LD_PRELOAD": str(self._shim), "CHAOS_CLOCK": str(self._file)}

    def step(self, seconds: float) -> None:
        with self._file.open("r+b" if self._file.exists() else "w+b") as file:
            file.write(struct.pack("d", seconds))
