"""Kept rejections: of those that depend on the moment many, so that `why` can tell them (URL-4);
of all others some examples for each job and reason, for whoever wonders what is refused."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine.bulk import Statement, inserting
from tenax.adapters.sql.engine.dialects import go_by_indexes
from tenax.adapters.sql.schema.tables import rejections
from tenax.model import MOMENTARY, Reason

MOST_KEPT = 10_000
"""Per job: enough to explain a surprise, too few to fill a disk."""
EXAMPLES = 20
"""Per job and reason."""
_LONGEST = 2_000
_SECRET = re.compile(r"(//|^[a-z]+:)[^/?#@]*@", re.IGNORECASE)
_insert = inserting(rejections, ("job_id", "url", "reason", "at"))
_kept = Statement(
    ("job",),
    lambda _: sa.select(sa.func.count(rejections.c.id)).where(
        rejections.c.job_id == sa.bindparam("job")
    ),
)
_kept_of = Statement(
    ("job", "why"),
    lambda _: (
        sa.select(rejections.c.url)
        .where(
            rejections.c.job_id == sa.bindparam("job"), rejections.c.reason == sa.bindparam("why")
        )
        .limit(EXAMPLES)
    ),
)


def keep(
    connection: Connection, refused: Mapping[int, Sequence[tuple[str, Reason]]], now: float
) -> None:
    for job_id, several in sorted(refused.items()):
        if not several:
            continue
        momentary = [each for each in several if each[1] in MOMENTARY]
        kept: list[tuple[str, Reason]] = []
        if momentary:
            ((count,),) = _kept.run(connection, job_id)
            kept += momentary[: max(0, MOST_KEPT - count)]
        for reason in {reason for _, reason in several if reason not in MOMENTARY}:
            known = [url for (url,) in _kept_of.run(connection, job_id, reason.value)]
            # Each once: the link to a neighbour at the foot of every page is one example.
            shown = dict.fromkeys(_shown(url) for url, why in several if why is reason)
            new = [url for url in shown if url not in known]
            kept += [(url, reason) for url in new[: max(0, EXAMPLES - len(known))]]
        rows: list[tuple[Any, ...]] = [(job_id, url, reason.value, now) for url, reason in kept]
        _insert.run(connection, rows)


def _shown(url: str) -> str:
    """As it may be kept: a link may be anything, also very long, or somebody's password."""
    shown = _SECRET.sub(r"\1***@", url[:_LONGEST].replace("\0", "\ufffd"))
    return shown.encode("utf-8", "replace").decode()


def examples(
    connection: Connection, job_id: int, reason: Reason, before: int | None, limit: int
) -> list[tuple[int, str, float]]:
    """(id, URL, when), the latest first; those before this one."""
    query = (
        sa.select(rejections.c.id, rejections.c.url, rejections.c.at)
        .where(rejections.c.job_id == job_id, rejections.c.reason == reason.value)
        .order_by(rejections.c.id.desc())
        .limit(limit)
    )
    if before is not None:
        query = query.where(rejections.c.id < before)
    go_by_indexes(connection)
    return [(id, url, at) for id, url, at in connection.execute(query)]
