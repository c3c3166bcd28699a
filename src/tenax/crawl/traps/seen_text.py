"""Deduplication of texts in bounded memory: was this said before, at this host, in this job?"""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from collections.abc import Iterator

from tenax.model import Page
from tenax.urls.shapes import HASH, kind_of

_PAGES = 1 << 17
_WORDINGS = 1 << 20
"""As twenty thousand pages have: a broad crawl returns to a host after a thousand others."""
_LAST = _WORDINGS - 1
_PLACES = 1 << 17
_FOLDERS = 3
"""Folders of a path, from the left, that may tell one copy of a site from another."""
_COPIES = 12
"""Names in the place of one folder that are taken for copies. More of them are made up."""
_HOSTS = 4_096
_DATED = re.compile(r"/(?:19|20)\d\d/(?:0?[1-9]|1[0-2])(?:/(?:0?[1-9]|[12]\d|3[01]))?/?$")
"""A month or a day of a calendar: another year's is no other version of it."""
_CHANCE = 2
"""Wordings that may be new on a page that says nothing new: a heading tells what was asked for."""


class SeenTexts:
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
            self._pages = array("Q", (0,)) * _PAGES
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
            self._wordings = array("I", (0,)) * _WORDINGS
        # What another host said stands in another place. Small numbers are faster to reckon with.
        known, place = self._wordings, hash(host) & _LAST
        fresh = [wording for wording in page.sketch if known[(wording ^ place) & _LAST] != wording]
        for wording in fresh:
            known[(wording ^ place) & _LAST] = wording
        return len(fresh) <= max(_CHANCE, self._new_text * len(page.sketch))


class Originals:
    """Where pages stood that said something: the same path below another folder is a copy.

    Documentation of six versions is there six times, and whoever crawls it wants it six times. It
    brings little that is new, and has an end all the same: as many pages as there are originals.
    """

    def __init__(self) -> None:
        self._places = array("Q")
        self._folders: defaultdict[tuple[str, int], set[str]] = defaultdict(set)

    def remember(self, host: str, path: str) -> None:
        """This page said something new."""
        if not self._places:
            self._places = array("Q", (0,)) * _PLACES
        for _, _, mark in _other_places(host, path):
            self._places[mark % _PLACES] = mark

    def has(self, host: str, path: str) -> bool:
        """Whether a page that said something stands at this path, but for one folder's name."""
        if not self._places or _DATED.search(path):
            return False
        for depth, folder, mark in _other_places(host, path):
            if self._places[mark % _PLACES] != mark or kind_of(folder) == HASH:
                continue
            if len(self._folders) >= _HOSTS:
                self._folders.clear()
            copies = self._folders[host, depth]
            if folder in copies or len(copies) < _COPIES:
                copies.add(folder)
                return True
        return False


def _other_places(host: str, path: str) -> Iterator[tuple[int, str, int]]:
    """Each of its folders, with a mark for the path without it."""
    if "?" in path:
        return
    start = path.find("/") + 1
    for depth in range(1, _FOLDERS + 1):
        end = path.find("/", start)
        if end < 0:
            return
        rest = path[:start] + path[end + 1 :]
        yield depth, path[start:end], hash((host, depth, rest)) & (1 << 64) - 1
        start = end + 1
