"""What do names say about the place where they stand?"""

from __future__ import annotations

import pytest

from tenax.page.product import zones
from tenax.page.product.zones import Zone, named

pytestmark = pytest.mark.usefixtures("either_way")


@pytest.fixture(autouse=True)
def _nothing_is_remembered() -> None:
    zones.named.cache_clear()


@pytest.mark.parametrize(
    ("name", "zone"),
    [
        ("mt-4 flex", Zone.NONE),
        ("hidden", Zone.HIDDEN),
        ("hidden-xs", Zone.NONE),
        ("site-header", Zone.FRAME),
        ("top_bar", Zone.FRAME),
        ("top-barrel", Zone.NONE),
        ("header", Zone.FRAME),
        ("header-image", Zone.NONE),
        ("header__title", Zone.FRAME),
        ("product-header__title", Zone.MAIN),
        ("mini__cart", Zone.NONE),
        ("products-grid", Zone.OTHERS),
        ("productsgrid", Zone.NONE),
        ("product-item", Zone.OTHERS),
        ("product-item-info", Zone.MAIN),
        ("preview", Zone.NONE),
        ("user-review", Zone.REVIEW),
        ("q-and-a", Zone.REVIEW),
        ("Old-PRICE", Zone.STRUCK | Zone.PRICE),
        ("bold-price", Zone.PRICE),
        ("item oldprice", Zone.STRUCK | Zone.PRICE),
        ("price-list", Zone.STRUCK | Zone.PRICE),
        ("price-listing", Zone.PRICE),
        ("line-through", Zone.STRUCK),
        ("base_price", Zone.BEFORE | Zone.PRICE),
        ("tax-note", Zone.SIDE),
        ("syntax-note", Zone.NONE),
        ("price--sale", Zone.NOW | Zone.PRICE),
        ("price_-_sale", Zone.NOW | Zone.PRICE),
        ("summary-box", Zone.MAIN),
        ("the-summary-box", Zone.NONE),
        ("crumb", Zone.CRUMBS),
        ("crumble", Zone.NONE),
        ("colours", Zone.OPTION),
        ("colourful", Zone.NONE),
        ("product_code", Zone.SKU),
        ("the-sku", Zone.SKU),
        ("skull", Zone.NONE),
    ],
)
def test_a_name_says_what_its_words_say(name: str, zone: int) -> None:
    assert named(name, "") == zone


@pytest.mark.parametrize(
    ("name", "zone"),
    [
        ("product-info product-card", Zone.OTHERS | Zone.MAIN),
        ("product-page product-card", Zone.MAIN),
        ("price option", Zone.PRICE),
        ("related-gallery", Zone.OTHERS),
        ("gallery product-card", Zone.GALLERY),
        ("delivery-status", Zone.STOCK),
        ("delivery-status badge", Zone.STOCK | Zone.SIDE),
    ],
)
def test_words_that_disagree_are_settled(name: str, zone: int) -> None:
    assert named(name, "") == zone


def test_no_word_reaches_over_a_space() -> None:
    assert named("product card", "") == Zone.MAIN | Zone.OTHERS
    assert named("site header-x", "") == Zone.NONE


def test_a_long_name_is_cut() -> None:
    assert named("x" * 300 + " price", "") == Zone.NONE


def test_a_table_of_names_is_spelled_out() -> None:
    assert set(zones._spelled("a~b")) == {"ab", "a-b", "a_b"}
    assert set(zones._choices("<{a,b{,s}}$")) == {"<a$", "<b$", "<bs$"}
    assert set(zones._spelled("<a$")) == {" a ", "-a ", "_a "}
