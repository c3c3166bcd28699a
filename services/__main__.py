"""`python -m services [start|status|stop|fetch|clean] [NAME ...]`: what `make services` runs."""

from __future__ import annotations

import argparse
import shlex
import shutil
import sys
import time
from collections.abc import Sequence

from services.catalogue import NAMES, ROOT, shared
from services.errors import Missing


def main(given: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="services", description=__doc__)
    parser.add_argument("word", nargs="?", default="start", choices=WORDS)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(NAMES))
    asked = parser.parse_args(given)
    unknown = set(asked.names) - set(NAMES)
    if unknown:
        parser.error(f"no service {', '.join(sorted(unknown))}. There are: {', '.join(NAMES)}.")
    return WORDS[asked.word](asked.names or NAMES)


def start(names: Sequence[str]) -> int:
    """Prints what to export on standard output, everything else on the other."""
    failed = 0
    for name in names:
        begun = time.monotonic()
        try:
            service = shared(name)
            service.start(keep=True)
        except Missing as missing:
            _tell(f"{name}: unavailable. {missing}")
            failed = 1
            continue
        _tell(f"{name}: running on port {service.port} ({time.monotonic() - begun:.1f} s)")
        for key, value in service.exports.items():
            print(f"export {key}={shlex.quote(value)}", flush=True)
    return failed


def fetch(names: Sequence[str]) -> int:
    """Install, download and build what starting them needs, which may take minutes."""
    failed = 0
    for name in names:
        try:
            shared(name).kind.obtain()
        except Missing as missing:
            _tell(f"{name}: unavailable. {missing}")
            failed = 1
    return failed


def status(names: Sequence[str]) -> int:
    for name in names:
        service = shared(name)
        where = f"running on port {service.port}" if service.is_running() else "stopped"
        print(f"{name}: {where}")
    return 0


def stop(names: Sequence[str]) -> int:
    for name in names:
        service = shared(name)
        if service.is_running():
            service.stop()
            _tell(f"{name}: stopped")
    return 0


def clean(names: Sequence[str]) -> int:
    """Stop them and forget their data; the downloads stay."""
    for name in names:
        if shared(name).folder.exists():
            shared(name).remove()
    if not any(shared(name).folder.exists() for name in NAMES):
        shutil.rmtree(ROOT, ignore_errors=True)
    return 0


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


WORDS = {"start": start, "status": status, "stop": stop, "fetch": fetch, "clean": clean}

if __name__ == "__main__":
    sys.exit(main())
