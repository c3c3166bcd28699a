"""Proxies, the one an attempt went through, and dead letters for what has failed so far."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

FAULTS = (
    "dns", "connect_refused", "connect_timeout", "read_timeout", "reset", "tls", "protocol",
    "too_large", "too_many_redirects", "proxy", "client_error", "server_error", "bad_gateway",
    "encoding", "internal",
)  # fmt: skip
"""Those of the day: the reason of a failed target begins with one."""


def upgrade() -> None:
    op.add_column("pages", sa.Column("checked_at", sa.Double(), nullable=True))
    op.add_column("pages", sa.Column("stale", sa.String(), nullable=True))
    op.create_table(
        "proxies",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("group_name", sa.String(), nullable=False),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("scheme", sa.String(), nullable=False),
        sa.Column("host", sa.String(), nullable=False),
        sa.Column("port", sa.Integer(), nullable=False),
        sa.Column("secret", sa.LargeBinary(), nullable=True),
        sa.Column("state", sa.Text(), server_default="{}", nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("name"),
        sqlite_autoincrement=True,
    )
    op.add_column("attempts", sa.Column("proxy", sa.String(), nullable=True))
    op.create_table(
        "dead_letters",
        sa.Column("target_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("job_id", sa.Integer(), nullable=False),
        sa.Column("host_id", sa.Integer(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("fault", sa.String(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("target_id"),
    )
    _bury_the_failed()
    place = ["at", "target_id"]
    op.create_index("dead_letters_at", "dead_letters", place)
    op.create_index("dead_letters_job", "dead_letters", ["job_id", *place])
    op.create_index("dead_letters_host", "dead_letters", ["host_id", *place])
    op.create_index("dead_letters_fault", "dead_letters", ["fault", *place])


def _bury_the_failed() -> None:
    """One statement, whatever their number; `failed` where the reason names no fault."""
    targets = sa.table("targets", *map(sa.column, ("id", "job_id", "host_id", "state", "reason")))
    tries = sa.table("attempts", *map(sa.column, ("target_id", "at", "outcome")))
    jobs = sa.table("jobs", *map(sa.column, ("id", "created_at")))
    columns = ("target_id", "job_id", "host_id", "at", "fault", "attempts")
    letters = sa.table("dead_letters", *map(sa.column, columns))
    reason = sa.cast(targets.c.reason, sa.Text)
    of_target = tries.c.target_id == targets.c.id
    at = sa.select(sa.func.max(tries.c.at)).where(of_target).scalar_subquery()
    spent = sa.select(sa.func.count()).where(of_target, tries.c.outcome == "failed")
    fault = sa.case(
        *((reason.startswith(f"{word}:", autoescape=True), word) for word in FAULTS),
        else_="failed",
    )
    failed = (
        sa.select(
            targets.c.id, targets.c.job_id, targets.c.host_id,
            sa.func.coalesce(at, jobs.c.created_at), fault, spent.scalar_subquery(),
        )
        .join(jobs, jobs.c.id == targets.c.job_id)
        .where(targets.c.state == "failed")
    )  # fmt: skip
    op.execute(sa.insert(letters).from_select(columns, failed))


def downgrade() -> None:
    op.drop_table("dead_letters")
    op.drop_column("attempts", "proxy")
    op.drop_table("proxies")
    op.drop_column("pages", "stale")
    op.drop_column("pages", "checked_at")
