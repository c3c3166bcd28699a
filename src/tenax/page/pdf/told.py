"""How much of a PDF file is read, and what is told of it."""

from __future__ import annotations

from msgspec import Struct

MOST_PAGES = 1_000
"""Pages that are read of one file: what comes behind them is left out."""
MOST_CHARACTERS = 2_000_000
MOST_LINKS = 5_000
SECONDS = 20.0
"""How long reading one file may take."""
MEMORY = 512 * 2**20
"""Bytes it may take for that."""


class PdfAnswer(Struct, frozen=True):
    """What a file says, as it says it."""

    why: str = ""
    """Why it cannot be read: then nothing else is known."""
    title: str = ""
    subject: str = ""
    created: str = ""
    modified: str = ""
    pages: list[str] = []
    links: list[str] = []
