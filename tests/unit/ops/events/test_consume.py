"""Does a reader of events tell each of them once, whatever comes in between?"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from hashlib import sha256
from typing import Any

import msgspec
import pytest

from tenax.adapters.local.clock import SystemClock
from tenax.model import EventKind
from tenax.ops.events import consume
from tenax.ops.events.consume import Consumer
from tenax.ports import Received, Unavailable

BODY = b"<a href=/two>two</a>"
DIGEST = sha256(BODY).digest()


def event(number: int, **more: Any) -> bytes:
    return msgspec.json.encode({
        "event_id": f"{number:032x}",
        "final_url": "https://a.example/",
        "content_type": "text/html",
        "digest": DIGEST.hex(),
        **more,
    })  # fmt: skip


class Topic:
    """A source that moves on with every read, as Kafka's does."""

    def __init__(self, values: Iterable[bytes]) -> None:
        self.values = list(values)
        self.at = self.committed = 0

    async def read(self, most: int) -> list[Received]:
        found = self.values[self.at : self.at + most]
        self.at += len(found)
        return [Received(EventKind.FETCHED, b"", value) for value in found]

    async def commit(self) -> None:
        self.committed = self.at

    async def close(self) -> None:
        pass


class Store:
    """A content store that is away for some calls."""

    def __init__(self, away: int = 0) -> None:
        self.away = away

    async def get(self, digest: bytes) -> bytes | None:
        if self.away:
            self.away -= 1
            raise Unavailable("The store is away.")
        return BODY if digest == DIGEST else None

    async def put(self, bodies: Iterable[tuple[bytes, bytes]]) -> None: ...

    async def missing(self, digests: Iterable[bytes]) -> list[bytes]:
        return []

    async def close(self) -> None: ...


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consume, "_LOOK_AGAIN", 0.001)


async def test_an_event_whose_body_cannot_be_had_for_now_is_told_later() -> None:
    topic, told = Topic(map(event, range(5))), list[dict[str, Any]]()
    consumer = Consumer(topic, Store(away=3), SystemClock(), told.append, links=True, limit=5)
    await consumer.run()
    assert [int(each["event_id"], 16) for each in told] == [0, 1, 2, 3, 4]
    assert told[0]["links"] == ["https://a.example/two"]
    assert topic.committed == 5


async def test_who_does_not_wait_ends_and_its_next_run_begins_there() -> None:
    topic, told = Topic(map(event, range(5))), list[dict[str, Any]]()
    with pytest.raises(Unavailable):
        await Consumer(topic, Store(away=1), SystemClock(), told.append).run(until_empty=True)
    assert (told, topic.committed) == ([], 0)


async def test_who_is_stopped_while_waiting_for_a_body_says_nothing_of_it() -> None:
    topic, told = Topic(map(event, range(5))), list[dict[str, Any]]()
    consumer = Consumer(topic, Store(away=10**9), SystemClock(), told.append)
    running = asyncio.create_task(consumer.run())
    await asyncio.sleep(0.01)
    consumer.stop()
    await asyncio.wait_for(running, 120)
    assert (told, topic.committed) == ([], 0)


@pytest.mark.parametrize(
    "noise",
    [
        b"",
        b"{",
        b"null",
        b"[1]",
        b"\xff\xfe",
        b'{"type": "webpage_fetched"}',
        b'{"event_id": 7}',
        event(9, digest="no hex"),
        event(9, digest=7),
        b'{"event_id": "9", "x": %s%s}' % (b"[" * 20_000, b"]" * 20_000),
    ],
)
async def test_what_is_no_event_is_left_out_and_counted(noise: bytes) -> None:
    topic, told = Topic([event(1), noise, event(2)]), list[dict[str, Any]]()
    consumer = Consumer(topic, Store(), SystemClock(), told.append)
    await consumer.run(until_empty=True)
    assert [int(each["event_id"], 16) for each in told] == [1, 2]
    assert (consumer.unreadable, topic.committed) == (1, 3)


async def test_what_comes_again_is_told_once() -> None:
    topic, told = Topic([event(1), event(2), event(1)]), list[dict[str, Any]]()
    consumer = Consumer(topic, Store(), SystemClock(), told.append)
    await consumer.run(until_empty=True)
    assert (len(told), consumer.again) == (2, 1)


@pytest.mark.parametrize("hanging", ["read", "commit"])
async def test_told_to_stop_it_does_not_wait_for_a_source_that_hangs(
    monkeypatch: pytest.MonkeyPatch, hanging: str
) -> None:
    monkeypatch.setattr(consume, "_GRACE", 0.01)
    source, asked = Topic([event(1)]), asyncio.Event()

    async def hang(*_: object) -> Any:
        asked.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(source, hanging, hang)
    consumer = Consumer(source, Store(), SystemClock(), lambda _: None)
    running = asyncio.create_task(consumer.run())
    await asked.wait()
    consumer.stop()
    await asyncio.wait_for(running, 60)
    assert source.committed == 0


async def test_told_to_stop_it_does_not_wait_for_the_next_look(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nor does it for a body that is away."""
    monkeypatch.setattr(consume, "_LOOK_AGAIN", 3_600.0)
    store, asked = Store(), asyncio.Event()

    async def away(_: bytes) -> bytes | None:
        asked.set()
        raise Unavailable("The store is away.")

    monkeypatch.setattr(store, "get", away)
    consumer = Consumer(Topic([event(1)]), store, SystemClock(), lambda _: None)
    running = asyncio.create_task(consumer.run())
    await asked.wait()
    consumer.stop()
    await asyncio.wait_for(running, 60)
