"""Can bodies lie in S3, and be moved there and back? (`content`, `tenax content move`)"""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

import pytest

from tenax.adapters.content.s3 import Bucket
from tenax.demo import TreeSite, serving
from tests.buckets import bucket_in, url_of
from tests.e2e.command import Tenax, until
from tests.live import own_service

PAGES = 30


def crawled(tenax: Tenax, content: str = "") -> str:
    """A small site, stored; the URL of its front page."""
    site = TreeSite(pages=PAGES)
    with serving([site]):
        assert tenax.crawl(site.url, "--delay", "0", content=content).code == 0
    return site.url


def test_a_crawl_keeps_its_bodies_in_s3_and_reads_them_there(tenax: Tenax, s3: Bucket) -> None:
    content = url_of(s3)
    front = crawled(tenax, content)
    assert not (tenax.data / "content").exists()
    audit = tenax.run("audit", "--bodies", content=content)
    assert (audit.code, f"{PAGES} bodies read" in audit.out) == (0, True)
    assert "<html" in tenax.run("pages", "--body", front, content=content).out
    exported = tenax.run("export", "--text", content=content)
    assert exported.code == 0
    assert len(exported.out.splitlines()) == PAGES


def test_bodies_move_from_files_to_s3_and_back(tenax: Tenax, s3: Bucket) -> None:
    crawled(tenax)
    before = bodies(tenax.data / "content")
    assert before

    there = tenax.run("content", "move", "--to", url_of(s3))
    assert there.code == 0
    assert f"{len(before)} bodies" in there.err
    assert f"set content to {url_of(s3)}" in there.err
    assert bodies(tenax.data / "content") == {}
    assert tenax.run("audit", "--bodies", content=url_of(s3)).code == 0
    assert tenax.run("audit", "--bodies").code == 6

    back = tenax.run("content", "move", "--from", url_of(s3), "--to", "", "--json")
    assert (back.code, back.json["moved"], back.json["damaged"]) == (0, len(before), 0)
    assert bodies(tenax.data / "content") == before
    assert tenax.audit().code == 0
    again = tenax.run("content", "move", "--from", url_of(s3), "--to", "", "--json")
    assert (again.code, again.json["moved"]) == (0, 0)


def test_a_copy_stays_and_a_second_one_has_nothing_to_do(tenax: Tenax, s3: Bucket) -> None:
    crawled(tenax)
    before = bodies(tenax.data / "content")
    first = tenax.run("content", "move", "--keep", "--to", url_of(s3), "--json")
    second = tenax.run("content", "move", "--keep", "--to", url_of(s3), "--json")
    assert (first.json["moved"], first.json["already"]) == (len(before), 0)
    assert (second.json["moved"], second.json["already"]) == (0, len(before))
    assert bodies(tenax.data / "content") == before


def test_a_move_to_where_they_are_moves_nothing(tenax: Tenax) -> None:
    crawled(tenax)
    before = bodies(tenax.data / "content")
    told = tenax.run("content", "move", "--to", f"file:///{tenax.data}/content")
    assert (told.code, "is where the bodies are already" in told.err) == (2, True)
    assert bodies(tenax.data / "content") == before


def test_a_crawl_holds_out_while_s3_is_away(
    tenax: Tenax, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """OBS-5: the library's own patience is 15 s, so the ledger has to wait with its batch."""
    site = TreeSite(pages=600)
    with own_service("s3", tmp_path / "servers") as server, serving([site]):
        content = url_of(bucket_in(server, monkeypatch))
        running = tenax.start_crawl(site.url, "--delay", "0.005", content=content)
        until(lambda: pages_in(tenax) > 50, "the crawl is under way")
        server.kill()
        before = pages_in(tenax)
        time.sleep(20)
        # What was being written when it went may still have come through.
        assert pages_in(tenax) < before + 200
        assert running.is_alive
        server.start()
        ended = running.wait()
        assert (ended.code, ended.err[-500:] if ended.code else "") == (0, "")
        audit = tenax.run("audit", "--bodies", content=content)
        assert (audit.code, "600 bodies read" in audit.out) == (0, True)


def pages_in(tenax: Tenax) -> int:
    if not (tenax.data / "ledger.db").exists():
        return 0
    try:
        return int(tenax.live("SELECT count(*) FROM pages")[0][0])
    except sqlite3.OperationalError:
        # It is there, and its tables are not.
        return 0


def test_what_cannot_be_opened_is_told_with_what_can(tenax: Tenax, s3: Bucket) -> None:
    unknown = tenax.run("content", "move", "--to", "ftp://somewhere")
    assert unknown.code == 2
    assert "unknown scheme 'ftp'. Use file:///PATH, s3://BUCKET/PREFIX or redis:." in unknown.err
    secret = tenax.run("content", "move", "--to", "s3://me:password@bucket")
    assert (secret.code, "AWS_ACCESS_KEY_ID" in secret.err) == (2, True)
    assert "password@" not in secret.err
    nowhere = f"s3://no-such-bucket?endpoint={s3.endpoint}"
    absent = tenax.run("content", "move", "--to", nowhere)
    assert (absent.code, "NoSuchBucket" in absent.err) == (3, True)


def test_a_crawl_into_a_bucket_that_does_not_exist_ends_and_says_so(
    tenax: Tenax, s3: Bucket
) -> None:
    site = TreeSite(pages=3)
    with serving([site]):
        nowhere = f"s3://no-such-bucket?endpoint={s3.endpoint}"
        ended = tenax.crawl(site.url, "--delay", "0", content=nowhere)
    assert (ended.code, "Create the bucket first" in ended.err) == (3, True)


def bodies(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.rglob("*.zst")}
