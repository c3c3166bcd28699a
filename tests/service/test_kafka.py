"""Kafka is told of every page: through outages and crashes, and so that anybody can read it."""

from __future__ import annotations

import asyncio
import json
import subprocess
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest
from aiokafka.errors import (
    KafkaTimeoutError,
    TopicAuthorizationFailedError,
    UnknownTopicOrPartitionError,
)
from msgspec.structs import replace

from services.kafka import console
from tenax.adapters.events.kafka import KafkaEvents, KafkaSink, brokers, trouble
from tenax.compose.crawler import Crawler, open_crawler
from tenax.compose.events import make_sinks, make_source, open_relays
from tenax.hosts.pace import PacePolicy
from tenax.model import Event, EventKind
from tenax.ops.events.consume import Consumer
from tenax.ops.events.delivery import RelayPolicy
from tenax.ops.events.relay import Relay
from tenax.ports import Unavailable
from tenax.settings import Settings
from tenax.testing import SimulatedWeb, VirtualClock, crawl, page
from tests.live import own_service, service
from tests.schemas import check

HOME = "https://a.example/"
PAGES = 60


def a_web() -> SimulatedWeb:
    """Pages in a chain of tens, so that a crawl takes a while."""
    web = SimulatedWeb(latency=0.1)
    for n in range(PAGES):
        links = [f"/{n + k}" for k in (1, 2) if n + k < PAGES]
        web.at(HOME if n == 0 else f"{HOME}{n}", page(_text(n), *links))
    return web


def _text(n: int) -> str:
    """Unlike any other, or they would be taken for one page."""
    rng = Random(n)
    return " ".join("".join(rng.choices("abcdefgh", k=6)) for _ in range(60))


@asynccontextmanager
async def opened(folder: Path, url: str, **relay: Any) -> AsyncIterator[Crawler]:
    topic = f"log-{uuid.uuid4().hex[:12]}"
    settings = Settings(
        data=str(folder),
        contact="mailto:test@example.org",
        events=url,
        pace=PacePolicy(delay=0.0, slots_unpaced=4),
        relay=RelayPolicy(topic=topic, dead_topic=f"{topic}_dlq", backoffs=(0.2, 0.5), **relay),
    )
    clock = VirtualClock()
    async with open_crawler(
        settings, clock=clock, rng=Random(0), web=a_web(), threads=False
    ) as app:
        yield app


async def read(app: Crawler, *, links: bool = False) -> tuple[list[dict[str, Any]], Consumer]:
    """What a reader makes of the topic who knows an event by its id."""
    found: list[dict[str, Any]] = []
    clock = app.parts.clock
    group = f"g-{uuid.uuid4().hex[:12]}"
    source = make_source(app.ledger.settings, clock, EventKind.FETCHED, group, from_beginning=True)
    consumer = Consumer(source, app.ledger.content, clock, found.append, links)
    try:
        await consumer.run(until_empty=True)
    finally:
        await source.close()
    return found, consumer


async def pages_of(app: Crawler) -> list[str]:
    return sorted(record.url for record in await app.ledger.pages.find(limit=1_000))


def told(events: Sequence[dict[str, Any]]) -> list[str]:
    return sorted(event["url"] for event in events)


async def test_every_page_is_an_event_whose_body_can_be_had_and_read_again(tmp_path: Path) -> None:
    async with opened(tmp_path, service("kafka").url) as app:
        async with app.ledger.telling(print):
            await crawl(app, HOME, max_depth=PAGES)
        events, consumer = await read(app, links=True)
        assert told(events) == await pages_of(app)
        assert len(events) == PAGES
        assert consumer.bodiless == 0
        by_url = {event["url"]: event for event in events}
        assert by_url[f"{HOME}7"]["links"] == [f"{HOME}8", f"{HOME}9"]


async def test_while_kafka_is_down_the_crawl_goes_on_and_all_is_told_afterwards(
    tmp_path: Path,
) -> None:
    said: list[str] = []
    waits = asyncio.Event()

    def say(text: str) -> None:
        said.append(text)
        waits.set()

    with own_service("kafka", tmp_path / "kafka") as kafka:
        async with (
            opened(tmp_path / "data", kafka.url, drain=240.0) as app,
            app.ledger.telling(say),
        ):
            crawling = asyncio.create_task(crawl(app, HOME, max_depth=PAGES))
            while not await _delivered(app):  # noqa: ASYNC110  the ledger tells nobody
                await asyncio.sleep(0.05)
            await asyncio.to_thread(kafka.kill)
            counts = await crawling
            assert counts.pages == PAGES, "the crawl did not wait"
            await asyncio.wait_for(waits.wait(), 240)
            assert said[0].startswith("Events wait: kafka://127.0.0.1:")
            await asyncio.to_thread(kafka.start)
        async with open_crawler(
            app.ledger.settings, clock=VirtualClock(), web=SimulatedWeb()
        ) as again:
            events, consumer = await read(again)
            assert told(events) == await pages_of(again)
            assert consumer.bodiless == 0


async def _delivered(app: Crawler) -> bool:
    return any(backlog.place for backlog in await app.ledger.outbox.backlogs())


