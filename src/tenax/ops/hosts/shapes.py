"""What do the kinds of URLs of a host bring, which of them wait until all else was visited, and
why? The trap map of a host (URL-6)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from msgspec import Struct

from tenax.crawl.traps.judgement import TrapPolicy, TrapStanding
from tenax.ports import ShapeCounts, ShapeRecord
from tenax.ports.overview import Overview, ShapesAt

_FEW = 3
"""Examples of each."""
_NOTHING = ShapeCounts()


class HostShape(ShapeRecord, frozen=True, kw_only=True):
    """What visits of URLs of one kind brought a job at a host, and how they are judged."""

    judged: int
    """Visits lately, of which it was asked what they brought."""
    fruitful: int
    """Those of them that brought something."""
    late: int
    """Visits that were made while it was deferred."""
    deferred: int
    """URLs of it that wait until all else was visited, of those that were looked at."""
    why: str = ""
    """Why it is deferred; null when its URLs are visited like all others."""
    examples: tuple[str, ...]


class DeferralBudget(Struct, frozen=True):
    """What a job may spend at a host on URLs that are deferred."""

    job: str
    budget: int
    """Requests."""
    spent: int


class ShapeMap(Struct, frozen=True):
    shapes: list[HostShape]
    """Those with the most visits first."""
    budgets: list[DeferralBudget]
    is_whole: bool
    """False when there are more kinds, or jobs, than are looked at."""


async def shape_map(
    overview: Overview,
    policy: TrapPolicy,
    host_id: int,
    job_id: int | None,
    *,
    deferred: bool | None = None,
) -> ShapeMap:
    """Of one job, or of all; of kinds that are `deferred`, of the others, or of all."""
    places, is_whole = await overview.shapes_at(host_id, job_id)
    return mapped(places, policy, deferred=deferred, is_whole=is_whole)


def mapped(
    places: Sequence[ShapesAt],
    policy: TrapPolicy,
    *,
    deferred: bool | None = None,
    is_whole: bool = True,
) -> ShapeMap:
    shapes: list[HostShape] = []
    budgets = []
    for place in places:
        standing = TrapStanding(policy)
        standing.hear(place.counts)
        shapes += [
            each
            for each in _judged(place, standing)
            if deferred in (None, bool(each.why or each.deferred))
        ]
        budgets.append(DeferralBudget(place.job, standing.budget(), standing.late))
    shapes.sort(key=lambda each: (-each.visits, -each.deferred, each.job, each.shape))
    return ShapeMap(shapes, budgets, is_whole)


def _judged(place: ShapesAt, standing: TrapStanding) -> Iterator[HostShape]:
    waiting: Counter[str] = Counter()
    whys: dict[str, str] = {}
    examples: dict[str, list[str]] = defaultdict(list)
    for each in place.urls:
        # What was found before there were so many folders is counted under another name.
        shape = each.shape if each.shape in place.counts else standing.name(each.shape)
        if len(shown := examples[shape]) < _FEW and each.url not in shown:
            shown.append(each.url)
        if each.deferred:
            waiting[shape] += 1
            whys[shape] = each.why.removeprefix("deferred: ")
    # Of what was put off unseen, nothing is counted yet.
    for shape in {**place.counts, **waiting}:
        counts = place.counts.get(shape, _NOTHING)
        yield HostShape(
            place.job,
            shape,
            counts.visits,
            counts.visits - counts.good,
            judged=counts.judged,
            fruitful=counts.fruitful,
            late=counts.late,
            deferred=waiting[shape],
            why=standing.why_deferred(shape) or whys.get(shape, ""),
            examples=tuple(examples[shape]),
        )
