"""Does a fleet on a queue crawl everything, whoever of it is killed, and does it end in order?"""

from __future__ import annotations

import json
import os
import signal
import socket
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Sequence
from typing import Any

import pytest

from tenax.demo import DemoWeb, TreeSite, serving
from tests.e2e.command import PATIENCE, Running, Tenax, children, until
from tests.live import service

LEASE = 300.0
"""Seconds for which a host is held, unless its holder gives it back."""
WITHIN = 10.0
"""Seconds in which everybody who is told to end has ended (MODE-3)."""
HANDING_OUT = {
    "dispatch__patience": 3,
    "dispatch__again": 1,
    "allow_private": "127.0.0.1/32",
    "pace__delay": 0.05,
}


def queue_on(name: str) -> dict[str, object]:
    """Settings that name a queue of the test's own on the server that all tests share."""
    return {
        "queue": service(name).url,
        "dispatch__name": f"test-{uuid.uuid4().hex[:8]}",
        **HANDING_OUT,
    }


def start_job(tenax: Tenax, sites: Sequence[TreeSite]) -> None:
    urls = [site.url for site in sites]
    made = tenax.run("jobs", "create", "trees", *urls, "--allow-private", "127.0.0.1/32")
    assert made.code == 0, made.err
    assert tenax.run("jobs", "start", "trees").code == 0


def is_done(tenax: Tenax) -> bool:
    return tenax.live("SELECT state FROM jobs") == [("done",)]


def wait_for_end(tenax: Tenax, *fleet: Running) -> None:
    until(lambda: is_done(tenax) or not all(each.is_alive for each in fleet), "the job is done")
    for each in fleet:
        assert each.is_alive, each.err


def end(*fleet: Running, within: float = PATIENCE) -> None:
    """SIGTERM for all; each ends in time and without complaint."""
    for each in fleet:
        each.interrupt(signal.SIGTERM)
    told = time.monotonic()
    for each in fleet:
        ended = each.wait()
        assert ended.code == 0, ended.err
        assert "Traceback" not in ended.err
    assert time.monotonic() - told < within


def assert_crawled(tenax: Tenax, web: DemoWeb, sites: Sequence[TreeSite], lost: int) -> None:
    """All pages, the ledger whole; asked for again is no more than what was under way."""
    assert tenax.audit().code == 0
    assert len(tenax.pages()) == sum(site.pages for site in sites)
    asked = [(visit.host, visit.path) for visit in web.log]
    again = len(asked) - len(set(asked))
    assert again <= lost, f"{again} were asked for again"


@pytest.mark.parametrize("server", ["redis", "rabbitmq"])
def test_two_workers_on_a_queue_crawl_everything_although_one_is_killed(
    tenax: Tenax, server: str
) -> None:
    sites = [TreeSite(name=f"tree{n}", pages=80) for n in range(3)]
    fleet = queue_on(server)
    with serving(sites) as web:
        start_job(tenax, sites)
        scheduler = tenax.start("scheduler", **fleet)
        doomed = tenax.start("worker", **fleet)
        until(lambda: len(web.log) > 30, "the first is at work")
        survivor = tenax.start("worker", "--processes", "2", **fleet)
        until(lambda: len(web.log) > 60, "they are at work")
        doomed.kill()
        wait_for_end(tenax, scheduler, survivor)
        end(scheduler, survivor)
    assert_crawled(tenax, web, sites, lost=3 * 8)


@pytest.mark.parametrize("pool", ["threads", "prefork"])
def test_celery_workers_crawl_everything_although_one_is_killed(tenax: Tenax, pool: str) -> None:
    """STORE-4: late acknowledgements; redelivery is harmless."""
    sites = [TreeSite(name=f"tree{n}", pages=80) for n in range(3)]
    fleet = queue_on("rabbitmq")
    flags = ("--pool", pool, "--concurrency", "3", "--without-gossip", "--without-mingle")
    with serving(sites) as web:
        start_job(tenax, sites)
        scheduler = tenax.start("scheduler", **fleet)
        doomed = tenax.start_celery(*flags, **fleet)
        until(lambda: len(web.log) > 30 or not doomed.is_alive, "the first is at work")
        assert doomed.is_alive, doomed.err
        survivor = tenax.start_celery(*flags, **fleet)
        for pid in [*children(doomed.pid), doomed.pid]:
            os.kill(pid, signal.SIGKILL)
        wait_for_end(tenax, scheduler, survivor)
        end(scheduler, survivor)
    assert_crawled(tenax, web, sites, lost=3 * 8)


