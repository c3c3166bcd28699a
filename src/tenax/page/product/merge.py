"""Which product does a page offer, all things said about it considered?"""

from __future__ import annotations

from typing import Any

from tenax.model import Image, Product, Stock
from tenax.page.product.claims import FIELDS, Claim, ProductClaims
from tenax.page.product.prices import same, spelled
from tenax.page.product.tags import Shown

_REQUIRED = ("name", "price")
_CORRECTION = 0.997
"""What the page shows against what it tells machines, where that is known to be wrong: more than
all they are told together."""
_ROUNDED = 0.011
_TAXES = {
    "AUD": (10,), "BGN": (20, 9), "CHF": (8.1, 7.7, 2.6), "CZK": (21, 12), "DKK": (25,),
    "EUR": (17, 18, 19, 20, 21, 22, 23, 24, 25, 25.5, 7, 10, 13.5, 5.5), "GBP": (20,),
    "HUF": (27,), "ILS": (17, 18), "INR": (18, 12, 5), "JPY": (10, 8), "NOK": (25, 15),
    "NZD": (15,), "PLN": (23, 8, 5), "RON": (19, 21, 9, 11), "RSD": (20,), "RUB": (20, 22),
    "SEK": (25, 12, 6), "SGD": (9,), "TRY": (20, 10), "UAH": (20,), "ZAR": (15,),
}  # fmt: skip
"""Per cent by currency: shops show people what they pay, and tell machines what they get."""
_PLAIN = 0.6
"""From this confidence on, what is shown is plain enough to correct something by it."""


def merged(
    claims: ProductClaims,
    url: str,
    images: tuple[Image, ...],
    confidence: float,
    parser: tuple[str, str],
    extra: dict[str, str],
) -> Product:
    found: dict[str, Claim] = {}
    for name in FIELDS:
        if (best := claims.best(name)) is not None:
            found[name] = best
    values: dict[str, Any] = {name: claim.value for name, claim in found.items()}
    currency = values.get("currency", "")
    for name in ("price", "regular_price"):
        values[name] = spelled(values.get(name, ""), currency)
    if not _is_above(values["regular_price"], values["price"]):
        values["regular_price"] = ""
        found.pop("regular_price", None)
    if values.get("brand", "").lower() == values.get("name", "").lower():
        values.pop("brand", None)
        found.pop("brand", None)
    stock = values["availability"] = Stock(values.get("availability", ""))
    problems = tuple(
        f"no {name}"
        for name in _REQUIRED
        if not values.get(name) and not (name == "price" and stock is Stock.OUT_OF_STOCK)
    )
    if values["price"] and not currency:
        problems += ("no currency",)
    return Product(
        url=url,
        images=images,
        confidence=round(confidence, 2),
        confidences={name: round(claim.confidence, 2) for name, claim in found.items()},
        problems=problems,
        extra=extra,
        parser=parser[0],
        parser_version=parser[1],
        **values,
    )


def correct_price(
    claims: ProductClaims, shown: Shown, offered: set[str], *, is_free: bool = False
) -> None:
    """Add what people see to what machines are told, minding the ways in which that is wrong."""
    told = claims.best("price")
    if is_free and told is not None and float(told.value) == 0:
        # What the page shows besides is the price of something else.
        claims.made["price"] = [told]
        return
    # Nothing costs nothing: it is what systems say that do not know.
    claims.made["price"] = [claim for claim in claims.of("price") if float(claim.value) > 0]
    told = claims.best("price")
    if shown.price:
        sure = shown.confidence
        if told is not None and not same(told.value, shown.price):
            if any(same(price, shown.price) for price in offered):
                # One of several offers: the one that is shown is meant.
                sure = _CORRECTION if sure >= _PLAIN else sure
            elif _is_misplaced(told.value, shown.price):
                sure = _CORRECTION
            elif told.value not in shown.all and _is_net(told.value, shown):
                sure = _CORRECTION if sure >= _PLAIN else sure
            elif shown.is_struck and same(told.value, shown.regular):
                # Machines are told what is crossed out.
                sure = _CORRECTION if sure >= _PLAIN else sure
            elif any(same(told.value, amount) for amount in shown.all):
                # What machines are told does stand on the page, only elsewhere.
                sure *= 0.7
        claims.add("price", shown.price, sure, "page")
        claims.add("currency", shown.currency, sure * 0.8, "page")
    claims.add("regular_price", shown.regular, shown.confidence * 0.9, "page")


def _is_misplaced(told: str, shown: str) -> bool:
    """Whether the point is somewhere else: cents for euros, or 1.299 for 1,299."""
    told_, shown_ = float(told), float(shown)
    return (told_ == round(shown_ * 100) and told_ >= 100) or round(told_ * 1000) == shown_


def _is_net(told: str, shown: Shown) -> bool:
    """Whether machines are told what it costs before the tax of its country."""
    return any(
        abs(float(told) * (1 + rate / 100) - float(shown.price)) <= _ROUNDED
        for rate in _TAXES.get(shown.currency, ())
    )


def _is_above(regular: str, price: str) -> bool:
    return bool(regular) and bool(price) and float(regular) > float(price)
