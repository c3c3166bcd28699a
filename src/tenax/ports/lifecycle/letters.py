"""Where is what was given up, until a person has it tried again or lets it go?"""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct


class DeadLetter(Struct, frozen=True):
    """A target given up, for a person to look at. Its history is `Pages.attempts`."""

    target_id: int
    job: str
    url: str
    host: str
    at: float
    """When it was given up."""
    fault: str
    """The word of its `Fault`."""
    reason: str
    attempts: int
    """Tries it had; those before it was last returned do not count."""
    detail: str = ""
    """What the reason says beyond the fault."""


class Letters(Struct, frozen=True):
    """Which dead letters: those that meet everything named here."""

    job: str | None = None
    host: str | None = None
    fault: str | None = None
    contains: str = ""
    """Looked for in URL and reason, whatever the case."""
    ids: tuple[int, ...] | None = None
    """Of targets; None for any."""


class DeadLetters(Protocol):
    """What was given up, until it is returned or purged (FE-8)."""

    async def find(
        self, which: Letters, after: tuple[float, int] | None = None, limit: int = 100
    ) -> list[DeadLetter]:
        """The latest first; `after` is (`at`, `target_id`) of the last one seen."""

    async def counts(self, which: Letters) -> dict[str, int]:
        """How many of each fault, the commonest first."""

    async def give_back(self, which: Letters) -> dict[str, int]:
        """Make their targets pending, due at once, with all attempts; how many, by job.

        A job that was done is stopped then: it has work again.
        """

    async def purge(self, which: Letters) -> dict[str, int]:
        """Forget the letters; the targets stay failed. How many, by job."""
