"""The tables of what shops sell: products, what they cost and whether they could be had over time,
their pictures, how well sites are read."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
)

from tenax.adapters.sql.schema.basis import LONG, metadata

# What is for sale at a URL, whichever jobs have seen it there (PROD-3): `key` is that of the URL's
# identity, as its targets have it. `amount` is the price as a number, for comparing; `price` is
# what the page said. `details` is what nobody filters by.
#
# `updated_at` is since when it is as it is, `offer_at` the same of price, availability and status.
# `read_at` is when its page was last read, and `offered` whether that offered it; `listed` is what
# was last known for sure, at `confirmed_at`, and `status` says whether it still is.
# Ids are never used twice: a consumer may remember one for longer than we do.
products = Table(
    "products",
    metadata,
    Column("id", LONG, primary_key=True),
    Column("host_id", LONG, nullable=False),
    Column("key", LargeBinary(12), nullable=False),
    Column("url", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("brand", String),
    Column("category", String),
    Column("sku", String),
    Column("mpn", String),
    Column("gtin", String),
    Column("price", String),
    Column("amount", Double),
    Column("currency", String(3)),
    Column("regular_price", String),
    Column("availability", String),
    Column("rating", Double),
    Column("details", Text, nullable=False),
    Column("content_hash", LargeBinary(32), nullable=False),
    Column("status", String, nullable=False),
    Column("listed", Boolean, nullable=False),
    Column("offered", Boolean, nullable=False),
    Column("first_seen_at", Double, nullable=False),
    Column("updated_at", Double, nullable=False),
    Column("offer_at", Double, nullable=False),
    Column("read_at", Double, nullable=False),
    Column("last_seen_at", Double, nullable=False),
    Column("confirmed_at", Double, nullable=False),
    sqlite_autoincrement=True,
)
Index("products_identity", products.c.host_id, products.c.key, unique=True)
Index("products_host", products.c.host_id, products.c.id)
Index("products_status", products.c.status, products.c.id)
Index("products_amount", products.c.amount)
Index("products_rating", products.c.rating)
Index("products_updated", products.c.updated_at)

# Which targets have offered it, and so which jobs have seen it: with the last of them it goes.
product_jobs = Table(
    "product_jobs",
    metadata,
    Column("target_id", LONG, primary_key=True, autoincrement=False),
    Column("job_id", Integer, nullable=False),
    Column("product_id", LONG, nullable=False),
    sqlite_with_rowid=False,
)
Index("product_jobs_job", product_jobs.c.job_id, product_jobs.c.product_id)
Index("product_jobs_product", product_jobs.c.product_id)

# What products are found by whole, whatever its case: their numbers, brand, category …
product_terms = Table(
    "product_terms",
    metadata,
    Column("field", String, primary_key=True),
    Column("value", String, primary_key=True),
    Column("product_id", LONG, primary_key=True, autoincrement=False),
    sqlite_with_rowid=False,
)
Index("product_terms_product", product_terms.c.product_id)

# Every price a product has had, from the first on.
product_prices = Table(
    "product_prices",
    metadata,
    Column("product_id", LONG, primary_key=True, autoincrement=False),
    Column("at", Double, primary_key=True),
    Column("price", String),
    Column("currency", String(3)),
    Column("regular_price", String),
    sqlite_with_rowid=False,
)

# The same of whether it could be had, and whether it was there at all.
product_stock = Table(
    "product_stock",
    metadata,
    Column("product_id", LONG, primary_key=True, autoincrement=False),
    Column("at", Double, primary_key=True),
    Column("availability", String),
    Column("listed", Boolean, nullable=False),
    sqlite_with_rowid=False,
)

# The pictures of a product (PROD-4). `size` and `digest` are known once one was downloaded.
images = Table(
    "images",
    metadata,
    Column("product_id", LONG, primary_key=True, autoincrement=False),
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
