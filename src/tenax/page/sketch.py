"""Is what a page says new? Hashes of some of its wordings: what pages share, they share here.

A SimHash tells whether two whole texts are nearly the same. A list of products in another order,
or another choice of them, is no such pair, and still says nothing new: this tells.
"""

from __future__ import annotations

import re
import struct
from array import array
from collections.abc import Collection, Iterable, Iterator
from string import punctuation
from zlib import crc32

from tenax.page import native
from tenax.page.rules import (
    LONGEST_PHRASE,
    MOST_WORDINGS,
    SAYS_BITS,
    SAYS_FIGURES,
    SAYS_PROSE,
    SAYS_WORDS,
    SHORTEST_WORD,
    SHORTEST_WORDING,
)

_WINDOW = 800
"""Bytes at the beginning, in the middle and at the end of a text that speak for all of it."""
_MARKS = punctuation.encode()
_GAPS = re.compile(rb"[ \t\r\f\v]+|(?<=[A-Za-z\x80-\xff])[-_+](?=[A-Za-z\x80-\xff])")
"""Words that are joined, as in the name of a file, are as many as they are."""
_UNHEARD = b"0123456789 \t\r\f\v"
_FIGURE = re.compile(rb"[0-9]")
_MOMENT = re.compile(rb"[0-9.:/tz-]*:[0-9.:/tz-]*|[0-9./-]*[/-][0-9./-]*|[0-9]+(?:\.[0-9]*){2,}")
"""A date or a time of day: it changes by itself."""


def sample(written: bytes) -> bytes:
    """A text in UTF-8, or the beginning, middle and end of a long one on lines of their own."""
    if len(written) <= 3 * _WINDOW:
        return written
    # From a word's beginning to a word's end: half a word would be one that nobody has said.
    starts = (0, written.find(b" ", len(written) // 2) + 1, written.find(b" ", -_WINDOW) + 1)
    parts = (written[start : start + _WINDOW].rpartition(b" ")[0] for start in starts[:2])
    return b"\n".join((*parts, written[starts[2] :][-_WINDOW:]))


def sketch(sampled: bytes, own: bytes = b"") -> bytes:
    """Hashes of what the sample of a text says, in order, four bytes each; empty for no text.

    Words with figures count each by itself (a price, a number of an article), and so do all words
    of a short line: what is made of a few words, as names of months and filters are, is soon known
    however it is combined. Longer lines are heard in pieces of about five words, which end where a
    certain letter stands, so the same words give the same pieces wherever they stand. Of numbers
    in a row every three count together, too: a table of measurements has no other words. Words of
    which the hash is among `own` are not heard. `figures` and `prose` tell the three apart.
    """
    if native.NATIVE is not None:
        return native.NATIVE.sketch(sampled, _CUTTING, own)
    said: set[int] = set()
    row: list[int] = []
    unheard = frozenset(unpack(own))
    for line in sampled.split(b"\n"):
        said.update(_heard(line, unheard, row))
    return pack(sorted(said)[:MOST_WORDINGS])


def heard_first(known: array[int], hashes: bytes, place: int) -> bytes:
    """Those that are not known yet: from now on they are. Each has its place in an array of which
    the length is a power of two, moved by `place`; the last two bits of many are the same."""
    if native.NATIVE is not None:
        return native.NATIVE.heard_first(known, hashes, place)
    last = len(known) - 1
    first = [n for n in unpack(hashes) if known[(n >> 2 ^ place) & last] != n]
    for wording in first:
        known[(wording >> 2 ^ place) & last] = wording
    return pack(first)


def figures(hashes: bytes) -> int:
    """How many of these are words with figures, or rows of numbers."""
    return len(of_kind(hashes, SAYS_FIGURES)) // EACH


def prose(hashes: bytes) -> bytes:
    """Those that are pieces of longer lines."""
    return of_kind(hashes, SAYS_PROSE)


def of_kind(hashes: bytes, kind: int) -> bytes:
    if native.NATIVE is not None:
        return native.NATIVE.of_kind(hashes, kind)
    return pack([wording for wording in unpack(hashes) if wording & SAYS_BITS == kind])


def word_hash(word: str) -> int:
    """What a single word is, by which `own` names it."""
    return crc32(word.encode("utf-8", "replace").lower())


EACH = 4
"""Bytes of a hash."""


def pack(hashes: Iterable[int]) -> bytes:
    some = tuple(hashes)
    return struct.pack(f"<{len(some)}I", *some)


def unpack(packed: bytes) -> list[int]:
    return [*struct.unpack(f"<{len(packed) // EACH}I", packed)]


def _heard(line: bytes, own: Collection[int], row: list[int]) -> Iterator[int]:
    """`row` has the last numbers, while no word stands between them."""
    words = [(spelled, spelled.strip(_MARKS).lower()) for spelled in _GAPS.split(line) if spelled]
    kept = b"".join([spelled + b" " for spelled, word in words if crc32(word) not in own])
    is_phrase = len(kept) <= LONGEST_PHRASE
    for _, word in words:
        hashed, has_figures = crc32(word), bool(_FIGURE.search(word))
        if has_figures and _MOMENT.fullmatch(word):
            continue
        is_number = word[:1].isdigit()
        if not is_number and (has_figures or len(word) >= SHORTEST_WORD):
            row.clear()
        if hashed in own:
            continue
        if has_figures or (is_phrase and len(word) >= SHORTEST_WORD):
            yield _of_class(hashed, SAYS_FIGURES if has_figures else SAYS_WORDS)
        if is_number:
            row.append(hashed)
            if len(row) > 2:
                yield _of_class(crc32(pack(row[-3:])), SAYS_FIGURES)
    if not is_phrase:
        for piece in kept.translate(_CUTTING, _UNHEARD).split(b"\n"):
            if len(piece) >= SHORTEST_WORDING:
                yield _of_class(crc32(piece), SAYS_PROSE)


def _of_class(hashed: int, kind: int) -> int:
    return hashed & ~SAYS_BITS | kind


def _cutting() -> bytes:
    """Lower-cases, and cuts at letters that many languages have, and at some of the bytes that
    scripts other than Latin are made of."""
    table = bytearray(bytes(range(256)).lower())
    for byte in (*b"bpBP", *range(0x80, 0xC0, 16)):
        table[byte] = b"\n"[0]
    return bytes(table)


_CUTTING = _cutting()
