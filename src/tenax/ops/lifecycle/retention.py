"""What is kept for how long, and how does the rest go? By age, archived first, a twentieth of the
time.

A batch is looked at, archived, and removed in a short transaction; then nineteen times as long is
rested. However busy the machine, a crawl beside it has the ledger to itself for the other nineteen
twentieths, and is slowed by a tenth at the most (LIFE-1).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable
from functools import partial

from msgspec import Struct, field

from tenax.ops.lifecycle.archive import Archive
from tenax.ops.lifecycle.backup import BACKUP
from tenax.ops.lifecycle.retention_policy import RetentionPolicy
from tenax.ops.lifecycle.sweep import Swept, sweep
from tenax.ports import Clock, ContentStock, Unavailable
from tenax.ports.lifecycle.retention import Cutoffs, Retention, Upkeep

GARBAGE = "garbage"
"""The name of the lease: one cleans up at a time."""
_LEASE = 300.0
_SAFE = ("attempts",)
_ALL = ("attempts", "pages", "targets")
_DAY = 86_400.0
REST = 19.0
"""How many times as long as each step took is rested: half of what may be taken from a crawl, for
what is left in caches and on the disk is not seen in the time of a step."""


def cutoffs(policy: RetentionPolicy, now: float) -> Cutoffs:
    return Cutoffs(
        attempts=now - policy.attempts * _DAY,
        bodies=now - policy.bodies * _DAY,
        pages=now - policy.pages * _DAY,
        failed=now - policy.failed * _DAY,
        done=now - policy.done * _DAY,
        sessions=now - policy.sessions * _DAY,
        stats=now - policy.stats * _DAY,
    )


class Cleaned(Struct, frozen=True):
    """What went, or would go."""

    kinds: dict[str, int] = field(default_factory=dict)
    swept: Swept | None = None
    """Bodies that nothing refers to; None where the store cannot tell what it holds."""
    archived: tuple[str, ...] = ()
    """The files it is in now."""


class CleaningParts(Struct, frozen=True):
    """What is cleaned up, and by whom."""

    retention: Retention
    stock: ContentStock | None
    """None where bodies go by themselves."""
    archive: Archive | None
    upkeep: Upkeep
    clock: Clock
    name: str
    """This process among those who may clean up."""


async def clean(
    parts: CleaningParts,
    policy: RetentionPolicy,
    *,
    everything: bool,
    dry: bool = False,
    every: float = 0.0,
    rest: float = REST,
    heard: Callable[[str], None] = lambda _: None,
) -> Cleaned | None:
    """Remove what is too old; with `everything` pages, bodies and URLs, too. None where another
    process does it, or it was done less than `every` ago."""
    if not await parts.upkeep.take(GARBAGE, parts.name, _LEASE, every):
        return None
    is_done = False
    try:
        run = _Cleaning(parts, cutoffs(policy, parts.clock.now()), dry, rest, heard)
        cleaned = await run.all(_ALL if everything else _SAFE)
        is_done = not dry
        return cleaned
    finally:
        await parts.upkeep.give_back(GARBAGE, parts.name, done=is_done)


class _Cleaning:
    def __init__(
        self,
        parts: CleaningParts,
        older: Cutoffs,
        dry: bool,
        rest: float,
        heard: Callable[[str], None],
    ) -> None:
        self._parts = parts
        self._older = older
        self._dry = dry
        self._rest = rest
        self._heard = heard
        self._kinds: Counter[str] = Counter()
        self._renew_at = parts.clock.now() + _LEASE / 4

    async def all(self, tables: tuple[str, ...]) -> Cleaned:
        parts = self._parts
        for table in tables:
            after: int | None = 0
            while after is not None:
                after = await self._bounded(partial(self._batch, table, after))
        if not self._dry:
            self._kinds.update(await parts.retention.trim(self._older))
        swept = None
        if parts.stock is not None:
            now = parts.clock.now()
            is_held = partial(parts.upkeep.is_held, BACKUP)
            swept = await sweep(
                parts.retention, parts.stock, now, self._bounded, is_held, dry=self._dry
            )
        archived = () if parts.archive is None else tuple(parts.archive.written)
        return Cleaned({kind: n for kind, n in self._kinds.items() if n}, swept, archived)

    async def _batch(self, table: str, after: int) -> int | None:
        parts = self._parts
        found = await parts.retention.look(table, self._older, after)
        removed = found.kinds
        if not self._dry and found.ids:
            if parts.archive is not None:
                await parts.archive.add(found.pages, found.failures, parts.clock.now())
            removed = await parts.retention.remove(table, self._older, found.ids)
        self._kinds.update(removed)
        self._heard(", ".join(f"{n:,} {kind}" for kind, n in self._kinds.items() if n))
        return found.after

    async def _bounded(self, step: Callable[[], Awaitable[int | None]]) -> int | None:
        """A step of the work, then a rest; the lease goes on meanwhile."""
        clock = self._parts.clock
        begun = clock.now()
        await self._keep_the_lease()
        done = await step()
        await clock.sleep(min((clock.now() - begun) * self._rest, _LEASE / 2))
        return done

    async def _keep_the_lease(self) -> None:
        """Renewing it is a transaction, too: not for every batch."""
        parts, now = self._parts, self._parts.clock.now()
        if now < self._renew_at:
            return
        if not await parts.upkeep.take(GARBAGE, parts.name, _LEASE):
            raise Unavailable("Another process has begun to clean up. Run it again later.")
        self._renew_at = now + _LEASE / 4
