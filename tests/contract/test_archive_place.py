"""The promises of a place for archives: what is removed from the ledger is whole there, and is told
where; or it stays."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import obstore
import pytest
from msgspec.structs import replace

from tenax.adapters.content import s3 as adapter
from tenax.adapters.content.archives import ArchiveFolder
from tenax.adapters.content.s3 import ArchiveBucket, Bucket
from tenax.ops.lifecycle.archive import Archive, ArchivePlace, read_archive
from tenax.ports import Unavailable
from tenax.ports.lifecycle.retention import FailedRecord
from tests.ledgers import START

Fetch = Callable[[str], bytes]
FAILURE = FailedRecord(
    1, "shop", "https://a.example/ä", "failed", "failed", "http", "http 500", 3, START
)


@pytest.fixture(params=["folder", "s3"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[ArchivePlace, Fetch]:
    """And what is at a place that it told of."""
    if request.param == "folder":
        return ArchiveFolder(tmp_path / "archive"), lambda told: Path(told).read_bytes()
    bucket: Bucket = request.getfixturevalue("s3")
    store = adapter._open(bucket)
    return ArchiveBucket(bucket), lambda told: bytes(
        obstore.get(store, told.rpartition("/")[2]).bytes()
    )


async def test_what_was_archived_can_be_read_again(
    place: tuple[ArchivePlace, Fetch], tmp_path: Path
) -> None:
    at, fetch = place
    archive = Archive(at)
    await archive.add([], [FAILURE], START)
    (told,) = archive.written
    copy = tmp_path / told.rpartition("/")[2]
    copy.write_bytes(fetch(told))
    ((kind, row),) = read_archive(copy)
    assert (kind, row["url"], row["job"]) == ("failures", FAILURE.url, "shop")


@pytest.fixture(params=["folder", "s3"])
def nowhere(request: pytest.FixtureRequest, tmp_path: Path) -> ArchivePlace:
    if request.param == "folder":
        (tmp_path / "archive").write_text("a file where a folder should be")
        return ArchiveFolder(tmp_path / "archive")
    return ArchiveBucket(replace(request.getfixturevalue("s3"), name="no-such-bucket"))


async def test_who_cannot_write_says_so(nowhere: ArchivePlace) -> None:
    with pytest.raises(Unavailable, match=r"cannot be archived \(.+\), so it stays\. .+"):
        await nowhere.write("pages.jsonl.gz", b"x")
