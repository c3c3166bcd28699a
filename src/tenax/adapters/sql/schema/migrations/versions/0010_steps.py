"""What each worker is doing: its visits under way and the step of each."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.add_column("workers", sa.Column("under_way", sa.Text()))


def downgrade() -> None:
    op.drop_column("workers", "under_way")
