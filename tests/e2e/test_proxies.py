"""Does a crawl get every page through proxies, some of them dead, and never around them? (FE-11)"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from tenax.demo import TreeSite, serving
from tests.contract.test_transport import closed_port
from tests.e2e.command import Tenax
from tests.proxies import HttpProxy, ProxyServer, SocksProxy

LOGIN = ("customer", "correct-horse-battery")


def test_what_one_command_adds_the_next_one_uses(tenax: Tenax) -> None:
    site = TreeSite(pages=1)
    with serving([site]), proxies() as served:
        served.add_to(tenax)
        tried = tenax.run("proxies", "test", site.url, "--json", allow_private="127.0.0.1/32")
    assert tried.code == 0, tried
    assert [json.loads(line)["works"] for line in tried.out.splitlines()] == [True] * 3
    assert LOGIN[1] not in tried.out + tried.err


@pytest.mark.parametrize("processes", [1, 2])
def test_with_a_dead_proxy_of_three_no_page_is_lost_and_no_host_blamed(
    tenax: Tenax, processes: int
) -> None:
    site = TreeSite(pages=40)
    with serving([site]) as web, proxies(count=2) as served:
        served.add_to(tenax)
        add(tenax, "dead", f"http://127.0.0.1:{closed_port()}")
        ended = tenax.crawl(
            site.url, "--delay", "0", "--processes", str(processes), proxies__group="eu"
        )
        asked = len(web.log)
    assert ended.code == 0, ended.err
    assert len(tenax.pages()) == site.pages
    assert asked == site.pages + 1, "each page once, and robots.txt"
    used = {row[0] for row in tenax.live("SELECT DISTINCT proxy FROM attempts")}
    assert used == {"p0", "p1"}
    (state,) = tenax.live("SELECT state FROM hosts")
    assert json.loads(state[0]).get("health", {}).get("failures", 0) == 0
    assert listed(tenax)["dead"]["failures"] >= 1
    assert tenax.audit().code == 0


def test_when_all_proxies_are_dead_nothing_is_asked_directly_and_nothing_lost(
    tenax: Tenax,
) -> None:
    site = TreeSite(pages=5)
    with serving([site]) as web:
        for name in ("a", "b"):
            add(tenax, name, f"http://127.0.0.1:{closed_port()}")
        options = {"proxies__group": "eu", "feed__patience": 1, "robots__retry_base": 0.01}
        ended = tenax.crawl(site.url, "--delay", "0", **options)
        assert len(web.log) == 0
    assert ended.code == 5, ended.err
    assert tenax.live("SELECT state FROM targets") == [("pending",)]


def test_a_misspelled_group_asks_nothing_directly(tenax: Tenax) -> None:
    site = TreeSite(pages=5)
    with serving([site]) as web:
        tenax.crawl(site.url, "--delay", "0", proxies__group="ue", feed__patience=1)
        assert len(web.log) == 0


def test_no_output_and_no_file_of_a_crawl_tells_the_password(tenax: Tenax) -> None:
    site = TreeSite(pages=5)
    with serving([site]), proxies() as served:
        served.add_to(tenax)
        ended = tenax.crawl(site.url, "--delay", "0", proxies__group="eu")
        told = tenax.run("why", site.url, proxies__group="eu")
    assert ended.code == 0, ended.err
    assert " through p" in told.out
    files = [path.read_bytes() for path in tenax.folder.rglob("*") if path.is_file()]
    assert all(LOGIN[1].encode() not in content for content in files)


def add(tenax: Tenax, name: str, url: str) -> None:
    ended = tenax.run("proxies", "add", url, "--name", name, "--group", "eu")
    assert ended.code == 0, ended.err


def listed(tenax: Tenax) -> dict[str, dict[str, Any]]:
    lines = tenax.run("proxies", "list", "--json").out.splitlines()
    return {row["name"]: row for row in map(json.loads, lines)}


@dataclass(frozen=True, slots=True)
class Served:
    urls: list[str]

    def add_to(self, tenax: Tenax) -> None:
        for number, url in enumerate(self.urls):
            add(tenax, f"p{number}", url)


@contextmanager
def proxies(count: int = 3) -> Iterator[Served]:
    """Proxies of both kinds, with a login, on a thread of their own."""
    ready: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event, list[str]]] = Future()

    async def serve() -> None:
        over = asyncio.Event()
        kinds = [HttpProxy, SocksProxy, HttpProxy][:count]
        servers: list[ProxyServer] = [kind(login=LOGIN) for kind in kinds]
        for server in servers:
            await server.__aenter__()
        ready.set_result((asyncio.get_running_loop(), over, [server.url for server in servers]))
        await over.wait()
        for server in servers:
            await server.die()

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    loop, over, urls = ready.result(10)
    try:
        yield Served(urls)
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join()
