"""The command with a real Redis: URLs and bodies for anybody, and one row of requests."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis as client

import services
from tenax.demo import TreeSite, serving
from tenax.urls.normalise import IdentityRules, normalise, resolve, url_hash
from tests.e2e.command import Tenax, until
from tests.e2e.politeness import measured_lateness, too_early

PRIVATE = "127.0.0.1/32"
DELAY = 0.1


@pytest.fixture
def server(redis_service: services.Service) -> Iterator[Any]:
    """A Redis that is empty, as a producer sees it."""
    redis_service.start()
    with client.Redis.from_url(redis_service.url) as opened:
        opened.flushall()
        yield opened


def key_of(url: str) -> str:
    href = resolve(url)
    assert href is not None
    return f"webpage:{url_hash(normalise(href, IdentityRules(())))}"


def test_what_anybody_pushes_is_crawled_and_its_body_is_there_for_anybody(
    tenax: Tenax, server: Any, redis_service: services.Service
) -> None:
    """STORE-3"""
    with serving([TreeSite(pages=20)]) as web:
        (seed,) = web.seeds
        worker = tenax.start(
            "worker", "--quiet", redis=redis_service.url, content="redis:",
            allow_private=PRIVATE, pace__delay=0.01,
        )  # fmt: skip
        server.rpush("crawler_queue", seed)
        server.rpush("crawler_queue", json.dumps({"url": f"{seed}p/1", "job": "mine"}))
        server.rpush("crawler_queue", "{oops", "ftp://a.example/")
        until(lambda: server.exists(key_of(seed), key_of(f"{seed}p/1")) == 2, "both bodies")
        until(lambda: server.llen("page_fetcher_dlq") == 2, "both dead letters")
        worker.interrupt()
        assert worker.wait().code == 0, worker.err
        asked = {visit.path for visit in web.asked(next(iter(web.sites)))}
    assert asked == {"/robots.txt", "/", "/p/1"}, "only what was pushed"
    assert server.get(key_of(seed)).startswith(b"<!DOCTYPE html>")
    assert 3_000 < server.ttl(key_of(seed)) <= 3_600
    letters = [json.loads(letter) for letter in server.lrange("page_fetcher_dlq", 0, -1)]
    assert [(one["item"], one["reason"]) for one in letters] == [
        ("{oops", "malformed"),
        ("ftp://a.example/", "scheme"),
    ]
    assert server.keys("crawler_queue*") == []
    told = tenax.run("jobs", "--json", redis=redis_service.url).out
    assert '"intake"' in told
    assert '"mine"' in told


def test_the_doctor_sees_the_redis(
    tenax: Tenax, server: Any, redis_service: services.Service
) -> None:
    told = f"{server.info()['redis_version']} at 127.0.0.1:{redis_service.port}"
    until(lambda: told in tenax.run("doctor", redis=redis_service.url).out, "it is told")


def test_an_event_leads_to_the_body_in_redis(
    tenax: Tenax, server: Any, redis_service: services.Service
) -> None:
    """STORE-2: by its `cache_key`."""
    settings: dict[str, object] = {
        "redis": redis_service.url, "content": "redis:", "events": f"file:///{tenax.folder}/told",
        "allow_private": PRIVATE,
    }  # fmt: skip
    with serving([TreeSite(pages=1)]) as web:
        (seed,) = web.seeds
        server.rpush("crawler_queue", seed)
        worker = tenax.start("worker", "--quiet", **settings)
        until(lambda: server.exists(key_of(seed)), "its body")
        worker.interrupt()
        assert worker.wait().code == 0, worker.err
    assert tenax.run("relay", "--until-empty", **settings).code == 0
    told = tenax.run("consume", "--from-beginning", "--until-empty", **settings)
    event = json.loads(told.out)
    assert (event["url"], event["job"]) == (seed, "intake")
    body = server.get(event["cache_key"])
    assert len(body) == event["content_length"]


def test_what_a_killed_worker_had_taken_is_taken_by_the_next(
    tenax: Tenax, server: Any, redis_service: services.Service
) -> None:
    settings: dict[str, object] = {
        "redis": redis_service.url, "allow_private": PRIVATE, "intake__at_once": 50,
        "intake__recover": 1, "feed__hosts": 1,
    }  # fmt: skip
    # Nothing listens there: it is about what the ledger gets to know.
    pushed = [f"http://127.0.0.1:1/{n}" for n in range(5_000)]
    server.rpush("crawler_queue", *pushed)
    first = tenax.start("worker", "--quiet", **settings)
    until(lambda: server.llen("crawler_queue") < 4_000 and taken_by_anybody(server), "some")
    first.kill()
    # As time does it: nothing was heard of the dead one for a minute.
    for sign in server.keys("crawler_queue:taker:*"):
        server.delete(sign)
    second = tenax.start("worker", "--quiet", **settings)
    until(lambda: not server.keys("crawler_queue") + taken_by_anybody(server), "all are taken")
    second.interrupt()
    second.wait()
    with tenax.ledger() as ledger:
        found = {path for (path,) in ledger.execute("select url from targets")}
    assert found == {f"/{n}" for n in range(5_000)}


def taken_by_anybody(server: Any) -> list[bytes]:
    return list(server.keys("crawler_queue:taken:*"))


@pytest.mark.alone
def test_two_workers_that_both_hold_a_host_ask_it_as_one(
    tmp_path: Path, server: Any, redis_service: services.Service
) -> None:
    """Each has a ledger of its own, so only Redis knows of both."""
    holders = [Tenax(tmp_path / name) for name in ("one", "two")]
    for holder in holders:
        holder.folder.mkdir()
    with serving([TreeSite(pages=40)]) as web, measured_lateness() as lateness:
        (seed,) = web.seeds
        running = [
            holder.start_crawl(seed, "--quiet", "--delay", str(DELAY), redis=redis_service.url)
            for holder in holders
        ]
        for each in running:
            assert each.wait().code == 0, each.err
        visits = list(web.log)
    assert len([visit for visit in visits if visit.path != "/robots.txt"]) == 80
    assert too_early(visits, DELAY, lateness) == []


@pytest.mark.alone
def test_a_crawl_goes_on_politely_while_redis_is_away(
    tenax: Tenax, server: Any, redis_service: services.Service
) -> None:
    """OBS-5"""
    with serving([TreeSite(pages=80)]) as web, measured_lateness() as lateness:
        (seed,) = web.seeds
        running = tenax.start_crawl(
            seed, "--quiet", "--delay", str(DELAY),
            redis=redis_service.url, bodies__copy="true",
        )  # fmt: skip
        until(lambda: len(web.log) > 15, "under way")
        redis_service.kill()
        lost_at, seen = time.monotonic(), len(web.log)
        until(lambda: len(web.log) > seen + 15, "going on")
        gone_on = time.monotonic() - lost_at
        redis_service.start()
        ended = running.wait()
        visits = list(web.log)
    assert ended.code == 0, ended.err
    assert len(visits) == 81
    assert too_early(visits, DELAY, lateness) == []
    # A second for the first call, then a try now and again; nobody waits for Redis per request.
    assert gone_on < 60
    assert tenax.audit().code == 0


def test_pages_wait_for_the_redis_that_their_bodies_are_to_be_in(
    tenax: Tenax, server: Any, redis_service: services.Service
) -> None:
    """OBS-5: nothing is acknowledged before it is durable."""
    with serving([TreeSite(pages=60)]) as web:
        (seed,) = web.seeds
        running = tenax.start_crawl(
            seed, "--quiet", "--delay", "0.05", redis=redis_service.url, content="redis:"
        )
        until(lambda: len(web.log) > 15, "under way")
        redis_service.kill()
        time.sleep(3)
        redis_service.start()
        ended = running.wait()
    assert ended.code == 0, ended.err
    assert len(server.keys("webpage:*:digest")) == 60
    audit = tenax.run("audit", "--bodies", "--json", redis=redis_service.url, content="redis:")
    assert audit.json["whole"], audit.out
    assert audit.json["bodies_checked"] == 60


def test_what_is_given_up_is_a_dead_letter_in_redis_too(
    tenax: Tenax, server: Any, redis_service: services.Service
) -> None:
    """FE-8: also what was given up while Redis was away."""
    site = TreeSite(pages=3)
    with serving([site]) as web:
        (seed,) = web.seeds
        redis_service.kill()
        worker = tenax.start(
            "worker", "--quiet", redis=redis_service.url, allow_private=PRIVATE, pace__delay=0.01,
            intake__on="false", relay__backoffs="0.2", fetch__limits__body_bytes=10,
        )  # fmt: skip
        made = tenax.run("jobs", "create", "big", seed, "--start", allow_private=PRIVATE)
        assert made.code == 0, made.err
        until(lambda: "too_large" in tenax.run("dead", "--json").out, "it is given up")
        redis_service.start()
        until(lambda: server.llen("page_fetcher_dlq") == 1, "it is told")
        worker.interrupt()
        assert worker.wait().code == 0, worker.err
    (letter,) = map(json.loads, server.lrange("page_fetcher_dlq", 0, -1))
    assert (letter["type"], letter["url"], letter["fault"]) == ("webpage_failed", seed, "too_large")
    assert (letter["job"], letter["attempts"]) == ("big", 1)
