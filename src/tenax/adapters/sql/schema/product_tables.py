"""The tables of what shops sell: products, their prices and pictures, how well sites are read."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Double, Index, Integer, LargeBinary, String, Table, Text

from tenax.adapters.sql.schema.basis import LONG, metadata

# What is for sale on a page, as its last change left it (PROD-3). `amount` is the price as a
# number, for comparing; `price` is what the page said. `details` is what nobody filters by.
products = Table(
    "products",
    metadata,
    Column("target_id", LONG, primary_key=True, autoincrement=False),
    Column("job_id", Integer, nullable=False),
    Column("name", Text, nullable=False),
    Column("brand", String),
    Column("category", String),
    Column("sku", String),
    Column("gtin", String),
    Column("price", String),
    Column("amount", Double),
    Column("currency", String(3)),
    Column("availability", String),
    Column("details", Text, nullable=False),
    Column("content_hash", LargeBinary(32), nullable=False),
    Column("first_seen_at", Double, nullable=False),
    Column("updated_at", Double, nullable=False),
)
Index("products_job", products.c.job_id, products.c.target_id)

# Every price a product has had, from the first on.
product_prices = Table(
    "product_prices",
    metadata,
    Column("target_id", LONG, primary_key=True, autoincrement=False),
    Column("at", Double, primary_key=True),
    Column("price", String),
    Column("currency", String(3)),
    Column("regular_price", String),
    sqlite_with_rowid=False,
)

# The pictures of a product (PROD-4). `size` and `digest` are known once one was downloaded.
images = Table(
    "images",
    metadata,
    Column("target_id", LONG, primary_key=True, autoincrement=False),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("url", Text, nullable=False),
    Column("alt", Text),
    Column("kind", String, nullable=False),
    Column("width", Integer),
    Column("height", Integer),
    Column("size", BigInteger),
    Column("digest", LargeBinary(32)),
    sqlite_with_rowid=False,
)
Index("images_url", images.c.url)

# How many product pages of a site a parser read in a day, and how many of them completely (PROD-5).
parse_rates = Table(
    "parse_rates",
    metadata,
    Column("site", String, primary_key=True),
    Column("parser", String, primary_key=True),
    Column("version", String, primary_key=True),
    Column("day", Integer, primary_key=True, autoincrement=False),
    Column("pages", Integer, nullable=False),
    Column("complete", Integer, nullable=False),
    sqlite_with_rowid=False,
)
