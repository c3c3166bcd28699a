"""Are private addresses left alone, however they are spelled or reached? (SEC-1)"""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from tenax.demo import Reply, Site, SiteRequest, TreeSite, Truth, serving
from tests.e2e.command import Tenax

CONTACT = ("--contact", "mailto:e2e@example.org")


SPELLINGS = (
    "http://127.0.0.1:{port}/",
    "http://2130706433:{port}/",
    "http://0x7f.1:{port}/",
    "http://0177.0.0.1:{port}/",
    "http://127.1:{port}/",
    "http://[::1]:{port}/",
    "http://[::ffff:127.0.0.1]:{port}/",
    "http://[64:ff9b::7f00:1]:{port}/",
    "http://0.0.0.0:{port}/",
    "http://10.0.0.1:{port}/",
    "http://169.254.169.254/",
    "http://\uff11\uff12\uff17.0.0.1:{port}/",
)


def test_a_private_address_is_refused_at_the_door_however_it_is_spelled(tenax: Tenax) -> None:
    with _listening("127.0.0.1") as visitors:
        urls = [spelling.format(port=visitors.port) for spelling in SPELLINGS]
        ended = tenax.crawl(*urls, *CONTACT, allow_private="")
    assert ended.code == 2
    assert "Traceback" not in ended.err
    refused = [line for line in ended.err.splitlines() if "private_address" in line]
    # Several spellings are one URL once parsed, and told once or twice.
    assert len(ended.err.splitlines()) == len(refused) >= 7
    assert visitors.count == 0


@pytest.mark.parametrize("url", ["http://127.0.0.1/", "http://2130706433/"])
def test_why_tells_that_an_address_is_private(tenax: Tenax, url: str) -> None:
    told = tenax.run("why", url)
    assert told.code == 0
    assert "private_address" in told.out
    assert "127.0.0.1" in told.out


@pytest.mark.parametrize("name", ["localhost", "sub.localhost", socket.gethostname()])
def test_a_name_behind_which_a_private_address_stands_is_not_connected_to(
    tenax: Tenax, name: str
) -> None:
    addresses = _addresses(name)
    if not addresses:
        pytest.skip(f"{name} resolves to nothing here")
    if not all(address.startswith("127.") or address == "::1" for address in addresses):
        pytest.skip(f"{name} resolves to {addresses} here, which is not the loopback")
    with _listening("127.0.0.1") as visitors:
        url = f"http://{name}:{visitors.port}/"
        ended = tenax.crawl(url, *CONTACT, allow_private="")
        told = tenax.run("why", url)
    assert ended.code in (1, 2), ended.err
    assert "private_address" in ended.err
    assert "private_address" in told.out
    assert visitors.count == 0


def test_a_redirect_cannot_lead_to_an_address_that_is_not_allowed(tenax: Tenax) -> None:
    with _listening("127.0.0.2") as visitors:
        there = f"http://127.0.0.2:{visitors.port}/secret"
        with serving([RedirectingSite(to=there)]) as web:
            ended = tenax.crawl(web.seeds[0], "--delay", "0", "--scope", "any")
            told = tenax.run("why", there)
        assert visitors.count == 0
    assert ended.code == 0, ended.err
    assert ended.err.count("private_address") == 1
    assert "private_address" in told.out
    assert tenax.audit().code == 0


def test_a_robots_file_cannot_lead_to_an_address_that_is_not_allowed(tenax: Tenax) -> None:
    with _listening("127.0.0.2") as visitors:
        there = f"http://127.0.0.2:{visitors.port}/robots.txt"
        with serving([RedirectingSite(to=there, path="robots.txt")]) as web:
            ended = tenax.crawl(
                web.seeds[0], "--delay", "0", robots__retry_base=0.01, feed__patience=1
            )
        assert visitors.count == 0
    assert [visit.path for visit in web.log if visit.path != "/robots.txt"] == []
    assert ended.code == 5, "robots.txt could not be had, so nothing may be asked for"


def test_an_allowed_network_opens_only_itself(tenax: Tenax) -> None:
    site = TreeSite(pages=5)
    with serving([site]), _listening("127.0.0.2") as visitors:
        elsewhere = f"http://127.0.0.2:{visitors.port}/"
        ended = tenax.crawl(site.url, elsewhere, "--delay", "0")
    assert ended.code == 0
    assert "private_address" in ended.err
    assert len(tenax.pages()) == site.pages
    assert visitors.count == 0


@dataclass
class RedirectingSite(Site):
    """A front page with a link to `path`, which answers with a redirect."""

    name: str = "redirecting"
    to: str = ""
    path: str = "away"

    def answer(self, request: SiteRequest) -> Reply:
        match request.segments:
            case [path] if path == self.path:
                return Reply(status=302, headers=(("Location", self.to),), modified="")
            case ["robots.txt"]:
                return self.robots()
            case [""]:
                return self.page("Front", f'<a href="/{self.path}">away</a>')
            case _:
                return self.missing()

    def truth(self) -> Truth:
        return Truth(front=self.url)


@dataclass
class _Visitors:
    port: int
    count: int = 0


@contextmanager
def _listening(address: str) -> Iterator[_Visitors]:
    """A socket that counts who connects, and answers nobody."""
    with socket.create_server((address, 0)) as server:
        visitors = _Visitors(server.getsockname()[1])
        over = threading.Event()

        def accept() -> None:
            server.settimeout(0.05)
            while not over.is_set():
                try:
                    connection, _ = server.accept()
                except TimeoutError:
                    continue
                visitors.count += 1
                connection.close()

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        try:
            yield visitors
        finally:
            over.set()
            thread.join()


def _addresses(name: str) -> set[str]:
    try:
        found = socket.getaddrinfo(name, 80, type=socket.SOCK_STREAM)
    except OSError:
        return set()
    return {str(entry[4][0]) for entry in found}
