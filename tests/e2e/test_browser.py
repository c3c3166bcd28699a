"""Is a site that only a browser can read crawled whole, and does no browser outlive the crawl?

FE-9 and FE-10 through the installed command. Every browser started here lives in a folder of
this test, so that what remains of it can be told from anybody else's.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

from tenax.adapters.browser import watch
from tenax.demo import DemoWeb, Reply, Site, SiteRequest, Truth, serving
from tenax.demo.site import is_number
from tenax.demo.words import TOWN, Dice, paragraph
from tenax.ports import PageRecord
from tests.e2e.command import Ended, Running, Tenax, is_alive, until

pytestmark = pytest.mark.alone

PAGES = 10
LEARNED = 3
"""Pages that only the browser could get, after which it is asked first."""
GONE_WITHIN = 20.0
"""Seconds: what watches over a browser gives stragglers a moment, and the machine may be busy."""


@dataclass
class MadeByScripts(Site):
    """Page n leads to pages 2n + 1 and 2n + 2, but only once its script has fetched them."""

    name: str = "made-by-scripts"
    title: str = "An app"
    patience: float = 0.0
    """Seconds until a page's content comes."""

    def answer(self, request: SiteRequest) -> Reply:
        match request.segments:
            case ["robots.txt"]:
                return self.robots()
            case [""]:
                return self._shell(0)
            case ["page", number] if is_number(number, PAGES - 1):
                return self._shell(int(number))
            case ["content", number] if is_number(number, PAGES):
                return self._content(int(number) - 1)
            case _:
                return self.missing()

    def truth(self) -> Truth:
        return Truth(front=self.url)

    def url_of(self, number: int) -> str:
        return f"{self.url}page/{number}" if number else self.url

    def _shell(self, number: int) -> Reply:
        html = (
            "<!DOCTYPE html><html><head><title>An app</title></head><body><div id=app></div>"
            "<noscript>You need to enable JavaScript to run this app.</noscript>"
            f"<script>const content = '/content/{number + 1}';{_SHOW}</script></body></html>"
        )
        return Reply(html.encode())

    def _content(self, number: int) -> Reply:
        links = [n for n in (2 * number + 1, 2 * number + 2) if n < PAGES]
        content = {"title": f"Page {number}", "text": paragraph(Dice(number), TOWN), "links": links}
        body = json.dumps(content).encode()
        return Reply(body, kind="application/json", delay=self.patience)


_SHOW = """
    fetch(content).then(answer => answer.json()).then(({title, text, links}) => {
      document.title = title;
      const anchors = links.map(n => `<a href="/page/${n}">Page ${n}</a>`).join(' ');
      app.innerHTML = `<h1>${title}</h1><p>${text}</p><p>${anchors}</p>`;
    });
"""


class Nest:
    """The folder where browsers are started, and what is in it."""

    def __init__(self, folder: Path, chromium: str) -> None:
        self.folder = folder
        self.chromium = chromium
        self._drivers: set[int] = set()

    def look(self) -> None:
        """There is a browser now; whoever started it is remembered."""
        assert watch.members(str(self.folder)), "no browser is at work"
        self._drivers |= watch.drivers(str(self.folder))

    def assert_deserted(self) -> None:
        until(lambda: not self._remains(), "nothing of the browser remains", GONE_WITHIN)

    def _remains(self) -> bool:
        """Files first: looking at every process of the machine again and again would slow it."""
        if os.listdir(self.folder):
            return True
        return bool(watch.members(str(self.folder)) or any(map(is_alive, self._drivers)))


