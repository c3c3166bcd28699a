"""Is what a page says new? Hashes of some of its wordings: what pages share, they share here.

A SimHash tells whether two whole texts are nearly the same. A list of products in another order,
or another choice of them, is no such pair, and still says nothing new: this tells.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations
from zlib import crc32

from tenax.page import native

_WINDOW = 800
"""Characters at the beginning, in the middle and at the end of a text that speak for all of it."""
_SHORTEST = 4
_MOST = 48
"""Of more hashes the lowest: two texts that share many wordings share many of those."""
_FIGURES = b"0123456789"
_UNHEARD = _FIGURES + b" \t\r\f\v"
_TIMES = re.compile(
    rb"\d{1,4}([-/.])\d{1,2}\1\d{1,4}|\d{1,2}:\d\d(?::\d\d)?"
    rb"|(?:19|20)\d\d[-/.]\d{1,2}(?!\d)|\d{1,2}[-/.](?:19|20)\d\d(?!\d)"
)
"""Dates, months and hours."""
_MANY, _SOME = 2, 12
"""Bytes of other text for one of figures, at most: in tables, and where there are more than in
prose."""
_WORDS = re.compile(rb"[a-zA-Z\x80-\xff]+")
_LABELLED = re.compile(rb"([a-zA-Z\x80-\xff]{1,24})\W{0,4}(\d+[.,]\d+)(?!\d|\.|[,:/-]\d)")
_NUMBERS = re.compile(rb"\d+(?:[.,]\d+)*")


def sketch(written: bytes) -> tuple[int, ...]:
    """Hashes of pieces of about five words of a text in UTF-8, in order; empty for no text.

    Pieces end at a new line, and where a certain letter stands, so the same words give the same
    pieces wherever they stand. Figures do not count, since dates and counters change by themselves,
    unless the text is made of them: then they are what it has to say.
    """
    found, figures, heard = _wordings(written)
    if figures * _SOME < heard:
        return found
    readings = _rows if figures * _MANY >= heard else _labelled
    told = {crc32(reading) for reading in readings(_TIMES.sub(b" ", _sample(written)))}
    return tuple(sorted(told.union(found))[:_MOST])


def _wordings(written: bytes) -> tuple[tuple[int, ...], int, int]:
    """The lowest hashes, how many figures there are, and how many bytes are heard besides."""
    if native.NATIVE is not None:
        return native.NATIVE.sketch(written, _CUTTING)
    sample = _sample(written)
    heard = sample.translate(_CUTTING, _UNHEARD)
    hashes = {crc32(piece) for piece in heard.split(b"\n") if len(piece) >= _SHORTEST}
    figures = len(sample) - len(sample.translate(None, _FIGURES))
    return tuple(sorted(hashes)[:_MOST]), figures, len(heard)


def _sample(written: bytes) -> bytes:
    """A text, or the beginning, middle and end of a long one on lines of their own."""
    if len(written) <= 3 * _WINDOW or len(text := written.decode()) <= 3 * _WINDOW:
        return written
    middle = len(text) // 2
    parts = (text[:_WINDOW], text[middle : middle + _WINDOW], text[-_WINDOW:])
    return "\n".join(parts).encode()


def _rows(text: bytes) -> Iterator[bytes]:
    """Of a table: every three numbers without a word between them, but for those that count on by
    one, as days of a calendar and pages of a list do."""
    for row in _WORDS.split(text):
        numbers = _NUMBERS.findall(row)
        for three in zip(numbers, numbers[1:], numbers[2:], strict=False):
            whole = [int(number) for number in three if number.isdigit()]
            if not any(abs(one - other) <= 1 for one, other in combinations(whole, 2)):
                yield b" ".join(three)


def _labelled(text: bytes) -> Iterator[bytes]:
    """Of some measurements: decimals, each with the word before it. What is counted is whole, and
    a known thing that is listed again has its known price."""
    for label, number in _LABELLED.findall(text):
        whole, part = number.replace(b",", b".").split(b".")
        if len(part) != 2 or int(whole) > 31 or int(part) > 59:  # or else 17.11 or 10.30
            yield label.lower() + b" " + number


def _cutting() -> bytes:
    """Lower-cases, and cuts at letters that many languages have, and at some of the bytes that
    scripts other than Latin are made of."""
    table = bytearray(bytes(range(256)).lower())
    for byte in (*b"bpBP", *range(0x80, 0xC0, 16)):
        table[byte] = b"\n"[0]
    return bytes(table)


_CUTTING = _cutting()
