"""What does the parser of a site claim? Text by field, understood as on any page."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from tenax.page.html import Tree, one_line
from tenax.page.product.claims import ProductClaims, storable
from tenax.page.product.currencies import PricePlace
from tenax.page.product.prices import amount_of, find_money, machine_amount
from tenax.page.product.stock import meant_stock
from tenax.page.sites import SitePage, SiteParser, site_host

log = logging.getLogger(__name__)
_TRUST: Final = 0.985
"""Above two sources of any other kind that agree: who wrote it has looked at the site."""
_TEXTS: Final = ("name", "description", "brand", "category", "sku", "mpn", "gtin")


_KNOWN: Final = frozenset(
    {*_TEXTS, "price", "regular_price", "currency", "availability", "rating", "reviews", "image"}
)
_MOST_EXTRA: Final = 50
_LONGEST: Final = 2_000
_LONGEST_NAME: Final = 100


class Own(NamedTuple):
    claims: ProductClaims
    images: list[str]
    extra: dict[str, str]
    """What it told under names of its own."""


def own_claims(parser: SiteParser, tree: Tree, url: str) -> Own | None:
    """None when the parser finds no product here; a bug in it costs the page nothing else."""
    try:
        said = parser.parse(SitePage(tree, url))
    except Exception:
        log.exception("the parser %s %s failed at %s", parser.name, parser.version, url)
        return None
    if not said.get("name"):
        return None
    claims = ProductClaims()

    def claim(name: str, value: object) -> None:
        claims.add(name, value, _TRUST, parser.name)

    for name in _TEXTS:
        claim(name, one_line(said.get(name, ""), _LONGEST))
    place = PricePlace(ending=site_host(url).rpartition(".")[2])
    for name in ("price", "regular_price"):
        text = said.get(name, "")
        money = find_money(text, place)
        claim(name, money[0].amount if money else machine_amount(text))
        if name == "price":
            claim("currency", said.get("currency") or (money[0].currency if money else ""))
    if stock := meant_stock(said.get("availability", "")):
        claim("availability", stock)
    if rating := amount_of(said.get("rating", "")):
        claim("rating", round(float(rating), 2) if float(rating) <= 5 else None)
    if (count := re.sub(r"\D", "", said.get("reviews", ""))) and len(count) < 10:
        claim("reviews", int(count))
    return Own(claims, [said["image"]] if said.get("image") else [], _extra(said))


def _extra(said: Mapping[str, str]) -> dict[str, str]:
    """In the order of their names, so that the same is the same."""
    told = {
        storable(str(name))[:_LONGEST_NAME]: storable(one_line(str(value), _LONGEST))
        for name, value in said.items()
        if name not in _KNOWN and value
    }
    return dict(sorted(told.items())[:_MOST_EXTRA])
