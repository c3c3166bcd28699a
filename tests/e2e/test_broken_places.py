"""When disk, ledger or site fail: one clear sentence, the right exit code, and nothing lost?"""

from __future__ import annotations

import os
import resource
import shutil
import socket
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tenax.cli.terminal.say import EXIT_WORK_LEFT
from tenax.demo import TreeSite, serving
from tests.e2e.command import Ended, Tenax, until

INFRASTRUCTURE = 3
ALL_RIGHTS = os.geteuid() == 0


def test_a_data_folder_under_a_file_is_refused_in_a_sentence(tenax: Tenax) -> None:
    (tenax.folder / "file").write_text("not a folder")
    tenax.data = tenax.folder / "file" / "data"
    with serving([TreeSite(pages=5)]) as web:
        ended = tenax.crawl(web.seeds[0])
    assert _tells(ended, str(tenax.data), "--data")
    assert len(web.log) == 0


def test_a_data_folder_where_nobody_can_write_is_refused_in_a_sentence(tenax: Tenax) -> None:
    tenax.data = Path("/proc/tenax")
    with serving([TreeSite(pages=5)]) as web:
        ended = tenax.crawl(web.seeds[0])
    assert _tells(ended, "/proc/tenax", "--data")
    assert len(web.log) == 0


@pytest.mark.skipif(ALL_RIGHTS, reason="root may write to any folder, whatever its mode")
def test_a_read_only_data_folder_is_refused_in_a_sentence(tenax: Tenax) -> None:
    tenax.data.mkdir(mode=0o555)
    with serving([TreeSite(pages=5)]) as web:
        ended = tenax.crawl(web.seeds[0])
    assert _tells(ended, str(tenax.data), "--data")


def test_a_read_only_disk_is_refused_in_a_sentence(tenax: Tenax) -> None:
    tenax.data.mkdir()
    with _mounted(tenax.data, "ro,size=1m"), serving([TreeSite(pages=5)]) as web:
        ended = tenax.crawl(web.seeds[0])
    assert _tells(ended, str(tenax.data), "--data")


def test_a_ledger_that_is_a_folder_is_refused_in_a_sentence(tenax: Tenax) -> None:
    (tenax.data / "ledger.db").mkdir(parents=True)
    with serving([TreeSite(pages=5)]) as web:
        ended = tenax.crawl(web.seeds[0])
    assert _tells(ended, "ledger.db", "--data")


def test_a_file_that_is_no_ledger_is_left_as_it_is(tenax: Tenax) -> None:
    tenax.data.mkdir()
    garbage = os.urandom(100_000)
    (tenax.data / "ledger.db").write_bytes(garbage)
    with serving([TreeSite(pages=5)]) as web:
        ended = tenax.crawl(web.seeds[0])
    assert _tells(ended, "ledger.db", "--data")
    assert (tenax.data / "ledger.db").read_bytes() == garbage


def test_a_truncated_ledger_is_named_and_a_backup_goes_on(tenax: Tenax) -> None:
    site, ledger = TreeSite(pages=120), tenax.data / "ledger.db"
    with serving([site]):
        assert tenax.crawl(site.url, "--delay", "0", "--max-pages", "60").code == 0
        shutil.copy(ledger, tenax.folder / "backup")
        os.truncate(ledger, ledger.stat().st_size // 2)
        assert _tells(tenax.crawl(site.url, "--delay", "0"), "ledger.db", "Restore")
        for command in ("pages", "audit", "hosts", "export"):
            assert _tells(tenax.run(command), "ledger.db", "Restore")
        shutil.copy(tenax.folder / "backup", ledger)
        assert tenax.crawl(site.url, "--delay", "0").code == 0
    assert len(tenax.pages()) == site.pages
    assert tenax.audit().code == 0


def test_a_ledger_locked_by_another_program_is_named_and_waited_for(tenax: Tenax) -> None:
    site = TreeSite(pages=30)
    with serving([site]):
        assert tenax.crawl(site.url, "--delay", "0", "--max-pages", "10").code == 0
        with _locked(tenax):
            ended = tenax.crawl(site.url, "--delay", "0", busy=1)
        assert _tells(ended, "ledger.db", "locked", "run the same command again")
        assert tenax.crawl(site.url, "--delay", "0").code == 0
    assert len(tenax.pages()) == site.pages


def test_a_ledger_locked_in_the_middle_of_a_crawl_loses_nothing(tenax: Tenax) -> None:
    site = TreeSite(pages=200, delay=0.02)
    with serving([site]) as web:
        running = tenax.start_crawl(site.url, "--delay", "0", commit__tries=2, busy=1)
        until(lambda: len(web.log) > 40, "the crawl is under way")
        with _locked(tenax):
            ended = running.wait()
        assert _tells(ended, "ledger.db", "locked", "run the same command again")
        assert tenax.crawl(site.url, "--delay", "0").code == 0
    assert len(tenax.pages()) == site.pages
    assert tenax.audit().code == 0


@pytest.mark.parametrize("processes", ["1", "2"])
def test_a_full_disk_is_named_and_with_space_the_crawl_goes_on(
    tenax: Tenax, processes: str
) -> None:
    site = TreeSite(pages=500)
    tenax.data.mkdir()
    with _mounted(tenax.data, "size=2m"), serving([site]):
        flags = (site.url, "--delay", "0", "--processes", processes)
        ended = tenax.crawl(*flags)
        assert _tells(ended, str(tenax.data), "ree some space", "run the same command again")
        _remount(tenax.data, "size=60m")
        assert tenax.audit().code == 0, "what was stored before is whole"
        assert tenax.crawl(*flags).code == 0
        assert len(tenax.pages()) == site.pages
        assert tenax.audit().code == 0


def test_a_file_that_may_not_grow_is_named_and_loses_nothing(tenax: Tenax) -> None:
    """A quota, as the kernel enforces it on every file: needs no rights to be tested."""
    site = TreeSite(pages=400)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with serving([site]):
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, hard))
        try:
            running = tenax.start_crawl(site.url, "--delay", "0")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert _tells(running.wait(), "ledger.db", "again")
        assert tenax.crawl(site.url, "--delay", "0").code == 0
    assert len(tenax.pages()) == site.pages
    assert tenax.audit().code == 0


