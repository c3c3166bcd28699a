"""Does the table of steps say what a page's reader did? On pages as small as can be."""

from __future__ import annotations

import hashlib
from pathlib import Path

from bench.steps import measure_steps, time_page
from tenax.model import Headers, Response
from tenax.page import read as reading

PLAIN = b"<!doctype html><title>A</title><p>Some words that stand here."
SHOP = (
    b'<!doctype html><title>Mug</title><body><h1>Mug</h1><p class="price">12.00 EUR</p>'
    b"<button>Add to cart</button>"
)


def timed(body: bytes) -> set[str]:
    headers = Headers((("Content-Type", "text/html"),))
    return set(time_page("a", Response("https://a.example/", 200, headers, body)).seconds)


def test_every_step_that_is_taken_is_timed() -> None:
    assert {"suspicion of a product", "links", "hashes", "sha256", "zstd", "verdict"} < timed(PLAIN)


def test_a_product_is_a_step_only_where_one_is_looked_for() -> None:
    assert "product" in timed(SHOP)
    assert "product" not in timed(PLAIN)


def test_the_reader_is_left_as_it_was() -> None:
    before, hashing = dict(vars(reading)), hashlib.sha256
    timed(SHOP)
    assert vars(reading) == before
    assert hashlib.sha256 is hashing


def test_shares_are_of_all_pages_below_the_folder(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "a.html").write_bytes(PLAIN)
    (tmp_path / "b" / "c.html").write_bytes(SHOP)
    table = measure_steps(tmp_path, rounds=1)
    rows = {row[0]: row for row in table.rows}
    assert rows["product"][3] == "50.0%"
    assert rows["all"][1] == "100.0%"
    assert "2 pages" in table.notes[0]
    assert "1 suspected of a product, 1 of them have one" in table.notes[0]
