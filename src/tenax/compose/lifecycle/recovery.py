"""What does `tenax doctor --recovery` find in the ledger? Looked at, and nothing changed."""

from __future__ import annotations

from tenax.compose.ledger import Ledger, open_ledger
from tenax.compose.places import kept_since
from tenax.compose.search import is_embedded, look_at_search, open_search
from tenax.model import JobState
from tenax.ops.health.bodies import Inspection, inspect
from tenax.ops.health.doctor import Facts
from tenax.ops.health.recovery import LedgerStanding
from tenax.ports import Letters, Unavailable
from tenax.settings import Settings

_SAMPLE = 1_000
_OPEN = 20
"""Alerts that are named."""


async def look_inside(settings: Settings, facts: Facts, all_bodies: bool) -> LedgerStanding:
    async with open_ledger(settings, create=False) as ledger:
        return LedgerStanding(
            findings=tuple(await ledger.auditor.audit()),
            bodies=await _bodies(ledger, facts, all_bodies),
            has_all_bodies=all_bodies,
            workers=tuple(await ledger.overview.workers()),
            running=(await ledger.overview.job_states()).get(JobState.RUNNING, 0),
            has_own_index=is_embedded(ledger.settings),
            unindexed=await _unindexed(ledger),
            letters=sum((await ledger.dead.counts(Letters())).values()),
            alerts=tuple(await ledger.alerts.latest(None, _OPEN, open_only=True)),
        )


async def _bodies(ledger: Ledger, facts: Facts, all_bodies: bool) -> Inspection | None:
    """None where their store does not answer: it would be waited for."""
    if any(each.error for each in facts.servers if each.name == "content"):
        return None
    if facts.redis is not None and facts.redis.error and kept_since(ledger.settings, facts.now):
        return None
    since = kept_since(ledger.settings, ledger.clock.now())
    if all_bodies:
        return await inspect(ledger.pages, ledger.content, since, ledger.products)
    return await inspect(ledger.pages, ledger.content, since, most=_SAMPLE)


async def _unindexed(ledger: Ledger) -> int | None:
    """By comparing; an index of our own is brought up to date by whoever searches."""
    if is_embedded(ledger.settings):
        return 0
    _, error = await look_at_search(ledger.settings)
    if error:
        return None
    try:
        async with open_search(ledger) as (_, indexer):
            return await indexer.behind()
    except Unavailable:
        return None
