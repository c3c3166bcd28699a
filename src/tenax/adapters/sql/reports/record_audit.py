"""What of records and their histories breaks a promise? Queries of the audit (FR-10)."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from tenax.adapters.sql.schema.tables import (
    handler_rates,
    jobs,
    record_history,
    records,
    targets,
)


def checks() -> dict[str, sa.Select[Any]]:
    """As those of the audit: each finds the rows that break its promise."""
    r, h = records.c, record_history.c
    newest = sa.select(h.record_id, sa.func.max(h.at).label("at")).group_by(h.record_id).subquery()
    last = (
        sa.select(record_history)
        .join(newest, sa.and_(h.record_id == newest.c.record_id, h.at == newest.c.at))
        .subquery()
    )
    its_target = sa.and_(
        targets.c.id == r.target_id, targets.c.job_id == r.job_id, targets.c.host_id == r.host_id
    )
    return {
        "every record was told of a target of its job and host": sa.select(r.id)
        .outerjoin(targets, its_target)
        .where(targets.c.id.is_(None)),
        "every state of a record belongs to one": sa.select(h.record_id)
        .outerjoin(records, r.id == h.record_id)
        .where(r.id.is_(None)),
        "the last state of a record's history is the record": sa.select(r.id)
        .outerjoin(last, last.c.record_id == r.id)
        .where(
            sa.or_(
                last.c.record_id.is_(None),
                last.c.data.is_(None) != r.gone_at.is_not(None),
                sa.and_(r.gone_at.is_(None), last.c.data != r.data),
            )
        ),
        "no record was seen or changed before it was first seen": sa.select(r.id).where(
            sa.or_(r.last_seen_at < r.first_seen_at, r.changed_at < r.first_seen_at)
        ),
        "every rate of a handler belongs to a job": sa.select(handler_rates.c.job_id)
        .outerjoin(jobs, jobs.c.id == handler_rates.c.job_id)
        .where(jobs.c.id.is_(None)),
    }
