"""Everything we ask of the outside world.

Adapters raise `Unavailable` when our own infrastructure fails; nothing the web does raises.
"""

from __future__ import annotations

from tenax.ports.checks import (
    Auditor,
    Finding,
    LedgerFacts,
    Library,
)
from tenax.ports.frontier import (
    REVISIT,
    Added,
    Committed,
    Frontier,
    Refill,
)
from tenax.ports.records import (
    Counts,
    DeadLetter,
    DeadLetters,
    HostBook,
    HostRecord,
    Jobs,
    Letters,
    PageRecord,
    Pages,
    Proxies,
    RobotsStore,
    TargetRecord,
)
from tenax.ports.world import (
    Clock,
    ContentStore,
    Transport,
    Unavailable,
)

__all__ = [
    "REVISIT",
    "Added",
    "Auditor",
    "Clock",
    "Committed",
    "ContentStore",
    "Counts",
    "DeadLetter",
    "DeadLetters",
    "Finding",
    "Frontier",
    "HostBook",
    "HostRecord",
    "Jobs",
    "LedgerFacts",
    "Letters",
    "Library",
    "PageRecord",
    "Pages",
    "Proxies",
    "Refill",
    "RobotsStore",
    "TargetRecord",
    "Transport",
    "Unavailable",
]
