"""Near-duplicate detection by SimHash, in the commit: banded fingerprints, bounded looks (PAGE-2).

The first page of its kind is an original: its fingerprints are kept, its SimHash turned to begin
with each of the four bands. Pages like it point to it, and to nothing else, so there are no
chains. What is looked at for a page is bounded: in each band those nearest to it, so however many
pages share a band, the same text is always found.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, NamedTuple

import sqlalchemy as sa
from msgspec.structs import replace
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine import locks
from tenax.adapters.sql.engine.bulk import Bulk, Statement, in_groups, inserting
from tenax.adapters.sql.frontier.tallies import StateTally
from tenax.adapters.sql.schema.tables import fingerprints, pages
from tenax.fetch.fetch_policy import SimilarPolicy
from tenax.model import Page
from tenax.outcome import Duplicate, Kept, Settlement
from tenax.page.similar import BANDS, distance, reach, turns
from tenax.ports import Unavailable

NEAREST = 32
"""Fingerprints looked at on either side of a page's own, in each band."""

_LOOKS = 5
"""How often others may take away what a page was found to be like, before we say so."""

# Part of the statement's text, which binds what differs from page to page and nothing else.
_NEAREST = sa.literal_column(str(NEAREST), sa.Integer)
_FROM_THE_FIRST = sa.literal_column("0", sa.Integer)
_PLACE = ("here", "first", "last")
_names = ("job", *(f"{name}_{band}" for band in range(BANDS) for name in _PLACE))
_insert = inserting(fingerprints, ("job_id", "band", "bits", "target_id"))
_delete = Bulk(
    ("job", "in_band", "turned", "target"),
    lambda _: sa.delete(fingerprints).where(
        fingerprints.c.job_id == sa.bindparam("job"),
        fingerprints.c.band == sa.bindparam("in_band"),
        fingerprints.c.bits == sa.bindparam("turned"),
        fingerprints.c.target_id == sa.bindparam("target"),
    ),
)
_repoint = Bulk(
    ("heir", "old"),
    lambda _: (
        sa.update(pages)
        .where(pages.c.duplicate_of == sa.bindparam("old"))
        .values(duplicate_of=sa.bindparam("heir"))
    ),
)


def _neighbours(_: Connection) -> sa.CompoundSelect[Any]:
    """The fingerprints on both sides of a page's own, band by band."""
    bits, id = fingerprints.c.bits, fingerprints.c.target_id
    found = []
    for band in range(BANDS):
        here, first, last = (sa.bindparam(f"{name}_{band}", type_=sa.BigInteger) for name in _PLACE)
        in_band = sa.select(sa.literal_column(str(band)).label("band"), bits, id).where(
            fingerprints.c.job_id == sa.bindparam("job"),
            fingerprints.c.band == sa.literal_column(str(band)),
        )
        above = in_band.where(bits >= here, bits <= last).order_by(bits, id)
        below = in_band.where(bits < here, bits >= first).order_by(bits.desc(), id.desc())
        found += [
            sa.select(side.limit(_NEAREST).offset(_FROM_THE_FIRST).subquery())
            for side in (above, below)
        ]
    return sa.union_all(*found)


_look = Statement(_names, _neighbours)


class _Known(NamedTuple):
    """A page as it was before this commit."""

    target_id: int
    job_id: int
    simhash: int | None
    """Signed, as the database has it."""
    original: int | None

    @property
    def is_original(self) -> bool:
        return self.original is None and self.simhash is not None


class _Page(NamedTuple):
    """A page that is or may become an original."""

    job_id: int
    turns: tuple[int, ...]
    target_id: int


def recognise(
    connection: Connection,
    settlements: Sequence[Settlement],
    policy: SimilarPolicy,
    tally: StateTally,
) -> list[Settlement]:
    """The settlements, those that bring a near-duplicate saying so. Call it before they are
    written: what their pages were until now is read here, and originals that go have heirs."""
    brought = {s.target_id: _turns(s.page) for s in settlements if _touches(s)}
    renewed = [s.target_id for s in settlements if s.renews and s.target_id in brought]
    # Whoever has just found a page like one of these is waited for: it may have to follow it.
    locks.lock_pages(connection, renewed)
    before = _known(connection, renewed)
    going = [
        k for k in before.values() if k.is_original and brought[k.target_id][:1] != (k.simhash,)
    ]
    if before:
        _leave(connection, going, set(before), tally)
    for known in before.values():
        if known.original is not None:
            tally.duplicate(known.job_id, -1)
    staying = {k.target_id for k in before.values() if k.is_original} - {k.target_id for k in going}
    new = [
        _Page(s.job_id, turned, s.target_id)
        for s in settlements
        if s.target_id not in staying and (turned := brought.get(s.target_id))
    ]
    originals = _sort(connection, new, policy, tally)
    return [_marked(s, originals.get(s.target_id)) for s in settlements]


def forget(connection: Connection, ids: Sequence[int], tally: StateTally) -> None:
    """Of pages that go because their job goes. Those like them go soon, and stand alone till then,
    without a hash, as nobody could find them by it."""
    for some in in_groups(ids):
        known = _known(connection, some).values()
        _unlist(connection, [k for k in known if k.is_original])
        for page in known:
            if page.original is not None:
                tally.duplicate(page.job_id, -1)
        alone = (
            sa.update(pages)
            .where(pages.c.duplicate_of.in_(some), pages.c.target_id.not_in(some))
            .values(duplicate_of=sa.null(), simhash=sa.null())
            .returning(pages.c.job_id)
        )
        for job_id in connection.execute(alone).scalars():
            tally.duplicate(job_id, -1)


