"""How does the server treat those who dawdle, mumble, or come when it is to end?"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from fastapi import FastAPI

from tenax.api import server as served
from tenax.api.server import Server, is_loopback, listen
from tenax.ports import Unavailable


@asynccontextmanager
async def serving(asked: asyncio.Event | None = None) -> AsyncIterator[tuple[Server, int]]:
    async def slow() -> str:
        if asked is not None:
            asked.set()
        await asyncio.sleep(0.5)
        return "done"

    api = FastAPI(openapi_url=None)
    api.add_api_route("/slow", slow)
    listener = listen("127.0.0.1", 0)
    server = Server(api, listener)
    task = asyncio.create_task(server.run_here())
    try:
        yield server, listener.getsockname()[1]
    finally:
        server.stop()
        await task


async def said(port: int, *parts: bytes) -> bytes:
    """All that is answered to these bytes, until the other side closes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        for part in parts:
            writer.write(part)
            await writer.drain()
        return await asyncio.wait_for(reader.read(), 120)
    except ConnectionResetError:
        return b""
    finally:
        writer.close()


@pytest.mark.parametrize("parts", [(), (b"GET /slow HTTP/1.1\r\nHost: a\r\nX-",)])
async def test_whoever_does_not_say_what_they_want_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch, parts: tuple[bytes, ...]
) -> None:
    monkeypatch.setattr(served, "HEAD_SECONDS", 0.1)
    async with serving() as (_, port):
        assert await said(port, *parts) == b""


async def test_an_answer_may_take_longer_than_a_question(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(served, "HEAD_SECONDS", 0.1)
    async with serving() as (_, port):
        answer = await said(port, b"GET /slow HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize("mumbled", [b"\x16\x03\x01\x00\xff\r\n\r\n", b"GET / HTTP/9\r\n\r\n"])
async def test_what_cannot_be_read_is_answered_with_a_problem(mumbled: bytes) -> None:
    async with serving() as (_, port):
        answer = await said(port, mumbled)
    assert answer.startswith(b"HTTP/1.1 400")
    assert b"application/problem+json" in answer
    assert b"server:" not in answer.lower()


async def test_a_head_that_does_not_end_is_cut_off() -> None:
    async with serving() as (_, port):
        answer = await said(port, b"GET / HTTP/1.1\r\n", b"X: " + b"y" * 300_000)
    assert answer == b"" or answer.startswith(b"HTTP/1.1 400")


async def test_told_to_end_it_takes_nobody_more_and_finishes_what_is_under_way() -> None:
    asked = asyncio.Event()
    async with serving(asked) as (server, port):
        question = b"GET /slow HTTP/1.1\r\nHost: a\r\n\r\n"
        under_way = asyncio.create_task(said(port, question))
        await asked.wait()
        server.stop()
        assert (await under_way).endswith(b'"done"')
        with pytest.raises(ConnectionRefusedError):
            await said(port, question)


def test_a_port_that_is_taken_is_told_with_what_to_do() -> None:
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(Unavailable, match=rf"127.0.0.1:{port} .*--port"):
            listen("127.0.0.1", port)
    with pytest.raises(Unavailable, match="--host"):
        listen("no.such.host.invalid", 0)


def test_only_this_machine_is_loopback() -> None:
    assert all(map(is_loopback, ["127.0.0.1", "127.9.9.9", "::1", "localhost"]))
    assert not any(map(is_loopback, ["0.0.0.0", "::", "192.168.1.1", "example.org", ""]))


async def test_it_listens_by_ipv6_too() -> None:
    if not socket.has_ipv6:
        pytest.skip("no IPv6 here")
    try:
        with listen("::1", 0) as listener:
            assert listener.family is socket.AF_INET6
    except Unavailable:
        pytest.skip("no IPv6 here")
