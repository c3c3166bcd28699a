"""Resumable passes over all targets of a job. A step is claimed by compare-and-set in the
transaction that does its work.

Any process takes the next step, and each step also says how far it got: so none is taken twice,
and none is left out after a crash.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine.bulk import Lookup
from tenax.adapters.sql.engine.dialects import dialect_insert
from tenax.adapters.sql.schema.tables import targets, walks

_under_way = Lookup(
    sa.select(walks.c.job_id, walks.c.kind, walks.c.after, walks.c.last).order_by(walks.c.job_id),
    walks.c.job_id,
)


class PassKind(StrEnum):
    RUN = "run"
    """A scheduled run begins: all that was visited is due again."""
    PLAN = "plan"
    """The job recrawls from now on: what it has visited is planned to be visited again."""


class Walk(Struct, frozen=True):
    job_id: int
    kind: PassKind
    after: int
    """The last target that was passed."""
    last: int
    """The newest there was when it began: what is found later has just been visited."""


def begin(connection: Connection, job_id: int, kind: PassKind) -> None:
    """From the first target on, also where one is under way."""
    last = connection.execute(sa.select(sa.func.max(targets.c.id))).scalar() or 0
    insert = dialect_insert(connection, walks)
    connection.execute(
        insert.on_conflict_do_update(
            index_elements=["job_id", "kind"], set_={"after": 0, "last": insert.excluded.last}
        ),
        {"job_id": job_id, "kind": kind.value, "after": 0, "last": last},
    )


def end(connection: Connection, job_id: int, kind: PassKind) -> None:
    connection.execute(sa.delete(walks).where(walks.c.job_id == job_id, walks.c.kind == kind.value))


def under_way(connection: Connection, job_ids: Sequence[int]) -> list[Walk]:
    rows = _under_way.run(connection, job_ids)
    return [Walk(job_id, PassKind(kind), after, last) for job_id, kind, after, last in rows]


def step(connection: Connection, walk: Walk, to: int) -> bool:
    """Claim the way up to this target; False when somebody else has taken this step."""
    here = sa.and_(
        walks.c.job_id == walk.job_id, walks.c.kind == walk.kind.value, walks.c.after == walk.after
    )
    if to >= walk.last:
        return connection.execute(sa.delete(walks).where(here)).rowcount > 0
    return connection.execute(sa.update(walks).where(here).values(after=to)).rowcount > 0
