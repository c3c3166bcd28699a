"""Lists of products in bounded steps: by one index, a window of it at a time."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine.dialects import go_by_indexes
from tenax.adapters.sql.records.products import (
    find_query,
    is_led_by_span,
    records_of,
    spans_of,
)
from tenax.adapters.sql.schema.tables import (
    hosts,
    jobs,
    product_jobs,
    product_terms,
    products,
)
from tenax.ports.products import TERMS, ProductFilter, ProductRecord, folded

WINDOW = 5_000


def find(
    connection: Connection, wanted: ProductFilter, after: int, limit: int
) -> tuple[list[ProductRecord], int | None]:
    """Behind the product of this id, and where to go on; None at the end."""
    go_by_indexes(connection)
    if is_led_by_span(wanted) and _are_few(connection, wanted):
        found = records_of(connection, find_query(wanted, after, limit))
        return found, found[-1].id if len(found) == limit else None
    lead = _lead(wanted)
    id = lead.selected_columns[0]
    window = lead.where(id > after).order_by(id).limit(WINDOW).subquery()
    count, last = connection.execute(sa.select(sa.func.count(), sa.func.max(window.c[0]))).one()
    if not count:
        # To find that there are none, PostgreSQL would look at all products.
        return [], None
    end = last if count == WINDOW else None
    found = records_of(connection, find_query(wanted, after, limit, end))
    return found, found[-1].id if len(found) == limit else end


def _are_few(connection: Connection, wanted: ProductFilter) -> bool:
    """Whether what is within the bounds can be put in order for one answer."""
    some = sa.select(products.c.id).where(*spans_of(wanted)).limit(WINDOW + 1).subquery()
    counted = connection.execute(sa.select(sa.func.count()).select_from(some)).scalar_one()
    return int(counted) <= WINDOW


def _lead(wanted: ProductFilter) -> sa.Select[Any]:
    """The ids among which the list is looked for, in the order of one index."""
    for field in TERMS:
        if (value := getattr(wanted, field)) is not None:
            return sa.select(product_terms.c.product_id).where(
                product_terms.c.field == field, product_terms.c.value == folded(field, value)
            )
    if wanted.job is not None:
        job = sa.select(jobs.c.id).where(jobs.c.name == wanted.job).scalar_subquery()
        return sa.select(product_jobs.c.product_id).where(product_jobs.c.job_id == job)
    if wanted.host is not None:
        host = sa.select(hosts.c.id).where(hosts.c.name == wanted.host).scalar_subquery()
        return sa.select(products.c.id).where(products.c.host_id == host)
    if wanted.status is not None:
        return sa.select(products.c.id).where(products.c.status == wanted.status.value)
    return sa.select(products.c.id)
