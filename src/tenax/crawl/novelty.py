"""Was this said before? What a job remembers of the texts it has read."""

from __future__ import annotations

from array import array

from tenax.model import Page

_PAGES = 1 << 17
_WORDINGS = 1 << 20
"""As twenty thousand pages have: a broad crawl returns to a host after a thousand others."""
_LAST = _WORDINGS - 1
_CHANCE = 2
"""Wordings that may be new on a page that says nothing new: a heading tells what was asked for."""


class Seen:
    """Texts and wordings that were there before. Bounded: what is forgotten is new again."""

    def __init__(self, new_text: float) -> None:
        """A page with no larger share of new wordings than this says nothing new."""
        self._new_text = new_text
        self._pages = array("Q")
        self._wordings = array("I")

    def page(self, host: str, page: Page) -> bool:
        """Whether this text was there at this host under this title; from now on it was."""
        if not page.content_hash:
            return False
        if not self._pages:
            self._pages = array("Q", bytes(8 * _PAGES))
        place = hash((host, page.title)) & (1 << 64) - 1
        mark = int.from_bytes(page.content_hash[:8], "little") ^ place
        was_there = self._pages[mark % _PAGES] == mark
        self._pages[mark % _PAGES] = mark
        return was_there

    def wordings(self, host: str, page: Page) -> bool:
        """Whether hardly a wording of the page is new at its host; from now on none is."""
        if not page.sketch:
            return False
        if not self._wordings:
            self._wordings = array("I", bytes(4 * _WORDINGS))
        # What another host said stands in another place.
        known, place = self._wordings, hash(host)
        fresh = [wording for wording in page.sketch if known[(wording ^ place) & _LAST] != wording]
        for wording in fresh:
            known[(wording ^ place) & _LAST] = wording
        return len(fresh) <= max(_CHANCE, self._new_text * len(page.sketch))
