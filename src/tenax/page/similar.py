"""Do two pages say nearly the same? A 64-bit SimHash of the main text, and how to find its like.

Every page pays for this, so its words are not told apart. The text, without white space and
figures, is cut at certain letters, and the pieces are the features: a changed word changes those
it lies in and no others, as with shingles of three words, at a small part of the cost, and texts
whose words touch are no worse off. Of a long text a sample is enough: it is cut at rarer letters,
and what follows next to each cut speaks for the rest. `bench/similar.py` measures all this.
"""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Iterable
from operator import itemgetter
from zlib import crc32

from tenax.page import native
from tenax.page.rules import ENOUGH_PIECES, LEAST_TEXT, MOST_FEATURES, MULTIPLIER, PIECE_WINDOW

BITS = 64
BANDS = 4
MOST_DISTANCE = BANDS - 1
"""Of two hashes no further apart than this, one of the four bands is the same."""

_FIGURES = b"0123456789"
_CUT = b"\n"
_LONG = (65_536, 24_576)
"""Bytes from which a text is cut first by the first table, and by the second."""
_ALL = (1 << BITS) - 1
_REST = (1 << (BITS - BITS // BANDS)) - 1
_UNSIGNED, _SIGNED = struct.Struct("<Q"), struct.Struct("<q")
_PLACES = tuple(range(8, 0, -8 // BANDS))
_beginning = itemgetter(slice(PIECE_WINDOW))


def simhash(bare: bytes) -> int | None:
    """64 bits that differ little for texts that differ little; None for too little text.

    `bare` is UTF-8 without white space (`text.bare`). Figures do not count, since dates,
    counters and prices change by themselves, unless the text is made of them.
    """
    tables = _tables(len(bare))
    if native.NATIVE is not None:
        return native.NATIVE.simhash(bare, tables, _DENSE, _OF_FIGURES)
    # Each pass over a text costs as much as hashing its pieces: it is cut and rid of its figures
    # in one, and none of what is made on the way has a name.
    pieces = bare.translate(tables[0], _FIGURES)
    figures = _FIGURES if len(pieces) * 4 >= len(bare) * 3 else b""
    if (len(pieces) if figures else len(bare)) < LEAST_TEXT:
        return None
    features = set(map(crc32, _features(bare, tables, pieces if figures else None, figures)))
    return _majority(
        sorted(features)[:MOST_FEATURES] if len(features) > MOST_FEATURES else features
    )


def distance(one: int, other: int) -> int:
    """In how many bits they differ; both turned alike, or neither."""
    return ((one ^ other) & _ALL).bit_count()


def turns(hashed: int) -> tuple[int, ...]:
    """The hash turned to begin with each of its bands, as signed numbers, which databases have.

    The first of them is the hash itself.
    """
    twice = _UNSIGNED.pack(hashed & _ALL) * 2
    return tuple([_SIGNED.unpack_from(twice, place)[0] for place in _PLACES])


def reach(turned: int) -> tuple[int, int]:
    """From where to where stands what has the leading band in common with a turned hash; the
    nearer to it, the more bits are the same. What is at most three bits away is within the reach
    of one of the four turns."""
    return turned & ~_REST, turned | _REST


def unsigned(turned: int) -> int:
    return turned & _ALL


def _tables(size: int) -> tuple[bytes, ...]:
    """By what a text of so many bytes is cut, until there are enough pieces."""
    return _SPARSE[sum([size < least for least in _LONG]) :]


def _features(
    bare: bytes, tables: tuple[bytes, ...], cut: bytes | None, figures: bytes
) -> Iterable[bytes]:
    """The pieces of a text without these figures; `cut` is it by the first table, if that is
    known already."""
    for table in tables:
        if cut is None:
            cut = bare.translate(table, figures)
        pieces = cut.split(_CUT)
        if len(pieces) >= ENOUGH_PIECES:
            return map(_beginning, pieces)
        cut = None
    # Of a short text every letter counts, or two pages would be one for what they share.
    return bare.translate(_DENSE if figures else _OF_FIGURES, figures).split(_CUT)


def _majority(features: set[int] | list[int]) -> int:
    """The bits that more than half of the features have set.

    All features are one long number, which a multiplication gives 32 more bits each. Half of it
    is added to the other half until one feature's width is left, in binary counters that lie
    across: the nth number has the nth digit of all counts. So no bit is counted by itself.
    """
    count = len(features)
    lanes = int.from_bytes(array("I", features).tobytes(), sys.byteorder)
    even, odd = lanes & _EVEN, lanes >> BITS // 2 & _EVEN
    even |= (even * MULTIPLIER & _MIDDLE) << BITS // 4
    odd |= (odd * MULTIPLIER & _MIDDLE) << BITS // 4
    digits = [even ^ odd, even & odd]
    for fold in range(((count + 1) // 2 - 1).bit_length() - 1, -1, -1):
        width, low = BITS << fold, _LOW[fold]
        added = []
        carry = 0
        for digit in digits:
            other = digit >> width
            digit &= low
            differ = digit ^ other
            added.append(differ ^ carry)
            carry = digit & other | differ & carry
        digits = [*added, carry]
    return _exceeding(count // 2, digits)


def _exceeding(most: int, digits: list[int]) -> int:
    """The bits whose counts are higher than this; the lowest digit of all counts comes first."""
    higher = 0
    for place, digit in enumerate(digits):
        higher = digit & higher if most >> place & 1 else digit | higher
    return higher


def _cutting(letters: bytes, step: int) -> bytes:
    """A table that lower-cases and cuts at these letters, and at every `step`th of the bytes that
    scripts other than Latin are mostly made of."""
    table = bytearray(bytes(range(256)).lower())
    for byte in (*letters, *letters.upper(), *range(0x80, 0xC0, step)):
        table[byte] = _CUT[0]
    return bytes(table)


# Letters that most languages have, and none has often; the first ones stand in few names of
# months and days, which change on pages that otherwise don't.
_SPARSE = (_cutting(b"qz", 64), _cutting(b"jqxz", 64), _cutting(b"g", 32), _cutting(b"gv", 16))
_DENSE = _cutting(b"bpmwf", 8)
# Where figures are the text they are cut, too: tables have few letters, and mostly the same.
_OF_FIGURES = _cutting(b"bpmwf37", 8)
_EVEN = int.from_bytes((b"\xff" * 4 + b"\0" * 4) * (MOST_FEATURES // 2), "little")
# Of a product, the lowest bits depend on too little, and the highest are seldom set.
_MIDDLE = int.from_bytes((b"\0" * 2 + b"\xff" * 4 + b"\0" * 2) * (MOST_FEATURES // 2), "little")
_LOW = tuple((1 << (BITS << fold)) - 1 for fold in range((MOST_FEATURES // 2).bit_length()))
