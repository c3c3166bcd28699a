"""Whole crawls with the user's own code: what it tells is there exactly when its pages are, and it
never costs one (REC-1 to REC-3)."""

from __future__ import annotations

from bisect import bisect_right
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from tenax.compose.crawler import Crawler
from tenax.compose.replay import make_replay
from tenax.compose.search import make_search_sink, open_search
from tenax.hosts.pace import PacePolicy
from tenax.model import Event, EventKind, Fault, Reason, Response, State
from tenax.model.record import FieldRule, RecordRule
from tenax.ops.replay.reread import ReplayTally
from tenax.ops.search.query import parse
from tenax.ports.handled import RecordFilter, StoredRecord
from tenax.ports.products import ProductFilter
from tenax.ports.replayed import PageFilter
from tenax.settings import Settings, SettingsError
from tenax.testing import START, SimulatedWeb, crawl, failing, robots, simulate, status
from tests.simulate.sites import assert_whole

SITE = "https://q.example"
HOME = f"{SITE}/"
QUOTES = """
from tenax import on, Page

@on("*/quote/*")
def quote(page: Page):
    yield page.record("quote", text=page.css(".text").text, author=page.css(".author").text)
    yield page.follow(page.css("a.next").attr("data-href"))
"""


def quote(n: int, author: str = "Ada", *, more: str = "", head: str = "") -> Response:
    html = (
        f"<!doctype html><title>Quote {n}</title>{head}<main><p class=text>The quote of number {n}"
        f" is as long as it takes to be a page of its own, and says {n * n}.</p>"
        f"<p class=author>{author}</p><a class=next data-href='/quote/{n + 1}'>next</a>{more}"
        f"<p>{f'word{n} ' * 30}</p></main>"
    )
    return status(200, html, **{"content-type": "text/html; charset=utf-8"})


def home(*links: str) -> Response:
    anchors = "".join(f'<a href="{link}">quotes</a> ' for link in links)
    text = "A site of quotes, made for a test, with as many words as it takes to be a page."
    html = f"<!doctype html><title>Quotes</title><main><p>{text}</p>{anchors}</main>"
    return status(200, html, **{"content-type": "text/html"})


def written(folder: Path, text: str, name: str = "quotes.py") -> str:
    (folder / name).write_text(text)
    return str(folder / name)


def with_handlers(*files: str, **more: Any) -> Settings:
    return Settings(contact="mailto:test@example.org", handlers=files, **more)


async def stored(app: Crawler, **wanted: Any) -> list[StoredRecord]:
    return await app.ledger.records.find(RecordFilter(**wanted))


async def replayed(app: Crawler, settings: Settings) -> ReplayTally:
    app.ledger.settings = replace(app.ledger.settings, handlers=settings.handlers)
    replay = await make_replay(app.ledger, PageFilter(), dry=False, links=False, threads=False)
    return await replay.stretch(0, await app.ledger.rereads.last())


def test_records_are_stored_and_urls_followed_through_the_door(tmp_path: Path) -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(f"{SITE}/robots.txt", robots("User-agent: *\nDisallow: /quote/4"))
        web.at(HOME, home("/quote/1"))
        for n in range(1, 6):
            web.at(f"{SITE}/quote/{n}", quote(n))
        await crawl(app, HOME)
        # Nothing but the handler leads from one to the next, and robots.txt ends it.
        assert [each.url for each in await stored(app)] == [f"{SITE}/quote/{n}" for n in (1, 2, 3)]
        assert f"{SITE}/quote/4" not in web.urls()
        assert {each.data["author"] for each in await stored(app)} == {"Ada"}
        await assert_whole(app)

    simulate(story, with_handlers(written(tmp_path, QUOTES)))


SLOW = """
import asyncio
from tenax import on, Page

@on("*/quote/*")
async def slow(page: Page):
    await asyncio.sleep(5)
    yield page.record("slow", at=asyncio.get_running_loop().time())
"""


def test_a_slow_handler_slows_the_crawl_and_pages_do_not_pile_up(tmp_path: Path) -> None:
    urls = [f"{SITE}/quote/{n}" for n in range(160)]

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, home(*urls))
        for n, url in enumerate(urls):
            web.at(url, quote(n))
        await crawl(app, HOME)
        done = sorted(
            each.data["at"] for each in await app.ledger.records.find(RecordFilter(), limit=1_000)
        )
        assert len(done) == len(urls)
        asked = sorted(r.at - START for r in web.requests if "/quote/" in r.url)
        ahead = [n - bisect_right(done, at) for n, at in enumerate(asked)]
        assert max(ahead) < 80, "no more than one host may be asked for at once"

    simulate(story, with_handlers(written(tmp_path, SLOW), pace=PacePolicy(delay=0.0)))


