"""Bulk import of pages that nobody fetched, with targets that are done; idempotent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine import codec, locks
from tenax.adapters.sql.engine.bulk import Bulk, Lookup, inserting
from tenax.adapters.sql.engine.dialects import dialect_insert
from tenax.adapters.sql.engine.transactions import Transactions
from tenax.adapters.sql.frontier import commit_sql, near_duplicates, page_writes
from tenax.adapters.sql.frontier.tallies import StateTally
from tenax.adapters.sql.handover import enrol
from tenax.adapters.sql.posts import sent
from tenax.adapters.sql.schema.tables import (
    attempts,
    dead_letters,
    hosts,
    lanes,
    pages,
    revisits,
    targets,
)
from tenax.fetch.fetch_policy import SimilarPolicy
from tenax.model import State, Target
from tenax.outcome import Attempt, End, Read, Settlement
from tenax.ports.imports import Imported, Taken

CLIENT = "warc"
"""What the attempts of imported pages name as their client."""
_DONE = State.DONE.value
_READ: sa.TextClause = sa.text(f"'{Read.word}'")

_new_hosts = inserting(hosts, ("name", "origin", "state"), new_only=True)
_hosts = Lookup(sa.select(hosts.c.name, hosts.c.id, hosts.c.origin), hosts.c.name)
_new_targets = inserting(
    targets,
    ("job_id", "host_id", "key", "url", "state", "priority", "depth", "reason", "outcome", "role"),
    new_only=True,
)
_attempts = inserting(attempts, ("target_id", "at", "outcome", "status", "bytes", "client"))
_finish = Bulk(
    ("target",),
    lambda _: (
        sa.update(targets)
        .where(targets.c.id == sa.bindparam("target"))
        .values(state=sa.text(f"'{_DONE}'"), reason=_READ, outcome=_READ, cause=sa.null())
    ),
)


class SqlImports:
    def __init__(self, database: Transactions, likeness: SimilarPolicy) -> None:
        self._database = database
        self._likeness = likeness

    async def take(self, job_id: int, pages: Sequence[Imported]) -> Taken:
        if not pages:
            return Taken()
        return await self._database.write(lambda c: _Import(c, job_id, self._likeness).run(pages))


class _Import:
    """One transaction of it."""

    def __init__(self, connection: Connection, job_id: int, likeness: SimilarPolicy) -> None:
        self.connection = connection
        self.job_id = job_id
        self.likeness = likeness
        self.tally = StateTally()

    def run(self, given: Sequence[Imported]) -> Taken:
        latest = {(i.target.host, i.target.key): i for i in sorted(given, key=_fetched_at)}
        older = len(given) - len(latest)
        ids = self._host_ids(latest)
        known = self._known(ids, latest)
        new = [i for place, i in latest.items() if place not in known]
        self._add(new, ids)
        rows = known | self._known(ids, {(i.target.host, i.target.key): i for i in new})
        settled: list[Settlement] = []
        held = renewed = 0
        for place, imported in latest.items():
            row = rows[place]
            if row.lease_id is not None:
                held += 1
            elif row.fetched_at is not None and row.fetched_at >= imported.page.fetched_at:
                older += 1
            else:
                renewed += row.fetched_at is not None
                settled.append(self._settled(imported, row))
        self._store(settled, {row.id: row for row in rows.values()})
        return Taken(len(settled) - renewed, renewed, older, held)

    def _host_ids(self, given: Mapping[tuple[str, bytes], Imported]) -> dict[str, tuple[int, str]]:
        origins = {i.target.host: i.target.origin for i in given.values()}
        rows = [(name, origin, "{}") for name, origin in sorted(origins.items())]
        _new_hosts.run(self.connection, rows)
        found = _hosts.run(self.connection, list(origins))
        ids = {name: (id, origin) for name, id, origin in found}
        locks.lock_hosts(self.connection, [id for id, _ in ids.values()])
        return ids

    def _known(
        self, ids: Mapping[str, tuple[int, str]], given: Mapping[tuple[str, bytes], Imported]
    ) -> dict[tuple[str, bytes], Any]:
        found: dict[tuple[str, bytes], Any] = {}
        for name, (host_id, _) in ids.items():
            keys = [key for host, key in given if host == name]
            query = (
                sa.select(targets.c.id, targets.c.key, targets.c.state, targets.c.lease_id,
                          targets.c.host_id,
                          pages.c.fetched_at)
                .outerjoin(pages, pages.c.target_id == targets.c.id)
                .where(targets.c.host_id == host_id, targets.c.job_id == self.job_id,
                       targets.c.key.in_(keys))
            )  # fmt: skip
            for row in self.connection.execute(query):
                found[name, bytes(row.key)] = row
        return found

    def _add(self, new: Sequence[Imported], ids: Mapping[str, tuple[int, str]]) -> None:
        rows: list[tuple[Any, ...]] = []
        posted: dict[int, list[Target]] = {}
        for imported in new:
            target = imported.target
            host_id, origin = ids[target.host]
            url = codec.short_url(target.url, origin)
            rows.append((self.job_id, host_id, target.key, url, _DONE, target.priority,
                         target.depth, Read.word, Read.word,
                         target.role if target.sends else None))  # fmt: skip
            if target.sends is not None:
                posted.setdefault(host_id, []).append(target)
        _new_targets.run(self.connection, sorted(rows, key=lambda row: row[1:3]))
        for host_id in sorted(posted):
            sent.write(self.connection, host_id, self.job_id, posted[host_id])
        self.tally.found(self.job_id, len(new))
        self.tally.move(self.job_id, State.PENDING, State.DONE, len(new))
        counts = Counter(ids[imported.target.host][0] for imported in new)
        for host_id, count in sorted(counts.items()):
            insert = dialect_insert(self.connection, lanes)
            self.connection.execute(
                insert.on_conflict_do_update(
                    index_elements=["host_id", "job_id"],
                    set_={"known": lanes.c.known + insert.excluded.known},
                ),
                {"host_id": host_id, "job_id": self.job_id, "known": count},
            )

    def _settled(self, imported: Imported, row: Any) -> Settlement:
        page = imported.page
        return Settlement(
            target_id=row.id,
            job_id=self.job_id,
            assignment_id=0,
            next=End(State.DONE, Read.word),
            attempt=Attempt(page.fetched_at, Read.word, page.status, client=CLIENT),
            outcome=Read.word,
            page=page,
            url_hash=imported.url_hash,
            renews=row.fetched_at is not None,
        )

    def _store(self, settled: Sequence[Settlement], rows: Mapping[int, Any]) -> None:
        marked = near_duplicates.recognise(self.connection, settled, self.likeness, self.tally)
        more = page_writes.write(self.connection, marked, self.tally)
        enrol.write(self.connection, marked)
        stored = Counter(rows[id].host_id for id in more)
        counted = [(count, host_id, self.job_id) for host_id, count in sorted(stored.items())]
        commit_sql.count_pages.run(self.connection, counted)
        tried: list[tuple[Any, ...]] = []
        unfinished: list[int] = []
        for settlement in marked:
            page = settlement.page
            assert page is not None
            tried.append((settlement.target_id, round(page.fetched_at, 3), Read.word, page.status,
                          len(page.body or b""), CLIENT))  # fmt: skip
            row = rows[settlement.target_id]
            if row.state != _DONE:
                unfinished.append(row.id)
                self.tally.move(self.job_id, State(row.state), State.DONE)
                if row.fetched_at is not None and row.state == State.PENDING.value:
                    self.tally.renewing(self.job_id, -1)
        _attempts.run(self.connection, tried)
        _finish.run(self.connection, [(id,) for id in unfinished])
        if unfinished:
            for table in (dead_letters, revisits):
                self.connection.execute(sa.delete(table).where(table.c.target_id.in_(unfinished)))
        self.tally.write(self.connection)


def _fetched_at(imported: Imported) -> float:
    return imported.page.fetched_at
