"""Do the commands that look at a crawl show it truly, and end with the right code? (CLI-1)"""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import sqlite3
import stat
import threading
from pathlib import Path
from typing import Any

import pytest
import zstandard
from typer.testing import Result

from tenax.cli.terminal.say import (
    EXIT_BAD_INPUT,
    EXIT_FINDINGS,
    EXIT_INFRASTRUCTURE,
    EXIT_NOTHING,
)
from tenax.ports import Unavailable
from tenax.testing import (
    SimulatedWeb,
    crawl,
    open_test_app,
    page,
    robots,
    run_virtually,
    status,
)
from tests.cli import invoke

HOME = "https://a.example/"
ESCAPE = "\x1b[2J"


async def _crawl(folder: Path) -> None:
    web = SimulatedWeb()
    rules = "User-agent: *\nCrawl-delay: 3\nDisallow: /private/\nSitemap: https://a.example/s.xml\n"
    web.at("https://a.example/robots.txt", robots(rules))
    web.at(HOME, page("home", "/p", "/gone", "/private/x", title=f"Home {ESCAPE}"))
    web.at("https://a.example/p", page("Words of the page", title="=1+1"))
    web.at("https://a.example/gone", status(404))
    web.at("https://b.example/", page("elsewhere"))
    async with open_test_app(web, folder) as opened:
        await crawl(opened, HOME, name="shop")
        await crawl(opened, "https://b.example/", name="other")


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl that is only looked at."""
    folder = tmp_path_factory.mktemp("crawl")
    run_virtually(_crawl(folder))
    return folder


@pytest.fixture
def own_ledger(tmp_path: Path) -> Path:
    """A crawl that a test may spoil."""
    run_virtually(_crawl(tmp_path))
    return tmp_path


def tenax(*words: str, data: Path) -> Result:
    return invoke([*words, "--data", str(data)])


def objects(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


# pages


def test_pages_are_listed_with_those_found_last_first(ledger: Path) -> None:
    result = tenax("pages", data=ledger)
    _, *rows = result.stdout.splitlines()
    assert [row.split()[-1] for row in rows] == ["https://b.example/", "https://a.example/p", HOME]
    assert "3 pages." in result.stderr


def test_a_title_from_the_web_cannot_steer_the_terminal(ledger: Path) -> None:
    assert ESCAPE not in tenax("pages", data=ledger).stdout


def test_pages_are_found_by_title_and_by_url(ledger: Path) -> None:
    for text in ("HOME", "a.example/p"):
        assert len(tenax("pages", text, data=ledger).stdout.splitlines()) == 2


def test_what_looks_like_a_pattern_is_taken_literally(ledger: Path) -> None:
    assert tenax("pages", "%", data=ledger).stdout == ""


def test_pages_as_json_are_one_object_per_line(ledger: Path) -> None:
    rows = objects(tenax("pages", "--job", "shop", "--json", data=ledger).stdout)
    assert [row["url"] for row in rows] == ["https://a.example/p", HOME]


def test_a_limit_is_told_when_it_hides_pages(ledger: Path) -> None:
    result = tenax("pages", "--limit", "1", data=ledger)
    assert len(result.stdout.splitlines()) == 2
    assert "1 of 3 pages" in result.stderr


def test_a_body_is_printed_byte_by_byte(ledger: Path) -> None:
    result = tenax("pages", "--body", HOME, data=ledger)
    assert result.stdout_bytes.startswith(b"<!doctype html><title>Home \x1b[2J</title>")


def test_the_main_text_and_markdown_of_a_page_are_printed(ledger: Path) -> None:
    assert "Words of the page" in tenax("pages", "--text", "a.example/p", data=ledger).stdout
    assert "](https://a.example/p)" in tenax("pages", "--markdown", HOME, data=ledger).stdout


@pytest.mark.parametrize("flags", [["pages", "--text", HOME], ["export", "--text"]])
def test_who_still_asks_for_quality_is_told_that_it_is_gone(ledger: Path, flags: list[str]) -> None:
    result = tenax(*flags, "--quality", data=ledger)
    assert result.exit_code == EXIT_BAD_INPUT
    assert "--quality is gone" in result.stderr
    assert not result.stdout


def test_a_url_without_a_page_ends_with_advice(ledger: Path) -> None:
    result = tenax("pages", "--body", "https://a.example/gone", data=ledger)
    assert result.exit_code == EXIT_NOTHING
    assert "tenax why" in result.stderr


def test_two_ways_to_print_at_once_are_refused(ledger: Path) -> None:
    result = tenax("pages", "--body", HOME, "--text", HOME, data=ledger)
    assert result.exit_code == EXIT_BAD_INPUT


@pytest.mark.parametrize("command", ["pages", "export"])
def test_an_unknown_job_is_refused_with_the_one_that_was_meant(ledger: Path, command: str) -> None:
    result = tenax(command, "--job", "shpo", data=ledger)
    assert result.exit_code == EXIT_BAD_INPUT
    assert "Did you mean 'shop'?" in result.stderr


@pytest.mark.parametrize("command", ["pages", "export", "hosts", "audit"])
def test_without_a_ledger_the_user_is_told_where_none_is(tmp_path: Path, command: str) -> None:
    result = tenax(command, data=tmp_path / "nowhere")
    assert isinstance(result.exception, Unavailable)
    assert "Run `tenax crawl URL` first" in str(result.exception)
    assert not (tmp_path / "nowhere").exists()


# export


def test_an_export_has_every_page_of_every_job(ledger: Path) -> None:
    rows = objects(tenax("export", data=ledger).stdout)
    assert {(row["job"], row["url"]) for row in rows} == {
        ("shop", HOME),
        ("shop", "https://a.example/p"),
        ("other", "https://b.example/"),
    }


def test_flags_add_fields_to_the_chosen_ones(ledger: Path) -> None:
    result = tenax("export", "--fields", "url, status", "--outlinks", "--text", data=ledger)
    assert list(objects(result.stdout)[0]) == ["url", "status", "text", "links"]


def test_a_csv_disarms_formulas(ledger: Path) -> None:
    result = tenax("export", "--format", "csv", "--fields", "title", "--job", "shop", data=ledger)
    rows = list(csv.reader(io.StringIO(result.stdout_bytes.decode(), newline="")))
    assert rows == [["title"], ["Home \ufffd[2J"], ["'=1+1"]]


def test_a_file_gets_its_name_when_it_is_complete(ledger: Path, tmp_path: Path) -> None:
    output = tmp_path / "pages.jsonl"
    result = tenax("export", "--output", str(output), data=ledger)
    assert "Exported 3 pages" in result.stderr
    assert len(objects(output.read_text())) == 3
    assert list(tmp_path.iterdir()) == [output]


def test_a_file_that_cannot_be_written_is_named(ledger: Path, tmp_path: Path) -> None:
    result = tenax("export", "-o", str(tmp_path / "no" / "x.csv"), data=ledger)
    assert result.exit_code == 3
    assert "x.csv: cannot be written" in result.stderr


def test_an_unknown_field_leaves_no_file_behind(ledger: Path, tmp_path: Path) -> None:
    result = tenax("export", "--fields", "titel", "-o", str(tmp_path / "x"), data=ledger)
    assert result.exit_code == EXIT_BAD_INPUT
    assert "Did you mean 'title'?" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_full_device_is_told_of_and_stays_a_device(ledger: Path, tmp_path: Path) -> None:
    """As root, who may replace what is in /dev, an export once did."""
    full = tmp_path / "full"
    try:
        os.mknod(full, stat.S_IFCHR | 0o666, os.makedev(1, 7))
    except PermissionError:
        full = Path("/dev/full")
    result = tenax("export", "-o", str(full), data=ledger)
    assert result.exit_code == EXIT_INFRASTRUCTURE
    assert "cannot be written (No space left on device)" in result.stderr
    assert stat.S_ISCHR(full.lstat().st_mode)
    assert list(tmp_path.glob("*.part*")) == []


def test_a_pipe_gets_all_pages_and_stays_a_pipe(ledger: Path, tmp_path: Path) -> None:
    pipe, read = tmp_path / "pipe", list[bytes]()
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    result = tenax("export", "-o", str(pipe), data=ledger)
    reader.join()
    assert (result.exit_code, len(objects(read[0].decode()))) == (0, 3)
    assert pipe.is_fifo()


def test_a_link_leads_to_the_file(ledger: Path, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    link = tmp_path / "link.jsonl"
    link.symlink_to(tmp_path / "there" / "pages.jsonl")
    assert tenax("export", "-o", str(link), data=ledger).exit_code == 0
    assert link.is_symlink()
    assert len(objects(link.read_text())) == 3


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_what_is_packed_is_the_same_when_unpacked(ledger: Path, tmp_path: Path, form: str) -> None:
    plain, packed, framed = (tmp_path / f"a.{form}{end}" for end in ("", ".gz", ".zst"))
    for file in (plain, packed, framed):
        assert tenax("export", "-o", str(file), data=ledger).exit_code == 0
    assert gzip.decompress(packed.read_bytes()) == plain.read_bytes()
    reader = zstandard.ZstdDecompressor().stream_reader(
        framed.read_bytes(), read_across_frames=True
    )
    assert reader.read() == plain.read_bytes()


def test_an_archive_is_plain_where_its_name_says_so(ledger: Path, tmp_path: Path) -> None:
    for name in ("a.warc", "b.warc.gz"):
        assert tenax("export", "-o", str(tmp_path / name), data=ledger).exit_code == 0
    plain, packed = ((tmp_path / name).read_bytes() for name in ("a.warc", "b.warc.gz"))
    assert plain.startswith(b"WARC/1.1\r\n")
    assert gzip.decompress(packed).count(b"WARC/1.1\r\n") == plain.count(b"WARC/1.1\r\n")
    first = (tmp_path / "a.cdxj").read_text().splitlines()[0]
    told = json.loads(first.split(" ", 2)[2])
    assert plain[int(told["offset"]) :].startswith(b"WARC/1.1\r\n")


def test_a_name_that_contradicts_the_format_is_refused(ledger: Path, tmp_path: Path) -> None:
    file = str(tmp_path / "a.csv")
    result = tenax("export", "--format", "jsonl", "-o", file, data=ledger)
    assert result.exit_code == EXIT_BAD_INPUT
    assert "its name says csv" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_only_what_was_fetched_since_then_is_exported(ledger: Path) -> None:
    """Simulated time is long past."""
    assert objects(tenax("export", "--since", "2000-01-01", data=ledger).stdout)
    assert tenax("export", "--since", "1m", "--changed", data=ledger).stdout == ""


def test_flags_about_time_that_mean_nothing_are_refused(ledger: Path) -> None:
    wrong = {
        ("--since", "long ago"): "use a date",
        ("--changed",): "since when?",
        ("--changed-since", "1d"): "--since WHEN --changed",
        ("--products", "--since", "1d"): "--changed-since WHEN",
        ("--resume",): "only a file",
        ("--resume", "-o", "/dev/null"): "only a file",
    }
    for flags, why in wrong.items():
        result = tenax("export", *flags, data=ledger)
        assert (result.exit_code, why in result.stderr) == (EXIT_BAD_INPUT, True), flags


def test_the_fields_can_be_listed_without_a_ledger(tmp_path: Path) -> None:
    assert "body_base64" in tenax("export", "--list-fields", data=tmp_path).stdout


# hosts


def test_hosts_are_listed_with_pages_and_what_is_known(ledger: Path) -> None:
    _, first, second = tenax("hosts", data=ledger).stdout.splitlines()
    assert first.split()[:4] == ["a.example", "2", "4", "3"]
    assert second.split()[:4] == ["b.example", "1", "1", "1"]


@pytest.mark.parametrize("spelling", ["a.example", "https://a.example/p", "A.example"])
def test_a_host_is_told_with_its_robots_record(ledger: Path, spelling: str) -> None:
    told = tenax("hosts", spelling, data=ledger).stdout
    assert "answered 200" in told
    assert "Crawl-delay 3" in told
    assert "https://a.example/s.xml" in told


def test_a_host_as_json_has_the_same(ledger: Path) -> None:
    told = json.loads(tenax("hosts", "a.example", "--json", data=ledger).stdout)
    assert told["known"] == 4
    assert told["robots"]["crawl_delay"] == 3
    assert told["robots"]["fetched_at"].endswith("Z")


def test_an_unknown_host_is_answered_with_one_that_is_known(ledger: Path) -> None:
    result = tenax("hosts", "a.exampel", data=ledger)
    assert result.exit_code == EXIT_NOTHING
    assert "Did you mean a.example?" in result.stderr


# audit


def test_a_whole_ledger_is_told_with_its_sums(ledger: Path) -> None:
    result = tenax("audit", "--bodies", data=ledger)
    assert result.exit_code == 0
    assert "The ledger is whole: 5 URLs in 2 jobs, 3 bodies read." in result.stdout
    assert "shop: 4 known = 2 done + 1 blocked + 1 gone" in result.stdout


def test_a_lost_page_is_found_and_named(own_ledger: Path) -> None:
    with sqlite3.connect(own_ledger / "ledger.db") as connection:
        connection.execute("DELETE FROM targets WHERE url = '/p'")
    connection.close()
    result = tenax("audit", data=own_ledger)
    assert result.exit_code == EXIT_FINDINGS
    assert "Broken: every page belongs to a target (1 row)" in result.stdout


def test_a_lost_body_is_found_only_when_bodies_are_read(own_ledger: Path) -> None:
    next(own_ledger.rglob("*.zst")).unlink()
    assert tenax("audit", data=own_ledger).exit_code == 0
    result = tenax("audit", "--bodies", "--json", data=own_ledger)
    assert result.exit_code == EXIT_FINDINGS
    told = json.loads(result.stdout)
    assert told["whole"] is False
    assert [finding["count"] for finding in told["findings"]] == [1]


# Near-duplicates.

ARTICLE = (
    "The harbour of the old town was closed for repairs this week, and nobody knows when the"
    " ferries will run again. Fishermen moved their boats to the next bay before winter came."
)


@pytest.fixture(scope="module")
def doubled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl of one article under two URLs."""
    folder = tmp_path_factory.mktemp("doubled")

    async def story() -> None:
        web = SimulatedWeb()
        web.at(HOME, page("home", "/story", "/story/print"))
        web.at(f"{HOME}story", page(f"At 10:30. {ARTICLE}"))
        web.at(f"{HOME}story/print", page(f"At 11:45. {ARTICLE}"))
        async with open_test_app(web, folder) as opened:
            await crawl(opened, HOME, name="news")

    run_virtually(story())
    return folder


