"""What of products, their histories and pictures breaks a promise? Queries of the audit (FR-10)."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from tenax.adapters.sql.schema.tables import (
    images,
    product_jobs,
    product_prices,
    product_stock,
    product_terms,
    products,
    targets,
)
from tenax.model import ProductStatus

_LISTED, _DELISTED = ProductStatus.LISTED.value, ProductStatus.DELISTED.value


def checks() -> dict[str, sa.Select[Any]]:
    """As those of the audit: each finds the rows that break its promise."""
    p, stock, prices = products.c, _last(product_stock), _last(product_prices)
    return {
        "every product was offered at some target": sa.select(p.id).where(
            ~sa.exists().where(product_jobs.c.product_id == p.id)
        ),
        "every target of a product has its URL, and its job": sa.select(product_jobs.c.target_id)
        .outerjoin(products, p.id == product_jobs.c.product_id)
        .outerjoin(
            targets,
            sa.and_(
                targets.c.id == product_jobs.c.target_id,
                targets.c.job_id == product_jobs.c.job_id,
                targets.c.host_id == p.host_id,
                targets.c.key == p.key,
            ),
        )
        .where(targets.c.id.is_(None)),
        **{
            f"every {what} belongs to a product": sa.select(table.c.product_id)
            .outerjoin(products, p.id == table.c.product_id)
            .where(p.id.is_(None))
            for what, table in (
                ("price", product_prices),
                ("availability", product_stock),
                ("picture", images),
                ("term", product_terms),
            )
        },
        "the last price of a history is what the product costs": sa.select(p.id)
        .outerjoin(prices, prices.c.product_id == p.id)
        .where(prices.c.price.is_distinct_from(p.price)),
        "the last availability of a history is the product's": sa.select(p.id)
        .outerjoin(stock, stock.c.product_id == p.id)
        .where(
            sa.or_(
                stock.c.product_id.is_(None),
                stock.c.availability.is_distinct_from(p.availability),
                stock.c.listed.is_distinct_from(p.listed),
            )
        ),
        "a product is listed, delisted or unknown, as was last known": sa.select(p.id).where(
            sa.or_(
                p.status.not_in([status.value for status in ProductStatus]),
                sa.and_(p.status == _LISTED, ~p.listed),
                sa.and_(p.status == _DELISTED, p.listed),
            )
        ),
        "no product was seen, read or changed before it was first seen": sa.select(p.id).where(
            sa.or_(
                *(p[name] < p.first_seen_at for name in _TIMES),
                p.last_seen_at > p.confirmed_at,
            )
        ),
        "a product with a number is found by it": sa.select(p.id)
        .outerjoin(
            product_terms,
            sa.and_(product_terms.c.product_id == p.id, product_terms.c.field == "sku"),
        )
        .where(sa.func.trim(p.sku) != "", product_terms.c.product_id.is_(None)),
        "a picture that was downloaded has its size": sa.select(images.c.product_id).where(
            images.c.size.is_(None) != images.c.digest.is_(None)
        ),
    }


_TIMES = ("updated_at", "offer_at", "read_at", "last_seen_at", "confirmed_at")


def _last(table: sa.Table) -> sa.Subquery:
    """The last row of each product's history."""
    newest = sa.select(table.c.product_id, sa.func.max(table.c.at).label("at"))
    last = newest.group_by(table.c.product_id).subquery()
    its = sa.and_(table.c.product_id == last.c.product_id, table.c.at == last.c.at)
    return sa.select(table).join(last, its).subquery()
