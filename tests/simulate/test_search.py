"""Does what is crawled come into the search index by itself, where one is set?"""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from tenax.compose.crawler import Crawler, open_crawler
from tenax.compose.search import open_search
from tenax.ops.search.query import parse
from tenax.settings import Settings
from tenax.testing import SimulatedWeb, VirtualClock, crawl, page, run_virtually

HOME = "https://a.example/"


def on_app(folder: Path, search: str) -> tuple[set[str], int]:
    """What is found after a crawl, without anybody having asked for it to be indexed; and how many
    events wait."""

    async def main() -> tuple[set[str], int]:
        web = SimulatedWeb()
        web.at(HOME, page("all about kettles", "/x"))
        web.at("https://a.example/x", page("and about teapots"))
        settings = replace(Settings(data=str(folder), contact="a@b.example"), search=search)
        async with open_crawler(settings, clock=VirtualClock(), web=web, threads=False) as app:
            async with app.ledger.telling(print):
                await crawl(app, HOME)
            return await _found(app), await _events(app)

    return run_virtually(main())


async def _found(app: Crawler) -> set[str]:
    async with open_search(app.ledger) as (index, _):
        return {hit.doc.url for hit in (await index.search(parse("about"))).hits}


async def _events(app: Crawler) -> int:
    return len(await app.ledger.outbox.read(0, 100))


def test_pages_are_found_as_soon_as_they_are_stored(tmp_path: Path) -> None:
    found, events = on_app(tmp_path, "fts5:")
    assert found == {HOME, "https://a.example/x"}
    assert events == 2


def test_where_no_index_is_set_a_crawl_pays_nothing_for_it(tmp_path: Path) -> None:
    found, events = on_app(tmp_path, "")
    assert (found, events) == (set(), 0)
