"""Which of these phrases does a text hold? Looked up as plain strings: a pattern of a hundred
alternatives, tried at every letter, would cost more than parsing the page."""

from __future__ import annotations

from collections.abc import Sequence


class ShopPhrases:
    """Phrases in lower case."""

    def __init__(self, *lines: str) -> None:
        self.all: tuple[str, ...] = tuple(
            phrase.strip() for line in lines for phrase in line.split("|")
        )

    def among(self, text: str) -> ShopPhrases | None:
        """Those of them that occur in a long text, to be looked for in its parts; None for none."""
        some = [phrase for phrase in self.all if phrase in text]
        if not some:
            return None
        found = ShopPhrases()
        found.all = tuple(some)
        return found

    def within(self, text: str) -> str:
        """The first of them that a text holds; empty when it holds none."""
        return next((phrase for phrase in self.all if phrase in text), "")


def joined(texts: Sequence[str]) -> str:
    """Many short texts as one, in lower case: a phrase never spans two of them."""
    return "\n".join(texts).lower()
