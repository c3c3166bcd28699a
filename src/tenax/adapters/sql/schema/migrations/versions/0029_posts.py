"""Requests that send something: what each of them sends."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"

_LONG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "posts",
        sa.Column("target_id", _LONG, primary_key=True, autoincrement=False),
        sa.Column("url_key", sa.LargeBinary(12), nullable=False),
        sa.Column("content_type", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
    )
    op.create_index("posts_url", "posts", ["url_key"])


def downgrade() -> None:
    op.drop_table("posts")
