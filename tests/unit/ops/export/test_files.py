"""Are exported files complete or not there, and can one that was cut off be gone on with?"""

from __future__ import annotations

import gzip
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import zstandard

from tenax.compose.crawler import Crawler
from tenax.compose.exports import parquet
from tenax.ops.export.export import DEFAULT, Exporter, choose
from tenax.ops.export.files import Export, LinesFile, TableWriter, Writer, can_resume
from tenax.ops.export.places import form_of
from tenax.testing import SimulatedWeb, crawl, page, simulate

HOME = "https://a.example/"
PAGES = 13
FIELDS = choose((*DEFAULT, "text", "links"))


def on_pages(play: Callable[[Crawler], Awaitable[None]]) -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        names = [f"/p{number}" for number in range(PAGES - 1)]
        web.at(HOME, page("home", *names, x_robots_tag="noai"))
        for name in names:
            web.at(f"https://a.example{name}", page(f"text of {name}, which is its own"))
        await crawl(app, HOME)
        await play(app)

    simulate(story)


def writer(file: Path) -> Writer:
    if file.suffix == ".parquet":
        return TableWriter(file, parquet([field.column for field in FIELDS]), FIELDS)
    form, packing = form_of(file.name, None)
    return LinesFile(file, form, FIELDS, packing)


def unpacked(file: Path) -> bytes:
    if file.suffix == ".gz":
        return gzip.decompress(file.read_bytes())
    if file.suffix == ".zst":
        packed = file.read_bytes()
        opened = zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True)
        return bytes(opened.read())
    return file.read_bytes()


async def export(app: Crawler, file: Path, *, stop: int = 0, resume: bool = False) -> Export:
    exporter = Exporter(app.ledger.pages, app.ledger.content, FIELDS)
    made = Export(
        exporter, writer(file), file, "test", lambda n: made.stop() if n == stop else None
    )
    assert await made.run(None, resume=resume) == (not stop)
    return made


@pytest.fixture(autouse=True)
def small_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tenax.ops.export.files._GROUP_ROWS", 2)
    monkeypatch.setattr("tenax.ops.export.files._SEGMENT_GROUPS", 2)
    monkeypatch.setattr("tenax.ops.export.files._MARKED_EVERY", 1)


@pytest.mark.parametrize("ending", ["jsonl", "csv.gz", "jsonl.zst", "parquet"])
def test_a_stopped_export_goes_on_and_ends_as_one_that_was_not(ending: str, tmp_path: Path) -> None:
    whole, file = tmp_path / f"whole.{ending}", tmp_path / f"cut.{ending}"

    async def play(app: Crawler) -> None:
        await export(app, whole)
        await export(app, file, stop=7)
        assert not file.exists()
        assert can_resume(file)
        assert 0 < (await export(app, file, resume=True)).resumed <= 7

    on_pages(play)
    if ending == "parquet":
        assert pq.read_table(file).equals(pq.read_table(whole))
    else:
        assert unpacked(file) == unpacked(whole)
    assert {path.name for path in tmp_path.iterdir()} == {whole.name, file.name}


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_without_resume_an_export_begins_anew(ending: str, tmp_path: Path) -> None:
    file = tmp_path / f"a.{ending}"

    async def play(app: Crawler) -> None:
        await export(app, file, stop=7)
        assert (await export(app, file)).resumed == 0

    on_pages(play)
    assert {path.name for path in tmp_path.iterdir()} == {file.name}


def test_another_order_does_not_go_on_with_it(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"

    async def play(app: Crawler) -> None:
        await export(app, file, stop=7)
        exporter = Exporter(app.ledger.pages, app.ledger.content, FIELDS)
        other = Export(exporter, writer(file), file, "another")
        await other.run(None, resume=True)
        assert other.resumed == 0

    on_pages(play)
    assert len(file.read_bytes().splitlines()) == PAGES


def test_parquet_has_typed_columns_and_groups_of_rows(tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    on_pages(lambda app: _ignore(export(app, file)))
    with pq.ParquetFile(file) as opened:
        assert opened.num_row_groups == 7
    rows = pq.read_table(file).to_pylist()
    home = next(row for row in rows if row["url"] == HOME)
    assert len(rows) == PAGES
    assert home["status"] == 200
    assert home["fetched_at"] > datetime(2026, 9, 1, tzinfo=UTC)
    assert home["checked_at"] is None
    assert home["rights"] == [["header x-robots-tag", "noai"]]
    assert len(home["links"]) == PAGES - 1
    assert "home" in home["text"]


def test_no_pages_make_a_table_without_rows(tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"

    async def play(_: SimulatedWeb, app: Crawler) -> None:
        await export(app, file)

    simulate(play)
    assert pq.read_table(file).num_rows == 0


async def _ignore(work: Awaitable[Export]) -> None:
    await work
