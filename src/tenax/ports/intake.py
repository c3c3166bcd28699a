"""What do we ask of those who bring URLs and bodies to and from others? Lists anybody can write."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from msgspec import Struct

LONGEST_ITEM = 65_536
"""Bytes of an item that are looked at: no URL is longer, nor what a program says of one."""


class Unwanted(Struct, frozen=True):
    """An item that could not be taken in, and why."""

    item: bytes
    reason: str
    detail: str = ""


class IntakeQueue(Protocol):
    """URLs that other programs push. What is taken stays on record until it is settled, and goes
    back to the front of the queue when its taker dies."""

    async def take(self, most: int) -> list[bytes]:
        """The next items, in order, not to be taken by others; first those not settled yet.

        Fewer than `most` where they are large. Of one that is longer than `LONGEST_ITEM` so much is
        kept that it shows: anybody may push anything, and a few of these would block all others.
        """

    async def settle(self, unwanted: Sequence[Unwanted] = (), back: Sequence[bytes] = ()) -> None:
        """All that was taken is dealt with: it is stored elsewhere, is a dead letter, or goes back
        to where it was taken from."""

    async def recover(self) -> int:
        """Put back what dead takers had not settled; how many items."""

    async def leave(self) -> None:
        """Put back what is not settled, and take no more."""


class Shelf(Protocol):
    """The latest body of each page under the hash of its URL, for readers in a hurry (STORE-3)."""

    async def put(self, pages: Iterable[tuple[bytes, bytes, bytes]]) -> None:
        """Lay out (url_hash, digest, body); what lay under the hash before is replaced."""

    async def renew(self, pages: Sequence[tuple[bytes, bytes]]) -> list[bool]:
        """Let each (url_hash, digest) that lies there stay for its whole time from now on; which of
        them do."""
