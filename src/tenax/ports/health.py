"""What does a prober ask of this process? Whether it lives, and what is wrong with its parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from msgspec import Struct, field


class ProcessHealth(Struct, frozen=True):
    """Each part with what is wrong with it; empty for nothing."""

    parts: Mapping[str, str] = field(default_factory=dict)
    spared: frozenset[str] = frozenset()
    """Those of them that the work goes on without."""

    @property
    def is_ready(self) -> bool:
        return not any(wrong for name, wrong in self.parts.items() if name not in self.spared)

    @property
    def is_whole(self) -> bool:
        return not any(self.parts.values())


class HealthCheck(Protocol):
    """Whoever knows how this process is."""

    async def beat(self) -> None:
        """Notice when the process is held up; to be run beside the work."""

    async def health(self) -> ProcessHealth: ...

    async def close(self) -> None: ...
