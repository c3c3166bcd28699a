"""Whatever the page: that looking for a product ends early never changes what is found."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tenax.page.html import parse
from tenax.page.product import SURE, product_of, sure_product_of
from tenax.page.product.currencies import PricePlace
from tenax.page.product.outline import outline
from tenax.page.product.tags import AWAY, shown_price, surest

PIECES = (
    "<title>Green mug</title>", "<h1>Green mug</h1>", "<h1 class=related>Blue mug</h1>", "<h2>",
    "<div class=price>", "<div class=product-info>", "<div class='sale price product-info'>",
    "<div class=related>", "<div class=old-price>", "<div class=shipping>", "<div hidden>",
    "</div>", "<b>", "</b>", "<ins>", "</ins>", "<p>", "<br>" * 80, "now ", "only ", "was ",
    "from ",
    "$12.50", "12,50 \u20ac", "7", "EUR", "100", "incl. VAT", "per month",
    "<button>Add to cart</button>", "<button disabled>Sold out</button>", "<p>SKU: AB-1234<p>",
    "<p>Sold out</p>", "<p class=stock>Out of stock</p>",
    '<script type="application/ld+json">{"@type": "Product", "name": "Green mug"}</script>',
    '<script type="application/ld+json">{"@type": "Article", "name": "Mugs"}</script>',
    '<meta property="og:type" content="product">',
)  # fmt: skip
STRONG = (
    "<title>Green mug</title><h1>Green mug</h1><p>SKU: AB-1234</p>"
    "<div class='product-info sale price'><b>now $12.50</b></div>"
)
pages = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)


@settings(max_examples=300)
@given(pages)
@example(STRONG)
@example(STRONG.replace("product-info ", ""))
@example(STRONG.replace("<b>", "").replace("now ", ""))
def test_what_is_given_up_is_no_products_page(html: str) -> None:
    tree = parse(html.encode(), "utf-8")
    found = product_of(tree, "https://shop.example/mug")
    is_sure = found is not None and found.confidence >= SURE and bool(found.name)
    assert sure_product_of(tree, "https://shop.example/mug") == (found if is_sure else None)


@settings(max_examples=300)
@given(pages)
@example(STRONG)
def test_no_price_is_surer_than_where_figures_stand_allows(html: str) -> None:
    page = outline(parse(html.encode(), "utf-8"), "Green mug")
    shown = shown_price(page, PricePlace("en", "example"))
    assert shown.confidence <= max(surest(page), AWAY)
