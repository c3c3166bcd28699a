"""Is what a page says new? Hashes of some of its wordings: what pages share, they share here.

A SimHash tells whether two whole texts are nearly the same. A list of products in another order,
or another choice of them, is no such pair, and still says nothing new: this tells.
"""

from __future__ import annotations

from zlib import crc32

_WINDOW = 800
"""Characters at the beginning, in the middle and at the end of a text that speak for all of it."""
_SHORTEST = 4
_MOST = 48
"""Of more hashes the lowest: two texts that share many wordings share many of those."""
_UNHEARD = b"0123456789 \t\r\f\v"


def sketch(text: str) -> tuple[int, ...]:
    """Hashes of pieces of about five words. Empty for no text.

    Pieces end at a new line, and where a certain letter stands, so the same words give the same
    pieces wherever they stand. Figures do not count: dates and counters change by themselves.
    """
    if len(text) > 3 * _WINDOW:
        middle = len(text) // 2
        parts = (text[:_WINDOW], text[middle : middle + _WINDOW], text[-_WINDOW:])
        text = "\n".join(parts)
    pieces = text.encode("utf-8", "replace").translate(_CUTTING, _UNHEARD).split(b"\n")
    hashes = {crc32(piece) for piece in pieces if len(piece) >= _SHORTEST}
    return tuple(hashes if len(hashes) <= _MOST else sorted(hashes)[:_MOST])


def _cutting() -> bytes:
    """Lower-cases, and cuts at letters that many languages have, and at some of the bytes that
    scripts other than Latin are made of."""
    table = bytearray(bytes(range(256)).lower())
    for byte in (*b"bpBP", *range(0x80, 0xC0, 16)):
        table[byte] = b"\n"[0]
    return bytes(table)


_CUTTING = _cutting()
