"""Does everybody end in time who is told to, while a server takes every word and says nothing?

MODE-3: within ten seconds, whatever is down. One that hangs is worse than one that is away: it
refuses nothing.
"""

from __future__ import annotations

import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tenax.demo import TreeSite, serving
from tests.e2e.command import Ended, Running, Tenax, until
from tests.e2e.test_queues import queue_on, start_job
from tests.frozen import frozen
from tests.live import own_service

pytestmark = pytest.mark.alone

WITHIN = 10.0


class Silence:
    """A server that anybody may talk to. It never answers."""

    def __init__(self, listener: socket.socket) -> None:
        self.heard = 0
        """How many have said something."""
        self._listener = listener
        self._open: list[socket.socket] = []
        self.port = int(listener.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._open.append(connection)
            threading.Thread(target=self._listen, args=(connection,), daemon=True).start()

    def _listen(self, connection: socket.socket) -> None:
        with connection:
            try:
                if connection.recv(1):
                    self.heard += 1
                while connection.recv(65_536):
                    pass
            except OSError:
                pass  # the client is gone


@contextmanager
def silence() -> Iterator[Silence]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield Silence(listener)


@pytest.fixture
def s3(monkeypatch: pytest.MonkeyPatch) -> Iterator[Silence]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "me")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    with silence() as server:
        yield server


def bodies_in(server: Silence) -> str:
    return f"s3://bodies?endpoint=http://127.0.0.1:{server.port}&region=eu"


def ended(running: Running) -> Ended:
    """As it did after SIGTERM, in time and without a complaint of Python's."""
    told = time.monotonic()
    running.interrupt(signal.SIGTERM)
    said = running.wait()
    assert time.monotonic() - told < WITHIN
    assert "Traceback" not in said.err, said.err
    return said


@pytest.mark.parametrize("role", ["worker", "celery"])
def test_who_has_bodies_to_store_ends_although_s3_hangs(
    tenax: Tenax, s3: Silence, role: str
) -> None:
    """What it could not store is fetched again by the next, whose store works."""
    site = TreeSite(name="tree", pages=30)
    fleet = {**queue_on("rabbitmq"), "content": bodies_in(s3)}
    with serving([site]):
        start_job(tenax, [site])
        scheduler = tenax.start("scheduler", **fleet)
        if role == "worker":
            running = tenax.start("worker", **fleet)
        else:
            running = tenax.start_celery("--pool", "threads", "--concurrency", "2", **fleet)
        until(lambda: s3.heard or not running.is_alive, "bodies are being stored")
        assert running.is_alive, running.err
        ended(running)
        assert ended(scheduler).code == 0
        assert tenax.audit().code == 0
        again = {**fleet, "queue": "", "content": "", "dispatch__patience": 1}
        assert tenax.run("worker", "--until-done", **again).code == 0
    assert tenax.audit().code == 0
    assert len(tenax.pages()) == site.pages


def test_who_reads_bodies_ends_although_s3_hangs(tenax: Tenax, s3: Silence) -> None:
    site, events = TreeSite(pages=3), "file:///events"
    with serving([site]):
        assert tenax.crawl(site.url, "--delay", "0", events=events).code == 0
    running = tenax.start("consume", events=events, content=bodies_in(s3))
    until(lambda: s3.heard or not running.is_alive, "a body is asked for")
    assert running.is_alive, running.err
    assert ended(running).code == 0
    again = tenax.run("consume", "--until-empty", events=events)
    assert len(again.out.splitlines()) == 3, "none was taken for read"


def test_a_relay_ends_although_s3_hangs(tenax: Tenax, s3: Silence) -> None:
    running = tenax.start("relay", events="file:///events", content=bodies_in(s3))
    until(lambda: tenax.data.exists(), "it has begun")
    assert ended(running).code in (0, -signal.SIGTERM)


def test_a_relay_that_reads_bodies_ends_although_s3_hangs(tenax: Tenax, s3: Silence) -> None:
    site, search = TreeSite(pages=3), "opensearch://127.0.0.1:1"
    with serving([site]):
        tenax.crawl(site.url, "--delay", "0", search=search)
        running = tenax.start("relay", search=search, content=bodies_in(s3))
        until(lambda: s3.heard or not running.is_alive, "a body is asked for")
        assert running.is_alive, running.err
        assert ended(running).code == 0


