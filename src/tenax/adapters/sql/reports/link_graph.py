"""The link graph: who links to whom, read from stored bodies and kept beside the pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine import codec
from tenax.adapters.sql.engine.bulk import inserting
from tenax.adapters.sql.engine.transactions import Transactions
from tenax.adapters.sql.records.pages import record
from tenax.adapters.sql.records.replayed import page_query
from tenax.adapters.sql.schema.tables import hosts, link_sources, links, pages, targets
from tenax.ports import PageRecord
from tenax.ports.graph import Degrees, Linked, LinkSource

_insert_links = inserting(links, ("source_id", "key", "job_id", "url"))
_insert_sources = inserting(link_sources, ("target_id", "digest"))


class SqlLinkGraph:
    def __init__(self, database: Transactions) -> None:
        self._database = database

    async def unread(self, job_id: int, after: int, limit: int) -> list[PageRecord]:
        query = (
            page_query.outerjoin(link_sources, link_sources.c.target_id == pages.c.target_id)
            .where(
                pages.c.target_id > after,
                pages.c.job_id == job_id,
                pages.c.digest.is_not(None),
                sa.or_(link_sources.c.target_id.is_(None), link_sources.c.digest != pages.c.digest),
            )
            .order_by(pages.c.target_id)
            .limit(limit)
        )
        return await self._database.read(lambda c: [record(row) for row in c.execute(query)])

    async def note(self, job_id: int, sources: Sequence[LinkSource]) -> None:
        ids = [source.target_id for source in sources]
        rows: list[tuple[Any, ...]] = [
            (source.target_id, key, job_id, url) for source in sources for key, url in source.links
        ]

        def work(connection: Connection) -> None:
            connection.execute(sa.delete(links).where(links.c.source_id.in_(ids)))
            connection.execute(sa.delete(link_sources).where(link_sources.c.target_id.in_(ids)))
            _insert_links.run(connection, sorted(rows))
            _insert_sources.run(connection, [(s.target_id, s.digest) for s in sources])

        await self._database.write(work)

    async def degrees(self, job_id: int, target_id: int, key: bytes) -> Degrees:
        incoming = sa.select(sa.func.count()).select_from(links)
        incoming = incoming.where(links.c.job_id == job_id, links.c.key == key)
        outgoing = sa.select(sa.func.count()).select_from(links)
        outgoing = outgoing.where(links.c.source_id == target_id)
        return await self._database.read(
            lambda c: Degrees(c.execute(incoming).scalar_one(), c.execute(outgoing).scalar_one())
        )

    async def most_linked(self, job_id: int, limit: int) -> list[Linked]:
        count = sa.func.count(links.c.source_id)
        query = (
            sa.select(sa.func.min(links.c.url), count)
            .where(links.c.job_id == job_id)
            .group_by(links.c.key)
            .order_by(count.desc(), sa.func.min(links.c.url))
            .limit(limit)
        )
        return await self._database.read(lambda c: [Linked(*row) for row in c.execute(query)])

    async def incoming(self, job_id: int, key: bytes, limit: int) -> list[str]:
        query = (
            sa.select(targets.c.url, hosts.c.origin)
            .join(links, links.c.source_id == targets.c.id)
            .join(hosts, hosts.c.id == targets.c.host_id)
            .where(links.c.job_id == job_id, links.c.key == key)
            .order_by(targets.c.id)
            .limit(limit)
        )
        return await self._database.read(
            lambda c: [codec.full_url(url, origin) for url, origin in c.execute(query)]
        )

    async def outgoing(self, target_id: int, limit: int) -> list[str]:
        query = sa.select(links.c.url).where(links.c.source_id == target_id)
        query = query.order_by(links.c.url).limit(limit)
        return await self._database.read(lambda c: list(c.execute(query).scalars()))
