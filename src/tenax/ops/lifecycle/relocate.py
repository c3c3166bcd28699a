"""How do bodies get from one content store to another? Copied, read back, and only then let go."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256

from msgspec import Struct
from msgspec.structs import replace

from tenax.ports import ContentStock, ContentStore

_TOGETHER = 32
"""Bodies in memory at once."""
_SHOWN = 10


class SameStore(ValueError):
    """Both names lead to one store: moving would delete everything in it."""


class RelocationProgress(Struct, frozen=True):
    """How far it has come."""

    bodies: int = 0
    """Written to the target now."""
    size: int = 0
    """Their bytes, unpacked."""
    already: int = 0
    """Found in the target; of an earlier try, or because it held the same page."""
    damaged: int = 0
    """Not the body that its name says, in the source or in the target: left as it was."""
    named: tuple[str, ...] = ()
    """The first few of these."""


async def move(
    source: ContentStock,
    target: ContentStore,
    *,
    keep: bool = False,
    heard: Callable[[RelocationProgress], None] = lambda _: None,
) -> RelocationProgress:
    """Bring everything over; `keep` leaves the source as it is. May be stopped and run again."""
    if not keep:
        await _be_sure_of_two(source, target)
    moved = RelocationProgress()
    async for digests in source.digests():
        for some in in_batches(digests):
            moved = await bring(source, target, some, moved, keep=keep)
            heard(moved)
    return moved


async def bring(
    source: ContentStore,
    target: ContentStore,
    digests: list[bytes],
    moved: RelocationProgress,
    *,
    keep: bool,
) -> RelocationProgress:
    """A few of them, checked on the way; `moved` and they."""
    absent = set(await target.missing(digests))
    found = await _sound(source, absent)
    await target.put(found.items())
    wrong = sorted(absent - found.keys())
    if wrong:
        # Somebody else may have moved it since it was listed.
        wrong = await target.missing(wrong)
    if not keep:
        safe = await _sound(target, set(digests) - set(wrong))
        assert isinstance(source, ContentStock)
        await source.remove(safe)
        wrong += [digest for digest in digests if digest not in safe and digest not in wrong]
    names = (*moved.named, *(digest.hex() for digest in wrong))
    return replace(
        moved,
        bodies=moved.bodies + len(found),
        size=moved.size + sum(map(len, found.values())),
        already=moved.already + len(digests) - len(absent),
        damaged=moved.damaged + len(wrong),
        named=names[:_SHOWN],
    )


async def _sound(store: ContentStore, digests: Iterable[bytes]) -> dict[bytes, bytes]:
    """Those of these bodies that the store has and that are what their names say."""
    wanted = list(digests)
    bodies = await asyncio.gather(*map(store.get, wanted))
    pairs = zip(wanted, bodies, strict=True)
    return {
        digest: body
        for digest, body in pairs
        if body is not None and sha256(body).digest() == digest
    }


async def _be_sure_of_two(source: ContentStock, target: ContentStore) -> None:
    """No comparison of names would do: a server has many, and a folder may be a link."""
    body = secrets.token_bytes(32)
    mark = sha256(body).digest()
    await source.put([(mark, body)])
    try:
        if not await target.missing([mark]):
            raise SameStore
    finally:
        await source.remove([mark])


def in_batches(digests: list[bytes]) -> Iterator[list[bytes]]:
    """As many as may be in memory at once."""
    for start in range(0, len(digests), _TOGETHER):
        yield digests[start : start + _TOGETHER]
