"""Do programs that know nothing of us get through? redis-cli at one end, Kafka's console at the
other (STORE-2, STORE-3)."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import pytest

import services
from bench.push_cycle import Order, run
from services.kafka import console
from tenax.demo import TreeSite, serving
from tests.e2e.command import Tenax, until
from tests.live import service

PUSHED = 5


def redis_cli(redis: services.Service, *words: str) -> str:
    command = ["redis-cli", "-e", "-p", str(redis.port), *words]
    environment = {**os.environ, "REDISCLI_AUTH": urlsplit(redis.url).password or ""}
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=240)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def console_lines(kafka: services.Service, topic: str, most: int) -> list[str]:
    command = [
        *console("org.apache.kafka.tools.consumer.ConsoleConsumer"),
        "--bootstrap-server", kafka.url.removeprefix("kafka://"), "--topic", topic,
        "--from-beginning", "--max-messages", str(most), "--timeout-ms", "120000",
    ]  # fmt: skip
    shown = subprocess.run(command, capture_output=True, text=True, timeout=240)
    return [line for line in shown.stdout.splitlines() if line.startswith("{")]


def test_what_redis_cli_pushes_kafkas_console_reads_and_the_bodies_are_in_redis(
    tenax: Tenax, redis_service: services.Service
) -> None:
    redis_service.start()
    redis_cli(redis_service, "FLUSHALL")
    kafka, topic = service("kafka"), f"webpage_log_{uuid4().hex}"
    settings = {
        "redis": redis_service.url, "content": "redis:", "events": kafka.url, "relay__topic": topic,
        "allow_private": "127.0.0.1/32", "pace__delay": 0.01,
    }  # fmt: skip
    with serving([TreeSite(pages=PUSHED)]) as web:
        (seed,) = web.seeds
        urls = [seed, *(f"{seed}p/{n}" for n in range(1, PUSHED))]
        redis_cli(redis_service, "RPUSH", "crawler_queue", *urls)
        worker = tenax.start("worker", "--quiet", **settings)
        relay = tenax.start("relay", "--quiet", **settings)
        until(lambda: len(web.log) > PUSHED, "all of them asked for")
        events = [json.loads(line) for line in console_lines(kafka, topic, PUSHED)]
        for role in (worker, relay):
            role.interrupt()
            assert role.wait().code == 0, role.err
    assert sorted(event["url"] for event in events) == sorted(urls)
    for event in events:
        assert redis_cli(redis_service, "GET", event["cache_key"]).startswith("<!DOCTYPE html>")


@pytest.mark.parametrize("copies", [False, True], ids=["store", "copies"])
def test_every_push_is_answered_by_a_body_and_an_event(
    tmp_path: Path, redis_service: services.Service, copies: bool
) -> None:
    """STORE-3: pushed, fetched, expired and pushed again, whatever the page answers; `python -m
    bench.push_cycle` does it for longer."""
    redis_service.start()
    order = Order(redis_service.url, service("kafka").url, tmp_path, 9, 3, pages=2, copies=copies)
    answers = asyncio.run(run(order))
    assert answers.is_whole, answers.figures()
    assert answers.expired, "some came after their body had gone"
    assert answers.events["unchanged"] or not copies, "what is in the store was asked for by 304"
    assert answers.events["gone"] == answers.dead > 0
