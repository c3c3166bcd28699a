"""Of every style of shop, every product is read right."""

from __future__ import annotations

import pytest

from tenax.model import Stock
from tenax.page.product import SURE, extract, may_be_product
from tests.sites.shops import STYLES, Shop, shops

ALL = list(shops())
# Neither of them has a word in its markup that says price.
SILENT = ("tables_of_2003", "hashed_classes")


def test_there_are_enough_shops_to_learn_from() -> None:
    assert len(ALL) >= 60


@pytest.mark.parametrize("style", [style.__name__ for style in STYLES])
def test_a_shop_of_this_style_is_read_right(style: str) -> None:
    wrong = [told for shop in ALL if shop.style == style for told in mistakes(shop)]
    assert wrong == []


def mistakes(shop: Shop) -> list[str]:
    truth = shop.good
    product = extract(shop.html.encode(), truth.url)
    if product is None:
        return [f"{truth.name}: no product"]
    found = {
        "name": (product.name, truth.name),
        "price": (product.price, truth.price),
        "currency": (product.currency, truth.currency),
        "regular price": (product.regular_price, truth.was),
        "availability": (product.availability, truth.stock),
        "sku": (product.sku, truth.sku),
    }
    wrong = [f"{truth.name}: {what} {got!r}, not {is_!r}"
             for what, (got, is_) in found.items() if got != is_]  # fmt: skip
    if type(product.availability) is not Stock:
        wrong.append(f"{truth.name}: availability is no word of ours")
    if product.confidence < SURE:
        wrong.append(f"{truth.name}: confidence {product.confidence}")
    if shop.style not in SILENT and not may_be_product(shop.html.encode()):
        wrong.append(f"{truth.name}: not even looked at")
    return wrong
