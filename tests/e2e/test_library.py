"""Does the example in the package's first lines work, and what if one leaves the loop? (CLI-3)"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

import tenax
from tenax.demo import DemoWeb, TreeSite
from tenax.ports import Counts
from tenax.settings import SettingsError

HERE: dict[str, Any] = {"allow_private": ["127.0.0.1/32"], "pace__delay": 0.0}


async def test_every_page_comes_out_of_the_loop_once(tmp_path: Path) -> None:
    site = TreeSite(pages=60)
    async with DemoWeb([site]), tenax.open(tmp_path, **HERE) as crawl:
        found = {page.url: page async for page in crawl.run(site.url)}
        counts = await _counts(crawl, site)
    assert found.keys() == site.expected_urls()
    assert (counts.pages, counts.unfinished) == (60, 0)
    page = found[site.url]
    assert page.title == "Page 0 | The Index"
    assert page.headline == "Page 0"
    assert page.main_text.startswith("Page 0")
    assert page.markdown.startswith("# Page 0")
    assert len(page.text) >= len(page.main_text)


def test_a_prompt_offers_what_there_is() -> None:
    assert {"Crawl", "CrawledPage", "open"} <= set(dir(tenax))


async def test_a_page_limit_ends_the_loop(tmp_path: Path) -> None:
    site = TreeSite(pages=60)
    async with DemoWeb([site]), tenax.open(tmp_path, **HERE) as crawl:
        found = [page.url async for page in crawl.run(site.url, max_pages=7)]
    assert len(found) == len(set(found)) == 7


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("max_pages", 0, r"max_pages = 0: use 1 to"),
        ("max_depth", -1, r"max_depth = -1: use 0 to"),
        ("recrawl", float("nan"), r"recrawl = nan: must be at least 0 seconds\."),
        ("scope", "world", r"scope = 'world': use host, domain, prefix or any\."),
        ("include", "*/a/*", r"include: must be a list of texts\."),
    ],
)
async def test_what_a_job_may_not_be_is_told_before_there_is_one(
    tmp_path: Path, name: str, value: Any, told: str
) -> None:
    async with tenax.open(tmp_path, **HERE) as crawl:
        with pytest.raises(SettingsError, match=told):
            await anext(crawl.run("http://127.0.0.1:9/", **{name: value}))
        assert await crawl.crawler.ledger.jobs.all() == []


async def test_leaving_the_loop_stops_and_running_again_goes_on(tmp_path: Path) -> None:
    site = TreeSite(pages=200, delay=0.01)
    async with DemoWeb([site]) as web:
        async with tenax.open(tmp_path, **HERE) as crawl:
            pages = crawl.run(site.url)
            async for _ in pages:
                break
            await pages.aclose()
            stopped = len(web.log)
            assert (await _counts(crawl, site)).unfinished > 0
        assert len(web.log) == stopped, "nothing is asked for once the loop is left"
        async with tenax.open(tmp_path, **HERE) as crawl:
            async for _ in crawl.run(site.url):
                pass
            counts = await _counts(crawl, site)
            assert await crawl.crawler.ledger.auditor.audit() == []
    assert (counts.pages, counts.unfinished) == (200, 0)
    asked = [visit for visit in web.log if visit.path.startswith(("/p/", "/robots.txt"))]
    assert len(asked) <= site.pages + 1, "what was under way had been kept"


async def test_an_error_inside_the_loop_stops_the_crawl_and_is_not_swallowed(
    tmp_path: Path,
) -> None:
    site = TreeSite(pages=200, delay=0.01)
    async with DemoWeb([site]), tenax.open(tmp_path, **HERE) as crawl:
        told = ""
        try:
            async for page in crawl.run(site.url):
                raise LookupError(page.url)
        except LookupError as error:
            told = str(error)
        assert told.startswith(site.url)
        async for _ in crawl.run(site.url):
            pass
        assert (await _counts(crawl, site)).pages == site.pages


async def _counts(crawl: tenax.Crawl, site: TreeSite) -> Counts:
    return await crawl.counts(site.origin.removeprefix("http://"))


async def test_others_are_told_of_its_pages(tmp_path: Path) -> None:
    site = TreeSite(pages=20)
    told = f"file:///{tmp_path / 'events'}"
    async with DemoWeb([site]), tenax.open(tmp_path / "data", **HERE, events=told) as crawl:
        found = [page.url async for page in crawl.run(site.url)]
    (log,) = (tmp_path / "events").glob("webpage_log-*.jsonl")
    events = [json.loads(line) for line in log.read_text().splitlines()]
    assert sorted(event["url"] for event in events) == sorted(found)


async def test_a_reader_that_is_killed_twenty_times_gets_all_pages_and_records(
    tmp_path: Path,
) -> None:
    site, file = TreeSite(pages=150), tmp_path / "read"
    script = Path(__file__).parent / "killed_reader.py"
    async with DemoWeb([site]):
        arguments = (str(tmp_path / "data"), str(file), site.url, "20")
        program = await asyncio.create_subprocess_exec(sys.executable, str(script), *arguments)
        assert await program.wait() == 0
    *said, last = file.read_text().splitlines()
    kept, pages, before, after = map(int, last.split())
    assert (kept, pages) == (site.pages, site.pages), "the record of each page, once"
    assert after < 1.25 * before, "memory of those who read first, and of those who read last"
    read = [line for line in said if line.startswith("http")]
    assert set(read) == site.expected_urls()
    assert len(read) <= site.pages + 20 * 11, "at most what a killed one had read comes again"
