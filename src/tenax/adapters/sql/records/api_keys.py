"""API keys: found by their hashes; the keys themselves are stored nowhere."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine.dialects import insert_new
from tenax.adapters.sql.engine.transactions import Transactions
from tenax.adapters.sql.schema.tables import api_keys
from tenax.ports import Clock
from tenax.ports.accounts import ApiKey, ApiRole

_jobs = msgspec.json.Decoder(tuple[str, ...])


class SqlApiKeys:
    def __init__(self, database: Transactions, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def add(
        self,
        name: str,
        role: ApiRole,
        digest: bytes,
        *,
        jobs: tuple[str, ...] | None = None,
        expires_at: float | None = None,
    ) -> bool:
        row = {
            "name": name,
            "role": role.value,
            "digest": digest,
            "created_at": self._clock.now(),
            "jobs": None if jobs is None else msgspec.json.encode(jobs).decode(),
            "expires_at": expires_at,
        }
        return await self._database.write(
            lambda c: c.execute(insert_new(c, api_keys).values(row)).rowcount == 1
        )

    async def find(self, digest: bytes) -> ApiKey | None:
        query = sa.select(api_keys).where(api_keys.c.digest == digest, self._is_good())

        def work(connection: Connection) -> ApiKey | None:
            row = connection.execute(query).first()
            return _key(row) if row else None

        return await self._database.read(work)

    async def valid(self, digests: Collection[bytes]) -> set[bytes]:
        mine = api_keys.c.digest.in_(list(digests))
        query = sa.select(api_keys.c.digest).where(mine, self._is_good())
        return await self._database.read(lambda c: {bytes(d) for d in c.execute(query).scalars()})

    async def all(self) -> list[ApiKey]:
        query = sa.select(api_keys).order_by(api_keys.c.name)
        return await self._database.read(lambda c: [_key(row) for row in c.execute(query)])

    async def used(self, id: int) -> None:
        change = sa.update(api_keys).where(api_keys.c.id == id).values(used_at=self._clock.now())
        await self._database.write(lambda c: c.execute(change))

    async def revoke(self, name: str) -> bool:
        query = sa.delete(api_keys).where(api_keys.c.name == name)
        return await self._database.write(lambda c: c.execute(query).rowcount == 1)

    def _is_good(self) -> sa.ColumnElement[bool]:
        until = api_keys.c.expires_at
        return sa.or_(until.is_(None), until > self._clock.now())


def _key(row: sa.Row[Any]) -> ApiKey:
    return ApiKey(
        id=row.id,
        name=row.name,
        role=ApiRole(row.role),
        created_at=row.created_at,
        digest=bytes(row.digest),
        jobs=None if row.jobs is None else _jobs.decode(row.jobs),
        expires_at=row.expires_at,
        used_at=row.used_at,
    )
