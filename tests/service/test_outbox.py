"""Where many write at once, no event is passed over: PostgreSQL hands out ids before it commits."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import cast

import asyncpg

from tenax.adapters.sql.engine.postgres import Postgres
from tenax.adapters.sql.records.outbox import SqlOutbox
from tests.ledgers import Ledger, postgresql

_INSERT = (
    "INSERT INTO outbox (kind, key, value, at) VALUES ('webpage_fetched', 'k', $1, 0) RETURNING id"
)


async def connect(ledger: Ledger) -> asyncpg.Connection:
    return await asyncpg.connect(cast(Postgres, ledger.database)._url)


async def test_an_event_that_is_committed_late_is_read_late_and_not_never(tmp_path: Path) -> None:
    async with postgresql(tmp_path) as ledger:
        outbox = SqlOutbox(ledger.database, ledger.clock)
        slow, quick = await connect(ledger), await connect(ledger)
        try:
            transaction = slow.transaction()
            await transaction.start()
            early = await slow.fetchval(_INSERT, '{"n": "slow"}')
            late = await quick.fetchval(_INSERT, '{"n": "quick"}')
            assert early < late
            (first,) = await outbox.read(0, 10)
            assert first.value == b'{"n": "quick"}'
            await transaction.commit()
            (second,) = await outbox.read(first.place, 10)
            assert second.value == b'{"n": "slow"}'
        finally:
            await slow.close()
            await quick.close()


async def test_readers_at_the_same_time_give_every_event_one_place(tmp_path: Path) -> None:
    writers, each = 4, 50
    async with postgresql(tmp_path) as ledger:
        outbox = SqlOutbox(ledger.database, ledger.clock)
        is_over = asyncio.Event()

        async def write(writer: int) -> None:
            connection = await connect(ledger)
            try:
                for n in range(each):
                    async with connection.transaction():
                        await connection.fetchval(_INSERT, f"{writer}:{n}")
                        await asyncio.sleep(0.001 * (n % 3))
            finally:
                await connection.close()

        async def read() -> list[str]:
            found: list[str] = []
            place = 0
            while True:
                last = is_over.is_set()
                for event in await outbox.read(place, 7):
                    assert event.place == place + 1, "places have no gaps"
                    place = event.place
                    found.append(event.value.decode())
                    last = False
                if last:
                    return found
                await asyncio.sleep(0)

        readers = [asyncio.create_task(read()) for _ in range(3)]
        await asyncio.gather(*map(write, range(writers)))
        is_over.set()
        first, *others = await asyncio.gather(*readers)
        assert len(first) == len(set(first)) == writers * each
        assert all(other == first for other in others), "everybody reads them in one order"
        for writer in range(writers):
            mine = [text for text in first if text.startswith(f"{writer}:")]
            assert mine == [f"{writer}:{n}" for n in range(each)]


async def test_who_gives_places_waits_for_another_who_does(tmp_path: Path) -> None:
    async with postgresql(tmp_path) as ledger:
        outbox = SqlOutbox(ledger.database, ledger.clock)
        other = await connect(ledger)
        try:
            await other.fetchval(_INSERT, "first")
            assert [event.place for event in await outbox.read(0, 10)] == [1]
            second = await other.fetchval(_INSERT, "second")
            transaction = other.transaction()
            await transaction.start()
            await other.execute("SELECT place FROM cursors WHERE name = '*' FOR UPDATE")
            await other.execute("UPDATE outbox SET place = 2 WHERE id = $1", second)
            await other.execute("UPDATE cursors SET place = 2 WHERE name = '*'")
            late = await connect(ledger)
            await late.fetchval(_INSERT, "third")
            reading = asyncio.create_task(outbox.read(0, 10))
            await asyncio.sleep(0.3)
            assert not reading.done(), "it must not number anything meanwhile"
            await transaction.commit()
            assert [event.place for event in await reading] == [1, 2, 3]
            await late.fetchval(_INSERT, "fourth")
            assert [event.place for event in await outbox.read(0, 10)] == [1, 2, 3, 4]
            await late.close()
        finally:
            await other.close()
