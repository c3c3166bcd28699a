"""What targets send where their URL is not only asked for: written as they are added, read with
their lease. Of a batch or a lease without any, nothing is asked."""

from __future__ import annotations

from collections.abc import Iterable

import sqlalchemy as sa
from msgspec.structs import replace
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine.bulk import Lookup
from tenax.adapters.sql.engine.dialects import insert_new
from tenax.adapters.sql.schema.tables import posts, targets
from tenax.model import LeasedTarget, Role, Sends, Target
from tenax.urls.normalise import url_key

ROLE = Role.POSTED
"""Of targets that send something."""
_of_targets = Lookup(
    sa.select(posts.c.target_id, posts.c.body, posts.c.content_type), posts.c.target_id
)


def write(connection: Connection, host_id: int, job_id: int, added: Iterable[Target]) -> None:
    """For those of these that send something; behind their own rows, in one order."""
    for target in sorted(added, key=lambda target: target.key):
        if target.sends is None:
            continue
        itself = sa.select(
            targets.c.id,
            sa.literal(url_key(target.identity), posts.c.url_key.type),
            sa.literal(target.sends.content_type, sa.Text),
            sa.literal(target.sends.body, sa.Text),
        ).where(
            targets.c.host_id == host_id,
            targets.c.job_id == job_id,
            targets.c.key == target.key,
        )
        columns = ["target_id", "url_key", "content_type", "body"]
        connection.execute(insert_new(connection, posts).from_select(columns, itself))


def with_sends(connection: Connection, leased: list[LeasedTarget]) -> list[LeasedTarget]:
    """The same, each with what it sends."""
    asked = [target.id for target in leased if target.role is ROLE]
    if not asked:
        return leased
    sent = {
        id: Sends(body, content_type)
        for id, body, content_type in _of_targets.run(connection, asked)
    }
    return [
        replace(target, sends=sent[target.id]) if target.id in sent else target for target in leased
    ]
