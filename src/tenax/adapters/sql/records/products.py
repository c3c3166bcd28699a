"""Queries over products, price history and parse rates; what a replay read is written, too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import sqlalchemy as sa
from msgspec.structs import replace
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine import codec, locks
from tenax.adapters.sql.engine.bulk import Lookup
from tenax.adapters.sql.engine.transactions import Transactions
from tenax.adapters.sql.schema.tables import (
    hosts,
    images,
    jobs,
    parse_rates,
    product_prices,
    products,
    targets,
)
from tenax.model import Image, ImageKind, Product, Stock
from tenax.ports.products import PriceRecord, ProductFilter, ProductRecord, RateRecord, Sighting

_joined = (
    products.join(targets, targets.c.id == products.c.target_id)
    .join(hosts, hosts.c.id == targets.c.host_id)
    .join(jobs, jobs.c.id == products.c.job_id)
)
_product = sa.select(products, targets.c.url, hosts.c.origin, jobs.c.name.label("job")).select_from(
    _joined
)

_places = Lookup(
    sa.select(targets.c.id, targets.c.job_id, hosts.c.name).join(
        hosts, hosts.c.id == targets.c.host_id
    ),
    targets.c.id,
)


class SqlProducts:
    def __init__(self, database: Transactions) -> None:
        self._database = database

    async def find(
        self, wanted: ProductFilter, after: int = 0, limit: int = 100
    ) -> list[ProductRecord]:
        id = products.c.target_id
        query = _narrowed(_product.where(id > after).order_by(id).limit(limit), wanted)
        return await self._database.read(lambda c: _records(c, query))

    async def get(self, target_ids: Sequence[int]) -> list[ProductRecord]:
        query = _product.where(products.c.target_id.in_(target_ids))
        return await self._database.read(lambda c: _records(c, query))

    async def count(self, wanted: ProductFilter) -> int:
        query = _narrowed(
            sa.select(sa.func.count(products.c.target_id)).select_from(_joined), wanted
        )
        return await self._database.read(lambda c: int(c.execute(query).scalar_one()))

    async def history(self, target_id: int) -> list[PriceRecord]:
        prices = product_prices
        query = sa.select(prices).where(prices.c.target_id == target_id).order_by(prices.c.at)
        return await self._database.read(
            lambda c: [
                PriceRecord(row.at, row.price or "", row.currency or "", row.regular_price or "")
                for row in c.execute(query)
            ]
        )

    async def rates(self, since_day: int = 0) -> list[RateRecord]:
        by = (parse_rates.c.site, parse_rates.c.parser, parse_rates.c.version, parse_rates.c.day)
        query = sa.select(parse_rates).where(parse_rates.c.day >= since_day).order_by(*by)
        return await self._database.read(lambda c: [RateRecord(*row) for row in c.execute(query)])

    async def note(self, seen: Sequence[Sighting]) -> int:
        if not seen:
            return 0
        from tenax.adapters.sql.frontier import product_writes  # who only looks does not need it

        def work(connection: Connection) -> int:
            ids = [sighting.target_id for sighting in seen]
            locks.lock_hosts_of_targets(connection, ids)
            known = {id: place for id, *place in _places.run(connection, ids)}
            return product_writes.note(
                connection,
                [
                    replace(each, job_id=known[each.target_id][0], site=known[each.target_id][1])
                    for each in seen
                    if each.target_id in known
                ],
            )

        return await self._database.write(work)


def _narrowed(query: sa.Select[Any], wanted: ProductFilter) -> sa.Select[Any]:
    c = products.c
    if wanted.text:
        looked_at = (c.name, c.brand, c.sku, c.gtin, c.category, hosts.c.origin + targets.c.url)
        query = query.where(
            sa.or_(*(text.icontains(wanted.text, autoescape=True) for text in looked_at))
        )
    if wanted.job is not None:
        query = query.where(jobs.c.name == wanted.job)
    if wanted.host is not None:
        query = query.where(hosts.c.name == wanted.host)
    for column, value in ((c.brand, wanted.brand), (c.category, wanted.category)):
        if value is not None:
            query = query.where(sa.func.lower(column) == value.lower())
    if wanted.availability is not None:
        query = query.where(c.availability == wanted.availability.value)
    if wanted.lowest is not None:
        query = query.where(c.amount >= wanted.lowest)
    if wanted.highest is not None:
        query = query.where(c.amount <= wanted.highest)
    if wanted.currency is not None:
        query = query.where(c.currency == wanted.currency.upper())
    if wanted.changed_since is not None:
        query = query.where(c.updated_at >= wanted.changed_since)
    if wanted.is_cheaper:
        query = query.where(c.amount < _first_amount())
    return query


def _first_amount() -> sa.ScalarSelect[Any]:
    """What it cost when it was first seen, in the same currency."""
    prices = product_prices
    return (
        sa.select(sa.cast(prices.c.price, sa.Double))
        .where(prices.c.target_id == products.c.target_id, prices.c.currency == products.c.currency)
        .order_by(prices.c.at)
        .limit(1)
        .scalar_subquery()
    )


def _records(connection: Connection, query: sa.Select[Any]) -> list[ProductRecord]:
    rows = connection.execute(query).all()
    shown: dict[int, list[Image]] = {row.target_id: [] for row in rows}
    pictures = (
        sa.select(images)
        .where(images.c.target_id.in_(list(shown)))
        .order_by(images.c.target_id, images.c.position)
    )
    for row in connection.execute(pictures):
        image = Image(
            row.url, row.alt or "", ImageKind(row.kind), row.position, row.width, row.height,
            row.size, (row.digest or b"").hex(),
        )  # fmt: skip
        shown[row.target_id].append(image)
    return [_record(row, tuple(shown[row.target_id])) for row in rows]


def _record(row: sa.Row[Any], pictures: tuple[Image, ...]) -> ProductRecord:
    details = msgspec.json.decode(row.details)
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
    return ProductRecord(row.target_id, row.job, product, row.first_seen_at, row.updated_at)
