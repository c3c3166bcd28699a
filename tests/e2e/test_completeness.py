"""Is every page fetched once and kept, whoever is killed and when? (FR-1, FR-2, FR-4, FR-10)"""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from collections.abc import Iterator
from random import Random
from urllib.parse import urljoin

import pytest

from tenax.demo import DemoWeb, TreeSite, serving
from tests.e2e.command import Running, Tenax, is_alive, until
from tests.e2e.politeness import measured_lateness, too_early

KILLS = 10


def test_five_thousand_pages_are_requested_once_and_stored_once(tenax: Tenax) -> None:
    site = TreeSite(pages=5000)
    with serving([site]) as web:
        ended = tenax.crawl(site.url, "--delay", "0")
    assert ended.code == 0, ended.err
    assert Counter(_asked(web)) == Counter(site.expected_urls())
    assert _is_complete(tenax, site)
    assert tenax.audit().code == 0


def test_ten_kills_at_any_moment_lose_nothing_and_repeat_only_what_was_leased(
    tenax: Tenax,
) -> None:
    """The bound: a killed process loses what it had asked for and not yet committed.

    Every such target is leased in the ledger at that moment, so a URL may be asked for once,
    and once more for every kill that found it leased. In figures: requests under way (8 slots)
    plus targets whose commit had not landed; never more than were leased.
    """
    site = TreeSite(pages=5000)
    repeatable = 0
    with serving([site]) as web:
        allowed = Counter(site.expected_urls())
        for running in _killable(tenax, web, ("--delay", "0"), Random(20)):
            running.kill()
            leased = _leased(tenax, site)
            allowed.update(leased)
            repeatable += len(leased)
        ended = tenax.crawl(site.url, "--delay", "0")
    assert ended.code == 0, ended.err
    assert _is_complete(tenax, site)
    asked = Counter(_asked(web))
    assert asked - allowed == Counter()
    assert asked.total() <= site.pages + repeatable
    assert tenax.audit().code == 0


@pytest.mark.alone
def test_kills_and_restarts_never_make_the_crawl_impolite(tenax: Tenax) -> None:
    """HOST-5: the turn a dead process took counts, although it could not write that down."""
    site = TreeSite(pages=200)
    with measured_lateness() as lateness, serving([site]) as web:
        for running in _killable(tenax, web, ("--delay", "0.05"), Random(3)):
            running.kill()
        ended = tenax.crawl(site.url, "--delay", "0.05")
    assert ended.code == 0, ended.err
    assert _is_complete(tenax, site)
    assert too_early(web.log, 0.05, lateness) == []
    assert tenax.audit().code == 0


def test_what_a_killed_worker_process_held_the_other_one_finishes(tenax: Tenax) -> None:
    site = TreeSite(pages=1200, delay=0.01)
    with serving([site]) as web:
        running = tenax.start_crawl(site.url, "--delay", "0", "--processes", "2")
        _until_both_work(tenax, web)
        _kill_one(running)
        ended = running.wait()
    assert ended.code == 0, ended.err
    assert "was killed by signal 9" in ended.err
    assert _is_complete(tenax, site)
    assert tenax.audit().code == 0


def test_a_process_that_dies_before_it_had_work_is_no_loss(tenax: Tenax) -> None:
    site = TreeSite(pages=100)
    with serving([site]):
        running = tenax.start_crawl(site.url, "--delay", "0", "--processes", "2")
        until(running.children, "the second process is there")
        _kill_one(running)
        ended = running.wait()
    assert ended.code == 0, ended.err
    assert "Traceback" not in ended.err
    assert _is_complete(tenax, site)


def test_processes_that_get_no_work_end_without_a_word(tenax: Tenax) -> None:
    running = tenax.start_crawl("mailto:nobody@example.org", "--processes", "3")
    until(lambda: len(running.children()) == 2 or not running.is_alive, "the others are there")
    others = running.children()
    assert running.wait().code == 2
    assert not any(map(is_alive, others))
    assert "Traceback" not in running.err


