"""The plans of when each target is due again, written by the commit of each visit (FR-6).

An interval grows while nothing changes and shrinks when something does; sitemaps that proved honest
bring a visit forward. Jobs that do not recrawl have no plans, and their commits pay nothing for
those of others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec
import sqlalchemy as sa
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine.bulk import Bulk, in_groups, of_rows
from tenax.adapters.sql.engine.dialects import dialect_insert
from tenax.adapters.sql.frontier.transaction import LedgerTransaction
from tenax.adapters.sql.schema.tables import hosts, pages, revisits, rules, targets
from tenax.jobs.revisit_policy import (
    Honesty,
    Recrawling,
    VisitFinding,
    believed,
    is_disproved,
    is_trusted,
    judge,
    next_interval,
    seen,
)
from tenax.model import JobSpec, Role, State, Target
from tenax.outcome import End, Settlement

LASTMOD = "lastmod"
"""The kind of rule that keeps a host's honesty."""
LISTINGS = (Role.SITEMAP, Role.FEED)
_GUESSES = (Role.ARCHIVE, Role.PAGINATION)
_honesty_decoder = msgspec.json.Decoder(Honesty)

_before = (
    sa.select(targets.c.id, targets.c.host_id, hosts.c.name, targets.c.role, targets.c.depth,
              targets.c.url, revisits.c.interval,
              revisits.c.visited_at, revisits.c.modified, pages.c.content_hash, pages.c.digest,
              pages.c.target_id.label("page"))
    .join(hosts, hosts.c.id == targets.c.host_id)
    .outerjoin(revisits, revisits.c.target_id == targets.c.id)
    .outerjoin(pages, pages.c.target_id == targets.c.id)
)  # fmt: skip
_told_of = (
    sa.select(targets.c.id, targets.c.key, revisits.c.next_at, revisits.c.visited_at,
              revisits.c.modified)
    .join(revisits, revisits.c.target_id == targets.c.id)
    .where(targets.c.host_id == sa.bindparam("host"), targets.c.job_id == sa.bindparam("job"))
)  # fmt: skip
_listings = (
    sa.select(targets.c.id)
    .join(revisits, revisits.c.target_id == targets.c.id)
    .where(targets.c.role.in_([role.value for role in LISTINGS]))
)


def _upsert(connection: Connection) -> sa.Insert:
    """What a sitemap said of the target stays as it is; its own news have been heeded."""
    insert = of_rows(connection, dialect_insert(connection, revisits), PLAN)
    upsert: sa.Insert = insert.on_conflict_do_update(
        index_elements=["target_id"],
        set_={
            "next_at": insert.excluded.next_at,
            "interval": insert.excluded.interval,
            "visited_at": insert.excluded.visited_at,
            "news_at": sa.null(),
        },
    )
    return upsert


PLAN = ("target_id", "job_id", "next_at", "interval", "visited_at")
write_plans = Bulk(PLAN, _upsert)
_note_modified = Bulk(
    ("told", "target"),
    lambda _: (
        sa.update(revisits)
        .where(revisits.c.target_id == sa.bindparam("target"))
        .values(modified=sa.bindparam("told"))
    ),
)


class PlannedVisit(Struct, frozen=True):
    """A visit of a job that recrawls, and what was known of its target before it."""

    target_id: int
    job_id: int
    host_id: int
    seen: VisitFinding
    is_listing: bool
    interval: float
    """From the visit before to this one; of a first visit, to the next one."""
    at: float
    last_visit: float | None
    modified: float | None
    """What a sitemap had said."""
    rest: float
    """Seconds for which it is not asked for again, whatever the interval."""
    entry: float | None = None
    """Of a seed or front page whose host is looked at again with it: the interval asked for."""


class Listed(Struct, frozen=True):
    """What sitemaps and feeds that were read before list now."""

    job_id: int
    sources: frozenset[int]
    newest: int
    """The newest target there was: what has a higher id, nobody knew."""


