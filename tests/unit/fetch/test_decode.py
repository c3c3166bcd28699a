"""Content-Encoding is undone within a bound, whatever the server made of it (FE-2, SEC-2)."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib
from collections.abc import Callable

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from tenax.fetch.content_types import is_readable, is_text
from tenax.fetch.decode import ACCEPT_ENCODING, MAX_MEMBERS, decode
from tenax.model import Failure, Fault
from tests.servers import gzip_bomb

PAGE = b"<!doctype html><title>Page</title>" + b"<p>Some text that repeats itself.</p>" * 200
LIMIT = 10_000_000


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


def streamed_zstd(data: bytes) -> bytes:
    """A frame that does not say how large its content is."""
    packer = zstandard.ZstdCompressor().compressobj()
    return packer.compress(data) + packer.flush()


PACKERS: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "gzip": ("gzip", gzip.compress),
    "x-gzip": ("x-gzip", gzip.compress),
    "zlib": ("deflate", zlib.compress),
    "raw deflate": ("deflate", raw_deflate),
    "brotli": ("br", brotli.compress),
    "zstd": ("zstd", zstandard.compress),
    "zstd of unknown size": ("zstd", streamed_zstd),
}
every_coding = pytest.mark.parametrize(("coding", "pack"), PACKERS.values(), ids=PACKERS.keys())


def fault_of(result: bytes | Failure) -> Fault:
    assert isinstance(result, Failure)
    return result.fault


@every_coding
def test_every_promised_coding_is_undone(coding: str, pack: Callable[[bytes], bytes]) -> None:
    assert decode(pack(PAGE), coding, LIMIT) == PAGE


@every_coding
@given(data=st.binary(max_size=3000))
def test_any_body_survives_the_round_trip(
    coding: str, pack: Callable[[bytes], bytes], data: bytes
) -> None:
    assert decode(pack(data), coding, LIMIT) == data


@every_coding
def test_a_body_of_exactly_the_limit_is_taken(coding: str, pack: Callable[[bytes], bytes]) -> None:
    assert decode(pack(PAGE), coding, len(PAGE)) == PAGE


@every_coding
def test_one_byte_over_the_limit_is_too_large(coding: str, pack: Callable[[bytes], bytes]) -> None:
    assert fault_of(decode(pack(PAGE), coding, len(PAGE) - 1)) == Fault.TOO_LARGE


@every_coding
def test_a_truncated_stream_is_an_encoding_fault(
    coding: str, pack: Callable[[bytes], bytes]
) -> None:
    assert fault_of(decode(pack(PAGE)[:-9], coding, LIMIT)) == Fault.ENCODING


@every_coding
@given(data=st.binary(max_size=400), noise=st.binary(min_size=1, max_size=40), at=st.integers(0))
def test_no_damage_makes_decoding_raise(
    coding: str, pack: Callable[[bytes], bytes], data: bytes, noise: bytes, at: int
) -> None:
    packed = bytearray(pack(data))
    at %= len(packed)
    packed[at : at + len(noise)] = noise
    assert isinstance(decode(bytes(packed), coding, 1000), bytes | Failure)


@given(body=st.binary(max_size=200), coding=st.text(max_size=30))
def test_no_header_and_no_bytes_make_decoding_raise(body: bytes, coding: str) -> None:
    assert isinstance(decode(body, coding, 1000), bytes | Failure)


def test_what_requests_promise_is_what_decoding_undoes() -> None:
    promised = {name.strip() for name in ACCEPT_ENCODING.split(",")}
    assert promised == {"gzip", "deflate", "br", "zstd"}


@pytest.mark.parametrize("nothing", [None, "", "identity", " Identity ", ",", "identity, identity"])
def test_without_a_coding_the_body_is_itself(nothing: str | None) -> None:
    assert decode(b"\0\1\2", nothing, LIMIT) == b"\0\1\2"


@pytest.mark.parametrize("spelling", ["GZIP", " gzip ", "gzip;q=1", "identity, gzip", ",gzip,"])
def test_the_name_of_a_coding_is_read_leniently(spelling: str) -> None:
    assert decode(gzip.compress(PAGE), spelling, LIMIT) == PAGE


def test_stacked_codings_are_undone_in_reverse() -> None:
    body = brotli.compress(zstandard.compress(gzip.compress(PAGE)))
    assert decode(body, "gzip, zstd, br", LIMIT) == PAGE


def test_a_fourth_coding_is_refused() -> None:
    assert fault_of(decode(b"x", "gzip, gzip, gzip, gzip", LIMIT)) == Fault.ENCODING


def test_an_empty_body_is_empty_under_any_label() -> None:
    """304 answers and empty pages carry the label without a single byte."""
    assert decode(b"", "gzip", LIMIT) == b""


def test_members_of_a_gzip_body_are_joined() -> None:
    assert decode(gzip.compress(b"one ") + gzip.compress(b"two"), "gzip", LIMIT) == b"one two"


def test_a_long_gzip_body_of_many_members_is_joined() -> None:
    """bgzip cuts a file into blocks of 64 KB; here the windows and members cross."""
    blocks = [bytes([n]) * 40_000 + n.to_bytes(2, "big") * 30_000 for n in range(60)]
    body = b"".join(gzip.compress(block, 0) for block in blocks)
    assert decode(body, "gzip", LIMIT) == b"".join(blocks)


def test_frames_of_a_zstd_body_are_joined() -> None:
    assert decode(zstandard.compress(b"a") + zstandard.compress(b"b"), "zstd", LIMIT) == b"ab"


@pytest.mark.parametrize("rest", [b"\0" * 700, b"\r\n", b"<!-- cache -->"])
def test_garbage_after_a_gzip_body_is_ignored(rest: bytes) -> None:
    assert decode(gzip.compress(PAGE) + rest, "gzip", LIMIT) == PAGE


@pytest.mark.parametrize("label", ["gzip", "deflate", "br", "zstd", "utf-8", "none", "gzip, br"])
@pytest.mark.parametrize(
    "body",
    [PAGE, b"ok", "<p>Привет, мир</p>".encode(), "<p>Привет</p>".encode("cp1251") + PAGE],
    ids=["ascii", "short", "utf-8", "windows-1251"],
)
def test_text_labelled_as_compressed_is_taken_as_it_is(body: bytes, label: str) -> None:
    assert decode(body, label, LIMIT) == body


@pytest.mark.parametrize("label", ["gzip", "deflate", "br", "zstd", "compress", "sdch"])
def test_binary_that_is_not_what_its_label_says_is_an_encoding_fault(label: str) -> None:
    assert fault_of(decode(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" * 9, label, LIMIT)) == Fault.ENCODING


def test_a_gzip_body_with_a_wrong_checksum_is_an_encoding_fault() -> None:
    body = bytearray(gzip.compress(PAGE))
    body[-5] ^= 0xFF
    assert fault_of(decode(bytes(body), "gzip", LIMIT)) == Fault.ENCODING


def brotli_bomb() -> bytes:
    return bytes(brotli.compress(bytes(300_000_000), quality=1))


def zstd_bomb() -> bytes:
    packer = zstandard.ZstdCompressor().compressobj()
    return b"".join(packer.compress(bytes(1_000_000)) for _ in range(1000)) + packer.flush()


def nested_gzip_bomb() -> bytes:
    return gzip.compress(gzip_bomb(1000))


@pytest.mark.parametrize(
    ("coding", "make"),
    [
        ("gzip", lambda: gzip_bomb(1000)),
        ("gzip", lambda: gzip.compress(bytes(9_000_000)) * 100),
        ("deflate", lambda: zlib.compress(bytes(300_000_000), 1)),
        ("br", brotli_bomb),
        ("zstd", zstd_bomb),
        ("gzip, gzip", nested_gzip_bomb),
    ],
    ids=["gzip", "gzip members", "deflate", "brotli", "zstd", "nested"],
)
def test_a_bomb_is_refused_in_bounded_memory(coding: str, make: Callable[[], bytes]) -> None:
    """SEC-2: hundreds of megabytes in a few kilobytes cost at most a few times the limit."""
    bomb = make()
    tracemalloc.start()
    result = decode(bomb, coding, LIMIT)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert fault_of(result) == Fault.TOO_LARGE
    assert peak < 60_000_000


def test_a_zstd_window_beyond_the_standard_is_refused() -> None:
    """RFC 9659: 8 MB; a frame may ask for gigabytes."""
    wide = zstandard.ZstdCompressionParameters(window_log=27)
    packer = zstandard.ZstdCompressor(compression_params=wide).compressobj()
    assert fault_of(decode(packer.compress(PAGE) + packer.flush(), "zstd", LIMIT)) == Fault.ENCODING


@pytest.mark.parametrize(
    ("coding", "member"),
    [("gzip", gzip.compress(b"")), ("zstd", zstandard.compress(b""))],
    ids=["gzip", "zstd"],
)
def test_a_flood_of_empty_members_is_refused_early(coding: str, member: bytes) -> None:
    """Each costs a microsecond and makes nothing, so no limit on the output would end it."""
    result = decode(member * (MAX_MEMBERS * 50), coding, LIMIT)
    assert isinstance(result, Failure)
    assert "members" in result.detail


@pytest.mark.parametrize(
    "content_type",
    [
        None, "", "text/html", "TEXT/HTML; charset=utf-8", "text/plain", "application/xhtml+xml",
        "application/xml", "application/rss+xml", "application/atom+xml", "application/json",
        "application/ld+json; charset=utf-8", "application/javascript", "application/x-javascript",
        "html", "text", "unknown/unknown", "text/html, text/html", "application/x-ndjson",
    ],
)  # fmt: skip
def test_text_and_what_may_be_text_is_read(content_type: str | None) -> None:
    assert is_text(content_type)


@pytest.mark.parametrize(
    "content_type",
    [
        "image/png", "image/svg+xml", "video/mp4", "audio/mpeg", "font/woff2", "application/pdf",
        "application/zip", "application/octet-stream", "APPLICATION/PDF;x=y", "model/gltf+json",
        "multipart/x-mixed-replace; boundary=x", "application/vnd.ms-excel", "application/gzip",
    ],
)  # fmt: skip
def test_what_is_clearly_not_text_is_left_unread(content_type: str) -> None:
    assert not is_text(content_type)
    assert not is_readable(content_type, pdf=False)
    assert is_readable(content_type, pdf=True) is ("pdf" in content_type.lower())
