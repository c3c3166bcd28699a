"""Best-effort copies of new bodies, for readers in a hurry: one that fails holds up nothing.

The store has every body anyway: a copy that cannot be made holds up nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
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
    """Keep a copy of each new body in Redis, when `content` says that they are kept elsewhere."""


class Copies:
    """A shelf that is allowed to fail."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._is_lost = False

    async def put(self, pages: Iterable[tuple[bytes, bytes, bytes]]) -> None:
        try:
            await self._shelf.put(pages)
        except Unavailable as error:
            if not self._is_lost:
                log.warning("no copies of bodies are made: %s", error)
            self._is_lost = True
            return
        if self._is_lost:
            log.warning("copies of bodies are made again")
        self._is_lost = False
