"""Whatever a server does, does a client say what it was, in bounded time and memory? (SEC-2)

Every case of the table, over the main client and the second one. They run side by side, so a
case that holds up the others fails with them.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tenax.adapters.libcurl.http import HttpTransport
from tenax.adapters.libcurl.second_client import CurlTransport
from tenax.model import Failure, Fault, Forbidden, Request, RequestLimits, Response
from tenax.page.read import read
from tenax.ports import Transport
from tests.hostile import FAST, HELLO_REQUESTS, OVERDUE, TOO_MUCH, Case, Ground, html
from tests.servers import Connection, Script, Server, raw

CLIENTS: dict[str, Callable[..., Transport]] = {"http": HttpTransport, "curl": CurlTransport}
HASTE = RequestLimits(connect=0.5, total=1.0)
# The servers share this process with the clients, and the machine with others.
PATIENCE = RequestLimits(connect=5.0, total=20.0)
AT_ONCE = 12


class Told(NamedTuple):
    result: Response | Failure | Forbidden
    seconds: float


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ground]:
    with Ground(FAST, tmp_path_factory.mktemp("hostile")) as ground:
        yield ground


@pytest.fixture(scope="module", params=CLIENTS)
def told(request: pytest.FixtureRequest, ground: Ground) -> dict[str, Told]:
    return asyncio.run(ask_all(CLIENTS[request.param], ground))


async def ask_all(client: Callable[..., Transport], ground: Ground) -> dict[str, Told]:
    transport = client(judge=lambda _: None, ca_file=ground.authority)
    turns = asyncio.Semaphore(AT_ONCE)

    async def ask(case: Case) -> Told:
        async with turns:
            started = time.monotonic()
            result = await transport.send(Request(ground.url(case.name), limits=PATIENCE))
            return Told(result, time.monotonic() - started)

    async def await_end(case: Case) -> Told:
        started = time.monotonic()
        result = await transport.send(Request(ground.url(case.name), limits=HASTE))
        return Told(result, time.monotonic() - started)

    prompt = [case for case in FAST if not case.hangs]
    hanging = [case for case in FAST if case.hangs]
    told = await asyncio.gather(*map(ask, prompt))
    told += await asyncio.gather(*map(await_end, hanging))
    await transport.close()
    return {case.name: each for case, each in zip(prompt + hanging, told, strict=True)}


def test_a_client_says_what_the_server_did(
    told: dict[str, Told], subtests: pytest.Subtests
) -> None:
    for case in FAST:
        with subtests.test(case.name):
            result = told[case.name].result
            assert not isinstance(result, Forbidden)
            said = result.fault if isinstance(result, Failure) else result.status
            assert said == case.expected, result
            assert not isinstance(result, Failure) or result.detail


def test_it_is_told_in_time(told: dict[str, Told]) -> None:
    # Sooner would be better; on a busy machine this much still tells that it ends by itself.
    assert {
        case.name: told[case.name].seconds
        for case in FAST
        if told[case.name].seconds >= (HASTE if case.hangs else PATIENCE).total + 20.0
    } == {}


def test_what_comes_back_can_be_read(told: dict[str, Told], subtests: pytest.Subtests) -> None:
    for case in FAST:
        result = told[case.name].result
        if isinstance(result, Response):
            with subtests.test(case.name):
                assert len(read(result, fetched_at=0.0).etag) <= 1000


@pytest.mark.parametrize("client", CLIENTS)
async def test_a_handshake_without_meaning_or_end_lets_go_of_the_event_loop(
    client: str, tmp_path: Path
) -> None:
    started = time.monotonic()
    with Ground([HELLO_REQUESTS], tmp_path) as ground:
        transport = CLIENTS[client](judge=lambda _: None)
        result = await transport.send(Request(ground.url(HELLO_REQUESTS.name), limits=HASTE))
        await transport.close()
    assert isinstance(result, Failure)
    assert result.fault in (Fault.TLS, Fault.CONNECT_TIMEOUT)
    assert time.monotonic() - started < HASTE.connect + 100.0


# -- Answers nobody asked for


def then(first: bytes, unasked: bytes, pause: float) -> Script:
    """An answer on a connection that stays open, with another one behind it."""

    async def script(connection: Connection) -> None:
        connection.keep = True
        await connection.send(first)
        await asyncio.sleep(pause)
        await connection.send(unasked)

    return script


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("pause", [0.0, 0.05], ids=["at once", "a moment later"])
@pytest.mark.parametrize(
    "first",
    [
        html(),
        b"HTTP/1.1 204 None\r\n\r\n",
        b"HTTP/1.1 304 Same\r\n\r\n",
        b"HTTP/1.1 404 Gone\r\nContent-Length: 2\r\n\r\nno",
    ],
    ids=["page", "204", "304", "404"],
)
async def test_an_answer_nobody_asked_for_is_not_the_answer_to_the_next_request(
    client: str, first: bytes, pause: float
) -> None:
    """Else a server could put words into the mouth of every page behind the same front."""
    transport = CLIENTS[client](judge=lambda _: None)
    scripts = {"/first": then(first, OVERDUE * 3, pause), "/next": raw(html(body=b"mine"))}
    async with Server(scripts) as server:
        for _ in range(3):
            await transport.send(Request(server.url("/first"), limits=PATIENCE))
            await asyncio.sleep(pause * 2)  # let it arrive on the idle connection
            result = await transport.send(Request(server.url("/next"), limits=PATIENCE))
            assert isinstance(result, Response)
            assert result.body == b"mine"
        await transport.close()


@pytest.mark.parametrize("client", CLIENTS)
async def test_the_body_of_a_head_is_not_the_answer_to_the_next_request(client: str) -> None:
    transport = CLIENTS[client](judge=lambda _: None)
    scripts = {"/first": then(html(body=OVERDUE), b"", 0.0), "/next": raw(html(body=b"mine"))}
    async with Server(scripts) as server:
        await transport.send(Request(server.url("/first"), "HEAD", limits=PATIENCE))
        result = await transport.send(Request(server.url("/next"), limits=PATIENCE))
        await transport.close()
    assert isinstance(result, Response)
    assert result.body == b"mine"


# -- Memory


@pytest.mark.parametrize("client", CLIENTS)
def test_bombs_cost_little_memory(client: str, tmp_path: Path) -> None:
    """All of them one after the other: what a bomb leaves behind counts too."""
    with Ground(TOO_MUCH, tmp_path) as ground:
        grown = _megabytes_grown(client, [ground.url(case.name) for case in TOO_MUCH])
    # Twice the limit for the body and what it decodes to, and the decoders' windows.
    assert grown < 120


def _megabytes_grown(client: str, urls: list[str]) -> int:
    """In a process of its own, whose peak is not ours."""
    done = subprocess.run(
        [sys.executable, "-c", _VISITOR, client, *urls],
        capture_output=True, text=True, timeout=100, check=False,
        env={"PYTHONPATH": ":".join(path for path in sys.path if path)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


_VISITOR = """
import asyncio, sys
from pathlib import Path
from tenax.model import RequestLimits, Request
from tests.e2e.test_hostile_clients import CLIENTS

def peak():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) // 1024

async def main(client, urls):
    transport = CLIENTS[client](judge=lambda _: None)
    await transport.send(Request(urls[0], limits=RequestLimits(total=0.001)))
    before = peak()
    for url in urls:
        await transport.send(Request(url, limits=RequestLimits(total=30.0)))
    await transport.close()
    print(peak() - before)

asyncio.run(main(sys.argv[1], sys.argv[2:]))
"""
