"""Does an export reach a bucket whole, or not at all?"""

from __future__ import annotations

import gzip
import json
from collections.abc import AsyncIterator
from pathlib import Path

import obstore
import pyarrow.parquet as pq
import pytest
from msgspec.structs import replace

from tenax.adapters.content import s3 as adapter
from tenax.adapters.content.s3 import Bucket, UploadBucket
from tenax.ports import Unavailable
from tenax.testing import SimulatedWeb, crawl, open_test_app, page, run_virtually
from tests.buckets import url_of
from tests.cli import invoke

HOME = "https://a.example/"
PART = 5 * 1024 * 1024


def stored(bucket: Bucket, name: str) -> bytes:
    store = adapter._open(bucket)
    return bytes(obstore.get(store, name).bytes())


def names(bucket: Bucket) -> list[str]:
    return [item["path"] for chunk in obstore.list(adapter._open(bucket)) for item in chunk]


async def pieces(count: int, *, then: Exception | None = None) -> AsyncIterator[bytes]:
    for number in range(count):
        yield bytes([number]) * PART
    if then is not None:
        raise then


def upload(s3: Bucket, name: str) -> UploadBucket:
    return UploadBucket(replace(s3, prefix=f"{s3.prefix}/{name}"))


async def test_more_than_one_part_arrives_in_order(s3: Bucket) -> None:
    await upload(s3, "whole").put(pieces(3))
    assert stored(s3, "whole") == b"".join([bytes([n]) * PART for n in range(3)])


async def test_what_is_not_complete_is_not_there(s3: Bucket) -> None:
    with pytest.raises(ZeroDivisionError):
        await upload(s3, "half").put(pieces(2, then=ZeroDivisionError()))
    assert names(s3) == []


async def test_a_bucket_that_is_not_there_is_told_with_the_flag(s3: Bucket) -> None:
    with pytest.raises(Unavailable, match=r"NoSuchBucket.*nothing of it is there.*set --output"):
        await upload(replace(s3, name="no-such-bucket"), "x").put(pieces(1))


def test_pages_go_straight_to_a_bucket_in_every_form(s3: Bucket, tmp_path: Path) -> None:
    async def story() -> None:
        web = SimulatedWeb()
        web.at(HOME, page("home", "/p"))
        web.at(f"{HOME}p", page("words"))
        async with open_test_app(web, tmp_path) as opened:
            await crawl(opened, HOME)

    run_virtually(story())
    for name in ("a.jsonl", "a.csv.gz", "a.parquet", "a.warc.gz"):
        url = url_of(replace(s3, prefix=f"{s3.prefix}/{name}"))
        result = invoke(["export", "-o", url, "--data", str(tmp_path)])
        assert result.exit_code == 0, (name, result.output)
    assert len([json.loads(line) for line in stored(s3, "a.jsonl").splitlines()]) == 2
    assert gzip.decompress(stored(s3, "a.csv.gz")).count(b"\r\n") == 3
    (tmp_path / "a.parquet").write_bytes(stored(s3, "a.parquet"))
    assert pq.read_table(tmp_path / "a.parquet").num_rows == 2
    assert gzip.decompress(stored(s3, "a.warc.gz")).count(b"WARC-Type: response") == 2
    assert list(tmp_path.glob("*.part*")) == []
