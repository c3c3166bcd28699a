"""Who reads a body, and what is noted of it? (FR-1)"""

from __future__ import annotations

import asyncio

import pytest
from msgspec import Struct
from msgspec.structs import replace

from tenax.fetch.fetch_policy import FetchPolicy
from tenax.fetch.fetcher import Fetcher, FetcherParts, FetchResult
from tenax.fetch.reading import MOST_CRASHES, Died, Reading, examine, is_hopeless
from tenax.model import Client, Fault, Headers, LeasedTarget, Page, Response, Role
from tenax.outcome import Failed, Garbage, Gone, Outcome, Throttled, Unrendered
from tenax.page.verdict.pattern_table import shipped
from tenax.page.verdict.validate import PageVerdict
from tenax.testing import SimulatedWeb, VirtualClock, run_virtually
from tests.unit.fetch.test_listings import SITEMAP, WALL, Turns

URL = "https://a.example/"
LONG = "<title>A page</title><p>" + "It says something. " * 50


class Notes:
    """Remembers what was noted, and what was going on meanwhile."""

    def __init__(self) -> None:
        self.said: list[object] = []

    def begin(self, target_id: int, url: str, *, goes_on: bool = False) -> None:
        self.said.append((target_id, url))

    def end(self) -> None:
        self.said.append("end")


class Cell:
    """Reads alone, or dies of it."""

    def __init__(self, death: Died | None = None) -> None:
        self.read_here: list[Reading] = []
        self._death = death

    async def read(self, reading: Reading) -> Page | PageVerdict | Died | None:
        self.read_here.append(reading)
        await asyncio.sleep(0)
        if reading.listing is not None:
            return self._death
        return self._death or examine(reading, shipped())


class Tried(Struct):
    result: Page | Outcome
    notes: list[object]
    alone: list[Reading]


def fetch(
    body: str, *, crashes: int = 0, death: str = "", role: Role = Role.PAGE, code: int = 200
) -> Tried:
    web, notes = SimulatedWeb(), Notes()
    cell = Cell(Died(death) if death else None)
    answer = Response(URL, code, Headers((("Content-Type", "text/html"),)), body.encode())
    web.at(URL, answer)
    fetcher = Fetcher(
        FetcherParts({Client.HTTP: web}, VirtualClock(), shipped(), note=notes, alone=cell),
        FetchPolicy(),
    )

    async def go() -> FetchResult:
        target = LeasedTarget(9, 1, URL, 0, 5, 0, role=role, crashes=crashes)
        return await fetcher.fetch(URL, Turns(), _welcome, role=role, target=target)

    return Tried(run_virtually(go()).result, notes.said, cell.read_here)


async def _welcome(_: str) -> Outcome | None:
    return None


def test_what_is_read_is_noted_for_as_long_as_it_takes() -> None:
    tried = fetch(LONG)
    assert isinstance(tried.result, Page)
    assert tried.notes == [(9, URL), "end"]
    assert tried.alone == []


def test_a_page_that_has_killed_its_reader_is_read_alone_and_is_a_page_like_any_other() -> None:
    usual, tried = fetch(LONG), fetch(LONG, crashes=1)
    assert isinstance(usual.result, Page)
    assert isinstance(tried.result, Page)
    assert tried.result == replace(usual.result, fetched_at=tried.result.fetched_at)
    assert tried.notes == [], "nothing that happens from now on is its fault"
    assert len(tried.alone) == 1


def test_heavy_bodies_wait_for_one_another_and_no_more_of_them_than_memory_has_room_for() -> None:
    web = SimulatedWeb()
    body = (LONG + "<p>" + "x" * 1_100_000).encode()
    urls = [f"https://a.example/{number}" for number in range(12)]
    for url in urls:
        web.at(url, Response(url, 200, Headers((("Content-Type", "text/html"),)), body))
    waiting: list[int] = []

    class Watching(Notes):
        def begin(self, target_id: int, url: str, *, goes_on: bool = False) -> None:
            waiting.append(fetcher._waiting)

    parts = FetcherParts({Client.HTTP: web}, VirtualClock(), shipped(), note=Watching())
    fetcher = Fetcher(parts, FetchPolicy())

    async def go() -> list[FetchResult]:
        return await asyncio.gather(*(
            fetcher.fetch(url, Turns(), _welcome, target=LeasedTarget(number, 1, url, 0, 5, 0))
            for number, url in enumerate(urls)
        ))  # fmt: skip

    assert all(isinstance(each.result, Page) for each in run_virtually(go()))
    assert len(waiting) == len(urls)
    assert 2 * len(body) < max(waiting) <= 8_000_000 + len(body)
    assert fetcher._waiting == 0