@pytest.fixture(scope="module")
def nest(chromium: str) -> Iterator[Nest]:
    # Short, because Chromium has sockets in it, whose names may not be long.
    folder = Path(tempfile.mkdtemp(prefix="nest-", dir="/tmp"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(folder))
        yield Nest(folder, chromium)
    assert watch.sweep(str(folder))


def crawl(tenax: Tenax, web: DemoWeb, nest: Nest, processes: int) -> Running:
    """Paced, so that pages come one after the other, and impatient with pages that are ready; the
    browser does not stand back, or it would share what is left with tests that compute."""
    return tenax.start_crawl(
        *web.seeds, "--delay", "0.01", "--processes", str(processes),
        browser__executable=nest.chromium, browser__quiet=0.1, browser__nice=0,
    )  # fmt: skip


# -- A whole crawl


@dataclass(frozen=True)
class Crawled:
    """One crawl from beginning to end, looked at by several tests."""

    site: MadeByScripts
    web: DemoWeb
    ended: Ended
    pages: dict[str, PageRecord]
    attempts: Counter[tuple[str, str]]
    audit: Ended
    why: Ended
    """About the front page, the first that was met."""


@pytest.fixture(scope="module", params=[1, 2], ids=["one process", "two processes"])
def crawled(
    request: pytest.FixtureRequest, nest: Nest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Crawled]:
    tenax = Tenax(tmp_path_factory.mktemp("browser"))
    site = MadeByScripts()
    try:
        with serving([site]) as web:
            ended = crawl(tenax, web, nest, request.param).wait()
            pages = {page.url: page for page in tenax.pages()}
            why = tenax.run("why", site.url)
            yield Crawled(site, web, ended, pages, _attempts(tenax), tenax.audit(), why)
    finally:
        tenax.clean_up()


def test_a_site_made_by_scripts_is_crawled_whole(crawled: Crawled) -> None:
    assert crawled.ended.code == 0, crawled.ended.err
    urls = [crawled.site.url_of(number) for number in range(PAGES)]
    assert {url: page.title for url, page in crawled.pages.items()} == {
        url: f"Page {number}" for number, url in enumerate(urls)
    }
    assert crawled.audit.code == 0, crawled.audit.out


def test_that_only_the_browser_gets_its_pages_is_learned_after_three(crawled: Crawled) -> None:
    assert crawled.attempts == {
        ("http", "garbage"): LEARNED,
        ("browser", "read"): PAGES,
    }
    shells = [visit for visit in crawled.web.log if not visit.path.startswith(("/content", "/rob"))]
    assert len(shells) == LEARNED + PAGES, "and the server saw as many requests"


def test_why_tells_that_it_was_a_shell_and_who_read_it(crawled: Crawled) -> None:
    (shell, evidence), (read, _) = _tries(crawled.why.out)
    assert " garbage " in shell
    assert " http 127.0.0.1" in shell
    assert "needs_javascript: noscript-asks: noscript 'enable javascript'" in evidence
    assert " read " in read
    assert " browser 127.0.0.1" in read
    assert "fetched and stored" in crawled.why.out


def test_no_browser_outlives_the_crawl(crawled: Crawled, nest: Nest) -> None:
    nest.assert_deserted()


# -- Where there is no browser


def test_pages_that_need_a_browser_wait_for_a_worker_that_has_one(tenax: Tenax, nest: Nest) -> None:
    site = MadeByScripts()
    with serving([site]) as web:
        ended = tenax.start_crawl(
            *web.seeds, "--delay", "0.01", "--job", "app", browser__executable="/no/such/browser"
        ).wait()
        assert ended.code == 5, ended.err
        assert "1 page waits for a browser" in ended.err
        assert "pip install 'tenax-crawler[browser]'" in ended.err
        why = tenax.run("why", site.url).out
        assert "waiting for a browser: needs_javascript" in why
        assert "read by the next crawl or worker that has a browser" in why
        assert "1 URL waits for a browser" in tenax.run("jobs", "list").err
        shown = tenax.run("jobs", "show", "app", "--json").json
        assert (shown["pending"], shown["waiting_for_browser"]) == (1, 1)
        assert tenax.audit().code == 0
        assert tenax.run("jobs", "start", "app").code == 0
        worked = tenax.start(
            "worker", "--until-done", browser__executable=nest.chromium, browser__quiet=0.1,
            browser__nice=0, pace__delay=0.01, allow_private="127.0.0.1/32",
        ).wait()  # fmt: skip
        assert worked.code == 0, worked.err
    assert {page.url for page in tenax.pages()} == set(map(site.url_of, range(PAGES)))
    attempts = _attempts(tenax)
    assert attempts["http", "unrendered"] == 1
    assert attempts["browser", "read"] == PAGES
    assert tenax.audit().code == 0
    nest.assert_deserted()


# -- Crawls that end in the middle


@pytest.mark.parametrize("processes", [1, 2])
def test_no_browser_outlives_a_killed_crawl_and_the_next_one_goes_on(
    tenax: Tenax, nest: Nest, processes: int
) -> None:
    site = MadeByScripts(patience=0.2)
    with serving([site]) as web:
        _under_way(tenax, web, nest, processes).kill()
        nest.assert_deserted()
        assert crawl(tenax, web, nest, processes).wait().code == 0
    assert {page.url for page in tenax.pages()} == set(map(site.url_of, range(PAGES)))
    assert _attempts(tenax)["http", "garbage"] == LEARNED, "and what was learned is not forgotten"
    nest.assert_deserted()


@pytest.mark.parametrize(("times", "processes"), [(1, 1), (2, 1), (2, 2)])
def test_no_browser_outlives_an_interrupted_crawl(
    tenax: Tenax, nest: Nest, times: int, processes: int
) -> None:
    site = MadeByScripts(patience=0.5)
    with serving([site]) as web:
        running = _under_way(tenax, web, nest, processes)
        running.interrupt()
        until(lambda: "Ctrl-C again" in running.err, "the first interrupt is heard")
        if times == 2:
            running.interrupt()
        ended = running.wait()
        nest.assert_deserted()
    assert ended.code == 130, ended.err
    assert "Traceback" not in ended.err
    assert tenax.audit().code == 0


def _under_way(tenax: Tenax, web: DemoWeb, nest: Nest, processes: int) -> Running:
    """A crawl that has learned to ask the browser first, in the middle of a page."""
    running = crawl(tenax, web, nest, processes)
    until(lambda: _made(web) > LEARNED + 1, "the browser has read some pages")
    nest.look()
    begun = _made(web)
    until(lambda: _made(web) > begun, "a page is being made")
    return running


def _made(web: DemoWeb) -> int:
    """Pages whose scripts have asked for their content."""
    return sum(visit.path.startswith("/content/") for visit in tuple(web.log))


def _attempts(tenax: Tenax) -> Counter[tuple[str, str]]:
    with tenax.ledger() as ledger:
        return Counter(ledger.execute("SELECT client, outcome FROM attempts").fetchall())


def _tries(story: str) -> list[tuple[str, str]]:
    """Every attempt in the story of a URL, with the line below it."""
    lines = story.splitlines()
    return [(line, below) for line, below in pairwise(lines) if " ms " in line]
