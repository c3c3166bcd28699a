"""Does the demo web stand up to real clients? Sockets, threads, processes, and rude ones."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tenax
from tenax.demo import Cut, DemoWeb, Site, SlowSite, TreeSite, serving


@pytest.fixture(scope="module")
def web() -> Iterator[DemoWeb]:
    slow, tree = SlowSite(delay=0.05, drip=0.005), TreeSite(pages=200)
    sites: list[str | Site] = ["shop", "docs", "flaky", "private", slow, tree]
    with serving(sites) as web:
        yield web


def connect(web: DemoWeb, site: str) -> http.client.HTTPConnection:
    return http.client.HTTPConnection(urlsplit(web.sites[site].url).netloc, timeout=20)


def get(web: DemoWeb, site: str, path: str, **headers: str) -> tuple[int, bytes]:
    connection = connect(web, site)
    try:
        connection.request(
            "GET", path, headers={k.replace("_", "-"): v for k, v in headers.items()}
        )
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def raw(web: DemoWeb, site: str, data: bytes) -> bytes:
    """Everything the server says to these bytes until it closes."""
    address = urlsplit(web.sites[site].url)
    with socket.create_connection((address.hostname, address.port), timeout=20) as sock:
        sock.sendall(data)
        sock.shutdown(socket.SHUT_WR)
        received = b""
        while piece := sock.recv(65_536):
            received += piece
        return received


def test_every_site_has_a_port_of_its_own(web: DemoWeb) -> None:
    assert len({urlsplit(url).port for url in web.seeds}) == len(web.sites)


def test_one_connection_serves_many_requests(web: DemoWeb) -> None:
    connection = connect(web, "tree")
    connection.connect()
    sock = connection.sock
    for number in range(1, 30):
        connection.request("GET", f"/p/{number}")
        assert f"Page {number}".encode() in connection.getresponse().read()
    assert connection.sock is sock
    connection.close()


def test_pipelined_requests_are_answered_in_order_even_when_slow(web: DemoWeb) -> None:
    order = (3, 1, 2)
    asked = "".join(f"GET /hour/{n} HTTP/1.1\r\nHost: x\r\n\r\n" for n in order)
    answers = raw(web, "slow", asked.encode())
    places = [answers.index(get(web, "slow", f"/hour/{n}")[1]) for n in order]
    assert places == sorted(places)


def test_nothing_is_answered_after_the_last_request(web: DemoWeb) -> None:
    last = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    assert raw(web, "tree", last * 3).count(b"HTTP/1.1 200") == 1


def test_chunked_and_dripping_bodies_arrive_whole(web: DemoWeb) -> None:
    for site, path in (("docs", "/appendix/chunked"), ("slow", "/drip")):
        status, body = get(web, site, path)
        assert (status, body[-8:]) == (200, b"</html>\n")


def test_a_huge_page_arrives_whole(web: DemoWeb) -> None:
    assert len(get(web, "docs", "/appendix/everything")[1]) > 10_000_000


def test_the_log_tells_who_asked_for_what_and_when(web: DemoWeb) -> None:
    get(web, "shop", "/shop/?page=2", User_Agent="walker/1.0")
    last = web.asked("shop")[-1]
    assert (last.path, last.agent, last.status, last.method) == (
        "/shop/?page=2",
        "walker/1.0",
        200,
        "GET",
    )
    assert last.host == urlsplit(web.sites["shop"].url).netloc
    assert last.at <= web.log[-1].at


def test_the_log_shows_how_many_requests_were_under_way(web: DemoWeb) -> None:
    connections = [connect(web, "slow") for _ in range(4)]
    for connection in connections:
        connection.request("GET", "/")
    for connection in connections:
        connection.getresponse().read()
        connection.close()
    get(web, "slow", "/")
    *_, crowded, alone = web.asked("slow")
    assert crowded.under_way > 1
    assert alone.under_way == 1


def test_a_client_that_leaves_is_no_longer_under_way(web: DemoWeb) -> None:
    connection = connect(web, "slow")
    connection.request("GET", "/")
    connection.close()
    assert get(web, "slow", "/")[0] == 200
    get(web, "slow", "/")
    assert web.asked("slow")[-1].under_way == 1


def test_flaky_pages_fail_each_in_its_way_and_then_recover(web: DemoWeb) -> None:
    assert get(web, "flaky", "/item/2")[0] == 503
    assert get(web, "flaky", "/item/4")[0] == 500
    with pytest.raises(ConnectionResetError):
        get(web, "flaky", "/item/6")
    assert get(web, "flaky", "/item/8")[0] == 429
    with pytest.raises(http.client.IncompleteRead):
        get(web, "flaky", "/item/10")
    assert {get(web, "flaky", f"/item/{number}")[0] for number in range(1, 13)} == {200}


def test_an_outage_takes_one_site_down_until_it_is_over(web: DemoWeb) -> None:
    web.outage("private")
    assert (get(web, "private", "/")[0], get(web, "tree", "/")[0]) == (503, 200)
    web.outage("private", how=Cut.RESET)
    with pytest.raises(ConnectionResetError):
        get(web, "private", "/")
    web.outage("private", False)
    assert get(web, "private", "/")[0] == 200


def test_an_outage_of_an_unknown_site_names_the_known_ones(web: DemoWeb) -> None:
    with pytest.raises(KeyError, match="tree"):
        web.outage("moon")


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (b"GET /\r\n\r\n", 400),
        (b"GET / HTTP/2.0\r\nHost: x\r\n\r\n", 400),
        (b"GET nowhere HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1e9\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 411),
        (b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 70_000, 431),
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello", 405),
        (b"GET http://x/p/7 HTTP/1.1\r\nHost: x\r\n\r\n", 200),
        (b"GET http://x HTTP/1.1\r\nHost: x\r\n\r\n", 200),
        (b"GET / HTTP/1.0\r\n\r\n", 200),
        ("GET /p/é HTTP/1.1\r\nHost: x\r\n\r\n".encode(), 404),
    ],
)
def test_odd_requests_get_the_answer_they_deserve(web: DemoWeb, data: bytes, status: int) -> None:
    assert raw(web, "tree", data).startswith(b"HTTP/1.1 %d " % status)


def test_the_body_of_a_request_is_not_taken_for_the_next_one(web: DemoWeb) -> None:
    hidden = b"GET /p/1 HTTP/1.1\r\nHost: x\r\n\r\n"
    post = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(hidden)
    after = b"GET /p/2 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    answers = raw(web, "tree", post + hidden + after)
    assert answers.count(b"HTTP/1.1 ") == 2
    assert b"<h1>Page 2</h1>" in answers


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=200) | st.text(alphabet="GET / HTP1.\r\n:x", max_size=80).map(str.encode))
def test_no_bytes_bring_the_server_down(web: DemoWeb, data: bytes) -> None:
    with suppress(ConnectionResetError):
        raw(web, "tree", data)
    assert get(web, "tree", "/")[0] == 200


async def test_a_web_inside_a_loop_lets_go_of_its_ports() -> None:
    async with DemoWeb([TreeSite(pages=3)]) as web:
        port = urlsplit(web.seeds[0]).port
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=5).close()


async def test_a_taken_port_is_named_with_what_to_do() -> None:
    async with DemoWeb([TreeSite(pages=3)]) as web:
        port = urlsplit(web.seeds[0]).port
        assert port is not None
        with pytest.raises(OSError, match=f"port {port} .*--port-base"):
            async with DemoWeb(["shop"], port_base=port):
                pass


def test_a_taken_port_is_told_to_the_thread_that_asked(web: DemoWeb) -> None:
    port = urlsplit(web.seeds[0]).port
    assert port is not None
    with pytest.raises(OSError, match="--port-base"), serving(["shop"], port_base=port):
        pass


def test_unknown_and_repeated_sites_are_refused() -> None:
    with pytest.raises(ValueError, match="brokenrobots"):
        DemoWeb(["moon"])
    with pytest.raises(ValueError, match="two sites of one name"):
        DemoWeb([TreeSite(), TreeSite()])


def test_the_command_prints_its_addresses_and_stops_when_told() -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(tenax.__path__[0]).parent)}
    command = [sys.executable, "-m", "tenax.demo", "--tree", "50", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        url = json.loads(process.stdout.readline())["tree"]
        connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=20)
        connection.request("GET", "/p/49")
        assert connection.getresponse().status == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == 0
        connection.close()
