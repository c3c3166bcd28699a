"""Could this page offer a product? A few searches of its bytes, so that most pages cost nothing."""

from __future__ import annotations

from typing import Final

_MARKS: Final = (
    b"schema.org/Product", b'"Product"', b"product:price", b"og:price", b'itemprop="price',
    b"itemprop=price", b'"ProductGroup"', b"schema.org/IndividualProduct",
)  # fmt: skip
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


def may_be_product(body: bytes) -> bool:
    """Whether looking for a product is worth it."""
    # Nearly every shop has a class, a property or a script that says price, or Price. Looking for
    # a currency as well would double what it costs everybody else.
    if b"rice" not in body:
        return False
    if any(mark in body for mark in _MARKS):
        return True
    lower = body.lower()
    for part, words in _BY_PART.items():
        if part in lower and any(word in lower for word in words):
            return True
    if any(word in lower for word in _WORDS):
        return True
    return not lower.isascii() and any(word in lower for word in _BEYOND_ASCII)