@pytest.mark.alone
def test_a_celery_worker_told_to_end_hands_everything_back_at_once(tenax: Tenax) -> None:
    """Its assignments would last for minutes; the next worker need not wait for any lease."""
    sites = [TreeSite(name=f"tree{n}", pages=60) for n in range(2)]
    fleet = {**queue_on("rabbitmq"), "pace__delay": 0.5}
    with serving(sites) as web:
        start_job(tenax, sites)
        scheduler = tenax.start("scheduler", **fleet)
        worker = tenax.start_celery("--pool", "threads", "--concurrency", "4", **fleet)
        until(lambda: len(web.log) > 8 or not worker.is_alive, "it is at work")
        end(worker, within=WITHIN)
        until(lambda: _held(tenax) <= 2, "only the scheduler holds hosts")
        heir = tenax.start("worker", **{**fleet, "pace__delay": 0.02})
        reached = len(web.log)
        until(lambda: len(web.log) > reached + 20, "the next goes on", seconds=LEASE / 3)
        end(scheduler, heir, within=WITHIN)
    assert tenax.audit().code == 0


def _held(tenax: Tenax) -> int:
    return int(tenax.live("SELECT count(*) FROM assignments")[0][0])


def test_a_paused_job_is_handed_out_no_more(tenax: Tenax) -> None:
    sites = [TreeSite(name=f"tree{n}", pages=200) for n in range(2)]
    fleet = queue_on("redis")
    with serving(sites) as web:
        start_job(tenax, sites)
        scheduler = tenax.start("scheduler", **fleet)
        worker = tenax.start("worker", **fleet)
        until(lambda: len(web.log) > 20, "they are at work")
        assert tenax.run("jobs", "pause", "trees").code == 0
        _until_still(web)
        assert len(web.log) < sum(site.pages for site in sites), "it was not paused"
        assert tenax.run("jobs", "resume", "trees").code == 0
        wait_for_end(tenax, scheduler, worker)
        end(scheduler, worker)
    assert_crawled(tenax, web, sites, lost=0)


def _until_still(web: DemoWeb, seconds: float = 2.5) -> None:
    """Nobody has asked for so long: what was under way is over."""

    def is_still() -> bool:
        before = len(web.log)
        time.sleep(seconds)
        return len(web.log) == before

    until(is_still, "nothing is asked for any more")


@pytest.mark.parametrize("role", ["scheduler", "worker"])
def test_a_role_tells_probes_how_it_is(tenax: Tenax, role: str) -> None:
    """MODE-3"""
    port = _free_port()
    running = tenax.start(role, **queue_on("redis"), health__port=port)
    parts = {"ledger", "queue", "loop"}
    if role == "worker":
        parts |= {"network", "disk", "visits"}

    def is_ready() -> bool:
        code, told = _probe(port, "ready")
        if code != 200:
            return False
        # Relays to whom something is told are parts, too.
        return parts <= told["parts"].keys() and set(told["parts"].values()) == {"ok"}

    until(lambda: is_ready() or not running.is_alive, "it is ready")
    assert is_ready()
    assert _probe(port, "live") == (200, {"status": "alive"})
    assert _probe(port, "other")[0] == 404
    end(running)


def test_a_queue_that_does_not_answer_is_no_reason_to_be_killed_but_not_ready(
    tenax: Tenax,
) -> None:
    port, nobody = _free_port(), _free_port()
    running = tenax.start("worker", queue=f"redis://:hush@127.0.0.1:{nobody}", health__port=port)
    wrong = f"Redis at 127.0.0.1:{nobody} does not answer"

    def is_told() -> bool:
        code, told = _probe(port, "ready")
        return code == 503 and wrong in told["parts"]["queue"]

    until(lambda: is_told() or not running.is_alive, "it says what is wrong")
    assert _probe(port, "live")[0] == 200
    end(running)
    assert "hush" not in running.err


def test_a_wrong_queue_is_told_with_what_would_be_right(tenax: Tenax) -> None:
    """MODE-1"""
    ended = tenax.run("worker", queue="kafka://127.0.0.1:9092")
    assert ended.code == 2
    assert "queue: unknown scheme 'kafka'. Use redis:" in ended.err
    assert "amqp://" in ended.err
    ended = tenax.run("scheduler")
    assert ended.code == 2
    assert "queue: a scheduler needs one" in ended.err
    ended = tenax.run("worker", queue="redis:")
    assert ended.code == 2
    assert "needs the setting redis" in ended.err


def _probe(port: int, what: str) -> tuple[int, Any]:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health/{what}", timeout=60) as told:
            return told.status, json.load(told)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)
    except OSError:
        return 0, None


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def test_a_crawl_says_that_it_does_without_the_queue(tenax: Tenax) -> None:
    site = TreeSite(name="tree", pages=3)
    with serving([site]):
        told = tenax.crawl(site.url, "--delay", "0", queue="redis://127.0.0.1:9")
    assert told.code == 0, told.err
    assert "this crawl claims its work from the ledger" in told.err
    assert tenax.crawl("http://127.0.0.1:9/", queue="sqs://x").code == 2
