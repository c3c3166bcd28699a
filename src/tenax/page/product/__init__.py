"""What product does a page offer? From what it tells machines, and from what it shows people."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from tenax.model import Page, Product, Stock
from tenax.page import metadata
from tenax.page.charset import decide_charset
from tenax.page.for_sale import may_be_product
from tenax.page.html import Tree, one_line, parse
from tenax.page.jsonld import Node, json_ld, types_of
from tenax.page.product.claims import ProductClaims
from tenax.page.product.currencies import PricePlace
from tenax.page.product.kinds import (
    RANGED,
    how_offered,
    is_called_a_list,
    main_product,
    names_product,
    sells_nothing,
    shows_a_list,
)
from tenax.page.product.labels import is_of_one, labelled, repeated
from tenax.page.product.marked import Marked, read_marks
from tenax.page.product.merge import correct_price, merged
from tenax.page.product.metas import claims_of_metas, is_priced, is_product_type
from tenax.page.product.outline import ProductOutline, outline
from tenax.page.product.own import own_claims
from tenax.page.product.pictures import pictures
from tenax.page.product.prices import is_free, same
from tenax.page.product.schema import (
    About,
    captions_of,
    claims_of,
    crumbs_of,
    images_of,
    prices_of,
)
from tenax.page.product.scripts import given_away
from tenax.page.product.stock import shown_stock
from tenax.page.product.tags import AWAY, Shown, shown_price, surest
from tenax.page.product.zones import Zone
from tenax.page.sites import GENERIC, SiteParser, parser_named, parser_of, site_host

__all__ = [
    "SURE", "VERSION", "extract", "may_be_product", "product_of", "product_told", "sure_product_of",
]  # fmt: skip

VERSION: Final = "6"
"""Raised when the same page gives another product: what is stored can be told apart by it."""
SURE: Final = 0.5
"""From this confidence on a page counts as a product's."""

_UNSURE: Final = 0.45
_PLAINLY_ONE: Final = 0.8
_MANY: Final = 4
_TAG: Final = 16
"""Characters that say no more than what it costs."""
_SOME_PRICE: Final = Shown("1", confidence=AWAY)
_PLAINLY: Final = 0.84
_AGAINST_ALL: Final = 0.995
_SHOP_NAME: Final = re.compile(r"\s+(?:[-–—|:·»]|::)\s+")


def extract(html: bytes, url: str, *, content_type: str = "text/html") -> Product | None:
    """The product of a page, None when there is nothing to call one. Never raises.

    Lenient: who has not chosen the page as a product's looks at `confidence`.
    """
    tree = parse(html, decide_charset(html, content_type).name)
    return product_of(tree, url)


def sure_product_of(tree: Tree, url: str, parser: str = "") -> Product | None:
    """The product of a page that nobody has chosen for it; None unless it is plainly one's.
    `parser` names who reads it, instead of whoever is registered for the host."""
    found = product_of(tree, url, parser, SURE)
    return found if found is not None and found.confidence >= SURE and found.name else None


def product_told(page: Page, told: Mapping[str, str], by: str, version: str) -> Product | None:
    """The product of a page of which somebody knows this: as the parser of a site would tell it.
    None when that is not enough to call it one."""
    site = SiteParser(by, "*", version, lambda _: told)
    tree = parse(page.body or b"", page.charset or "utf-8")
    return product_of(tree, page.url, site=site)


