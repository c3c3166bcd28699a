"""Are WARC files read whoever wrote them, and is what is damaged passed over? (STORE-5)"""

from __future__ import annotations

import functools
import gzip
import io
from collections.abc import Callable
from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from tenax.ops.replay.warc_reader import Damaged, WarcRecord, parse_http, read_warc

LONGEST = 1_000_000

# warcio's writer leaves its scratch files to the garbage collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@functools.cache
def written(count: int = 5, *, gzipped: bool = True) -> bytes:
    """As warcio writes it: a warcinfo, and answers with a body of their own."""
    out = io.BytesIO()
    writer = WARCWriter(out, gzip=gzipped)
    writer.write_record(writer.create_warcinfo_record("a.warc", {"software": "test"}))
    for number in range(count):
        headers = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], "HTTP/1.1")
        noise = Random(number).randbytes(50).hex() * 20
        body = io.BytesIO(f"<p>{number} {noise}</p>".encode())
        url = f"http://a.example/{number}"
        writer.write_record(writer.create_warc_record(url, "response", body, http_headers=headers))
    return out.getvalue()


def urls(data: bytes) -> list[str]:
    return [r.url for r in read(data) if isinstance(r, WarcRecord) and r.kind == "response"]


def read(data: bytes) -> list[WarcRecord | Damaged]:
    return list(read_warc(io.BytesIO(data), LONGEST))


ALL = [f"http://a.example/{number}" for number in range(5)]


@pytest.mark.parametrize(
    "write",
    [written, lambda: written(gzipped=False), lambda: gzip.compress(written(gzipped=False))],
    ids=["a member a record", "plain", "one member"],
)
def test_every_record_is_read_however_it_is_compressed(write: Callable[[], bytes]) -> None:
    data = write()
    assert urls(data) == ALL
    assert not [r for r in read(data) if isinstance(r, Damaged)]


def test_an_answer_has_its_status_headers_and_body() -> None:
    record = read(written())[1]
    assert isinstance(record, WarcRecord)
    message = parse_http(record.block)
    assert message is not None
    assert (message.status, message.get("CONTENT-TYPE")) == (200, "text/html")
    assert message.body.startswith(b"<p>0 ")
    assert record.at is not None


@pytest.mark.parametrize("gzipped", [True, False])
def test_a_damaged_record_costs_no_other(gzipped: bool) -> None:
    data = bytearray(written(gzipped=gzipped))
    second = data.index(b"http://a.example/1") if not gzipped else _member(bytes(data), 2) + 30
    if gzipped:
        data[second : second + 20] = bytes(20)
    else:
        place = data.rindex(b"WARC/1.0", 0, second)
        data[place : place + 8] = b"XXXX/1.0"
    found = read(bytes(data))
    assert urls(bytes(data)) == [url for url in ALL if not url.endswith("/1")]
    assert len([r for r in found if isinstance(r, Damaged)]) == 1


def _member(data: bytes, number: int) -> int:
    place = 0
    for _ in range(number):
        place = data.index(b"\x1f\x8b\x08", place + 1)
    return place


@pytest.mark.parametrize("gzipped", [True, False])
def test_a_file_that_is_cut_off_gives_what_it_has(gzipped: bool) -> None:
    data = written(gzipped=gzipped)[:-300]
    assert urls(data) == ALL[:-1]
    assert isinstance(read(data)[-1], Damaged)


def test_a_record_that_is_cut_off_takes_nothing_from_the_next_one() -> None:
    """Decompressing goes on in the next one's bytes, and may even fill the block with them."""

    dice = Random(5)

    def member(name: str) -> bytes:
        noise = dice.randbytes(400).hex()
        head = f"WARC/1.1\r\nWARC-Target-URI: {name}\r\nX: {noise}\r\nContent-Length: 8\r\n\r\n"
        return gzip.compress(f"{head}<p>12345\r\n\r\n".encode(), mtime=0)

    for number, cut in product(range(10), range(1, 60)):
        data = member("first") + member("broken")[:-cut] + member("last")
        found = read(data)
        records = {r.url: r.block for r in found if isinstance(r, WarcRecord)}
        assert {"first", "last"} <= set(records), f"{number} cut by {cut}"
        # One that lacks nothing but its check sum may count; what was made up never does.
        assert set(records.values()) == {b"<p>12345"}, f"{number} cut by {cut}"
        assert len([r for r in found if isinstance(r, Damaged)]) == 1


@given(st.randoms(use_true_random=False), st.booleans())
def test_whatever_is_done_to_a_file_reading_it_ends(dice: Random, gzipped: bool) -> None:
    data = bytearray(written(gzipped=gzipped))
    for _ in range(dice.randrange(1, 6)):
        place = dice.randrange(len(data))
        data[place : place + dice.randrange(8)] = dice.randbytes(dice.randrange(8))
    assert len(read(bytes(data))) < 100


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"no archive", b"\x1f\x8b\x08", gzip.compress(b"x", mtime=0)]
)
def test_what_is_no_archive_has_no_records(data: bytes) -> None:
    assert not [r for r in read(data) if isinstance(r, WarcRecord)]


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "one member"])
def test_a_record_that_is_too_long_is_passed_over(pack: Callable[[bytes], bytes]) -> None:
    found = list(read_warc(io.BytesIO(pack(written(gzipped=False))), 300))
    assert [type(r) for r in found].count(Damaged) == 5


@pytest.mark.parametrize(
    ("raw", "body"),
    [
        (b"4\r\nWiki\r\n5;x=y\r\npedia\r\n0\r\n\r\n", b"Wikipedia"),
        (b"<p>it has no chunks any more</p>", b"<p>it has no chunks any more</p>"),
        (b"4\r\nWiki\r\n", b"Wiki"),
    ],
)
def test_chunks_are_put_together(raw: bytes, body: bytes) -> None:
    message = parse_http(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + raw)
    assert message is not None
    assert message.body == body


@pytest.mark.parametrize(
    "block", [b"", b"GET / HTTP/1.1\r\n\r\n", b"\xff\xfe", b"HTTP/1.1 OK\r\n\r\n"]
)
def test_what_is_no_answer_is_none(block: bytes) -> None:
    assert parse_http(block) is None


def test_a_chunk_of_a_negative_size_ends_the_body() -> None:
    """Taken as a size it would lead back to itself, for ever."""
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    message = parse_http(head + b"-5\r\nabc")
    assert message is not None
    assert message.body == b"-5\r\nabc"


def test_a_length_that_nothing_has_is_damage() -> None:
    (damaged,) = read(b"WARC/1.0\r\nContent-Length: " + b"9" * 5_000 + b"\r\n\r\n")
    assert isinstance(damaged, Damaged)


def test_an_archive_packed_otherwise_is_told_so() -> None:
    (damaged,) = read(b"\x28\xb5\x2f\xfd" + b"x" * 100)
    assert isinstance(damaged, Damaged)
    assert "zstd" in damaged.why
