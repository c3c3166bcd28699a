"""The full-text index on SQLite: FTS5, ranked by BM25, in a file of its own beside the ledger."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from tenax.page.wording import spaced
from tenax.ports import Unavailable
from tenax.ports.search import EQUAL, FIELDS, Doc, Hit, Query, SearchResults, Span, Words

T = TypeVar("T")
# `docs` has everything as it is, `texts` only the index of its words: kept twice they would take
# twice the room. `facets` has what is compared whole, in lower case.
_SCHEMA = """
CREATE TABLE IF NOT EXISTS docs (
    id INTEGER PRIMARY KEY, version TEXT, job TEXT, host TEXT, url TEXT, at REAL, title TEXT,
    description TEXT, text TEXT, language TEXT, brand TEXT, category TEXT, price REAL,
    currency TEXT, sku TEXT, mpn TEXT, gtin TEXT, availability TEXT, status TEXT, rating REAL,
    record TEXT);
CREATE TABLE IF NOT EXISTS facets (
    field TEXT, value TEXT, id INTEGER, PRIMARY KEY (field, value, id)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS facets_id ON facets (id);
CREATE INDEX IF NOT EXISTS docs_price ON docs (price) WHERE price IS NOT NULL;
CREATE INDEX IF NOT EXISTS docs_rating ON docs (rating) WHERE rating IS NOT NULL;
CREATE INDEX IF NOT EXISTS docs_at ON docs (at);
CREATE VIRTUAL TABLE IF NOT EXISTS texts USING fts5(
    title, description, url, text, content = '', tokenize = "unicode61 remove_diacritics 0");
"""
_NAMES = (
    "id", "version", "job", "host", "url", "at", "title", "description", "text", "language",
    "brand", "category", "price", "currency", "sku", "mpn", "gtin", "availability", "status",
    "rating", "record",
)  # fmt: skip
_INDEX = f"INSERT INTO texts (rowid, {', '.join(FIELDS)}) VALUES (?, ?, ?, ?, ?)"
_UNINDEX = f"INSERT INTO texts (texts, rowid, {', '.join(FIELDS)}) VALUES ('delete', ?, ?, ?, ?, ?)"
_WEIGHTS = "8.0, 3.0, 2.0, 1.0"
_BUSY = 15.0
_FORM = 3
"""Raised when words are cut otherwise, or the tables are others: what an older form has indexed
cannot even be forgotten. The next search makes it anew."""


class Fts5Index:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._opened: sqlite3.Connection | None = None

    async def put(self, docs: Sequence[Doc]) -> None:
        rows = [tuple(getattr(doc, name) for name in _NAMES) for doc in docs]
        words = [_words(doc.id, *(getattr(doc, name) for name in FIELDS)) for doc in docs]
        # SQLite's own lower knows ASCII only.
        facets = [
            (name, value.lower(), doc.id)
            for doc in docs
            for name in EQUAL
            if (value := getattr(doc, name))
        ]

        def work(connection: sqlite3.Connection) -> None:
            _forget(connection, [doc.id for doc in docs])
            connection.executemany(f"INSERT INTO docs VALUES ({_marks(_NAMES)})", rows)
            connection.executemany(_INDEX, words)
            connection.executemany("INSERT INTO facets VALUES (?, ?, ?)", facets)

        await self._do(work)

    async def remove(self, ids: Sequence[int]) -> None:
        await self._do(lambda connection: _forget(connection, ids))

    async def versions(self, after: int, limit: int) -> list[tuple[int, str]]:
        query = "SELECT id, version FROM docs WHERE id > ? ORDER BY id LIMIT ?"
        return await self._do(lambda c: c.execute(query, (after, limit)).fetchall())

    async def search(self, query: Query, limit: int = 10, skip: int = 0) -> SearchResults:
        source, order, score = "docs", "docs.at DESC", "0.0"
        where, values = _filters(query)
        if query.all_of:
            source = "docs JOIN texts ON texts.rowid = docs.id"
            where.insert(0, "texts MATCH ?")
            values.insert(0, _expression(query.all_of, query.none_of))
            score = f"-bm25(texts, {_WEIGHTS})"
            order = f"bm25(texts, {_WEIGHTS}), docs.at DESC"
        elif query.none_of:
            where.append("docs.id NOT IN (SELECT rowid FROM texts WHERE texts MATCH ?)")
            values.append(" OR ".join(map(_phrase, query.none_of)))
        condition = f" WHERE {' AND '.join(where)}" if where else ""
        columns = ", ".join(f"docs.{name}" for name in _NAMES)

        def work(connection: sqlite3.Connection) -> SearchResults:
            count = f"SELECT count(*) FROM {source}{condition}"
            (total,) = connection.execute(count, values).fetchone()
            rows = connection.execute(
                f"SELECT {columns}, {score} FROM {source}{condition} ORDER BY {order}, docs.id"
                " LIMIT ? OFFSET ?",
                (*values, limit, skip),
            )
            hits = [Hit(Doc(**dict(zip(_NAMES, row[:-1], strict=True))), row[-1]) for row in rows]
            return SearchResults(tuple(hits), total)

        return await self._do(work)

    async def clear(self) -> None:
        def work(connection: sqlite3.Connection) -> None:
            _drop(connection)
            _create(connection)

        await self._do(work)

    async def close(self) -> None:
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    async def _do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Where it is asked, as the ledger does: a thread would cost more than it saves."""
        try:
            if self._opened is None:
                self._opened = self._open()
            with self._opened:
                return work(self._opened)
        except sqlite3.Error as error:
            raise Unavailable(
                f"{self._path}: the search index failed ({error}). It is only a copy: delete"
                " the file, and `tenax reindex` makes it again."
            ) from error

    def _open(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=_BUSY)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        (form,) = connection.execute("PRAGMA user_version").fetchone()
        if form != _FORM:
            _drop(connection)
            connection.execute(f"PRAGMA user_version = {_FORM}")
        _create(connection)
        return connection


def _drop(connection: sqlite3.Connection) -> None:
    for name in ("docs", "texts", "facets"):
        connection.execute(f"DROP TABLE IF EXISTS {name}")


def _create(connection: sqlite3.Connection) -> None:
    for statement in _SCHEMA.strip().split(";\n"):
        connection.execute(statement)


def _forget(connection: sqlite3.Connection, ids: Sequence[int]) -> None:
    """An index without the texts has to be told what it forgets."""
    query = f"SELECT id, {', '.join(FIELDS)} FROM docs WHERE id = ?"
    for id in ids:
        for row in connection.execute(query, (id,)).fetchall():
            connection.execute(_UNINDEX, _words(*row))
            connection.execute("DELETE FROM docs WHERE id = ?", (id,))
            connection.execute("DELETE FROM facets WHERE id = ?", (id,))


def _words(id: int, *texts: str) -> tuple[Any, ...]:
    return (id, *map(spaced, texts))


def _marks(names: Sequence[str]) -> str:
    return ", ".join("?" * len(names))


def _expression(wanted: Sequence[Words], unwanted: Sequence[Words]) -> str:
    """In FTS5's own language. Words are letters and digits, so quotes need no care."""
    text = " AND ".join(map(_phrase, wanted))
    return f"({text}) NOT ({' OR '.join(map(_phrase, unwanted))})" if unwanted else text


def _phrase(words: Words) -> str:
    column = f"{{{words.field}}} : " if words.field else ""
    return f'({column}"{" ".join(words.words)}")'


def _filters(query: Query) -> tuple[list[str], list[Any]]:
    where: list[str] = []
    values: list[Any] = []
    for name in EQUAL:
        for wished, yes in ((query.equal, "IN"), (query.unequal, "NOT IN")):
            if among := wished.get(name):
                where.append(
                    f"docs.id {yes} (SELECT id FROM facets WHERE field = '{name}'"
                    f" AND value IN ({_marks(among)}))"
                )
                values += among
    for name, span in query.spans:
        where += [f"docs.{name} {sign} ?" for sign, _ in _bounds(span)]
        values += [bound for _, bound in _bounds(span)]
    return where, values


def _bounds(span: Span) -> list[tuple[str, float]]:
    both = ((">=", span.low), ("<=", span.high))
    return [(sign, bound) for sign, bound in both if bound is not None]
