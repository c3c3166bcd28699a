"""Writing records of stored pages anew, read again from their bodies by `tenax replay`.

Nothing is fetched. A page that was visited meanwhile stays as it is: the body read is not its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine import codec, locks
from tenax.adapters.sql.engine.bulk import Bulk, Lookup
from tenax.adapters.sql.engine.transactions import Transactions
from tenax.adapters.sql.frontier import near_duplicates
from tenax.adapters.sql.frontier.page_writes import said
from tenax.adapters.sql.frontier.tallies import StateTally
from tenax.adapters.sql.records.pages import SENT, record
from tenax.adapters.sql.schema.tables import (
    crashes,
    hosts,
    jobs,
    pages,
    posts,
    product_jobs,
    products,
    targets,
)
from tenax.fetch.fetch_policy import SimilarPolicy
from tenax.model import Page, State
from tenax.outcome import End, Settlement
from tenax.page.similar import turns
from tenax.ports import PageRecord
from tenax.ports.replayed import PageFilter, Reread

# Of what a page is like only the fact is asked here, so nobody looks up its URL.
page_query = (
    sa.select(
        pages,
        targets.c.url,
        targets.c.depth,
        hosts.c.origin,
        jobs.c.name.label("job"),
        sa.null().label("original_url"),
        sa.null().label("original_origin"),
        *SENT,
    )
    .outerjoin(posts, posts.c.target_id == pages.c.target_id)
    .join(targets, targets.c.id == pages.c.target_id)
    .join(hosts, hosts.c.id == targets.c.host_id)
    .join(jobs, jobs.c.id == pages.c.job_id)
)
# What a replay may change is here as well as what a visit does.
_version = sa.select(
    pages.c.target_id, pages.c.fetched_at, pages.c.title, pages.c.description, pages.c.language,
    pages.c.content_hash, pages.c.digest, products.c.updated_at, products.c.status,
    products.c.content_hash.label("product"),
).outerjoin(product_jobs, product_jobs.c.target_id == pages.c.target_id).outerjoin(
    products, products.c.id == product_jobs.c.product_id
)  # fmt: skip
_there = Lookup(sa.select(pages.c.target_id, pages.c.job_id, pages.c.digest), pages.c.target_id)
_SAID = (
    "content_type", "charset", "title", "description", "canonical", "language", "published",
    "modified", "content_hash", "words", "links", "rights",
)  # fmt: skip


def _update(names: Sequence[str]) -> sa.Update:
    values = {name: sa.bindparam(f"new_{name}", type_=pages.c[name].type) for name in names}
    return sa.update(pages).where(pages.c.target_id == sa.bindparam("target")).values(values)


_HASHED = ("simhash", "duplicate_of")
_rewrite = Bulk((*(f"new_{name}" for name in _SAID), "target"), lambda _: _update(_SAID))
_rehash = Bulk((*(f"new_{name}" for name in _HASHED), "target"), lambda _: _update(_HASHED))


class SqlRereads:
    def __init__(self, database: Transactions, likeness: SimilarPolicy) -> None:
        self._database = database
        self._likeness = likeness

    async def last(self) -> int:
        newest = sa.select(sa.func.max(pages.c.target_id))
        return await self._database.read(lambda c: c.execute(newest).scalar() or 0)

    async def count(self, which: PageFilter) -> int:
        query = sa.select(sa.func.count(pages.c.target_id)).select_from(pages)
        if which.host is not None:
            query = query.join(targets, targets.c.id == pages.c.target_id)
            query = query.join(hosts, hosts.c.id == targets.c.host_id)
        if which.job is not None:
            query = query.join(jobs, jobs.c.id == pages.c.job_id)
        wanted = _narrowed(query, which)
        return await self._database.read(lambda c: int(c.execute(wanted).scalar_one()))

    async def between(self, which: PageFilter, after: int, last: int) -> list[PageRecord]:
        id = pages.c.target_id
        query = _narrowed(page_query.where(id > after, id <= last).order_by(id), which)
        return await self._database.read(lambda c: [record(row) for row in c.execute(query)])

    async def deadly(self, after: int, last: int) -> frozenset[int]:
        id = crashes.c.target_id
        query = sa.select(id).where(id > after, id <= last)
        return await self._database.read(lambda c: frozenset(c.execute(query).scalars()))

    async def versions(self, after: int, limit: int) -> list[tuple[int, str]]:
        query = _version.where(pages.c.target_id > after).order_by(pages.c.target_id).limit(limit)
        return await self._database.read(lambda c: [_told(row) for row in c.execute(query)])

    async def versions_of(self, ids: Sequence[int]) -> list[tuple[int, str]]:
        query = _version.where(pages.c.target_id.in_(ids))
        return await self._database.read(lambda c: [_told(row) for row in c.execute(query)])

    async def rewrite(self, rereads: Sequence[Reread]) -> int:
        if not rereads:
            return 0
        return await self._database.write(lambda c: self._write(c, rereads))

    def _write(self, connection: Connection, rereads: Sequence[Reread]) -> int:
        ids = [reread.target_id for reread in rereads]
        locks.lock_hosts_of_targets(connection, ids)
        there = {
            (id, bytes(digest or b"")): job_id for id, job_id, digest in _there.run(connection, ids)
        }
        kept = [r for r in rereads if (r.target_id, r.page.digest) in there]
        tally = StateTally()
        rehashed = [_settled(r, there[r.target_id, r.page.digest]) for r in kept if r.is_rehashed]
        marked = near_duplicates.recognise(connection, rehashed, self._likeness, tally)
        _rewrite.run(connection, [(*_said(r.page), r.target_id) for r in kept])
        _rehash.run(connection, [(*_hashed(s), s.target_id) for s in marked])
        tally.write(connection)
        return len(kept)


def _told(row: Any) -> tuple[int, str]:
    """Everything that a search could tell, in one short text."""
    said = blake2b(repr(tuple(row[1:])).encode(), digest_size=12)
    return row.target_id, said.hexdigest()


def _narrowed(query: sa.Select[Any], which: PageFilter) -> sa.Select[Any]:
    if which.job is not None:
        query = query.where(jobs.c.name == which.job)
    if which.host is not None:
        query = query.where(hosts.c.name == which.host)
    if which.since is not None:
        query = query.where(pages.c.fetched_at >= which.since)
    return query


def _settled(reread: Reread, job_id: int) -> Settlement:
    """As if a visit had brought it: so it is compared with others as those are."""
    return Settlement(
        target_id=reread.target_id,
        job_id=job_id,
        assignment_id=0,
        next=End(State.DONE),
        attempt=None,
        page=reread.page,
        renews=True,
    )


def _said(page: Page) -> tuple[Any, ...]:
    """In the order of `_SAID`, as the ledger has it."""
    return (
        *said(page),
        page.words,
        len(page.links),
        codec.pairs_text(page.rights),
    )


def _hashed(settlement: Settlement) -> tuple[Any, ...]:
    page = settlement.page
    simhash = None if page is None or page.simhash is None else turns(page.simhash)[0]
    return simhash, settlement.duplicate_of
