"""Is a process ready? As its parts answer, and as its loop keeps time."""

from __future__ import annotations

import asyncio

from tenax.crawl.steps import Steps
from tenax.model import LeasedTarget, Step
from tenax.ops.health.pulse import HealthPart, HealthPolicy, Pulse
from tenax.ports import Unavailable
from tests.ledgers import HandClock

POLICY = HealthPolicy(limit=0.05, stall=5.0)
CLOCK = HandClock()


async def well() -> None:
    pass


async def broken() -> None:
    raise Unavailable("The ledger is gone.")


async def silent() -> None:
    await asyncio.sleep(60)


async def test_a_process_is_ready_when_all_its_parts_answer() -> None:
    health = await Pulse(
        {"ledger": HealthPart(well), "queue": HealthPart(well)}, HandClock(), POLICY
    ).health()
    assert health.is_ready
    assert health.parts == {"ledger": "", "queue": "", "loop": ""}


async def test_it_says_which_part_is_not_there_and_why() -> None:
    health = await Pulse(
        {"ledger": HealthPart(broken), "queue": HealthPart(silent)}, HandClock(), POLICY
    ).health()
    assert not health.is_ready
    assert health.parts["ledger"] == "The ledger is gone."
    assert health.parts["queue"] == "no answer within 0.05 s"


async def test_what_the_work_goes_on_without_is_told_and_does_not_count() -> None:
    pulse = Pulse(
        {"ledger": HealthPart(well), "redis": HealthPart(broken, is_needed=False)}, CLOCK, POLICY
    )
    health = await pulse.health()
    assert (health.is_ready, health.is_whole) == (True, False)
    assert health.parts["redis"] == "The ledger is gone."


async def test_a_part_that_does_not_answer_is_asked_once_and_others_say_why() -> None:
    """Questions that wait for a database would pile up for as long as it is away."""
    asked, known = [], [""]

    async def hang() -> None:
        asked.append(1)
        await asyncio.sleep(60)

    pulse = Pulse({"ledger": HealthPart(hang, lambda: known[0])}, CLOCK, POLICY)
    for _ in range(3):
        assert (await pulse.health()).parts["ledger"] == "no answer within 0.05 s"
    known[0] = "PostgreSQL refuses connections."
    assert (await pulse.health()).parts["ledger"] == "PostgreSQL refuses connections."
    assert len(asked) == 1
    await pulse.close()


async def test_it_is_asked_again_once_it_has_answered() -> None:
    answers = iter([Unavailable("away"), None])

    async def ask() -> None:
        if error := next(answers):
            raise error

    pulse = Pulse({"ledger": HealthPart(ask)}, CLOCK, POLICY)
    assert not (await pulse.health()).is_ready
    assert (await pulse.health()).is_ready


async def test_a_bug_in_a_part_is_told_like_a_failure() -> None:
    async def ask() -> None:
        raise KeyError("x")

    health = await Pulse({"ledger": HealthPart(ask)}, CLOCK, POLICY).health()
    assert health.parts["ledger"] == "KeyError: 'x'"


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


async def test_what_held_up_the_loop_is_named_as_long_as_it_is_late() -> None:
    class Clock(HandClock):
        late = 10.0

        async def sleep(self, seconds: float) -> None:
            self.time += seconds
            mark.enter(Step.READ)
            self.time += self.late
            mark.enter(Step.JUDGE)
            await asyncio.sleep(0)

    clock = Clock()
    steps = Steps(clock)
    mark = steps.begin(LeasedTarget(1, 1, "https://a.example/big", 0, 5, 0), 1, "a.example")
    pulse = Pulse({}, clock, POLICY, steps.culprit)
    beating = asyncio.create_task(pulse.beat())
    await asyncio.sleep(0.01)
    told = "10.0 s late: read of https://a.example/big took 10.0 s"
    assert (await pulse.health()).parts["loop"] == told
    clock.late = 0.0
    await asyncio.sleep(0.01)
    assert (await pulse.health()).parts["loop"] == ""
    beating.cancel()
