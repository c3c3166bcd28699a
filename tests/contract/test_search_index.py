"""What every search index promises: the same query finds the same, whoever keeps the words."""

from __future__ import annotations

import functools
import os
import sqlite3
import threading
import urllib.error
import urllib.request
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tenax.adapters.search.fts5 import Fts5Index
from tenax.ops.search.query import parse
from tenax.ports import Unavailable
from tenax.ports.search import RECORDS, Doc, SearchIndex
from tests.live import absent, service

AT = 1_790_000_000.0


async def fts5(folder: Path) -> SearchIndex:
    return Fts5Index(folder / "search.db")


async def tsvector(_: Path) -> SearchIndex:
    from tenax.adapters.search.tsvector import TsvectorIndex
    from tests.postgres import empty_database

    return TsvectorIndex(await empty_database("search"), "postgresql:")


async def opensearch(_: Path) -> SearchIndex:
    from tenax.adapters.search.opensearch import open_index

    return open_index(service("opensearch").url, f"test-{uuid.uuid4().hex}", "opensearch:")


async def elasticsearch(_: Path) -> SearchIndex:
    """No package registry has a server that starts. Who has one names it; without, the client asks
    OpenSearch, which answers the same requests, by way of one who says that it is the other."""
    from tenax.adapters.search.elastic import open_index

    url = os.environ.get("ELASTICSEARCH_URL") or disguised(service("opensearch").url)
    return open_index(url, f"test-{uuid.uuid4().hex}", "elasticsearch:")


