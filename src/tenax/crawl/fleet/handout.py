"""How much work waits in the queue, and for how long? Pure arithmetic of handing out."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from tenax.model.knobs import SECONDS, AtLeastOne, Name, Seconds, SomeSeconds


class DispatchPolicy(Struct, frozen=True):
    name: Name = "tenax"
    """What the queue is called: fleets that share a server need different names."""
    depth: AtLeastOne = 200
    """Hosts kept waiting in the queue for workers."""
    patience: Annotated[float, Meta(ge=1), SECONDS] = 30.0
    """Seconds after which a host that no worker has taken is offered anew."""
    again: Annotated[float, Meta(ge=0.1), SECONDS] = 10.0
    """Seconds after which a ticket comes back from a worker that took it and fell silent."""
    alone: Seconds = 20.0
    """Seconds of an empty queue after which an idle worker looks into the ledger itself."""
    poll: SomeSeconds = 0.02
    """How soon the scheduler looks again while there is work."""
    poll_most: SomeSeconds = 0.5
    """The longest such pause: it doubles while there is none."""
    turn: Annotated[float, Meta(ge=1), SECONDS] = 600.0
    """Seconds a Celery task keeps a host, at most: brokers lose patience with longer ones."""


def missing(waiting: int, policy: DispatchPolicy) -> int:
    """How many hosts to offer now. None for a few: a claim of one costs as much as one of ten."""
    room = policy.depth - waiting
    return room if room * 4 >= policy.depth else 0
