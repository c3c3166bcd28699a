"""When a URL was pushed again while it was being visited: it is visited once more."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.add_column("targets", sa.Column("pushed_at", sa.Double(), nullable=True))


def downgrade() -> None:
    op.drop_column("targets", "pushed_at")
