"""What does a page tell machines that it is? Asked of its bytes, in one pass over them."""

from __future__ import annotations

import re
from typing import NamedTuple

_THREADS = frozenset({b"DiscussionForumPosting", b"QAPage", b"SocialMediaPosting"})
_TEXTS = (b"Article", b"BlogPosting", b"Report", b"Recipe", b"HowTo", b"MedicalWebPage")
# Templates share all pages as articles, also those that list them.
_LISTING = b"CollectionPage"
_PRODUCTS = frozenset({b"Product", b"ProductGroup"})
_MARKED_PRODUCT = b'schema.org/Product"'
_KEY = b"@type"
_NAME = re.compile(rb'"\s*:\s*(?:\[\s*)?"[^"]{0,30}?(\w{1,30})"')
_MOST_TYPES = 1_000
_OPEN_GRAPH = b"og:type"
_SAYS_ARTICLE = re.compile(rb"content\s*=\s*[\"']?article\b", re.IGNORECASE)
_BESIDE = 100
"""Bytes on either side of it in which its tag says what the type is."""


class Announced(NamedTuple):
    """What a page says of itself. That tells nothing of where on it that is."""

    is_thread: bool
    is_article: bool
    """Most articles say so, and hardly any page that lists or sells."""
    is_product: bool
    """Also pages that list products may say so of each of them."""


def announced(body: bytes) -> Announced:
    types = _types(body)
    is_article = any(each.endswith(_TEXTS) for each in types) or (
        _LISTING not in types and _is_shared_as_article(body)
    )
    is_product = _LISTING not in types and not types.isdisjoint(_PRODUCTS)
    return Announced(not types.isdisjoint(_THREADS), is_article, is_product)


def is_marked_as_product(body: bytes) -> bool:
    """Whether microdata says so. Apart from the rest, since few need to know and it takes long."""
    return _MARKED_PRODUCT in body


def _types(body: bytes) -> set[bytes]:
    """Those in JSON-LD, by their last words. To look for the key alone is faster than a pattern."""
    found: set[bytes] = set()
    place = 0
    for _ in range(_MOST_TYPES):
        place = body.find(_KEY, place) + len(_KEY)
        if place < len(_KEY):
            break
        if named := _NAME.match(body, place):
            found.add(named[1])
    return found


def _is_shared_as_article(body: bytes) -> bool:
    place = body.find(_OPEN_GRAPH)
    if place < 0:
        return False
    start = max(body.rfind(b"<", 0, place), place - _BESIDE, 0)
    end = body.find(b">", place, place + _BESIDE)
    return _SAYS_ARTICLE.search(body, start, end if end >= 0 else place) is not None
