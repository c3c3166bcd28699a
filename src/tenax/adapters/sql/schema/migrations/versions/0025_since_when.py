"""Since when a page says what it says, for those who export what has changed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"


def upgrade() -> None:
    op.add_column("pages", sa.Column("changed_at", sa.Double()))


def downgrade() -> None:
    op.drop_column("pages", "changed_at")
