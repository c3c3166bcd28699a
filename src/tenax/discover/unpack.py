"""What text does a discovery document consist of, piece by piece, whatever it came packed in?

Everything comes out as UTF-8 that an XML parser takes: decompressed, transcoded, without control
characters, with invalid bytes replaced. Nothing but a few pieces is ever held in memory.
"""

from __future__ import annotations

import codecs
import re
import zlib
from collections.abc import Iterable, Iterator

from tenax.discover.gathered import ListingPolicy, Stopped

PIECE = 65_536
_INPUT = 16_384
_GZIP_MAGIC = b"\x1f\x8b"
_GZIP = 31  # zlib's name for it: window bits
_MOST_MEMBERS = 4_096
_SMALL = 1_000_000
"""Bytes up to which nobody asks how well something was compressed."""
_CONTROLS = bytes({*range(32), 127} - {9, 10, 13})

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARED = re.compile(rb"""<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([\w.-]{1,40})["']""")
_IN_HEADER = re.compile(r"""charset\s*=\s*["']?([\w.-]{1,40})""", re.IGNORECASE)
_OTHERS = re.compile(r"iso8859-\d+|cp(?:125\d|866|874|932|949|950)|koi8-[rtu]|gb\w+|big5\w*"
                     r"|shift_jis\w*|euc_\w+")  # fmt: skip
"""Python's names of the encodings that are undone, besides those of Unicode."""


def is_gzip(body: bytes) -> bool:
    return body.startswith(_GZIP_MAGIC)


def pieces(body: bytes, content_type: str, policy: ListingPolicy) -> Iterator[bytes]:
    """The document as UTF-8. Raises `Stopped` where it cannot go on, or must not."""
    packed = _gunzipped(body, policy) if is_gzip(body) else _sliced(body)
    raw = _within(packed, policy.limits.body_bytes)
    first = next(raw, b"")
    if is_gzip(first):
        raise Stopped("gzip within gzip")
    encoding, mark = _encoding(first, content_type)
    return _as_utf8(first[mark:], raw, encoding)


def _sliced(body: bytes) -> Iterator[bytes]:
    for at in range(0, len(body), PIECE):
        yield body[at : at + PIECE]


def _gunzipped(body: bytes, policy: ListingPolicy) -> Iterator[bytes]:
    """Piece by piece. What follows the last member and is not another is ignored."""
    at, made = 0, 0
    for _ in range(_MOST_MEMBERS):
        member = zlib.decompressobj(_GZIP)
        while not member.eof:
            fed = member.unconsumed_tail
            if not fed:
                fed = body[at : at + _INPUT]
                at += len(fed)
            try:
                piece = member.decompress(fed, PIECE)
            except zlib.error as error:
                raise Stopped(f"its gzip is damaged ({error})") from None
            if not piece and not fed:
                raise Stopped("cut off: its gzip ends early")
            made += len(piece)
            if made > max(_SMALL, policy.ratio * at):
                raise Stopped(f"its gzip grows to more than {policy.ratio:,} times its size")
            if piece:
                yield piece
        at -= len(member.unused_data)
        if body[at : at + 2] != _GZIP_MAGIC:
            return
    raise Stopped(f"its gzip has more than {_MOST_MEMBERS:,} members")


def _within(raw: Iterable[bytes], limit: int) -> Iterator[bytes]:
    for piece in raw:
        if len(piece) > limit:
            yield piece[:limit]
            raise Stopped("larger than the limit; the rest was not read")
        limit -= len(piece)
        yield piece


def _encoding(first: bytes, content_type: str) -> tuple[str, int]:
    """The encoding, and how many bytes of the beginning only told it.

    Marks and NULs cannot lie. A declaration can: it never makes UTF-16 of what has no NULs.
    """
    for mark, name in _BYTE_ORDER_MARKS:
        if first.startswith(mark):
            return name, len(mark)
    if first[1:2] == b"\0":
        return "utf-16-le", 0
    if first[:1] == b"\0":
        return "utf-16-be", 0
    declared = _DECLARED.search(first[:1024])
    named = _IN_HEADER.search(content_type[:1000])
    label = declared[1].decode("latin-1") if declared else named[1] if named else "utf-8"
    return ("utf-8" if _is_utf8(first) else _codec(label)), 0


def _is_utf8(first: bytes) -> bool:
    """What reads as UTF-8 is UTF-8, whatever it says of itself."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(first)
    except UnicodeDecodeError:
        return False
    return not first.isascii()


def _codec(label: str) -> str:
    try:
        name = codecs.lookup(label).name
    except (LookupError, ValueError):
        return "utf-8"
    if name in ("iso8859-1", "ascii"):
        # As browsers do: who says so mostly means what Windows made of it.
        return "cp1252"
    return name if _OTHERS.fullmatch(name) else "utf-8"


def _as_utf8(first: bytes, rest: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    # The parser's own rule: nothing, not even an empty line, stands before the declaration.
    first = first.lstrip() if encoding == "utf-8" else first
    for piece in _chained(first, rest):
        if encoding == "utf-8" and piece.isascii() and decoder.getstate()[0] == b"":
            yield piece.translate(None, _CONTROLS)
        elif text := decoder.decode(piece):
            yield _plain(text)
    if text := decoder.decode(b"", True):
        yield _plain(text)


def _plain(text: str) -> bytes:
    """Without what XML has no place for: controls, and two code points that are none."""
    raw = text.encode("utf-8", "replace").translate(None, _CONTROLS)
    return raw.replace(b"\xef\xbf\xbe", b"").replace(b"\xef\xbf\xbf", b"")


def _chained(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest
