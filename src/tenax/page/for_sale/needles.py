"""Which of many short strings does a text hold? All are looked for in one pass.

In C where it was compiled (`native/needles.c`): a hundred searches, or one pattern of a hundred
alternatives, would take longer than parsing the page.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tenax.page import native

# A browser shows neither.
_CODE = re.compile(rb"<script.*?(?=</script|\Z)|<style.*?(?=</style|\Z)", re.DOTALL | re.IGNORECASE)


class Needles:
    """Strings in lower case, of two bytes or more; texts may have ASCII letters of either case."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = tuple(word.encode() for word in words)
        self._compiled: object = None

    def within(self, text: str | bytes) -> list[int]:
        """The places, among the words, of those that the text holds."""
        if native.NATIVE is not None:
            return native.NATIVE.held(self._made(native.NATIVE), text)
        if isinstance(text, str):
            text = text.encode("utf-8", "surrogatepass")
        lower = text.lower()
        return [place for place, word in enumerate(self._words) if word in lower]

    def is_shown(self, body: bytes) -> bool:
        """Whether a page holds any of them outside of its scripts and styles. No word of these may
        have a "<"."""
        if native.NATIVE is not None:
            return native.NATIVE.shown(self._made(native.NATIVE), body)
        lower = _CODE.sub(b"<", body).lower()
        return any(word in lower for word in self._words)

    def _made(self, compiled: native.Native) -> object:
        if self._compiled is None:
            self._compiled = compiled.needles(self._words)
        return self._compiled
