"""People who may use the console, and their sessions; passwords and tokens are stored as hashes."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine.dialects import insert_new
from tenax.adapters.sql.engine.transactions import Transactions
from tenax.adapters.sql.schema.tables import sessions, users
from tenax.ports import Clock
from tenax.ports.accounts import ApiRole, Session, User

# Whoever removes one waits for whoever removes another: of two that are left, each would see both.
_admins = (
    sa.select(users.c.name)
    .where(users.c.role == ApiRole.ADMIN.value)
    .order_by(users.c.id)
    .with_for_update()
)


class SqlUsers:
    def __init__(self, database: Transactions, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def add(self, name: str, role: ApiRole, password: str, *, one_time: bool = False) -> bool:
        row = self._row(name, role, password, one_time)
        return await self._database.write(
            lambda c: c.execute(insert_new(c, users).values(row)).rowcount == 1
        )

    async def add_first(self, name: str, password: str) -> bool:
        row = self._row(name, ApiRole.ADMIN, password, True)

        def work(connection: Connection) -> bool:
            if connection.execute(sa.select(users.c.id).limit(1)).first() is not None:
                return False
            # Of two servers that start at once, one gets the name.
            return connection.execute(insert_new(connection, users).values(row)).rowcount == 1

        return await self._database.write(work)

    async def find(self, name: str) -> User | None:
        query = sa.select(users).where(users.c.name == name)

        def work(connection: Connection) -> User | None:
            row = connection.execute(query).first()
            return _user(row) if row else None

        return await self._database.read(work)

    async def all(self) -> list[User]:
        query = sa.select(users).order_by(users.c.name)
        return await self._database.read(lambda c: [_user(row) for row in c.execute(query)])

    async def change_password(self, name: str, password: str, *, one_time: bool = False) -> bool:
        change = sa.update(users).where(users.c.name == name)

        def work(connection: Connection) -> bool:
            _end_all(connection, name)
            changed = change.values(password=password, one_time=one_time)
            return connection.execute(changed).rowcount == 1

        return await self._database.write(work)

    async def remove(self, name: str, *, keep_an_admin: bool = False) -> bool:
        def work(connection: Connection) -> bool:
            if keep_an_admin and list(connection.execute(_admins).scalars()) == [name]:
                return False
            _end_all(connection, name)
            return connection.execute(sa.delete(users).where(users.c.name == name)).rowcount == 1

        return await self._database.write(work)

    async def open_session(self, user: int, digest: bytes, expires_at: float) -> None:
        row = {
            "digest": digest,
            "user_id": user,
            "created_at": self._clock.now(),
            "expires_at": expires_at,
        }
        await self._database.write(lambda c: c.execute(sa.insert(sessions).values(row)))

    async def session(self, digest: bytes) -> Session | None:
        query = (
            sa.select(users, sessions.c.created_at.label("since"), sessions.c.expires_at)
            .join(users, users.c.id == sessions.c.user_id)
            .where(sessions.c.digest == digest, sessions.c.expires_at > self._clock.now())
        )

        def work(connection: Connection) -> Session | None:
            row = connection.execute(query).first()
            return Session(_user(row), row.since, row.expires_at) if row else None

        return await self._database.read(work)

    async def valid_sessions(self, digests: Collection[bytes]) -> set[bytes]:
        c = sessions.c
        query = sa.select(c.digest).where(
            c.digest.in_(list(digests)), c.expires_at > self._clock.now()
        )
        return await self._database.read(lambda c: {bytes(d) for d in c.execute(query).scalars()})

    async def end_session(self, digest: bytes) -> bool:
        query = sa.delete(sessions).where(sessions.c.digest == digest)
        return await self._database.write(lambda c: c.execute(query).rowcount == 1)

    async def end_expired(self) -> int:
        query = sa.delete(sessions).where(sessions.c.expires_at <= self._clock.now())
        return await self._database.write(lambda c: c.execute(query).rowcount)

    def _row(self, name: str, role: ApiRole, password: str, one_time: bool) -> dict[str, Any]:
        return {
            "name": name,
            "role": role.value,
            "password": password,
            "one_time": one_time,
            "created_at": self._clock.now(),
        }


def _end_all(connection: Connection, name: str) -> None:
    whose = sa.select(users.c.id).where(users.c.name == name).scalar_subquery()
    connection.execute(sa.delete(sessions).where(sessions.c.user_id == whose))


def _user(row: sa.Row[Any]) -> User:
    return User(row.id, row.name, ApiRole(row.role), row.created_at, row.password, row.one_time)
