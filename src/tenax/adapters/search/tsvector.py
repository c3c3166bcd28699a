"""The full-text index on PostgreSQL: text vectors (GIN) in a table of its own beside the ledger's.

Words are cut and folded here, not by PostgreSQL: its parser takes hosts, numbers and hyphens for
something else than other indexes do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import asyncpg
import orjson

from tenax.page.wording import words_of
from tenax.ports import Unavailable
from tenax.ports.search import EQUAL, FIELDS, Doc, Hit, Query, SearchResults, Words

_TABLE = "search_docs"
_SCHEMA = f"""
CREATE TABLE IF NOT EXISTS {_TABLE} (
    id BIGINT PRIMARY KEY, version TEXT NOT NULL, job TEXT NOT NULL, host TEXT NOT NULL,
    url TEXT NOT NULL, at DOUBLE PRECISION NOT NULL, title TEXT NOT NULL,
    description TEXT NOT NULL, text TEXT NOT NULL, language TEXT NOT NULL, brand TEXT NOT NULL,
    category TEXT NOT NULL, price DOUBLE PRECISION, currency TEXT NOT NULL,
    facets JSONB NOT NULL, words TSVECTOR NOT NULL);
DO $$ BEGIN
    -- Looked up first: to alter a table, even by nothing, waits for all who read it.
    IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = '{_TABLE}'::regclass
                   AND attname = 'record') THEN
        ALTER TABLE {_TABLE}
            ADD COLUMN IF NOT EXISTS sku TEXT NOT NULL DEFAULT '',
            ADD COLUMN IF NOT EXISTS mpn TEXT NOT NULL DEFAULT '',
            ADD COLUMN IF NOT EXISTS gtin TEXT NOT NULL DEFAULT '',
            ADD COLUMN IF NOT EXISTS availability TEXT NOT NULL DEFAULT '',
            ADD COLUMN IF NOT EXISTS status TEXT NOT NULL DEFAULT '',
            ADD COLUMN IF NOT EXISTS rating DOUBLE PRECISION,
            ADD COLUMN IF NOT EXISTS record TEXT NOT NULL DEFAULT '';
    END IF;
