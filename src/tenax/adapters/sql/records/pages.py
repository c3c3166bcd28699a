"""Read-only queries for one URL or many: targets, attempts, stored pages, rejections."""

from __future__ import annotations

from functools import partial
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine import codec
from tenax.adapters.sql.engine.transactions import Transactions
from tenax.adapters.sql.schema.tables import (
    attempts,
    hosts,
    is_rare,
    jobs,
    pages,
    posts,
    rejections,
    targets,
)
from tenax.model import MOMENTARY, OutcomeWord, Reason, Role, Sends, State, Url
from tenax.outcome import Attempt
from tenax.page.similar import unsigned
from tenax.ports import PageChoice, PageRecord, TargetRecord
from tenax.urls.normalise import KEY_BYTES, target_digest, url_key

_original, _original_host = targets.alias(), hosts.alias()
SENT = (posts.c.body.label("sent"), posts.c.content_type.label("sent_as"))
full_page = (
    sa.select(
        pages,
        targets.c.url,
        targets.c.depth,
        hosts.c.origin,
        jobs.c.name.label("job"),
        _original.c.url.label("original_url"),
        _original_host.c.origin.label("original_origin"),
        *SENT,
    )
    .join(targets, targets.c.id == pages.c.target_id)
    .join(hosts, hosts.c.id == targets.c.host_id)
    .join(jobs, jobs.c.id == pages.c.job_id)
    .outerjoin(posts, posts.c.target_id == targets.c.id)
    .outerjoin(_original, _original.c.id == pages.c.duplicate_of)
    .outerjoin(_original_host, _original_host.c.id == _original.c.host_id)
)
_MOST_FAILURES = 20_000
_ended_badly = (State.FAILED.value, State.BLOCKED.value, State.REJECTED.value, State.GONE.value)


class SqlPages:
    def __init__(self, database: Transactions) -> None:
        self._database = database

    async def targets(
        self, identity: Url, host: str, sends: Sends | None = None
    ) -> list[TargetRecord]:
        key = target_digest(identity, sends)[:KEY_BYTES]
        query = _target_query().where(hosts.c.name == host, targets.c.key == key)
        return await self._database.read(lambda c: [_target(c, row) for row in c.execute(query)])

    async def posted(self, identity: Url, host: str, limit: int = 100) -> list[TargetRecord]:
        query = (
            _target_query()
            .where(hosts.c.name == host, posts.c.url_key == url_key(identity))
            .order_by(targets.c.id)
            .limit(limit)
        )
        return await self._database.read(lambda c: [_target(c, row) for row in c.execute(query)])

    async def attempts(self, target_id: int) -> list[Attempt]:
        query = sa.select(attempts).where(attempts.c.target_id == target_id).order_by(attempts.c.id)
        return await self._database.read(lambda c: [_attempt(row) for row in c.execute(query)])

    async def page(self, target_id: int) -> PageRecord | None:
        query = full_page.where(pages.c.target_id == target_id)

        def work(connection: Connection) -> PageRecord | None:
            row = connection.execute(query).first()
            return record(row) if row else None

        return await self._database.read(work)

    async def find(
        self,
        job: str | None = None,
        after: int = 0,
        limit: int = 100,
        contains: str = "",
        newest: bool = False,
        duplicates: bool | None = None,
        since: float | None = None,
        changed_since: float | None = None,
    ) -> list[PageRecord]:
        id = pages.c.target_id
        query = full_page.order_by(id.desc() if newest else id).limit(limit)
        if after:
            query = query.where(id < after if newest else id > after)
        if job is not None:
            query = query.where(jobs.c.name == job)
        if duplicates is not None:
            query = query.where(pages.c.duplicate_of.is_not(None) == duplicates)
        if since is not None:
            query = query.where(pages.c.fetched_at >= since)
        if changed_since is not None:
            query = query.where(
                sa.func.coalesce(pages.c.changed_at, pages.c.fetched_at) >= changed_since
            )
        if contains:
            looked_at = (pages.c.title, pages.c.final_url, hosts.c.origin + targets.c.url)
            query = query.where(
                sa.or_(*(text.icontains(contains, autoescape=True) for text in looked_at))
            )
        return await self._database.read(lambda c: [record(row) for row in c.execute(query)])

    async def similar(self, target_id: int, limit: int = 100) -> list[PageRecord]:
        original = sa.select(sa.func.coalesce(pages.c.duplicate_of, pages.c.target_id)).where(
            pages.c.target_id == target_id
        )

        def work(connection: Connection) -> list[PageRecord]:
            id = connection.execute(original).scalar()
            if id is None:
                return []
            # Two questions, each answered by an index; an OR of both would look at every page.
            first = full_page.where(pages.c.target_id == id, pages.c.target_id != target_id)
            others = full_page.where(pages.c.duplicate_of == id, pages.c.target_id != target_id)
            rest = connection.execute(others.order_by(pages.c.target_id).limit(limit)).all()
            return [record(row) for row in (*connection.execute(first), *rest)][:limit]

        return await self._database.read(work)

    async def purge(self, which: PageChoice, after: int, *, dry: bool) -> tuple[int, int | None]:
        from tenax.adapters.sql.lifecycle import purging  # who only looks does not need it

        work = partial(purging.step, which=which, after=after, dry=dry)
        return await (self._database.read(work) if dry else self._database.write(work))

    async def failures(self, job_id: int, limit: int = 10) -> list[tuple[str, int]]:
        # Of very many only some: by the index of rare states, not by all targets.
        some = (
            sa.select(targets.c.reason)
            .where(
                is_rare,
                targets.c.job_id == job_id,
                targets.c.rare.in_(_ended_badly),
                targets.c.state == targets.c.rare,
            )
            .limit(_MOST_FAILURES)
            .subquery()
        )
        count = sa.func.count()
        query = (
            sa.select(some.c.reason, count)
            .group_by(some.c.reason)
            .order_by(count.desc())
            .limit(limit)
        )
        return await self._database.read(
            lambda c: [(reason or "unknown", n) for reason, n in c.execute(query)]
        )

    async def rejection(self, url: str) -> list[tuple[str, Reason, float]]:
        query = (
            sa.select(jobs.c.name, rejections.c.reason, rejections.c.at)
            .join(jobs, jobs.c.id == rejections.c.job_id)
            # Of other reasons examples are kept: the door tells those by itself, at any time.
            .where(rejections.c.url == url, rejections.c.reason.in_(sorted(MOMENTARY)))
        )
        return await self._database.read(
            lambda c: [(job, Reason(reason), at) for job, reason, at in c.execute(query)]
        )


