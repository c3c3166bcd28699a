"""How long does a share of the tests take? As long as it did when somebody last measured.

    make test ARGS=--keep-costs

writes `tests/costs.json` anew. Nothing but the order of tests depends on it, so it may be old; what
is not in it is short or new, and counts as of middle length.
"""

from __future__ import annotations

import json
import os
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests import warm

FILE = Path(__file__).with_name("costs.json")
SHORT = 1.0
"""Seconds below which it is not worth a line."""


def load(file: Path = FILE) -> dict[str, float]:
    return dict(json.loads(file.read_text())) if file.exists() else {}


def seconds_by(known: Mapping[str, float]) -> Callable[[str], float]:
    middle = statistics.median(known.values()) if known else 0.0
    return lambda scope: known.get(without_case(scope), middle)


def worth_keeping(
    took: Iterable[tuple[str, float]], scope_of: Callable[[str], str]
) -> dict[str, float]:
    """What each share takes: a file all its tests, a single test its longest case."""
    shares: dict[str, float] = {}
    for name, seconds in took:
        shares[scope_of(name)] = shares.get(scope_of(name), 0.0) + seconds
    longest: dict[str, float] = {}
    for scope, seconds in shares.items():
        longest[without_case(scope)] = max(seconds, longest.get(without_case(scope), 0.0))
    return {name: round(longest[name], 1) for name in sorted(longest) if longest[name] >= SHORT}


def without_case(name: str) -> str:
    """The test of which this may be one of many cases."""
    return name.partition("[")[0]


class Stopwatch:
    """What each test of a run took, told by all its processes: a line each."""

    def __init__(self, file: Path) -> None:
        self._file = file

    @contextmanager
    def measured(self, name: str) -> Iterator[None]:
        begun, worked = time.monotonic(), _worked()
        try:
            yield
        finally:
            line = [name, round(time.monotonic() - begun, 3), round(_worked() - worked, 3)]
            with self._file.open("a") as file:
                file.write(json.dumps(line) + "\n")

    def keep(
        self, scope_of: Callable[[str], str], waits: Callable[[str], bool], file: Path = FILE
    ) -> str:
        """Write it down, and say in a line what all of it was. Of what only computes that is the
        processor's time: who stands back is slow when others are not."""
        lines = [json.loads(line) for line in self._file.read_text().splitlines()]
        counted = ((name, took if waits(name) else worked) for name, took, worked in lines)
        kept = worth_keeping(counted, scope_of)
        file.write_text(json.dumps(kept, indent=0) + "\n")
        took, worked = sum(line[1] for line in lines), sum(line[2] for line in lines)
        return f"{len(lines)} tests took {took:.0f} s, {worked:.0f} s of a processor: {file.name}"

    def forget(self) -> None:
        self._file.unlink(missing_ok=True)


def _worked() -> float:
    """Seconds of a processor that this process has had, and those it started and has seen end.
    Servers that are shared are not among them."""
    had = os.times()
    return had.user + had.system + had.children_user + had.children_system + warm.worked()
