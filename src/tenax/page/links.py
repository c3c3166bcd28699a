"""Which links does a page have that a crawl could follow?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator
from functools import lru_cache
from itertools import islice
from operator import methodcaller
from typing import NamedTuple

from tenax.page import native
from tenax.page.markings import Markings, Tagged

MOST_LINKS = 1_000
"""Links taken per page, in document order (URL-7)."""

_WHITE_SPACE = "\t\n\f\r "
_stripped = methodcaller("strip", _WHITE_SPACE)
_DROPPED_SCHEMES = frozenset({"about", "blob", "data", "javascript", "mailto", "sms", "tel"})
_WEB = ("http://", "https://")
_UNFOLLOWED = frozenset({"nofollow", "sponsored", "ugc"})
_PAGE_RELATIONS = frozenset({"canonical", "next", "prev", "previous"})
_PAGE_TYPES = frozenset({"", "application/xhtml+xml", "text/html"})
FEED_TYPES = frozenset({
    "application/atom+xml", "application/feed+json", "application/rss+xml", "text/rss+xml",
})  # fmt: skip
_MOST_FEEDS = 10
_MOST_FRAMES = 50
_LONGEST_REL = 200


class Relations(NamedTuple):
    """What the words of one rel attribute mean to a crawl."""

    page: bool = False
    """A page for certain: canonical, next, prev."""
    alternate: bool = False
    """A page in another form; its type says whether that is a page at all."""
    canonical: bool = False
    nofollow: bool = False
    licence: bool = False
    onward: bool = False
    """The next page of what this one is a part of."""


class FoundLinks(NamedTuple):
    links: tuple[str, ...]
    unfollowed: frozenset[str]
    """Links that every occurrence asks not to follow."""
    canonical: str
    """The raw href of the first rel=canonical."""
    licences: tuple[str, ...]
    """The raw hrefs of rel=license, on links and anchors alike."""
    feeds: tuple[str, ...]
    """The raw hrefs of the first few alternates that are feeds."""
    onward: str = ""
    """The first link with rel=next, as it stands among the links."""
    framed: tuple[str, ...] = ()
    """What is shown within the page, in frames: each once, as links are."""


def find_links(page: Markings) -> FoundLinks:
    """Links without fragment, each once; followable when one of its occurrences is (PAGE-3)."""
    canonicals: list[str] = []
    licences: list[str] = []
    feeds: list[str] = []
    onward: list[str] = []
    spelled = [*_page_links(page, canonicals, licences, feeds, onward)]
    spelled += page.targets()
    asked = _asked_not_to_follow(page, licences, onward)
    links = _distinct(spelled)
    unfollowed = frozenset[str]()
    if asked:
        named = _times_named(spelled, asked)
        unfollowed = frozenset(
            href for href in asked.keys() & links if asked[href] >= named.get(href, 0) > 0
        )
    canonical = canonicals[0] if canonicals else ""
    leads_on = onward[0] if onward else ""
    framed = _distinct([*_framed(page)])
    return FoundLinks(links, unfollowed, canonical, tuple(licences), tuple(feeds), leads_on, framed)


def _framed(page: Markings) -> Iterator[str]:
    for tag in ("frame", "iframe"):
        # Pages with frames of the old kind always have a tree.
        for element in page.found.get(tag, ())[:_MOST_FRAMES]:
            yield (element.attr("src") or "").partition("#")[0]


def _distinct(spelled: list[str]) -> tuple[str, ...]:
    """The links in the order of their first occurrence, as many as are taken from one page."""
    if native.NATIVE is not None:
        return native.NATIVE.distinct(spelled, _is_dropped, MOST_LINKS)
    # Menus and tables of contents repeat themselves: few are left to be looked at closely.
    found = dict.fromkeys([href.strip(_WHITE_SPACE) for href in dict.fromkeys(spelled)])
    found.pop("", None)
    for href in [href for href in found if ":" in href and _is_dropped(href)]:
        del found[href]
    return tuple(found if len(found) <= MOST_LINKS else islice(found, MOST_LINKS))


def _times_named(spelled: list[str], asked: Container[str]) -> dict[str, int]:
    """How often each of those asked about occurs; some may be written with white space."""
    # No Python step for each link: pages have hundreds, and few are asked about.
    return Counter(filter(asked.__contains__, map(_stripped, spelled)))


def _asked_not_to_follow(page: Markings, licences: list[str], onward: list[str]) -> dict[str, int]:
    """How often an anchor asks not to follow it, by href; those to licences, and those that lead
    on, are listed."""
    asked: dict[str, int] = {}
    for rel, raw in page.qualified():
        relations = relations_of(rel)
        if relations.onward:
            onward.append(clean_href(raw))
        if relations.nofollow or relations.licence:
            href = clean_href(raw)
            if relations.nofollow:
                asked[href] = asked.get(href, 0) + 1
            if relations.licence and raw:
                licences.append(raw.partition("#")[0])
    return asked


def clean_href(raw: str) -> str:
    """An href as a request would start from it; empty when there is nothing to request."""
    href = raw.partition("#")[0].strip(_WHITE_SPACE)
    return "" if ":" in href and _is_dropped(href) else href


def relations_of(rel: str | None) -> Relations:
    # The cache must not hold on to megabytes that a page called a relation.
    return _NO_RELATIONS if rel is None else _relations(rel[:_LONGEST_REL])


def leads_to_a_page(link: Tagged) -> bool:
    """Whether a `link` element names a page rather than a style, an icon or a feed."""
    relations = relations_of(link.attr("rel"))
    return relations.page or (relations.alternate and _is_other_page(link))


def _is_other_page(link: Tagged) -> bool:
    """Whether an alternate is a page of its own: for other screens it is the same once more."""
    if media_type(link) not in _PAGE_TYPES:
        return False
    return bool(link.attr("hreflang") or not link.attr("media"))


def media_type(link: Tagged) -> str:
    return (link.attr("type") or "").partition(";")[0].strip().lower()


_NO_RELATIONS = Relations()


@lru_cache(maxsize=512)
def _relations(rel: str) -> Relations:
    words = frozenset(rel.lower().split())
    relations = Relations(
        page=not _PAGE_RELATIONS.isdisjoint(words),
        alternate="alternate" in words and "stylesheet" not in words,
        canonical="canonical" in words,
        nofollow=not _UNFOLLOWED.isdisjoint(words),
        licence="license" in words,
        onward="next" in words,
    )
    return relations if any(relations) else _NO_RELATIONS


def _page_links(
    page: Markings,
    canonicals: list[str],
    licences: list[str],
    feeds: list[str],
    onward: list[str],
) -> Iterator[str]:
    """The links of `link` elements, without fragment; what else they name is listed."""
    for link in page.found["link"]:
        relations = relations_of(link.attr("rel"))
        if relations is _NO_RELATIONS:
            continue
        href = link.attr("href") or ""
        if relations.canonical:
            canonicals.append(href)
        if relations.licence:
            licences.append(href)
        if relations.onward:
            onward.append(clean_href(href))
        if relations.page:
            yield href.partition("#")[0]
        elif relations.alternate:
            kind = media_type(link)
            if kind in _PAGE_TYPES:
                if _is_other_page(link):
                    yield href.partition("#")[0]
            elif kind in FEED_TYPES and len(feeds) < _MOST_FEEDS:
                feeds.append(href)


def _is_dropped(href: str) -> bool:
    if href.startswith(_WEB):
        return False
    scheme = href[: href.index(":")]
    if not scheme.isalpha():
        # Parsers of URLs skip tabs and line ends, so "java\nscript:" is a script too.
        scheme = "".join(scheme.split())
    return scheme.lower() in _DROPPED_SCHEMES
