"""What stands against a target? The deaths of those who read it, counted with their leases.

Whoever finds a process dead finds what it was reading in its note (`adapters/local`), and counts
it in the transaction that gives its leases back: no other target pays for it (decision 0029).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine.dialects import insert_new
from tenax.adapters.sql.schema.tables import crashes, targets
from tenax.model import State
from tenax.outcome import Settlement

_is_unfinished = sa.select(targets.c.id).where(
    targets.c.id == sa.bindparam("target"),
    targets.c.state.in_([State.LEASED.value, State.PENDING.value]),
)
_count = (
    sa.update(crashes)
    .where(crashes.c.target_id == sa.bindparam("target"), crashes.c.worker != sa.bindparam("died"))
    .values(count=crashes.c.count + 1, at=sa.bindparam("found_at"), worker=sa.bindparam("died"))
)
_forget = sa.delete(crashes).where(crashes.c.target_id == sa.bindparam("target"))
_set = (
    sa.update(crashes)
    .where(crashes.c.target_id == sa.bindparam("target"))
    .values(count=sa.bindparam("stands"))
)


def count(connection: Connection, deaths: Iterable[tuple[int, str]], now: float) -> None:
    """So died processes, by name, while they read these targets: each counts once, whoever finds
    it. What is settled, or deleted, since then did not need it."""
    for target_id, name in sorted(deaths):
        if connection.execute(_is_unfinished, {"target": target_id}).first() is None:
            continue
        first = insert_new(connection, crashes).values(
            target_id=target_id, count=0, at=now, worker=""
        )
        connection.execute(first)
        connection.execute(_count, {"target": target_id, "found_at": now, "died": name})


def settle(connection: Connection, kept: Sequence[Settlement]) -> None:
    """What the visits say of it; nearly none says anything."""
    told = [each for each in kept if each.crashes is not None]
    for each in sorted(told, key=lambda each: each.target_id):
        if each.crashes:
            row = {"target": each.target_id, "stands": each.crashes}
            connection.execute(_set, row)
        else:
            connection.execute(_forget, {"target": each.target_id})
