"""A lease on each kind of cleaning up, and how large the tables are."""

from __future__ import annotations

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine.dialects import dialect_insert, insert_new
from tenax.adapters.sql.engine.transactions import Transactions
from tenax.adapters.sql.schema.tables import metadata, storage_samples, upkeep
from tenax.ports import Clock
from tenax.ports.lifecycle.retention import StorageSample, StoredTable

_DAY = 86_400
_KEPT_DAYS = 400
_SQLITE_SIZES = (
    "SELECT m.tbl_name, SUM(s.pgsize) FROM dbstat AS s JOIN sqlite_master AS m ON m.name = s.name"
    " GROUP BY m.tbl_name"
)
# A table in partitions holds nothing itself: they are counted with it.
_POSTGRES_SIZES = (
    "SELECT COALESCE(whole.relname, part.relname), SUM(pg_total_relation_size(part.oid))::bigint"
    " FROM pg_class AS part LEFT JOIN pg_inherits AS i ON i.inhrelid = part.oid"
    " LEFT JOIN pg_class AS whole ON whole.oid = i.inhparent"
    " WHERE part.relkind = 'r' AND part.relnamespace = 'public'::regnamespace GROUP BY 1"
)


class SqlUpkeep:
    def __init__(self, database: Transactions, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def take(self, name: str, holder: str, seconds: float, every: float = 0.0) -> bool:
        row = {"name": name, "holder": "", "held_until": 0.0, "done_at": 0.0}

        def work(connection: Connection) -> bool:
            # Only here: it may be long since we asked, and a lease must not begin as long ago.
            now = self._clock.now()
            change = (
                sa.update(upkeep)
                .where(
                    upkeep.c.name == name,
                    sa.or_(upkeep.c.held_until <= now, upkeep.c.holder == holder),
                    upkeep.c.done_at <= now - every,
                )
                .values(holder=holder, held_until=now + seconds)
            )
            connection.execute(insert_new(connection, upkeep).values(row))
            return connection.execute(change).rowcount == 1

        return await self._database.write(work)

    async def is_held(self, name: str) -> bool:
        query = sa.select(upkeep.c.held_until).where(upkeep.c.name == name)
        until = await self._database.read(lambda connection: connection.execute(query).scalar())
        return until is not None and until > self._clock.now()

    async def give_back(self, name: str, holder: str, *, done: bool) -> None:
        values = {"held_until": 0.0}
        if done:
            values["done_at"] = self._clock.now()
        mine = sa.and_(upkeep.c.name == name, upkeep.c.holder == holder)
        change = sa.update(upkeep).where(mine).values(values)
        await self._database.write(lambda connection: connection.execute(change))


class SqlStorageBook:
    def __init__(self, database: Transactions) -> None:
        self._database = database

    async def tables(self) -> list[StoredTable]:
        return await self._database.read(_tables)

    async def samples(self) -> list[StorageSample]:
        query = sa.select(storage_samples.c.sample).order_by(storage_samples.c.day)
        found = await self._database.read(lambda c: c.execute(query).scalars().all())
        return [msgspec.json.decode(sample, type=StorageSample) for sample in found]

    async def keep(self, sample: StorageSample) -> None:
        day = int(sample.at // _DAY)
        row = {"day": day, "sample": msgspec.json.encode(sample).decode()}
        outdated = sa.delete(storage_samples).where(storage_samples.c.day < day - _KEPT_DAYS)

        def work(connection: Connection) -> None:
            insert = dialect_insert(connection, storage_samples).values(row)
            connection.execute(
                insert.on_conflict_do_update(
                    index_elements=["day"], set_={"sample": insert.excluded.sample}
                )
            )
            connection.execute(outdated)

        await self._database.write(work)


def _tables(connection: Connection) -> list[StoredTable]:
    sizes = _sizes(connection)
    found = []
    for table in metadata.sorted_tables:
        count = connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()
        found.append(StoredTable(str(table.name), count, sizes.get(table.name, 0)))
    return sorted(found, key=lambda each: (-each.size, -each.rows, each.name))


def _sizes(connection: Connection) -> dict[str, int]:
    if connection.dialect.name != "sqlite":
        return {row[0]: row[1] for row in connection.exec_driver_sql(_POSTGRES_SIZES)}
    try:
        return {row[0]: row[1] for row in connection.exec_driver_sql(_SQLITE_SIZES)}
    except sa.exc.OperationalError:
        return {}  # a SQLite that was built without dbstat
