"""How do tasks in many threads share the one loop of their process?"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any, cast

import pytest
from celery.app.task import Context
from celery.app.trace import REJECTED, TraceInfo
from celery.exceptions import Reject

from tenax.adapters.celery import Closed, Desk, work
from tenax.crawl.fleet.tasks import Errands
from tenax.ports import Ticket, Unavailable


class Work:
    """Stands in for a crawl: every errand ends with it, or when it is let go."""

    def __init__(self) -> None:
        self.threads: set[int] = set()
        self.fails = False
        self.begun = threading.Event()
        """Whether one is under way that lasts."""
        self._over = asyncio.Event()

    async def run(self) -> None:
        await self._over.wait()
        if self.fails:
            raise Unavailable("The ledger is gone.")

    def stop(self) -> None:
        self._over.set()

    async def work(self, ticket: Ticket) -> bool:
        self.threads.add(threading.get_ident())
        if ticket.priority == 1:
            await asyncio.sleep(0.01)
            return True
        self.begun.set()
        await self._over.wait()
        return False


made: list[Work] = []


@asynccontextmanager
async def opener() -> AsyncIterator[Errands]:
    made.append(Work())
    yield cast(Errands, made[-1])


class Broken:
    async def __aenter__(self) -> Errands:
        raise Unavailable("The ledger is gone.")

    async def __aexit__(self, *_: object) -> None:
        pass


@pytest.fixture
def ends() -> Iterator[tuple[int, int]]:
    read, write = os.pipe()
    yield read, write
    os.close(read)
    os.close(write)


def run(main: Any) -> None:
    asyncio.run(main)


SHORT, LONG = Ticket(1, "a", 1), Ticket(2, "a", 2)


def test_all_tasks_are_worked_on_in_one_loop(ends: tuple[int, int]) -> None:
    desk = Desk(opener, run, ends[0])
    with ThreadPoolExecutor(8) as tasks:
        assert all(tasks.map(desk.work, [SHORT] * 40))
    assert len(made[-1].threads) == 1
    assert threading.get_ident() not in made[-1].threads
    desk.close()
    assert desk.is_closed


def test_a_word_through_the_pipe_ends_it(ends: tuple[int, int]) -> None:
    """So hear it all processes that were forked, whoever is told."""
    desk = Desk(opener, run, ends[0])
    assert desk.work(SHORT)
    with ThreadPoolExecutor(1) as tasks:
        waiting = tasks.submit(desk.work, LONG)
        assert made[-1].begun.wait(60)
        os.write(ends[1], b"!")
        assert waiting.result(60) is False
    desk.close()
    with pytest.raises(Closed):
        desk.work(SHORT)


def test_what_cannot_be_opened_is_told_to_every_task(ends: tuple[int, int]) -> None:
    desk = Desk(Broken, run, ends[0])
    for _ in range(2):
        with pytest.raises(Unavailable, match="gone"):
            desk.work(SHORT)
    desk.close()
    assert desk.is_closed


def test_a_crawl_that_fails_is_logged_and_over(
    ends: tuple[int, int], caplog: pytest.LogCaptureFixture
) -> None:
    desk = Desk(opener, run, ends[0])
    desk.work(SHORT)
    made[-1].fails = True
    desk.close()
    assert desk.is_closed
    assert "The ledger is gone" in caplog.text


def test_a_ticket_that_is_handed_back_is_told_without_a_traceback(
    caplog: pytest.LogCaptureFixture,
) -> None:
    try:
        raise Reject("this worker is ending", requeue=True)
    except Reject as rejected:
        TraceInfo(REJECTED, rejected).handle_reject(work, Context(id="7", task=work.name))
    (record,) = caplog.records
    assert "this worker is ending" in record.getMessage()
    assert record.exc_info is None
