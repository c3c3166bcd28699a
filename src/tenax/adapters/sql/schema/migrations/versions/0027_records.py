"""Records of the user's own, what they were before, and how their handlers do."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"

_LONG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_TABLES = ("records", "record_history", "handler_rates", "handler_failures")


def upgrade() -> None:
    op.create_table(
        "records",
        sa.Column("id", _LONG, nullable=False),
        sa.Column("job_id", sa.Integer(), nullable=False),
        sa.Column("host_id", _LONG, nullable=False),
        sa.Column("target_id", _LONG, nullable=False),
        sa.Column("identity", sa.String(32), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=True),
        sa.Column("handler", sa.String(), nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("data", sa.Text(), nullable=False),
        sa.Column("digest", sa.LargeBinary(16), nullable=False),
        sa.Column("first_seen_at", sa.Double(), nullable=False),
        sa.Column("last_seen_at", sa.Double(), nullable=False),
        sa.Column("changed_at", sa.Double(), nullable=False),
        sa.Column("gone_at", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index("records_identity", "records", ["identity"], unique=True)
    op.create_index("records_target", "records", ["target_id"])
    for name in ("name", "job_id", "host_id"):
        op.create_index(f"records_{name.removesuffix('_id')}", "records", [name, "id"])
    op.create_index("records_changed", "records", ["changed_at"])
    op.create_table(
        "record_history",
        sa.Column("record_id", _LONG, autoincrement=False, nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("data", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("record_id", "at"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "handler_rates",
        sa.Column("job_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("handler", sa.String(), nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("day", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("pages", sa.Integer(), nullable=False),
        sa.Column("records", sa.Integer(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("job_id", "handler", "version", "day"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "handler_failures",
        sa.Column("job_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("handler", sa.String(), nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("job_id", "handler"),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    for name in reversed(_TABLES):
        op.drop_table(name)
