"""Do exports say what was stored, and can anybody open them safely? (STORE-5, SEC-4)"""

from __future__ import annotations

import base64
import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenax.compose.crawler import Crawler
from tenax.ops.export.export import (
    DEFAULT,
    FIELDS,
    Exporter,
    ExportTally,
    UnknownField,
    choose,
    csv_line,
    json_line,
)
from tenax.ops.export.formats import Format
from tenax.testing import SimulatedWeb, crawl, page, simulate, status

HOME = "https://a.example/"


async def written(
    app: Crawler, *names: str, form: Format = Format.JSONL, job: str | None = None
) -> tuple[bytes, ExportTally]:
    exporter = Exporter(app.ledger.pages, app.ledger.content, choose(names or DEFAULT))
    lines = [line async for line in exporter.lines(form, job)]
    return b"".join(lines), exporter.tally


def lose_bodies(app: Crawler) -> None:
    for file in Path(app.ledger.settings.data).rglob("*.zst"):
        file.unlink()


def exported(*names: str) -> list[dict[str, Any]]:
    """Two pages, as JSON Lines."""

    async def play(web: SimulatedWeb, app: Crawler) -> bytes:
        web.at(HOME, page("Grüße", "/x", "/x#again", x_robots_tag="noai"))
        web.at("https://a.example/x", status(200, "caf\u00e9", content_type="text/plain"))
        await crawl(app, HOME)
        return (await written(app, *names))[0]

    return [json.loads(line) for line in simulate(play).splitlines()]


def test_a_line_has_every_usual_field_and_no_other() -> None:
    assert [list(row) for row in exported()] == [list(DEFAULT), list(DEFAULT)]


def test_chosen_fields_come_in_the_order_asked_for() -> None:
    assert [list(row) for row in exported("status", "url")] == [["status", "url"]] * 2


def test_times_are_iso_in_utc_and_hashes_hex() -> None:
    row = exported()[0]
    assert row["fetched_at"].startswith("2026-09-21T")
    assert row["fetched_at"].endswith("Z")
    assert all(len(bytes.fromhex(row[name])) == 32 for name in ("url_hash", "digest"))


def test_rights_are_exported_with_the_page() -> None:
    assert exported("rights")[0]["rights"] == [["header x-robots-tag", "noai"]]


def test_what_only_the_body_tells_is_exported_on_demand() -> None:
    row = exported("text", "links", "markdown", "headline")[0]
    assert row["headline"] == "Grüße"
    assert "Grüße" in row["text"]
    assert row["links"] == ["https://a.example/x"]
    assert "](https://a.example/x)" in row["markdown"]


def test_a_body_is_text_by_its_charset_and_base64_is_its_bytes() -> None:
    row = exported("body", "body_base64")[1]
    assert row["body"] == "café"
    assert base64.b64decode(row["body_base64"]) == "café".encode()


def test_only_the_job_asked_for_is_exported() -> None:
    async def play(web: SimulatedWeb, app: Crawler) -> bytes:
        web.at(HOME, page("home"))
        web.at("https://b.example/", page("other"))
        await crawl(app, HOME, name="one")
        await crawl(app, "https://b.example/", name="two")
        return (await written(app, "job", "url", job="two"))[0]

    assert json.loads(simulate(play)) == {"job": "two", "url": "https://b.example/"}


def test_every_page_is_exported_once_over_many_batches() -> None:
    async def play(web: SimulatedWeb, app: Crawler) -> tuple[bytes, ExportTally]:
        links = [f"/{n}" for n in range(450)]
        web.at(HOME, page("home", *links))
        web.host("a.example", lambda request: page(request.url))
        await crawl(app, HOME)
        return await written(app, "url")

    text, tally = simulate(play)
    urls = [json.loads(line)["url"] for line in text.splitlines()]
    assert len(urls) == len(set(urls)) == tally.pages == 451


def test_a_body_that_was_lost_is_null_and_counted() -> None:
    async def play(web: SimulatedWeb, app: Crawler) -> tuple[bytes, ExportTally]:
        web.at(HOME, page("home"))
        await crawl(app, HOME)
        lose_bodies(app)
        return await written(app, "url", "text")

    text, tally = simulate(play)
    assert json.loads(text) == {"url": HOME, "text": None}
    assert tally.lost_bodies == 1


def test_csv_begins_with_its_header_and_is_quoted_as_rfc_4180_has_it() -> None:
    async def play(web: SimulatedWeb, app: Crawler) -> bytes:
        web.at(HOME, page("x", title='He said "no", twice'))
        await crawl(app, HOME)
        return (await written(app, "title", "words", form=Format.CSV))[0]

    assert simulate(play) == b'title,words\r\n"He said ""no"", twice",17\r\n'


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", " =", "\u00a0=", "\uff1d"])
def test_a_cell_that_would_run_as_a_formula_is_disarmed(start: str) -> None:
    (cells,) = csv.reader(io.StringIO(csv_line([f"{start}1+1"]).decode(), newline=""))
    assert cells == [f"'{start}1+1"]


def test_figures_stay_figures_in_csv() -> None:
    assert csv_line([-1, 2.5, None, 0]) == b"-1,2.5,,0\r\n"


def test_no_control_character_reaches_a_csv() -> None:
    assert csv_line(["\x1b[2J\x00\x9b"]) == "\ufffd[2J\ufffd\ufffd\r\n".encode()


@given(st.lists(st.text() | st.integers() | st.none(), min_size=2, max_size=5))
def test_a_csv_line_reads_back_as_as_many_cells_and_none_is_a_formula(row: list[Any]) -> None:
    (cells,) = csv.reader(io.StringIO(csv_line(row).decode("utf-8"), newline=""))
    assert len(cells) == len(row)
    armed = [
        cell
        for cell, value in zip(cells, row, strict=True)
        if isinstance(value, str) and cell.lstrip()[:1] in set("=+-@")
    ]
    assert [cell for cell in armed if cell.lstrip()] == []


@given(st.lists(st.text(), min_size=1, max_size=4))
def test_a_json_line_is_one_line_and_reads_back(row: list[str]) -> None:
    names = [str(n) for n in range(len(row))]
    line = json_line(names, row)
    assert line.count(b"\n") == 1
    assert list(json.loads(line).values()) == row


def test_an_unknown_field_is_refused_with_the_one_that_was_meant() -> None:
    with pytest.raises(UnknownField, match=r"no field 'titel'\. Did you mean 'title'"):
        choose(["url", "titel"])


def test_a_field_named_twice_is_exported_once() -> None:
    assert [field.name for field in choose(["url", "title", "url"])] == ["url", "title"]


def test_every_field_has_a_meaning_to_print() -> None:
    assert all(field.meaning for field in FIELDS)