def _target_query() -> sa.Select[Any]:
    return (
        sa.select(
            targets, hosts.c.origin, hosts.c.name.label("host"), jobs.c.name.label("job"), *SENT
        )
        .outerjoin(posts, posts.c.target_id == targets.c.id)
        .join(hosts, hosts.c.id == targets.c.host_id)
        .join(jobs, jobs.c.id == targets.c.job_id)
    )


def _target(connection: Connection, row: sa.Row[Any]) -> TargetRecord:
    source = None
    if row.found_on is not None:
        found = connection.execute(_target_query().where(targets.c.id == row.found_on)).first()
        source = codec.full_url(found.url, found.origin) if found else None
    return TargetRecord(
        id=row.id,
        job=row.job,
        url=codec.full_url(row.url, row.origin),
        host=row.host,
        state=State(row.state),
        priority=row.priority,
        depth=row.depth,
        due_at=row.due_at,
        attempts=row.attempts,
        reason=row.reason or "",
        found_on=source,
        role=Role(row.role) if row.role else Role.PAGE,
        outcome=OutcomeWord(row.outcome) if row.outcome else None,
        cause=row.cause or "",
        sends=_sends(row),
    )


def _sends(row: sa.Row[Any]) -> Sends | None:
    return None if row.sent is None else Sends(row.sent, row.sent_as)


def _attempt(row: sa.Row[Any]) -> Attempt:
    return Attempt(
        at=row.at,
        outcome=row.outcome,
        status=row.status,
        ttfb_ms=row.ttfb_ms or 0,
        total_ms=row.total_ms or 0,
        bytes=row.bytes or 0,
        client=row.client or "",
        address=row.address or "",
        chain=codec.chain(row.chain),
        error=row.error or "",
        proxy=row.proxy or "",
        cause=row.cause or "",
        download_ms=row.download_ms or 0,
        kbps=row.kbps or 0,
        body=row.body or "",
    )


def _original_of(row: sa.Row[Any]) -> str:
    url, origin = row.original_url, row.original_origin
    return "" if url is None else codec.full_url(url, origin)


def record(row: sa.Row[Any]) -> PageRecord:
    url = codec.full_url(row.url, row.origin)
    final = row.final_url or url
    return PageRecord(
        target_id=row.target_id,
        job=row.job,
        url=url,
        final_url=final,
        url_hash=row.url_hash.hex(),
        status=row.status,
        content_type=row.content_type or "",
        charset=row.charset or "",
        title=row.title or "",
        description=row.description or "",
        canonical=row.canonical or final,
        language=row.language or "",
        published=row.published or "",
        modified=row.modified or "",
        content_hash=(row.content_hash or b"").hex(),
        digest=(row.digest or b"").hex(),
        length=row.length,
        words=row.words,
        link_count=row.links,
        depth=row.depth,
        fetched_at=row.fetched_at,
        etag=row.etag or "",
        last_modified=row.last_modified or "",
        rights=codec.pairs(row.rights),
        checked_at=row.checked_at,
        stale=row.stale or "",
        simhash="" if row.simhash is None else f"{unsigned(row.simhash):016x}",
        duplicate_of=_original_of(row),
        sends=_sends(row),
    )
