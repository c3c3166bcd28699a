"""Who is told of events: all of them, in order, for good. And who reads what was told."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import pytest

from tenax.adapters.events.files import EventFiles, FileEvents
from tenax.adapters.events.kafka import KafkaEvents, KafkaSink, brokers
from tenax.adapters.local.clock import SystemClock
from tenax.model import Event, EventKind
from tenax.ports import EventSink, EventSource, Received
from tests.live import service

ROTATE = 100_000_000


@dataclass
class Place:
    """Where events are told, and read: as many sinks and readers as a test wants."""

    sink: Callable[[], EventSink]
    source: Callable[[EventKind, str, bool], EventSource]


def files(folder: Path) -> Place:
    clock = SystemClock()
    return Place(
        sink=lambda: EventFiles(folder, TOPICS, ROTATE, clock),
        source=lambda kind, group, anew: FileEvents(
            folder, {kind: TOPICS[kind]}, group, clock, from_beginning=anew, patience=0.01
        ),
    )


def kafka(_: Path) -> Place:
    where = brokers(service("kafka").url)
    # Topics of its own for every test: what another left there is not its business.
    run = uuid.uuid4().hex[:12]
    topics = {kind: f"{name}-{run}" for kind, name in TOPICS.items()}
    return Place(
        sink=lambda: KafkaSink(where, topics),
        source=lambda kind, group, anew: KafkaEvents(
            where, {kind: topics[kind]}, f"{group}-{run}", from_beginning=anew
        ),
    )


TOPICS = {EventKind.FETCHED: "webpage_log", EventKind.FAILED: "webpage_log_dlq"}
# A new adapter is one line here, and the contract holds for it too.
PLACES: dict[str, Callable[[Path], Place]] = {"files": files, "kafka": kafka}


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    return PLACES[request.param](tmp_path / "events")


def event(number: int, url: str = "a", kind: EventKind = EventKind.FETCHED) -> Event:
    key = sha256(url.encode()).digest()
    value = {"type": kind, "event_id": f"{number:032x}", "url": url, "url_hash": key.hex()}
    return Event(number, kind, key, json.dumps(value).encode(), 1_790_000_000.0)


async def tell(place: Place, *batches: Sequence[Event]) -> None:
    sink = place.sink()
    try:
        for batch in batches:
            await sink.send(batch)
    finally:
        await sink.close()


async def read(
    place: Place,
    kind: EventKind = EventKind.FETCHED,
    *,
    group: str = "g",
    most: int = 1_000,
    commit: bool = True,
    anew: bool = False,
) -> list[Received]:
    """All that a reader of this group gets before nothing more comes, or the first `most`."""
    source = place.source(kind, group, anew)
    found: list[Received] = []
    try:
        while len(found) < most and (more := await source.read(most - len(found))):
            found += more
            if commit:
                await source.commit()
    finally:
        await source.close()
    return found


def numbers(events: Sequence[Received]) -> list[int]:
    return [int(json.loads(each.value)["event_id"], 16) for each in events]


async def test_what_was_told_can_be_read(place: Place) -> None:
    await tell(place, [event(1)])
    (received,) = await read(place)
    assert received == Received(EventKind.FETCHED, event(1).key, event(1).value)


async def test_events_of_a_url_come_in_order(place: Place) -> None:
    told = [event(n, url=f"u{n % 7}") for n in range(500)]
    await tell(place, told[:200], told[200:201], told[201:])
    received = await read(place)
    assert sorted(numbers(received)) == list(range(500))
    for url in {each.key for each in received}:
        of_url = numbers([each for each in received if each.key == url])
        assert of_url == sorted(of_url)


async def test_each_kind_has_a_topic_of_its_own(place: Place) -> None:
    await tell(place, [event(1), event(2, kind=EventKind.FAILED), event(3)])
    assert numbers(await read(place)) == [1, 3]
    assert numbers(await read(place, EventKind.FAILED)) == [2]


async def test_an_empty_batch_tells_nothing(place: Place) -> None:
    await tell(place, [], [event(1)])
    assert numbers(await read(place)) == [1]


async def test_a_second_sink_goes_on_behind_the_first(place: Place) -> None:
    await tell(place, [event(1)])
    await tell(place, [event(2)])
    assert numbers(await read(place)) == [1, 2]


async def test_a_sink_can_be_closed_without_having_been_used(place: Place) -> None:
    await place.sink().close()


async def test_what_a_group_committed_it_does_not_read_again(place: Place) -> None:
    await tell(place, [event(n) for n in range(10)])
    assert numbers(await read(place, most=4)) == [0, 1, 2, 3]
    assert numbers(await read(place)) == [4, 5, 6, 7, 8, 9]
    assert await read(place) == []
    assert len(await read(place, group="another")) == 10


async def test_what_was_not_committed_comes_again(place: Place) -> None:
    await tell(place, [event(1), event(2)])
    assert numbers(await read(place, commit=False)) == [1, 2]
    assert numbers(await read(place)) == [1, 2]


async def test_a_group_can_begin_anew(place: Place) -> None:
    await tell(place, [event(1), event(2)])
    await read(place)
    assert numbers(await read(place, anew=True)) == [1, 2]


async def test_large_events_arrive_whole(place: Place) -> None:
    large = event(1, url="https://a.example/" + "x" * 8_000)
    await tell(place, [large])
    (received,) = await read(place)
    assert received.value == large.value
