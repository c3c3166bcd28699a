"""What do we ask of the ledger for pages that nobody fetched? To keep them as if somebody had."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from tenax.model import Page, Target


class Imported(Struct, frozen=True):
    """A page from elsewhere, for the target it would have been fetched for."""

    target: Target
    page: Page
    url_hash: bytes


class Taken(Struct, frozen=True):
    """What became of some."""

    new: int = 0
    renewed: int = 0
    """Those that replaced an older page."""
    older: int = 0
    """Left out: the ledger has the page as new, or newer."""
    held: int = 0
    """Left out: a worker is just visiting the URL."""


class Imports(Protocol):
    async def take(self, job_id: int, pages: Sequence[Imported]) -> Taken:
        """Store them in one transaction, their targets done. Their bodies are stored before."""
