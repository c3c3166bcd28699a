"""Which pages link to which: made of stored bodies when somebody asks."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

_LONG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "links",
        sa.Column("source_id", _LONG, autoincrement=False, nullable=False),
        sa.Column("key", sa.LargeBinary(12), nullable=False),
        sa.Column("job_id", sa.Integer(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("source_id", "key"),
        sqlite_with_rowid=False,
    )
    op.create_index("links_key", "links", ["job_id", "key"])
    op.create_table(
        "link_sources",
        sa.Column("target_id", _LONG, autoincrement=False, nullable=False),
        sa.Column("digest", sa.LargeBinary(32), nullable=False),
        sa.PrimaryKeyConstraint("target_id"),
    )


def downgrade() -> None:
    for table in ("link_sources", "links"):
        op.drop_table(table)
