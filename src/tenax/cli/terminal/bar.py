"""A progress bar with figures, for what has an end; written over on a terminal."""

from __future__ import annotations

import time
from types import TracebackType

from tenax.cli.crawl.progress import LiveLine
from tenax.cli.terminal.say import duration

_WIDTH = 24
_LOOK_EVERY = 16


class Bar:
    """Told of progress as often as there is some; shows it when that is worth a line."""

    def __init__(self, total: int, noun: str = "pages", *, quiet: bool = False) -> None:
        self.total = total
        self._noun = noun
        self._line = None if quiet else LiveLine()
        self._started = time.monotonic()
        self._first: int | None = None
        self._ticks = 0

    def __enter__(self) -> Bar:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._line is not None:
            self._line.clear()

    def tick(self, done: int) -> None:
        """So many are done."""
        if self._first is None:
            # What was done before we began says nothing about how fast we are.
            self._first = done
        self._ticks += 1
        if self._line is None or self._ticks % _LOOK_EVERY or not self._line.is_due:
            return
        self._line.show(self.told(done, time.monotonic() - self._started))

    def told(self, done: int, seconds: float) -> str:
        rate = (done - (self._first or 0)) / seconds if seconds > 0 else 0.0
        figures = f"{done:,} {self._noun} · {rate:,.0f}/s"
        if not self.total:
            return figures
        share = min(1.0, done / self.total)
        full = int(share * _WIDTH)
        left = (self.total - done) / rate if rate else 0.0
        to_go = f" · {duration(left)} to go" if left >= 1 else ""
        bar = f"[{'#' * full}{'.' * (_WIDTH - full)}] {share:.0%}"
        return f"{bar} · {done:,} of {self.total:,} {self._noun} · {rate:,.0f}/s{to_go}"
