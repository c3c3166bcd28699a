"""Which guards is the port's contract tried on? One in memory for simulations, and the real one."""

from __future__ import annotations

from dataclasses import dataclass, field

from tenax.ports import Clock, Denied, Granted, Start

HOLD = 30.0


@dataclass
class MemoryGuard:
    """For workers that are only simulated: they share this object, and its time."""

    clock: Clock
    under_way: dict[str, dict[str, float]] = field(default_factory=dict)
    next_at: dict[str, float] = field(default_factory=dict)
    shut_until: dict[str, tuple[float, str]] = field(default_factory=dict)
    taken: list[tuple[str, float]] = field(default_factory=list)
    is_down: bool = False

    async def take(self, start: Start) -> Granted | Denied:
        now = self.clock.now()
        if self.is_down:
            return Granted(float("inf"))
        until, why = self.shut_until.get(start.host, (0.0, ""))
        if until > now:
            return Denied(until - now, why)
        running = {id: end for id, end in self.under_way.get(start.unit, {}).items() if end > now}
        self.under_way[start.unit] = running
        if start.id in running:
            return Granted(HOLD)
        if (next_at := self.next_at.get(start.unit, 0.0)) > now:
            return Denied(next_at - now)
        if (start.delay > 0 and running) or len(running) >= start.slots:
            return Denied(min(min(running.values()) - now, max(start.delay, 0.05)))
        running[start.id] = now + start.delay + HOLD
        self.taken.append((start.unit, now))
        return Granted(HOLD)

    def over(self, start: Start, ago: float | None) -> None:
        self.under_way.get(start.unit, {}).pop(start.id, None)
        if ago is not None and start.delay > 0 and not self.is_down:
            after = self.clock.now() - ago + start.delay
            self.next_at[start.unit] = max(self.next_at.get(start.unit, 0.0), after)

    def shut(self, host: str, seconds: float, why: str) -> None:
        until = self.clock.now() + seconds
        if until > self.shut_until.get(host, (0.0, ""))[0] and not self.is_down:
            self.shut_until[host] = (until, why)

    async def reopen(self, host: str) -> None:
        self.shut_until.pop(host, None)

    async def close(self) -> None:
        pass
