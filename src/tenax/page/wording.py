"""Which words are in a text, and when are two the same? Without case and accents. Pure.

Whoever searches and whatever is searched ask here, so every index finds the same.
"""

from __future__ import annotations

import re
import unicodedata

# Scripts that write no spaces: each character counts as a word, and several as a phrase, so that
# what is looked for is found wherever it stands.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
WORD = re.compile(rf"(?:(?![\W_])[{_UNSPACED}])|[^\W_{_UNSPACED}]+")
# No accents: what tells Japanese sounds apart.
_NO_ACCENTS = (0, 8)
_LONGEST = 100
"""Characters of a word that count; what is longer is no word."""


def fold(text: str) -> str:
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text)
    bare = "".join(c for c in decomposed if unicodedata.combining(c) in _NO_ACCENTS).casefold()
    return unicodedata.normalize("NFC", bare)


def words_of(text: str) -> list[str]:
    """Folded, in order."""
    return [word[:_LONGEST] for word in WORD.findall(fold(text))]


def spaced(text: str) -> str:
    """The words alone, for an index that cuts at white space."""
    return " ".join(words_of(text))