def test_what_is_out_of_scope_or_not_to_be_followed_is_not(tmp_path: Path) -> None:
    text = """
from tenax import on
@on("*")
def links(page):
    yield page.follow("https://elsewhere.example/")
    yield page.follow("/deep")
    yield page.follow("")
    yield page.follow(None)
"""
    nofollow = '<meta name="robots" content="nofollow">'

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, home("/quote/1"))
        web.at(f"{SITE}/quote/1", quote(1, head=nofollow))
        counts = await crawl(app, HOME, max_depth=1)
        assert f"{SITE}/deep" in web.urls()
        assert not web.asked("elsewhere.example")
        assert counts.rejected[Reason.OUT_OF_SCOPE] == 1
        assert counts.rejected[Reason.NOFOLLOW] == 2

    simulate(story, with_handlers(written(tmp_path, text)))


def test_a_handler_that_fails_never_costs_the_page(tmp_path: Path) -> None:
    text = QUOTES + "    raise LookupError('no such thing')\n"

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, home("/quote/1"))
        web.at(f"{SITE}/quote/1", quote(1))
        counts = await crawl(app, HOME)
        assert counts.of(State.DONE) == 2
        assert len(await stored(app)) == 1
        (failure,) = await app.ledger.records.failures("test")
        assert failure.url == f"{SITE}/quote/1"
        assert failure.error.endswith("LookupError: no such thing\n")
        (rate,) = await app.ledger.records.rates()
        assert (rate.pages, rate.records, rate.failures) == (1, 1, 1)

    simulate(story, with_handlers(written(tmp_path, text)))


def test_walls_errors_and_pages_that_are_not_to_be_kept_are_not_handled(tmp_path: Path) -> None:
    text = """
from tenax import on
@on("*")
def all(page):
    yield page.record("page", url=page.url)
"""
    wall = (
        "<!doctype html><html><head><title>Are you a robot?</title></head><body><h1>Please verify"
        " you are a human</h1><p>Complete the CAPTCHA below to continue.</p>"
        '<div class="g-recaptcha" data-sitekey=x></div></body></html>'
    )

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, home("/quote/1", "/gone", "/down", "/quote/2", "/wall"))
        web.at(f"{SITE}/quote/1", quote(1, head='<meta name="robots" content="noindex">'))
        web.at(f"{SITE}/quote/2", quote(2))
        web.at(f"{SITE}/wall", status(200, wall, content_type="text/html"))
        web.at(f"{SITE}/down", failing(Fault.READ_TIMEOUT))
        await crawl(app, HOME)
        assert {each.data["url"] for each in await stored(app)} == {HOME, f"{SITE}/quote/2"}

    simulate(story, with_handlers(written(tmp_path, text)))


def test_visited_again_a_record_is_confirmed_changed_and_gone(tmp_path: Path) -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, home("/quote/1"))
        web.at(
            f"{SITE}/quote/1",
            quote(1),
            quote(1),
            quote(1, "Bob"),
            status(404),
        )
        told = []
        await crawl(app, HOME)
        for _ in range(3):
            (one,) = await stored(app)
            told.append((one.status, one.data["author"]))
            await crawl(app, HOME, again=True)
        (one,) = await stored(app)
        told.append((one.status, one.data["author"]))
        assert told == [("there", "Ada"), ("there", "Ada"), ("there", "Bob"), ("gone", "Bob")]
        states = await app.ledger.records.history(one.id)
        assert [s.data and s.data["author"] for s in states] == ["Ada", "Bob", None]
        await assert_whole(app)

    simulate(story, with_handlers(written(tmp_path, QUOTES)))


def test_a_mended_handler_is_replayed_without_a_request(tmp_path: Path) -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, home("/quote/1", "/quote/2"))
        for n in (1, 2):
            web.at(f"{SITE}/quote/{n}", quote(n, f"Author {n}"))
        await crawl(app, HOME)
        asked = len(web.requests)
        mended = QUOTES.replace('page.css(".author").text', 'page.css(".author").text.upper()')
        tally = await replayed(app, with_handlers(written(tmp_path, mended, "mended.py")))
        assert (tally.handled, tally.records, tally.records_changed) == (2, 2, 2)
        records = await stored(app)
        assert [each.data["author"] for each in records] == ["AUTHOR 1", "AUTHOR 2"]
        (was, now) = await app.ledger.records.history(records[0].id)
        assert was.version != now.version == records[0].version
        assert len(web.requests) == asked
        await assert_whole(app)

    simulate(story, with_handlers(written(tmp_path, QUOTES)))


def test_a_crawl_without_handlers_is_read_by_replay(tmp_path: Path) -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, home("/quote/1"))
        web.at(f"{SITE}/quote/1", quote(1))
        await crawl(app, HOME)
        assert await stored(app) == []
        await replayed(app, with_handlers(written(tmp_path, QUOTES)))
        assert [each.name for each in await stored(app)] == ["quote"]

    simulate(story, with_handlers())


