"""What handlers told of pages, noted: a row for each record, every change in its history. What did
not change is only confirmed; what its page tells no more is marked as gone, and stays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Any

import msgspec
import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine import codec, locks
from tenax.adapters.sql.engine.bulk import Bulk, Lookup, in_groups, inserting, of_rows
from tenax.adapters.sql.engine.dialects import dialect_insert
from tenax.adapters.sql.schema.tables import (
    handler_failures,
    handler_rates,
    hosts,
    record_history,
    records,
    targets,
)
from tenax.model.record import HandledRecord
from tenax.ports.handled import HandledSighting, RecordChange

_DAY = 86_400
_LONGEST_URL = 2_083
_NEW = (
    "job_id", "host_id", "target_id", "identity", "name", "key", "handler", "version", "data",
    "digest", "first_seen_at", "last_seen_at", "changed_at",
)  # fmt: skip
_TOLD = ("host_id", "target_id", "handler", "version", "last_seen_at")
_CHANGED = (*_TOLD, "data", "digest", "changed_at", "gone_at")
_RATED = ("job_id", "handler", "version", "day", "pages", "records", "failures")
_FAILED = ("job_id", "handler", "version", "at", "url", "error")
_places = Lookup(
    sa.select(targets.c.id, targets.c.job_id, targets.c.host_id, targets.c.url, hosts.c.origin)
    .join(hosts, hosts.c.id == targets.c.host_id),
    targets.c.id,
)  # fmt: skip
_columns = (
    records.c.id, records.c.identity, records.c.name, records.c.key,
    *(records.c[name] for name in _CHANGED),
)  # fmt: skip
_by_identity = Lookup(sa.select(*_columns), records.c.identity)
_by_target = Lookup(sa.select(*_columns).where(records.c.gone_at.is_(None)), records.c.target_id)
_ids = Lookup(sa.select(records.c.identity, records.c.id), records.c.identity)
_insert = inserting(records, _NEW)


def _updating(names: Sequence[str]) -> Bulk:
    return Bulk(
        (*(f"new_{name}" for name in names), "record"),
        lambda _: (
            sa.update(records)
            .where(records.c.id == sa.bindparam("record"))
            .values(
                {name: sa.bindparam(f"new_{name}", type_=records.c[name].type) for name in names}
            )
        ),
    )


_rewrite = _updating(_CHANGED)
_confirm = _updating(_TOLD)
_confirm_page = Bulk(
    ("seen", "target"),
    lambda _: (
        sa.update(records)
        .where(records.c.target_id == sa.bindparam("target"), records.c.gone_at.is_(None))
        .values(last_seen_at=sa.bindparam("seen"))
    ),
)


def _upsert(table: sa.Table, names: Sequence[str], keys: Sequence[str], adds: bool) -> Bulk:
    def build(connection: Connection) -> sa.Insert:
        insert = of_rows(connection, dialect_insert(connection, table), names)
        rest = [name for name in names if name not in keys]
        made: sa.Insert = insert.on_conflict_do_update(
            index_elements=list(keys),
            set_={
                name: table.c[name] + insert.excluded[name] if adds else insert.excluded[name]
                for name in rest
            },
        )
        return made

    return Bulk(names, build)


_remember = _upsert(
    record_history, ("record_id", "at", "version", "data"), ("record_id", "at"), adds=False
)
_rate = _upsert(handler_rates, _RATED, _RATED[:4], adds=True)
_fail = _upsert(handler_failures, _FAILED, _FAILED[:2], adds=False)


class RecordsNoted(Struct, frozen=True):
    """What became of records by some visits."""

    changes: tuple[RecordChange, ...] = ()


class _OneRecord(Struct):
    """A record while visits to its pages are noted, one after the other."""

    job_id: int
    identity: str
    name: str
    key: str | None
    id: int | None
    host_id: int
    target_id: int
    handler: str
    version: str
    last_seen_at: float
    data: str
    digest: bytes
    changed_at: float
    gone_at: float | None
    first_seen_at: float = 0.0
    before: str | None = None
    """What it was when these visits began; None when it was not there."""
    is_told: bool = False
    is_changed: bool = False

    @property
    def new(self) -> str | None:
        return None if self.gone_at is not None else self.data


class _PageOfTarget(Struct, frozen=True):
    job_id: int
    host_id: int
    url: str


def note(
    connection: Connection, seen: Sequence[HandledSighting], gone: Iterable[int], now: float
) -> RecordsNoted:
    """Write what these visits mean for records, in the order in which they were made; the pages of
    the targets that are `gone` tell none any more."""
    gone = set(gone)
    ids = {sighting.target_id for sighting in seen} | gone
    places = {
        id: _PageOfTarget(job_id, host_id, codec.full_url(url, origin))
        for id, job_id, host_id, url, origin in _places.run(connection, ids)
    }
    # A key of the user's may come from pages of any host: of a job, one after the other.
    for job_id in sorted({place.job_id for place in places.values()}):
        locks.lock_unit(connection, f"records of job {job_id}")
    noting = _Noting(connection, places, round(now, 3))
    noting.look([s for s in seen if s.target_id in places], gone)
    for sighting in sorted(seen, key=lambda s: s.at):
        if sighting.target_id in places:
            noting.take(sighting)
    for id in gone:
        noting.lose(id, None, set())
    return noting.write()


def release(connection: Connection, target_ids: Sequence[int]) -> None:
    """These targets go, and with them the records that their pages told last."""
    for some in in_groups(target_ids):
        theirs = sa.select(records.c.id).where(records.c.target_id.in_(some))
        connection.execute(sa.delete(record_history).where(record_history.c.record_id.in_(theirs)))
        connection.execute(sa.delete(records).where(records.c.target_id.in_(some)))


def identity_of(job_id: int, target_id: int, record: HandledRecord) -> str:
    """By the key of the user's, or else by the place on its page."""
    parts: tuple[str, ...] = (str(job_id), record.name, record.key)
    if not record.key:
        parts = (str(job_id), str(target_id), record.handler, record.name, str(record.position))
    told = msgspec.json.encode(parts)
    return blake2b(told, digest_size=16).hexdigest()


