"""Which of these phrases does a text hold? A pattern of a hundred alternatives, tried at every
letter, would cost more than parsing the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tenax.page.for_sale.needles import Needles

_FEW: Final = 8
"""Up to so many are looked for one by one."""


class ShopPhrases:
    """Phrases in lower case."""

    def __init__(self, *lines: str) -> None:
        self.all: tuple[str, ...] = tuple(
            phrase.strip() for line in lines for phrase in line.split("|")
        )
        self._known = frozenset(self.all)
        self._needles = Needles(self.all)

    def held(self, text: str) -> set[str]:
        """Those that a text holds."""
        return {self.all[place] for place in self._needles.within(text)}

    def lines_within(self, text: str, held: set[str] | None = None) -> list[int]:
        """Which lines of a long text, in lower case, hold any of them; `held` are those that it
        holds, where that is known."""
        found = set()
        for phrase in self.held(text) if held is None else held & self._known:
            start = line = 0
            while (at := text.find(phrase, start)) >= 0:
                line += text.count("\n", start, at)
                found.add(line)
                end = text.find("\n", at)
                start = end if end >= 0 else len(text)
        return sorted(found)

    def within(self, text: str) -> str:
        """The first of them that a text holds; empty when it holds none."""
        if len(self.all) <= _FEW:
            return next((phrase for phrase in self.all if phrase in text), "")
        found = self._needles.within(text)
        return self.all[found[0]] if found else ""


def joined(texts: Sequence[str]) -> str:
    """Many short texts as one, in lower case: a phrase never spans two of them."""
    return "\n".join(texts).lower()
