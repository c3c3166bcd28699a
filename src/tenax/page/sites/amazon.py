"""How does Amazon lay out a product? Little of it is told to machines; ids say what is what."""

from __future__ import annotations

import re

from tenax.page.sites import SitePage, site_parser

_PRICES = (
    "#corePrice_feature_div .priceToPay .a-offscreen",
    "#corePriceDisplay_desktop_feature_div .priceToPay .a-offscreen",
    "#corePrice_feature_div .a-price:not(.a-text-price) .a-offscreen",
    "#corePriceDisplay_desktop_feature_div .a-price:not(.a-text-price) .a-offscreen",
    "#apex_desktop .a-price:not(.a-text-price) .a-offscreen",
    "#price_inside_buybox",
    "#newBuyBoxPrice",
    "#priceblock_dealprice",
    "#priceblock_saleprice",
    "#priceblock_ourprice",
    "#buyNewSection .a-color-price",
    "#kindle-price",
)
_REGULAR = (
    ".basisPrice .a-offscreen",
    "#corePrice_feature_div .a-text-price .a-offscreen",
    "#corePriceDisplay_desktop_feature_div .a-text-price .a-offscreen",
    "#price .a-text-strike",
    ".priceBlockStrikePriceString",
)
_ASIN = r"/(?:dp|gp/product|gp/aw/d)/([A-Z0-9]{10})"
_STORE = re.compile(
    r"^(?:visit the |brand: ?|marke: ?|marque ?: ?|marca: ?)|^besuche den |^visita lo store di "
    r"|^visiter la boutique |^visita la tienda de |(?:-?store|-shop)$",
    re.IGNORECASE,
)


@site_parser("amazon.*", version="1")
@site_parser("amazon.*.*", version="1")
def amazon(page: SitePage) -> dict[str, str]:
    """A product page; of others, as lists and baskets, nothing."""
    name = page.text("#productTitle", "#title", "#ebooksProductTitle")
    if not name:
        return {}
    asin = page.attr("#ASIN, input[name='ASIN'], input[name='ASIN.0']", "value")
    return {
        "name": name,
        "price": page.text(*_PRICES),
        "regular_price": page.text(*_REGULAR),
        "availability": _availability(page),
        "brand": _STORE.sub("", page.text("#bylineInfo", "tr.po-brand td:last-child")).strip(),
        "category": page.text("#wayfinding-breadcrumbs_feature_div li:last-child a"),
        "description": page.text("#productDescription", "#feature-bullets"),
        "sku": asin or page.matched(_ASIN, page.url),
        "rating": page.matched(
            r"([\d.,]+)", page.attr("#acrPopover", "title") or page.text("#acrPopover .a-icon-alt")
        ),
        "reviews": page.matched(r"([\d.,\s]+)", page.text("#acrCustomerReviewText")),
        "image": page.attr("#landingImage, #imgBlkFront", "data-old-hires")
        or page.attr("#landingImage, #imgBlkFront", "src"),
    }


def _availability(page: SitePage) -> str:
    told = page.text("#availability", "#outOfStock", "#availability_feature_div")
    if told:
        return told
    return "in stock" if page.all("#add-to-cart-button, #buy-now-button") else ""
