"""How are lines packed so that an export that was cut off can go on? In whole gzip members or zstd
frames, one behind the other: readers take them for one."""

from __future__ import annotations

import zlib
from typing import Protocol

import zstandard

from tenax.ops.export.places import Packing

_GZIP_LEVEL, _ZSTD_LEVEL = 6, 3
_MEMBER = 31
"""What zlib calls a gzip member with the largest window."""


class _Compressor(Protocol):
    def compress(self, data: bytes, /) -> bytes: ...

    def flush(self) -> bytes: ...


class Packer:
    """Packs bytes as they come. Only behind `end` can be gone on."""

    def __init__(self, packing: Packing) -> None:
        self._packing = packing
        self._open: _Compressor | None = None

    def pack(self, data: bytes) -> bytes:
        if self._packing is Packing.NONE or not data:
            return data
        if self._open is None:
            self._open = _begin(self._packing)
        return self._open.compress(data)

    def end(self) -> bytes:
        """What is left of the member or frame under way."""
        opened, self._open = self._open, None
        return b"" if opened is None else opened.flush()


def _begin(packing: Packing) -> _Compressor:
    if packing is Packing.GZIP:
        return zlib.compressobj(_GZIP_LEVEL, zlib.DEFLATED, _MEMBER)
    return zstandard.ZstdCompressor(level=_ZSTD_LEVEL).compressobj()
