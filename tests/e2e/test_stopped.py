"""What if a process stands still for longer than its leases? (FR-4, and issue 4's many processes)

SIGSTOP is what a debugger does, a suspended laptop, a container that is frozen: the process is
not dead, and knows nothing of the time that has passed.
"""

from __future__ import annotations

import signal
import sqlite3
import time
from collections import Counter
from contextlib import closing

import pytest

from tenax.demo import DemoWeb, TreeSite, serving
from tests.e2e.command import Running, Tenax, is_stopped, until
from tests.e2e.politeness import Lateness, measured_lateness, too_early

DELAY = 0.15
SLACK = 0.03
"""Whoever takes a host over connects anew, and the log hears of that late, on a busy machine."""
HOSTS = ("red", "green", "blue")
LINKS_ALONE: dict[str, object] = {"job__discover": "feeds", "traps__patience": 100_000}
"""No guesses, and every page: the sites are copies of one another, which a trap would be too."""
BRIEF = LINKS_ALONE | {"lease__seconds": 2, "lease__most_targets": 100, "feed__heartbeat": 0.3}
"""Leases short enough to wait for, long enough that a process which is only slow, as all are beside
other tests, keeps its own, and large enough that a host is held until it is done."""
LONG = BRIEF | {"lease__seconds": 600}


@pytest.fixture
def sites() -> list[TreeSite]:
    """Their front pages link to everything, so that an assignment holds all that is left."""
    return [TreeSite(name, pages=25, links=50) for name in HOSTS]


def test_hosts_of_a_stopped_process_go_to_another_and_stay_there_while_it_holds_them(
    tenax: Tenax, sites: list[TreeSite]
) -> None:
    with measured_lateness() as lateness, serving(sites) as web:
        sleeper = start(tenax, web, "sleeper", BRIEF)
        put_to_sleep(sleeper, tenax, web)
        once_more = asked_in_vain(tenax, web)
        other = start(tenax, web, "other", BRIEF)
        until(
            lambda: holders(tenax) == [other.crawler] * len(sites), "the other one holds every host"
        )
        woken, held_until = len(web.log), time.monotonic()
        sleeper.interrupt(signal.SIGCONT)
        while (now := time.monotonic()) and holders(tenax) == [other.crawler] * len(sites):
            held_until = now
            time.sleep(0.02)
        assert other.wait().code == 0, other.err
        ended = sleeper.wait()
    assert ended.code == 0, ended.err
    assert "Traceback" not in ended.err + other.err
    # What it gives back, done or not, is anybody's, the sleeper's too.
    hasty = [v for v in list(web.log)[woken:] if v.agent == "sleeper" and v.at <= held_until]
    assert not hasty
    check(tenax, web, lateness, once_more)


def test_hosts_of_a_killed_process_go_to_another_at_once(
    tenax: Tenax, sites: list[TreeSite]
) -> None:
    with measured_lateness() as lateness, serving(sites) as web:
        victim = start(tenax, web, "victim", LONG)
        put_to_sleep(victim, tenax)  # so that there is something left to take over
        once_more = asked_in_vain(tenax, web)
        other = start(tenax, web, "other", LONG)
        until(lambda: len(tenax.live("SELECT id FROM workers")) == 2, "the other one has joined")
        assert holders(tenax) == [victim.crawler] * len(sites), "its leases last"
        victim.kill()
        ended = other.wait()
    assert ended.code == 0, ended.err
    assert "other" in {visit.agent for visit in web.log}
    check(tenax, web, lateness, once_more)


def test_a_process_alone_goes_on_by_itself_after_a_stop(
    tenax: Tenax, sites: list[TreeSite]
) -> None:
    with measured_lateness() as lateness, serving(sites) as web:
        running = start(tenax, web, "alone", BRIEF)
        put_to_sleep(running, tenax, web)
        once_more = asked_in_vain(tenax, web)
        until(lambda: latest_lease(tenax) < time.time(), "the leases have run out")
        running.interrupt(signal.SIGCONT)
        ended = running.wait()
    assert ended.code == 0, ended.err
    assert "Traceback" not in ended.err
    check(tenax, web, lateness, once_more)


def test_a_process_stopped_again_and_again_loses_and_repeats_nothing(
    tenax: Tenax, sites: list[TreeSite]
) -> None:
    """Both of them, by turns, each for a little longer than its leases."""
    once_more: Counter[str] = Counter()
    with measured_lateness() as lateness, serving(sites) as web:
        both = [start(tenax, web, name, BRIEF) for name in ("first", "second")]
        for running in (*both, *both):
            put_to_sleep(running, tenax, web)
            once_more += asked_in_vain(tenax, web)
            until(lambda: latest_lease(tenax, running.crawler) < time.time(), "its leases are over")  # noqa: B023 - called at once
            running.interrupt(signal.SIGCONT)
        codes = [running.wait().code for running in both]
    assert codes == [0, 0], [running.err for running in both]
    check(tenax, web, lateness, once_more)


