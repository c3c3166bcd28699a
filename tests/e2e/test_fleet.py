"""Does a fleet lose, double or hurry anything while its servers come and go? (MODE-3, OBS-5)

PostgreSQL, Kafka, S3 and a queue, all real; three workers of which one is killed; PostgreSQL is
restarted and Kafka is away for a while. What then counts is what the site's server saw, what stands
in the topic and what the stores give back.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import signal
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import AsyncExitStack, ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

import services
from tenax.compose.content import Around, open_content
from tenax.demo import DemoWeb, TreeSite, serving
from tenax.settings import load
from tests.e2e.command import Ended, Running, Tenax, until
from tests.e2e.politeness import measured_lateness, too_early
from tests.live import own_service

SITES = 15
PAGES = 40
DELAY = 0.1
LEAST = 0.08
"""What counts as too early. Eight busy processes share two cores here, and one that has to wait
for its turn between the clock and the network sends late; whoever overlaps would be at once."""
KAFKA_AWAY = 10.0
PATIENCE = 600.0
FAREWELL = 60.0
"""Seconds in which a role has to end when it is asked to. Ten are promised (MODE-3), and tested in
`test_hanging_servers.py`; here eight busy processes share two cores."""

SERVERS = {
    "ledger": ("postgres", "kafka", "s3"),
    "redis": ("postgres", "redis", "kafka", "s3"),
    "celery": ("postgres", "redis", "rabbitmq", "kafka", "s3"),
}


class Fleet:
    """The roles of one crawl, on servers of its own."""

    def __init__(self, tenax: Tenax, servers: dict[str, services.Service], queue: str) -> None:
        self.tenax = tenax
        self.servers = servers
        exports = [server.exports for server in servers.values()]
        told = {name: value for each in exports for name, value in each.items()}
        self.settings = {
            name.removeprefix("TENAX_").lower(): value
            for name, value in told.items()
            if name.startswith("TENAX_")
        }
        self.account = {name: value for name, value in told.items() if name.startswith("AWS_")}
        if queue == "redis":
            self.settings["queue"] = "redis:"
        elif queue == "ledger":
            self.settings.pop("queue", None)
        self.is_celerys = queue == "celery"
        self.settings["pace__delay"] = str(DELAY)
        self.settings["allow_private"] = "127.0.0.1/32"

    def start(self, *arguments: str) -> Running:
        return self.tenax.start(*arguments, **self.settings)

    def start_worker(self) -> Running:
        if not self.is_celerys:
            return self.start("worker", "--quiet")
        flags = ("--pool", "threads", "--concurrency", str(SITES))
        return self.tenax.start_celery(*flags, **self.settings)

    def run(self, *arguments: str) -> Ended:
        ended = self.start(*arguments).wait()
        assert ended.code == 0, ended.err
        return ended

    def told(self, *arguments: str) -> Any:
        return json.loads(self.run(*arguments, "--json").out)


@contextmanager
def fleet_of(
    tenax: Tenax, folder: Path, queue: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Fleet]:
    with ExitStack() as stack:
        servers = {
            name: stack.enter_context(own_service(name, folder / "servers"))
            for name in SERVERS[queue]
        }
        fleet = Fleet(tenax, servers, queue)
        for name, value in fleet.account.items():
            monkeypatch.setenv(name, value)
        yield fleet
        tenax.clean_up()


@pytest.mark.timeout(2_400)
@pytest.mark.parametrize("queue", SERVERS)
def test_nothing_is_lost_doubled_or_hurried(
    tenax: Tenax, tmp_path: Path, queue: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sites = [TreeSite(name=f"tree{n}", pages=PAGES) for n in range(SITES)]
    with (
        measured_lateness() as lateness,
        serving(sites) as web,
        fleet_of(tenax, tmp_path, queue, monkeypatch) as fleet,
    ):
        fleet.run("db", "upgrade")
        fleet.run("jobs", "create", "fleet", *(site.url for site in sites), "--start")
        roles = [fleet.start("relay", "--quiet")]
        if queue != "ledger":
            roles.append(fleet.start("scheduler", "--quiet"))
        workers = [fleet.start_worker() for _ in range(3)]

        until(lambda: len(web.log) > 100, "100 requests", PATIENCE)
        workers[0].kill()
        fleet.servers["kafka"].stop()
        away = threading.Timer(KAFKA_AWAY, fleet.servers["kafka"].start)
        away.start()
        until(lambda: len(web.log) > 400, "400 requests", PATIENCE)
        fleet.servers["postgres"].stop()
        fleet.servers["postgres"].start()
        until(lambda: len(web.log) >= SITES * PAGES, "every page asked for", PATIENCE)
        until(lambda: fleet.told("jobs", "show", "fleet")["state"] == "done", "done", PATIENCE)
        away.join()
        until(lambda: _behind(fleet) == 0, "every event told", PATIENCE)
        _farewell([*roles, *workers[1:]])

        assert fleet.told("jobs", "show", "fleet")["pages"] == SITES * PAGES
        expected = set().union(*(site.expected_urls() for site in sites))
        events = asyncio.run(_events(fleet.settings["events"]))
        assert fleet.run("audit", "--bodies").code == 0
        _check_bodies(fleet, events)
    by_id = {event["event_id"]: event["url"] for event in events}
    assert Counter(by_id.values()) == Counter(expected)
    # No process is started again here, but PostgreSQL is, and all wait for it: a pause of less than
    # this is a process that was held up.
    hurried = [too_early(_at(web, site), LEAST, lateness, pause=5.0) for site in sites]
    assert [early for each in hurried for early in each] == []


def _behind(fleet: Fleet) -> int:
    return sum(sink["waiting"] for sink in fleet.told("relay", "--status"))


def _farewell(roles: list[Running]) -> None:
    for role in roles:
        role.interrupt(signal.SIGTERM)
    for role in roles:
        ended = role.wait(FAREWELL)
        assert ended.code == 0, ended.err


async def _events(url: str) -> list[dict[str, Any]]:
    """All that stands in the topic, read as anybody would."""
    from aiokafka import AIOKafkaConsumer

    consumer = AIOKafkaConsumer(
        "webpage_log",
        bootstrap_servers=url.removeprefix("kafka://"),
        auto_offset_reset="earliest",
        enable_auto_commit=False,
    )
    await consumer.start()
    found: list[dict[str, Any]] = []
    try:
        ends = await consumer.end_offsets(list(consumer.assignment()))
        while [part for part, end in ends.items() if await consumer.position(part) < end]:
            batch = await consumer.getmany(timeout_ms=3_000)
            found += [json.loads(record.value) for records in batch.values() for record in records]
    finally:
        await consumer.stop()
    return found


def _check_bodies(fleet: Fleet, events: list[dict[str, Any]]) -> None:
    async def check() -> list[str]:
        named = {f"TENAX_{name.upper()}": value for name, value in fleet.settings.items()}
        settings = load(environment=named).settings
        missing = []
        async with AsyncExitStack() as stack:
            content = open_content(Around(settings), stack)
            for event in events:
                body = await content.get(bytes.fromhex(event["cache_key"]))
                if body is None or hashlib.sha256(body).hexdigest() != event["digest"]:
                    missing.append(event["url"])
        return missing

    assert asyncio.run(check()) == []


def _at(web: DemoWeb, site: TreeSite) -> list[Any]:
    return [visit for visit in web.log if visit.site == site.name]
