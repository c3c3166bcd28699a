"""What does one do while a service is away? Try less and less often, together, for so long."""

from __future__ import annotations

import asyncio

import pytest

from tenax.crawl.outages.outage import (
    Away,
    LedgerOutage,
    OutagePatience,
    OutagePolicy,
    failed,
    is_away,
    is_given_up,
)
from tenax.testing import START, VirtualClock, run_virtually

POLICY = OutagePolicy(tries=3, first=0.1, longest=30.0, patience=600.0)


class Service:
    """Away until a moment, by the virtual clock."""

    def __init__(self, until: float) -> None:
        self.until = START + until
        self.tries: list[float] = []

    async def call(self) -> str:
        now = VirtualClock().now()
        self.tries.append(now - START)
        if now < self.until:
            raise Away("nobody answers")
        return "done"


def test_pauses_double_up_to_the_longest() -> None:
    outage, now = LedgerOutage(), 0.0
    pauses = []
    for _ in range(12):
        outage = failed(outage, now, POLICY)
        pauses.append(round(outage.next_at - now, 3))
        now = outage.next_at
    assert pauses[:4] == [0.1, 0.2, 0.4, 0.8]
    assert pauses[-2:] == [30.0, 30.0]


def test_it_counts_as_away_after_some_failures_and_is_given_up_after_the_patience() -> None:
    outage = failed(failed(LedgerOutage(), 0.0, POLICY), 1.0, POLICY)
    assert not is_away(outage, POLICY)
    assert is_away(failed(outage, 2.0, POLICY), POLICY)
    assert not is_given_up(outage, 599.0, POLICY)
    assert is_given_up(outage, 600.0, POLICY)


def test_a_call_succeeds_once_the_service_is_back() -> None:
    async def story() -> tuple[str, Service]:
        service = Service(until=10.0)
        return await OutagePatience("it", POLICY, VirtualClock()).insist(service.call), service

    result, service = run_virtually(story())
    assert result == "done"
    assert len(service.tries) < 10, "it is not asked all the time"
    assert 10.0 <= service.tries[-1] < 20.0


@pytest.mark.parametrize("until", [0.05, 1.0, 7.3, 61.0, 599.0, 890.0])
def test_with_the_settings_as_they_come_it_is_back_within_five_seconds(until: float) -> None:
    async def story() -> Service:
        service = Service(until)
        await OutagePatience("it", OutagePolicy(), VirtualClock()).insist(service.call)
        return service

    assert 0.0 <= run_virtually(story()).tries[-1] - until <= 5.0


def test_of_many_who_wait_all_go_on_when_the_first_gets_through() -> None:
    async def story() -> list[float]:
        service, ended = Service(until=10.0), []
        patience = OutagePatience("it", POLICY, VirtualClock())

        async def one(delay: float) -> None:
            await asyncio.sleep(delay)
            await patience.insist(service.call)
            ended.append(VirtualClock().now() - START)

        await asyncio.gather(*(one(n * 1.3) for n in range(8)))
        return ended

    ended = run_virtually(story())
    assert max(ended) - min(ended) < 0.5


def test_who_waits_longer_than_the_patience_gets_the_error_and_later_ones_at_once() -> None:
    async def story() -> tuple[float, float]:
        service = Service(until=10_000.0)
        patience = OutagePatience("it", POLICY, VirtualClock())
        took = []
        for _ in range(2):
            before = VirtualClock().now()
            with pytest.raises(Away, match="nobody answers"):
                await patience.insist(service.call)
            took.append(VirtualClock().now() - before)
        return took[0], took[1]

    first, second = run_virtually(story())
    assert 600.0 <= first < 640.0
    assert second == 0.0


def test_who_is_to_end_waits_a_few_seconds_and_then_for_nothing() -> None:
    async def story() -> tuple[float, float, int]:
        service = Service(until=10_000.0)
        patience = OutagePatience("it", POLICY, VirtualClock())
        waiting = asyncio.create_task(patience.insist(service.call))
        await asyncio.sleep(60.0)
        patience.hasten(4.0)
        before, took = VirtualClock().now(), []
        with pytest.raises(Away, match="nobody answers"):
            await waiting
        took.append(VirtualClock().now() - before)
        tries = len(service.tries)
        with pytest.raises(Away, match="nobody answers"):
            await patience.insist(service.call)
        took.append(VirtualClock().now() - before)
        return took[0], took[1], len(service.tries) - tries

    first, second, tries = run_virtually(story())
    assert first == pytest.approx(4.0, abs=0.1)
    assert (second, tries) == (first, 0), "not even tried: each try may last some seconds"


def test_who_is_to_end_still_gets_what_a_service_that_is_there_answers() -> None:
    async def story() -> str:
        patience = OutagePatience("it", POLICY, VirtualClock())
        patience.hasten(1.0)
        await asyncio.sleep(5.0)
        return await patience.insist(Service(until=0.0).call)

    assert run_virtually(story()) == "done"


def test_other_errors_are_not_waited_out() -> None:
    async def story() -> None:
        await OutagePatience("it", POLICY, VirtualClock()).insist(_wrong)

    with pytest.raises(ZeroDivisionError):
        run_virtually(story())


def test_trouble_is_told_while_it_lasts() -> None:
    async def story() -> list[str]:
        patience = OutagePatience("it", POLICY, VirtualClock())
        service = Service(until=5.0)
        waiting = asyncio.create_task(patience.insist(service.call))
        told = [patience.trouble]
        await asyncio.sleep(4.0)
        told.append(patience.trouble)
        await waiting
        told.append(patience.trouble)
        return told

    assert run_virtually(story()) == ["", "nobody answers", ""]


async def _wrong() -> float:
    return 1 / 0
