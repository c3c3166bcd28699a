"""Which part of a text is shown, and what in it was looked for? Plain text with places. Pure."""

from __future__ import annotations

from msgspec import Struct

from tenax.page.wording import WORD, fold
from tenax.ports.search import Query

_LENGTH = 240
_SEARCHED = 100_000
"""Characters of a text that are looked through for what to show."""


class SnippetPiece(Struct, frozen=True):
    """A stretch of text; those that were looked for are marked."""

    text: str
    is_match: bool = False


def snippet(text: str, query: Query, length: int = _LENGTH) -> tuple[SnippetPiece, ...]:
    """The part of the text with most of the words, on one line, as it stands there."""
    plain = " ".join(text[:_SEARCHED].split())
    wanted = {word for words in query.all_of for word in words.words}
    places = [m.span() for m in WORD.finditer(plain) if fold(m[0]) in wanted] if wanted else []
    start = _best(places, length)
    end = min(len(plain), start + length)
    start, end = _at_words(plain, start, end)
    inside = _joined([(a, b) for a, b in places if start <= a and b <= end])
    pieces = [SnippetPiece("… ")] if start else []
    at = start
    for first, last in inside:
        pieces += [SnippetPiece(plain[at:first]), SnippetPiece(plain[first:last], is_match=True)]
        at = last
    pieces += [SnippetPiece(plain[at:end]), SnippetPiece(" …" if end < len(plain) else "")]
    return tuple(piece for piece in pieces if piece.text)


def _joined(places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Words without a space between them, as in Chinese, are marked as one."""
    found: list[tuple[int, int]] = []
    for start, end in places:
        if found and found[-1][1] == start:
            found[-1] = found[-1][0], end
        else:
            found.append((start, end))
    return found


def _best(places: list[tuple[int, int]], length: int) -> int:
    """Where a window sees most matches, the first of those."""
    best, most = 0, 0
    for number, (start, _) in enumerate(places):
        seen = sum(1 for _, end in places[number : number + 50] if end <= start + length * 3 // 4)
        if seen > most:
            best, most = start, seen
    return max(0, best - length // 4) if most else 0


def _at_words(text: str, start: int, end: int) -> tuple[int, int]:
    """Not in the middle of a word, unless that is very long."""
    if start and (space := text.find(" ", start, start + 40)) >= 0:
        start = space + 1
    if end < len(text) and (space := text.rfind(" ", end - 40, end)) > start:
        end = space
    return start, end
