"""Does this process get on, and has it what it needs? A stamp of activity, a look at network, disk
and memory, and a diagnosis when nothing happens (OBS-3)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

from tenax.crawl.observe.visit_log import log_event
from tenax.crawl.outages.own_network import OwnNetwork
from tenax.crawl.policy import CarePolicy
from tenax.crawl.steps import Steps
from tenax.fetch.tally import Tally
from tenax.model import Step, UnderWay
from tenax.ports import Clock, Unavailable

log = logging.getLogger(__name__)
_ANSWER = 5.0
"""Seconds that a part has to answer in when it is asked what is wrong."""
_ENOUGH = 1.2
"""So much more than the least must be free before work is claimed again."""
_NAMED = 5


class Resources(Protocol):
    """What is left of this machine."""

    def free(self) -> float | None:
        """The share of the disk; None where nobody can tell."""

    def resident(self) -> int:
        """Bytes of memory that this process has; 0 where nobody can tell."""


def stalled_since(under_way: UnderWay, now: float, policy: CarePolicy) -> float | None:
    """Since when nothing has happened, if that is too long; None while all is well. Pure.

    A visit that waits for its turn is meant to wait; a process without visits has nothing to do.
    """
    moved = [visit.since for visit in under_way.visits if visit.step is not Step.TURN]
    if not policy.stall or not moved:
        return None
    last = max(moved)
    return last if now - last >= policy.stall else None


class SelfCare:
    def __init__(
        self,
        clock: Clock,
        policy: CarePolicy,
        steps: Steps,
        tally: Tally,
        resources: Resources | None = None,
        network: OwnNetwork | None = None,
        parts: Mapping[str, Callable[[], Awaitable[object]]] | None = None,
    ) -> None:
        """`parts` are asked when nothing happens: the database, the queue."""
        self.policy = policy
        self.network = network
        self.resources = resources
        self.parts = dict(parts or {})
        self.is_full = False
        """It has taken more memory than it may, and is ending."""
        self.stalled: float | None = None
        """Since when nothing has happened, while that is too long."""
        self.diagnosis = ""
        self._clock = clock
        self._steps = steps
        self._tally = tally
        self._is_disk_low = False

    @property
    def held(self) -> str:
        """Why no work is claimed; empty while it is."""
        return " and ".join(why for why in (self.network_trouble, self.disk_trouble) if why)

    @property
    def network_trouble(self) -> str:
        return self.network.trouble if self.network is not None else ""

    @property
    def disk_trouble(self) -> str:
        if not self._is_disk_low:
            return ""
        return f"less than {self.policy.disk:.0%} of the disk is free: no work is claimed"

    @property
    def stall_trouble(self) -> str:
        if self.stalled is None:
            return ""
        seconds = self._clock.now() - self.stalled
        return f"nothing has happened for {seconds:.0f} s. {self.diagnosis}"

    async def run(
        self, hold: Callable[[], None], resume: Callable[[], None], stop: Callable[[], None]
    ) -> None:
        """Look again and again, beside the work: `hold` and `resume` it, or `stop` it for good. Of
        the network we hear as it goes: by the next look every URL in hand would be back."""
        was_held = False

        def heed() -> None:
            nonlocal was_held
            if bool(self.held) != was_held:
                was_held = not was_held
                (hold if was_held else resume)()

        heard = set() if self.network is None else self.network.heard
        heard.add(heed)
        try:
            while True:
                await self.look()
                if self.is_full:
                    stop()
                    return
                heed()
                await self._clock.sleep(self.policy.look)
        finally:
            heard.discard(heed)

    async def look(self) -> None:
        self._look_at_disk()
        self._look_at_memory()
        network = self.network
        if network is not None and network.is_away and self._clock.now() >= network.look_at:
            await network.look()
        wrong = {"network": self.network_trouble, "disk": self.disk_trouble}
        self._steps.held = tuple(name for name, why in wrong.items() if why)
        await self._look_at_visits()

    def _look_at_disk(self) -> None:
        free = self.resources.free() if self.resources is not None and self.policy.disk else None
        if free is None:
            return
        least = self.policy.disk * (_ENOUGH if self._is_disk_low else 1.0)
        was_low, self._is_disk_low = self._is_disk_low, free < least
        if self._is_disk_low and not was_low:
            log_event(log, logging.WARNING, "disk_low", free=f"{free:.1%}",
                      then="nothing is claimed until some is free, or care.disk lower")  # fmt: skip
        elif was_low and not self._is_disk_low:
            log_event(log, logging.WARNING, "disk_free", free=f"{free:.1%}",
                      then="work is claimed again")  # fmt: skip

    def _look_at_memory(self) -> None:
        limit = self.policy.memory
        if not limit or self.resources is None or self.is_full:
            return
        taken = self.resources.resident()
        if taken > limit:
            self.is_full = True
            log_event(log, logging.WARNING, "memory_full", taken=taken, limit=limit,
                      then="what is under way is finished, then it ends with code 4")  # fmt: skip

    async def _look_at_visits(self) -> None:
        under_way = self._steps.look(_EVERY)
        since = stalled_since(under_way, self._clock.now(), self.policy)
        if since is not None and self.stalled is None:
            self._tally.stalls += 1
            self.stalled = since
            self.diagnosis = await self._diagnose()
            named = [f"{visit.step} of {visit.url}" for visit in under_way.visits[:_NAMED]]
            log_event(log, logging.WARNING, "stalled", since=round(self._clock.now() - since),
                      visits=len(under_way.visits), steps=dict(under_way.steps),
                      waiting_in=", ".join(named), diagnosis=self.diagnosis)  # fmt: skip
        elif since is None and self.stalled is not None:
            log_event(log, logging.WARNING, "stall_over",
                      after=round(self._clock.now() - self.stalled))  # fmt: skip
            self.stalled, self.diagnosis = None, ""

    async def _diagnose(self) -> str:
        """What is wrong, as far as those can tell who are asked."""
        wrong = []
        if self.network is not None and not await self.network.look():
            wrong.append(self.network.trouble)
        for name, ask in self.parts.items():
            try:
                async with asyncio.timeout(_ANSWER):
                    await ask()
            except TimeoutError:
                wrong.append(f"{name}: no answer within {_ANSWER:g} s")
            except Unavailable as error:
                wrong.append(f"{name}: {error}")
        if self.disk_trouble:
            wrong.append(self.disk_trouble)
        return "; ".join(wrong) or "network, database, queue and disk are well"


_EVERY = 100_000
"""Visits looked at: all of them."""
