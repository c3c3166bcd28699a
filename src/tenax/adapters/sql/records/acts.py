"""What was changed by the API and by whom, how often somebody asked it, what is not done twice."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine.dialects import dialect_insert, insert_new
from tenax.adapters.sql.engine.transactions import Transactions
from tenax.adapters.sql.schema.tables import acts, repeats, request_counts
from tenax.ports import Clock
from tenax.ports.accounts import AdminAct, KeptAnswer, Repeat

_KEPT = 86_400.0
_GIVEN_UP = 120.0


class SqlActs:
    def __init__(self, database: Transactions, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def note(self, who: str, what: str, status: int) -> None:
        row = {"at": self._clock.now(), "who": who, "what": what, "status": status}
        await self._database.write(lambda c: c.execute(sa.insert(acts).values(row)))

    async def latest(self, before: int | None, most: int) -> list[AdminAct]:
        query = sa.select(acts).order_by(acts.c.id.desc()).limit(most)
        if before is not None:
            query = query.where(acts.c.id < before)

        def work(connection: Connection) -> list[AdminAct]:
            rows = connection.execute(query)
            return [AdminAct(row.id, row.at, row.who, row.what, row.status) for row in rows]

        return await self._database.read(work)


class SqlRequestCounts:
    """A row for each asker and window, counted up in one statement."""

    def __init__(self, database: Transactions) -> None:
        self._database = database

    async def count(self, asker: str, window: int) -> tuple[int, int]:
        before = sa.select(request_counts.c.count).where(
            request_counts.c.asker == asker, request_counts.c.slot == window - 1
        )
        row = {"asker": asker, "slot": window, "count": 1}

        def work(connection: Connection) -> tuple[int, int]:
            counted = dialect_insert(connection, request_counts).values(row)
            counted = counted.on_conflict_do_update(
                index_elements=["asker", "slot"], set_={"count": request_counts.c.count + 1}
            ).returning(request_counts.c.count)
            now = connection.execute(counted).scalar_one()
            if now == 1:
                old = sa.delete(request_counts).where(request_counts.c.slot < window - 1)
                connection.execute(old)
            return now, connection.execute(before).scalar_one_or_none() or 0

        return await self._database.write(work)

    async def uncount(self, asker: str, window: int) -> None:
        c = request_counts.c
        mine = sa.update(request_counts).where(c.asker == asker, c.slot == window, c.count > 0)
        await self._database.write(lambda on: on.execute(mine.values(count=c.count - 1)))


class SqlRepeats:
    def __init__(self, database: Transactions, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def begin(self, id: bytes, request: bytes) -> Repeat | KeptAnswer:
        now = self._clock.now()
        mine = repeats.c.digest == id
        is_over = sa.and_(mine, repeats.c.status.is_(None), repeats.c.at <= now - _GIVEN_UP)
        row = {"digest": id, "request": request, "at": now}

        def work(connection: Connection) -> Repeat | KeptAnswer:
            connection.execute(
                sa.delete(repeats).where(sa.or_(repeats.c.at <= now - _KEPT, is_over))
            )
            if connection.execute(insert_new(connection, repeats).values(row)).rowcount == 1:
                return Repeat.NEW
            found = connection.execute(sa.select(repeats).where(mine)).one()
            if bytes(found.request) != request:
                return Repeat.ANOTHER
            if found.status is None:
                return Repeat.UNDER_WAY
            return KeptAnswer(found.status, found.content_type, bytes(found.body))

        return await self._database.write(work)

    async def end(self, id: bytes, answer: KeptAnswer | None) -> None:
        mine = repeats.c.digest == id
        change = sa.delete(repeats).where(mine)
        if answer is not None:
            kept = {
                "status": answer.status,
                "content_type": answer.content_type,
                "body": answer.body,
            }
            await self._database.write(
                lambda c: c.execute(sa.update(repeats).where(mine).values(kept))
            )
            return
        await self._database.write(lambda c: c.execute(change))
