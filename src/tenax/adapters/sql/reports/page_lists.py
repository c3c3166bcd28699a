"""Lists of stored pages: in the order their URLs were found, or those fetched last first.

No index of pages by time is kept, which every page would pay for: visits stand in the order in
which they were made, and lead to them. Each step looks at a bounded number of rows.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine.dialects import as_list, go_by_indexes, is_among
from tenax.adapters.sql.records.pages import full_page, record
from tenax.adapters.sql.reports import url_lists
from tenax.adapters.sql.reports.url_lists import between, end_of, few_of, place_of, window_of
from tenax.adapters.sql.schema.tables import attempts, hosts, pages, targets
from tenax.outcome import Duplicate, Read
from tenax.ports import PageRecord
from tenax.ports.overview import ListOrder, Sieve

_STORED = (Read.word.value, Duplicate.word.value)
_later = attempts.alias()
_latest = (
    full_page.add_columns(attempts.c.id.label("visit"))
    .join(attempts, attempts.c.target_id == pages.c.target_id)
    .where(
        attempts.c.outcome.in_(_STORED),
        # A page that was fetched several times comes once, where it was fetched last.
        ~sa.exists().where(
            _later.c.target_id == attempts.c.target_id,
            _later.c.id > attempts.c.id,
            _later.c.outcome.in_(_STORED),
        ),
    )
)


def find(
    connection: Connection, sieve: Sieve, after: int, limit: int
) -> tuple[list[PageRecord], int | None]:
    """Behind this page's id, or behind this visit where the newest come first."""
    go_by_indexes(connection)
    place = place_of(connection, sieve.job, sieve.host)
    if place is None:
        return [], None
    few = few_of(connection, place)
    is_newest = sieve.order is ListOrder.NEWEST
    id = attempts.c.id if is_newest else pages.c.target_id
    query = _narrowed(_latest if is_newest else full_page, sieve, place)
    end: int | None = None
    order: sa.ColumnElement[int] = id
    # Named one by one: of a query PostgreSQL may think otherwise, and begin with all visits; of a
    # range of ids it may think that few of it meet the sieve, and read all targets for them.
    named: dict[str, Any] = {}
    if few is not None:
        named["few"] = as_list(connection, connection.execute(few).scalars())
        query = query.where(is_among(connection, pages.c.target_id, "few"))
        order = id + 0
    elif sieve.contains or sieve.duplicates is not None:
        window = window_of(connection, sa.select(id), id, after, newest=is_newest)
        end = window[-1] if len(window) == url_lists.WINDOW else None
        named["window"] = as_list(connection, window)
        query = query.where(is_among(connection, id, "window"))
        order = id + 0
    else:
        end = end_of(connection, sa.select(id), id, after, newest=is_newest)
    query = between(query, id, after, end, newest=is_newest)
    query = query.order_by(order.desc() if is_newest else order).limit(limit)
    found = connection.execute(query, named).all()
    last = (found[-1].visit if is_newest else found[-1].target_id) if len(found) == limit else end
    return [record(row) for row in found], last


def _narrowed(query: sa.Select[Any], sieve: Sieve, place: url_lists.ListPlace) -> sa.Select[Any]:
    if place.job_id is not None:
        query = query.where(pages.c.job_id == place.job_id)
    if place.host_id is not None:
        query = query.where(targets.c.host_id == place.host_id)
    if sieve.duplicates is not None:
        query = query.where(pages.c.duplicate_of.is_not(None) == sieve.duplicates)
    if sieve.contains:
        looked_at = (pages.c.title, pages.c.final_url, hosts.c.origin + targets.c.url)
        query = query.where(
            sa.or_(*(text.icontains(sieve.contains, autoescape=True) for text in looked_at))
        )
    return query
