"""The page rows of a commit: inserted, replaced, confirmed (304), marked stale, or dropped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine import codec
from tenax.adapters.sql.engine.bulk import Bulk, Lookup, inserting
from tenax.adapters.sql.frontier.tallies import StateTally
from tenax.adapters.sql.schema.tables import pages
from tenax.model import Page
from tenax.outcome import Kept, Settlement

_HALF = 1 << 63
_LATER = ("checked_at", "stale")
_insert = inserting(pages, [c.name for c in pages.c if c.name not in _LATER])
_there = Lookup(
    sa.select(
        pages.c.target_id,
        pages.c.content_hash,
        sa.func.coalesce(pages.c.changed_at, pages.c.fetched_at),
    ),
    pages.c.target_id,
)
_confirm = Bulk(
    ("at", "tag", "date", "target"),
    lambda _: (
        sa.update(pages)
        .where(pages.c.target_id == sa.bindparam("target"))
        .values(
            checked_at=sa.bindparam("at"),
            stale=sa.null(),
            etag=sa.func.coalesce(sa.bindparam("tag", type_=sa.String), pages.c.etag),
            last_modified=sa.func.coalesce(
                sa.bindparam("date", type_=sa.String), pages.c.last_modified
            ),
        )
    ),
)
_mark = Bulk(
    ("why", "target"),
    lambda _: (
        sa.update(pages)
        .where(pages.c.target_id == sa.bindparam("target"))
        .values(stale=sa.bindparam("why"))
    ),
)


def write(
    connection: Connection, settlements: Sequence[Settlement], tally: StateTally
) -> dict[int, int]:
    """What these visits mean for the pages of their targets; by target, how many more it has."""
    more: dict[int, int] = {}
    read = [s for s in settlements if s.page]
    if read:
        _store(connection, read, tally, more)
    kept = [s for s in settlements if s.kept]
    if kept:
        _keep(connection, kept, tally, more)
    return more


def _store(
    connection: Connection, read: list[Settlement], tally: StateTally, more: dict[int, int]
) -> None:
    again = {
        id: (bytes(text or b""), at)
        for id, text, at in _there.run(connection, [s.target_id for s in read])
    }
    if again:
        connection.execute(sa.delete(pages).where(pages.c.target_id.in_(again)))
    _insert.run(connection, [_row(s, s.page, again.get(s.target_id)) for s in read if s.page])
    for s in read:
        if s.target_id not in again:
            tally.page(s.job_id)
            more[s.target_id] = 1


def _keep(
    connection: Connection, kept: list[Settlement], tally: StateTally, more: dict[int, int]
) -> None:
    """Of visits that stored nothing: what they say of the page that is there (FE-4, FE-5)."""
    confirmed: list[tuple[Any, ...]] = []
    marked: list[tuple[Any, ...]] = []
    dropped: list[int] = []
    for s in kept:
        if s.kept is Kept.CHECKED and s.attempt is not None:
            etag, last_modified = s.validators
            at = round(s.attempt.at, 3)
            confirmed.append((at, etag or None, last_modified or None, s.target_id))
        elif s.kept is Kept.STALE:
            marked.append((s.stale, s.target_id))
        elif s.kept is Kept.DROPPED:
            dropped.append(s.target_id)
            tally.page(s.job_id, -1)
            more[s.target_id] = -1
    _confirm.run(connection, confirmed)
    _mark.run(connection, marked)
    if dropped:
        connection.execute(sa.delete(pages).where(pages.c.target_id.in_(dropped)))


def said(page: Page) -> tuple[Any, ...]:
    """What a page says of itself, from its content type to the hash of its text."""
    return (
        page.content_type or None,
        page.charset or None,
        page.title or None,
        page.description or None,
        page.canonical if page.canonical != page.url else None,
        page.language or None,
        page.published or None,
        page.modified or None,
        page.content_hash or None,
    )


def _row(settlement: Settlement, page: Page, before: tuple[bytes, float] | None) -> tuple[Any, ...]:
    """In the order of the table's columns. `before` is what the page said and since when."""
    said_before = before if before is not None and before[0] == page.content_hash else None
    has_moved = settlement.attempt is not None and settlement.attempt.chain
    return (
        settlement.target_id,
        settlement.job_id,
        settlement.url_hash,
        page.url if has_moved else None,
        page.status,
        *said(page),
        page.digest if page.size else None,
        page.size,
        page.words,
        len(page.links),
        round(page.fetched_at, 3),
        page.etag or None,
        page.last_modified or None,
        codec.pairs_text(page.rights),
        None if page.simhash is None else _signed(page.simhash),
        settlement.duplicate_of,
        None if said_before is None else said_before[1],
    )


def _signed(hashed: int) -> int:
    """As the first of its `turns`: a number of 64 bits, as databases have it."""
    return hashed - 2 * _HALF if hashed >= _HALF else hashed
