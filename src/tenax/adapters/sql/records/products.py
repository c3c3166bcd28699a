"""Queries over products, by index: what they are now, what they were, how well sites are read.

What a product is found by whole stands in `product_terms`; the first of the terms that are asked
for leads, and the rows come in the order of its index: a page of the answer costs what it shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine import codec, locks
from tenax.adapters.sql.engine.transactions import Transactions
from tenax.adapters.sql.schema.tables import (
    hosts,
    images,
    jobs,
    parse_rates,
    product_jobs,
    product_prices,
    product_stock,
    product_terms,
    products,
)
from tenax.model import Image, ImageKind, Product, ProductStatus, Stock
from tenax.ports.products import (
    TERMS,
    PriceRecord,
    ProductFilter,
    ProductHistory,
    ProductRecord,
    RateRecord,
    Sighting,
    StockRecord,
    folded,
)


class SqlProducts:
    def __init__(self, database: Transactions) -> None:
        self._database = database

    async def find(
        self, wanted: ProductFilter, after: int = 0, limit: int = 100
    ) -> list[ProductRecord]:
        query = find_query(wanted, after, limit)
        return await self._database.read(lambda c: records_of(c, query))

    async def get(self, ids: Sequence[int]) -> list[ProductRecord]:
        query = _product.where(products.c.id.in_(ids))
        return await self._database.read(lambda c: records_of(c, query))

    async def of_targets(self, target_ids: Sequence[int]) -> dict[int, ProductRecord]:
        links = sa.select(product_jobs.c.target_id, product_jobs.c.product_id).where(
            product_jobs.c.target_id.in_(target_ids)
        )

        def work(connection: Connection) -> dict[int, ProductRecord]:
            offered = {row.target_id: row.product_id for row in connection.execute(links)}
            if not offered:
                return {}
            query = _product.where(products.c.id.in_(set(offered.values())))
            found = {record.id: record for record in records_of(connection, query)}
            return {target: found[id] for target, id in offered.items() if id in found}

        return await self._database.read(work)

    async def count(self, wanted: ProductFilter) -> int:
        source, id = _source(wanted)
        query = _narrowed(sa.select(sa.func.count(id)).select_from(source), wanted)
        return await self._database.read(lambda c: int(c.execute(query).scalar_one()))

    async def history(self, product_id: int) -> list[PriceRecord]:
        prices = product_prices
        query = sa.select(prices).where(prices.c.product_id == product_id).order_by(prices.c.at)
        return await self._database.read(lambda c: [_price(row) for row in c.execute(query)])

    async def stock(self, product_id: int) -> list[StockRecord]:
        stock = product_stock
        query = sa.select(stock).where(stock.c.product_id == product_id).order_by(stock.c.at)
        return await self._database.read(lambda c: [_stock(row) for row in c.execute(query)])

    async def histories(self, ids: Sequence[int]) -> dict[int, ProductHistory]:
        def work(connection: Connection) -> dict[int, ProductHistory]:
            prices: dict[int, list[PriceRecord]] = {id: [] for id in ids}
            stock: dict[int, list[StockRecord]] = {id: [] for id in ids}
            for row in connection.execute(_all_of(product_prices, ids)):
                prices[row.product_id].append(_price(row))
            for row in connection.execute(_all_of(product_stock, ids)):
                stock[row.product_id].append(_stock(row))
            return {id: ProductHistory(tuple(prices[id]), tuple(stock[id])) for id in ids}

        return await self._database.read(work)

    async def rates(self, since_day: int = 0) -> list[RateRecord]:
        by = (parse_rates.c.site, parse_rates.c.parser, parse_rates.c.version, parse_rates.c.day)
        query = sa.select(parse_rates).where(parse_rates.c.day >= since_day).order_by(*by)
        return await self._database.read(lambda c: [RateRecord(*row) for row in c.execute(query)])

    async def note(self, seen: Sequence[Sighting]) -> int:
        if not seen:
            return 0
        from tenax.adapters.sql.frontier.product_notes import note  # who only looks has no need

        def work(connection: Connection) -> int:
            locks.lock_hosts_of_targets(connection, [sighting.target_id for sighting in seen])
            return note(connection, seen).updated

        return await self._database.write(work)


_joined = products.join(hosts, hosts.c.id == products.c.host_id)
_product = sa.select(products, hosts.c.origin).select_from(_joined)


def find_query(
    wanted: ProductFilter, after: int, limit: int, end: int | None = None
) -> sa.Select[Any]:
    """Behind one id, and not behind `end`: then it is led by ids, whatever is asked for."""
    source, id = _source(wanted)
    query = sa.select(products, hosts.c.origin).select_from(source)
    if end is None:
        return _narrowed(query, wanted).where(id > after).order_by(id).limit(limit)
    id = products.c.id if is_led_by_span(wanted) else id
    query = query.where(id > after, id <= end)
    return _narrowed(query, wanted).order_by(id).limit(limit)


def is_led_by_span(wanted: ProductFilter) -> bool:
    """Whether bounds are all that an index can answer."""
    has_lead = wanted.job is not None or any(getattr(wanted, each) is not None for each in TERMS)
    return not has_lead and bool(spans_of(wanted))


def spans_of(wanted: ProductFilter) -> list[sa.ColumnElement[bool]]:
    c = products.c
    bounds = (
        (c.amount, wanted.lowest, True),
        (c.amount, wanted.highest, False),
        (c.rating, wanted.lowest_rating, True),
        (c.updated_at, wanted.changed_since, True),
    )
    return [
        column >= bound if is_least else column <= bound
        for column, bound, is_least in bounds
        if bound is not None
    ]


def _source(wanted: ProductFilter) -> tuple[sa.FromClause, sa.ColumnElement[int]]:
    """Where they come from, and the column by which they are in order."""
    source: sa.FromClause = _joined
    id: sa.ColumnElement[int] = products.c.id
    if wanted.job is not None:
        seen_by = product_jobs.join(jobs, jobs.c.id == product_jobs.c.job_id)
        source = source.join(seen_by, product_jobs.c.product_id == products.c.id)
        id = product_jobs.c.product_id
    for field in reversed(TERMS):
        if (value := getattr(wanted, field)) is not None:
            term = product_terms.alias()
            source = source.join(
                term,
                sa.and_(
                    term.c.field == field,
                    term.c.value == folded(field, value),
                    term.c.product_id == products.c.id,
                ),
            )
            id = term.c.product_id
    if is_led_by_span(wanted):
        # By the index of the span: in the order of ids all rows would be looked at for a few.
        id = products.c.id + 0
    return source, id


def _narrowed(query: sa.Select[Any], wanted: ProductFilter) -> sa.Select[Any]:
    c = products.c
    if wanted.text:
        looked_at = (c.name, c.brand, c.sku, c.gtin, c.mpn, c.category, hosts.c.origin + c.url)
        query = query.where(
            sa.or_(*(text.icontains(wanted.text, autoescape=True) for text in looked_at))
        )
    if wanted.job is not None:
        query = query.where(jobs.c.name == wanted.job)
    if wanted.host is not None:
        query = query.where(hosts.c.name == wanted.host)
    if wanted.status is not None:
        query = query.where(c.status == wanted.status.value)
    query = query.where(*spans_of(wanted))
    if wanted.is_cheaper:
        query = query.where(c.amount < _first_amount())
    return query


def _first_amount() -> sa.ScalarSelect[Any]:
    """What it cost when it was first seen, in the same currency."""
    prices = product_prices
    return (
        sa.select(sa.cast(prices.c.price, sa.Double))
        .where(prices.c.product_id == products.c.id, prices.c.currency == products.c.currency)
        .order_by(prices.c.at)
        .limit(1)
        .scalar_subquery()
    )


def records_of(connection: Connection, query: sa.Select[Any]) -> list[ProductRecord]:
    rows = connection.execute(query).all()
    ids = [row.id for row in rows]
    if not ids:
        return []
    shown: dict[int, list[Image]] = {id: [] for id in ids}
    pictures = (
        sa.select(images)
        .where(images.c.product_id.in_(ids))
        .order_by(images.c.product_id, images.c.position)
    )
    for row in connection.execute(pictures):
        image = Image(
            row.url, row.alt or "", ImageKind(row.kind), row.position, row.width, row.height,
            row.size, (row.digest or b"").hex(),
        )  # fmt: skip
        shown[row.product_id].append(image)
    seen_by: dict[int, list[str]] = {id: [] for id in ids}
    links = (
        sa.select(product_jobs.c.product_id, jobs.c.name)
        .join(jobs, jobs.c.id == product_jobs.c.job_id)
        .where(product_jobs.c.product_id.in_(ids))
        .order_by(product_jobs.c.target_id)
    )
    for id, job in connection.execute(links):
        seen_by[id].append(job)
    return [_record(row, tuple(shown[row.id]), tuple(seen_by[row.id])) for row in rows]


def _record(
    row: sa.Row[Any], pictures: tuple[Image, ...], seen_by: tuple[str, ...]
) -> ProductRecord:
    # Older rows have some of what is a column now in their details, too.
    details = msgspec.json.decode(row.details) | {
        "mpn": row.mpn or "",
        "rating": row.rating,
        "regular_price": row.regular_price or "",
    }
    for name in ("breadcrumbs", "problems"):
        details[name] = tuple(details.get(name, ()))
    product = Product(
        url=codec.full_url(row.url, row.origin),
        name=row.name,
        price=row.price or "",
        currency=row.currency or "",
        availability=Stock(row.availability or ""),
        brand=row.brand or "",
        category=row.category or "",
        sku=row.sku or "",
        gtin=row.gtin or "",
        images=pictures,
        **details,
    )
    return ProductRecord(
        row.id, seen_by, product, ProductStatus(row.status), row.first_seen_at, row.updated_at,
        row.last_seen_at, row.confirmed_at,
    )  # fmt: skip


def _all_of(table: sa.Table, ids: Sequence[int]) -> sa.Select[Any]:
    c = table.c
    return sa.select(table).where(c.product_id.in_(ids)).order_by(c.product_id, c.at)


def _price(row: sa.Row[Any]) -> PriceRecord:
    return PriceRecord(row.at, row.price or "", row.currency or "", row.regular_price or "")


def _stock(row: sa.Row[Any]) -> StockRecord:
    status = ProductStatus.LISTED if row.listed else ProductStatus.DELISTED
    return StockRecord(row.at, Stock(row.availability or ""), status)
