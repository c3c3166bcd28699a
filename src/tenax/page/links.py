"""Which links does a page have that a crawl could follow?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import repeat
from typing import NamedTuple

from turbohtml import Element

from tenax.model import Link
from tenax.page.html import Tree

MOST_LINKS = 1_000
"""Links taken per page, in document order (URL-7)."""

_WHITE_SPACE = "\t\n\f\r "
_DROPPED_SCHEMES = frozenset({"about", "blob", "data", "javascript", "mailto", "sms", "tel"})
_UNFOLLOWED = frozenset({"nofollow", "sponsored", "ugc"})
_PAGE_RELATIONS = frozenset({"canonical", "next", "prev", "previous"})
_PAGE_TYPES = frozenset({"", "application/xhtml+xml", "text/html"})
_LONGEST_REL = 200


_named = tuple.__new__


class Relations(NamedTuple):
    """What the words of one rel attribute mean to a crawl."""

    page: bool = False
    """A page for certain: canonical, next, prev."""
    alternate: bool = False
    """A page in another form; its type says whether that is a page at all."""
    canonical: bool = False
    nofollow: bool = False
    licence: bool = False


class Found(NamedTuple):
    links: tuple[Link, ...]
    canonical: str
    """The raw href of the first rel=canonical."""
    licences: tuple[str, ...]
    """The raw hrefs of rel=license, on links and anchors alike."""


def find_links(tree: Tree) -> Found:
    """Links without fragment, each once; followable when one of its occurrences is (PAGE-3)."""
    canonicals: list[str] = []
    licences: list[str] = []
    raw = [link.attr("href") or "" for link in _page_links(tree, canonicals, licences)]
    raw += tree.hrefs()
    unfollowed = _qualified(tree, licences)
    found = _occurrences(raw)
    if unfollowed:
        links = [(href, unfollowed.get(href, 0) >= count) for href, count in found.items()]
    else:
        links = [(href, False) for href in found]
    # A page has dozens: this way the tuples are made without a Python call for each.
    named = tuple(map(_named, repeat(Link), links))
    return Found(named, canonicals[0] if canonicals else "", tuple(licences))


def _occurrences(raw: list[str]) -> dict[str, int]:
    """How often each link occurs, as many links as are taken from one page."""
    # Menus and tables of contents repeat themselves: few are left to be looked at closely.
    spelled: dict[str, int] = {}
    for href, count in Counter(raw).items():
        whole = href.partition("#")[0]
        spelled[whole] = spelled.get(whole, 0) + count
    found: dict[str, int] = {}
    for href, count in spelled.items():
        clean = clean_href(href)
        if clean in found:
            found[clean] += count
        elif clean and len(found) < MOST_LINKS:
            found[clean] = count
    return found


def _qualified(tree: Tree, licences: list[str]) -> dict[str, int]:
    """How often an anchor asks not to follow it, by href; those to licences are listed."""
    unfollowed: dict[str, int] = {}
    for anchor in tree.document.select("a[rel],area[rel]"):
        relations = relations_of(anchor.attr("rel"))
        if relations.nofollow or relations.licence:
            raw = anchor.attr("href") or ""
            href = clean_href(raw)
            unfollowed[href] = unfollowed.get(href, 0) + relations.nofollow
            if relations.licence and raw:
                licences.append(raw.partition("#")[0])
    return unfollowed


def clean_href(raw: str) -> str:
    """An href as a request would start from it; empty when there is nothing to request."""
    href = raw.partition("#")[0].strip(_WHITE_SPACE)
    return "" if ":" in href and _is_dropped(href) else href


def relations_of(rel: str | None) -> Relations:
    # The cache must not hold on to megabytes that a page called a relation.
    return _NO_RELATIONS if rel is None else _relations(rel[:_LONGEST_REL])


def leads_to_a_page(link: Element) -> bool:
    """Whether a `link` element names a page rather than a style, an icon or a feed."""
    relations = relations_of(link.attr("rel"))
    return relations.page or (relations.alternate and media_type(link) in _PAGE_TYPES)


def media_type(link: Element) -> str:
    return (link.attr("type") or "").partition(";")[0].strip().lower()


_NO_RELATIONS = Relations()


@lru_cache(maxsize=512)
def _relations(rel: str) -> Relations:
    words = frozenset(rel.lower().split())
    return Relations(
        page=not _PAGE_RELATIONS.isdisjoint(words),
        alternate="alternate" in words and "stylesheet" not in words,
        canonical="canonical" in words,
        nofollow=not _UNFOLLOWED.isdisjoint(words),
        licence="license" in words,
    )


def _page_links(tree: Tree, canonicals: list[str], licences: list[str]) -> Iterator[Element]:
    for link in tree.found["link"]:
        relations = relations_of(link.attr("rel"))
        if relations.canonical:
            canonicals.append(link.attr("href") or "")
        if relations.licence:
            licences.append(link.attr("href") or "")
        if (relations.page or relations.alternate) and leads_to_a_page(link):
            yield link


def _is_dropped(href: str) -> bool:
    scheme = href[: href.index(":")]
    if not scheme.isalpha():
        # Parsers of URLs skip tabs and line ends, so "java\nscript:" is a script too.
        scheme = "".join(scheme.split())
    return scheme.lower() in _DROPPED_SCHEMES
