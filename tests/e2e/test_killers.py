"""Does one page that kills its reader cost a crawl that one page, and nothing else? (FR-1)

The reader really dies: in C, by signals, by hanging, by taking all the memory it gets.
"""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from tenax.adapters.local.reading_note import read_note
from tenax.demo import serving
from tests.e2e.command import Tenax, is_alive, until
from tests.killers import DeadlySite, install
from tests.postgres import empty_ledger

KILLED = "internal: killed its worker"
LIMITS: dict[str, object] = {"reading__seconds": 2, "reading__memory": 200_000_000}
PATIENT = LIMITS | {"reading__seconds": 8}
"""Where a page eats memory: on a busy machine that takes its time, and is not to end by that."""
DIED = {
    "crash": "The crawling process died (SIGSEGV) while it read",
    "abort": "The crawling process died (SIGABRT) while it read",
    "spin": "took more than 2 s, and its process was ended",
    "sleep": "took more than 2 s, and its process was ended",
    "eat": "took more than 200,000,000 bytes of memory, and its process was ended",
}
ALONE = {
    "crash": "SIGSEGV, read alone",
    "abort": "SIGABRT, read alone",
    "spin": "it took more than 2 s",
    "sleep": "it took more than 2 s",
    "eat": "SIGABRT, read alone",
}


@pytest.fixture(autouse=True)
def parser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", install(tmp_path))
    monkeypatch.setenv("KILLED_ONCE", str(tmp_path / "killed-once"))


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest) -> str:
    return "" if request.param == "sqlite" else asyncio.run(empty_ledger())


@pytest.mark.parametrize("way", list(DIED))
def test_one_page_that_kills_its_reader_among_200_costs_that_page_alone(
    tenax: Tenax, way: str
) -> None:
    site = DeadlySite(pages=200, deadly={77: way})
    with serving([site]):
        limits = PATIENT if way == "eat" else LIMITS
        ended = tenax.crawl(site.url, "--delay", "0", "--json", **limits)
    assert ended.code == 0, ended.err
    assert "Traceback" not in ended.err
    assert DIED[way] in ended.err
    told = ended.json
    assert (told["state"], told["pages"], told["new_pages"]) == ("done", 199, 199)
    assert (told["failed"], told["pending"], told["known"]) == (1, 0, 200)
    assert {page.url for page in tenax.pages()} == site.expected_urls() - site.deadly_urls()
    ((fault, reason),) = tenax.live(
        "SELECT fault, reason FROM dead_letters JOIN targets ON id = target_id"
    )
    assert (fault, reason) == ("internal", f"{KILLED}: {ALONE[way]}")
    assert tenax.audit().code == 0
    assert not list(tenax.data.glob("workers/*.lock"))


@pytest.mark.parametrize("processes", ["1", "2"])
def test_every_way_of_dying_costs_its_page_on_any_ledger_and_by_any_number_of_processes(
    tenax: Tenax, database: str, processes: str
) -> None:
    """With two, a page may kill the one that started the other, or the other."""
    site = DeadlySite(pages=200, deadly={30: "crash", 60: "hang", 90: "eat", 120: "crash"})
    with serving([site]):
        ended = tenax.crawl(
            site.url, "--delay", "0", "--json", "--processes", processes, database=database,
            **PATIENT,
        )  # fmt: skip
    assert ended.code == 0, ended.err
    assert "Traceback" not in ended.err
    told = ended.json
    assert (told["state"], told["pages"], told["new_pages"]) == ("done", 196, 196)
    assert (told["failed"], told["pending"]) == (4, 0)
    letters = tenax.run("dead", "--json", database=database).out
    assert letters.count(f"{KILLED}: SIGSEGV, read alone") == 2
    assert letters.count(f"{KILLED}: it took more than 8 s") == 1
    assert letters.count(f"{KILLED}: SIGABRT, read alone") == 1
    assert tenax.run("audit", "--bodies", database=database).code == 0
    assert not list(tenax.data.glob("workers/*.lock"))


def test_a_page_that_was_only_being_read_when_its_process_was_killed_loses_nothing(
    tenax: Tenax,
) -> None:
    site = DeadlySite(pages=100, deadly={20: "once"})
    (tenax.folder / "titles.py").write_text(
        "from tenax import on\n\n@on('*')\ndef titled(page):\n"
        "    yield page.record('titled', title=page.title)\n"
    )
    with serving([site]):
        ended = tenax.crawl(site.url, "--delay", "0", "--json", "--handlers", "titles.py")
    assert ended.code == 0, ended.err
    assert "died (SIGKILL) while it read" in ended.err
    assert (ended.json["new_pages"], ended.json["failed"]) == (100, 0)
    assert (ended.json["records"], ended.json["handler_failures"]) == (100, {})
    assert {page.url for page in tenax.pages()} == site.expected_urls()
    assert tenax.live("SELECT * FROM crashes") == [], "nothing stands against it any more"
    assert tenax.audit().code == 0


