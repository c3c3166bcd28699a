"""Which bodies does nothing refer to any more? Mark and sweep, the marks in a Bloom filter.

A body is stored before its page says so: only those count that were last put an hour ago or more,
and whoever puts a body that is there already touches it. What the filter takes for marked by
mistake, one in some hundreds, stays until another time.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from msgspec import Struct

from tenax.ports import ContentStock, StoredBody
from tenax.ports.lifecycle.retention import Retention

GRACE = 3_600.0
_BITS_EACH = 16
_HASHES = 4
_LEAST = 1 << 16
_AT_ONCE = 1_000


class Swept(Struct, frozen=True):
    bodies: int = 0
    size: int = 0
    """As they lay there."""
    held: int = 0
    """All there were."""
    held_size: int = 0


class Marks:
    """A Bloom filter of SHA-256 digests: their own bytes are as good as any hash of them."""

    def __init__(self, count: int) -> None:
        self._bits = max(count * _BITS_EACH, _LEAST)
        self._field = bytearray(self._bits // 8 + 1)

    def add(self, digest: bytes) -> None:
        for place in self._places(digest):
            self._field[place >> 3] |= 1 << (place & 7)

    def __contains__(self, digest: bytes) -> bool:
        return all(self._field[place >> 3] & 1 << (place & 7) for place in self._places(digest))

    def _places(self, digest: bytes) -> list[int]:
        return [
            int.from_bytes(digest[i * 8 : i * 8 + 8], "big") % self._bits for i in range(_HASHES)
        ]


async def sweep(
    retention: Retention,
    stock: ContentStock,
    now: float,
    bounded: Callable[[Callable[[], Awaitable[int | None]]], Awaitable[int | None]],
    is_held: Callable[[], Awaitable[bool]],
    *,
    dry: bool,
) -> Swept:
    """Remove what nothing refers to. `bounded` runs each step and rests; what `dry` says or
    `is_held` is asked before each removal: while a backup copies bodies, none goes."""
    marks = Marks(await retention.page_count())
    references = retention.references()

    async def mark() -> int | None:
        batch = await anext(references, None)
        for digest in batch or ():
            marks.add(digest)
        return None if batch is None else 1

    while await bounded(mark) is not None:
        pass
    older = now - GRACE
    swept = Swept()
    async for batch in stock.inventory():
        for start in range(0, len(batch), _AT_ONCE):
            some = batch[start : start + _AT_ONCE]
            unmarked = [each for each in some if each.at < older and each.digest not in marks]
            gone = {each.digest for each in unmarked}
            if gone and not dry:
                if await is_held():
                    return swept
                await bounded(partial(_remove, stock, gone, older))
            swept = _counted(swept, some, [each for each in unmarked if each.digest in gone])
    return swept


async def _remove(stock: ContentStock, gone: set[bytes], older: float) -> int:
    gone.intersection_update(await stock.remove(gone, older))
    return len(gone)


def _counted(swept: Swept, held: list[StoredBody], gone: list[StoredBody]) -> Swept:
    return Swept(
        swept.bodies + len(gone),
        swept.size + sum(each.size for each in gone),
        swept.held + len(held),
        swept.held_size + sum(each.size for each in held),
    )
