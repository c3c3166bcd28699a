"""Which words are in a text, and when are two the same? Without case and accents. Pure.

Whoever searches and whatever is searched ask here, so every index finds the same.
"""

from __future__ import annotations

import re
import unicodedata

_WORD = re.compile(r"[^\W_]+")
_LONGEST = 100
"""Characters of a word that count; what is longer is no word."""


def fold(text: str) -> str:
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(c for c in decomposed if not unicodedata.combining(c)).casefold()


def words_of(text: str) -> list[str]:
    """Folded, in order."""
    return [word[:_LONGEST] for word in _WORD.findall(fold(text))]


def spaced(text: str) -> str:
    """The words alone, for an index that cuts at white space."""
    return " ".join(words_of(text))
