"""What was wrong, since when, and who was told of it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    op.create_table(
        "alerts",
        sa.Column("id", _LONG, primary_key=True),
        sa.Column("what", sa.String(), nullable=False),
        sa.Column("about", sa.Text(), nullable=False),
        sa.Column("told", sa.Text(), nullable=False),
        sa.Column("value", sa.Double(), nullable=False),
        sa.Column("since", sa.Double(), nullable=False),
        sa.Column("raised_at", sa.Double()),
        sa.Column("cleared_at", sa.Double()),
        sa.Column("silent_until", sa.Double(), nullable=False, server_default=sa.text("0")),
        sa.Column("heard", sa.Text(), nullable=False, server_default=""),
        sqlite_autoincrement=True,
    )
    op.create_index("alerts_cleared", "alerts", ["cleared_at"])


def downgrade() -> None:
    op.drop_table("alerts")


_LONG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