def product_of(
    tree: Tree, url: str, parser: str = "", least: float = 0.0, site: SiteParser | None = None
) -> Product | None:
    """As `extract`, of a tree that is there already and stays as it is. As soon as its
    confidence can no longer reach the `least`, looking ends. `site` reads it, where it is given."""
    metas = metadata.read_metas(tree, "").first
    base = metadata.base_of(tree, url)
    title = metadata.title_of(tree, metadata.Metas(metas, ()))
    linked = json_ld(tree)
    microdata, rdfa = read_marks(tree)
    loose = _loose(microdata)
    if site is None:
        site = parser_named(parser) if parser else parser_of(url)
    own = own_claims(site, tree, url) if site is not None else None
    is_read_only = sells_nothing(linked) and not (
        own is not None
        or _is_told_of(metas)
        or any(map(names_product, (linked, microdata.items, rdfa.items)))
    )
    if is_read_only and least > _UNSURE:
        return None
    page = outline(tree, f"{title} | {metas.get('og:title', '')}")
    about = About(url, page.heading, title)
    claims = ProductClaims()
    told = 0.0
    images: list[str] = []
    captions: dict[str, str] = {}
    offered: set[str] = set()
    for values, source, trust in ((linked, "json-ld", 0.92), (microdata.items, "microdata", 0.9),
                                  (rdfa.items, "rdfa", 0.85)):  # fmt: skip
        node, one = main_product(values, about)
        if node is None:
            continue
        claims.take([claims_of(node, source, trust * (0.4 + 0.6 * one), about)])
        images += images_of(node)
        captions |= captions_of(node)
        offered |= prices_of(node)
        told = max(told, how_offered(node) * one)
    if loose:
        claims.take([claims_of({"@type": "Product", **loose}, "microdata", 0.85, about)])
        told = max(told, _UNSURE if _is_offered(loose) else 0.0)
    claims.take([claims_of_metas(metas, 0.88, _place(tree, metas, url, ""))])
    is_sold = 0 < len(page.buttons) < _MANY
    is_one = told >= (RANGED if is_sold else _PLAINLY_ONE) or is_priced(metas)
    if _is_told_of(metas):
        told = max(told, 0.8)
    if own is not None:
        told, is_one = max(told, 0.95), True
    declared = claims.best("currency")
    stock, sure = shown_stock(page)
    is_for_sale = bool(page.buttons) or (stock is Stock.OUT_OF_STOCK and sure > 0.6)
    # What is looked for from here on can only say that it has a price and a number.
    has_all = _Has(True, True, is_for_sale, True)
    at_best = (_confidence(told, page, some, has_all) for some in (Shown(), _SOME_PRICE))
    is_worth_it = round(max(at_best), 2) >= least
    if not is_worth_it:
        some = Shown("1", confidence=surest(page))
        if round(_confidence(told, page, some, has_all), 2) < least:
            return None
    where = _place(tree, metas, url, declared.value if declared else "")
    seen = shown_price(page, where, is_worth_it=is_worth_it)
    shown = _of_its_own(seen, claims, page, url) if told >= SURE else _but_nothing(seen)
    if round(_confidence(told, page, shown, has_all), 2) < least:
        return None
    correct_price(claims, shown, offered, is_free=_says_free(page))
    if not _is_the_shop(page.heading, url, metas):
        claims.add("name", page.heading, 0.8, "page")
    if not claims.of("name"):
        claims.add("name", _SHOP_NAME.split(title)[0], 0.4, "title")
    gone = claims.best("availability")
    is_gone = gone is not None and gone.value is Stock.DISCONTINUED
    if stock is Stock.OUT_OF_STOCK and sure >= _PLAINLY and not (page.can_be_bought or is_gone):
        # What people are told plainly, and no button against it: machines are told too late.
        claims.add("availability", stock, _AGAINST_ALL, "page")
    claims.add("availability", stock, sure, "page")
    claims.add("description", _shown_description(page), 0.4, "page")
    labels = labelled(page)
    claims.take([labels])
    if not claims.of("sku"):
        claims.take([repeated(page, url)])
    claims.take([given_away(tree, claims, url, has_price=shown is seen)])
    _categorise(claims, [*linked, *microdata.items, *rdfa.items], page)
    if own is not None:
        claims.take([own.claims])
        images = [*own.images, *images]
    has_number = bool(claims.of("sku") or claims.of("gtin"))
    has = _Has(bool(claims.of("price")), has_number, is_for_sale, is_of_one(labels))
    confidence = _confidence(told, page, shown, has)
    if not is_one and confidence >= SURE and _is_something_else(told, linked, page, url, shown):
        confidence = _UNSURE
    if confidence <= 0 or not claims.of("name"):
        return None
    if image := metas.get("og:image"):
        images.append(image)
    by = (site.name, site.version) if site is not None else (GENERIC, VERSION)
    shown_by = pictures(images, page, base, captions)
    found = merged(claims, url, shown_by, confidence, by, own.extra if own else {})
    return found if found.price or found.sku or found.availability or told else None


def _of_its_own(seen: Shown, claims: ProductClaims, page: ProductOutline, url: str) -> Shown:
    """What is shown, unless it is the price of something else that the page leads to."""
    told = claims.best("price")
    is_told = told is not None and same(told.value, seen.price)
    is_others = seen.price and not is_told and shows_a_list(page, url, seen.price)
    return Shown() if is_others else seen


def _but_nothing(seen: Shown) -> Shown:
    """What is shown; nothing costs nothing, and what does is the basket's sum."""
    return Shown() if seen.price and float(seen.price) == 0 else seen


