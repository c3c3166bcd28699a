"""Does the command work on PostgreSQL as on SQLite, and does it outlive a restart of the server?"""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import services
from tenax.demo import TreeSite, serving
from tests.e2e.command import Ended, Tenax, until
from tests.live import own_service


@pytest.fixture
def server(tmp_path: Path) -> Iterator[services.Service]:
    with own_service("postgres", tmp_path / "server") as own:
        yield own


def pages(tenax: Tenax, url: str) -> int:
    listed = tenax.run("pages", "--json", "--limit", "10000", database=url)
    return len(listed.out.splitlines())


def whole(tenax: Tenax, url: str) -> Ended:
    return tenax.run("audit", "--bodies", database=url)


def test_the_same_commands_on_a_server(tenax: Tenax, server: services.Service) -> None:
    url = server.url
    ended = tenax.crawl("http://127.0.0.1:1/", database=url)
    assert ended.code == 3
    assert "no ledger here yet. Run `tenax db upgrade`" in ended.err
    assert tenax.run("db", "upgrade", database=url).code == 0
    again = tenax.run("db", "upgrade", "--json", database=url).json
    assert again["before"] == again["after"]
    site = TreeSite(pages=60)
    with serving([site]):
        ended = tenax.crawl(site.url, "--delay", "0", "--processes", "2", "--json", database=url)
        assert (ended.code, ended.json["pages"]) == (0, site.pages)
        told = tenax.run("why", site.url, database=url)
        assert "done" in told.out
        assert tenax.run("jobs", database=url).code == 0
        assert tenax.run("hosts", database=url).code == 0
    assert pages(tenax, url) == site.pages
    assert whole(tenax, url).code == 0
    config = tenax.run("config", "--json", database=url).out
    password = url.split("@")[0].rpartition(":")[2]
    assert password not in config + told.out + told.err
    checks = json.loads(tenax.run("doctor", "--json", database=url).out)
    assert [c["verdict"] for c in checks if c["name"] == "ledger"] == ["ok"]


@pytest.mark.parametrize("how", ["stop", "kill"])
def test_a_crawl_outlives_a_restart_of_the_server(
    tenax: Tenax, server: services.Service, how: str
) -> None:
    url = server.url
    tenax.run("db", "upgrade", database=url)
    site = TreeSite(pages=250, delay=0.02)
    with serving([site]) as web:
        running = tenax.start_crawl(site.url, "--delay", "0", "--json", database=url)
        until(lambda: len(web.log) > 50, "the crawl is under way")
        server.stop() if how == "stop" else server.kill()
        time.sleep(1.0)
        server.start()
        ended = running.wait()
    assert ended.code == 0, ended.err
    assert ended.json["pages"] == site.pages
    assert len(web.log) == site.pages + 1, "nothing was asked for twice"
    assert whole(tenax, url).code == 0
    assert "Traceback" not in ended.err


def test_a_server_that_stays_away_ends_the_crawl_in_order(
    tenax: Tenax, server: services.Service
) -> None:
    url = server.url
    tenax.run("db", "upgrade", database=url)
    site = TreeSite(pages=250, delay=0.02)
    with serving([site]) as web:
        running = tenax.start_crawl(site.url, "--delay", "0", database=url, outage__patience=1.0)
        until(lambda: len(web.log) > 50, "the crawl is under way")
        server.stop()
        ended = running.wait()
        assert ended.code == 3
        assert "does not answer" in ended.err
        assert "Traceback" not in ended.err
        server.start()
        assert tenax.crawl(site.url, "--delay", "0", database=url).code == 0
    assert pages(tenax, url) == site.pages
    assert whole(tenax, url).code == 0


@pytest.mark.alone
def test_who_is_told_to_end_does_not_wait_for_a_server_that_is_away(
    tenax: Tenax, server: services.Service
) -> None:
    """MODE-3: within ten seconds, whatever is down; others take over what it held."""
    fleet: dict[str, object] = {
        "database": server.url, "allow_private": "127.0.0.1/32", "pace__delay": 0.02,
        "events": f"file:///{tenax.folder}/events",
    }  # fmt: skip
    assert tenax.run("db", "upgrade", **fleet).code == 0
    site = TreeSite(pages=250)
    with serving([site]) as web:
        tenax.run("jobs", "create", "tree", site.url, "--start", **fleet)
        running = [tenax.start("worker", **fleet), tenax.start("relay", **fleet)]
        until(lambda: len(web.log) > 20, "they are at work")
        until(lambda: list(tenax.folder.glob("events/*.jsonl")), "events are told")
        server.stop()
        until(lambda: all("is away" in each.err for each in running), "they have noticed")
        told = time.monotonic()
        for each in running:
            each.interrupt(signal.SIGTERM)
        ended = [each.wait() for each in running]
        assert time.monotonic() - told < 10.0
        assert [each.code for each in ended] == [3, 0]
        assert all("Traceback" not in each.err for each in ended)
        server.start()
        assert tenax.run("worker", "--until-done", **fleet).code == 0
    assert pages(tenax, server.url) == site.pages
    assert whole(tenax, server.url).code == 0
