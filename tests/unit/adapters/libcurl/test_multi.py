"""Do libcurl's transfers end as they should, by an epoll set and without one?"""

from __future__ import annotations

import asyncio
import select
from collections.abc import AsyncIterator
from typing import Any

import pycurl
import pytest

from tenax.adapters.libcurl.multi import EpollMulti, PortableMulti
from tests.servers import OK, Server, answer, raw_then_hang

TIMED_OUT = 28
MULTIS = [
    pytest.param(
        EpollMulti, marks=pytest.mark.skipif(not hasattr(select, "epoll"), reason="no epoll here")
    ),
    PortableMulti,
]


@pytest.fixture(params=MULTIS)
async def multi(request: pytest.FixtureRequest) -> AsyncIterator[EpollMulti | PortableMulti]:
    opened = request.param()
    yield opened
    await opened.aclose()


def asking(url: str, *, within: float = 60.0) -> tuple[pycurl.Curl, list[bytes]]:
    curl = pycurl.Curl()
    body: list[bytes] = []
    curl.setopt(pycurl.URL, url)
    curl.setopt(pycurl.TIMEOUT_MS, round(within * 1000))
    curl.setopt(pycurl.WRITEFUNCTION, body.append)
    return curl, body


async def test_many_transfers_side_by_side_bring_their_own(
    multi: EpollMulti | PortableMulti,
) -> None:
    async with Server({f"/{n}": answer(b"%d" % n) for n in range(100)}) as server:
        asked = [asking(server.url(f"/{n}")) for n in range(100)]
        ends = await asyncio.gather(*(multi.perform(curl) for curl, _ in asked))
    assert ends == [None] * 100
    assert [b"".join(body) for _, body in asked] == [b"%d" % n for n in range(100)]


async def test_a_shorter_time_is_kept_though_a_longer_one_runs_already(
    multi: EpollMulti | PortableMulti,
) -> None:
    async with Server({"/": raw_then_hang(OK)}) as server:
        patient = asyncio.create_task(multi.perform(asking(server.url(), within=60.0)[0]))
        await server.was_asked.wait()
        async with asyncio.timeout(10.0):
            hasty = [multi.perform(asking(server.url(), within=w)[0]) for w in (0.2, 0.1)]
            troubles = await asyncio.gather(*hasty)
        patient.cancel()
    assert [trouble and trouble[0] for trouble in troubles] == [TIMED_OUT] * 2


async def test_a_longer_time_is_kept_though_a_shorter_one_is_over(
    multi: EpollMulti | PortableMulti,
) -> None:
    """The timer of a transfer that has ended rings too early for the next one, and rings again."""
    async with Server({"/": answer(b"soon"), "/never": raw_then_hang(OK)}) as server:
        assert await multi.perform(asking(server.url(), within=0.2)[0]) is None
        async with asyncio.timeout(10.0):
            trouble = await multi.perform(asking(server.url("/never"), within=0.6)[0])
    assert trouble is not None
    assert trouble[0] == TIMED_OUT


@pytest.mark.skipif(not hasattr(select, "epoll"), reason="this system has no epoll")
async def test_when_libcurl_itself_fails_nobody_waits_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Failing:
        def __init__(self, multi: pycurl.CurlMulti) -> None:
            self._multi = multi

        def __getattr__(self, name: str) -> Any:
            return getattr(self._multi, name)

        def socket_action(self, *_: object) -> None:
            raise pycurl.error(3, "broken")

    multi = EpollMulti()
    async with Server({"/": raw_then_hang(OK)}) as server:
        waiting = asyncio.create_task(multi.perform(asking(server.url())[0]))
        await server.was_asked.wait()
        monkeypatch.setattr(multi, "_multi", Failing(multi._multi))
        async with asyncio.timeout(10.0):
            hurried = await multi.perform(asking(server.url(), within=0.1)[0])
            assert await waiting == hurried == (3, "broken")
    await multi.aclose()


async def test_what_is_closed_takes_nothing_more(multi: EpollMulti | PortableMulti) -> None:
    await multi.aclose()
    with pytest.raises(RuntimeError):
        await multi.perform(asking("http://127.0.0.1:9/")[0])
