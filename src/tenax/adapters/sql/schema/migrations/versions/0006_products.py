"""Products, the prices they had, their pictures, and how well sites can be read."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

_LONG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "products",
        sa.Column("target_id", _LONG, autoincrement=False, nullable=False),
        sa.Column("job_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("brand", sa.String(), nullable=True),
        sa.Column("category", sa.String(), nullable=True),
        sa.Column("sku", sa.String(), nullable=True),
        sa.Column("gtin", sa.String(), nullable=True),
        sa.Column("price", sa.String(), nullable=True),
        sa.Column("amount", sa.Double(), nullable=True),
        sa.Column("currency", sa.String(3), nullable=True),
        sa.Column("availability", sa.String(), nullable=True),
        sa.Column("details", sa.Text(), nullable=False),
        sa.Column("content_hash", sa.LargeBinary(32), nullable=False),
        sa.Column("first_seen_at", sa.Double(), nullable=False),
        sa.Column("updated_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("target_id"),
    )
    op.create_index("products_job", "products", ["job_id", "target_id"])
    op.create_table(
        "product_prices",
        sa.Column("target_id", _LONG, autoincrement=False, nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("price", sa.String(), nullable=True),
        sa.Column("currency", sa.String(3), nullable=True),
        sa.Column("regular_price", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("target_id", "at"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "images",
        sa.Column("target_id", _LONG, autoincrement=False, nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("alt", sa.Text(), nullable=True),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("width", sa.Integer(), nullable=True),
        sa.Column("height", sa.Integer(), nullable=True),
        sa.Column("size", sa.BigInteger(), nullable=True),
        sa.Column("digest", sa.LargeBinary(32), nullable=True),
        sa.PrimaryKeyConstraint("target_id", "position"),
        sqlite_with_rowid=False,
    )
    op.create_index("images_url", "images", ["url"])
    op.create_table(
        "parse_rates",
        sa.Column("site", sa.String(), nullable=False),
        sa.Column("parser", sa.String(), nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("day", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("pages", sa.Integer(), nullable=False),
        sa.Column("complete", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("site", "parser", "version", "day"),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    for table in ("parse_rates", "images", "product_prices", "products"):
        op.drop_table(table)