def test_a_verdict_on_it_counts_as_ever() -> None:
    assert isinstance(fetch(WALL, crashes=1).result, Garbage)


CAPTCHA = (
    "<title>Are you a robot?</title><h1>Are you a robot?</h1><p>Please confirm that you are not a"
    " robot.</p><div class=g-recaptcha></div>"
)
INCIDENT = "<html><body>Request unsuccessful. Incapsula incident ID: 12-34</body></html>"
CHALLENGE = "<title>Just a moment...</title><script>window._cf_chl_opt={}</script>"


@pytest.mark.parametrize("code", [401, 403, 405, 503])
@pytest.mark.parametrize(
    ("body", "kind", "is_hard"),
    [(CAPTCHA, "captcha", True), (INCIDENT, "access_denied", False)],
    ids=["captcha", "incident"],
)
def test_a_wall_under_an_error_is_a_wall(body: str, kind: str, is_hard: bool, code: int) -> None:
    """Not merely a status: why it was not the page is told, and a captcha closes the host."""
    result = fetch(body, code=code).result
    assert isinstance(result, Garbage)
    assert (result.verdict, result.is_hard, result.status) == (kind, is_hard, code)
    assert result.evidence.endswith(f"(http {code})")


@pytest.mark.parametrize("code", [403, 503])
def test_a_challenge_under_an_error_waits_for_a_browser(code: int) -> None:
    result = fetch(CHALLENGE, code=code).result
    assert isinstance(result, Unrendered)
    assert (result.verdict, result.status) == ("challenge", code)


@pytest.mark.parametrize("code", [403, 503])
def test_a_plain_refusal_is_one(code: int) -> None:
    result = fetch("<title>403 Forbidden</title><h1>403 Forbidden</h1>", code=code).result
    assert isinstance(result, Failed)
    assert (result.detail, result.status) == (f"http {code}", code)


def test_a_wall_that_tells_us_to_wait_is_waited_for() -> None:
    assert isinstance(fetch(CAPTCHA, code=429).result, Throttled)


def test_what_kills_that_reader_too_is_given_up_with_the_reason() -> None:
    tried = fetch(LONG, crashes=1, death="SIGSEGV, read alone")
    assert tried.result == Failed(Fault.INTERNAL, "killed its worker: SIGSEGV, read alone")


def test_a_refusal_whose_page_kills_its_reader_is_a_refusal() -> None:
    tried = fetch(WALL, crashes=1, death="SIGSEGV", code=403)
    assert isinstance(tried.result, Failed)
    assert tried.result.fault is Fault.CLIENT_ERROR


def test_a_sitemap_is_noted_step_by_step_and_read_alone_like_a_page() -> None:
    tried = fetch(SITEMAP, role=Role.SITEMAP)
    assert isinstance(tried.result, Page)
    assert set(tried.notes) == {(9, URL), "end"}
    assert tried.notes[-1] == "end"
    dead = fetch(SITEMAP, role=Role.SITEMAP, crashes=1, death="SIGBUS")
    assert dead.result == Failed(Fault.INTERNAL, "killed its worker: SIGBUS")
    assert isinstance(fetch("<p>none</p>", role=Role.SITEMAP, crashes=1).result, Gone)


def test_a_target_that_kills_whatever_is_done_with_it_is_not_visited_any_more() -> None:
    def target(crashes: int) -> LeasedTarget:
        return LeasedTarget(9, 1, URL, 0, 5, 0, crashes=crashes)

    assert [is_hopeless(target(n)) for n in range(MOST_CRASHES)] == [None] * MOST_CRASHES
    assert is_hopeless(target(MOST_CRASHES)) == Failed(
        Fault.INTERNAL, "killed its worker: 4 processes died of it"
    )