def _is_the_shop(name: str, url: str, metas: dict[str, str]) -> bool:
    """Whether a heading names who sells and not what: pages that scripts fill begin so."""
    squeezed = "".join(name.lower().split())
    return squeezed in site_host(url).split(".") or (
        bool(name) and name.lower() == metas.get("og:site_name", "").strip().lower()
    )


def _says_free(page: ProductOutline) -> bool:
    tags = (piece.text for piece in page.own if piece.zone & (Zone.PRICE | Zone.SIDE) == Zone.PRICE)
    return any(len(text) < _TAG and is_free(text) for text in tags)


def _is_something_else(
    told: float, linked: list[object], page: ProductOutline, url: str, shown: Shown
) -> bool:
    """Whether it names prices, and is a text or a list all the same."""
    if told < _PLAINLY_ONE and sells_nothing(linked):
        return True
    return is_called_a_list(linked) or shows_a_list(page, url, shown.price)


def _loose(microdata: Marked) -> Node:
    """Properties that say of what only by where they stand, and offers of no product."""
    if any("Product" in types_of(node) for node in microdata.items):
        return microdata.loose
    offers = [node for node in microdata.items if "Offer" in "".join(types_of(node))]
    # Several are those of a list of products.
    return {**microdata.loose, "offers": offers} if len(offers) == 1 else microdata.loose


def _is_told_of(metas: dict[str, str]) -> bool:
    return is_product_type(metas) or is_priced(metas)


def _is_offered(loose: Node) -> bool:
    return "price" in loose or "offers" in loose


def _place(tree: Tree, metas: dict[str, str], url: str, declared: str) -> PricePlace:
    language = metadata.language_of(tree, metadata.Metas(metas, ())) or metas.get(
        "og:locale", ""
    ).replace("_", "-")
    return PricePlace(language, site_host(url).rpartition(".")[2], declared)


def _categorise(claims: ProductClaims, values: list[object], page: ProductOutline) -> None:
    crumbs = crumbs_of(list(values)) or _shown_crumbs(page)
    name = claims.best("name")
    while crumbs and name is not None and _alike(crumbs[-1], name.value):
        crumbs = crumbs[:-1]
    claims.add("breadcrumbs", crumbs, 0.8, "page")
    if crumbs and len(crumbs) > 1:
        claims.add("category", crumbs[-1], 0.7, "page")


def _shown_crumbs(page: ProductOutline) -> tuple[str, ...]:
    found: list[str] = []
    start = -1
    for place, text, _, zone in page.pieces:
        if zone & Zone.CRUMBS and not zone & Zone.HIDDEN:
            if start >= 0 and place - start > 200:
                break
            start = place if start < 0 else start
            text = text.strip(" />›»|→·-")
            if 1 < len(text) <= 80:
                found.append(text)
    return tuple(found[:12])


def _shown_description(page: ProductOutline) -> str:
    """The first paragraph behind the heading that is long enough to be one."""
    for place, text, element, zone in page.own:
        is_prose = len(text) >= 60 and element.tag in ("p", "div", "span")
        is_apart = zone & (Zone.HIDDEN | Zone.SIDE | Zone.PRICE)
        if is_prose and not is_apart and place > page.heading_place:
            return one_line(element.text, 2_000)
    return ""


def _alike(one: str, other: str) -> bool:
    one, other = one.lower().strip(), other.lower().strip()
    return one == other or (
        len(one) > 10 and (other.startswith(one.rstrip(".…")) or one.startswith(other))
    )


class _Has(NamedTuple):
    price: bool
    number: bool
    """An article number of any kind."""
    offer: bool
    """Something says that it can be bought, or could be."""
    one_label: bool
    """What it labels as an article number is that of one thing."""


def _confidence(told: float, page: ProductOutline, shown: Shown, has: _Has) -> float:
    """How sure it is that this is one product's page and not a list of many, or none's at all."""
    seen = 0.0
    if shown.price:
        seen = 0.3 * shown.confidence / 0.8
        if has.offer:
            seen += 0.3
        if page.heading:
            seen += 0.1
        if has.number:
            seen += 0.1
        if len(page.buttons) >= _MANY and len(shown.all) >= _MANY and not has.one_label:
            # A button and a price for each of many: a list, whatever its markup.
            seen *= 0.4
    elif has.price:
        seen = 0.25 + 0.2 * has.offer
    return 1 - (1 - told) * (1 - min(seen, 0.85))
