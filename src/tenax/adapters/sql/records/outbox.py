"""The transactional outbox: events written in the commit of their visit, read in order by cursors.

On SQLite ids tell the order in which rows appear. On PostgreSQL they do not: a transaction that
took its ids early may commit late, and who reads by ids would pass over its rows for good. So
readers first give a place to the rows that are there, one reader at a time, and go by places.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine import codec
from tenax.adapters.sql.engine.bulk import Lookup, inserting
from tenax.adapters.sql.engine.dialects import insert_new
from tenax.adapters.sql.engine.transactions import Transactions
from tenax.adapters.sql.schema.tables import cursors, hosts, jobs, outbox, pages, targets
from tenax.crawl.event import (
    PageFacts,
    TargetFacts,
    Telling,
    change_told,
    gone_told,
    is_unchanged,
    kind,
    record_told,
    takes_a_page,
    told,
)
from tenax.model import Event, EventKind, OutcomeWord
from tenax.outcome import Settlement
from tenax.ports import Backlog, Clock

if TYPE_CHECKING:
    from tenax.ports.handled import RecordChange
    from tenax.ports.products import ProductChange

PLACES = "*"
"""The row among the cursors that says which place was given last; no sink has this name."""

_insert = inserting(outbox, ("kind", "key", "value", "at"))
_about = Lookup(
    sa.select(targets.c.id, targets.c.url, hosts.c.origin, jobs.c.name)
    .join(hosts, hosts.c.id == targets.c.host_id)
    .join(jobs, jobs.c.id == targets.c.job_id),
    targets.c.id,
)
_page = Lookup(
    sa.select(pages.c.target_id, pages.c.final_url, pages.c.status, pages.c.content_type,
              pages.c.length, pages.c.digest, pages.c.content_hash,
              sa.func.coalesce(pages.c.checked_at, pages.c.fetched_at)),
    pages.c.target_id,
)  # fmt: skip
_stale = Lookup(sa.select(pages.c.target_id, pages.c.stale), pages.c.target_id)
_sinks = sa.select(cursors).where(cursors.c.name != PLACES).order_by(cursors.c.name)


def write(
    connection: Connection,
    settlements: Sequence[Settlement],
    spent: Mapping[tuple[int, int], int],
    now: float,
    telling: Telling,
    changes: Sequence[ProductChange] = (),
    gone: Sequence[Settlement] = (),
) -> None:
    """What these visits are worth telling, in the transaction that writes the rest of them.

    `spent` is how many attempts their targets had before, by lease; `changes` is what they changed
    of products; `gone` are those of them that found gone what is stored, as the first to do so.
    """
    worth = [(s, event) for s in settlements if (event := kind(s, telling))]
    if not telling.wants(EventKind.PRODUCT):
        changes = ()
    if not worth and not changes and not gone:
        return
    ids = [
        *(s.target_id for s, _ in worth),
        *(change.target_id for change in changes),
        *(s.target_id for s in gone),
    ]
    known = {
        id: (codec.full_url(short, origin), job)
        for id, short, origin, job in _about.run(connection, dict.fromkeys(ids))
    }
    looked_up = [*(s for s, _ in worth if is_unchanged(s)), *gone]
    stored = _stored_pages(connection, [s.target_id for s in looked_up])
    rows: list[tuple[Any, ...]] = []
    for s, event in worth:
        if s.target_id not in known:
            continue  # its job is being deleted: no reason to fail the others
        if is_unchanged(s) and s.target_id not in stored:
            continue  # its page is being deleted
        tries = spent[s.lease] + (s.attempt is not None)
        url, job = known[s.target_id]
        page = stored.get(s.target_id) if is_unchanged(s) else None
        about = TargetFacts(url, job, tries, _facts(page, url))
        value = told(s, about, now, telling)
        rows.append((event.value, s.url_hash, value.decode(), round(now, 3)))
    for s in gone:
        if s.target_id in known and s.target_id in stored:
            url, job = known[s.target_id]
            about = TargetFacts(url, job, stored=_facts(stored[s.target_id], url))
            value = gone_told(s, about, now)
            rows.append((EventKind.GONE.value, s.url_hash, value.decode(), round(now, 3)))
    # Behind the pages that they were read on.
    hashes = {s.target_id: s.url_hash for s in settlements}
    for change in changes:
        url_hash = hashes[change.target_id]
        value = change_told(change, url_hash, TargetFacts(*known[change.target_id]))
        rows.append((EventKind.PRODUCT.value, url_hash, value.decode(), round(now, 3)))
    _insert.run(connection, rows)


def write_records(
    connection: Connection,
    changes: Sequence[RecordChange],
    hashes: Mapping[int, bytes],
    now: float,
) -> None:
    """What visits changed of records, behind the pages that told it; `hashes` are the public names
    of those, by target."""
    known = {
        id: TargetFacts(codec.full_url(short, origin), job)
        for id, short, origin, job in _about.run(connection, {c.target_id for c in changes})
    }
    rows: list[tuple[Any, ...]] = []
    for change in changes:
        url_hash = hashes.get(change.target_id, b"")
        if change.target_id in known:
            value = record_told(change, url_hash, known[change.target_id])
            rows.append((EventKind.RECORD.value, url_hash, value.decode(), round(now, 3)))
    _insert.run(connection, rows)


def look_for_gone(
    connection: Connection, settlements: Sequence[Settlement], telling: Telling
) -> list[Settlement]:
    """Those that found gone what is stored, and is not known to be gone; to be asked before that
    is written down."""
    if not telling.wants(EventKind.GONE):
        return []
    found = [s for s in settlements if takes_a_page(s)]
    if not found:
        return []
    stale = dict(_stale.run(connection, [s.target_id for s in found]))
    return [s for s in found if s.target_id in stale and stale[s.target_id] != OutcomeWord.GONE]


def put(connection: Connection, kind: EventKind, key: bytes, value: bytes, now: float) -> None:
    """An event that is no part of a visit."""
    _insert.run(connection, [(kind.value, key, value.decode(), now)])


def _stored_pages(connection: Connection, ids: Sequence[int]) -> dict[int, tuple[Any, ...]]:
    return {id: told for id, *told in _page.run(connection, ids)} if ids else {}


def _facts(told: Sequence[Any] | None, url: str) -> PageFacts | None:
    if told is None:
        return None
    final, status, content_type, length, digest, text, at = told
    kept, said = bytes(digest or b""), bytes(text or b"")
    return PageFacts(final or url, status, content_type or "", length, kept, said, at)


class SqlOutbox:
    def __init__(self, database: Transactions, clock: Clock, sinks: Collection[str] = ()) -> None:
        """`sinks` are those that are to be told, whether or not anybody has begun to."""
        self._database = database
        self._clock = clock
        self._sinks = frozenset(sinks)

    async def hold(self, sink: str, holder: str, seconds: float) -> int | None:
        def work(connection: Connection) -> int | None:
            now = self._clock.now()
            _make(connection, sink)
            held = connection.execute(
                sa.update(cursors)
                .where(
                    cursors.c.name == sink,
                    sa.or_(
                        cursors.c.holder.is_(None),
                        cursors.c.holder == holder,
                        cursors.c.held_until <= now,
                    ),
                )
                .values(holder=holder, held_until=now + seconds, seen_at=now)
                .returning(cursors.c.place)
            ).scalar()
            return None if held is None else int(held)

        return await self._database.write(work)

    async def read(self, after: int, most: int) -> list[Event]:
        # There is nothing to give where ids are places, and a writer would be in others' way.
        if await self._database.read(_has_unplaced):
            await self._database.write(_give_places)

        def work(connection: Connection) -> list[Event]:
            place = _place(connection)
            found = connection.execute(
                sa.select(place, outbox.c.kind, outbox.c.key, outbox.c.value, outbox.c.at)
                .where(place > after)
                .order_by(place)
                .limit(most)
            )
            return [
                Event(row[0], EventKind(row.kind), bytes(row.key), row.value.encode(), row.at)
                for row in found
            ]

        return await self._database.read(work)

    async def put(self, kind: EventKind, key: bytes, value: bytes) -> None:
        now = round(self._clock.now(), 3)
        await self._database.write(lambda c: put(c, kind, key, value, now))

    async def told(self, sink: str, holder: str, place: int) -> bool:
        moved = (
            sa.update(cursors)
            .where(cursors.c.name == sink, cursors.c.holder == holder)
            .values(place=place, seen_at=self._clock.now())
            .returning(cursors.c.name)
        )
        return await self._database.write(lambda c: c.execute(moved).first() is not None)

    async def let_go(self, sink: str, holder: str) -> None:
        free = (
            sa.update(cursors)
            .where(cursors.c.name == sink, cursors.c.holder == holder)
            .values(holder=None, held_until=0.0)
        )
        await self._database.write(lambda c: c.execute(free))

    async def move(self, sink: str, at: float) -> int:
        def work(connection: Connection) -> int:
            place = _place(connection)
            _make(connection, sink)
            before = sa.select(sa.func.max(place)).where(outbox.c.at < at)
            # Whoever holds it goes by what he has read: he has to ask again.
            connection.execute(
                sa.update(cursors)
                .where(cursors.c.name == sink)
                .values(place=sa.func.coalesce(before.scalar_subquery(), 0), holder=None)
            )
            since = sa.select(sa.func.count()).select_from(outbox).where(outbox.c.at >= at)
            return int(connection.execute(since).scalar_one())

        await self._database.write(_give_places)
        return await self._database.write(work)

    async def forget(self, sink: str) -> bool:
        gone = sa.delete(cursors).where(cursors.c.name == sink, cursors.c.name != PLACES)
        return await self._database.write(
            lambda c: c.execute(gone.returning(cursors.c.name)).first() is not None
        )

    async def prune(self, before: float, most: int) -> int:
        def work(connection: Connection) -> int:
            place = _place(connection)
            told = {sink.name: sink.place for sink in connection.execute(_sinks)}
            passed = 0 if self._sinks - told.keys() else min(told.values(), default=0)
            old = (
                sa.select(outbox.c.id)
                .where(place <= passed, outbox.c.at < before)
                .order_by(place)
                .limit(most)
            )
            gone = connection.execute(
                sa.delete(outbox).where(outbox.c.id.in_(old)).returning(outbox.c.id)
            )
            return len(gone.all())

        return await self._database.write(work)

    async def backlogs(self) -> list[Backlog]:
        return await self._database.read(lambda c: backlogs(c, self._clock.now()))


def backlogs(connection: Connection, now: float) -> list[Backlog]:
    """How far behind every sink is."""
    place = _place(connection)
    # Places have no gaps: nobody has to count rows that may be millions.
    last = connection.execute(sa.select(sa.func.max(place))).scalar() or 0
    new, new_since = 0, None
    if connection.dialect.name != "sqlite":
        waits = sa.select(sa.func.count(), sa.func.min(outbox.c.at))
        new, new_since = connection.execute(waits.where(place.is_(None))).one()
    told = []
    for sink in connection.execute(_sinks):
        first = connection.execute(
            sa.select(outbox.c.at).where(place > sink.place).order_by(place).limit(1)
        ).scalar()
        oldest = min((at for at in (first, new_since) if at is not None), default=None)
        waiting = max(0, last - sink.place) + new
        holder = sink.holder if sink.holder and sink.held_until > now else ""
        told.append(Backlog(sink.name, sink.place, waiting, oldest, holder, sink.seen_at))
    return told


def _make(connection: Connection, name: str) -> None:
    """A cursor that is not there yet begins before the first event."""
    begin = {"name": name, "place": 0, "held_until": 0.0, "seen_at": 0.0}
    connection.execute(insert_new(connection, cursors), begin)


def _place(connection: Connection) -> sa.Column[int]:
    return outbox.c.id if connection.dialect.name == "sqlite" else outbox.c.place


def _has_unplaced(connection: Connection) -> bool:
    if connection.dialect.name == "sqlite":
        return False
    new = sa.select(outbox.c.id).where(outbox.c.place.is_(None)).limit(1)
    return connection.execute(new).first() is not None


def _give_places(connection: Connection) -> None:
    """Number the rows that have no place yet, behind all that have one.

    The row of the last place stays locked until this is committed: the next to do this sees it.
    """
    if connection.dialect.name == "sqlite":
        return
    _make(connection, PLACES)
    is_last = cursors.c.name == PLACES
    last = connection.execute(
        sa.select(cursors.c.place).where(is_last).with_for_update()
    ).scalar_one()
    new = (
        sa.select(outbox.c.id, sa.func.row_number().over(order_by=outbox.c.id).label("number"))
        .where(outbox.c.place.is_(None))
        .order_by(outbox.c.id)
        .limit(_AT_ONCE)
        .subquery()
    )
    given = connection.execute(
        sa.update(outbox)
        .where(outbox.c.id == new.c.id)
        .values(place=last + new.c.number)
        .returning(outbox.c.id)
    ).all()
    connection.execute(sa.update(cursors).where(is_last).values(place=last + len(given)))


_AT_ONCE = 5_000
"""Rows placed by one transaction: visits are committed while it goes on, but not for ever."""
