"""What does the parser of a site claim? Text by field, understood as on any page."""

from __future__ import annotations

import logging
import re
from typing import Final, NamedTuple

from tenax.page.html import Tree, one_line
from tenax.page.product.claims import ProductClaims
from tenax.page.product.currencies import PricePlace
from tenax.page.product.prices import amount_of, find_money, machine_amount
from tenax.page.product.stock import meant_stock
from tenax.page.sites import SitePage, SiteParser, site_host

log = logging.getLogger(__name__)
_TRUST: Final = 0.985
"""Above two sources of any other kind that agree: who wrote it has looked at the site."""
_TEXTS: Final = ("name", "description", "brand", "category", "sku", "mpn", "gtin")


class Own(NamedTuple):
    claims: ProductClaims
    images: list[str]


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
        claim(name, one_line(said.get(name, ""), 2_000))
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
    return Own(claims, [said["image"]] if said.get("image") else [])