END $$;
CREATE INDEX IF NOT EXISTS {_TABLE}_facets ON {_TABLE} USING GIN (facets jsonb_path_ops);
CREATE INDEX IF NOT EXISTS {_TABLE}_words ON {_TABLE} USING GIN (words);
CREATE INDEX IF NOT EXISTS {_TABLE}_at ON {_TABLE} (at);
"""
_NAMES = (
    "id", "version", "job", "host", "url", "at", "title", "description", "text", "language",
    "brand", "category", "price", "currency", "sku", "mpn", "gtin", "availability", "status",
    "rating", "record",
)  # fmt: skip
_WEIGHTS = dict(zip(FIELDS, "ABCD", strict=True))
_RANK = "ts_rank('{0.1, 0.2, 0.4, 1.0}', words, $1::tsquery)"
_MOST_WORDS = 16_000
"""Of a field: a vector remembers no more places, and must not exceed a megabyte."""
_VECTOR = " || ".join(
    f"setweight(to_tsvector('simple', ${len(_NAMES) + 2 + number}), '{weight}')"
    for number, weight in enumerate(_WEIGHTS.values())
)
_UPSERT = (
    f"INSERT INTO {_TABLE} ({', '.join(_NAMES)}, facets, words)"
    f" VALUES ({', '.join(f'${number + 1}' for number in range(len(_NAMES) + 1))}, {_VECTOR})"
    f" ON CONFLICT (id) DO UPDATE SET"
    f" {', '.join(f'{name} = excluded.{name}' for name in (*_NAMES[1:], 'facets', 'words'))}"
)


class TsvectorIndex:
    def __init__(self, url: str, shown: str) -> None:
        """`shown` is the URL as it may be told, without secrets."""
        self._url = url
        self._shown = shown
        self._opened: asyncpg.Connection | None = None

    async def put(self, docs: Sequence[Doc]) -> None:
        rows = [
            (*_values(doc), _facets(doc), *(_words(getattr(doc, name)) for name in FIELDS))
            for doc in docs
        ]
        connection = await self._connection()
        try:
            await connection.executemany(_UPSERT, rows)
        except _FAILURES as error:
            raise self._unavailable(error) from error

    async def remove(self, ids: Sequence[int]) -> None:
        await self._ask(f"DELETE FROM {_TABLE} WHERE id = ANY($1::bigint[])", list(ids))

    async def versions(self, after: int, limit: int) -> list[tuple[int, str]]:
        query = f"SELECT id, version FROM {_TABLE} WHERE id > $1 ORDER BY id LIMIT $2"
        return [(row["id"], row["version"]) for row in await self._ask(query, after, limit)]

    async def search(self, query: Query, limit: int = 10, skip: int = 0) -> SearchResults:
        # The first parameter is the text query, whether there are words or not.
        values: list[Any] = [_expression(query)]
        where = ["words @@ $1::tsquery"] if values[0] else ["$1::text = ''"]
        where += _filters(query, values)
        score = _RANK if query.all_of else "0.0::real"
        condition = " AND ".join(where)
        (counted,) = await self._ask(
            f"SELECT count(*) AS total FROM {_TABLE} WHERE {condition}", *values
        )
        rows = await self._ask(
            f"SELECT {', '.join(_NAMES)}, {score} AS score FROM {_TABLE} WHERE {condition}"
            f" ORDER BY score DESC, at DESC, id LIMIT {limit:d} OFFSET {skip:d}",
            *values,
        )
        hits = [Hit(Doc(**{name: row[name] for name in _NAMES}), row["score"]) for row in rows]
        return SearchResults(tuple(hits), counted["total"])

    async def clear(self) -> None:
        await self._ask(f"TRUNCATE {_TABLE}")

    async def close(self) -> None:
        if self._opened is not None:
            await self._opened.close()
            self._opened = None

    async def _ask(self, query: str, *values: Any) -> list[Any]:
        connection = await self._connection()
        try:
            return list(await connection.fetch(query, *values))
        except _FAILURES as error:
            raise self._unavailable(error) from error

    async def _connection(self) -> Any:
        if self._opened is None or self._opened.is_closed():
            try:
                self._opened = await asyncpg.connect(self._url, timeout=10)
                await self._opened.execute(_SCHEMA)
            except _FAILURES as error:
                raise self._unavailable(error) from error
        return self._opened

    def _unavailable(self, error: BaseException) -> Unavailable:
        return Unavailable(
            f"search = {self._shown}: PostgreSQL does not answer ({type(error).__name__}: {error})."
            " See that it runs and that the account may create a table."
        )


_FAILURES = (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError)


def _values(doc: Doc) -> tuple[Any, ...]:
    # PostgreSQL has no room for NUL in a text.
    return tuple(
        value.replace("\x00", " ") if isinstance(value, str) else value
        for value in (getattr(doc, name) for name in _NAMES)
    )


def _facets(doc: Doc) -> str:
    """What is compared whatever its case; PostgreSQL's own `lower` depends on how it was set up."""
    lower = {name: getattr(doc, name).lower().replace("\x00", " ") for name in EQUAL}
    return orjson.dumps(lower).decode()


def _words(text: str) -> str:
    return " ".join(words_of(text)[:_MOST_WORDS])


def _expression(query: Query) -> str:
    """In the language of tsquery. Words are letters and digits, so quotes need no care."""
    wanted = [_phrase(words) for words in query.all_of]
    unwanted = [f"!{_phrase(words)}" for words in query.none_of]
    return " & ".join(wanted + unwanted)


def _phrase(words: Words) -> str:
    weight = f":{_WEIGHTS[words.field]}" if words.field else ""
    quoted = [f"'{word}'{weight}" for word in words.words]
    return f"({' <-> '.join(quoted)})"


def _filters(query: Query, values: list[Any]) -> list[str]:
    """Conditions; what they compare with is added to the values."""
    where = []
    for name in EQUAL:
        if among := query.equal.get(name):
            # Each by itself: an index of JSON is asked what contains this, not what is among those.
            first = len(values) + 1
            values += [orjson.dumps({name: each.replace("\x00", " ")}).decode() for each in among]
            places = range(first, len(values) + 1)
            where.append(f"({' OR '.join(f'facets @> ${n}::jsonb' for n in places)})")
        if among := query.unequal.get(name):
            values.append(list(among))
            where.append(f"facets->>'{name}' <> ALL(${len(values)}::text[])")
    for name, span in query.spans:
        for sign, bound in ((">=", span.low), ("<=", span.high)):
            if bound is not None:
                values.append(float(bound))
                where.append(f"{name} {sign} ${len(values)}")
    return where