def test_rules_without_a_program_read_alike() -> None:
    rule = RecordRule(
        "quote", "*/quote/*", {"text": FieldRule(".text", required=True), "author": ".author"}
    )

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, home("/quote/1"))
        web.at(f"{SITE}/quote/1", quote(1))
        await crawl(app, HOME)
        (one,) = await stored(app)
        assert (one.handler, one.data["author"]) == ("rule quote", "Ada")

    simulate(story, with_handlers(records=(rule,)))


def test_a_product_of_a_handler_is_in_the_table_of_products(tmp_path: Path) -> None:
    text = """
from tenax import on
@on("*/quote/*", product=True)
def shop(page):
    return {"name": "Kettle", "price": "EUR 19.90", "sku": "K-1"}
"""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, home("/quote/1"))
        web.at(f"{SITE}/quote/1", quote(1))
        await crawl(app, HOME)
        (one,) = await app.ledger.products.find(ProductFilter())
        assert (one.product.name, one.product.price, one.product.parser) == (
            "Kettle", "19.90", "shop",
        )  # fmt: skip

    simulate(story, with_handlers(written(tmp_path, text)))


def test_a_file_that_cannot_be_used_is_told_before_anything_starts(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        raise AssertionError("nothing starts")

    wrong = {
        "syntax.py": ("def f(:", "syntax.py, line 1: not valid Python"),
        "none.py": ("x = 1", "none.py: no handlers in it. Write @on"),
        "import.py": ("\nimport nowhere_to_be_found", "import.py, line 2: ModuleNotFoundError"),
        "leaves.py": ("raise SystemExit", "leaves.py, line 1: SystemExit"),
        "twice.py": (QUOTES + QUOTES.replace("def quote", "def other").replace(
            '@on("*/quote/*")', '@on("*", name="quote")'), "2 of them are called 'quote'"),
        "quotes.txt": (QUOTES, "name a .py file"),
    }  # fmt: skip
    for name, (text, why) in wrong.items():
        with subtests.test(name), pytest.raises(SettingsError) as caught:
            simulate(story, with_handlers(written(tmp_path, text, name)))
        assert why in str(caught.value)
    with pytest.raises(SettingsError, match="no such file with handlers"):
        simulate(story, with_handlers(str(tmp_path / "nowhere.py")))


def test_records_are_found_by_search_as_they_are_now(tmp_path: Path) -> None:
    changed = "    yield page.record('quote', text=page.title, author='Grace', tags=['a', 'b'])\n"
    later = QUOTES.split("    yield page.record")[0] + changed

    async def found(app: Crawler, query: str) -> list[tuple[str, str, str]]:
        async with open_search(app.ledger) as (index, indexer):
            await indexer.freshen()
            hits = (await index.search(parse(query))).hits
        return sorted((hit.doc.record, hit.doc.title, hit.doc.url) for hit in hits)

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, home("/quote/1"))
        web.at(f"{SITE}/quote/1", quote(1), status(410))
        await crawl(app, HOME)
        (told,) = await stored(app)
        assert await found(app, "record:quote ada") == [("quote", told.data["text"], told.url)]
        assert [record for record, _, _ in await found(app, "ada")] == ["", "quote"]
        await replayed(app, with_handlers(written(tmp_path, later, "later.py")))
        assert await found(app, "record:quote ada") == []
        assert await found(app, 'record:quote "tags a b"') == [("quote", "Quote 1", told.url)]
        await crawl(app, HOME, again=True)
        assert await found(app, "record:quote") == [], "what is gone is not found"

    simulate(story, with_handlers(written(tmp_path, QUOTES)))


def test_an_index_that_is_told_of_pages_has_their_records(tmp_path: Path) -> None:
    async def found(app: Crawler) -> list[str]:
        async with open_search(app.ledger) as (index, _):
            return [hit.doc.record for hit in (await index.search(parse("record:quote"))).hits]

    async def tell(app: Crawler, kind: EventKind) -> None:
        sink = make_search_sink(app.ledger)
        value = msgspec.json.encode({"job": "test", "url": f"{SITE}/quote/1"})
        await sink.send([Event(1, kind, b"", value, 0.0)])
        await sink.close()

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, home("/quote/1"))
        web.at(f"{SITE}/quote/1", quote(1), status(410))
        await crawl(app, HOME)
        await tell(app, EventKind.FETCHED)
        assert await found(app) == ["quote"]
        await crawl(app, HOME, again=True)
        await tell(app, EventKind.RECORD)
        assert await found(app) == []

    simulate(story, with_handlers(written(tmp_path, QUOTES)))
