"""Is everybody told the same, soon, for one look at the ledger, and does it end?"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import orjson

from tenax.adapters.local.clock import SystemClock
from tenax.api.live import Figures, LiveHub
from tenax.ports import Unavailable
from tenax.ports.accounts import ApiRole
from tests.asking import Asker, opened


class Ledger:
    """Figures that change with every look."""

    def __init__(self) -> None:
        self.looks = 0
        self.is_away = False
        self.is_still = False

    async def look(self) -> Figures:
        self.looks += 1
        if self.is_away:
            raise Unavailable("away")
        return {"at": self.looks, "pages": 0 if self.is_still else self.looks}


async def told(stream: AsyncIterator[bytes]) -> tuple[str, Any]:
    """The next event that says something."""
    async for each in stream:
        lines = each.decode().splitlines()
        if lines[0].startswith("event: "):
            return lines[0][7:], orjson.loads(lines[1][6:])
    return "end", None


async def test_all_are_told_the_same_for_one_look() -> None:
    ledger = Ledger()
    hub = LiveHub(ledger.look, SystemClock())
    streams = [hub.listen() for _ in range(20)]
    firsts = [await told(stream) for stream in streams]
    assert {name for name, _ in firsts} == {"full"}
    before = ledger.looks
    ticks = [await told(stream) for stream in streams]
    assert {name for name, _ in ticks} == {"tick"}
    assert len({tick["pages"] for _, tick in ticks}) == 1
    assert ledger.looks - before <= 3
    hub.close()


async def test_nobody_looks_while_nobody_listens() -> None:
    ledger = Ledger()
    hub = LiveHub(ledger.look, SystemClock())
    async with aclosing(hub.listen()) as stream:  # type: ignore[type-var]  # a generator, as all such
        assert (await told(stream))[0] == "full"
    await asyncio.sleep(1.2)
    seen = ledger.looks
    await asyncio.sleep(1.2)
    assert ledger.looks == seen


async def test_a_newcomer_gets_what_was_before() -> None:
    hub = LiveHub(Ledger().look, SystemClock())
    first = hub.listen()
    for _ in range(3):
        await told(first)
    name, full = await told(hub.listen())
    assert name == "full"
    assert [each["pages"] for each in full["ring"]][:2] == [1, 2]
    assert full["now"] == full["ring"][-1]
    hub.close()


async def test_whoever_does_not_read_misses_ticks_and_holds_nobody_up() -> None:
    hub = LiveHub(Ledger().look, SystemClock())
    slow, quick = hub.listen(), hub.listen()
    await told(slow)
    await told(quick)
    last = [(await told(quick))[1]["pages"] for _ in range(5)][-1]
    first = [(await told(slow))[1]["pages"] for _ in range(2)]
    assert first[0] < last
    assert (await told(slow))[1]["pages"] > last, "those in between were missed"
    hub.close()


async def test_that_the_ledger_is_away_is_told_and_that_it_is_back() -> None:
    ledger = Ledger()
    hub = LiveHub(ledger.look, SystemClock())
    stream = hub.listen()
    await told(stream)
    ledger.is_away = True
    while (await told(stream))[0] != "away":
        pass
    ledger.is_away = False
    while (await told(stream))[0] != "tick":
        pass
    hub.close()


async def test_streams_end_at_once_when_the_hub_is_closed() -> None:
    ledger = Ledger()
    ledger.is_still = True
    hub = LiveHub(ledger.look, SystemClock())
    stream = hub.listen()
    await told(stream)
    waiting = asyncio.create_task(told(stream))
    await asyncio.sleep(0)
    hub.close()
    async with asyncio.timeout(10):
        assert (await waiting)[0] == "end"
    assert hub.is_full, "nobody is let in any more"


async def test_what_was_done_is_told_by_the_minute(tmp_path: Path) -> None:
    async with opened(tmp_path) as made:
        asker = Asker(made)
        await asker.make_keys()
        body = {"name": "shop", "seeds": ["https://shop.example/"]}
        await asker.ask("/api/jobs", "POST", body=body)
        answer = await asker.ask("/api/stats/timeseries?minutes=60&step=5&job=shop")
        assert (answer.status, answer.json["step_seconds"]) == (200, 300)
        points = answer.json["items"]
        assert len(points) == 12
        assert set(points[0]) == {"at", "visits", "pages", "failures", "bytes"}
        assert (await asker.ask("/api/stats/timeseries?minutes=10080")).status == 422
        visits = await asker.ask("/api/visits?status=404&host=shop.example", role=ApiRole.USER)
        assert visits.json == {"items": [], "next": None}