def test_a_content_folder_that_cannot_be_written_is_named(tenax: Tenax) -> None:
    site = TreeSite(pages=10)
    tenax.data.mkdir()
    (tenax.data / "content").write_text("in the way")
    with serving([site]):
        ended = tenax.crawl(site.url, "--delay", "0")
        assert _tells(ended, str(tenax.data / "content"), "again")
        (tenax.data / "content").unlink()
        assert tenax.crawl(site.url, "--delay", "0").code == 0
    assert len(tenax.pages()) == site.pages
    assert tenax.audit().code == 0


def test_a_site_that_refuses_connections_is_named_and_left_for_later(tenax: Tenax) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    ended = tenax.crawl(f"http://127.0.0.1:{port}/", robots__retry_base=0.01)
    assert ended.code == 5
    assert f"127.0.0.1:{port} waits until" in ended.err
    assert "connect_refused" in ended.err or "refused" in ended.err
    assert "Traceback" not in ended.err
    assert tenax.audit().code == 0


def test_a_site_that_goes_down_costs_no_page_and_is_finished_when_it_is_back(tenax: Tenax) -> None:
    """FE-8, HOST-3, HOST-5: the breaker holds between two commands, until a person knows better."""
    site = TreeSite(pages=40)
    haste = {"retry__base": 0.05, "breaker__backoffs": "60", "feed__patience": 3}
    with serving([site]) as web:
        assert tenax.crawl(site.url, "--delay", "0", "--max-pages", "5").code == 0
        web.outage("tree")
        ended = tenax.crawl(site.url, "--delay", "0", **haste)
        assert ended.code == EXIT_WORK_LEFT, ended.err
        assert "breaker" in ended.err
        web.outage("tree", on=False)
        asked = len(web.log)
        assert tenax.crawl(site.url, "--delay", "0", **haste).code == EXIT_WORK_LEFT
        assert len(web.log) == asked, "nobody is asked behind an open breaker"
        host = site.url.split("/")[2]
        assert tenax.run("hosts", host, "--reset").code == 0
        ended = tenax.crawl(site.url, "--delay", "0", **haste)
        assert ended.code == 0, ended.err
    assert len(tenax.pages()) == site.pages
    assert tenax.audit().code == 0


def _tells(ended: Ended, *words: str) -> bool:
    """One line that says what, where and what to do, with the exit code for infrastructure."""
    told = [line for line in ended.err.splitlines() if line.startswith("tenax: ")]
    assert ended.code == INFRASTRUCTURE, ended
    assert "Traceback" not in ended.err, ended.err
    assert told, ended.err
    assert all(any(word in line for line in told) for word in words), ended.err
    return True


@contextmanager
def _locked(tenax: Tenax) -> Iterator[None]:
    """Another program with the ledger in its hands, as a database browser would have it."""
    path = tenax.data / "ledger.db"
    with closing(sqlite3.connect(path, isolation_level=None, timeout=30)) as other:
        other.execute("BEGIN EXCLUSIVE")
        yield
        other.execute("ROLLBACK")


@contextmanager
def _mounted(folder: Path, options: str) -> Iterator[None]:
    """A small disk in memory; only root may mount one."""
    mount = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    made = shutil.which("mount") and subprocess.run(mount, capture_output=True, text=True)
    if not made or made.returncode:
        pytest.skip(f"no disk can be mounted here: {made.stderr.strip() if made else 'no mount'}")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def _remount(folder: Path, options: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{options}", str(folder)], check=True)
