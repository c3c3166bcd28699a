"""Are others told of every page, by the command as users run it? (STORE-2, MODE-3)"""

from __future__ import annotations

import json
import signal
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tenax.demo import TreeSite, serving
from tests.e2e.command import Running, Tenax, until
from tests.schemas import check

EVENTS = "file:///events"
DEAD_KAFKA = "kafka://127.0.0.1:9"


def told(tenax: Tenax) -> list[dict[str, Any]]:
    files = sorted((tenax.folder / "events").glob("webpage_log-*.jsonl"))
    return [check(line) for path in files for line in path.read_bytes().splitlines()]


def urls(events: list[dict[str, Any]]) -> list[str]:
    return sorted(event["url"] for event in events)


def stored(tenax: Tenax) -> list[str]:
    return sorted(page.url for page in tenax.pages())


def test_a_crawl_tells_every_page_and_a_reader_gets_each_once_with_its_links(tenax: Tenax) -> None:
    site = TreeSite(pages=40)
    with serving([site]):
        assert tenax.crawl(site.url, "--delay", "0", events=EVENTS).code == 0
    assert urls(told(tenax)) == stored(tenax)
    assert len(told(tenax)) == 40

    consume = ("consume", "--until-empty", "--links")
    first = tenax.run(*consume, "--limit", "15", events=EVENTS)
    second = tenax.run(*consume, events=EVENTS)
    assert (first.code, second.code) == (0, 0)
    read = [json.loads(line) for line in (first.out + second.out).splitlines()]
    assert len(first.out.splitlines()) == 15
    assert urls(read) == stored(tenax)
    assert all(event["body_found"] for event in read)
    (home,) = [event for event in read if event["url"] == site.url]
    assert len(home["links"]) > 5
    assert tenax.run(*consume, events=EVENTS).out == ""
    again = tenax.run(*consume, "--from-beginning", events=EVENTS)
    assert len(again.out.splitlines()) == 40


def test_a_crawl_that_is_killed_again_and_again_tells_each_page_once(tenax: Tenax) -> None:
    site = TreeSite(pages=150, delay=0.02)
    with serving([site]):
        flags = (site.url, "--delay", "0", "--concurrency", "8")
        for share in (20, 60, 110):
            crawl = tenax.start_crawl(*flags, events=EVENTS, relay__look="0.02")
            until(partial(_has_told, tenax, share), f"{share} events")
            crawl.kill()
        last = tenax.crawl(*flags, events=EVENTS, relay__drain="240")
        assert last.code == 0, last.err
    assert urls(told(tenax)) == stored(tenax)
    assert len(told(tenax)) == 150
    assert tenax.audit().code == 0


def _has_told(tenax: Tenax, count: int) -> bool:
    return len(_lines(tenax)) >= count


def _lines(tenax: Tenax) -> list[bytes]:
    files = (tenax.folder / "events").glob("webpage_log-*.jsonl")
    return [line for path in files for line in path.read_bytes().splitlines()]


def test_kafka_that_is_not_there_stops_no_crawl_and_files_can_take_its_place(tenax: Tenax) -> None:
    site = TreeSite(pages=10)
    with serving([site]):
        crawl = tenax.crawl(site.url, "--delay", "0", events=DEAD_KAFKA, relay__drain="0.5")
    assert crawl.code == 0
    assert "Events wait: kafka://127.0.0.1:9: Kafka does not answer" in crawl.err
    assert "10 events are not told yet: `tenax relay` tells them." in crawl.err
    assert len(stored(tenax)) == 10
    status = tenax.run("relay", "--status", events=DEAD_KAFKA)
    assert "events: 10 events not told" in status.out
    relay = tenax.run("relay", "--until-empty", "--json", events=EVENTS)
    assert (relay.code, relay.json["told"]) == (0, 10)
    assert urls(told(tenax)) == stored(tenax)


@pytest.mark.alone
def test_workers_leave_the_telling_to_relays_of_which_one_is_at_work(tenax: Tenax) -> None:
    site = TreeSite(pages=200, delay=0.02)
    settings = {"events": EVENTS, "relay__lease": "2", "relay__look": "0.05"}
    relays = [tenax.start("relay", **settings) for _ in range(2)]
    with serving([site]):
        private = {"allow_private": "127.0.0.1/32"}
        assert tenax.run("jobs", "create", "tree", site.url, "--start", **private).code == 0
        flags = ("--until-done", "--delay", "0", "--concurrency", "8")
        worker = tenax.start("worker", *flags, **settings, **private)
        until(partial(_has_told, tenax, 20), "some events")
        busy = _at_work(tenax, relays)
        busy.kill()
        assert worker.wait().code == 0
    until(partial(_has_told, tenax, 200), "all events")
    (other,) = [relay for relay in relays if relay is not busy]
    other.interrupt(signal.SIGTERM)
    ended = other.wait(10)
    assert (ended.code, "events told." in ended.err) == (0, True)
    assert urls(told(tenax)) == stored(tenax)
    assert len(told(tenax)) == 200


def _at_work(tenax: Tenax, relays: list[Running]) -> Running:
    ((holder,),) = tenax.live("SELECT holder FROM cursors WHERE name = 'events'")
    (busy,) = [relay for relay in relays if f"-{relay.pid}-" in holder]
    return busy


def test_what_was_told_lately_can_be_told_again(tenax: Tenax, tmp_path: Path) -> None:
    site = TreeSite(pages=5)
    with serving([site]):
        tenax.crawl(site.url, "--delay", "0", events=EVENTS)
    again = tenax.run("relay", "--since", "1h", "--until-empty", events="file:///second")
    assert (again.code, "5 events of the last 1h again" in again.err) == (0, True)
    (copy,) = (tenax.folder / "second").glob("webpage_log-*.jsonl")
    assert len(copy.read_bytes().splitlines()) == 5
