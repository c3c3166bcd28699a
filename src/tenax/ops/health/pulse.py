"""Is this process alive and ready? What it answers whoever runs it and wants to know."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Annotated

from msgspec import Meta, Struct

from tenax.model.knobs import Seconds, SomeSeconds
from tenax.ports import Clock, ProcessHealth, Unavailable


class HealthPolicy(Struct, frozen=True):
    port: Annotated[int, Meta(ge=0, le=65_535)] = 0
    """Where /health/live, /health/ready and /metrics are answered; 0 for nowhere."""
    host: str = "127.0.0.1"
    """The address listened on; 0.0.0.0 where probes come from outside, as Kubernetes' do."""
    limit: SomeSeconds = 2.0
    """Seconds a part has to answer in to count as there."""
    stall: Seconds = 5.0
    """Seconds the process may be late with what it meant to do and still count as ready."""


class HealthPart(Struct, frozen=True):
    """Something that this process works with."""

    ask: Callable[[], Awaitable[object]]
    """Answers in time, or the part is not there."""
    trouble: Callable[[], str] = lambda: ""
    """Why it counts as away, as far as others have found out already."""
    is_needed: bool = True
    """False where the work goes on without it."""


class Pulse:
    """Asks the parts, and notices when the event loop is held up."""

    def __init__(
        self,
        parts: Mapping[str, HealthPart],
        clock: Clock,
        policy: HealthPolicy,
        culprit: Callable[[float], str] = lambda _: "",
    ) -> None:
        """`culprit` says what took so long, if it was over after a given moment."""
        self._parts = parts
        self._clock = clock
        self._policy = policy
        self._culprit = culprit
        self._late = 0.0
        self._why = ""
        self._asked: dict[str, asyncio.Task[object]] = {}
        """Parts that have not answered yet. Nobody asks them again: a service that is away for
        hours would find thousands of questions when it is back."""

    @property
    def limit(self) -> float:
        """Seconds that a part has to answer in."""
        return self._policy.limit

    @property
    def late(self) -> float:
        """Seconds by which the event loop was last late."""
        return max(0.0, self._late)

    async def beat(self) -> None:
        """Look every second how late it is; to be run beside the work."""
        while True:
            due = self._clock.now() + 1.0
            await self._clock.sleep(1.0)
            self._late = self._clock.now() - due
            self._why = self._culprit(due) if self._late > self._policy.stall else ""

    async def health(self) -> ProcessHealth:
        found = await asyncio.gather(*(self._ask(name, part) for name, part in self._parts.items()))
        parts = dict(zip(self._parts, found, strict=True))
        is_late = self._late > self._policy.stall
        why = f": {self._why}" if self._why else ""
        parts["loop"] = f"{self._late:.1f} s late{why}" if is_late else ""
        spared = frozenset(name for name, part in self._parts.items() if not part.is_needed)
        return ProcessHealth(parts, spared)

    async def close(self) -> None:
        for task in self._asked.values():
            task.cancel()
        await asyncio.gather(*self._asked.values(), return_exceptions=True)

    def _answered(self, name: str, task: asyncio.Task[object]) -> None:
        self._asked.pop(name, None)
        if not task.cancelled():
            task.exception()  # heard, also when nobody waits for it any more

    async def _ask(self, name: str, part: HealthPart) -> str:
        task = self._asked.get(name)
        if task is None:
            task = self._asked[name] = asyncio.ensure_future(_awaited(part))
            task.add_done_callback(partial(self._answered, name))
        elif trouble := part.trouble():
            return trouble
        done, _ = await asyncio.wait((task,), timeout=self._policy.limit)
        if not done:
            return part.trouble() or f"no answer within {self._policy.limit:g} s"
        if task.cancelled():
            return "this process is ending"
        match task.exception():
            case None:
                return ""
            case Unavailable() as error:
                return str(error)
            case error:
                return f"{type(error).__name__}: {error}"


async def _awaited(part: HealthPart) -> object:
    return await part.ask()
