"""Which links does a page have that a crawl could follow?"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
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


class Found(NamedTuple):
    links: tuple[Link, ...]
    licences: tuple[str, ...]
    """The raw hrefs of rel=license, on links and anchors alike."""


def find_links(tree: Tree) -> Found:
    """Links without fragment, each once; followable when one of its occurrences is (PAGE-3)."""
    unfollowed: dict[str, bool] = {}
    licences: list[str] = []
    for element in chain(_head_links(tree, licences), tree.anchors):
        href = element.attr("href")
        if not href:
            continue
        if "#" in href:
            href = href[: href.index("#")]
        # Menus and tables of contents repeat themselves: most anchors end here.
        if not unfollowed.get(href, True):
            continue
        rel = element.attr("rel")
        if rel is not None and "license" in rel.lower().split() and element.tag != "link":
            licences.append(href)
        if href := clean_href(href):
            unfollowed[href] = unfollowed.get(href, True) and rel is not None and is_unfollowed(rel)
            if len(unfollowed) == MOST_LINKS:
                break
    return Found(tuple(map(Link._make, unfollowed.items())), tuple(licences))


def clean_href(raw: str) -> str:
    """An href as a request would start from it; empty when there is nothing to request."""
    href = (raw[: raw.index("#")] if "#" in raw else raw).strip(_WHITE_SPACE)
    if ":" in href and _scheme(href[: href.index(":")]) in _DROPPED_SCHEMES:
        return ""
    return href


def is_unfollowed(rel: str) -> bool:
    return not _UNFOLLOWED.isdisjoint(rel.lower().split())


def names_a_page(link: Element, relations: list[str]) -> bool:
    """Whether a `link` element leads to a page rather than to a style, an icon or a feed."""
    if not _PAGE_RELATIONS.isdisjoint(relations):
        return True
    if "alternate" not in relations or "stylesheet" in relations:
        return False
    return media_type(link) in _PAGE_TYPES


def media_type(link: Element) -> str:
    return (link.attr("type") or "").partition(";")[0].strip().lower()


def _head_links(tree: Tree, licences: list[str]) -> Iterator[Element]:
    for link in tree.found["link"]:
        relations = (link.attr("rel") or "").lower().split()
        if "license" in relations:
            licences.append(link.attr("href") or "")
        if names_a_page(link, relations):
            yield link


def _scheme(head: str) -> str:
    # Parsers of URLs skip tabs and line ends, so "java\nscript:" is a script too.
    return (head if head.isalpha() else "".join(head.split())).lower()