def test_near_duplicates_are_listed_with_what_they_are_like(doubled: Path) -> None:
    told = tenax("pages", "--duplicates", data=doubled)
    (row,) = [line for line in told.stdout.splitlines() if "/print" in line]
    assert row.split()[-2:] == [f"{HOME}story", f"{HOME}story/print"]
    assert "1 near-duplicate." in told.stderr


def test_pages_are_listed_without_near_duplicates(doubled: Path) -> None:
    told = tenax("pages", "--unique", "--json", data=doubled)
    listed = [json.loads(line) for line in told.stdout.splitlines()]
    assert {each["url"]: each["duplicate_of"] for each in listed} == {HOME: "", f"{HOME}story": ""}


def test_a_crawl_without_near_duplicates_says_so(ledger: Path) -> None:
    told = tenax("pages", "--duplicates", data=ledger)
    assert (told.exit_code, told.stdout) == (0, "")
    assert "No near-duplicates." in told.stderr


def test_both_kinds_of_pages_at_once_are_refused(doubled: Path) -> None:
    told = tenax("pages", "--duplicates", "--unique", data=doubled)
    assert told.exit_code == EXIT_BAD_INPUT
    assert "--duplicates and --unique" in told.stderr


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_an_export_names_the_original_of_a_near_duplicate(doubled: Path, form: str) -> None:
    told = tenax("export", "--format", form, "--fields", "url,duplicate_of", data=doubled).stdout
    rows: list[dict[str, Any]] = (
        [json.loads(line) for line in told.splitlines()]
        if form == "jsonl"
        else list(csv.DictReader(io.StringIO(told)))
    )
    assert {row["url"]: row["duplicate_of"] for row in rows} == {
        HOME: "", f"{HOME}story": "", f"{HOME}story/print": f"{HOME}story",
    }  # fmt: skip


