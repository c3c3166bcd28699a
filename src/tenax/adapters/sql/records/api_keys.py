"""API keys: found by their hashes; the keys themselves are stored nowhere."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine.dialects import insert_new
from tenax.adapters.sql.engine.transactions import Transactions
from tenax.adapters.sql.schema.tables import api_keys
from tenax.ports import Clock
from tenax.ports.api_keys import ApiKey, ApiRole


class SqlApiKeys:
    def __init__(self, database: Transactions, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def add(self, name: str, role: ApiRole, digest: bytes) -> bool:
        row = {"name": name, "role": role.value, "digest": digest, "created_at": self._clock.now()}
        return await self._database.write(
            lambda c: c.execute(insert_new(c, api_keys).values(row)).rowcount == 1
        )

    async def find(self, digest: bytes) -> ApiKey | None:
        query = sa.select(api_keys).where(api_keys.c.digest == digest)

        def work(connection: Connection) -> ApiKey | None:
            row = connection.execute(query).first()
            return _key(row) if row else None

        return await self._database.read(work)

    async def all(self) -> list[ApiKey]:
        query = sa.select(api_keys).order_by(api_keys.c.name)
        return await self._database.read(lambda c: [_key(row) for row in c.execute(query)])

    async def revoke(self, name: str) -> bool:
        query = sa.delete(api_keys).where(api_keys.c.name == name)
        return await self._database.write(lambda c: c.execute(query).rowcount == 1)


def _key(row: sa.Row[Any]) -> ApiKey:
    return ApiKey(row.id, row.name, ApiRole(row.role), row.created_at, bytes(row.digest))
