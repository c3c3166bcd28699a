"""Does a process of its own read what we would have read, and die in our place?"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from tenax.adapters.local.read_alone import ChildReader
from tenax.discover.gathered import ListingPolicy
from tenax.discover.listings import read_listing
from tenax.fetch.fetch_policy import ReadingPolicy
from tenax.fetch.listings import as_page
from tenax.fetch.reading import Died, Reading, examine
from tenax.model import Headers, Page, Response
from tenax.page.verdict.pattern_table import shipped
from tenax.page.verdict.validate import PageVerdict
from tests.killers import DeadlySite, install

LIMITS = ReadingPolicy(seconds=30.0, memory=400_000_000)
HTML = (("Content-Type", "text/html; charset=utf-8"), ("ETag", '"1"'), ("X-Robots-Tag", "noai"))
SHOP = (
    '<html lang="en"><title>Vase</title><link rel="alternate" type="application/rss+xml"'
    ' href="/feed"><script type="application/ld+json">{"@type":"Product","name":"Vase","image":"/v'
    '.jpg","sku":"7","offers":{"price":"9.90","priceCurrency":"EUR","availability":"InStock"}}'
    '</script><h1>Vase</h1><p>Blue \N{SNOWMAN} vase. price 9.90</p><a href="/a">a</a><a'
    ' rel=nofollow href="/b">b</a></html>'
)
WALL = "<html><title>Access denied</title><h1>Access denied</h1>You have been blocked.</html>"
SITEMAP = "<urlset><url><loc>/1</loc><lastmod>2026-01-01</lastmod></url></urlset>"


def response(body: str | None, url: str = "https://a.example/", status: int = 200) -> Response:
    return Response(url, status, Headers(HTML), None if body is None else body.encode())


def read(reading: Reading, limits: ReadingPolicy = LIMITS) -> Page | PageVerdict | Died | None:
    return asyncio.run(ChildReader(limits).read(reading))


@pytest.mark.parametrize("body", [SHOP, WALL, "", None], ids=["shop", "wall", "empty", "none"])
def test_it_reads_what_we_would_have_read(body: str | None) -> None:
    reading = Reading(response(body), 1_700_000_000.5, "tenax", products=True)
    ours = examine(reading, shipped())
    assert read(reading) == ours
    assert body != SHOP or (isinstance(ours, Page) and ours.product is not None)


def test_it_reads_sitemaps_and_tells_what_is_none() -> None:
    policy = ListingPolicy()
    for body in (SITEMAP, "<html>not found</html>"):
        answer = response(body)
        listing = read_listing(body.encode(), answer.url, HTML[0][1], policy, now=2e9)
        reading = Reading(answer, 5.0, listing=policy, now=2e9)
        assert read(reading) == (None if listing is None else as_page(answer, listing, 5.0))


@pytest.mark.parametrize(
    ("way", "how"),
    [
        ("crash", "SIGSEGV, read alone"),
        ("abort", "SIGABRT, read alone"),
        ("hang", "it took more than 1 s"),
        ("sleep", "it took more than 1 s"),
        ("eat", "SIGABRT, read alone"),
        ("leave", "the process that read it alone ended with code 7"),
    ],
)
def test_it_dies_in_our_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, how: str
) -> None:
    monkeypatch.setenv("PYTHONPATH", install(tmp_path))
    limits = replace(LIMITS, seconds=1.0 if way in ("hang", "sleep") else 30.0)
    limits = replace(limits, memory=50_000_000) if way == "eat" else limits
    page = DeadlySite(deadly={1: way})._page(1).body.decode()
    died = read(Reading(response(page, "http://127.0.0.1/"), 1.0, products=True), limits)
    assert died == Died(how)
    assert isinstance(died, Died)
    assert died.outcome.detail == f"killed its worker: {how}"


def test_what_somebody_else_killed_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a machine that is out of memory, for instance: the page is not to blame."""
    monkeypatch.setenv("PYTHONPATH", install(tmp_path))
    monkeypatch.setenv("KILLED_ONCE", str(tmp_path / "killed-once"))
    page = DeadlySite(deadly={1: "once"})._page(1).body.decode()
    reading = Reading(response(page, "http://127.0.0.1/"), 1.0, products=True)
    assert isinstance(read(reading), Page)


def test_memory_that_python_asked_for_in_vain_is_told_as_such() -> None:
    plain = Headers((("Content-Type", "text/plain"),))
    large = Response("https://a.example/", 200, plain, b"word " * 8_000_000)
    limits = replace(LIMITS, memory=10_000_000)
    assert read(Reading(large, 1.0), limits) == Died("it took more than 10,000,000 bytes of memory")


def test_what_a_parser_prints_is_no_part_of_the_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", install(tmp_path))
    page = DeadlySite(deadly={1: "chat"})._page(1).body.decode()
    read_page = read(Reading(response(page, "http://127.0.0.1/"), 1.0, products=True))
    assert isinstance(read_page, Page)
    assert read_page.title.startswith("Page 1")


async def test_who_is_not_waited_for_any_more_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The crawl was stopped: nothing of it stays behind."""
    monkeypatch.setenv("PYTHONPATH", install(tmp_path))
    told = tmp_path / "told"
    os.mkfifo(told)
    monkeypatch.setenv("KILLED_ONCE", str(told))
    page = DeadlySite(deadly={1: "tell"})._page(1).body.decode()
    reading = Reading(response(page, "http://127.0.0.1/"), 1.0, products=True)
    task = asyncio.create_task(ChildReader(LIMITS).read(reading))
    pid = int(await asyncio.to_thread(told.read_text))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


@pytest.mark.parametrize("heard", [b"", b"\x85\xa5"])
def test_who_was_asked_half_a_question_says_nothing(heard: bytes) -> None:
    """Whoever asked was killed while it did: nobody waits for an answer, or for a traceback."""
    module = "tenax.adapters.local.read_alone"
    ended = subprocess.run([sys.executable, "-m", module], input=heard, capture_output=True)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")


def test_whose_answer_nobody_waits_for_says_nothing() -> None:
    """Whoever asked was killed meanwhile."""
    task = ChildReader(LIMITS)._told(Reading(response(SHOP), 1.0))
    gone, answers = os.pipe()
    os.close(gone)
    command = [sys.executable, "-m", "tenax.adapters.local.read_alone"]
    ended = subprocess.run(command, input=task, stdout=answers, stderr=subprocess.PIPE)
    os.close(answers)
    assert (ended.returncode, ended.stderr) == (0, b"")
