"""Is an export written where it was asked for, in the form its name says, and nothing replaced that
is no file? (SEC-4)"""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from tenax.ops.export.formats import Format
from tenax.ops.export.places import (
    Outlet,
    Packing,
    PlaceKind,
    WrongPlace,
    form_of,
    put_in_place,
    settle_place,
)


def test_the_end_of_the_name_says_form_and_packing(subtests: pytest.Subtests) -> None:
    said = {
        "a.jsonl": (Format.JSONL, Packing.NONE),
        "a.NDJSON": (Format.JSONL, Packing.NONE),
        "a.csv.gz": (Format.CSV, Packing.GZIP),
        "a.b.jsonl.zst": (Format.JSONL, Packing.ZSTD),
        "a.parquet": (Format.PARQUET, Packing.NONE),
        "a.warc": (Format.WARC, Packing.NONE),
        "a.warc.gz": (Format.WARC, Packing.GZIP),
        "pages": (Format.JSONL, Packing.NONE),
        "pages.gz": (Format.JSONL, Packing.GZIP),
    }
    for name, expected in said.items():
        with subtests.test(name):
            assert form_of(name, None) == expected


def test_a_name_that_says_nothing_leaves_it_to_the_flag() -> None:
    assert form_of("a.txt", Format.CSV) == (Format.CSV, Packing.NONE)
    assert form_of("archive", Format.WARC) == (Format.WARC, Packing.GZIP)


def test_what_the_name_contradicts_is_refused(subtests: pytest.Subtests) -> None:
    refused = {
        ("a.csv", Format.JSONL): "its name says csv, and --format says jsonl",
        ("a.warc.gz", Format.PARQUET): "its name says warc",
        ("a.json", None): r"\.json is no format",
        ("a.xlsx.gz", None): r"\.xlsx is no format",
        ("a.parquet.gz", None): "compressed within",
        ("a.warc.zst", None): r"read as \.warc\.gz",
    }
    for (name, asked), why in refused.items():
        with subtests.test(name), pytest.raises(WrongPlace, match=why):
            form_of(name, asked)


def test_a_bucket_is_named_with_its_object(subtests: pytest.Subtests) -> None:
    place = settle_place("s3://b/x/pages.csv.gz?region=eu", None)
    assert (place.kind, place.form, place.packing) == (PlaceKind.BUCKET, Format.CSV, Packing.GZIP)
    for name in ("s3://b", "s3://b/", "s3://b/folder/", "s3:///x.csv", "ftp://h/x.csv"):
        with subtests.test(name), pytest.raises(WrongPlace):
            settle_place(name, None)


def test_a_link_is_followed_and_stays(tmp_path: Path) -> None:
    there, link = tmp_path / "there.jsonl", tmp_path / "link.jsonl"
    link.symlink_to(there)
    for _ in range(2):  # once where nothing is, once over a file
        place = settle_place(str(link), None)
        assert (place.kind, place.path) == (PlaceKind.FILE, there.resolve())
        there.write_text("old")


def test_pipes_and_devices_are_written_through(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/dev/null")
    for path in (tmp_path / "pipe", tmp_path / "link", Path("/dev/null")):
        assert settle_place(str(path), None).kind is PlaceKind.STREAM
    with pytest.raises(WrongPlace, match="piece by piece"):
        settle_place("/dev/null", Format.PARQUET)


def test_a_folder_is_no_place_for_a_file(tmp_path: Path) -> None:
    with pytest.raises(WrongPlace, match="is a folder"):
        settle_place(str(tmp_path), None)


def test_names_of_standard_output_are_standard_output() -> None:
    for name in (None, "-", "/dev/stdout"):
        assert settle_place(name, None) == Outlet(
            PlaceKind.STDOUT, Format.JSONL, Packing.NONE, "stdout"
        )


def test_only_a_regular_file_is_ever_replaced(tmp_path: Path) -> None:
    """Whatever came there since it was looked at."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("old")
    for name in ("pipe", "link", "folder"):
        made = tmp_path / "made"
        made.write_text("new")
        before = (tmp_path / name).lstat().st_ino
        with pytest.raises(FileExistsError) as refused:
            put_in_place(made, tmp_path / name)
        assert refused.value.errno == errno.EEXIST
        assert (tmp_path / name).lstat().st_ino == before
    put_in_place(tmp_path / "made", tmp_path / "file")
    assert (tmp_path / "file").read_text() == "new"
