"""Who is handed the pages of a job, and which of them have not been handed over."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"


def upgrade() -> None:
    op.create_table(
        "consumers",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("job_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("after", _LONG, nullable=False),
        sa.Column("last", _LONG, nullable=False),
        sa.Column("seen_at", sa.Double(), nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("consumers_job", "consumers", ["job_id", "name"], unique=True)
    op.create_table(
        "handovers",
        sa.Column("id", _LONG, primary_key=True),
        sa.Column("consumer_id", sa.Integer(), nullable=False),
        sa.Column("target_id", _LONG, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("handovers_next", "handovers", ["consumer_id", "id"])
    op.create_index("handovers_page", "handovers", ["target_id", "consumer_id"], unique=True)


def downgrade() -> None:
    op.drop_table("handovers")
    op.drop_table("consumers")


_LONG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
