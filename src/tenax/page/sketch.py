"""Is what a page says new? Hashes of some of its wordings: what pages share, they share here.

A SimHash tells whether two whole texts are nearly the same. A list of products in another order,
or another choice of them, is no such pair, and still says nothing new: this tells.
"""

from __future__ import annotations

from zlib import crc32

_WINDOW = 512
"""Bytes at the beginning and in the middle of a text that speak for all of it."""
_SHORTEST = 4
_FIGURES = b"0123456789"


def sketch(bare: bytes) -> tuple[int, ...]:
    """Hashes of pieces of about two words, from UTF-8 without white space. Empty for no text.

    Pieces end where a certain letter stands, so the same words give the same pieces wherever they
    stand. Figures do not count: dates and counters change by themselves.
    """
    if len(bare) > 2 * _WINDOW:
        middle = len(bare) // 2
        bare = bare[:_WINDOW] + b"\n" + bare[middle : middle + _WINDOW]
    pieces = bare.translate(_CUTTING, _FIGURES).split(b"\n")
    return tuple({crc32(piece) for piece in pieces if len(piece) >= _SHORTEST})


def _cutting() -> bytes:
    """Lower-cases, and cuts at letters that many languages have, and at some of the bytes that
    scripts other than Latin are made of."""
    table = bytearray(bytes(range(256)).lower())
    for byte in (*b"bpmwf", *b"BPMWF", *range(0x80, 0xC0, 8)):
        table[byte] = b"\n"[0]
    return bytes(table)


_CUTTING = _cutting()
