"""Best-effort copies of new bodies, for readers in a hurry: one that fails holds up nothing.

The store has every body anyway: a copy that cannot be made holds up nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from typing import Annotated

from msgspec import Meta, Struct

from tenax.model.knobs import SECONDS
from tenax.ports import Shelf, Unavailable

log = logging.getLogger(__name__)


class BodyPolicy(Struct, frozen=True):
    """Bodies in Redis (STORE-3)."""

    ttl: Annotated[float, Meta(ge=1), SECONDS] = 3_600.0
    """Seconds that a body stays in Redis."""
    copy: bool = False
    """Keep a copy of each body in Redis, when `content` says that they are kept elsewhere."""


class Copies:
    """A shelf that is allowed to fail."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._is_lost = False

    async def put(self, pages: Iterable[tuple[bytes, bytes, bytes]]) -> None:
        try:
            await self._shelf.put(pages)
        except Unavailable as error:
            self._lost(error)
        else:
            self._found_again()

    async def renew(self, pages: Sequence[tuple[bytes, bytes]]) -> list[bool]:
        """While the shelf cannot be had all are said to be there: they could not be put there."""
        try:
            there = await self._shelf.renew(pages)
        except Unavailable as error:
            self._lost(error)
            return [True] * len(pages)
        self._found_again()
        return there

    def _lost(self, error: Unavailable) -> None:
        if not self._is_lost:
            log.warning("no copies of bodies are made: %s", error)
        self._is_lost = True

    def _found_again(self) -> None:
        if self._is_lost:
            log.warning("copies of bodies are made again")
        self._is_lost = False
