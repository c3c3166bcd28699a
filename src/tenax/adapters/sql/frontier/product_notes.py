"""What visits say of products, noted: one row for each URL, whichever jobs saw it, and every change
of price and availability in its history. What did not change is only confirmed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine.bulk import Bulk, Lookup, in_groups, inserting, of_rows
from tenax.adapters.sql.engine.dialects import dialect_insert
from tenax.adapters.sql.schema.tables import (
    hosts,
    images,
    parse_rates,
    product_jobs,
    product_prices,
    product_stock,
    product_terms,
    products,
    targets,
)
from tenax.crawl.product_life import ProductLife, after, born
from tenax.model import OfferState, Product, ProductStatus, Stock
from tenax.ports.products import TERMS, ProductChange, ProductFinding, Sighting, folded

_DAY = 86_400
_CONTENT = (
    "name", "brand", "category", "sku", "mpn", "gtin", "price", "amount", "currency",
    "regular_price", "availability", "rating", "details",
)  # fmt: skip
_LIFE = (
    "content_hash", "status", "listed", "offered", "first_seen_at", "updated_at", "offer_at",
    "read_at", "last_seen_at", "confirmed_at",
)  # fmt: skip
_DETAILS = (
    "description", "breadcrumbs", "reviews", "confidence", "confidences", "problems", "extra",
    "parser", "parser_version",
)  # fmt: skip
_RATED = ("site", "parser", "version", "day", "pages", "complete")
_its_product = sa.and_(products.c.host_id == targets.c.host_id, products.c.key == targets.c.key)
_known = Lookup(
    sa.select(
        targets.c.id.label("target_id"), targets.c.job_id, targets.c.host_id, targets.c.key,
        targets.c.url, hosts.c.name.label("site"), product_jobs.c.product_id, products.c.id,
        products.c.name, products.c.sku, products.c.gtin, products.c.price, products.c.currency,
        products.c.regular_price, products.c.availability, products.c.details,
        *(products.c[name] for name in _LIFE),
    )
    .join(hosts, hosts.c.id == targets.c.host_id)
    .outerjoin(products, _its_product)
    .outerjoin(product_jobs, product_jobs.c.target_id == targets.c.id),
    targets.c.id,
)  # fmt: skip
_named = Lookup(sa.select(targets.c.id, products.c.id).join(products, _its_product), targets.c.id)
_insert = inserting(products, ("host_id", "key", "url", *_CONTENT, *_LIFE))


def _updating(names: Sequence[str]) -> Bulk:
    return Bulk(
        (*(f"new_{name}" for name in names), "product"),
        lambda _: (
            sa.update(products)
            .where(products.c.id == sa.bindparam("product"))
            .values(
                {name: sa.bindparam(f"new_{name}", type_=products.c[name].type) for name in names}
            )
        ),
    )


_rewrite = _updating((*_CONTENT, *_LIFE))
_confirm = _updating(_LIFE)
_link = inserting(product_jobs, ("target_id", "job_id", "product_id"), new_only=True)
_insert_terms = inserting(product_terms, ("field", "value", "product_id"))


def _correcting(table: sa.Table) -> Bulk:
    """A page that is read again may have been misread at that moment: the last reading counts."""
    names = [c.name for c in table.c]

    def build(connection: Connection) -> sa.Insert:
        insert = of_rows(connection, dialect_insert(connection, table), names)
        upsert: sa.Insert = insert.on_conflict_do_update(
            index_elements=["product_id", "at"],
            set_={name: insert.excluded[name] for name in names[2:]},
        )
        return upsert

    return Bulk(names, build)


_insert_prices = _correcting(product_prices)
_insert_stock = _correcting(product_stock)
_insert_images = inserting(
    images,
    ("product_id", "position", "url", "alt", "kind", "width", "height", "size", "digest"),
)
# Pictures that are there: another product, or the next version of one, need not fetch them again.
_had = Lookup(
    sa.select(images.c.url, images.c.width, images.c.height, images.c.size, images.c.digest).where(
        images.c.digest.is_not(None)
    ),
    images.c.url,
)


def _count_up(connection: Connection) -> sa.Insert:
    insert = of_rows(connection, dialect_insert(connection, parse_rates), _RATED)
    upsert: sa.Insert = insert.on_conflict_do_update(
        index_elements=["site", "parser", "version", "day"],
        set_={name: parse_rates.c[name] + insert.excluded[name] for name in ("pages", "complete")},
    )
    return upsert


_rate = Bulk(_RATED, _count_up)


class ProductsNoted(Struct, frozen=True):
    """What became of products by some visits."""

    updated: int = 0
    """Products that are new, or other than before."""
    changes: tuple[ProductChange, ...] = ()
    """Of those, whose price, availability or status is another one."""
    offer_at: dict[int, float] = msgspec.field(default_factory=dict)
    """Since when the offers at the visited targets are what they are, by target."""


class _Good(Struct):
    """A product while the visits to its URL are noted, one after the other."""

    host_id: int
    key: bytes
    url: str
    id: int | None
    life: ProductLife | None
    before: ProductLife | None
    told: Product | None = None
    """What is to be written of it; None where it is as it was."""
    names: tuple[str, str, str] = ("", "", "")
    parser: tuple[str, str] = ("generic", "")
    seen_by: list[tuple[int, int]] = msgspec.field(default_factory=list)
    """Targets that offer it and their jobs, where that is not known yet."""
    prices: dict[float, OfferState] = msgspec.field(default_factory=dict)
    stock: dict[float, OfferState] = msgspec.field(default_factory=dict)
    changes: list[tuple[int, float, OfferState, OfferState]] = msgspec.field(default_factory=list)

    def take(self, seen: Sighting) -> None:
        before = self.life
        if before is None:
            if seen.product is not None:
                self.life = born(seen.product, seen.at)
                self._say(seen.product)
                at = self.life.first_seen_at
                self._keep(OfferState(), self.life.offer, at, at, first=True)
            return
        self.life = life = after(before, seen)
        if life.digest != before.digest and seen.product is not None:
            self._say(seen.product)
        if life.offer != before.offer:
            at = round(seen.at, 3)
            # Of a page read again, behind what later visits have told of it.
            self._keep(before.offer, life.offer, at, max(at, before.offer_at))
            self.changes.append((seen.target_id, at, before.offer, life.offer))

    def _say(self, product: Product) -> None:
        self.told = product
        self.names = (product.name, product.sku, product.gtin)
        self.parser = (product.parser, product.parser_version)

    def _keep(
        self, old: OfferState, new: OfferState, at: float, known_at: float, *, first: bool = False
    ) -> None:
        if _price(old) != _price(new) and (new.price or (not first and old.price)):
            self.prices[at] = new
        if first or (old.availability, old.status) != (new.availability, new.status):
            self.stock[known_at] = new


def note(connection: Connection, seen: Sequence[Sighting]) -> ProductsNoted:
    """Write what these visits mean for products, in the order in which they were made."""
    rows = {row[0]: row for row in _known.run(connection, {s.target_id for s in seen})}
    goods: dict[tuple[int, bytes], _Good] = {}
    rates: Counter[tuple[str, str, str, int]] = Counter()
    complete: Counter[tuple[str, str, str, int]] = Counter()
    places: dict[int, _Good] = {}
    for sighting in sorted(seen, key=lambda s: s.at):
        row = rows.get(sighting.target_id)
        if row is None:
            continue  # its job is being deleted
        _, job_id, host_id, key, url, site, linked, *known = row
        identity = (host_id, bytes(key))
        if identity not in goods:
            if known[0] is None and sighting.product is None:
                continue
            goods[identity] = _good(identity, url, known)
        good = places[sighting.target_id] = goods[identity]
        _count(rates, complete, sighting, good, site)
        good.take(sighting)
        if sighting.product is not None and linked is None:
            good.seen_by.append((sighting.target_id, job_id))
    _write(connection, list(goods.values()))
    _rate.run(connection, [(*key, count, complete[key]) for key, count in sorted(rates.items())])
    return ProductsNoted(
        sum(good.told is not None or _is_news(good) for good in goods.values()),
        tuple(change for good in goods.values() for change in _changes(good)),
        {target: good.life.offer_at for target, good in places.items() if good.life},
    )


def _is_news(good: _Good) -> bool:
    return bool(good.life and good.before and good.life.updated_at != good.before.updated_at)


def _good(identity: tuple[int, bytes], url: str, known: Sequence[Any]) -> _Good:
    id, name, sku, gtin, price, currency, regular, availability, details, *lived = known
    if id is None:
        return _Good(*identity, url, None, None, None)
    digest, status, listed, offered, *times = lived
    sure = ProductStatus.LISTED if listed else ProductStatus.DELISTED
    offer = OfferState(price or "", currency or "", regular or "", Stock(availability or ""), sure)
    is_sure = status != ProductStatus.UNKNOWN
    life = ProductLife(offer, bytes(digest), is_sure, bool(offered), *times)
    read = msgspec.json.decode(details)
    parser = (read.get("parser", "generic"), read.get("parser_version", ""))
    names = (name, sku or "", gtin or "")
    return _Good(*identity, url, id, life, life, names=names, parser=parser)


def _count(
    rates: Counter[tuple[str, str, str, int]],
    complete: Counter[tuple[str, str, str, int]],
    seen: Sighting,
    good: _Good,
    site: str,
) -> None:
    if seen.finding is not ProductFinding.READ:
        return
    day, product = int(seen.at // _DAY), seen.product
    if product is not None:
        key = (site, product.parser, product.parser_version, day)
        rates[key] += 1
        complete[key] += product.is_complete
    elif good.life is not None and good.life.is_offered:
        # It was a product's page before: it offers nothing any more, or the parser lost it.
        rates[site, *good.parser, day] += 1


def _write(connection: Connection, goods: list[_Good]) -> None:
    new = [good for good in goods if good.id is None and good.life and good.told]
    _insert.run(
        connection,
        [(g.host_id, g.key, g.url, *_content(g.told), *_life(g.life))
         for g in new if g.told and g.life],
    )  # fmt: skip
    ids = dict(_named.run(connection, [g.seen_by[0][0] for g in new])) if new else {}
    for good in new:
        good.id = ids[good.seen_by[0][0]]
    known = [g for g in goods if g.before is not None and g.life != g.before]
    changed = [g for g in known if g.told is not None]
    _rewrite.run(
        connection,
        [(*_content(g.told), *_life(g.life), g.id) for g in changed if g.told and g.life],
    )
    _confirm.run(connection, [(*_life(g.life), g.id) for g in known if g.life and not g.told])
    _link.run(
        connection,
        [(target, job, g.id) for g in goods for target, job in dict.fromkeys(g.seen_by)],
    )
    _insert_prices.run(
        connection,
        [(g.id, at, *_price(offer)) for g in goods for at, offer in g.prices.items()],
    )
    _insert_stock.run(
        connection,
        [(g.id, at, offer.availability.value or None, offer.status is ProductStatus.LISTED)
         for g in goods for at, offer in g.stock.items()],
    )  # fmt: skip
    _replace_terms(connection, new, changed)
    _replace_images(connection, new, changed)


def _changes(good: _Good) -> Iterable[ProductChange]:
    assert good.id is not None or not good.changes
    for target_id, at, old, new in good.changes:
        yield ProductChange(target_id, good.id or 0, *good.names, at, old, new)


def _content(product: Product) -> tuple[Any, ...]:
    details = {name: getattr(product, name) for name in _DETAILS if getattr(product, name)}
    return (
        product.name,
        product.brand or None,
        product.category or None,
        product.sku or None,
        product.mpn or None,
        product.gtin or None,
        product.price or None,
        float(product.price) if product.price else None,
        product.currency or None,
        product.regular_price or None,
        product.availability.value or None,
        product.rating,
        msgspec.json.encode(details).decode(),
    )


def _life(life: ProductLife) -> tuple[Any, ...]:
    return (
        life.digest,
        life.status.value,
        life.is_listed,
        life.is_offered,
        life.first_seen_at,
        life.updated_at,
        life.offer_at,
        life.read_at,
        life.last_seen_at,
        life.confirmed_at,
    )


def _price(offer: OfferState) -> tuple[str | None, ...]:
    return (offer.price or None, offer.currency or None, offer.regular_price or None)


def _replace_terms(connection: Connection, new: list[_Good], changed: list[_Good]) -> None:
    for some in in_groups([g.id for g in changed if g.id is not None]):
        connection.execute(sa.delete(product_terms).where(product_terms.c.product_id.in_(some)))
    rows: list[tuple[Any, ...]] = []
    for good in (*new, *changed):
        for field in TERMS:
            value = folded(field, getattr(good.told, field))
            if value:
                rows.append((field, value, good.id))
    _insert_terms.run(connection, rows)


def _replace_images(connection: Connection, new: list[_Good], changed: list[_Good]) -> None:
    shown = [(g.id, i) for g in (*new, *changed) if g.told is not None for i in g.told.images]
    urls = sorted({image.url for _, image in shown})
    known = {url: told for url, *told in _had.run(connection, urls)} if urls else {}
    for some in in_groups([g.id for g in changed if g.id is not None]):
        connection.execute(sa.delete(images).where(images.c.product_id.in_(some)))
    rows: list[tuple[Any, ...]] = []
    for product_id, image in shown:
        width, height, size, digest = known.get(image.url, (image.width, image.height, None, None))
        rows.append(
            (product_id, image.position, image.url, image.alt or None, image.kind.value,
             width, height, size, digest)
        )  # fmt: skip
    _insert_images.run(connection, rows)