class Recrawls:
    """One transaction's plans for the next visits."""

    def __init__(
        self, tx: LedgerTransaction, recrawling: Recrawling, spec: Callable[[int], JobSpec]
    ) -> None:
        self._tx = tx
        self._connection = tx.connection
        self._recrawling = recrawling
        self._policy = recrawling.policy
        self._spec = spec

    def look(self, settlements: Sequence[Settlement]) -> list[PlannedVisit]:
        """What the visits say of their pages; to be asked before those are replaced."""
        ended = {
            s.target_id: s
            for s in settlements
            if self._spec(s.job_id).recrawl is not None
            and isinstance(s.next, End)
            and s.next.state is not State.FAILED
        }
        return [
            self._visit(ended[row.id], row)
            for some in in_groups(ended)
            for row in self._connection.execute(_before.where(targets.c.id.in_(some)))
            if not _was_guessed_wrongly(ended[row.id], row) and row.role != Role.IMAGE
        ]

    def _visit(self, settlement: Settlement, row: sa.Row[*tuple[Any, ...]]) -> PlannedVisit:
        is_listing = row.role in LISTINGS
        known = None if row.page is None else (row.content_hash or b"", row.digest or b"")
        what = seen(settlement, known, is_listing=is_listing)
        is_gone = isinstance(settlement.next, End) and settlement.next.state is State.GONE
        at = settlement.attempt.at if settlement.attempt else self._tx.now
        spec = self._spec(settlement.job_id)
        first = self._recrawling.first_interval(row.name, spec.recrawl or 0.0)
        is_entry = bool(spec.discover) and (row.depth == 0 or row.url == "/")
        return PlannedVisit(
            target_id=row.id,
            job_id=settlement.job_id,
            host_id=row.host_id,
            seen=what,
            is_listing=is_listing,
            interval=row.interval or first,
            at=(row.visited_at or at) if what is VisitFinding.UNKNOWN else at,
            last_visit=row.visited_at,
            modified=row.modified,
            rest=self._recrawling.gone if is_gone else 0.0,
            entry=first if is_entry else None,
        )

    def plan(self, visits: Sequence[PlannedVisit], offer_at: Mapping[int, float]) -> None:
        """Write down when these are visited again, now that what they led to is known: `offer_at`
        is since when the offers at targets are what they are."""
        if not visits:
            return
        visits = [_with_offer(visit, offer_at) for visit in self._with_news(visits)]
        self._learn(visits)
        rows: list[tuple[Any, ...]] = []
        for visit in visits:
            interval = visit.interval
            if visit.last_visit is not None:
                interval = next_interval(
                    interval,
                    visit.seen,
                    self._policy,
                    is_listing=visit.is_listing,
                    entry=visit.entry,
                )
            next_at = self._tx.now + max(interval, visit.rest)
            rows.append((visit.target_id, visit.job_id, next_at, interval, visit.at))
        write_plans.run(self._connection, rows)

    def listed(self, job_id: int, proposals: Sequence[Target]) -> Listed | None:
        """Which of the proposals sitemaps and feeds have brought; to be asked before the new ones
        of them are in the ledger. None when it does not matter."""
        if self._spec(job_id).recrawl is None:
            return None
        sources = {target.found_on for target in proposals if target.found_on is not None}
        listings = [
            id
            for some in in_groups(sources)
            for id in self._connection.execute(_listings.where(targets.c.id.in_(some))).scalars()
        ]
        if not listings:
            return None
        newest = self._connection.execute(sa.select(sa.func.max(targets.c.id))).scalar_one()
        return Listed(job_id, frozenset(listings), newest)

    def heed(self, listed: Listed, by_host: Mapping[int, Mapping[bytes, Target]]) -> None:
        """A sitemap that names new URLs is worth reading. It may also say when the others changed:
        where the host has proved honest, those that did since they were visited are visited now.
        """
        found = (
            sa.select(targets.c.found_on)
            .where(targets.c.id > listed.newest, targets.c.found_on.in_(listed.sources))
            .distinct()
        )
        news = set(self._connection.execute(found).scalars())
        for host_id, by_key in by_host.items():
            told = {
                key: target
                for key, target in by_key.items()
                if target.modified is not None and target.found_on in listed.sources
            }
            if told:
                news |= self._heed_lastmod(listed.job_id, host_id, told)
        self._change(news, news_at=self._tx.now)

    def _heed_lastmod(
        self, job_id: int, host_id: int, told: Mapping[bytes, Target]
    ) -> set[int | None]:
        """The sitemaps that may be right about changes nobody has seen yet."""
        rows = [
            (row, told[row.key].modified or 0.0)
            for some in in_groups(told)
            for row in self._connection.execute(
                _told_of.where(targets.c.key.in_(some)), {"host": host_id, "job": job_id}
            )
        ]
        # What will change tomorrow has not changed yet.
        rows = [(row, modified) for row, modified in rows if modified <= self._tx.now]
        changed: list[tuple[Any, ...]] = [
            (modified, row.id) for row, modified in rows if modified != row.modified
        ]
        _note_modified.run(self._connection, changed)
        newer = [
            (modified, row.id, told[row.key].found_on)
            for row, modified in rows
            if modified > row.visited_at and row.next_at is not None and row.next_at > self._tx.now
        ]
        if not newer:
            return set()
        honesty = read_honesty(self._connection, [host_id])[host_id]
        if is_trusted(honesty, self._policy):
            newer.sort(reverse=True)
            most = believed(len(newer), len(rows), self._policy)
            self._change([id for _, id, _ in newer[:most]], next_at=self._tx.now)
        return set() if is_disproved(honesty, self._policy) else {found for *_, found in newer}

    def _change(self, ids: Iterable[int | None], **values: float) -> None:
        for some in in_groups(ids):
            self._connection.execute(
                sa.update(revisits).where(revisits.c.target_id.in_(some)).values(**values)
            )

    def _with_news(self, visits: Sequence[PlannedVisit]) -> list[PlannedVisit]:
        """A sitemap or feed has changed when it told of something new."""
        read = {v.target_id for v in visits if v.is_listing and v.seen is VisitFinding.CHANGED}
        if not read:
            return list(visits)
        told = sa.select(revisits.c.target_id).where(
            revisits.c.target_id.in_(read), revisits.c.news_at.is_not(None)
        )
        empty = read - set(self._connection.execute(told).scalars())
        return [replace(v, seen=VisitFinding.SAME) if v.target_id in empty else v for v in visits]

    def _learn(self, visits: Sequence[PlannedVisit]) -> None:
        """Compare what sitemaps said with what the visits found."""
        told = [
            (visit.host_id, visit.modified, visit.last_visit, visit.seen is VisitFinding.CHANGED)
            for visit in visits
            if visit.modified is not None
            and visit.last_visit is not None
            and visit.seen in (VisitFinding.CHANGED, VisitFinding.SAME)
        ]
        if not told:
            return
        known = read_honesty(self._connection, {host_id for host_id, *_ in told})
        for host_id, modified, last_visit, changed in told:
            known[host_id] = judge(known[host_id], modified, last_visit, changed, self._policy)
        insert = dialect_insert(self._connection, rules)
        upsert = insert.on_conflict_do_update(
            index_elements=["host_id", "kind", "key"],
            set_={name: insert.excluded[name] for name in ("state", "updated_at")},
        )
        rule = {"kind": LASTMOD, "key": "", "updated_at": self._tx.now}
        rows = [
            {"host_id": host_id, "state": msgspec.json.encode(honesty).decode(), **rule}
            for host_id, honesty in known.items()
        ]
        self._connection.execute(upsert, rows)


def _with_offer(visit: PlannedVisit, offer_at: Mapping[int, float]) -> PlannedVisit:
    """A price that is another one since the last visit is a change, whatever the text says; also
    where another job was the first to see it."""
    at, last = offer_at.get(visit.target_id), visit.last_visit
    if visit.seen is VisitFinding.SAME and at is not None and last is not None and at > last:
        return replace(visit, seen=VisitFinding.CHANGED)
    return visit


def read_honesty(connection: Connection, host_ids: Iterable[int]) -> dict[int, Honesty]:
    """What the hosts' sitemaps are worth; all of them are in it."""
    known = dict.fromkeys(host_ids, Honesty())
    kept = sa.select(rules.c.host_id, rules.c.state).where(
        rules.c.host_id.in_(known), rules.c.kind == LASTMOD, rules.c.key == ""
    )
    for host_id, state in connection.execute(kept):
        known[host_id] = _honesty_decoder.decode(state)
    return known


def _was_guessed_wrongly(settlement: Settlement, row: sa.Row[*tuple[Any, ...]]) -> bool:
    return row.role in _GUESSES and settlement.page is None and row.page is None
