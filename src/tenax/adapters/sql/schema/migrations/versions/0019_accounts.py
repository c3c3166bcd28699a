"""People and their sessions; keys that expire or are for some jobs; what was changed by the API;
how often somebody asked."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"

_LONG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.add_column("api_keys", sa.Column("jobs", sa.Text(), nullable=True))
    op.add_column("api_keys", sa.Column("expires_at", sa.Double(), nullable=True))
    op.add_column("api_keys", sa.Column("used_at", sa.Double(), nullable=True))
    op.create_table(
        "users",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("password", sa.Text(), nullable=False),
        sa.Column("one_time", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("name"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "sessions",
        sa.Column("digest", sa.LargeBinary(32), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("expires_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("digest"),
    )
    op.create_index("ix_sessions_user_id", "sessions", ["user_id"])
    op.create_index("ix_sessions_expires_at", "sessions", ["expires_at"])
    op.create_table(
        "acts",
        sa.Column("id", _LONG, nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("who", sa.String(), nullable=False),
        sa.Column("what", sa.Text(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "request_counts",
        sa.Column("asker", sa.String(), nullable=False),
        sa.Column("slot", _LONG, autoincrement=False, nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("asker", "slot"),
    )
    op.create_index("request_counts_slot", "request_counts", ["slot"])
    op.create_table(
        "repeats",
        sa.Column("digest", sa.LargeBinary(32), nullable=False),
        sa.Column("request", sa.LargeBinary(32), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("content_type", sa.String(), nullable=True),
        sa.Column("body", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("digest"),
    )
    op.create_index("ix_repeats_at", "repeats", ["at"])


def downgrade() -> None:
    for name in ("repeats", "request_counts", "acts", "sessions", "users"):
        op.drop_table(name)
    for name in ("used_at", "expires_at", "jobs"):
        op.drop_column("api_keys", name)
