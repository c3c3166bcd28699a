"""Does a crawl survive every evil at once, and still bring home what is healthy? (SEC-2, FR-1)

A start page links to every case of the table and to pages with nothing wrong. Whatever the
others do, those are stored, and every URL ends in one state with the reason it should have.
Servers that misbehave and pages that take long to read have a crawl each: the former are met
with little patience, which is no measure for the latter.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pytest

from tenax.cli.terminal.say import EXIT_WORK_LEFT
from tenax.demo import Reply, Site, SiteRequest, Truth, serving
from tenax.model import State
from tenax.outcome import SITE_WIDE
from tests.e2e.command import PATIENCE, Ended, Running, Tenax
from tests.hostile import FAST, PAGES, Case, Ground

HEALTHY = 40
SECONDS = 200.0
MEGABYTES = 1500
HASTE = {
    "fetch__limits__connect": 3,
    "fetch__limits__total": 6,
    "robots__timeout": 1,
    "robots__retries": 0,
    "robots__on_error": "allow",
    "retry__base": 0.1,
    "retry__attempts": 2,
    "feed__patience": 3,
    # One host plays all the parts: it must not be left alone for its first few.
    "budget__failures": 100_000,
    "breaker__failures": 15,
    "breaker__backoffs": "100",
    "cooldown__refusals": 100_000,
    "throttle__pause": 0.1,
    # Those others would do as badly, and take longer.
    "fetch__ways__fallbacks": "",
}
# While a page is read nobody else's answer is heard, and here every page takes long.
PATIENTLY = HASTE | {
    "fetch__limits__connect": 30,
    "fetch__limits__total": 60,
    "robots__timeout": 30,
}
CRAWLS = {"servers": (FAST, HASTE), "pages": (PAGES, PATIENTLY)}


class Row(NamedTuple):
    """What the ledger says of one URL, and of the last try at it."""

    url: str
    state: str
    reason: str
    outcome: str
    error: str


class Crawl(NamedTuple):
    ended: Ended
    seconds: float
    peak: int
    """Megabytes, at most."""
    rows: list[Row]
    titles: dict[str, str]
    """Of the pages that were stored."""
    home: str
    cases: tuple[Case, ...]
    urls: dict[str, str]
    audit: Ended


@pytest.fixture(scope="module", params=CRAWLS)
def crawl(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Crawl:
    folder = tmp_path_factory.mktemp("hostile")
    tenax = Tenax(folder)
    cases, settings = CRAWLS[request.param]
    with Ground(cases, folder) as ground, pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", ground.authority)
        urls = {case.name: ground.url(case.name) for case in cases}
        with serving([Home(links=tuple(urls.values()))]) as web:
            try:
                return _crawl(tenax, web.seeds[0], cases, urls, settings)
            finally:
                tenax.clean_up()


def _crawl(
    tenax: Tenax,
    home: str,
    cases: tuple[Case, ...],
    urls: dict[str, str],
    settings: Mapping[str, object],
) -> Crawl:
    started = time.monotonic()
    flags = ("--delay", "0", "--scope", "any", "--max-depth", "1")
    running = tenax.start_crawl(home, *flags, **settings)
    peak = 0
    while running.is_alive and time.monotonic() - started < PATIENCE:
        peak = max(peak, _megabytes(running))
        time.sleep(0.05)
    ended = running.wait(1.0)
    seconds = time.monotonic() - started
    titles = {page.url: page.title for page in tenax.pages()}
    rows = _rows(tenax)
    return Crawl(ended, seconds, peak, rows, titles, home, cases, urls, tenax.audit())


def _megabytes(running: Running) -> int:
    try:
        status = Path(f"/proc/{running.crawler}/status").read_text()
    except OSError:
        return 0
    found = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")]
    return int(found[0]) // 1024 if found else 0


def _rows(tenax: Tenax) -> list[Row]:
    query = """
        select case when t.url like 'http%' then t.url else h.origin || t.url end,
               t.state, coalesce(t.reason, ''), coalesce(a.outcome, ''), coalesce(a.error, '')
        from targets t join hosts h on h.id = t.host_id
        left join attempts a on a.id = (select max(id) from attempts where target_id = t.id)
    """
    with tenax.ledger() as ledger:
        return [Row(*row) for row in ledger.execute(query)]


def test_every_healthy_page_is_stored(crawl: Crawl) -> None:
    expected = {f"{crawl.home}page/{number}" for number in range(HEALTHY)} | {crawl.home}
    assert expected <= crawl.titles.keys()


def test_it_ends_in_time_and_in_order(crawl: Crawl) -> None:
    assert crawl.ended.code in (0, EXIT_WORK_LEFT), crawl.ended.err
    assert "Traceback" not in crawl.ended.err
    assert crawl.seconds < SECONDS


def test_it_costs_bounded_memory(crawl: Crawl) -> None:
    assert crawl.peak < MEGABYTES


def test_the_ledger_is_whole(crawl: Crawl) -> None:
    assert crawl.audit.code == 0, crawl.audit.out + crawl.audit.err


def test_nothing_is_left_in_anybodys_hands(crawl: Crawl) -> None:
    assert [row for row in crawl.rows if row.state == State.LEASED] == []


def test_nothing_was_a_fault_of_ours(crawl: Crawl) -> None:
    assert [row for row in crawl.rows if "internal" in row.error] == []


def test_nothing_was_taken_from_a_metadata_service_or_with_credentials(crawl: Crawl) -> None:
    assert not [row for row in crawl.rows if "169.254" in row.url or "secret" in row.url]


def test_nothing_was_taken_from_our_disk(crawl: Crawl) -> None:
    """An entity of XML may name a file; who follows it publishes it."""
    assert not [title for title in crawl.titles.values() if "root:" in title]


def test_every_url_ends_in_one_state_for_the_right_reason(crawl: Crawl) -> None:
    wrong = []
    for case in crawl.cases:
        rows = [row for row in crawl.rows if row.url == crawl.urls[case.name]]
        if len(rows) != 1 or not _is_as_expected(rows[0], case):
            wrong.append((case.name, case.ending, rows))
    assert wrong == []


def _is_as_expected(row: Row, case: Case) -> bool:
    word, _, reason = case.ending.partition(" ")
    if row.state not in _states(word, reason):
        return False
    if row.state == State.REJECTED:
        return True
    # Ten megabytes of one word are much like ten of another.
    outcome = "read" if row.outcome == "duplicate" else row.outcome
    return outcome == word and row.error.startswith(reason)


def _states(word: str, reason: str) -> set[State]:
    """Where a target may be after a visit that ended so."""
    match word:
        case "read":
            return {State.DONE, State.REJECTED}  # the latter, when it reads like no page
        case "unchanged" | "moved":
            return {State.DONE}
        case "gone":
            return {State.GONE}
        case "refused":
            return {State.BLOCKED}
        case "throttled":
            return {State.PENDING}
        case _ if reason in set(SITE_WIDE):
            return {State.FAILED, State.PENDING}  # the host's trouble costs no attempt (FE-8)
        case _:
            return {State.FAILED}


def test_a_chain_of_redirects_across_hosts_has_an_end(tenax: Tenax) -> None:
    """Neither host ever redirects to itself, so no visit ever sees more than one hop."""
    sites = [Hop(name="hop"), Hop(name="skip")]
    with serving(sites) as web:
        sites[0].other, sites[1].other = sites[1], sites[0]
        flags = ("--delay", "0", "--scope", "any")
        tenax.crawl(web.seeds[0], *flags, job__max_urls=200, **HASTE)
    assert len(_rows(tenax)) < 100


@dataclass
class Hop(Site):
    """Always redirects to the other one, farther on."""

    name: str = "hop"
    other: Site | None = None

    def answer(self, request: SiteRequest) -> Reply:
        if request.path == "/robots.txt":
            return self.robots()
        number = request.path.rpartition("/")[2]
        place = f"{self.other.url if self.other else ''}hops/{int(number or 0) + 1}"
        return Reply(status=302, headers=(("Location", place),))

    def truth(self) -> Truth:
        return Truth(front=self.url)


@dataclass
class Home(Site):
    """The start page with all the links, and the healthy pages."""

    name: str = "home"
    links: tuple[str, ...] = ()

    def answer(self, request: SiteRequest) -> Reply:
        match request.segments:
            case [""]:
                healthy = tuple(f"/page/{number}" for number in range(HEALTHY))
                links = "".join(f'<li><a href="{link}">x</a>' for link in self.links + healthy)
                return self.page("Home", f"<ul>{links}</ul>{_prose('home')}")
            case ["page", number]:
                return self.page(f"Page {number}", _prose(number))
            case ["robots.txt"]:
                return self.robots()
            case _:
                return self.missing()

    def truth(self) -> Truth:
        return Truth(front=self.url)


def _prose(topic: str) -> str:
    sentence = f"<p>What there is to say about number {topic} is said here, in so many words.</p>"
    return f"<main><h1>About {topic}</h1>{sentence * 20}</main>"
