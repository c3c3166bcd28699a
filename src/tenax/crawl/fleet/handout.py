"""How much work waits in the queue, and for how long? Pure arithmetic of handing out."""

from __future__ import annotations

from msgspec import Struct


class DispatchPolicy(Struct, frozen=True):
    name: str = "tenax"
    """What the queue is called: fleets that share a server need different names."""
    depth: int = 200
    """Hosts kept waiting in the queue for workers."""
    patience: float = 30.0
    """Seconds after which a host that no worker has taken is offered anew."""
    again: float = 10.0
    """Seconds after which a ticket comes back from a worker that took it and fell silent."""
    alone: float = 20.0
    """Seconds of an empty queue after which an idle worker looks into the ledger itself."""
    poll: float = 0.02
    """How soon the scheduler looks again while there is work."""
    poll_most: float = 0.5
    """The longest such pause: it doubles while there is none."""
    turn: float = 600.0
    """Seconds a Celery task keeps a host, at most: brokers lose patience with longer ones."""


def missing(waiting: int, policy: DispatchPolicy) -> int:
    """How many hosts to offer now. None for a few: a claim of one costs as much as one of ten."""
    room = policy.depth - waiting
    return room if room * 4 >= policy.depth else 0