class _Noting:
    def __init__(
        self, connection: Connection, places: dict[int, _PageOfTarget], now: float
    ) -> None:
        self._connection = connection
        self._places = places
        self._now = now
        self._known: dict[str, _OneRecord] = {}
        self._there: dict[int, list[str]] = {}
        """What each page had told before."""
        self._confirmed: dict[int, float] = {}
        self._rates: dict[tuple[int, str, str, int], Counter[str]] = {}
        self._failures: dict[tuple[int, str], tuple[Any, ...]] = {}

    def look(self, seen: Sequence[HandledSighting], gone: set[int]) -> None:
        """Read what is known of all that may change."""
        told = [s for s in seen if not s.handled.is_same]
        wanted = {
            identity_of(self._places[s.target_id].job_id, s.target_id, record)
            for s in told
            for record in s.handled.records
        }
        rows = [*_by_identity.run(self._connection, sorted(wanted))] if wanted else []
        if pages := {s.target_id for s in told} | gone:
            there = _by_target.run(self._connection, sorted(pages))
            for row in there:
                self._there.setdefault(row[5], []).append(row[1])
            rows += there
        for id, identity, name, key, host_id, target_id, handler, version, last, *rest in rows:
            data, digest, changed, gone_at = rest
            one = _OneRecord(
                0, identity, name, key, id, host_id, target_id, handler, version, last, data,
                bytes(digest), changed, gone_at,
            )  # fmt: skip
            one.before = one.new
            self._known.setdefault(identity, one)

    def take(self, sighting: HandledSighting) -> None:
        handled = sighting.handled
        if handled.is_same:
            self._confirmed[sighting.target_id] = round(sighting.at, 3)
            return
        told = {self._tell(sighting, record) for record in handled.records}
        whole = frozenset(r.handler for r in handled.reports if not r.error)
        self.lose(sighting.target_id, whole, told)
        self._count(sighting)

    def lose(self, target_id: int, handlers: frozenset[str] | None, told: set[str]) -> None:
        """What these handlers, or all, had told of a page and tell no more."""
        for one in (self._known[identity] for identity in self._there.get(target_id, ())):
            # Another page may have told it since.
            is_theirs = one.target_id == target_id and one.gone_at is None
            is_asked = handlers is None or one.handler in handlers
            if is_theirs and is_asked and one.identity not in told:
                one.gone_at = one.changed_at = self._now
                one.is_changed = True

    def _tell(self, sighting: HandledSighting, record: HandledRecord) -> str:
        place = self._places[sighting.target_id]
        at = round(sighting.at, 3)
        identity = identity_of(place.job_id, sighting.target_id, record)
        one = self._known.get(identity)
        if one is None:
            one = self._known[identity] = _OneRecord(
                place.job_id, identity, record.name, record.key or None, None, place.host_id,
                sighting.target_id, record.handler, record.version, at, record.data, record.digest,
                max(at, self._now), None, at, is_told=True, is_changed=True,
            )  # fmt: skip
            return identity
        if one.digest != record.digest or one.gone_at is not None:
            one.data, one.digest, one.gone_at = record.data, record.digest, None
            one.changed_at, one.is_changed = self._now, True
        one.host_id, one.target_id = place.host_id, sighting.target_id
        one.handler, one.version = record.handler, record.version
        one.last_seen_at, one.is_told = max(at, one.last_seen_at), True
        return identity

    def _count(self, sighting: HandledSighting) -> None:
        place, at = self._places[sighting.target_id], round(sighting.at, 3)
        day = int(self._now // _DAY)
        for report in sighting.handled.reports:
            key = (place.job_id, report.handler, report.version, day)
            count = self._rates.setdefault(key, Counter())
            count["pages"] += 1
            count["records"] += report.records
            if report.error:
                count["failures"] += 1
                self._failures[place.job_id, report.handler] = (
                    report.version, at, place.url[:_LONGEST_URL], report.error.replace("\0", ""),
                )  # fmt: skip

    def write(self) -> RecordsNoted:
        connection = self._connection
        changed = [one for one in self._known.values() if one.is_changed]
        made = [one for one in changed if one.id is None]
        old = [one for one in changed if one.id is not None]
        _insert.run(connection, [_new_row(one) for one in made])
        if made:
            ids = dict(_ids.run(connection, [one.identity for one in made]))
            for one in made:
                one.id = ids[one.identity]
        _rewrite.run(connection, [_row(one, _CHANGED) for one in old])
        same = [one for one in self._known.values() if one.is_told and not one.is_changed]
        _confirm.run(connection, [_row(one, _TOLD) for one in same])
        confirmed = [(at, target) for target, at in sorted(self._confirmed.items())]
        _confirm_page.run(connection, confirmed)
        differs = [one for one in changed if one.new != one.before]
        _remember.run(
            connection, [(one.id, one.changed_at, one.version, one.new) for one in differs]
        )
        _rate.run(connection, [
            (*key, count["pages"], count["records"], count["failures"])
            for key, count in sorted(self._rates.items())
        ])  # fmt: skip
        _fail.run(connection, [(*key, *told) for key, told in sorted(self._failures.items())])
        return RecordsNoted(tuple(map(_change, differs)))


def _new_row(one: _OneRecord) -> tuple[Any, ...]:
    return tuple(getattr(one, name) for name in _NEW)


def _row(one: _OneRecord, names: Sequence[str]) -> tuple[Any, ...]:
    return (*(getattr(one, name) for name in names), one.id)


def _change(one: _OneRecord) -> RecordChange:
    assert one.id is not None, "it was written by now"
    return RecordChange(
        one.target_id, one.id, one.name, one.key, one.handler, one.version, one.changed_at,
        one.before, one.new,
    )  # fmt: skip