@pytest.mark.parametrize("kind", ["opensearch", "elasticsearch"])
def test_a_relay_ends_although_the_search_index_hangs(tenax: Tenax, kind: str) -> None:
    site = TreeSite(pages=3)
    with serving([site]), silence() as index:
        tenax.crawl(site.url, "--delay", "0", search=f"{kind}://127.0.0.1:1")
        running = tenax.start("relay", search=f"{kind}://127.0.0.1:{index.port}")
        until(lambda: index.heard or not running.is_alive, "the index is asked")
        assert running.is_alive, running.err
        assert ended(running).code == 0


def test_a_relay_ends_although_kafka_hangs(tenax: Tenax) -> None:
    site = TreeSite(pages=3)
    with serving([site]), silence() as kafka:
        tenax.crawl(site.url, "--delay", "0", events="kafka://127.0.0.1:1")
        running = tenax.start("relay", events=f"kafka://127.0.0.1:{kafka.port}")
        until(lambda: kafka.heard or not running.is_alive, "Kafka is asked")
        assert running.is_alive, running.err
        assert ended(running).code == 0


@pytest.mark.parametrize("role", ["worker", "scheduler"])
def test_who_shares_work_ends_although_rabbitmq_hangs(tenax: Tenax, role: str) -> None:
    with silence() as rabbitmq:
        running = tenax.start(role, queue=f"amqp://me:secret@127.0.0.1:{rabbitmq.port}")
        until(lambda: rabbitmq.heard or not running.is_alive, "RabbitMQ is asked")
        assert running.is_alive, running.err
        assert ended(running).code == 0


@pytest.mark.parametrize("sink", ["events", "search"])
def test_a_crawl_ends_although_nobody_hears_what_it_tells(tenax: Tenax, sink: str) -> None:
    site = TreeSite(pages=500, delay=0.1)
    kind = "kafka" if sink == "events" else "opensearch"
    with serving([site]), silence() as server:
        told = {sink: f"{kind}://127.0.0.1:{server.port}"}
        running = tenax.start_crawl(site.url, "--delay", "0", **told)
        until(lambda: server.heard or not running.is_alive, "it tells of pages")
        assert running.is_alive, running.err
        said = ended(running)
    assert said.code == 130
    assert "no answer in time" in said.err
    assert "not told yet" in said.err
    assert tenax.audit().code == 0


def test_who_reads_events_ends_although_kafka_hangs(tenax: Tenax) -> None:
    with silence() as kafka:
        running = tenax.start("consume", events=f"kafka://127.0.0.1:{kafka.port}/pages")
        until(lambda: kafka.heard or not running.is_alive, "Kafka is asked")
        assert running.is_alive, running.err
        assert ended(running).code == 0


@pytest.mark.parametrize("role", ["worker", "relay", "scheduler", "consume", "celery"])
def test_every_role_ends_although_postgresql_hangs(tenax: Tenax, tmp_path: Path, role: str) -> None:
    site = TreeSite(name="tree", pages=200)
    queue = queue_on("rabbitmq" if role == "celery" else "redis")
    with own_service("postgres", tmp_path / "server") as server, serving([site]) as web:
        fleet = {**queue, "database": server.url, "events": "file:///events"}
        assert tenax.run("db", "upgrade", **fleet).code == 0
        tenax.run("jobs", "create", "tree", site.url, "--start", **fleet)
        helpers = [tenax.start(each, **fleet) for each in ("scheduler", "relay") if each != role]
        if role == "celery":
            running = tenax.start_celery("--pool", "threads", "--concurrency", "2", **fleet)
        else:
            running = tenax.start(role, **fleet)
        if role not in ("worker", "celery"):
            helpers.append(tenax.start("worker", **fleet))
        until(lambda: len(web.log) > 20 or not running.is_alive, "they are at work")
        if role == "consume":
            until(lambda: running.out or not running.is_alive, "events are read")
        assert running.is_alive, running.err
        with frozen(server):
            ended(running)
            for helper in helpers:
                helper.kill()
