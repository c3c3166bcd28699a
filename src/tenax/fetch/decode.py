"""What did the server say, once its Content-Encoding is undone, within a fixed amount of memory?

Decoding is ours rather than the HTTP library's so that the size on the wire and the size
after decoding are both known, and so that every client decodes alike.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Protocol

import brotli
import zstandard

from tenax.model import Failure, Fault

ACCEPT_ENCODING = "gzip, deflate, br, zstd"
"""What a request may promise to understand: exactly what `decode` undoes."""

MAX_CODINGS = 3
MAX_MEMBERS = 4096
"""gzip members or zstd frames in one body; block gzip makes 160 of 10 MB, an attack millions."""

_GZIP_MAGIC = b"\x1f\x8b"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_GZIP, _ZLIB, _RAW_DEFLATE = 31, 15, -15  # zlib's names for them: window bits

# RFC 9659: senders of this coding must not need a window over 8 MB, so neither do we.
_ZSTD_WINDOW = 8 * 1024 * 1024

# zlib copies what follows a member each time one ends; feeding windows keeps a body of
# thousands of members from being copied thousands of times.
_ZLIB_STEP = 65_536
# python-zstandard cannot bound one call's output. Four bytes make at most one block of
# 128 KB, so this much input makes at most 32 MB more than asked for.
_ZSTD_STEP = 1024

_TEXT_SAMPLE = 1024
_ASCII_TEXT = bytes({9, 10, 12, 13, 27, *range(32, 127)})
_HIGH = bytes(range(128, 256))


def decode(body: bytes, content_encoding: str | None, limit: int) -> bytes | Failure:
    """The decoded body, or the fault: `too_large` past the limit, `encoding` when undecodable.

    A body that reads as text although it is labelled compressed is taken as it is: servers
    that label every answer but compress only some are common, and browsers show their pages.
    """
    codings = _codings(content_encoding)
    if len(codings) > MAX_CODINGS:
        return Failure(
            Fault.ENCODING, f"{len(codings)} codings on one body; {MAX_CODINGS} are undone"
        )
    for coding in reversed(codings):
        if not body:
            break
        try:
            body = _undo(coding, body, limit)
        except _OverLimit:
            return Failure(Fault.TOO_LARGE, f"more than {limit} bytes after undoing {coding}")
        except (_BrokenStream, zlib.error, brotli.error, zstandard.ZstdError) as error:
            if not _reads_as_text(body):
                return Failure(Fault.ENCODING, f"not valid {coding[:40]}: {error}")
    return body


class _OverLimit(Exception):
    pass


class _BrokenStream(Exception):
    pass


def _codings(content_encoding: str | None) -> list[str]:
    """In the order they were applied (RFC 9110 8.4), without those that change nothing."""
    if not content_encoding:
        return []
    names = (part.split(";", 1)[0].strip().lower() for part in content_encoding.split(","))
    return [name for name in names if name not in ("", "identity")]


def _undo(coding: str, body: bytes, limit: int) -> bytes:
    match coding:
        case "gzip" | "x-gzip":
            return _gunzip(body, limit)
        case "deflate":
            return _inflate(body, limit)
        case "br":
            return _unbrotli(body, limit)
        case "zstd":
            return _unzstd(body, limit)
        case _:
            raise _BrokenStream("not a coding we asked for")


def _gunzip(body: bytes, limit: int) -> bytes:
    if not body.startswith(_GZIP_MAGIC):
        raise _BrokenStream("no gzip header")
    return _join_members(body, limit, lambda: zlib.decompressobj(_GZIP), _ZLIB_STEP, _GZIP_MAGIC)


def _inflate(body: bytes, limit: int) -> bytes:
    """RFC 9110 means zlib; servers that took the name literally send the bare stream."""
    try:
        return _join_members(body, limit, lambda: zlib.decompressobj(_ZLIB), _ZLIB_STEP, None)
    except (zlib.error, _BrokenStream):
        return _join_members(
            body, limit, lambda: zlib.decompressobj(_RAW_DEFLATE), _ZLIB_STEP, None
        )


def _unzstd(body: bytes, limit: int) -> bytes:
    decompressor = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW)
    return _join_members(body, limit, lambda: _ZstdMember(decompressor), _ZSTD_STEP, _ZSTD_MAGIC)


def _unbrotli(body: bytes, limit: int) -> bytes:
    decompressor = brotli.Decompressor()
    parts, room, fed = [], limit + 1, body
    while not decompressor.is_finished():
        part = decompressor.process(fed, output_buffer_limit=room)
        if not part and not fed:
            raise _BrokenStream("it ends early")
        fed = b""
        room -= len(part)
        if room <= 0:
            raise _OverLimit
        parts.append(part)
    return b"".join(parts)


class _Decompressor(Protocol):
    """One self-contained compressed stream, as zlib's objects have it."""

    def decompress(self, data: memoryview, max_length: int, /) -> bytes: ...
    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...


class _ZstdMember:
    __slots__ = ("_stream",)

    def __init__(self, decompressor: zstandard.ZstdDecompressor) -> None:
        self._stream = decompressor.decompressobj()

    def decompress(self, data: memoryview, max_length: int, /) -> bytes:
        return self._stream.decompress(data)

    @property
    def eof(self) -> bool:
        return self._stream.eof

    @property
    def unused_data(self) -> bytes:
        return self._stream.unused_data


def _join_members(
    body: bytes, limit: int, begin: Callable[[], _Decompressor], step: int, magic: bytes | None
) -> bytes:
    """Everything the members hold. What follows the last one and is not another is ignored:
    padding and stray line ends after a gzip body are common and browsers ignore them too."""
    view, at, room, parts = memoryview(body), 0, limit + 1, []
    for _ in range(MAX_MEMBERS):
        member = begin()
        while not member.eof:
            if at >= len(view):
                raise _BrokenStream("it ends early")
            parts.append(member.decompress(view[at : at + step], room))
            at += step
            room -= len(parts[-1])
            if room <= 0:
                raise _OverLimit
        at = min(at, len(view)) - len(member.unused_data)
        if magic is None or view[at : at + len(magic)] != magic:
            return b"".join(parts)
    raise _BrokenStream(f"more than {MAX_MEMBERS} members")


def _reads_as_text(body: bytes) -> bool:
    """No control bytes, and either UTF-8 or mostly ASCII: compressed data is neither."""
    if body.startswith((_GZIP_MAGIC, _ZSTD_MAGIC)):
        return False
    sample = body[:_TEXT_SAMPLE]
    high = sample.translate(None, _ASCII_TEXT)
    if high.translate(None, _HIGH):
        return False
    return len(high) * 4 <= len(sample) or _is_utf8(sample)


def _is_utf8(sample: bytes) -> bool:
    try:
        sample.decode()
    except UnicodeDecodeError as error:
        return error.start > len(sample) - 4  # the sample may end inside a character
    return True
