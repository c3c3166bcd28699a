"""A streaming WARC reader: record after record, whoever wrote it; what is damaged is skipped.

Gzip members of a record each, one member for all, or no compression; WARC 0.18 to 1.1. Memory is
bounded by the largest record that is wanted.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Protocol

from msgspec import Struct

_GZIP = b"\x1f\x8b\x08"
_CHUNK = 65_536
_ZSTANDARD = b"\x28\xb5\x2f\xfd"
_LONGEST_HEAD = 1 << 20
_LONGEST_LENGTH = 18
"""Digits of a length; of more, nothing on any disk is."""
_HEX = re.compile(rb"[0-9A-Fa-f]{1,16}")
_VERSION = re.compile(rb"WARC/\d+\.\d+\r?\n")


class ArchiveFile(Protocol):
    """A file, as far as it matters here."""

    def read(self, size: int, /) -> bytes: ...
    def seek(self, offset: int, /) -> object: ...


class WarcRecord(Struct, frozen=True):
    """One record as it stands in the file."""

    headers: Mapping[str, str]
    """Names in lower case; of repeated ones the last."""
    block: bytes

    @property
    def kind(self) -> str:
        return self.headers.get("warc-type", "").lower()

    @property
    def url(self) -> str:
        # Some writers put it in angle brackets, as WARC 1.0's grammar had it by mistake.
        return self.headers.get("warc-target-uri", "").strip("<>")

    @property
    def at(self) -> float | None:
        return moment(self.headers.get("warc-date", ""))


class Damaged(Struct, frozen=True):
    """A stretch of the file that is no record that can be read."""

    offset: int
    """In the file as it lies on the disk."""
    why: str


class Message(Struct, frozen=True):
    """An HTTP message, its body still encoded."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def get(self, name: str) -> str:
        wanted = name.lower()
        return next((value for key, value in self.headers if key.lower() == wanted), "")


def read_warc(file: ArchiveFile, longest: int) -> Iterator[WarcRecord | Damaged]:
    """Everything in the file, in order. A block longer than `longest` counts as damaged."""
    source = _Source(file)
    while True:
        source.skip_blank_lines()
        start = source.offset
        try:
            record = _read_record(source, longest)
        except _BrokenRecord as broken:
            yield Damaged(start, str(broken))
            if not isinstance(broken, _TooLong) and not source.find_next():
                return
            continue
        if record is None:
            return
        yield record


def parse_http(block: bytes) -> Message | None:
    """The answer in a record; None when it is none."""
    first, headers, body = _parts(block)
    status = re.match(r"HTTP/\S+ +(\d{3})\b", first)
    return None if status is None else Message(int(status[1]), headers, body)


def parse_request(block: bytes) -> tuple[str, Message]:
    """The request in a record: its method, empty when it is none, and the rest."""
    first, headers, body = _parts(block)
    method = re.match(r"([A-Z]+) \S+ HTTP/", first)
    return method[1] if method else "", Message(0, headers, body)


def _parts(block: bytes) -> tuple[str, tuple[tuple[str, str], ...], bytes]:
    """First line, headers and body of a message."""
    head, _, body = block.partition(b"\r\n\r\n")
    if b"\r\n\r\n" not in block and b"\n\n" in block:
        head, _, body = block.partition(b"\n\n")
    first, *lines = head.decode("latin-1").replace("\r\n", "\n").split("\n")
    headers: list[tuple[str, str]] = []
    for text in lines:
        if text[:1] in " \t" and headers:
            name, value = headers[-1]
            headers[-1] = name, f"{value} {text.strip()}"
            continue
        name, colon, value = text.partition(":")
        if colon and name.strip():
            headers.append((name.strip(), value.strip()))
    coding = Message(0, tuple(headers), b"").get("transfer-encoding")
    return first, tuple(headers), _unchunked(body) if "chunked" in coding.lower() else body


def moment(text: str) -> float | None:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()


class _BrokenRecord(Exception):
    pass


class _TooLong(_BrokenRecord):
    """And passed over: the next record begins here."""


def _read_record(source: _Source, longest: int) -> WarcRecord | None:
    """None at the end of the file."""
    version = source.line()
    if not version:
        return None
    if not _VERSION.fullmatch(version):
        if version.startswith(_ZSTANDARD):
            raise _BrokenRecord("it is compressed with zstd: unpack it first (zstd -d)")
        raise _BrokenRecord("no record begins here")
    headers: dict[str, str] = {}
    size, last = 0, ""
    while (line := source.line()).strip():
        size += len(line)
        if size > _LONGEST_HEAD:
            raise _BrokenRecord("its head does not end")
        text = line.decode("utf-8", "replace").rstrip("\r\n")
        if text[:1] in " \t" and last:
            headers[last] += f" {text.strip()}"
            continue
        name, colon, value = text.partition(":")
        if colon:
            last = name.strip().lower()
            headers[last] = value.strip()
    if not line:
        raise _BrokenRecord("it is cut off")
    length = headers.get("content-length", "")
    if not length.isdecimal() or len(length) > _LONGEST_LENGTH:
        raise _BrokenRecord("it does not say how long it is")
    if int(length) > longest:
        source.skip(int(length))
        raise _TooLong(f"it is longer than {longest:,} bytes")
    block = source.read(int(length))
    if not source.is_at_an_end():
        raise _BrokenRecord("it does not end where it says")
    return WarcRecord(headers, block)


