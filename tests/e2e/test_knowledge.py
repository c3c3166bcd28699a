"""Do export, import, replay, search and links work as commands, and survive being cut off?"""

from __future__ import annotations

import os
import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from warcio.archiveiterator import ArchiveIterator

from tenax.demo import TreeSite, serving
from tests.e2e import command
from tests.e2e.command import Running, Tenax, is_alive

PAGES = 60


@pytest.fixture
def crawled(tenax: Tenax) -> Tenax:
    """A data folder with some pages."""
    site = TreeSite(pages=PAGES)
    with serving([site]):
        assert tenax.crawl(site.url, "--delay", "0", "--job", "tree").code == 0
    return tenax


def change(tenax: Tenax, text: str) -> None:
    with closing(sqlite3.connect(tenax.data / "ledger.db")) as ledger, ledger:
        ledger.execute(text)


def titles(tenax: Tenax) -> set[str]:
    return {page.title for page in tenax.pages()}


def answers(file: Path) -> int:
    with file.open("rb") as opened:
        return sum(record.rec_type == "response" for record in ArchiveIterator(opened))


def until(running: Running, is_true: Any) -> None:
    deadline = time.monotonic() + 240
    while not is_true() and running.is_alive:
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_what_is_exported_can_be_imported_elsewhere(crawled: Tenax, tmp_path: Path) -> None:
    file = tmp_path / "tree.warc.gz"
    assert crawled.run("export", "--format", "warc", "-o", str(file)).code == 0
    assert answers(file) == PAGES
    assert (tmp_path / "tree.cdxj").read_bytes().count(b"\n") == PAGES
    (tmp_path / "other").mkdir()
    other = Tenax(tmp_path / "other")
    taken = other.run("import-warc", str(file), "--json", allow_private="127.0.0.0/8").json
    assert (taken["new"], taken["job"], taken["damaged"]) == (PAGES, "tree", 0)
    assert {p.digest for p in other.pages()} == {p.digest for p in crawled.pages()}
    assert other.run("audit", "--bodies").code == 0
    again = other.run("import-warc", str(file), "--json", allow_private="127.0.0.0/8").json
    assert (again["new"], again["older"]) == (0, PAGES)


@pytest.mark.parametrize("processes", ["1", "2"])
def test_a_replay_brings_the_records_up_to_date(crawled: Tenax, processes: str) -> None:
    right = titles(crawled)
    change(crawled, "UPDATE pages SET title = 'wrong'")
    dry = crawled.run("replay", "--dry-run", "--json", "--processes", processes).json
    assert (dry["pages"], dry["changed"], dry["written"]) == (PAGES, PAGES, 0)
    assert titles(crawled) == {"wrong"}
    told = crawled.run("replay", "--json", "--processes", processes).json
    assert (told["written"], told["fields"]) == (PAGES, {"title": PAGES})
    assert titles(crawled) == right
    assert not (crawled.data / "replay.json").exists()
    assert crawled.run("audit").code == 0


def test_a_replay_that_was_killed_goes_on(crawled: Tenax) -> None:
    right = titles(crawled)
    change(crawled, "UPDATE pages SET title = 'wrong'")
    note = crawled.data / "replay.json"
    running = crawled.start("replay", "--processes", "2")
    until(running, note.exists)
    members = running.children()
    running.kill()
    ended = crawled.run("replay", "--resume", "--processes", "2", "--json")
    assert ended.json["pages"] == PAGES
    assert titles(crawled) == right
    command.until(lambda: not any(map(is_alive, members)), "no process is left behind")
    assert "Traceback" not in running.err


def test_a_member_that_dies_is_told_and_costs_nothing(crawled: Tenax) -> None:
    right = titles(crawled)
    change(crawled, "UPDATE pages SET title = 'wrong'")
    running = crawled.start("replay", "--processes", "2")
    until(running, running.children)
    for pid in running.children():
        os.kill(pid, signal.SIGKILL)
    ended = running.wait()
    assert (ended.code, "Traceback" in ended.err) == (3, False)
    assert "was killed by signal 9" in ended.err
    assert crawled.run("replay", "--resume").code == 0
    assert titles(crawled) == right


def test_an_export_that_was_killed_goes_on(crawled: Tenax, tmp_path: Path) -> None:
    file = tmp_path / "pages.jsonl"
    running = crawled.start("export", "-o", str(file), "--body")
    running.kill()
    ended = crawled.run("export", "-o", str(file), "--body", "--resume")
    assert ended.code == 0
    assert len(file.read_bytes().splitlines()) == PAGES
    assert not list(tmp_path.glob("pages.jsonl.*"))


def test_pages_are_found_by_what_they_say(crawled: Tenax) -> None:
    page = crawled.pages()[3]
    word = f"title:{page.title.split()[-1]}"
    told = crawled.run("search", word, "--json", "--limit", "100")
    assert page.url in told.out
    assert crawled.run("search", word, f"-{word}").code == 1
    assert crawled.run("search", "price:cheap").code == 2
    ended = crawled.run("reindex", "--json").json
    assert ended == {"put": 0, "removed": 0, "same": PAGES}
    assert crawled.run("reindex", "--anew", "--json").json["put"] == PAGES


def test_links_are_told_both_ways(crawled: Tenax) -> None:
    home = crawled.pages()[0].url
    about = crawled.run("links", home, "--json", "--limit", "1000").json
    assert about["outgoing"] == len(about["links_to"]) > 0
    child = about["links_to"][-1]
    assert home in crawled.run("links", child, "--json").json["linked_by"]
    assert crawled.run("links").code == 0
