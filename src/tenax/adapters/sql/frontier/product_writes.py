"""The product rows of a commit: what its visits say of products, and of their pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine.bulk import Bulk, Statement, in_groups
from tenax.adapters.sql.schema.tables import (
    images,
    product_jobs,
    product_prices,
    product_stock,
    product_terms,
    products,
)
from tenax.model import Page
from tenax.outcome import Attempt, Kept, Settlement
from tenax.page.picture import size_of

if TYPE_CHECKING:
    from tenax.adapters.sql.frontier.product_notes import ProductsNoted

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
_OF_A_PRODUCT = (
    (product_prices, product_prices.c.product_id),
    (product_stock, product_stock.c.product_id),
    (product_terms, product_terms.c.product_id),
    (images, images.c.product_id),
    (product_jobs, product_jobs.c.product_id),
    (products, products.c.id),
)
_any = Statement((), lambda _: sa.select(products.c.id).limit(1))


def write(
    connection: Connection,
    settlements: Sequence[Settlement],
    wants_products: Callable[[int], bool],
    now: float,
) -> ProductsNoted | None:
    """What these visits said about products; None where they can have said nothing.

    `wants_products` says whether a job reads them.
    """
    noted = None
    offers = any(s.page is not None and s.page.product is not None for s in settlements)
    # Most crawls see no product: those ask whether there are any, and no more than that.
    if offers or _any.run(connection):
        from tenax.adapters.sql.frontier.product_notes import note
        from tenax.crawl.product_life import sighting

        seen = [sighting(s, now, wants_products=wants_products(s.job_id)) for s in settlements]
        noted = note(connection, [each for each in seen if each is not None])
    pictured = [(s.image, s.attempt) for s in settlements if s.image is not None]
    if pictured:
        _note_pictures(connection, pictured)
    dropped = [s.target_id for s in settlements if s.kept is Kept.DROPPED]
    if dropped:
        _forget(connection, _at(connection, dropped))
    return noted


def release(connection: Connection, target_ids: Sequence[int]) -> None:
    """These targets go; with the last that has offered it, a product does."""
    ids = _at(connection, target_ids)
    for some in in_groups(target_ids):
        connection.execute(sa.delete(product_jobs).where(product_jobs.c.target_id.in_(some)))
    still = {
        id
        for some in in_groups(ids)
        for id in connection.execute(
            sa.select(product_jobs.c.product_id).where(product_jobs.c.product_id.in_(some))
        ).scalars()
    }
    _forget(connection, [id for id in ids if id not in still])


def _at(connection: Connection, target_ids: Sequence[int]) -> list[int]:
    """The products that these targets have offered."""
    column = product_jobs.c.product_id
    return sorted({
        id
        for some in in_groups(target_ids)
        for id in connection.execute(
            sa.select(column).where(product_jobs.c.target_id.in_(some))
        ).scalars()
    })  # fmt: skip


def _forget(connection: Connection, ids: Sequence[int]) -> None:
    for some in in_groups(ids):
        for table, column in _OF_A_PRODUCT:
            connection.execute(sa.delete(table).where(column.in_(some)))


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
