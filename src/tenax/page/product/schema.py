"""What do schema.org's nodes claim about the product of a page?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from msgspec import Struct

from tenax.model import Stock
from tenax.page.html import one_line
from tenax.page.jsonld import Node, nodes, types_of
from tenax.page.product.claims import ProductClaims, storable
from tenax.page.product.prices import is_currency, machine_amount

_ALT: Final = 300
_REGULAR: Final = ("listprice", "strikethrough", "rrp", "msrp", "suggested", "srp")
GTINS: Final = ("gtin13", "gtin", "gtin12", "gtin14", "gtin8", "ean", "upc", "isbn")
_STOCK: Final = {
    "instock": Stock.IN_STOCK, "instoreonly": Stock.IN_STOCK, "onlineonly": Stock.IN_STOCK,
    "limitedavailability": Stock.IN_STOCK, "available": Stock.IN_STOCK, "true": Stock.IN_STOCK,
    "yes": Stock.IN_STOCK, "1": Stock.IN_STOCK, "availablefororder": Stock.IN_STOCK,
    "outofstock": Stock.OUT_OF_STOCK, "soldout": Stock.OUT_OF_STOCK, "oos": Stock.OUT_OF_STOCK,
    "unavailable": Stock.OUT_OF_STOCK, "reserved": Stock.OUT_OF_STOCK, "0": Stock.OUT_OF_STOCK,
    "false": Stock.OUT_OF_STOCK, "no": Stock.OUT_OF_STOCK,
    "preorder": Stock.PRE_ORDER, "presale": Stock.PRE_ORDER, "pending": Stock.PRE_ORDER,
    "backorder": Stock.BACK_ORDER, "madetoorder": Stock.BACK_ORDER,
    "discontinued": Stock.DISCONTINUED,
}  # fmt: skip
_STOCK_PARTS: Final = (
    ("outofstock", Stock.OUT_OF_STOCK), ("soldout", Stock.OUT_OF_STOCK),
    ("unavailable", Stock.OUT_OF_STOCK), ("notavailable", Stock.OUT_OF_STOCK),
    ("notinstock", Stock.OUT_OF_STOCK), ("backorder", Stock.BACK_ORDER),
    ("preorder", Stock.PRE_ORDER), ("instock", Stock.IN_STOCK),
)  # fmt: skip
_TAG = re.compile(r"<[^>]{1,500}>")
# Where a number is marked up, its label often is too.
_SKU_LABEL = re.compile(
    r"^(?:sku|mpn|ref|item|model|product code|art(?:ikel)?\.?-?(?:nr|nummer)?)\b[\s.:#№]+",
    re.IGNORECASE,
)
NAME: Final = 500
_TEXT: Final = 5_000
_MANY_REVIEWS: Final = 10
"""Digits that no count of reviews has."""


class ProductOffer(Struct, frozen=True):
    price: str = ""
    currency: str = ""
    stock: Stock = Stock.UNKNOWN
    regular: str = ""
    sku: str = ""
    url: str = ""


class About(NamedTuple):
    """What the page itself is about, to tell its product from others it names."""

    url: str
    heading: str
    title: str


def stock_of(text: object) -> Stock:
    """The meaning of an availability written for machines."""
    if isinstance(text, list):
        text = text[0] if text else ""
    word = re.sub(r"[^a-z0-9]", "", re.split(r"[/#:]", str(text).strip(" /").lower())[-1])
    known = _STOCK.get(word)
    if known is not None:
        return known
    # Written for people all the same: "Currently out of stock".
    return next((stock for part, stock in _STOCK_PARTS if part in word), Stock.UNKNOWN)


def claims_of(node: Node, source: str, trust: float, about: About) -> ProductClaims:
    claims = ProductClaims()

    def claim(name: str, value: Any, share: float = 1.0) -> None:
        claims.add(name, value, trust * share, source)

    claim("name", text_of(node.get("name"), NAME))
    claim("description", text_of(node.get("description"), _TEXT))
    claim("brand", _named(node.get("brand")) or _named(node.get("manufacturer")))
    claim("category", _category(node.get("category")))
    offers, of_variants = _all_offers(node)
    chosen = _chosen(offers, about)
    own = _SKU_LABEL.sub("", text_of(node.get("sku"), 100))
    claim("sku", own or (chosen.sku if chosen else ""))
    claim("sku", text_of(node.get("productID"), 100).rpartition(":")[2], 0.5)
    claim("mpn", text_of(node.get("mpn"), 100))
    for kind, code in _identifiers(node):
        if kind.lower() in ("sku", "mpn"):
            claim(kind.lower(), code)
    for name in GTINS:
        digits = re.sub(r"[\s-]", "", text_of(node.get(name), 40))
        if is_gtin(digits):
            claim("gtin", digits)
            break
    if chosen is not None:
        share = 0.85 if of_variants or len({offer.price for offer in offers}) > 1 else 1.0
        claim("price", chosen.price, share)
        claim("currency", chosen.currency)
        claim("regular_price", chosen.regular, 0.9)
        claim("availability", _common_stock(offers, chosen))
    _rate(node.get("aggregateRating"), claim)
    return claims


def _identifiers(node: Node) -> Iterator[tuple[str, str]]:
    """Written "sku:12-A", or as a property with a name and a value."""
    for identifier in each_of(node.get("identifier")):
        if isinstance(identifier, dict):
            kind = text_of(identifier.get("propertyID") or identifier.get("name"), 100)
            yield kind, text_of(identifier.get("value"), 100)
        else:
            kind, _, code = text_of(identifier, 100).partition(":")
            yield kind, code.strip()


def prices_of(node: Node) -> set[str]:
    """Every price any of its offers has: one of them is what the page shows."""
    return {offer.price for offer in _all_offers(node)[0] if offer.price}


def crumbs_of(values: list[Any]) -> tuple[str, ...]:
    """The names of the first breadcrumb list that has any."""
    for node, _ in nodes(values):
        if "BreadcrumbList" not in types_of(node):
            continue
        names = []
        for item in each_of(node.get("itemListElement")):
            if isinstance(item, dict):
                inner = item.get("item")
                name = item.get("name") or next(each_of(inner), "")
                names.append(_named(name, NAME) if not _is_url(name) else "")
        if any(names):
            return tuple(name for name in names if name)
    return ()


def images_of(node: Node) -> list[str]:
    return [url for url, _ in _pictures(node)]


def captions_of(node: Node) -> dict[str, str]:
    """What is said of pictures, by their URLs."""
    return {url: storable(caption) for url, caption in _pictures(node) if caption}


def _pictures(node: Node) -> Iterator[tuple[str, str]]:
    for name in ("image", "images", "photo"):
        for image in each_of(node.get(name)):
            url, caption = image, ""
            if isinstance(image, dict):
                url = image.get("url") or image.get("contentUrl") or image.get("@id")
                url = next(each_of(url), "")
                caption = text_of(image.get("caption") or image.get("name"), _ALT)
            if isinstance(url, str) and url:
                yield url.strip(), caption


def text_of(value: object, limit: int) -> str:
    """One line of text, without the markup that shops leave in."""
    if isinstance(value, list):
        value = next((each for each in value if each), "")
    if isinstance(value, dict):
        value = value.get("@value") or value.get("name") or ""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    text = str(value)
    if "<" in text:
        text = _TAG.sub(" ", text)
    if "&" in text:
        from html import unescape

        text = unescape(text)
    text = one_line(text, limit)
    return "" if text.lower() in ("null", "undefined", "none", "n/a", "nan", "-", "false") else text


def is_gtin(digits: str) -> bool:
    """Whether the check digit holds (GS1): 8, 12, 13 or 14 digits, or an ISBN of ten."""
    if len(digits) == 10 and digits[:9].isdecimal():
        total = sum((10 - i) * (10 if d in "xX" else int(d)) for i, d in enumerate(digits))
        return total % 11 == 0 if digits[9] in "xX0123456789" else False
    if len(digits) not in (8, 12, 13, 14) or not digits.isdecimal() or not digits.isascii():
        return False
    total = sum(int(d) * (3 if i % 2 else 1) for i, d in enumerate(reversed(digits)))
    return total % 10 == 0 and int(digits) > 0


def each_of(value: object) -> Iterator[Any]:
    """The values of a property, which may be one, many or none."""
    if isinstance(value, list):
        yield from value
    elif value is not None:
        yield value


def _named(value: object, limit: int = 200) -> str:
    value = next((each for each in each_of(value) if each), "")
    if isinstance(value, dict):
        value = value.get("name") or value.get("@id") or ""
    text = text_of(value, limit)
    return "" if _is_url(text) else text


def _is_url(value: object) -> bool:
    return isinstance(value, str) and value.startswith(("http://", "https://", "//", "/"))


def _category(value: object) -> str:
    text = _named(value)
    return re.split(r"\s*(?:>|»|/(?=\s)|›)\s*", text)[-1] if text else ""


def _all_offers(node: Node) -> tuple[list[ProductOffer], bool]:
    """Its offers; whether they are those of its variants."""
    # offerDetails is what offers were called at data-vocabulary.org.
    offers = list(_offers(node.get("offers") or node.get("offerDetails"), 0))
    if offers:
        return offers, False
    variants = [each for each in each_of(node.get("hasVariant")) if isinstance(each, dict)]
    found = []
    for variant in variants[:200]:
        sku = text_of(variant.get("sku"), 100)
        for offer in _offers(variant.get("offers"), 0):
            found.append(ProductOffer(offer.price, offer.currency, offer.stock, offer.regular,
                               offer.sku or sku, offer.url))  # fmt: skip
    if not found and "price" in node:
        return list(_offers({**node, "offers": None}, 0)), False
    return found, True


def _offers(value: object, depth: int) -> Iterator[ProductOffer]:
    for offer in each_of(value):
        if not isinstance(offer, dict) or depth > 3:
            continue
        inner = list(_offers(offer.get("offers"), depth + 1))
        price, currency, regular = _price_in(offer)
        stock = stock_of(offer.get("availability", ""))
        if inner and any(each.price for each in inner):
            yield from (
                ProductOffer(
                    each.price, each.currency or currency, each.stock or stock, each.regular,
                    each.sku, each.url,
                )
                for each in inner
            )  # fmt: skip
        elif price or stock:
            url = text_of(offer.get("url"), 2_000)
            yield ProductOffer(price, currency, stock, regular, text_of(offer.get("sku"), 100), url)


def _price_in(offer: Node) -> tuple[str, str, str]:
    currency = is_currency(text_of(offer.get("priceCurrency") or offer.get("currency"), 10))
    price, regular = _lowest(offer.get("price"), currency)
    for spec in each_of(offer.get("priceSpecification")):
        if not isinstance(spec, dict):
            continue
        currency = currency or is_currency(text_of(spec.get("priceCurrency"), 10))
        amount = machine_amount(_first(spec.get("price", spec.get("minPrice"))), currency)
        kind = text_of(spec.get("priceType"), 200).lower()
        if any(word in kind for word in _REGULAR):
            regular = regular or amount
        elif not price and "unitpricespecification" not in kind:
            price = amount
    low = machine_amount(_first(offer.get("lowPrice")), currency)
    price = low if low and (not price or float(price) == 0) else price
    return price or machine_amount(_first(offer.get("highPrice")), currency), currency, regular


def _lowest(value: object, currency: str) -> tuple[str, str]:
    """The price, and the one it had where both are marked up as such."""
    amounts = [machine_amount(_first(each), currency) for each in list(each_of(value))[:10]]
    amounts = sorted({each for each in amounts if each and float(each) > 0} or amounts, key=_float)
    return (amounts[0], amounts[-1] if len(amounts) == 2 else "") if amounts else ("", "")


def _float(amount: str) -> float:
    return float(amount or 0)


def _first(value: object) -> object:
    value = next(each_of(value), None)
    return value.get("@value") or value.get("value") if isinstance(value, dict) else value


def _chosen(offers: Sequence[ProductOffer], about: About) -> ProductOffer | None:
    """The offer of this very URL, else the cheapest that can be had."""
    if not offers:
        return None
    query = re.search(r"[?&](?:variant|sku|vid|pid|color|size|selected)=([^&#]+)", about.url)
    if query:
        for offer in offers:
            if offer.sku == query[1] or query[0].lstrip("?&") in offer.url:
                return offer
    if len(offers) > 1:
        exact = [each for each in offers if each.url and each.url == about.url]
        if len(exact) == 1:
            return exact[0]
    priced = [each for each in offers if each.price and float(each.price) > 0] or list(offers)
    to_be_had = [each for each in priced if each.stock is not Stock.OUT_OF_STOCK] or priced
    return to_be_had[0] if _is_variants(to_be_had) else min(to_be_had, key=_amount)


def _is_variants(offers: Sequence[ProductOffer]) -> bool:
    """Offers with article numbers of their own: shops show the first, not the cheapest."""
    return len({offer.sku for offer in offers if offer.sku}) > 1


def _amount(offer: ProductOffer) -> float:
    return float(offer.price) if offer.price else float("inf")


def _common_stock(offers: Sequence[ProductOffer], chosen: ProductOffer) -> Stock:
    kinds = {offer.stock for offer in offers}
    return Stock.IN_STOCK if Stock.IN_STOCK in kinds else chosen.stock


def _rate(rating: object, claim: Any) -> None:
    found = next(each_of(rating), None)
    if not isinstance(found, dict):
        return
    value = machine_amount(_first(found.get("ratingValue")))
    best = machine_amount(_first(found.get("bestRating"))) or "5"
    if value and float(best) > 0 and 0 < float(value) <= float(best):
        claim("rating", round(float(value) * 5 / float(best), 2))
    for name in ("reviewCount", "ratingCount"):
        count = re.sub(r"[.,\s]", "", text_of(found.get(name), 20))
        if count.isdecimal() and len(count) < _MANY_REVIEWS:
            claim("reviews", int(count))
            break
