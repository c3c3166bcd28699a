"""Bodies wait for a store that is away; who only wants to read one does not."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

import pytest

from tenax.crawl.outages import outage
from tenax.crawl.outages.outage import OutagePatience, OutagePolicy
from tenax.crawl.outages.patient_store import PatientShelf, PatientStore
from tenax.ports import Unavailable
from tenax.testing import VirtualClock, run_virtually


class Away:
    """A store that is back at some time."""

    def __init__(self, clock: VirtualClock, back_at: float) -> None:
        self._clock = clock
        self._back_at = back_at
        self.stored: list[tuple[bytes, ...]] = []

    async def put(self, bodies: Iterable[tuple[bytes, ...]]) -> None:
        self._look()
        self.stored += bodies

    async def renew(self, pages: Sequence[tuple[bytes, bytes]]) -> list[bool]:
        self._look()
        return [True] * len(pages)

    async def get(self, digest: bytes) -> bytes | None:
        self._look()
        return None

    async def missing(self, digests: Iterable[bytes]) -> list[bytes]:
        self._look()
        return []

    async def close(self) -> None:
        pass

    def _look(self) -> None:
        if self._clock.now() < self._back_at:
            raise Unavailable("the store is away")


def test_a_body_is_put_as_soon_as_the_store_is_back() -> None:
    async def main() -> None:
        clock = VirtualClock()
        away = Away(clock, clock.now() + 60)
        patience = OutagePatience("it", OutagePolicy(longest=1.0), clock)
        begun = clock.now()
        # Generators are read once, however often they are put.
        await PatientShelf(away, patience).put(page for page in [(b"u", b"d", b"body")])
        await PatientStore(away, patience).put(pair for pair in [(b"d", b"body")])
        assert 60 <= clock.now() - begun <= 61
        assert away.stored == [(b"u", b"d", b"body"), (b"d", b"body")]

    run_virtually(main())


def test_who_confirms_a_body_waits_for_the_store_too() -> None:
    async def main() -> None:
        clock = VirtualClock()
        away = Away(clock, clock.now() + 60)
        shelf = PatientShelf(away, OutagePatience("it", OutagePolicy(longest=1.0), clock))
        assert await shelf.renew([(b"u", b"d")]) == [True]

    run_virtually(main())


def test_nobody_waits_for_ever() -> None:
    async def main() -> None:
        clock = VirtualClock()
        patience = OutagePatience("it", OutagePolicy(patience=120), clock)
        with pytest.raises(Unavailable, match="the store is away"):
            await PatientStore(Away(clock, clock.now() + 1e9), patience).put([(b"d", b"body")])

    run_virtually(main())


def test_who_reads_is_told_at_once() -> None:
    async def main() -> None:
        clock = VirtualClock()
        patience = OutagePatience("it", OutagePolicy(), clock)
        store = PatientStore(Away(clock, clock.now() + 60), patience)
        begun = clock.now()
        with pytest.raises(Unavailable):
            await store.get(b"d")
        with pytest.raises(Unavailable):
            await store.missing([b"d"])
        assert clock.now() == begun

    run_virtually(main())


class Hanging(Away):
    """A store that takes everything and says nothing."""

    def __init__(self) -> None:
        self.asked = 0

    def _look(self) -> None:
        raise AssertionError("it answers nobody")

    async def put(self, bodies: Iterable[tuple[bytes, ...]]) -> None:
        await self.get(b"")

    async def get(self, digest: bytes) -> bytes | None:
        self.asked += 1
        await asyncio.get_running_loop().create_future()
        return None

    async def missing(self, digests: Iterable[bytes]) -> list[bytes]:
        await self.get(b"")
        return []


@pytest.mark.parametrize("ask", ["put", "get", "missing"])
def test_who_is_to_end_leaves_a_store_that_says_nothing(ask: str) -> None:
    async def main() -> None:
        clock, hanging = VirtualClock(), Hanging()
        store = PatientStore(hanging, OutagePatience("it", OutagePolicy(), clock))

        async def call() -> None:
            match ask:
                case "put":
                    await store.put([(b"d", b"body")])
                case "get":
                    await store.get(b"d")
                case _:
                    await store.missing([b"d"])

        begun = clock.now()
        asking = asyncio.create_task(call())
        await clock.sleep(100)
        assert not asking.done(), "nobody is in a hurry"
        store.hasten(4.0)
        store.hasten(4.0)
        with pytest.raises(outage.Away, match="told to end"):
            await asking
        assert clock.now() - begun == pytest.approx(104)
        for _ in range(3):
            with pytest.raises(outage.Away, match="told to end"):
                await call()
        assert hanging.asked == 1
        assert clock.now() - begun == pytest.approx(104)

    run_virtually(main())


def test_what_begins_when_we_are_to_end_has_the_same_time() -> None:
    async def main() -> None:
        clock = VirtualClock()
        store = PatientStore(Hanging(), OutagePatience("it", OutagePolicy(), clock))
        store.hasten(4.0)
        await clock.sleep(3)
        begun = clock.now()
        with pytest.raises(outage.Away, match="told to end"):
            await store.put([(b"d", b"body")])
        assert clock.now() - begun == pytest.approx(4)

    run_virtually(main())
