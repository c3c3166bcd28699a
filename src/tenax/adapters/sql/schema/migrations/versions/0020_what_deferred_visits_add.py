"""What visits of deferred URLs have added to what waits."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    op.add_column("shapes", sa.Column("added", sa.Integer(), nullable=False, server_default="0"))


def downgrade() -> None:
    op.drop_column("shapes", "added")
