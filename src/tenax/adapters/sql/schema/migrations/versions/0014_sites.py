"""Rules of sites, for the whole fleet, and the version that says when they have changed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"

_LONG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "sites",
        sa.Column("pattern", sa.String(), nullable=False),
        sa.Column("rules", sa.Text(), nullable=False),
        sa.Column("secret", sa.LargeBinary()),
        sa.Column("changed_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("pattern"),
    )
    op.create_table(
        "site_version",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("version", _LONG, nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )


def downgrade() -> None:
    op.drop_table("site_version")
    op.drop_table("sites")
