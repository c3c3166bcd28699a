"""The full-text index on OpenSearch and Elasticsearch: bulk upserts; only their clients differ.

What words there are is decided by us: their analysers only cut at white space.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, TypeVar

import orjson

from tenax.page.wording import spaced
from tenax.ports import Unavailable
from tenax.ports.search import EQUAL, FIELDS, Doc, Hit, Query, SearchResults, Span, Words

T = TypeVar("T")
Ask = Callable[[str, str, Any, dict[str, str]], tuple[int, Any]]
"""Method, path, body (JSON, or bytes of lines of it), parameters; the status and the answer."""

_NAMES = (
    "id", "version", "job", "host", "url", "at", "title", "description", "text", "language",
    "brand", "category", "price", "currency", "sku", "mpn", "gtin", "availability", "status",
    "rating", "record",
)  # fmt: skip
_BOOSTS = dict(zip(FIELDS, (8, 3, 2, 1), strict=True))
_WORDS: dict[str, Any] = {"type": "text", "analyzer": "whitespace"}
_MAPPING: dict[str, Any] = {
    "dynamic": False,
    "properties": {
        "id": {"type": "long"},
        "version": {"type": "keyword"},
        "at": {"type": "double"},
        "price": {"type": "double"},
        "rating": {"type": "double"},
        **{name: {"type": "keyword", "ignore_above": 1000} for name in (f"is_{n}" for n in EQUAL)},
        **{f"in_{name}": _WORDS for name in FIELDS},
    },
}


class ClusterIndex:
    def __init__(self, ask: Ask, name: str, shown: str, close: Callable[[], None]) -> None:
        self._ask_sync = ask
        self._name = name
        self._shown = shown
        self._close = close
        self._is_made = False

    async def put(self, docs: Sequence[Doc]) -> None:
        lines = []
        for doc in docs:
            lines += [{"index": {"_id": str(doc.id)}}, _source(doc)]
        await self._bulk(lines)

    async def remove(self, ids: Sequence[int]) -> None:
        await self._bulk([{"delete": {"_id": str(id)}} for id in ids])

    async def versions(self, after: int, limit: int) -> list[tuple[int, str]]:
        answer = await self._search({
            "size": limit,
            "query": {"range": {"id": {"gt": after}}},
            "sort": [{"id": "asc"}],
            "_source": ["id", "version"],
        })  # fmt: skip
        return [(h["_source"]["id"], h["_source"]["version"]) for h in answer["hits"]["hits"]]

    async def search(self, query: Query, limit: int = 10, skip: int = 0) -> SearchResults:
        order: list[Any] = [{"at": "desc"}, {"id": "asc"}]
        answer = await self._search({
            "size": limit,
            "from": skip,
            "track_total_hits": True,
            "track_scores": True,
            "query": _bool(query),
            "sort": ["_score", *order] if query.all_of else order,
            "_source": list(_NAMES),
        })  # fmt: skip
        hits = [
            Hit(Doc(**each["_source"]), each["_score"] or 0.0) for each in answer["hits"]["hits"]
        ]
        return SearchResults(tuple(hits), answer["hits"]["total"]["value"])

    async def clear(self) -> None:
        await self._ask("DELETE", f"/{self._name}", allow=(404,))
        self._is_made = False
        await self._make()

    async def close(self) -> None:
        self._close()

    async def _bulk(self, lines: Sequence[Any]) -> None:
        if not lines:
            return
        await self._make()
        body = b"".join(orjson.dumps(line) + b"\n" for line in lines)
        answer = await self._ask("POST", f"/{self._name}/_bulk", body, refresh="true")
        errors = [
            result["error"]
            for item in answer["items"]
            for result in item.values()
            if "error" in result
        ]
        if errors:
            raise Unavailable(f"search = {self._shown}: it refused a document ({errors[0]}).")

    async def _search(self, body: dict[str, Any]) -> Any:
        await self._make()
        return await self._ask("POST", f"/{self._name}/_search", body)

    async def _make(self) -> None:
        """Make the index where there is none."""
        if self._is_made:
            return
        settings = {"mappings": _MAPPING, "settings": {"index.refresh_interval": "1s"}}
        # 400: it is there already.
        await self._ask("PUT", f"/{self._name}", settings, allow=(400,))
        # One of an older version lacks some fields; adding them changes nothing else.
        await self._ask("PUT", f"/{self._name}/_mapping", _MAPPING)
        self._is_made = True

    async def _ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        allow: Sequence[int] = (),
        **parameters: str,
    ) -> Any:
        status, answer = await _in_background(
            lambda: self._ask_sync(method, path, body, parameters)
        )
        if status >= 400 and status not in allow:
            why = answer if isinstance(answer, str) else orjson.dumps(answer).decode()
            raise Unavailable(
                f"search = {self._shown}: {status} to {method} {path} ({why[:300]}). See that it"
                " runs and has room on its disk."
            )
        return answer


def _in_background(work: Callable[[], T]) -> asyncio.Future[T]:
    """In a thread that nobody waits for: one of an executor would keep the program from ending for
    as long as the server does not answer."""
    loop = asyncio.get_running_loop()
    told: asyncio.Future[T] = loop.create_future()

    def tell(how: Callable[[Any], None], what: Any) -> None:
        def now() -> None:
            if not told.done():
                how(what)

        with suppress(RuntimeError):  # nobody is there any more
            loop.call_soon_threadsafe(now)

    def run() -> None:
        try:
            answer = work()
        except Exception as error:
            tell(told.set_exception, error)
        else:
            tell(told.set_result, answer)

    threading.Thread(target=run, name="search", daemon=True).start()
    return told


def _source(doc: Doc) -> dict[str, Any]:
    kept = {name: getattr(doc, name) for name in _NAMES}
    compared = {f"is_{name}": getattr(doc, name).lower() for name in EQUAL}
    return kept | compared | {f"in_{name}": spaced(getattr(doc, name)) for name in FIELDS}


def _bool(query: Query) -> dict[str, Any]:
    terms: list[dict[str, Any]] = [
        {"terms": {f"is_{name}": list(among)}} for name, among in query.equal.items()
    ]
    terms += [{"range": {name: _bounds(span)}} for name, span in query.spans if _bounds(span)]
    unwanted = [{"terms": {f"is_{name}": list(among)}} for name, among in query.unequal.items()]
    return {
        "bool": {
            "must": [_phrase(words) for words in query.all_of] or [{"match_all": {}}],
            "must_not": [*map(_phrase, query.none_of), *unwanted],
            "filter": terms,
        }
    }


def _phrase(words: Words) -> dict[str, Any]:
    names = (words.field,) if words.field else FIELDS
    return {
        "multi_match": {
            "query": " ".join(words.words),
            "type": "phrase",
            "fields": [f"in_{name}^{_BOOSTS[name]}" for name in names],
        }
    }


def _bounds(span: Span) -> dict[str, float]:
    both = (("gte", span.low), ("lte", span.high))
    return {name: bound for name, bound in both if bound is not None}