class _Source:
    """The bytes of a file, decompressed where they are compressed."""

    def __init__(self, file: ArchiveFile) -> None:
        self._file = file
        self._raw = b""
        """Read, and not yet looked at."""
        self._at = 0
        """Where in the file `_raw` begins."""
        self._text = b""
        self._member = 0
        """Where in the file the gzip member begins that `_text` comes from."""
        self._unpack: zlib._Decompress | None = None
        self._fill()
        self._is_gzip = self._raw.startswith(_GZIP[:2])

    @property
    def offset(self) -> int:
        return self._member if self._is_gzip else self._at - len(self._text)

    def line(self) -> bytes:
        """Up to and with its end; less at the end of the file."""
        while (end := self._text.find(b"\n")) < 0:
            if len(self._text) > _LONGEST_HEAD or not self._more():
                break
        cut = end + 1 if end >= 0 else len(self._text)
        line, self._text = self._text[:cut], self._text[cut:]
        return line

    def read(self, length: int) -> bytes:
        parts, left = [], length
        while left:
            if not self._text and not self._more():
                raise _BrokenRecord("it is cut off")
            part = self._text[:left]
            parts.append(part)
            left -= len(part)
            self._text = self._text[len(part) :]
        return b"".join(parts)

    def skip(self, length: int) -> None:
        while length:
            if not self._text and not self._more():
                return
            part = min(length, len(self._text))
            self._text = self._text[part:]
            length -= part

    def skip_blank_lines(self) -> None:
        while True:
            self._text = self._text.lstrip(b"\r\n")
            try:
                if self._text or not self._more():
                    return
            except _BrokenRecord:
                return  # the next to read meets it again, and tells it

    def is_at_an_end(self) -> bool:
        """Whether a record can end here: what a cut record is made up with out of its neighbour's
        bytes seldom does."""
        if self._text or self._more():
            return self._text.startswith((b"\r", b"\n", b"WARC/"))
        return True

    def find_next(self) -> bool:
        """Go to where the next record may begin; False when there is none."""
        if not self._is_gzip:
            return self._find(b"WARC/")
        self._text, self._unpack = b"", None
        # A member that is cut off swallows the beginning of the next.
        self._at = self._member + 1
        self._file.seek(self._at)
        self._raw = b""
        return self._find_member()

    def _find(self, mark: bytes) -> bool:
        self._text = self._text[1:]
        while (place := self._text.find(mark)) < 0:
            self._text = self._text[-len(mark) :]
            if not self._more():
                return False
        self._text = self._text[place:]
        return True

    def _find_member(self) -> bool:
        while (place := self._raw.find(_GZIP)) < 0:
            kept = self._raw[-len(_GZIP) + 1 :]
            self._at += len(self._raw) - len(kept)
            self._raw = kept
            if not self._fill():
                return False
        self._at += place
        self._raw = self._raw[place:]
        return True

    def _more(self) -> bool:
        """Add to `_text`; False at the end."""
        if not self._is_gzip:
            if not self._raw and not self._fill():
                return False
            self._at += len(self._raw)
            self._text, self._raw = self._text + self._raw, b""
            return True
        before = len(self._text)
        while len(self._text) == before:
            if not self._raw and not self._fill():
                if self._unpack is not None:
                    self._unpack = None
                    raise _BrokenRecord("it is cut off")
                return False
            self._inflate()
        return True

    def _inflate(self) -> None:
        if self._unpack is None:
            self._unpack = zlib.decompressobj(31)
            self._member = self._at
        try:
            self._text += self._unpack.decompress(self._raw, _CHUNK)
        except zlib.error as error:
            raise _BrokenRecord(f"it cannot be decompressed ({error})") from error
        left = self._unpack.unused_data if self._unpack.eof else self._unpack.unconsumed_tail
        self._at += len(self._raw) - len(left)
        self._raw = left
        if self._unpack.eof:
            self._unpack = None

    def _fill(self) -> bool:
        data = self._file.read(_CHUNK)
        self._raw += data
        return bool(data)


def _unchunked(body: bytes) -> bytes:
    """Without the sizes of its chunks; as it is, when it has none: some writers took them out."""
    parts: list[bytes] = []
    place = 0
    while True:
        end = body.find(b"\n", place)
        size = body[place:end].split(b";")[0].strip() if end >= 0 else b""
        if not _HEX.fullmatch(size):
            return b"".join(parts) if parts else body
        length = int(size, 16)
        if length == 0:
            return b"".join(parts)
        parts.append(body[end + 1 : end + 1 + length])
        place = end + 1 + length
        place += 2 if body[place : place + 2] == b"\r\n" else 1
