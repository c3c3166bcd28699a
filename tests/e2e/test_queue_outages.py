"""Does the work go on while the queue is away, and through it again when it is back? (OBS-5)"""

from __future__ import annotations

from pathlib import Path

from tenax.demo import DemoWeb, TreeSite, serving
from tests.e2e.command import Running, Tenax, until
from tests.e2e.test_queues import (
    HANDING_OUT,
    assert_crawled,
    end,
    start_job,
    wait_for_end,
)
from tests.live import own_service

SITES = [("tree0", 400), ("tree1", 400)]


def goes_on(web: DemoWeb, more: int, *fleet: Running) -> None:
    reached = len(web.log) + more
    until(lambda: len(web.log) > reached or not all(each.is_alive for each in fleet), "it goes on")
    for each in fleet:
        assert each.is_alive, each.err


def test_redis_that_crashes_and_comes_back_empty_costs_nothing(
    tenax: Tenax, tmp_path: Path
) -> None:
    sites = [TreeSite(name=name, pages=pages) for name, pages in SITES]
    with own_service("redis", tmp_path / "own", appendonly="no") as redis, serving(sites) as web:
        fleet = {**HANDING_OUT, "queue": redis.url}
        start_job(tenax, sites)
        scheduler, worker = tenax.start("scheduler", **fleet), tenax.start("worker", **fleet)
        goes_on(web, 40, scheduler, worker)
        redis.kill()
        goes_on(web, 150, scheduler, worker)
        redis.start()
        until(lambda: "is back" in worker.err, "the worker takes from the queue again")
        wait_for_end(tenax, scheduler, worker)
        assert "Until it is back, work is claimed from the ledger" in worker.err
        # Once for this outage; a server that is slow for a moment counts as away, too.
        assert worker.err.count("does not answer") <= 4, "said once, not all the time"
        end(scheduler, worker)
    assert_crawled(tenax, web, sites, lost=0)


def test_rabbitmq_that_crashes_and_comes_back_costs_nothing(tenax: Tenax, tmp_path: Path) -> None:
    sites = [TreeSite(name=name, pages=pages) for name, pages in SITES]
    with own_service("rabbitmq", tmp_path / "own") as rabbitmq, serving(sites) as web:
        fleet = {**HANDING_OUT, "queue": rabbitmq.url}
        start_job(tenax, sites)
        scheduler = tenax.start("scheduler", **fleet)
        celery = tenax.start_celery("--pool", "threads", "--concurrency", "3", **fleet)
        goes_on(web, 40, scheduler, celery)
        rabbitmq.kill()
        worker = tenax.start("worker", **fleet)
        goes_on(web, 100, scheduler, celery, worker)
        rabbitmq.start()
        wait_for_end(tenax, scheduler, celery, worker)
        for each in (scheduler, celery, worker):
            each.interrupt()
            each.wait()
    # A task whose acknowledgement was lost is delivered again; its host is asked nothing again.
    assert_crawled(tenax, web, sites, lost=0)