@functools.cache
def disguised(url: str) -> str:
    class Proxy(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            is_lines = "ndjson" in self.headers.get("content-type", "")
            kind = {"content-type": f"application/{'x-ndjson' if is_lines else 'json'}"}
            asked = urllib.request.Request(url + self.path, body or None, kind, method=self.command)
            try:
                with urllib.request.urlopen(asked) as got:
                    status, said = got.status, got.read()
            except urllib.error.HTTPError as refused:
                with refused:
                    status, said = refused.code, refused.read()
            self.send_response(status)
            self.send_header("X-Elastic-Product", "Elasticsearch")
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = answer

        def log_message(self, format: str, *args: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


INDEXES: dict[str, Callable[[Path], Awaitable[SearchIndex]]] = {
    "fts5": fts5,
    "tsvector": tsvector,
    "opensearch": opensearch,
    "elasticsearch": elasticsearch,
}


@pytest.fixture(params=INDEXES)
async def index(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[SearchIndex]:
    opened = await INDEXES[request.param](tmp_path)
    yield opened
    if request.param in ("opensearch", "elasticsearch"):
        await opened._ask("DELETE", f"/{opened._name}", allow=(404,))  # type: ignore[attr-defined]
    await opened.close()


KETTLE = Doc(
    1, "v1", "shop", "shop.example", "https://shop.example/kettle", AT,
    title="Stainless steel kettle", description="Boils water",
    text="A kettle of stainless steel. It boils water in two minutes.", language="en",
    brand="Acme", category="Kitchen & Home", price=29.5, currency="EUR", sku="K-17", mpn="M/1",
    gtin="4006381333931", availability="InStock", status="listed", rating=4.5,
)  # fmt: skip
TEAPOT = Doc(
    2, "v1", "shop", "shop.example", "https://shop.example/teapot", AT + 86_400,
    title="Teapot", text="Steel lid, stainless handle; goes with every kettle.", language="en",
    brand="Ürsel", category="Kitchen & Home", price=12.0, currency="EUR", sku="K-18",
    availability="OutOfStock", status="delisted", rating=3.0,
)  # fmt: skip
CAFE = Doc(
    3, "v1", "news", "news.example", "https://news.example/cafe-2026", AT + 2 * 86_400,
    title="Größe und Café", language="de",
    text="Über die Straße: Crème brûlée, USB-C und 日本語が書ける, 한국은, ภาษาไทย.",
)  # fmt: skip
QUOTE = Doc(
    RECORDS + 1, "v1", "shop", "shop.example", "https://shop.example/kettle", AT - 86_400,
    title="Ada", text="text: It boils\nauthor: Ada", record="Quote",
)  # fmt: skip
ALL = (KETTLE, TEAPOT, CAFE)


async def found(index: SearchIndex, text: str) -> list[int]:
    answer = await index.search(parse(text))
    assert answer.total == len(answer.hits)
    return [hit.doc.id for hit in answer.hits]


QUERIES: list[tuple[str, set[int]]] = [
    ("kettle", {1, 2}),
    ("KETTLE steel", {1, 2}),
    ('"stainless steel"', {1}),
    ("kettle -teapot", {1}),
    ('kettle -"boils water"', {2}),
    ("title:kettle", {1}),
    ("url:kettle", {1}),
    ("description:boils", {1}),
    ('title:"steel kettle"', {1}),
    ("kett", set()),
    ("cafe", {3}),
    ("grosse", {3}),
    ("strasse creme brulee", {3}),
    ("Brûlée", {3}),
    ("usb-c", {3}),
    ("日本", {3}),
    ("本語", {3}),
    ("日語", set()),
    ("が書", {3}),
    ("か書", set()),
    ("한국", {3}),
    ("ไทย", {3}),
    ("nothing", set()),
    ("host:shop.example", {1, 2}),
    ("job:NEWS", {3}),
    ("-job:news", {1, 2}),
    ("lang:de", {3}),
    ("brand:acme", {1}),
    ("brand:ürsel", {2}),
    ('category:"kitchen & home" kettle', {1, 2}),
    ("sku:k-17", {1}),
    ("mpn:m/1", {1}),
    ("gtin:04006381333931", {1}),
    ("gtin:4006381333932", set()),
    ('availability:"out of stock"', {2}),
    ("status:listed", {1}),
    ("-status:delisted", {1, 3}),
    ("rating:>4", {1}),
    ("rating:2..4 kettle", {2}),
    ("price:10..20", {2}),
    ("price:>20", {1}),
    ("price:29.5", {1}),
    ("kettle price:<20", {2}),
    ("date:2026-09-22", {2}),
    ("since:2026-09-22", {2, 3}),
    ("before:2026-09-22", {1}),
    ("-kettle", {3}),
    ("-kettle -cafe", set()),
    ("currency:eur -brand:acme", {2}),
    ("host:shop.example host:news.example", {1, 2, 3}),
    ("", {1, 2, 3}),
]


async def test_a_query_finds_what_it_says(index: SearchIndex, subtests: pytest.Subtests) -> None:
    await index.put(ALL)
    for query, ids in QUERIES:
        with subtests.test(query):
            assert set(await found(index, query)) == ids


async def test_records_are_found_beside_pages_and_by_name(index: SearchIndex) -> None:
    await index.put((*ALL, QUOTE))
    assert set(await found(index, "boils")) == {1, QUOTE.id}
    assert await found(index, "record:quote") == [QUOTE.id]
    assert await found(index, "record:quote kettle -title:ada") == []
    assert await found(index, "boils -record:quote") == [1]
    assert (await index.search(parse("record:quote"))).hits[0].doc == QUOTE
    assert await index.versions(3, 10) == [(QUOTE.id, "v1")]
    await index.remove([QUOTE.id])
    assert await found(index, "record:quote") == []


async def test_the_better_match_comes_first(index: SearchIndex) -> None:
    await index.put(ALL)
    assert await found(index, "kettle") == [1, 2]
    first, second = (await index.search(parse("kettle"))).hits
    assert first.score > second.score


async def test_without_words_the_newest_comes_first(index: SearchIndex) -> None:
    await index.put(ALL)
    assert await found(index, "") == [3, 2, 1]


async def test_what_is_found_is_what_was_put(index: SearchIndex) -> None:
    await index.put(ALL)
    (hit,) = (await index.search(parse("strasse"))).hits
    assert hit.doc == CAFE


async def test_a_document_that_is_put_again_is_another_one(index: SearchIndex) -> None:
    await index.put(ALL)
    await index.put([replace(KETTLE, version="v2", title="Saucepan", text="new", url="https://s/")])
    assert await found(index, "saucepan") == [1]
    assert await found(index, "minutes") == []
    assert await found(index, "title:stainless") == []


async def test_what_is_removed_is_not_found(index: SearchIndex) -> None:
    await index.put(ALL)
    await index.remove([1, 999])
    assert set(await found(index, "kettle")) == {2}
    await index.remove([])
    await index.clear()
    assert await found(index, "") == []
    await index.put([CAFE])
    assert await found(index, "cafe") == [3]


async def test_versions_are_told_in_order_and_in_steps(index: SearchIndex) -> None:
    assert await index.versions(0, 10) == []
    await index.put([replace(TEAPOT, version="other"), CAFE, KETTLE])
    assert await index.versions(0, 2) == [(1, "v1"), (2, "other")]
    assert await index.versions(2, 2) == [(3, "v1")]


async def test_an_answer_can_be_read_in_parts(index: SearchIndex) -> None:
    await index.put([replace(KETTLE, id=n, at=AT + n) for n in range(1, 8)])
    first = await index.search(parse("host:shop.example"), limit=3)
    second = await index.search(parse("host:shop.example"), limit=3, skip=3)
    assert [h.doc.id for h in (*first.hits, *second.hits)] == [7, 6, 5, 4, 3, 2]
    assert first.total == second.total == 7


async def test_hostile_texts_are_only_texts(index: SearchIndex) -> None:
    hostile = "x' OR 1=1; DROP TABLE docs; -- \x00 \" {} : * ^ <b> NEAR( AND"
    await index.put([replace(KETTLE, text=hostile, title=hostile)])
    assert await found(index, "drop table docs") == [1]
    for query in (
        hostile,
        "'",
        '"',
        "a AND OR NOT",
        "NEAR(a b)",
        "^*",
        "title:^*",
        "(((",
        '"a:b:c"',
    ):
        await found(index, query)


async def test_very_long_texts_and_words_are_taken(index: SearchIndex) -> None:
    words = " ".join(f"word{n}" for n in range(60_000))
    await index.put([replace(KETTLE, text=f"begin {words} {'x' * 100_000}")])
    assert await found(index, "begin word7") == [1]


@pytest.mark.parametrize("name", ["tsvector", "opensearch"])
async def test_a_server_that_is_not_there_is_told_without_its_secrets(name: str) -> None:
    if name == "tsvector":
        from tenax.adapters.search.tsvector import TsvectorIndex

        index: SearchIndex = TsvectorIndex("postgresql://u:secret@127.0.0.1:9/x", "postgresql://…")
    else:
        from tenax.adapters.search.opensearch import open_index

        index = open_index("http://u:secret@127.0.0.1:9", "x", "opensearch://…")
    with pytest.raises(Unavailable, match="does not answer") as told:
        await index.search(parse("x"))
    assert "secret" not in str(told.value)
    await index.close()


@pytest.mark.parametrize(("ci", "how"), [("true", pytest.fail), ("", pytest.skip)])
def test_a_missing_service_is_said_plainly(
    ci: str, how: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", ci)
    with pytest.raises(how.Exception, match="gone"):
        absent("gone")


async def test_an_index_of_an_older_form_begins_anew(tmp_path: Path) -> None:
    """Words cut otherwise could neither be found nor forgotten."""
    path = tmp_path / "search.db"
    with closing(sqlite3.connect(path)) as old:
        old.execute("CREATE TABLE docs (id INTEGER)")
        old.execute("INSERT INTO docs VALUES (1)")
        old.commit()
    opened = Fts5Index(path)
    assert await opened.versions(0, 10) == []
    await opened.put([KETTLE])
    await opened.close()
    again = Fts5Index(path)
    assert await found(again, "kettle") == [1]
    await again.close()


async def test_numbers_are_found_by_an_index_not_by_looking_at_all(tmp_path: Path) -> None:
    index = Fts5Index(tmp_path / "search.db")
    await index.put(ALL)
    plans: list[str] = []
    assert index._opened is not None
    index._opened.set_trace_callback(plans.append)
    for query in ("sku:k-17", "gtin:4006381333931", "brand:acme availability:instock"):
        assert await found(index, query) == [1]
    index._opened.set_trace_callback(None)
    for statement in [each for each in plans if each.startswith("SELECT count")]:
        steps = index._opened.execute(f"EXPLAIN QUERY PLAN {statement}").fetchall()
        told = [step[-1] for step in steps]
        assert not [step for step in told if step.startswith("SCAN")], told
    await index.close()


async def test_a_table_of_an_older_version_gets_what_is_new(tmp_path: Path) -> None:
    opened: Any = await tsvector(tmp_path)
    await opened.put([KETTLE])
    for name in ("sku", "mpn", "gtin", "availability", "status", "rating", "record"):
        await opened._ask(f"ALTER TABLE search_docs DROP COLUMN {name}")
    await opened.close()
    assert [hit.doc.rating for hit in (await opened.search(parse("kettle"))).hits] == [None]
    await opened.put([KETTLE])
    assert await found(opened, "sku:k-17 rating:>4") == [1]
    await opened.close()
