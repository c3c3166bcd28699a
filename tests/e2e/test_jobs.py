"""Do jobs obey from another terminal, while whoever works on them is busy? (FR-7)"""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tenax.demo import DemoWeb, TreeSite, serving
from tests.e2e.command import Running, Tenax, is_alive, until

WITHIN = 2.0
"""Seconds until a pause has taken effect."""
LOCAL = ("--allow-private", "127.0.0.1/32")


def create(tenax: Tenax, name: str, url: str, *flags: str) -> None:
    made = tenax.run("jobs", "create", name, url, *LOCAL, *flags)
    assert made.code == 0, made.err


def order(tenax: Tenax, word: str, name: str = "tree") -> float:
    """Give the order; the moment when the command had returned."""
    ended = tenax.run("jobs", word, name, "--json")
    returned = time.monotonic()
    assert ended.code == 0, ended.err
    return returned


def start_worker(tenax: Tenax, *flags: str, **settings: object) -> Running:
    return tenax.start("worker", *LOCAL, "--delay", "0", *flags, **settings)


def stands(tenax: Tenax, name: str = "tree") -> tuple[str, int]:
    """The job's state, and what is left of it; asked of the ledger, as commands take a second."""
    (row,) = tenax.live(
        "SELECT state, (SELECT coalesce(sum(count), 0) FROM tallies WHERE job_id = jobs.id"
        f" AND tallies.name IN ('pending', 'leased')) FROM jobs WHERE name = '{name}'"
    )
    return row[0], row[1]


def is_done(tenax: Tenax, *names: str) -> bool:
    return all(stands(tenax, name) == ("done", 0) for name in names)


def assert_paused_since(web: DemoWeb, returned: float) -> None:
    """At the server: nothing came later than two seconds after the command had returned."""
    until(lambda: time.monotonic() > returned + 2 * WITHIN, "a while has passed")
    late = [visit.at - returned for visit in tuple(web.log) if visit.at > returned + WITHIN]
    assert not late, f"{len(late)} requests up to {max(late):.2f} s after the pause"


def under_way(web: DemoWeb, running: Running, more: int = 60) -> None:
    reached = len(web.log) + more
    until(lambda: len(web.log) > reached or not running.is_alive, "the crawl is under way")
    assert running.is_alive, running.err


@pytest.mark.parametrize("processes", ["1", "2"])
@pytest.mark.alone
def test_a_busy_worker_heeds_a_pause_and_goes_on_after_it(tenax: Tenax, processes: str) -> None:
    site = TreeSite(pages=700, delay=0.1)
    with serving([site]) as web:
        create(tenax, "tree", site.url)
        worker = start_worker(tenax, "--processes", processes)
        order(tenax, "start")
        under_way(web, worker)
        returned = order(tenax, "pause")
        assert_paused_since(web, returned)
        assert tenax.audit().code == 0
        state, left = stands(tenax)
        assert state == "paused"
        assert left
        site.delay = 0.0
        order(tenax, "resume")
        until(lambda: is_done(tenax, "tree"), "the job is done")
        assert tenax.audit().code == 0
        worker.interrupt()
        ended = worker.wait()
    assert ended.code == 0, ended.err
    assert "Traceback" not in ended.err
    assert len(tenax.pages()) == site.pages
    pages = [visit.path for visit in web.log if visit.path != "/robots.txt"]
    assert len(pages) == len(set(pages)), "what the pause gave back was asked for once"


@pytest.mark.alone
def test_a_crawl_in_another_terminal_heeds_a_pause_and_a_stop(tenax: Tenax) -> None:
    site = TreeSite(pages=2_000, delay=0.2)
    with serving([site]) as web:
        running = tenax.start_crawl(site.url, "--delay", "0", "--job", "tree")
        under_way(web, running)
        returned = order(tenax, "pause")
        assert_paused_since(web, returned)
        assert running.is_alive, "it waits to be resumed"
        order(tenax, "resume")
        under_way(web, running)
        order(tenax, "stop")
        ended = running.wait()
        assert ended.code == 5, ended.err
    state, left = stands(tenax)
    assert state == "stopped"
    assert left
    assert tenax.audit().code == 0


def test_a_worker_takes_up_what_is_started_later_and_what_a_killed_one_left(tenax: Tenax) -> None:
    first, second = TreeSite("one", pages=200, delay=0.1), TreeSite("two", pages=200, delay=0.1)
    with serving([first, second]) as web:
        create(tenax, "one", first.url, "--start")
        worker = start_worker(tenax)
        under_way(web, worker, 20)
        create(tenax, "two", second.url, "--start")
        until(lambda: len(web.asked("two")) > 30, "the second is worked on")
        worker.kill()
        assert tenax.audit().code == 0
        ended = start_worker(tenax, "--until-done", "--processes", "2", "--json").wait()
        assert ended.code == 0, ended.err
        assert ended.json["jobs"] == []
    assert is_done(tenax, "one", "two")
    assert len(tenax.pages()) == 400
    assert tenax.audit().code == 0


