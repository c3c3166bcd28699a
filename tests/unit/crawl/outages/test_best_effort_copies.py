"""A copy that cannot be made holds up nothing, and is told of once."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence

import pytest

from tenax.crawl.outages.best_effort_copies import Copies
from tenax.ports import Unavailable

PAGE = (b"u", b"d", b"body")


class Flaky:
    def __init__(self) -> None:
        self.is_down = False
        self.put_so_far: list[tuple[bytes, bytes, bytes]] = []

    async def put(self, pages: Iterable[tuple[bytes, bytes, bytes]]) -> None:
        if self.is_down:
            raise Unavailable("it is down")
        self.put_so_far += pages

    async def renew(self, pages: Sequence[tuple[bytes, bytes]]) -> list[bool]:
        if self.is_down:
            raise Unavailable("it is down")
        return [False] * len(pages)


async def test_a_shelf_that_is_down_is_gone_round(caplog: pytest.LogCaptureFixture) -> None:
    shelf = Flaky()
    copies = Copies(shelf)
    with caplog.at_level(logging.WARNING):
        for shelf.is_down in (False, True, True, False, False):
            await copies.put([PAGE])
    assert shelf.put_so_far == [PAGE] * 3
    assert [record.getMessage() for record in caplog.records] == [
        "no copies of bodies are made: it is down",
        "copies of bodies are made again",
    ]


async def test_while_the_shelf_is_down_nothing_is_to_be_laid_out_again() -> None:
    shelf = Flaky()
    copies = Copies(shelf)
    assert await copies.renew([(b"u", b"d")]) == [False]
    shelf.is_down = True
    assert await copies.renew([(b"u", b"d")]) == [True]
