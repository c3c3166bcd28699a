"""Is every push answered? Push, fetch, let expire, push again: on a real Redis and a real Kafka.

    python -m bench.push_cycle                            # ten minutes, bodies that live for 10 s
    python -m bench.push_cycle --minutes 60 --ttl 30
    python -m bench.push_cycle --copies                   # bodies in files, Redis has copies

Private servers are started for it, and a worker and a relay of our own. URLs of all kinds are
pushed again and again at random moments, some while their body is there, some long after it has
expired, some twice at once: pages that answer 304, pages that send the same bytes each time, pages
that change, pictures, and pages that are gone. A push is answered by an event of its URL that is
not older than the push; where the event says that there is a body, whoever reads it must find it in
Redis. Ends with 1 when a push was not answered, or a body was missing.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any
from uuid import uuid4

import services
from tenax.demo import Reply, Site, SiteRequest, Truth, serving
from tenax.demo.words import TOWN, Dice, sentence

KINDS = ("tagged", "plain", "changing", "picture", "gone")
PATIENCE = 120.0
"""Seconds that the last pushes have to be answered: the machine may be busy."""
_CONDITIONS = ("if-none-match", "if-modified-since")
_GRAIN = 0.002
"""Events tell their time in milliseconds."""


@dataclass(frozen=True)
class Order:
    redis: str
    kafka: str
    folder: Path
    seconds: float
    ttl: float = 10.0
    pages: int = 8
    """Of each kind."""
    copies: bool = False
    seed: int = 0


@dataclass
class PushedSite(Site):
    name: str = "pushed"
    title: str = "The Pushed Pages"
    tagline: str = "Asked for again and again."
    versions: Counter[str] = field(default_factory=Counter)
    conditional: int = 0
    """Requests that may be answered 304, as they are unless the page has changed."""

    def answer(self, request: SiteRequest) -> Reply:
        kind, _, number = request.path[1:].partition("/")
        self.conditional += any(name.lower() in _CONDITIONS for name in request.headers)
        self.versions[kind] += 1
        match kind:
            case "tagged":
                return self.page(f"{kind} {number}", _text(kind, number))
            case "plain":
                return self.page(f"{kind} {number}", _text(kind, number), modified="")
            case "changing":
                text = _text(kind, number, self.versions[kind])
                return self.page(f"{kind} {number}", text, modified="")
            case "picture":
                return Reply(b"\x89PNG\r\n\x1a\n" + bytes(900), kind="image/png", modified="")
            case "robots.txt":
                return self.robots()
            case _:
                return self.missing()

    def truth(self) -> Truth:
        return Truth(front=self.url, pages=frozenset())


def _text(*seed: object) -> str:
    dice = Dice(*seed)
    return f"<h1>{seed[0]} {seed[1]}</h1>" + "".join(
        f"<p>{sentence(dice, TOWN)} {sentence(dice, TOWN)}</p>" for _ in range(8)
    )


@dataclass
class Answers:
    """What was pushed, and what was heard of it."""

    ttl: float
    pushes: dict[str, list[float]] = field(default_factory=dict)
    heard: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    """By URL: the moment that an event tells, and when it was read."""
    events: Counter[str] = field(default_factory=Counter)
    bodies: Counter[str] = field(default_factory=Counter)
    seen: set[str] = field(default_factory=set)
    asked: int = 0
    """Requests that the site has answered."""
    conditional: int = 0
    dead: int = 0
    """Entries on the list of dead letters."""

    def pushed(self, url: str) -> None:
        self.pushes.setdefault(url, []).append(time.time())

    def told(self, event: dict[str, Any], body: object) -> None:
        now = time.time()
        if event["event_id"] in self.seen:
            self.events["again"] += 1
            return
        self.seen.add(event["event_id"])
        at = datetime.fromisoformat(event.get("fetched_at") or event["failed_at"]).timestamp()
        self.heard.setdefault(event["url"], []).append((at, now))
        if event["type"] == "webpage_failed":
            self.events[event["fault"]] += 1
            return
        self.events["unchanged" if event["unchanged"] else "fetched"] += 1
        if event["body"] == "none":
            self.bodies["none"] += 1
        elif body is not None:
            self.bodies["there"] += 1
        else:
            self.bodies["read too late" if now - at > self.ttl - 1 else "missing"] += 1

    def waits(self) -> list[float]:
        """Seconds from each push to when its answer was read; infinite without one."""
        return [
            min((read - at for told, read in self.heard.get(url, ()) if told >= at - _GRAIN),
                default=float("inf"))
            for url, moments in self.pushes.items()
            for at in moments
        ]  # fmt: skip

    @property
    def unanswered(self) -> int:
        return self.waits().count(float("inf"))

    @property
    def expired(self) -> int:
        """Pushes that came longer after the one before than a body lives."""
        pairs = map(pairwise, self.pushes.values())
        return sum(later - at > self.ttl for each in pairs for at, later in each)

    @property
    def is_whole(self) -> bool:
        return not self.unanswered and not self.bodies["missing"]

    def figures(self) -> dict[str, Any]:
        waits = sorted(wait for wait in self.waits() if wait != float("inf"))
        return {
            "pushes": sum(map(len, self.pushes.values())),
            "urls": len(self.pushes),
            "after_expiry": self.expired,
            "unanswered": self.unanswered,
            "events": dict(self.events),
            "bodies": dict(self.bodies),
            "requests": self.asked,
            "conditional": self.conditional,
            "dead_list": self.dead,
            "median_s": round(statistics.median(waits), 2) if waits else None,
            "p99_s": round(waits[int(len(waits) * 0.99)], 2) if waits else None,
            "longest_s": round(waits[-1], 2) if waits else None,
        }


async def run(order: Order) -> Answers:
    names = {key: f"{key}_{uuid4().hex}" for key in ("queue", "dead_list", "topic", "dead_topic")}
    answers = Answers(order.ttl)
    site = PushedSite()
    with serving([site]) as web:
        (seed,) = web.seeds
        urls = [f"{seed}{kind}/{n}" for kind in KINDS for n in range(order.pages)]
        with _tenax(order, names):
            async with _listening(order, names, answers) as redis:
                await _push(order, names["queue"], urls, redis, answers)
                answers.dead = await redis.llen(names["dead_list"])
        visits = [visit for visit in web.log if visit.path != "/robots.txt"]
        answers.asked, answers.conditional = len(visits), site.conditional
    return answers


async def _push(order: Order, queue: str, urls: list[str], redis: Any, answers: Answers) -> None:
    dice = Random(order.seed)
    for url in urls:
        answers.pushed(url)
        await redis.rpush(queue, url)
    await _all_answered(answers)  # so that everybody is at work when time begins to count
    begun = time.monotonic()
    due = {url: dice.uniform(0, order.ttl * 2) for url in urls}
    while (now := time.monotonic() - begun) < order.seconds:
        for url in [url for url, at in due.items() if at <= now]:
            # A third comes soon, a third about when the body goes, and a third long after.
            due[url] = now + order.ttl * dice.choice((0.0, 0.3, 1.0, 1.2, 2.0, 2.5))
            answers.pushed(url)
            await redis.rpush(queue, url)
        await asyncio.sleep(0.05)
    await _all_answered(answers)


async def _all_answered(answers: Answers) -> None:
    until = time.monotonic() + PATIENCE
    while answers.unanswered and time.monotonic() < until:  # noqa: ASYNC110  others fill it
        await asyncio.sleep(0.5)


@asynccontextmanager
async def _listening(order: Order, names: dict[str, str], answers: Answers) -> AsyncIterator[Any]:
    """Reads events as they come, each with its body."""
    from aiokafka import AIOKafkaConsumer
    from redis.asyncio import Redis

    consumer = AIOKafkaConsumer(
        names["topic"],
        names["dead_topic"],
        bootstrap_servers=order.kafka.removeprefix("kafka://"),
        auto_offset_reset="earliest",
        metadata_max_age_ms=1_000,
    )
    redis = Redis.from_url(order.redis)

    async def listen() -> None:
        async for message in consumer:
            event = json.loads(message.value)
            body = None
            if event.get("body") == "stored":
                body = await redis.get(f"webpage:{event['url_hash']}")
            answers.told(event, body)

    await consumer.start()
    listening = asyncio.create_task(listen())
    try:
        yield redis
        if listening.done():
            listening.result()
    finally:
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)
        await consumer.stop()
        await redis.aclose()


@contextmanager
def _tenax(order: Order, names: dict[str, str]) -> Iterator[None]:
    """A worker and a relay."""
    settings = {
        "data": str(order.folder / "data"), "redis": order.redis, "events": order.kafka,
        "content": "" if order.copies else "redis:", "bodies__copy": str(order.copies).lower(),
        "bodies__ttl": order.ttl, "intake__queue": names["queue"], "intake__poll": 0.1,
        "relay__dead_list": names["dead_list"], "relay__topic": names["topic"],
        "relay__dead_topic": names["dead_topic"], "relay__gone": "true",
        "allow_private": "127.0.0.1/32", "pace__delay": 0.01,
    }  # fmt: skip
    clean = {key: value for key, value in os.environ.items() if not key.startswith("TENAX_")}
    environment = clean | {f"TENAX_{key.upper()}": str(value) for key, value in settings.items()}
    roles = []
    for role in ("worker", "relay"):
        with (order.folder / f"{role}.log").open("wb") as said:
            command = [sys.executable, "-m", "tenax.cli", role, "--quiet"]
            roles.append(
                subprocess.Popen(
                    command, env=environment, stdout=said, stderr=said, cwd=order.folder
                )
            )
    try:
        yield
    finally:
        for process in roles:
            process.terminate()
        for process in roles:
            process.wait(PATIENCE)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="bench.push_cycle", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--ttl", type=float, default=10.0, help="seconds that a body lives")
    parser.add_argument("--pages", type=int, default=8, help="of each kind")
    parser.add_argument("--copies", action="store_true", help="bodies in files, copies in Redis")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as name,
        services.private("redis", Path(name)) as redis,
        services.private("kafka", Path(name)) as kafka,
    ):
        order = Order(
            redis.url, kafka.url, Path(name), asked.minutes * 60, asked.ttl, asked.pages,
            asked.copies, asked.seed,
        )  # fmt: skip
        answers = asyncio.run(run(order))
        if not answers.is_whole:
            for role in ("worker", "relay"):
                print((Path(name) / f"{role}.log").read_text()[-2_000:], file=sys.stderr)
    print(json.dumps(answers.figures(), indent=2))
    return 0 if answers.is_whole else 1


if __name__ == "__main__":
    sys.exit(main())
