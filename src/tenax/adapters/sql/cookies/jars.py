"""Cookie jars in the ledger: read with the lease of their host, written with the visits there.

Whoever writes holds the host's row, so two never write one jar at once. Of a host that several
hold, each goes on with its own, and what was written last is what the next one begins with.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine.bulk import Bulk, Lookup, Statement, of_rows
from tenax.adapters.sql.engine.dialects import dialect_insert
from tenax.adapters.sql.schema.tables import cookies, jobs
from tenax.model import CookieNames
from tenax.outcome import Settlement

Jars = tuple[tuple[int, bytes], ...]

_ROW = ("host_id", "job_id", "names", "jar", "changed_at")


def _upsert(connection: Connection) -> sa.Insert:
    insert = of_rows(connection, dialect_insert(connection, cookies), _ROW)
    changed = {name: insert.excluded[name] for name in _ROW[2:]}
    upsert: sa.Insert = insert.on_conflict_do_update(
        index_elements=["host_id", "job_id"], set_=changed
    )
    return upsert


_keep = Bulk(_ROW, _upsert)
_drop = Statement(
    ("host", "job"),
    lambda _: sa.delete(cookies).where(
        cookies.c.host_id == sa.bindparam("host"), cookies.c.job_id == sa.bindparam("job")
    ),
)
_at_hosts = Lookup(sa.select(cookies.c.host_id, cookies.c.job_id, cookies.c.jar), cookies.c.host_id)


def write(connection: Connection, kept: Iterable[Settlement], now: float) -> None:
    """What the visits changed; each knows what those before it have set, so the last one speaks
    for all of its job and host."""
    new = {(s.host.id, s.job_id): s.cookies for s in kept if s.cookies is not None and s.host}
    if not new:
        return
    rows = [
        (*place, msgspec.json.encode(jar.names).decode(), jar.sealed, now)
        for place, jar in sorted(new.items())
        if jar.sealed
    ]
    _keep.run(connection, rows)
    for place, jar in new.items():
        if not jar.sealed:
            _drop.run(connection, *place)


def at_hosts(connection: Connection, host_ids: Sequence[int]) -> dict[int, Jars]:
    found: dict[int, Jars] = defaultdict(tuple)
    for host_id, job_id, jar in _at_hosts.run(connection, host_ids):
        found[host_id] += ((job_id, bytes(jar)),)
    return found


def names_at(connection: Connection, host_id: int) -> list[CookieNames]:
    rows = connection.execute(
        sa.select(jobs.c.id, jobs.c.name, cookies.c.names, cookies.c.changed_at)
        .join(jobs, jobs.c.id == cookies.c.job_id)
        .where(cookies.c.host_id == host_id)
        .order_by(jobs.c.id)
    )
    return [
        CookieNames(row.id, row.name, tuple(msgspec.json.decode(row.names)), row.changed_at)
        for row in rows
    ]
