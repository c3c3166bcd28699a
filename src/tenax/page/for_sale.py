"""Could this page offer a product? A few searches of its bytes, so that most pages cost nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from tenax.page import native

_NAMED: Final = (
    b"schema.org/Product", b'"Product"', b'"ProductGroup"', b"schema.org/IndividualProduct",
)  # fmt: skip
_MARKED: Final = (b"product:p", b"og:p", b'itemprop="p', b"itemprop=p")
"""What stands before the rest of a price that is marked up as one."""
# Every search of a page costs. Words with a part in common are looked for when that is there.
_WORDS: Final = (
    b"basket", b"buy now", b"korb", b"panier", b"winkel", b"kurv", b"koszyk", b"sold out",
    b"to bag", b"ausverkauft", b"agotad", b"esaurit", b"utsolgt", b"varukorg", b"me when",
)  # fmt: skip
_BY_PART: Final = {
    b"cart": (b"to cart", b"tocart", b"/cart", b"-cart", b"cart-"),
    b"carr": (b"carrito", b"carrinho", b"carrello"),
    b"stock": (b"out of stock", b"in stock", b"rupture de stock"),
    b"availab": (b"no longer available", b"unavailable", b"availability"),
}
_BEYOND_ASCII: Final = tuple(
    word.encode() for word in ("košík", "корзин", "カート", "购物车", "slutsåld", "nicht verfügbar")
)
_KEY: Final = re.compile(rb"""[\w-]{0,40}["']\s*:""")
_TAG: Final = 300
"""Bytes before the word in which the tag that it stands in has to begin."""
_LOOKED_AT: Final = 500
"""Times that a page may say price and mean nothing by it."""


def may_be_product(body: bytes) -> bool:
    """Whether looking for a product is worth it: that takes far longer than reading the page."""
    # Nearly every shop has a class, a property or a script that says price, or Price. Looking for
    # a currency as well would double what it costs everybody else.
    if not _says_price(body):
        return False
    if b"Product" in body and any(name in body for name in _NAMED):
        return True
    # Manuals and news say price, too, but not in their markup.
    is_priced = False
    for place in _prices(body):
        before = body[max(place - _TAG, 0) : place]
        if before.endswith(_MARKED):
            return True
        is_priced = is_priced or _is_in_markup(body, place, before)
    return is_priced and _has_words(body.lower())


def _says_price(body: bytes) -> bool:
    if native.NATIVE is not None:
        return native.NATIVE.mentions(body, b"rice", 2)
    # From behind, since the search then looks for an r, which is rarer than an e: a quarter less.
    return body.rfind(b"rice") >= 0


def _prices(body: bytes) -> Iterator[int]:
    place = -1
    for _ in range(_LOOKED_AT):
        place = body.find(b"rice", place + 1)
        if place < 0:
            return
        yield place


def _has_words(lower: bytes) -> bool:
    for part, words in _BY_PART.items():
        if part in lower and any(word in lower for word in words):
            return True
    if any(word in lower for word in _WORDS):
        return True
    return not lower.isascii() and any(word in lower for word in _BEYOND_ASCII)


def _is_in_markup(body: bytes, place: int, before: bytes) -> bool:
    """Whether an attribute's value or a key of a script says it."""
    if _KEY.match(body, place + 4):
        return True
    tag = before.rfind(b"<")
    return tag > before.rfind(b">") and b"=" in before[tag:]
