"""What others are to be told, and how far each of them was."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "outbox",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("place", sa.BigInteger(), nullable=True),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("key", sa.LargeBinary(32), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "outbox_place", "outbox", ["place", "id"], sqlite_where=sa.text("place IS NOT NULL")
    )
    op.create_table(
        "cursors",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("place", sa.BigInteger(), nullable=False),
        sa.Column("holder", sa.String(), nullable=True),
        sa.Column("held_until", sa.Double(), nullable=False),
        sa.Column("seen_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    op.drop_table("cursors")
    op.drop_table("outbox")
