"""Is a process ready? As its parts answer, and as its loop keeps time."""

from __future__ import annotations

import asyncio

from tenax.crawl.pulse import HealthPolicy, Pulse
from tenax.ports import Unavailable
from tests.ledgers import HandClock

POLICY = HealthPolicy(limit=0.05, stall=5.0)


async def well() -> None:
    pass


async def broken() -> None:
    raise Unavailable("The ledger is gone.")


async def silent() -> None:
    await asyncio.sleep(60)


async def test_a_process_is_ready_when_all_its_parts_answer() -> None:
    health = await Pulse({"ledger": well, "queue": well}, HandClock(), POLICY).health()
    assert health.is_ready
    assert health.parts == {"ledger": "", "queue": "", "loop": ""}


async def test_it_says_which_part_is_not_there_and_why() -> None:
    health = await Pulse({"ledger": broken, "queue": silent}, HandClock(), POLICY).health()
    assert not health.is_ready
    assert health.parts["ledger"] == "The ledger is gone."
    assert health.parts["queue"] == "no answer within 0.05 s"


async def test_a_loop_that_is_held_up_is_not_ready_until_it_keeps_time_again() -> None:
    class Clock(HandClock):
        late = 10.0

        async def sleep(self, seconds: float) -> None:
            self.time += seconds + self.late
            await asyncio.sleep(0)

    clock = Clock()
    pulse = Pulse({}, clock, POLICY)
    beating = asyncio.create_task(pulse.beat())
    await asyncio.sleep(0.01)
    assert (await pulse.health()).parts["loop"] == "10.0 s late"
    clock.late = 0.0
    await asyncio.sleep(0.01)
    assert (await pulse.health()).is_ready
    beating.cancel()
