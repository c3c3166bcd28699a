"""Could this page offer a product? A few searches of its bytes, so that most pages cost nothing."""

from __future__ import annotations

from typing import Final

_MARKS: Final = (
    b"schema.org/Product", b'"Product"', b"product:price", b"og:price", b'itemprop="price',
    b"itemprop=price", b'"ProductGroup"', b"schema.org/IndividualProduct",
)  # fmt: skip
_CARTS: Final = (b"to cart", b"tocart", b"/cart", b"-cart", b"cart-")
_WORDS: Final = (
    b"basket", b"buy now", b"korb", b"panier", b"carrito", b"carrinho", b"carrello",
    b"winkel", b"varukorg", b"kurv", b"koszyk", "košík".encode(), b"sold out", b"out of stock",
    b"to bag",
    "корзин".encode(), "カート".encode(), "购物车".encode(), b"ausverkauft",
    b"rupture de stock", b"agotad", b"esaurit", "slutsåld".encode(), b"utsolgt",
    b"in stock", b"no longer available", b"unavailable", b"me when", "nicht verfügbar".encode(),
    b"availability",
)  # fmt: skip


def may_be_product(body: bytes) -> bool:
    """Whether looking for a product is worth it."""
    # Nearly every shop has a class, a property or a script that says price, or Price. Looking for
    # a currency as well would double what it costs everybody else.
    if b"rice" not in body:
        return False
    if any(mark in body for mark in _MARKS):
        return True
    lower = body.lower()
    # Every search costs: most pages have no cart at all.
    if b"cart" in lower and any(word in lower for word in _CARTS):
        return True
    return any(word in lower for word in _WORDS)
