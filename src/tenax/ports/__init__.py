"""Everything we ask of the outside world.

Adapters raise `Unavailable` when our own infrastructure fails; nothing the web does raises.
"""

from __future__ import annotations

from tenax.ports.checks import (
    Auditor,
    Finding,
    HealthCheck,
    LedgerFacts,
    Library,
    ProcessHealth,
    RedisFacts,
    ServerFacts,
)
from tenax.ports.events import Backlog, EventSink, EventSource, Outbox, Received
from tenax.ports.frontier import (
    REVISIT,
    Added,
    Committed,
    Frontier,
    JobAdded,
    Refill,
    ShapeCounts,
)
from tenax.ports.guard import (
    Denied,
    Granted,
    Start,
    StartGuard,
)
from tenax.ports.intake import IntakeQueue, Shelf, Unwanted
from tenax.ports.queue import Ticket, WorkQueue
from tenax.ports.records import (
    Counts,
    DeadLetter,
    DeadLetters,
    Deleted,
    HostBook,
    HostRecord,
    JobProgress,
    Jobs,
    Letters,
    PageRecord,
    Pages,
    Proxies,
    Queue,
    RobotsStore,
    Rules,
    ShapeRecord,
    TargetRecord,
)
from tenax.ports.world import (
    Clock,
    ContentStock,
    ContentStore,
    Names,
    Transport,
    Unavailable,
    Unusable,
)

__all__ = [
    "REVISIT",
    "Added",
    "Auditor",
    "Backlog",
    "Clock",
    "Committed",
    "ContentStock",
    "ContentStore",
    "Counts",
    "DeadLetter",
    "DeadLetters",
    "Deleted",
    "Denied",
    "EventSink",
    "EventSource",
    "Finding",
    "Frontier",
    "Granted",
    "HealthCheck",
    "HostBook",
    "HostRecord",
    "IntakeQueue",
    "JobAdded",
    "JobProgress",
    "Jobs",
    "LedgerFacts",
    "Letters",
    "Library",
    "Names",
    "Outbox",
    "PageRecord",
    "Pages",
    "ProcessHealth",
    "Proxies",
    "Queue",
    "Received",
    "RedisFacts",
    "Refill",
    "RobotsStore",
    "Rules",
    "ServerFacts",
    "ShapeCounts",
    "ShapeRecord",
    "Shelf",
    "Start",
    "StartGuard",
    "TargetRecord",
    "Ticket",
    "Transport",
    "Unavailable",
    "Unusable",
    "Unwanted",
    "WorkQueue",
]
