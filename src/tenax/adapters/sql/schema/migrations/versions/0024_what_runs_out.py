"""Figures are told from words, and what visits add is counted lately, of all of them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"

_NEW = ("wordless", "worded", "copied", "cut")


def upgrade() -> None:
    for name in _NEW:
        op.add_column("shapes", sa.Column(name, sa.Integer(), nullable=False, server_default="0"))
    # What was counted by other rules says nothing by these.
    op.execute("UPDATE shapes SET added = 0, looked = 0, grew = 0, met = 0")


def downgrade() -> None:
    for name in reversed(_NEW):
        op.drop_column("shapes", name)
