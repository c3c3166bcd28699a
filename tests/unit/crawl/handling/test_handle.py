"""When is a page handed to the user's handlers? (REC-1, decision 0029)"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from tenax.crawl.admit import Admission
from tenax.crawl.handling.handle import HandledVisit, Handling
from tenax.crawl.handling.policy import HandlingPolicy
from tenax.crawl.handling.runner import Handlers
from tenax.fetch.reading import NoNote
from tenax.model import Copy, Job, JobSpec, JobState, LeasedTarget
from tenax.outcome import Garbage, Outcome, Read, Unchanged
from tenax.page.handlers.crawled_page import CrawledPage
from tenax.page.handlers.registry import collecting, handlers_of, on
from tenax.page.handlers.told import Told
from tenax.urls.addresses import AddressRules
from tenax.urls.decide import Door
from tests.unit.page.handlers.test_page_object import URL, page

TARGET = LeasedTarget(7, 1, URL, 2, 5, 0)


async def handled(outcome: Outcome, target: LeasedTarget = TARGET) -> HandledVisit | None:
    with collecting():

        @on("*/quote/*")
        def quote(it: CrawledPage) -> Iterator[Told]:
            yield it.record("quote", text=it.css(".text").text)
            yield it.follow("/quote/2")
            yield it.follow("https://elsewhere.example/")

    job = Job(1, "job", JobState.RUNNING, JobSpec(seeds=(URL,)), 0.0)
    admission = Admission(job, Door(job.spec, AddressRules(()), 1_790_000_000.0))
    handlers = Handlers(handlers_of([quote]), HandlingPolicy(), threads=False)
    return (await Handling(handlers, NoNote()).handle(outcome, target, admission))[1]


async def test_a_page_that_was_read_is_handled_and_its_urls_pass_the_door() -> None:
    told = await handled(Read(page().facts))
    assert told is not None
    assert [record.name for record in told.handled.records] == ["quote"]
    assert [(t.url, t.depth, t.found_on) for t in told.followed.found] == [
        ("https://a.example/quote/2", 3, 7)
    ]
    assert sum(told.followed.rejected.values()) == 1


async def test_a_page_that_killed_its_readers_is_not_handled_and_that_is_counted() -> None:
    told = await handled(Read(page().facts), replace(TARGET, crashes=3))
    assert told is not None
    assert told.handled.records == ()
    (report,) = told.handled.reports
    assert report.error.startswith("It was not asked: the page has killed the processes")


async def test_a_page_that_was_being_read_when_somebody_killed_the_process_is_handled() -> None:
    told = await handled(Read(page().facts), replace(TARGET, crashes=2))
    assert told is not None
    assert [record.name for record in told.handled.records] == ["quote"]


async def test_what_has_not_changed_is_confirmed_and_what_is_no_page_is_not_handled() -> None:
    told = await handled(Unchanged(304), replace(TARGET, copy=Copy()))
    assert told is not None
    assert told.handled.is_same
    assert await handled(Garbage("captcha", "x")) is None
    elsewhere = replace(page().facts, url="https://a.example/about")
    assert await handled(Read(elsewhere)) is None
