"""What has a host taught of where its pages are? Numbered listings, archives by date, names."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct, field


class PageSeries(Struct, frozen=True):
    """A listing in numbered pages (DISC-3). Its key is their path, with {n} for the number."""

    low: int
    """The lowest number that was named or read."""
    high: int
    """The highest one."""
    is_offset: bool = False
    """It counts what the pages list (0, 20, 40), not the pages."""
    units: tuple[int, int] = (1, 1)
    """The greatest common divisor of its numbers, and of its numbers less one: an offset's step."""
    has_neighbours: bool = False
    """Two numbers were seen of which one follows the other."""
    leads_on: bool = False
    """One of its pages was the first to name a later one: so the last of them names none."""
    read: int = -1
    """The highest one that brought something."""
    filled: int = -1
    """All up to this one are known or were asked for."""
    between: int = 0
    """Guesses between two known ones that brought something."""
    beyond: int = 0
    """Guesses beyond the last known one that did."""
    missed: tuple[int, ...] = ()
    """Guesses that brought nothing. More than one only where several waited for an answer."""
    ended: str = ""
    """Why it is guessed no more; empty while it may be."""


class DateArchive(Struct, frozen=True):
    """Pages filed by date under one path (DISC-2). Periods are 2025 for a year, 202503 for a
    month; they stand in order."""

    yearly: str
    """The path of a year's page, with {Y} for the year."""
    monthly: str
    """Of a month's, with {M} for 03 or {m} for 3 besides."""
    has_succeeded: bool = False
    """Something filed there was read: until then nothing is guessed."""
    dated: tuple[int, ...] = ()
    """Periods that something is in: with its date in its path, or on their page."""
    there: tuple[int, ...] = ()
    """Those that have a page."""
    missing: tuple[int, ...] = ()
    """Those that have none."""
    named: tuple[int, ...] = ()
    """Those whose page the site names: it is visited without a guess."""
    listed: tuple[int, ...] = ()
    """Years whose page names their months: nothing is to be guessed there."""
    hits: tuple[int, ...] = ()
    """Those whose page was guessed, and brought something new."""
    misses: tuple[int, ...] = ()
    """The same, and it brought nothing or was not there."""
    has_ids: bool = False
    """Numbers stand where its years do that are none."""


class PathAnswer(StrEnum):
    """What became of a well-known path."""

    HIT = "hit"
    MISS = "miss"
    UNASKED = "unasked"
    """The site names it itself, or we may not ask for it."""


class HostRules(Struct, frozen=True):
    """Everything a host has taught that guesses are made from."""

    origin: str = ""
    """Of the last page read: what guesses are put behind. Empty while there was none."""
    series: dict[str, PageSeries] = field(default_factory=dict)
    archives: dict[str, DateArchive] = field(default_factory=dict)
    names: dict[str, PathAnswer] = field(default_factory=dict)
    asked: dict[str, float] = field(default_factory=dict)
    """Guesses without an answer yet, by path: when they were made."""
    looked_at: float = 0.0
    """When archives were last looked for, or the host was met."""
