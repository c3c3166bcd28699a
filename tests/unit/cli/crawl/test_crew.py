"""Do the processes of a crawl share from the start, and end together? With no real process."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tenax.cli.crawl import crew
from tenax.cli.crawl.crew import Crew
from tenax.compose.crawler import Crawler
from tenax.ports import Unavailable
from tenax.settings import Settings


class Member:
    """A worker process: it ends when its parent lets go of it, or when the test says so."""

    pid = 4711

    def __init__(self) -> None:
        self.told: list[object] = []
        self.is_let_go = False
        self._code: int | None = None
        self._over = asyncio.Event()

    @property
    def is_alive(self) -> bool:
        return self._code is None

    async def tell(self, what: object) -> None:
        self.told.append(what)

    def let_go(self) -> None:
        self.is_let_go = True
        self.die(0)

    def die(self, code: int) -> None:
        if self._code is None:
            self._code = code
            self._over.set()

    async def ended(self) -> int:
        await self._over.wait()
        assert self._code is not None
        return self._code

    def kill(self) -> None:
        self.die(-9)


class Own:
    """The parent's part of the crawl, which lasts until it has something to look at."""

    def __init__(self, work: Callable[[Own], Awaitable[None]]) -> None:
        self.looked = asyncio.Event()
        self._work = work

    async def run(self) -> None:
        await self._work(self)

    def look_again(self) -> None:
        self.looked.set()

    def stop(self) -> None:
        self.looked.set()


class Book:
    """How many the ledger was told to expect, each time."""

    def __init__(self) -> None:
        self.expected: list[int] = []

    def expect(self, workers: int) -> None:
        self.expected.append(workers)

    async def reclaim(self) -> int:
        return 0


@pytest.fixture
def members(monkeypatch: pytest.MonkeyPatch) -> list[Member]:
    made: list[Member] = []

    async def start() -> Member:
        made.append(Member())
        return made[-1]

    monkeypatch.setattr(crew, "_start", start)
    return made


def crew_of(processes: int, book: Book, work: Callable[[Own], Awaitable[None]]) -> Crew:
    app: Any = SimpleNamespace(
        ledger=SimpleNamespace(
            settings=Settings(contact="mailto:test@example.org", processes=processes)
        ),
        parts=SimpleNamespace(frontier=book),
        serve_jobs=lambda **_: Own(work),
    )
    return Crew(cast("Crawler", app), None)


async def test_all_are_expected_before_the_first_begins(members: list[Member]) -> None:
    book = Book()
    seen: list[int] = []

    async def work(_: Own) -> None:
        seen.extend(book.expected)

    async with asyncio.timeout(5):
        await crew_of(3, book, work).run()
    assert seen == [3]
    assert [len(member.told) for member in members] == [1, 1]


async def test_one_that_ended_is_expected_no_longer_and_the_parent_looks_for_its_work(
    members: list[Member],
) -> None:
    book = Book()
    seen: list[int] = []

    async def work(own: Own) -> None:
        members[0].die(3)
        await own.looked.wait()
        seen.extend(book.expected)

    async with asyncio.timeout(5):
        await crew_of(3, book, work).run()
    assert seen == [3, 2]
    assert len(members) == 2


async def test_one_that_was_killed_is_replaced_and_the_parent_looks_for_its_work(
    members: list[Member],
) -> None:
    book = Book()
    seen: list[int] = []

    async def work(own: Own) -> None:
        members[0].die(-11)
        await own.looked.wait()
        await asyncio.sleep(0)
        seen.extend(book.expected)

    async with asyncio.timeout(5):
        await crew_of(3, book, work).run()
    assert seen == [3, 2, 3]
    assert [len(member.told) for member in members] == [1, 1, 1]
    assert all(member.is_let_go for member in members)


async def test_those_that_are_killed_again_and_again_are_replaced_so_often(
    members: list[Member],
) -> None:
    async def work(own: Own) -> None:
        dead = 0
        while dead < len(members):
            members[dead].die(-11)
            dead += 1
            own.looked.clear()
            await own.looked.wait()
            await asyncio.sleep(0)

    async with asyncio.timeout(5):
        await crew_of(2, Book(), work).run()
    assert len(members) == 1 + crew._MOST_REPLACED


async def test_with_nothing_left_for_the_parent_the_others_are_let_go(
    members: list[Member],
) -> None:
    async def work(_: Own) -> None:
        assert not any(member.is_let_go for member in members)

    async with asyncio.timeout(5):
        await crew_of(3, Book(), work).run()
    assert [member.is_let_go for member in members] == [True, True]


async def test_without_a_ledger_the_others_are_let_go_and_the_trouble_is_told(
    members: list[Member],
) -> None:
    async def work(_: Own) -> None:
        raise Unavailable("the ledger is away")

    async with asyncio.timeout(5):
        with pytest.raises(Unavailable, match="away"):
            await crew_of(2, Book(), work).run()
    assert [member.is_let_go for member in members] == [True]