@pytest.mark.parametrize("processes", [1, 2])
def test_two_processes_ask_for_no_page_twice(tenax: Tenax, processes: int) -> None:
    """By one command with two workers, or by two commands at once (FR-2)."""
    site = TreeSite(pages=500, delay=0.005)
    with serving([site]) as web:
        flags = (site.url, "--delay", "0", "--processes", str(processes))
        started = [tenax.start_crawl(*flags) for _ in range(3 - processes)]
        codes = {running.wait().code for running in started}
    assert codes == {0}
    asked = Counter(_asked(web))
    assert asked == Counter(site.expected_urls())
    assert max(visit.under_way for visit in web.log) <= 8
    assert tenax.audit().code == 0


def test_of_two_commands_on_one_job_the_survivor_finishes(tenax: Tenax) -> None:
    site = TreeSite(pages=1200, delay=0.01)
    with serving([site]) as web:
        first = tenax.start_crawl(site.url, "--delay", "0")
        second = tenax.start_crawl(site.url, "--delay", "0")
        _until_both_work(tenax, web)
        first.kill()
        ended = second.wait()
    assert ended.code == 0, ended.err
    assert _is_complete(tenax, site)
    assert tenax.audit().code == 0


def test_of_two_commands_on_one_job_the_one_not_interrupted_goes_on(tenax: Tenax) -> None:
    site = TreeSite(pages=1200, delay=0.01)
    with serving([site]) as web:
        first = tenax.start_crawl(site.url, "--delay", "0")
        second = tenax.start_crawl(site.url, "--delay", "0")
        _until_both_work(tenax, web)
        first.interrupt()
        assert first.wait().code == 130
        ended = second.wait()
    assert ended.code == 0, ended.err
    assert _is_complete(tenax, site)
    assert tenax.audit().code == 0


@pytest.mark.alone
def test_two_commands_on_one_paced_host_are_as_polite_as_one(tenax: Tenax) -> None:
    """FR-2: politeness is per host across all workers, and across jobs."""
    site = TreeSite(pages=60)
    with measured_lateness() as lateness, serving([site]) as web:
        one = tenax.start_crawl(site.url, "--delay", "0.05", "--job", "one")
        two = tenax.start_crawl(site.url, "--delay", "0.05", "--job", "two")
        assert (one.wait().code, two.wait().code) == (0, 0)
    assert too_early(web.log, 0.05, lateness) == []
    asked = Counter(_asked(web))
    assert asked == Counter([*site.expected_urls()] * 2)
    assert tenax.audit().code == 0


def _killable(
    tenax: Tenax, web: DemoWeb, flags: tuple[str, ...], dice: Random
) -> Iterator[Running]:
    """The same command ten times over, each at the moment it is to be killed: two while it still
    starts, the others somewhere in their work."""
    seed = web.seeds[0]
    for number in range(KILLS):
        before = len(web.log)
        running = tenax.start_crawl(seed, *flags)
        if number not in (3, 7):
            until(lambda: len(web.log) > before, "a request arrives")  # noqa: B023 - called at once
        time.sleep(dice.uniform(0.0, 0.35))
        assert running.is_alive, "the crawl ended before it could be killed"
        yield running


def _leased(tenax: Tenax, site: TreeSite) -> list[str]:
    """What the ledger says is in somebody's hands."""
    if not (tenax.data / "ledger.db").exists():
        return []
    with tenax.ledger() as ledger:
        rows = ledger.execute("SELECT url FROM targets WHERE state = 'leased'").fetchall()
    return [urljoin(site.url, url) for (url,) in rows]


def _until_both_work(tenax: Tenax, web: DemoWeb) -> None:
    """Both are registered and hold a host, and the crawl is well under way."""
    until(lambda: len(web.log) > 300, "the crawl is under way")
    until(lambda: len(tenax.live(_HOLDERS)) == 2, "both processes hold work")


_HOLDERS = "SELECT DISTINCT worker_id FROM assignments"


def _kill_one(running: Running) -> None:
    os.kill(running.children()[0], signal.SIGKILL)


def _asked(web: DemoWeb) -> list[str]:
    """Every page requested, robots.txt left out: each process may ask for that."""
    origin = next(iter(web.sites.values())).origin
    return [origin + visit.path for visit in tuple(web.log) if visit.path != "/robots.txt"]


def _is_complete(tenax: Tenax, site: TreeSite) -> bool:
    return sorted(page.url for page in tenax.pages()) == sorted(site.expected_urls())
