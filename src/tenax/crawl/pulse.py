"""Is this process alive and ready? What it answers whoever runs it and wants to know."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from tenax.ports import Clock, Unavailable


@dataclass(frozen=True, slots=True)
class HealthPolicy:
    port: int = 0
    """Where /health/live and /health/ready are answered; 0 for nowhere."""
    host: str = "127.0.0.1"
    """The address listened on; 0.0.0.0 where probes come from outside, as Kubernetes' do."""
    limit: float = 2.0
    """Seconds a part has to answer in to count as there."""
    stall: float = 5.0
    """Seconds the process may be late with what it meant to do and still count as ready."""


@dataclass(frozen=True, slots=True)
class Health:
    """Each part with what is wrong with it; empty for nothing."""

    parts: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_ready(self) -> bool:
        return not any(self.parts.values())


class Pulse:
    """Asks the parts, and notices when the event loop is held up."""

    def __init__(
        self,
        checks: Mapping[str, Callable[[], Awaitable[object]]],
        clock: Clock,
        policy: HealthPolicy,
    ) -> None:
        """A check answers in time, or its part is not there."""
        self._checks = checks
        self._clock = clock
        self._policy = policy
        self._late = 0.0

    async def beat(self) -> None:
        """Look every second how late it is; to be run beside the work."""
        while True:
            due = self._clock.now() + 1.0
            await self._clock.sleep(1.0)
            self._late = self._clock.now() - due

    async def health(self) -> Health:
        found = await asyncio.gather(*(self._ask(check) for check in self._checks.values()))
        parts = dict(zip(self._checks, found, strict=True))
        is_late = self._late > self._policy.stall
        parts["loop"] = f"{self._late:.1f} s late" if is_late else ""
        return Health(parts)

    async def _ask(self, check: Callable[[], Awaitable[object]]) -> str:
        try:
            async with asyncio.timeout(self._policy.limit):
                await check()
        except Unavailable as error:
            return str(error)
        except TimeoutError:
            return f"no answer within {self._policy.limit:g} s"
        return ""