def part(connection: Connection, ids: Sequence[int], tally: StateTally) -> None:
    """Of pages that go while others like them stay: an original is followed by one of those."""
    locks.lock_pages(connection, ids)
    before = _known(connection, ids)
    _leave(connection, [k for k in before.values() if k.is_original], set(before), tally)
    for known in before.values():
        if known.original is not None:
            tally.duplicate(known.job_id, -1)


def _touches(settlement: Settlement) -> bool:
    return settlement.page is not None or settlement.kept is Kept.DROPPED


def _turns(page: Page | None) -> tuple[int, ...]:
    """Empty where there is no page any more, or one with too little text."""
    return () if page is None or page.simhash is None else turns(page.simhash)


def _known(connection: Connection, ids: Iterable[int]) -> dict[int, _Known]:
    query = sa.select(pages.c.target_id, pages.c.job_id, pages.c.simhash, pages.c.duplicate_of)
    rows = chain.from_iterable(
        connection.execute(query.where(pages.c.target_id.in_(some))) for some in in_groups(ids)
    )
    return {id: _Known(id, job_id, simhash, original) for id, job_id, simhash, original in rows}


def _leave(
    connection: Connection, going: Sequence[_Known], touched: set[int], tally: StateTally
) -> None:
    """Originals that are no longer what they were: the last found of those like one follows it.

    Not the first: when a whole cluster changes, its pages are visited in about the order they
    were found, and each would hand the rest of the cluster on to the next.
    """
    _unlist(connection, going)
    if not going:
        return
    heirs = sa.select(pages.c.duplicate_of, sa.func.max(pages.c.target_id)).where(
        pages.c.duplicate_of.in_([known.target_id for known in going]),
        pages.c.target_id.not_in(touched),
    )
    rows = connection.execute(heirs.group_by(pages.c.duplicate_of)).all()
    followed = {row[0]: row[1] for row in rows}
    if not followed:
        return
    _repoint.run(connection, [(heir, old) for old, heir in followed.items()])
    connection.execute(
        sa.update(pages)
        .where(pages.c.target_id.in_(followed.values()))
        .values(duplicate_of=sa.null())
    )
    promoted = _known(connection, followed.values()).values()
    _list(connection, [_Page(k.job_id, turns(k.simhash or 0), k.target_id) for k in promoted])
    for known in promoted:
        tally.duplicate(known.job_id, -1)


def _sort(
    connection: Connection, new: Sequence[_Page], policy: SimilarPolicy, tally: StateTally
) -> dict[int, int]:
    """Of pages just read: which are like an original, and like which; the others become one."""
    for _ in range(_LOOKS):
        originals, fresh = _compared(connection, new, policy)
        known = set(originals.values()) - {page.target_id for page in fresh}
        if locks.still_originals(connection, known) == known:
            break
    else:
        raise Unavailable("near-duplicates change faster than they can be told apart; try again")
    for page in new:
        if page.target_id in originals:
            tally.duplicate(page.job_id)
    _list(connection, fresh)
    return originals


def _compared(
    connection: Connection, new: Sequence[_Page], policy: SimilarPolicy
) -> tuple[dict[int, int], list[_Page]]:
    """What each is like, and those that are like nothing."""
    originals: dict[int, int] = {}
    fresh: list[_Page] = []
    beside: dict[tuple[int, int, int], list[_Page]] = defaultdict(list)
    """Those just found to be originals, by job and by each of their bands."""
    places = [[(turned, *reach(turned)) for turned in page.turns] for page in new]
    looked_up = _look.run_each(
        connection,
        [(page.job_id, *chain(*own)) for page, own in zip(new, places, strict=True)],
    )
    for page, reached, found in zip(new, places, looked_up, strict=True):
        own = page.turns
        bands = [(page.job_id, band, first) for band, (_, first, _) in enumerate(reached)]
        near = [
            (apart, id)
            for band, bits, id in found
            if (apart := distance(bits, own[band])) <= policy.distance
        ]
        near += [
            (apart, other.target_id)
            for key in bands
            for other in beside.get(key, ())
            if (apart := distance(other.turns[0], own[0])) <= policy.distance
        ]
        if near:
            originals[page.target_id] = min(near)[1]
            continue
        fresh.append(page)
        for key in bands:
            beside[key].append(page)
    return originals, fresh


def _marked(settlement: Settlement, original: int | None) -> Settlement:
    if original is None:
        return settlement
    attempt = settlement.attempt
    return replace(
        settlement,
        duplicate_of=original,
        next=replace(settlement.next, reason=Duplicate.word),
        outcome=Duplicate.word,
        attempt=replace(attempt, outcome=Duplicate.word) if attempt else None,
    )


def _list(connection: Connection, originals: Iterable[_Page]) -> None:
    # In the order of the index: neighbours are written while their page is at hand.
    _insert.run(connection, sorted(_rows(originals)))


def _unlist(connection: Connection, originals: Iterable[_Known]) -> None:
    listed = (_Page(k.job_id, turns(k.simhash or 0), k.target_id) for k in originals)
    _delete.run(connection, _rows(listed))


def _rows(originals: Iterable[_Page]) -> list[tuple[Any, ...]]:
    return [
        (page.job_id, band, turned, page.target_id)
        for page in originals
        for band, turned in enumerate(page.turns)
    ]
