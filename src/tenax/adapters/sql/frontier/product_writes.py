"""The product rows of a commit: told by a content hash, so what did not change is not touched."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine.bulk import Bulk, Lookup, in_groups, inserting, of_rows
from tenax.adapters.sql.engine.dialects import dialect_insert
from tenax.adapters.sql.schema.tables import images, parse_rates, product_prices, products
from tenax.model import Page
from tenax.outcome import Attempt, Kept, Settlement
from tenax.page.picture import size_of

if TYPE_CHECKING:
    from tenax.model import Product
    from tenax.ports.products import Sighting

_DAY = 86_400
_SAID = (
    "name", "brand", "category", "sku", "gtin", "price", "amount", "currency", "availability",
    "details", "content_hash", "updated_at",
)  # fmt: skip
_DETAILS = (
    "description", "regular_price", "breadcrumbs", "mpn", "rating", "reviews", "confidence",
    "confidences", "problems", "parser", "parser_version",
)  # fmt: skip
_HASHED = (
    "name", "description", "price", "currency", "regular_price", "availability", "brand",
    "category", "breadcrumbs", "sku", "mpn", "gtin", "rating", "reviews",
)  # fmt: skip
_RATED = ("site", "parser", "version", "day", "pages", "complete")

_known = Lookup(
    sa.select(products.c.target_id, products.c.content_hash, products.c.details),
    products.c.target_id,
)
_priced = Lookup(
    sa.select(
        product_prices.c.target_id,
        product_prices.c.at,
        product_prices.c.price,
        product_prices.c.currency,
        product_prices.c.regular_price,
    ),
    product_prices.c.target_id,
)
_insert = inserting(products, ("target_id", "job_id", "first_seen_at", *_SAID))
_update = Bulk(
    (*(f"new_{name}" for name in _SAID), "target"),
    lambda _: (
        sa.update(products)
        .where(products.c.target_id == sa.bindparam("target"))
        .values({name: sa.bindparam(f"new_{name}", type_=products.c[name].type) for name in _SAID})
    ),
)


def _correct(connection: Connection) -> sa.Insert:
    """A page that is read again may have been misread at that moment: the last reading counts."""
    names = [c.name for c in product_prices.c]
    insert = of_rows(connection, dialect_insert(connection, product_prices), names)
    upsert: sa.Insert = insert.on_conflict_do_update(
        index_elements=["target_id", "at"], set_={name: insert.excluded[name] for name in names[2:]}
    )
    return upsert


_insert_prices = Bulk([c.name for c in product_prices.c], _correct)
_insert_images = inserting(
    images,
    ("target_id", "position", "url", "alt", "kind", "width", "height", "size", "digest"),
)
# Pictures that are there: another product, or the next version of one, need not fetch them again.
_had = Lookup(
    sa.select(images.c.url, images.c.width, images.c.height, images.c.size, images.c.digest).where(
        images.c.digest.is_not(None)
    ),
    images.c.url,
)
_measure = Bulk(
    ("new_width", "new_height", "new_size", "new_digest", "asked"),
    lambda _: (
        sa.update(images)
        .where(images.c.url == sa.bindparam("asked"))
        .values(
            width=sa.func.coalesce(sa.bindparam("new_width", type_=sa.Integer), images.c.width),
            height=sa.func.coalesce(sa.bindparam("new_height", type_=sa.Integer), images.c.height),
            size=sa.bindparam("new_size", type_=sa.BigInteger),
            digest=sa.bindparam("new_digest", type_=sa.LargeBinary),
        )
    ),
)


def _count_up(connection: Connection) -> sa.Insert:
    insert = of_rows(connection, dialect_insert(connection, parse_rates), _RATED)
    upsert: sa.Insert = insert.on_conflict_do_update(
        index_elements=["site", "parser", "version", "day"],
        set_={name: parse_rates.c[name] + insert.excluded[name] for name in ("pages", "complete")},
    )
    return upsert


_rate = Bulk(_RATED, _count_up)


def write(connection: Connection, settlements: Sequence[Settlement]) -> None:
    """What these visits said about products; nothing is asked where none said anything."""
    selling = [s for s in settlements if s.page and (s.page.product is not None or s.renews)]
    if selling:
        note(connection, [_sighting(s) for s in selling])
    pictured = [(s.image, s.attempt) for s in settlements if s.image is not None]
    if pictured:
        _note_pictures(connection, pictured)
    dropped = [s.target_id for s in settlements if s.kept is Kept.DROPPED]
    if dropped:
        forget(connection, dropped)


def _sighting(settled: Settlement) -> Sighting:
    # Most crawls see no product, and every crawl is to begin soon.
    from tenax.ports.products import Sighting

    page, site = settled.page, settled.host.name if settled.host else ""
    assert page is not None, "who sells something has a page"
    return Sighting(settled.target_id, page.fetched_at, page.product, settled.job_id, site)


def note(connection: Connection, seen: Sequence[Sighting]) -> int:
    """Write what is new; how many products changed."""
    known = {
        id: (bytes(digest), details)
        for id, digest, details in _known.run(connection, [s.target_id for s in seen])
    }
    new: list[tuple[Sighting, Product, bytes]] = []
    changed: list[tuple[Sighting, Product, bytes]] = []
    rates: Counter[tuple[str, str, str, int]] = Counter()
    complete: Counter[tuple[str, str, str, int]] = Counter()
    for sighting in seen:
        product, before = sighting.product, known.get(sighting.target_id)
        if product is None:
            if before is not None:
                # It was a product's page before: the parser lost it.
                parser, version = _parser_of(before[1])
                rates[sighting.site, parser, version, int(sighting.at // _DAY)] += 1
            continue
        key = (sighting.site, product.parser, product.parser_version, int(sighting.at // _DAY))
        rates[key] += 1
        complete[key] += product.is_complete
        digest = content_hash(product)
        if before is None:
            new.append((sighting, product, digest))
        elif before[0] != digest:
            changed.append((sighting, product, digest))
    _insert.run(
        connection,
        [(s.target_id, s.job_id, s.at, *_said(s, p, digest)) for s, p, digest in new],
    )
    _update.run(connection, [(*_said(s, p, digest), s.target_id) for s, p, digest in changed])
    _note_prices(connection, new, changed)
    _replace_images(connection, new, changed)
    _rate.run(connection, [(*key, count, complete[key]) for key, count in sorted(rates.items())])
    return len(new) + len(changed)


def forget(connection: Connection, target_ids: Sequence[int]) -> None:
    for some in in_groups(target_ids):
        for table in (products, product_prices, images):
            connection.execute(sa.delete(table).where(table.c.target_id.in_(some)))


def content_hash(product: Product) -> bytes:
    """SHA-256 of what a product is; how sure we are of it, and who read it, is none of that."""
    said = [getattr(product, name) for name in _HASHED]
    said += [[(i.url, i.alt, i.kind, i.width, i.height) for i in product.images]]
    return hashlib.sha256(msgspec.json.encode(said)).digest()


def _said(sighting: Sighting, product: Product, digest: bytes) -> tuple[Any, ...]:
    details = {name: getattr(product, name) for name in _DETAILS if getattr(product, name)}
    return (
        product.name,
        product.brand or None,
        product.category or None,
        product.sku or None,
        product.gtin or None,
        product.price or None,
        float(product.price) if product.price else None,
        product.currency or None,
        product.availability.value or None,
        msgspec.json.encode(details).decode(),
        digest,
        round(sighting.at, 3),
    )


def _parser_of(details: str) -> tuple[str, str]:
    read = msgspec.json.decode(details)
    return read.get("parser", "generic"), read.get("parser_version", "")


_Seen: TypeAlias = "Sequence[tuple[Sighting, Product, bytes]]"


def _note_prices(connection: Connection, new: _Seen, changed: _Seen) -> None:
    last: dict[int, tuple[float, tuple[Any, ...]]] = {}
    if changed:
        for id, at, *price in _priced.run(connection, [s.target_id for s, _, _ in changed]):
            if id not in last or at > last[id][0]:
                last[id] = (at, tuple(price))
    rows: list[tuple[Any, ...]] = []
    for sighting, product, _ in (*new, *changed):
        price = (product.price or None, product.currency or None, product.regular_price or None)
        before = last.get(sighting.target_id)
        if (before is None and product.price) or (before is not None and before[1] != price):
            rows.append((sighting.target_id, round(sighting.at, 3), *price))
    _insert_prices.run(connection, rows)


def _replace_images(connection: Connection, new: _Seen, changed: _Seen) -> None:
    shown = [(s.target_id, i) for s, product, _ in (*new, *changed) for i in product.images]
    urls = sorted({image.url for _, image in shown})
    known = {url: told for url, *told in _had.run(connection, urls)} if urls else {}
    for some in in_groups([s.target_id for s, _, _ in changed]):
        connection.execute(sa.delete(images).where(images.c.target_id.in_(some)))
    rows: list[tuple[Any, ...]] = []
    for target_id, image in shown:
        width, height, size, digest = known.get(image.url, (image.width, image.height, None, None))
        rows.append(
            (target_id, image.position, image.url, image.alt or None, image.kind.value,
             width, height, size, digest)
        )  # fmt: skip
    _insert_images.run(connection, rows)


def _note_pictures(connection: Connection, pictured: Sequence[tuple[Page, Attempt | None]]) -> None:
    """What downloaded pictures are like, for every product that shows them."""
    rows: dict[str, tuple[Any, ...]] = {}
    for page, attempt in pictured:
        body = page.body or b""
        width, height = size_of(body) or (None, None)
        # Asked for by the URL that the product names, wherever that led to.
        asked = attempt.chain[0] if attempt is not None and attempt.chain else page.url
        rows[asked] = (width, height, len(body), page.digest, asked)
    _measure.run(connection, list(rows.values()))
