"""Is a site read that likes but one of our clients, and is every request that reaches it ours?

FE-9: what the main client cannot have is had by the next one, robots.txt and the question whether
a host is back included; and no client repeats a request by itself.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from tests.e2e.command import Ended, Tenax, until
from tests.e2e.politeness import measured_lateness, too_early
from tests.picky import Hello, PickyServer
from tests.servers import key_digest, self_signed

PAGES = 12
_HANDSHAKE = 0.05
"""Seconds that one may take on a busy machine."""


def pages(number: int = PAGES) -> dict[str, bytes]:
    links = " ".join(f"<p><a href=/p/{n}>page {n}</a> of the site</p>" for n in range(number))
    secret = "<a href=/secret>not for robots</a>"
    html = "<!doctype html><title>{0}</title><h1>Page {0}</h1><p>What stands on page {0}: {1}</p>"
    made = {"/robots.txt": b"User-agent: *\nDisallow: /secret\n"}
    for path in ("/", *(f"/p/{n}" for n in range(number))):
        words = " ".join(sha256(f"{path} {n}".encode()).hexdigest()[:7] for n in range(120))
        made[path] = (html.format(path, words) + links + secret).encode()
    return made


def secure(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    likes: Callable[[Hello], bool],
    most: int | None = None,
    number: int = PAGES,
) -> PickyServer:
    certificate = self_signed(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate.path))
    return PickyServer(pages(number), tls=certificate.context(), likes=likes, most=most)


def not_openssl(hello: Hello) -> bool:
    return not hello.is_openssl


def only_openssl(hello: Hello) -> bool:
    return hello.is_openssl


def test_a_site_that_resets_the_main_clients_handshake_is_read_by_the_second(
    tenax: Tenax, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with secure(tmp_path, monkeypatch, likes=not_openssl) as server:
        ended = tenax.crawl(server.url(), "--delay", "0.05", fetch__ways__fallbacks="curl")
    whole(tenax, ended)
    assert server.asked("/robots.txt") == 1
    assert server.asked("/secret") == 0
    assert len(server.turned_away) == 3, "robots.txt and two pages taught us"
    with tenax.ledger() as ledger:
        tried = ledger.execute("SELECT client, outcome, count(*) FROM attempts GROUP BY 1, 2")
        assert sorted(tried) == [("curl", "read", PAGES + 1), ("http", "failed", 2)]


def test_a_site_that_likes_but_browsers_is_read_by_one_from_robots_txt_on(
    tenax: Tenax, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chromium: str
) -> None:
    with secure(tmp_path, monkeypatch, likes=lambda hello: hello.is_chromium, number=3) as server:
        trust = f"--ignore-certificate-errors-spki-list={key_digest(tmp_path / 'server.pem')}"
        ended = tenax.crawl(
            server.url(), "--delay", "0.05",
            browser__executable=chromium, browser__arguments=trust, browser__quiet=0.2,
        )  # fmt: skip
    assert ended.code == 0, ended.err
    assert len(tenax.pages()) == 4
    assert server.asked("/robots.txt") == 1
    assert server.asked("/secret") == 0


def test_such_a_site_is_found_to_be_back_after_an_outage(
    tenax: Tenax, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HOST-3: probed by the main client, it would be away for ever."""
    with secure(tmp_path, monkeypatch, likes=not_openssl) as server:
        crawl = tenax.start_crawl(
            server.url(), "--delay", "0.1",
            fetch__ways__fallbacks="curl", breaker__backoffs="0.4,0.4", budget__failures=1000,
        )  # fmt: skip
        until(lambda: len(server.log) > 5, "it is under way")
        server.is_away = True
        until(lambda: trips(tenax) > 1, "its breaker is open, and a probe has failed")
        server.is_away = False
        ended = crawl.wait()
    whole(tenax, ended)


def test_a_page_that_no_client_gets_does_not_cost_the_others(
    tenax: Tenax, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = secure(tmp_path, monkeypatch, likes=not_openssl)
    server.broken = {"/p/1"}
    with server:
        ended = tenax.crawl(
            server.url(), "--delay", "0.05", fetch__ways__fallbacks="curl", retry__base=0.1
        )
    assert ended.code == 0, ended.err
    assert len(tenax.pages()) == PAGES
    with tenax.ledger() as ledger:
        ((dead,),) = ledger.execute("SELECT count(*) FROM dead_letters")
    assert dead == 1


@pytest.mark.parametrize("client", ["http", "curl"])
def test_every_request_on_the_wire_took_its_turn_and_is_recorded(
    tenax: Tenax, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, client: str
) -> None:
    """Its connections may be used once: each further request is read, and the connection reset."""
    delay = 0.2
    likes = only_openssl if client == "http" else not_openssl
    with (
        measured_lateness() as lateness,
        secure(tmp_path, monkeypatch, likes=likes, most=1) as server,
    ):
        ended = tenax.crawl(server.url(), "--delay", str(delay), fetch__ways__fallbacks="curl")
    whole(tenax, ended)
    wanted = [visit for visit in server.log if visit.path != "/robots.txt"]
    assert any(visit.status == 0 for visit in wanted), "connections were lost"
    with tenax.ledger() as ledger:
        met = "outcome = 'read' OR error LIKE '%kept%'"
        told = f"SELECT count(*) FROM attempts WHERE client = ? AND ({met})"
        ((recorded,),) = ledger.execute(told, (client,))
        ((state,),) = ledger.execute("SELECT state FROM hosts")
    assert recorded == len(wanted)
    assert json.loads(state)["health"]["last_failure_at"] is None, "nobody is to blame"
    # On a new connection a request arrives a handshake after its turn, on a kept one at once. What
    # a client repeats by itself comes within milliseconds.
    assert too_early(server.log, delay - _HANDSHAKE, lateness) == []


def trips(tenax: Tenax) -> int:
    """How often its breaker has opened."""
    ((state,),) = tenax.live("SELECT state FROM hosts")
    trouble = json.loads(state)["health"]["trouble"]
    return int(trouble["breaker"]["trips"]) if trouble else 0


def whole(tenax: Tenax, ended: Ended) -> None:
    assert ended.code == 0, ended.err
    assert len(tenax.pages()) == PAGES + 1
    assert tenax.audit().code == 0
