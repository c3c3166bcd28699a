"""What hosts have set in jobs: a sealed jar for each two."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"

_LONG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "cookies",
        sa.Column("host_id", _LONG, autoincrement=False, nullable=False),
        sa.Column("job_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("names", sa.Text(), nullable=False),
        sa.Column("jar", sa.LargeBinary(), nullable=False),
        sa.Column("changed_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("host_id", "job_id"),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    op.drop_table("cookies")
