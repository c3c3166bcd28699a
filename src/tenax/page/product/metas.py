"""What do a page's meta tags claim about its product: Open Graph, product:*, Twitter labels?"""

from __future__ import annotations

from tenax.page.html import one_line
from tenax.page.product.claims import ProductClaims
from tenax.page.product.currencies import PricePlace
from tenax.page.product.prices import find_money, is_currency, machine_amount
from tenax.page.product.schema import is_gtin, stock_of

_SOURCE = "open-graph"
_SKUS = ("product:sku", "og:sku", "sku", "product:item_number", "product:product_id")
_PRICES = (
    "product:price:amount", "og:price:amount", "product:price", "og:price",
    "product:sale_price:amount",
)  # fmt: skip


def is_product_type(first: dict[str, str]) -> bool:
    # Several products are a product.group, which most who write it call their lists.
    return first.get("og:type", "").strip().lower() in ("product", "og:product", "product.item")


def is_priced(first: dict[str, str]) -> bool:
    """Whether machines are told what the page's one product costs."""
    return any(machine_amount(first.get(name, "")) not in ("", "0") for name in _PRICES)


def claims_of_metas(first: dict[str, str], trust: float, place: PricePlace) -> ProductClaims:
    claims = ProductClaims()

    def claim(name: str, value: str, share: float = 1.0) -> None:
        claims.add(name, one_line(value, 2_000), trust * share, _SOURCE)

    def named(*names: str) -> str:
        return next((first[name] for name in names if first.get(name, "").strip()), "")

    claim("name", named("og:title", "twitter:title"), 0.6)
    claim("description", named("og:description", "description"), 0.6)
    currency = is_currency(
        named("product:sale_price:currency", "product:price:currency", "og:price:currency",
              "pricecurrency")
    )  # fmt: skip
    priced = named(*_PRICES)
    if not currency and (money := find_money(priced, place)):
        currency = money[0].currency
    full = machine_amount(priced, currency)
    sale = machine_amount(named("product:sale_price:amount"), currency)
    original = machine_amount(
        named("product:original_price:amount", "og:price:standard_amount"), currency
    )
    if sale and full and float(sale) < float(full):
        claim("regular_price", full)
        full = sale
    elif original and full and float(original) > float(full):
        claim("regular_price", original)
    claim("price", full)
    claim("currency", currency)
    availability = stock_of(named("product:availability", "og:availability"))
    claims.add("availability", availability, trust, _SOURCE)
    claim("brand", named("product:brand", "og:brand", "brand"), 0.9)
    claim("category", named("product:category", "og:category").rpartition(">")[2], 0.5)
    claim("sku", named("product:retailer_item_id", "product:retailer_part_no", *_SKUS), 0.7)
    claim("mpn", named("product:mfr_part_no"))
    gtin = named("product:ean", "product:upc", "product:isbn", "product:gtin").strip()
    claim("gtin", gtin if is_gtin(gtin) else "")
    for n in ("1", "2"):
        # Shopify's and Yoast's cards for Twitter: a label and what it says.
        label, data = first.get(f"twitter:label{n}", "").lower(), first.get(f"twitter:data{n}", "")
        if label.startswith(("price", "preis", "prix", "precio")) and (
            money := find_money(data, place)
        ):
            claim("price", money[0].amount, 0.6)
            claim("currency", money[0].currency, 0.6)
        elif label.startswith(("availab", "verfüg", "disponib")):
            claims.add("availability", stock_of(data), trust * 0.8, _SOURCE)
    return claims