# Markdown and its pieces.


def test_pages_leave_in_pieces_with_their_headings(ledger: Path) -> None:
    rows = objects(tenax("export", "--chunks", "200", "--job", "shop", data=ledger).stdout)
    assert {row["url"] for row in rows} == {HOME, "https://a.example/p"}
    assert all(row["link"].startswith(row["url"]) for row in rows)
    assert "Words of the page" in "".join(row["text"] for row in rows)


def test_links_are_left_out_where_none_are_wanted(ledger: Path) -> None:
    for flags in (("pages", "--markdown", HOME), ("export", "--fields", "markdown")):
        assert "](https://a.example/p)" in tenax(*flags, data=ledger).stdout
        assert "](" not in tenax(*flags, "--links", "none", data=ledger).stdout


def test_flags_about_pieces_that_mean_nothing_are_refused(ledger: Path, tmp_path: Path) -> None:
    wrong = {
        ("--chunks", "200", "--products"): "--products and --chunks are two things",
        ("--chunks", "200", "--text"): "they have no such fields",
        ("--chunks", "200", "--links", "foot"): "a chunk has no foot",
        ("--chunks", "200", "--format", "warc"): "warc has whole pages",
        ("--format", "markdown"): "which folder?",
        ("--format", "markdown", "-o", str(tmp_path), "--fields", "url"): "no fields to choose",
        ("--format", "markdown", "-o", "s3://b/x"): "is written to disk",
        ("-o", str(tmp_path)): "--format markdown",
    }
    for flags, why in wrong.items():
        result = tenax("export", *flags, data=ledger)
        assert (result.exit_code, why in result.stderr) == (EXIT_BAD_INPUT, True), (flags, result)
