"""The prepared statements of a commit: bulk inserts, updates and upserts of what visits changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine import codec
from tenax.adapters.sql.engine.bulk import Bulk, Lookup, inserting, of_rows
from tenax.adapters.sql.engine.dialects import dialect_insert
from tenax.adapters.sql.schema.tables import (
    assignments,
    attempts,
    dead_letters,
    hosts,
    jobs,
    lanes,
    targets,
)
from tenax.model import State, Target
from tenax.urls.priority import LEAST

# Part of the statement's text: a Bulk binds what its rows bring and nothing else.
_LOWEST: sa.ColumnElement[int] = sa.literal_column(str(LEAST), sa.Integer)

leases = Lookup(
    sa.select(
        targets.c.id, targets.c.lease_id, targets.c.attempts, targets.c.pushed_at, targets.c.host_id
    ),
    targets.c.id,
)
hosts_by_id = Lookup(
    sa.select(hosts.c.id, hosts.c.name, hosts.c.origin, hosts.c.paused, hosts.c.state), hosts.c.id
)
hosts_by_name = Lookup(sa.select(hosts.c.name, hosts.c.id, hosts.c.origin), hosts.c.name)
held_alone = Lookup(
    sa.select(assignments.c.host_id, assignments.c.expires_at).where(assignments.c.exclusive),
    assignments.c.host_id,
)
# Locked, or the job could be deleted before what is added to it is there.
specs = Lookup(
    sa.select(jobs.c.id, jobs.c.spec)
    .order_by(jobs.c.id)
    .with_for_update(read=True, key_share=True),
    jobs.c.id,
)
settle_targets = Bulk(
    ("new_state", "sunk", "due", "spent", "why", "rare", "ended", "because", "target"),
    lambda _: (
        sa.update(targets)
        .where(targets.c.id == sa.bindparam("target"))
        .values(
            state=sa.bindparam("new_state"),
            priority=sa.case(
                (targets.c.priority + sa.bindparam("sunk") > _LOWEST, _LOWEST),
                else_=targets.c.priority + sa.bindparam("sunk"),
            ),
            due_at=sa.bindparam("due"),
            attempts=sa.bindparam("spent"),
            lease_id=sa.null(),
            reason=sa.bindparam("why"),
            rare=sa.bindparam("rare"),
            outcome=sa.bindparam("ended"),
            cause=sa.bindparam("because"),
            pushed_at=sa.null(),
        )
    ),
)
save_hosts = Bulk(
    ("known", "host"),
    lambda _: (
        sa.update(hosts)
        .where(hosts.c.id == sa.bindparam("host"))
        .values(state=sa.bindparam("known"))
    ),
)
# Apart from that: naming it would write its index anew for every page.
mark_hosts = Bulk(
    ("is_troubled", "host"),
    lambda _: (
        sa.update(hosts)
        .where(hosts.c.id == sa.bindparam("host"))
        .values(troubled=sa.bindparam("is_troubled"))
    ),
)
note_look = Bulk(
    ("at", "host", "job"),
    lambda _: (
        sa.update(lanes)
        .where(lanes.c.host_id == sa.bindparam("host"), lanes.c.job_id == sa.bindparam("job"))
        .values(looked_at=sa.bindparam("at"))
    ),
)
insert_targets = inserting(
    targets,
    ("job_id", "host_id", "key", "url", "state", "priority", "depth", "due_at", "found_on", "role",
     "found_at"),
    new_only=True,
    group="host_id",
    unique=("host_id", "job_id", "key"),
)  # fmt: skip


def _lane_upsert(connection: Connection) -> sa.Insert:
    """Count what is new in a lane, making it where there is none."""
    insert = of_rows(connection, dialect_insert(connection, lanes), _LANE)
    upsert: sa.Insert = insert.on_conflict_do_update(
        index_elements=["host_id", "job_id"],
        set_={"known": lanes.c.known + insert.excluded.known},
    )
    return upsert


_LANE = ("host_id", "job_id", "known", "ready_at")
count_lanes = Bulk(_LANE, _lane_upsert)
# Apart from the counting: naming `ready_at` there would write its index anew for every page.
open_lanes = Bulk(
    ("opens", "host", "job"),
    lambda _: (
        sa.update(lanes)
        .where(
            lanes.c.host_id == sa.bindparam("host"),
            lanes.c.job_id == sa.bindparam("job"),
            sa.or_(lanes.c.ready_at.is_(None), lanes.c.ready_at > sa.bindparam("opens")),
        )
        .values(ready_at=sa.bindparam("opens"))
    ),
)
count_pages = Bulk(
    ("more", "host", "job"),
    lambda _: (
        sa.update(lanes)
        .where(lanes.c.host_id == sa.bindparam("host"), lanes.c.job_id == sa.bindparam("job"))
        .values(pages=lanes.c.pages + sa.bindparam("more"))
    ),
)
insert_hosts = inserting(hosts, ("name", "origin", "state"), new_only=True)
insert_attempts = inserting(attempts, [c.name for c in attempts.c if c.name != "id"])
insert_letters = Bulk(
    ("at", "fault", "tries", "told", "target"),
    lambda _: sa.insert(dead_letters).from_select(
        ["target_id", "job_id", "host_id", "at", "fault", "attempts", "detail"],
        sa.select(
            targets.c.id,
            targets.c.job_id,
            targets.c.host_id,
            sa.bindparam("at", type_=sa.Double),
            sa.bindparam("fault", type_=sa.String),
            sa.bindparam("tries", type_=sa.Integer),
            sa.bindparam("told", type_=sa.Text),
        ).where(targets.c.id == sa.bindparam("target")),
    ),
)


def target_rows(
    job_id: int, host_id: int, origin: str, wanted: Sequence[Target], now: int
) -> list[tuple[Any, ...]]:
    """New targets, for `insert_targets`."""
    pending = State.PENDING.value
    return [
        (job_id, host_id, t.key, codec.short_url(t.url, origin), pending, t.priority, t.depth,
         t.due_at, t.found_on, t.role or None, now)
        for t in wanted
    ]  # fmt: skip
