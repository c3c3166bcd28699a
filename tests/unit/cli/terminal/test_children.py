"""Does no child process outlive its parent, and is each heard of that ends?"""

from __future__ import annotations

import asyncio
import math
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import msgspec
import pytest

from tenax.cli.terminal import children
from tenax.cli.terminal.children import Child, said, told_end, understood
from tenax.crawl.policy import FeedPolicy
from tenax.settings import Settings
from tests.e2e.command import is_alive, until

Start = Callable[[], Awaitable[Child]]


@pytest.fixture
async def start() -> AsyncIterator[Start]:
    async with AsyncExitStack() as stack:

        async def make() -> Child:
            child = await Child.start("tests.child", answers=True)
            stack.push_async_callback(child.ended)
            stack.callback(child.kill)
            return child

        yield make


async def test_a_child_is_told_lines_and_answers_with_lines_however_long(start: Start) -> None:
    child = await start()
    for size in (10, 1_000_000):
        await child.tell({"say": "x" * size})
        assert msgspec.json.decode(await child.answer()) > size
    assert child.is_alive


def test_settings_without_end_reach_a_child_as_they_are() -> None:
    """JSON would make nothing of them, and a child does not start with nothing."""
    settings = Settings(feed=FeedPolicy(patience=math.inf), busy=math.inf)
    assert understood(said(settings), Settings) == settings


async def test_a_child_that_is_let_go_ends_in_order_by_itself(start: Start, tmp_path: Path) -> None:
    child = await start()
    await child.tell({"wait": str(tmp_path / "end")})
    assert await child.answer() == b'"waiting"\n'
    child.let_go()
    assert await child.ended() == 0
    assert (tmp_path / "end").read_text() == "ended in order"
    assert not child.is_alive


async def test_a_child_that_was_told_nothing_ends_with_its_parents_word(start: Start) -> None:
    child = await start()
    await child.end()
    assert await child.ended() == 7


async def test_a_child_that_does_not_listen_is_killed(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    child = await start()
    await child.tell({"say": ""})
    await child.answer()
    await child.tell({"deaf": True})
    monkeypatch.setattr(children, "_PATIENCE", 0.01)
    await child.end()
    assert await child.ended() == -signal.SIGKILL


async def test_a_child_of_a_parent_that_was_killed_ends_in_order(
    start: Start, tmp_path: Path
) -> None:
    """kill -9, in the middle of things: nobody tells the grandchild."""
    parent = await start()
    await parent.tell({"start": str(tmp_path / "end")})
    grandchild = msgspec.json.decode(await parent.answer())
    assert is_alive(grandchild)
    os.kill(parent.pid, signal.SIGKILL)
    assert await parent.ended() == -signal.SIGKILL
    await asyncio.to_thread(until, lambda: not is_alive(grandchild), "it has ended")
    assert (tmp_path / "end").read_text() == "ended in order"


async def test_a_child_that_is_dead_takes_nothing_and_answers_nothing(start: Start) -> None:
    child = await start()
    child.kill()
    assert await child.ended() == -signal.SIGKILL
    for _ in range(3):
        await child.tell({"say": "x" * 1_000_000})
    assert await child.answer() == b""
    child.kill()
    child.let_go()
    await child.end()


async def test_a_child_whose_infrastructure_is_away_says_so_and_ends_with_3(
    start: Start, capfd: pytest.CaptureFixture[str]
) -> None:
    child = await start()
    await child.tell({"fail": True})
    assert await child.ended() == 3
    assert "The ledger is gone." in capfd.readouterr().err


def test_how_a_child_ended_is_told() -> None:
    assert told_end(-9) == "was killed by signal 9"
    assert told_end(3) == "ended with code 3"
