"""Which links of a page turn to the next pages of the same list, by what they say of themselves?

A URL alone tells it where its number has a name (`urls.paging`). Of the others that differ from
the page's own URL in one place only, the anchor is looked up in the source: it says "next" in some
language, or a number that the URL agrees with. Few pages have any link of that kind, so few are
searched; and there is one way for all of them, with a tree or without.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tenax.page import native
from tenax.page.links import FoundLinks
from tenax.page.pager.anchors import said_of
from tenax.urls.normalise import origin_of, resolve, resolve_all
from tenax.urls.paging import (
    LONGEST_INSERTED,
    NEXT,
    PageTurn,
    agrees,
    may_agree,
    place_of,
    stem_of,
    turn_of,
    turns,
)

_MOST_LOOKED_UP = 30
_LONG_NAME = 4
_SECOND = 2
_FIRST_FEW = 3
"""A row of numbers that begins higher is one of years, versions or sizes."""


class Pager(NamedTuple):
    onward: str = ""
    """The link to the next page, as it stands among the links."""
    turned: frozenset[str] = frozenset()
    """Links to later pages that only their anchors tell from others."""


def find_pager(url: str, base: str, found: FoundLinks, body: bytes, charset: str) -> Pager:
    """What turns a page at `url`, which has these links."""
    if url.find("/", len("https://")) < 0:
        return Pager()
    here = _Here(url, base)
    near = [*here.near(found.links)]
    if found.onward and found.onward not in {link.href for link in near}:
        near += filter(None, [here.follows(found.onward)])
    if not near:
        return Pager()
    known = [link for link in near if turns(here.path, link.path)]
    says = {link.href: NEXT for link in near if link.href == found.onward}
    asked = [link.href for link in near if link not in known and link.href not in says]
    says |= said_of(asked[:_MOST_LOOKED_UP], body, charset)
    believed = _believed([link for link in near if link.href in says], says)
    if not believed and not known:
        return Pager()
    following = [link for link in believed if says[link.href] == NEXT] or [*known, *believed]
    counted = {link.turn.new for link in following}
    if 1 in counted and 2 in counted and 0 not in counted:
        one = next(link.href for link in following if link.turn.new == 1)
        if (says | said_of([one], body, charset)).get(one) != _SECOND:
            # Pages are counted from 1 on, and that is where we are.
            following = [link for link in following if link.turn.new != 1]
    # Who counts from 0 on calls the page by that on which we are.
    following = [link for link in following if link.turn.new != 0]
    onward = min(following, key=lambda link: link.turn.new or 0).href if following else ""
    return Pager(onward, frozenset(link.href for link in believed))


class _Near(NamedTuple):
    """A link that differs from the page's own URL in one place."""

    href: str
    path: str
    turn: PageTurn


class _Here:
    """The page whose links are looked at."""

    def __init__(self, url: str, base: str) -> None:
        self._base = base
        self._origin = origin_of(url)
        self.path = url[len(self._origin) :]
        self._stem = self._origin + stem_of(self.path)
        name = self.path.partition("?")[0].rpartition("/")[2]
        self._named = f"={name}&" if len(name) >= _LONG_NAME else "\n"
        """How a script is told that it shall show this page."""

    def near(self, links: tuple[str, ...]) -> Iterator[_Near]:
        """Those that differ in one place only."""
        could = self._counting(links)
        if not could:
            return  # as on most pages: where links start from is not even looked at
        for href, url in zip(could, resolve_all(could, self._base), strict=True):
            if url is None or not (url.startswith(self._stem) or self._is_shown_by(url)):
                continue
            path = url[len(self._origin) :]
            turn = turn_of(self.path, path)
            if turn is not None and may_agree(turn):
                yield _Near(href, path, turn)

    def _is_shown_by(self, url: str) -> bool:
        return self._named in url and url.startswith(f"{self._origin}/")

    def follows(self, href: str) -> _Near | None:
        """A link that leads on, as it says itself, to a numbered page of some list."""
        if not href or (_NAMES_NO_NUMBER.fullmatch(href) and "=" not in self._base):
            return None
        url = resolve(href, self._base)
        if url is None or not url.startswith(f"{self._origin}/"):
            return None
        place = place_of(url[len(self._origin) :])
        if place is None:
            return None
        turn = PageTurn(place.key, None, place.number, is_exact=False, is_named=True)
        return _Near(href, url[len(self._origin) :], turn)

    def _counting(self, links: tuple[str, ...]) -> list[str]:
        """Nearly all links lead elsewhere, or to a URL in which nothing is counted."""
        stem, named = self._stem, self._named
        starts = (stem[len(self._origin) :], stem, stem[stem.index("/") :])
        longest = len(self.path) + LONGEST_INSERTED
        whole = longest + len(self._origin)
        if native.NATIVE is not None:
            return native.NATIVE.counting(links, starts, named, longest, whole)
        # Asked of every link of every page: what is cheap comes first, and nothing is called.
        return [
            href
            for href in links
            if ("?" in href or len(href) <= (whole if href[0] == "h" else longest))
            and (
                href.startswith(starts)
                or href[0] not in "/h"
                or (href[0] == "h" and href[:4] != "http")
                or not href.isascii()
                or named in href
            )
            and _COUNTS.search(href)
        ]


def _believed(asked: Iterable[_Near], says: dict[str, int]) -> list[_Near]:
    """Those whose URL agrees with what their anchors say. A row of numbers has to begin where
    pages begin, or to stand beside a link that says "next"."""
    agreed = [link for link in asked if agrees(link.turn, says[link.href])]
    is_row = min((says[link.href] for link in agreed), default=0) <= _FIRST_FEW
    return [link for link in agreed if link.turn.is_later and (is_row or link.turn.is_named)]


_COUNTS = re.compile(r"[0-9=]")
# A file beside the page, or below: whatever its folders are, no number stands at the end.
_NAMES_NO_NUMBER = re.compile(r"[a-z][a-z/_-]*[a-z_-](?:\.[a-z]+)?", re.ASCII | re.IGNORECASE)
