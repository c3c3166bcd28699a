"""Who cleans up, and how large everything was."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    op.create_table(
        "upkeep",
        sa.Column("name", sa.String(), primary_key=True),
        sa.Column("holder", sa.String(), nullable=False),
        sa.Column("held_until", sa.Double(), nullable=False),
        sa.Column("done_at", sa.Double(), nullable=False),
    )
    op.create_table(
        "storage_samples",
        sa.Column("day", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("sample", sa.Text(), nullable=False),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    for name in ("storage_samples", "upkeep"):
        op.drop_table(name)