@dataclass
class Dying:
    """A sink whose relay dies when it was told, before it can remember that."""

    inner: KafkaSink
    told: asyncio.Event

    async def send(self, events: Sequence[Event]) -> None:
        await self.inner.send(events)
        self.told.set()
        await asyncio.get_running_loop().create_future()

    async def close(self) -> None:
        await self.inner.close()


async def test_what_a_dying_relay_told_comes_again_under_the_same_id(tmp_path: Path) -> None:
    async with opened(tmp_path, service("kafka").url, lease=1.0, batch=20) as app:
        await crawl(app, HOME, max_depth=PAGES)
        (sink,) = make_sinks(app.ledger.settings, app.parts.clock).values()
        assert isinstance(sink, KafkaSink)
        dying = Dying(sink, asyncio.Event())
        clock, policy = app.parts.clock, app.ledger.settings.relay
        first = asyncio.create_task(
            Relay("events", "first", app.ledger.outbox, dying, clock, policy).run()
        )
        await dying.told.wait()
        async with open_relays(app.ledger.settings, app.ledger.outbox, clock, print) as (second,):
            assert await second.drain(3_600)
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        await dying.close()
        events, consumer = await read(app)
        assert told(events) == await pages_of(app)
        assert consumer.again == 20


async def test_a_plain_kafka_client_reads_them(tmp_path: Path) -> None:
    async with opened(tmp_path, service("kafka").url) as app:
        async with app.ledger.telling(print):
            await crawl(app, HOME, max_depth=PAGES)
        expected = await pages_of(app)
        where = app.ledger.settings.events.removeprefix("kafka://")
        command = [
            *console("org.apache.kafka.tools.consumer.ConsoleConsumer"),
            "--bootstrap-server", where, "--topic", app.ledger.settings.relay.topic,
            "--from-beginning", "--max-messages", str(PAGES), "--timeout-ms", "120000",
        ]  # fmt: skip
        shown = await asyncio.to_thread(
            subprocess.run, command, capture_output=True, text=True, timeout=240
        )
        lines = [line for line in shown.stdout.splitlines() if line.startswith("{")]
        assert told([check(line.encode()) for line in lines]) == expected


async def test_what_has_not_come_yet_is_not_taken_for_the_end(tmp_path: Path) -> None:
    """A server that is slow for a moment: who reads until nothing is left would leave all of it."""
    where, topic = brokers(service("kafka").url), f"log-{uuid.uuid4().hex[:12]}"
    sink = KafkaSink(where, {EventKind.FETCHED: topic})
    await sink.send([Event(1, EventKind.FETCHED, b"k" * 32, b"{}", 0.0)])
    await sink.close()
    source = KafkaEvents(where, {EventKind.FETCHED: topic}, topic, patience=0.0)
    assert [event.value for event in await source.read(10)] == [b"{}"]
    assert await source.read(10) == []
    await source.close()


async def test_a_kafka_that_is_not_there_is_unavailable_and_its_password_stays_secret() -> None:
    sink = KafkaSink(
        brokers("kafka://me:hunter2@127.0.0.1:9"), {EventKind.FETCHED: "t", EventKind.FAILED: "d"}
    )
    value = json.dumps({"event_id": "1"}).encode()
    with pytest.raises(Unavailable, match=r"kafka://127\.0\.0\.1:9: Kafka does not answer") as told:
        await sink.send([Event(1, EventKind.FETCHED, b"k" * 32, value, 0.0)])
    assert "hunter2" not in str(told.value)
    await sink.close()


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (UnknownTopicOrPartitionError(), "Kafka has no topic log. Create it"),
        (KafkaTimeoutError(), "Kafka does not answer (KafkaTimeoutError)."),
        (TimeoutError(), "Kafka does not answer (TimeoutError)."),
        (TopicAuthorizationFailedError(), "Kafka refused ("),
    ],
)
def test_what_is_wrong_is_told_with_what_to_do(error: Exception, told: str) -> None:
    assert told in trouble(brokers("kafka://me:hunter2@a"), ["log"], error)
    assert "hunter2" not in trouble(brokers("kafka://me:hunter2@a"), ["log"], error)


def test_brokers_are_read_from_a_url() -> None:
    for wrong in ("kafka://me:hu/nter@a", "kafka://me:hu?nter@a", "kafka://me:hu#nter@a"):
        with pytest.raises(ValueError, match="%2F"):
            brokers(wrong)
    assert brokers("kafka://a,b:9093").servers == ("a:9092", "b:9093")
    secured = brokers("kafka://me:p%40ss@a?tls=true&mechanism=SCRAM-SHA-512")
    assert secured.options["security_protocol"] == "SASL_SSL"
    assert secured.options["sasl_mechanism"] == "SCRAM-SHA-512"
    assert secured.options["sasl_plain_password"] == "p@ss"
    assert replace(secured, options={}).named == "kafka://a:9092"
    for wrong in ("kafka://", "kafka://a?tsl=1"):
        with pytest.raises(ValueError, match=r"names no server|unknown option 'tsl'"):
            brokers(wrong)