def test_a_killer_that_is_returned_is_read_alone_at_once(tenax: Tenax) -> None:
    site = DeadlySite(pages=20, deadly={5: "crash"})
    with serving([site]):
        assert "Starting again" in tenax.crawl(site.url, "--delay", "0").err
        assert tenax.run("dead", "return", "--all").code == 0
        again = tenax.crawl(site.url, "--delay", "0")
    assert "Starting again" not in again.err
    assert f"1x {KILLED}" in again.err


def test_a_worker_outlives_a_page_that_kills_its_reader(tenax: Tenax) -> None:
    site = DeadlySite(pages=60, deadly={20: "crash"})
    with serving([site]):
        ours: dict[str, object] = {"allow_private": "127.0.0.1/32"}
        assert tenax.run("jobs", "create", "deadly", site.url, "--start", **ours).code == 0
        ended = tenax.run("worker", "--until-done", "--delay", "0", "--json", **ours)
    assert ended.code == 0, ended.err
    assert DIED["crash"] in ended.err
    assert ended.json["new_pages"] == 59
    assert tenax.audit().code == 0


def test_visiting_again_begins_once_however_often_it_is_killed(tenax: Tenax) -> None:
    site = DeadlySite(pages=60)
    with serving([site]) as web:
        assert tenax.crawl(site.url, "--delay", "0").code == 0
        before = len(web.log)
        site.deadly = {50: "crash"}
        ended = tenax.crawl(site.url, "--delay", "0", "--again")
    assert ended.code == 0, ended.err
    assert DIED["crash"] in ended.err
    assert ended.err.count("Visiting 60 URLs") == ended.err.count("Visiting ") == 1
    assert "0 new pages and 60 visited again" in ended.err
    # Those under way when it died are asked for twice, the others are not.
    assert len(web.log) - before < 2 * site.pages


def test_the_crawl_ends_with_its_supervisor_even_when_it_hangs(tenax: Tenax) -> None:
    site = DeadlySite(pages=20, deadly={5: "hang"})
    with serving([site]):
        running = tenax.start_crawl(site.url, "--delay", "0", reading__seconds=600)
        until(lambda: _reading(tenax) == f"{site.origin}/p/5", "it hangs")
        crawler = running.crawler
        os.kill(running.pid, signal.SIGKILL)
        running.wait()
        until(lambda: not is_alive(crawler), "the kernel ends it", seconds=10)
        # Nobody was there to count it: the next start on this machine does.
        ended = tenax.crawl(site.url, "--delay", "0", reading__seconds=2)
    assert "Starting again" not in ended.err
    assert f"1x {KILLED}: it took more than 2 s" in ended.err


def test_a_second_interrupt_ends_a_crawl_that_hangs(tenax: Tenax) -> None:
    site = DeadlySite(pages=20, deadly={5: "hang"})
    with serving([site]):
        running = tenax.start_crawl(site.url, "--delay", "0", reading__seconds=600)
        until(lambda: _reading(tenax) == f"{site.origin}/p/5", "it hangs")
        crawler = running.crawler
        running.interrupt()
        running.interrupt(signal.SIGTERM)
        assert running.wait().code == 130
    assert not is_alive(crawler)
    assert tenax.audit().code == 0


def test_a_crawl_whose_process_is_killed_again_and_again_gives_up(tenax: Tenax) -> None:
    """By somebody else, not by a page: nobody knows what to leave out."""
    site = DeadlySite(pages=20, delay=30.0)
    with serving([site]) as web:
        running = tenax.start_crawl(site.url, "--delay", "0")
        for count in range(6):
            until(lambda: len(web.log) > count, "it is at work")  # noqa: B023 - called at once
            os.kill(running.crawler, signal.SIGKILL)
        ended = running.wait()
    assert ended.code == 7, ended.err
    assert ended.err.count("Starting again") == 5
    assert "has died 6 times" in ended.err


def test_seeds_from_a_pipe_are_not_waited_for_again(tenax: Tenax) -> None:
    """They are in the ledger when another process goes on; nobody writes them a second time."""
    site = DeadlySite(pages=60, deadly={20: "crash"})
    fifo = tenax.folder / "seeds"
    os.mkfifo(fifo)
    with serving([site]):
        running = tenax.start_crawl(
            "--seeds", str(fifo), "--job", "piped", "--delay", "0", allow_private="127.0.0.1/32"
        )
        fifo.write_text(f"{site.url}\n")
        ended = running.wait()
    assert ended.code == 0, ended.err
    assert DIED["crash"] in ended.err
    assert "59 new pages" in ended.err


def test_what_is_wrong_before_the_crawl_begins_ends_it(tenax: Tenax) -> None:
    """Seeds from a pipe, for instance, could not be read again."""
    fifo = tenax.folder / "seeds"
    os.mkfifo(fifo)
    running = tenax.start_crawl("--seeds", str(fifo))
    with fifo.open("w") as seeds:
        seeds.write("http://127.0.0.1:1/\n")
        seeds.flush()
        os.kill(running.crawler, signal.SIGKILL)
        ended = running.wait()
    assert ended.code == -signal.SIGKILL
    assert "Starting again" not in ended.err


def _reading(tenax: Tenax) -> str:
    """What the only process is reading, by its note."""
    notes = map(read_note, tenax.data.glob("workers/*.lock"))
    return next((note.url for note in notes if note is not None), "")
