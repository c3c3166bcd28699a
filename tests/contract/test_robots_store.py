"""The promises of `RobotsStore`: what a site last said, whoever asks for it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest
from msgspec.structs import replace

import services
from tenax.adapters.redis.client import RedisServer
from tenax.adapters.redis.robots import RedisRobotsStore, SharedHostBook
from tenax.hosts.conduct import HostPolicies
from tenax.model import RobotsRecord
from tenax.ports import RobotsStore
from tests.ledgers import LEASES, START, Ledger, target
from tests.redises import opened

ROBOTS = RobotsRecord(
    "https://a.example", 200, "User-agent: *\nDisallow: /ü", START, START, START + 60
)


@dataclass
class Place:
    store: RobotsStore
    other: RobotsStore
    """The same, as another worker sees it."""
    ledger: Ledger
    server: RedisServer | None = None


@pytest.fixture(params=["ledger", "redis"])
async def place(request: pytest.FixtureRequest, ledger: Ledger) -> AsyncIterator[Place]:
    if request.param == "ledger":
        yield Place(ledger.robots, ledger.robots, ledger)
        return
    service: services.Service = request.getfixturevalue("redis_service")
    async with opened(service) as one, opened(service) as two:
        assert await one.ask(lambda redis: redis.flushall())
        stores = [RedisRobotsStore(server, ledger.robots, ledger.clock) for server in (one, two)]
        yield Place(stores[0], stores[1], ledger, one)


async def test_what_was_saved_is_loaded(place: Place) -> None:
    assert await place.store.load("https://a.example") is None
    await place.store.save(ROBOTS)
    assert await place.store.load("https://a.example") == ROBOTS
    assert await place.other.load("https://a.example") == ROBOTS


async def test_the_latest_answer_counts(place: Place) -> None:
    await place.store.save(ROBOTS)
    later = replace(ROBOTS, text="", status=404, fetched_at=START + 1, expires_at=START + 9)
    await place.other.save(later)
    assert await place.store.load("https://a.example") == later


async def test_origins_of_one_host_are_kept_apart(place: Place) -> None:
    """ROB-1"""
    others = ("http://a.example", "https://a.example:8443")
    await place.store.save(ROBOTS)
    for origin in others:
        assert await place.store.load(origin) is None
    for origin in others:
        await place.store.save(replace(ROBOTS, origin=origin))
    for origin in ("https://a.example", *others):
        assert await place.other.load(origin) == replace(ROBOTS, origin=origin)


async def test_an_old_record_is_kept_as_the_last_good_one(place: Place) -> None:
    """ROB-1: for up to 30 days."""
    await place.store.save(ROBOTS)
    place.ledger.clock.time += 3_600
    assert await place.store.load("https://a.example") == ROBOTS


async def test_redis_spares_the_ledger(place: Place) -> None:
    if place.server is None:
        return
    await place.store.save(ROBOTS)
    changed = replace(ROBOTS, text="not asked for")
    await place.ledger.robots.save(changed)
    assert await place.other.load("https://a.example") == ROBOTS
    place.ledger.clock.time += 61
    assert await place.other.load("https://a.example") == changed


async def test_what_is_no_record_is_asked_of_the_ledger(place: Place) -> None:
    if place.server is None:
        return
    await place.ledger.robots.save(ROBOTS)
    await place.server.ask(lambda redis: redis.hset("robots:a.example", "https", b"{oops"))
    assert await place.store.load("https://a.example") == ROBOTS


async def test_a_person_who_resets_a_host_resets_it_for_all(place: Place) -> None:
    """HOST-5: also what Redis remembers of it."""
    if place.server is None:
        return
    worker, job = await place.ledger.worker(), await place.ledger.job()
    await worker.frontier.add(job, [target("https://a.example/")])
    await place.store.save(replace(ROBOTS, error="bad_gateway", status=502, text=""))
    await place.server.ask(lambda redis: redis.set("circuit:a.example", "breaker", ex=60))
    hosts = SharedHostBook(
        place.server, worker.database, place.ledger.clock, HostPolicies(), LEASES
    )
    assert await hosts.reset("a.example")
    record = await place.other.load("https://a.example")
    assert record is not None
    assert record.expires_at <= place.ledger.clock.now()
    assert await place.server.ask(lambda redis: redis.exists("circuit:a.example")) == 0