def test_an_unpaced_process_that_comes_back_harms_nothing(tenax: Tenax) -> None:
    """FR-4: a late worker whose lease was lost cannot commit, and stops."""
    site = TreeSite(pages=300, delay=0.01)
    with serving([site]) as web:
        flags = (site.url, "--delay", "0")
        sleeper = tenax.start_crawl(*flags, lease__seconds=1, **LINKS_ALONE)
        until(lambda: len(web.log) > 60, "the crawl is under way")
        put_to_sleep(sleeper, tenax)
        try:
            ended = tenax.crawl(*flags, **BRIEF)
        finally:
            sleeper.interrupt(signal.SIGCONT)
        assert ended.code == 0, ended.err
        assert sleeper.wait().code == 0
    assert len(tenax.pages()) == site.pages
    assert tenax.audit().code == 0


FLAGS = ("--delay", str(DELAY), "--job", "stops")


def start(tenax: Tenax, web: DemoWeb, agent: str, settings: dict[str, object]) -> Running:
    """A crawl of all sites under a name of its own. The first one soon holds every host."""
    running = tenax.start_crawl(*web.seeds, *FLAGS, fetch__user_agent=agent, **settings)
    pages = len(web.sites) * 4
    until(lambda: len(web.log) > pages, "robots.txt and a few pages of every host were asked for")
    return running


def check(tenax: Tenax, web: DemoWeb, lateness: Lateness, once_more: Counter[str]) -> None:
    """Nothing lost, nothing doubled, nobody hurried."""
    every_page = sorted(url for site in web.sites.values() for url in site.truth().pages)
    assert sorted(page.url for page in tenax.pages()) == every_page
    assert asked(web) - Counter(every_page) - once_more == Counter()
    for name in web.sites:
        assert too_early(web.asked(name), DELAY - SLACK, lateness) == []
    assert tenax.audit().code == 0


def asked(web: DemoWeb) -> Counter[str]:
    """Pages by the number of requests for them."""
    return Counter(
        web.sites[visit.site].origin + visit.path
        for visit in tuple(web.log)
        if visit.path != "/robots.txt"
    )


def asked_in_vain(tenax: Tenax, web: DemoWeb) -> Counter[str]:
    """Pages of which the ledger has not heard yet: these may have to be asked for again."""
    with tenax.ledger() as ledger:
        rows = ledger.execute("SELECT origin, url FROM targets JOIN hosts ON hosts.id = host_id"
                              " WHERE targets.state = 'done'").fetchall()  # fmt: skip
    return Counter(asked(web).keys() - {origin + url for origin, url in rows})


def holders(tenax: Tenax) -> list[int]:
    """The process id behind every assignment."""
    rows = tenax.live("SELECT pid FROM assignments JOIN workers ON workers.id = worker_id")
    return [pid for (pid,) in rows]


def latest_lease(tenax: Tenax, pid: int | None = None) -> float:
    rows = tenax.live("SELECT expires_at, pid FROM assignments JOIN workers"
                      " ON workers.id = worker_id")  # fmt: skip
    return max((at for at, holder in rows if pid in (None, holder)), default=0.0)


def put_to_sleep(running: Running, tenax: Tenax, web: DemoWeb | None = None) -> None:
    """Stop the process between two transactions: inside one it would lock everybody out.

    With `web`, between its requests, too: one that was on its way to the kernel, its last check
    behind it, leaves when the process wakes, and nobody could hold it back.
    """
    while True:
        if web is not None:
            until(lambda: is_quiet(web), "a moment between requests")
        running.interrupt(signal.SIGSTOP)
        until(
            lambda: not running.is_alive or is_stopped(running.crawler), "every thread has stopped"
        )
        if _is_unlocked(tenax):
            return
        running.interrupt(signal.SIGCONT)
        time.sleep(0.01)


def is_quiet(web: DemoWeb) -> bool:
    """All sites are asked at the same time, every `DELAY`: the last was, the next is not yet."""
    return DELAY / 4 < time.monotonic() - web.log[-1].at < DELAY / 2


def _is_unlocked(tenax: Tenax) -> bool:
    with closing(sqlite3.connect(tenax.data / "ledger.db", timeout=0)) as ledger:
        try:
            ledger.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            return False
        return True
