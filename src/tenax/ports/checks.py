"""What do we ask when something may be wrong? The audit, how a process is, facts for `doctor`,
and what was given up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from msgspec import Struct, field


class Finding(Struct, frozen=True):
    """Something the audit found wrong: which promise, and the rows that break it."""

    promise: str
    rows: tuple[str, ...]
    count: int


class Auditor(Protocol):
    async def audit(self) -> list[Finding]:
        """Check conservation (FR-10); empty when the ledger is whole."""


class Library(Struct, frozen=True):
    """One of the libraries we stand on."""

    name: str
    version: str | None
    """None when it is not installed."""
    error: str = ""
    """Why it cannot be loaded; empty when it can."""


class LedgerFacts(Struct, frozen=True):
    """What a look at the ledger's file told, without opening it as a ledger."""

    path: str
    exists: bool
    revision: str | None = None
    known_revision: str = ""
    size: int = 0
    error: str = ""
    """What opening or checking it ran into; empty when it is sound as far as looked at."""
    is_complete: bool = True
    """False when the check was cut off: the ledger is too large to be read through now."""
    changed_at: float = 0.0
    on_server: bool = False
    """Whether it is a database on a server: its errors say what to do."""
    version: str = ""
    """Of that server."""


class ServerFacts(Struct, frozen=True):
    """One of our servers, as somebody found it who asked it for something."""

    name: str
    """What it is to us: the queue, say."""
    place: str
    """Where it is, without secrets."""
    error: str = ""
    """Why it cannot be had, and what to do; empty when it can."""
    remark: str = ""
    """What a person should know although it can."""


class RedisFacts(Struct, frozen=True):
    """What a Redis says of itself."""

    place: str
    version: str = ""
    policy: str = ""
    """What it does when its memory is full."""
    error: str = ""
    """Why it cannot be had, and what to do; empty when it can."""


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


MetricLabels = tuple[tuple[str, str], ...]


class MetricBuckets(Struct, frozen=True):
    """How many values were no larger than each bound, and the sum of all."""

    labels: MetricLabels
    bounds: tuple[tuple[float, int], ...]
    total: float


class MetricSeries(Struct, frozen=True):
    """A measure, as whoever scrapes us is told of it (OBS-1)."""

    name: str
    kind: str
    """counter, gauge or histogram."""
    help: str
    values: tuple[tuple[MetricLabels, float], ...] = ()
    buckets: tuple[MetricBuckets, ...] = ()
    """Of a histogram."""


class AlertRecord(Struct, frozen=True):
    """A trouble that somebody may have to know of (OBS-4)."""

    id: int
    what: str
    about: str
    """Which worker, site or sink; empty for all together."""
    told: str
    value: float
    since: float
    """When it began."""
    raised_at: float | None = None
    """When it had lasted long enough; None before."""
    cleared_at: float | None = None
    silent_until: float = 0.0
    """Until then nobody is told of it."""
    heard: frozenset[str] = frozenset()
    """Who was told of what: `raised:mail`."""


class AlertBook(Protocol):
    async def hold(self, holder: str, seconds: float) -> bool:
        """Whether it is this one who looks, for so long."""

    async def open(self) -> list[AlertRecord]:
        """Those not over yet, raised or not."""

    async def write(
        self,
        new: Sequence[AlertRecord],
        changed: Sequence[AlertRecord],
        over: Sequence[int],
    ) -> None:
        """In one transaction; those that were over before they were raised are forgotten."""

    async def raise_once(self, record: AlertRecord, since: float) -> bool:
        """Write this one, unless one like it was raised since then, whoever else does the same."""

    async def untold(self, sinks: Sequence[str]) -> list[AlertRecord]:
        """Raised ones, and those cleared within a day, of which one of these may not know."""

    async def heard(self, id: int, what: str) -> None: ...

    async def silence(self, id: int, until: float) -> bool:
        """Tell nobody of it until then; False when there is no such alert."""

    async def latest(self, before: int | None, most: int, open_only: bool) -> list[AlertRecord]:
        """Raised ones, the latest first, those before this number."""


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

    async def count(self, most: int) -> int:
        """How many there are; `most` where there are more."""

    async def give_back(self, which: Letters) -> dict[str, int]:
        """Make their targets pending, due at once, with all attempts; how many, by job.

        A job that was done is stopped then: it has work again.
        """

    async def purge(self, which: Letters) -> dict[str, int]:
        """Forget the letters; the targets stay failed. How many, by job."""
