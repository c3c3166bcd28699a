"""What do handlers tell of a page, and what does it cost when they fail? (REC-1)"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from threading import Event
from typing import Any

import pytest

from tenax.crawl.handling.policy import HandlingPolicy
from tenax.crawl.handling.runner import HandledPage, Handlers
from tenax.crawl.handling.thread import HandlerStuck, HandlerThread
from tenax.page.handlers.crawled_page import CrawledPage
from tenax.page.handlers.registry import collecting, handlers_of, on, registered
from tenax.page.handlers.told import Told
from tests.unit.page.handlers.test_page_object import URL, page

LONG = HandlingPolicy(seconds=60.0)
SHORT = HandlingPolicy(seconds=0.05)


async def run(*functions: Any, policy: HandlingPolicy = LONG, threads: bool = True) -> HandledPage:
    handlers = Handlers(handlers_of(functions), policy, threads=threads)
    try:
        return await handlers.run(page(), handlers.read(URL))
    finally:
        handlers.close()


# They are not the program's: others open crawls in this process.
with collecting():

    @on("*/quote/*", version="1")
    def quote(it: CrawledPage) -> Iterator[Told]:
        yield it.record("quote", text=it.css(".text").text)
        yield it.follow(it.css("a.next").attr("href"))

    @on("*/quote/*")
    async def awaiting(it: CrawledPage) -> AsyncIterator[Told]:
        await asyncio.sleep(0)
        yield it.record("async", title=it.title)

    @on("*/quote/*", "*/other/*", name="lists")
    def listing(it: CrawledPage) -> list[Told]:
        return [it.record("tag", tag=tag.text) for tag in it.css(".tag")]

    @on("*/quote/*")
    async def single(it: CrawledPage) -> Told:
        return it.record("one", n=1)

    @on("*/elsewhere/*")
    def elsewhere(it: CrawledPage) -> None:
        raise AssertionError("it is not for this page")


@pytest.fixture(autouse=True)
def apart() -> Iterator[None]:
    with collecting():
        yield


async def test_all_kinds_of_functions_tell() -> None:
    for threads in (True, False):
        found = await run(quote, awaiting, listing, single, elsewhere, threads=threads)
        told = [(r.name, r.handler, r.position, r.data) for r in found.handled.records]
        assert told == [
            ("quote", "quote", 0, '{"text":"Be good."}'),
            ("async", "awaiting", 0, '{"title":"A quote"}'),
            ("tag", "lists", 0, '{"tag":"one"}'),
            ("tag", "lists", 1, '{"tag":"two"}'),
            ("one", "single", 0, '{"n":1}'),
        ]
        assert [follow.href for follow in found.follows] == ["2#top"]
        assert [report.error for report in found.handled.reports] == [""] * 4


def test_a_version_is_the_one_given_or_made_of_the_source() -> None:
    (given,), (made,) = handlers_of([quote]), handlers_of([listing])
    assert given.version == "1"
    assert len(made.version) == 8

    def one(it: CrawledPage) -> int:
        return 1

    def other(it: CrawledPage) -> int:
        return 2

    versions = {handlers_of([on("*")(each)])[0].version for each in (one, other)}
    assert len(versions) == 2


async def test_what_is_raised_costs_the_rest_and_nothing_else() -> None:
    @on("*")
    def failing(it: CrawledPage) -> Iterator[Told]:
        yield it.record("before", n=1)
        raise KeyError("missing")

    @on("*")
    async def failing_too(it: CrawledPage) -> AsyncIterator[Told]:
        yield it.record("before", n=2)
        raise LookupError("too")

    @on("*")
    def leaving(it: CrawledPage) -> None:
        sys.exit(3)

    found = await run(failing, failing_too, leaving, quote)
    assert [r.name for r in found.handled.records] == ["before", "before", "quote"]
    one, two, three, four = found.handled.reports
    assert "in failing" in one.error
    assert one.error.endswith("KeyError: 'missing'\n")
    assert "handling/runner.py" not in one.error.replace("test_runner.py", "")
    assert two.error.endswith("LookupError: too\n")
    assert "SystemExit" in three.error
    assert four.error == ""


async def test_what_is_no_record_says_what_may_be_yielded() -> None:
    @on("*")
    def wrong(it: CrawledPage) -> Iterator[Any]:
        yield {"text": "x"}

    (report,) = (await run(wrong)).handled.reports
    assert "a handler yields page.record(…), page.follow(…) or page.product(…), not a dict." in (
        report.error
    )


async def test_bounds_cut_what_is_too_much() -> None:
    @on("*")
    def endless(it: CrawledPage) -> Iterator[Told]:
        while True:
            yield it.record("n", n=1)

    @on("*")
    def large(it: CrawledPage) -> Iterator[Told]:
        yield it.record("large", text="x" * 200)
        yield it.record("small", text="x")

    found = await run(endless, large, policy=HandlingPolicy(records=3, record_bytes=100))
    assert [r.name for r in found.handled.records] == ["n", "n", "n", "small"]
    assert "more than 3 records of one page" in found.handled.reports[0].error
    assert "record 'large' has 211 bytes, more than 100" in found.handled.reports[1].error


async def test_who_takes_too_long_is_interrupted_wherever_it_is() -> None:
    @on("*")
    def busy(it: CrawledPage) -> Iterator[Told]:
        yield it.record("before", n=1)
        while True:
            with suppress(Exception):
                sum(range(1_000))

    @on("*")
    async def waiting(it: CrawledPage) -> AsyncIterator[Told]:
        yield it.record("before", n=2)
        await asyncio.Event().wait()

    found = await run(busy, waiting, quote, policy=SHORT)
    assert [r.name for r in found.handled.records][:2] == ["before", "before"]
    assert "It took longer than 0.05 s" in found.handled.reports[0].error
    assert "in busy" in found.handled.reports[0].error
    assert "It took longer than 0.05 s" in found.handled.reports[1].error


async def test_one_that_cannot_be_interrupted_is_left_behind() -> None:
    thread, release = HandlerThread(), Event()
    try:
        with pytest.raises(HandlerStuck):
            # A lock without a timeout is waited for in C.
            await thread.call(release.wait, 0.01)
        assert await thread.call(lambda: threading.current_thread().name, 60.0) == "tenax-handlers"
    finally:
        release.set()
        thread.close()


async def test_functions_that_are_not_async_run_one_at_a_time() -> None:
    thread, inside, most = HandlerThread(), 0, 0

    def work() -> None:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        inside -= 1

    try:
        await asyncio.gather(*[thread.call(work, 60.0) for _ in range(20)])
    finally:
        thread.close()
    assert most == 1


async def test_a_product_goes_by_the_merge_of_all() -> None:
    @on("*", product=True, version="7")
    def shop(it: CrawledPage) -> dict[str, str]:
        return {"name": "Kettle", "price": "EUR 19.90", "sku": "K-1", "colour": "red"}

    @on("*")
    def other(it: CrawledPage) -> Iterator[Told]:
        yield it.product(name="Pot", price=12, currency="EUR")

    product = (await run(shop)).product
    assert product is not None
    assert (product.name, product.price, product.currency) == ("Kettle", "19.90", "EUR")
    assert (product.sku, product.extra) == ("K-1", {"colour": "red"})
    assert (product.parser, product.parser_version) == ("shop", "7")
    product = (await run(other)).product
    assert product is not None
    assert (product.name, product.price) == ("Pot", "12.00")


def test_what_is_collected_is_not_the_programs() -> None:
    before = registered()
    with collecting() as found:
        on("*")(lambda it: None)
    assert len(found) == 1
    assert registered() == before


def test_a_handler_names_its_pages() -> None:
    with pytest.raises(TypeError, match="@on needs the pages"):
        on()
    with pytest.raises(TypeError, match="@on needs the pages"):
        on(quote)  # type: ignore[arg-type]  # what is to be found
    with pytest.raises(ValueError, match="is not a regular expression"):
        on("re:(")(quote)
    with pytest.raises(ValueError, match="run is no handler"):
        handlers_of([run])
