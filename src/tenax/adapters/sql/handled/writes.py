"""The record rows of a commit: what its visits' handlers told, and the events of what changed."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy.engine import Connection

from tenax.adapters.sql.handled.notes import note, release
from tenax.adapters.sql.records import outbox
from tenax.crawl.event import Telling
from tenax.model import EventKind
from tenax.outcome import Settlement
from tenax.ports.handled import HandledSighting


def write(
    connection: Connection,
    settlements: Sequence[Settlement],
    gone: Sequence[int],
    dropped: Sequence[int],
    now: float,
    telling: Telling | None,
) -> None:
    """What these visits say of records; pages of these targets are `gone`, or ask not to be kept
    any more: those are `dropped`, and their records with them."""
    seen = [
        HandledSighting(s.target_id, s.attempt.at if s.attempt else now, s.handled)
        for s in settlements
        if s.handled is not None
    ]
    if dropped:
        release(connection, dropped)
    if not seen and not gone:
        return
    noted = note(connection, seen, gone, now)
    if telling is not None and noted.changes and telling.wants(EventKind.RECORD):
        hashes = {s.target_id: s.url_hash for s in settlements}
        outbox.write_records(connection, noted.changes, hashes, now)
