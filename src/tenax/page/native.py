"""Was the compiled half of this room built? It is faster, and never says anything else.

Installing Tenax builds it from `native/` where there is a C compiler. Without, everything that it
does is done in Python.
"""

from __future__ import annotations

from importlib import import_module
from typing import Protocol, cast
from zlib import crc32

from tenax.page import rules

Row = tuple[str, dict[str, str], str | None, bool]
"""An element: its tag, its attributes that anybody asks for, its text where that is asked for,
whether it stands in an article."""
Rel = tuple[str, str | None]
Told = tuple[list[Row], list[str], list[Rel], list[Rel], bytes, bytes, int]
"""Elements; hrefs without fragments; anchors, then areas, that have a rel; the main text in UTF-8,
as it is and with every text node on a line of its own, and about how many words it has."""


class Native(Protocol):
    RULES: int
    """A fingerprint of the rules that it was compiled with."""

    def scan(self, body: bytes, /) -> Told | None:
        """What a page in UTF-8 holds; None when only its tree can tell."""

    def bare(self, written: bytes, /) -> bytes:
        """`text.bare`."""

    def simhash(
        self, bare: bytes, tables: tuple[bytes, ...], dense: bytes, of_figures: bytes, /
    ) -> int | None:
        """`similar.simhash`, with the tables that it cuts by."""

    def sketch(self, sampled: bytes, table: bytes, own: bytes, /) -> tuple[int, ...]:
        """`sketch.sketch`, with the table that it cuts by, and hashes of four bytes each."""

    def mentions(self, body: bytes, word: bytes, rarest: int, /) -> bool:
        """Whether the word is in the body; `rarest` is its letter that is met least often."""


def _load() -> Native | None:
    try:
        built = cast(Native, import_module("tenax.page._native"))
    except ImportError:
        return None
    # Compiled from other sources than these, it might say something else.
    return built if getattr(built, "RULES", None) == _fingerprint() else None


def _fingerprint() -> int:
    """Of rules.py; `native/header.py` computes it as well, when it is compiled."""
    named = {name: rule for name, rule in vars(rules).items() if name.isupper()}
    return crc32(repr(sorted(named.items())).encode())


NATIVE = _load()
