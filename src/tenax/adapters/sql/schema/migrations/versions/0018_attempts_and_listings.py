"""How fast each answer came, what an error answered, and a host's sitemaps found by an index."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0016"

_LISTINGS = sa.text("role IN ('sitemap', 'feed')")


def upgrade() -> None:
    op.add_column("attempts", sa.Column("download_ms", sa.Integer(), nullable=True))
    op.add_column("attempts", sa.Column("kbps", sa.Integer(), nullable=True))
    op.add_column("attempts", sa.Column("body", sa.Text(), nullable=True))
    op.create_index(
        "targets_listings",
        "targets",
        ["host_id", "job_id", "role"],
        unique=False,
        sqlite_where=_LISTINGS,
        postgresql_where=_LISTINGS,
    )


def downgrade() -> None:
    op.drop_index("targets_listings", table_name="targets")
    for name in ("body", "kbps", "download_ms"):
        op.drop_column("attempts", name)
