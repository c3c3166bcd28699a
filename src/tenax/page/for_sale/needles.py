"""Which of many short strings does a text hold? All are looked for in one pass.

In C where it was compiled (`native/needles.c`): a hundred searches, or one pattern of a hundred
alternatives, would take longer than parsing the page.
"""

from __future__ import annotations

from collections.abc import Sequence

from tenax.page import native


class Needles:
    """Strings in lower case, of two bytes or more; texts may have ASCII letters of either case."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(word.encode() for word in words)
        self._compiled: object = None

    def within(self, text: str | bytes) -> list[int]:
        """The places, among the words, of those that the text holds."""
        if native.NATIVE is not None:
            return native.NATIVE.held(self.made(native.NATIVE), text)
        if isinstance(text, str):
            text = text.encode("utf-8", "surrogatepass")
        lower = text.lower()
        return [place for place, word in enumerate(self.words) if word in lower]

    def made(self, compiled: native.Native) -> object:
        """They as what is compiled looks for them."""
        if self._compiled is None:
            self._compiled = compiled.needles(self.words)
        return self._compiled