@pytest.mark.parametrize("processes", ["1", "2"])
def test_an_interrupted_worker_leaves_its_jobs_running_for_the_next(
    tenax: Tenax, processes: str
) -> None:
    site = TreeSite(pages=400, delay=0.1)
    with serving([site]) as web:
        create(tenax, "tree", site.url, "--start")
        worker = start_worker(tenax, "--processes", processes)
        under_way(web, worker)
        others = worker.children()
        assert len(others) == int(processes) - 1
        worker.interrupt(signal.SIGTERM)
        ended = worker.wait()
        assert ended.code == 0, ended.err
        assert "the next tenax worker goes on with them" in ended.err
        assert not [pid for pid in others if is_alive(pid)]
        assert stands(tenax)[0] == "running"
        assert tenax.audit().code == 0
        assert start_worker(tenax, "--until-done").wait().code == 0
    assert len(tenax.pages()) == site.pages


def test_a_job_is_deleted_from_under_a_worker_that_goes_on_with_the_other(tenax: Tenax) -> None:
    gone, kept = TreeSite("gone", pages=1_000, delay=0.1), TreeSite("kept", pages=300, delay=0.1)
    with serving([gone, kept]) as web:
        create(tenax, "gone", gone.url, "--start")
        create(tenax, "kept", kept.url, "--start")
        worker = start_worker(tenax)
        until(lambda: min(len(web.asked(name)) for name in ("gone", "kept")) > 20, "both go on")
        ended = tenax.run("jobs", "delete", "gone", "--yes")
        assert ended.code == 0, ended.err
        assert tenax.audit().code == 0
        assert tenax.run("jobs", "show", "gone").code == 2
        until(lambda: is_done(tenax, "kept"), "the other is done")
        worker.interrupt()
        assert worker.wait().code == 0
    assert {page.job for page in tenax.pages()} == {"kept"}
    assert len(tenax.pages()) == kept.pages
    assert tenax.audit().code == 0


@pytest.mark.alone
def test_a_deletion_that_was_killed_is_finished_by_the_next(tenax: Tenax) -> None:
    count = 30_000
    seeds = _file_of(tenax, count)
    assert tenax.run("jobs", "create", "large", "--seeds", str(seeds)).code == 0
    deleting = tenax.start("jobs", "delete", "large", "--yes")
    until(lambda: _known(tenax) < count, "some are deleted")
    deleting.kill()
    assert tenax.audit().code == 0
    left = _known(tenax)
    assert 0 < left < count, "it was killed in the middle"
    ended = tenax.run("jobs", "delete", "large", "--yes", "--json")
    assert ended.json == {"job": "large", "deleted": left}
    assert tenax.audit().code == 0
    assert tenax.run("jobs", "--json").out == ""


@pytest.mark.alone
@pytest.mark.parametrize("word", ["change", "create"])
def test_seeds_that_were_killed_half_way_are_completed_by_the_next(tenax: Tenax, word: str) -> None:
    count = 30_000
    seeds = _file_of(tenax, count)
    making = tenax.start("jobs", "create", "large", "--seeds", str(seeds))
    until(lambda: _known(tenax) > 3_000, "some are in")
    making.kill()
    assert tenax.audit().code == 0
    assert 0 < _known(tenax) < count, "it was killed in the middle"
    ended = tenax.run("jobs", word, "large", "--seeds", str(seeds))
    assert ended.code == 0, ended.err
    assert "30,000 seeds read" in ended.err
    assert _known(tenax) == count
    assert tenax.audit().code == 0


def test_a_crawl_of_seeds_from_standard_input(tenax: Tenax) -> None:
    site = TreeSite(pages=60)
    with serving([site]):
        typed = "".join(f"{site.url}p/{n}\r\n" for n in range(1, 40)) + "nonsense://\n# the end\n"
        ended = _piped(tenax, typed, "crawl", "--seeds", "-", "--max-depth", "0", "--delay", "0")
    assert ended.returncode == 0, ended.stderr
    assert "stdin:40: nonsense://: not crawled: scheme" in ended.stderr
    assert "40 seeds read: 39 new, 1 not taken." in ended.stderr
    assert {page.url for page in tenax.pages()} == {f"{site.url}p/{n}" for n in range(1, 40)}
    assert tenax.audit().code == 0


def test_seeds_beyond_the_limit_of_the_frontier_come_in_while_others_are_visited(
    tenax: Tenax,
) -> None:
    """FR-8: they wait, and none is dropped."""
    site = TreeSite(pages=400)
    with serving([site]):
        typed = "".join(f"{site.url}p/{n}\n" for n in range(1, 400))
        path = tenax.folder / "seeds.txt"
        path.write_text(typed)
        ended = tenax.crawl(
            "--seeds", str(path), "--max-depth", "0", "--delay", "0",
            feed__frontier_limit=50, job__discover="feeds",
        )  # fmt: skip
    assert ended.code == 0, ended.err
    assert len(tenax.pages()) == 399
    assert tenax.audit().code == 0


def _file_of(tenax: Tenax, count: int) -> Path:
    path = tenax.folder / "seeds.txt"
    path.write_text("".join(f"https://h{n % 100}.example/{n}\n" for n in range(count)))
    return path


def _known(tenax: Tenax) -> int:
    """URLs in the ledger; none while it is being made."""
    try:
        (row,) = tenax.live("SELECT coalesce(sum(known), 0) FROM lanes")
    except sqlite3.OperationalError:
        return 0
    return int(row[0])


def _piped(tenax: Tenax, text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("TENAX_")}
    return subprocess.run(
        [sys.executable, "-m", "tenax.cli", *arguments, *LOCAL, "--data", str(tenax.data)],
        input=text,
        capture_output=True,
        text=True,
        env={**environment, "TENAX_JOB__DISCOVER": "feeds"},
        cwd=tenax.folder,
        timeout=240,
        check=False,
    )
