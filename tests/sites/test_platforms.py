"""Of every platform and of the largest shops' layouts, a product is read right."""

from __future__ import annotations

import pytest

from tenax.page.product import SURE, extract, may_be_product
from tests.sites.platforms import PLATFORMS
from tests.sites.tricky import Tricky


@pytest.mark.parametrize("page", PLATFORMS, ids=lambda page: page.trap)
def test_a_page_of_this_platform_is_read_right(page: Tricky) -> None:
    product = extract(page.html.encode(), page.url)
    assert product is not None
    assert {name: str(getattr(product, name)) for name in page.truth} == page.truth


@pytest.mark.parametrize("page", PLATFORMS, ids=lambda page: page.trap)
def test_a_page_of_this_platform_is_known_as_a_products(page: Tricky) -> None:
    product = extract(page.html.encode(), page.url)
    assert product is not None
    # What only scripts tell may be about anything.
    assert product.confidence >= SURE or product.confidences.get("price", 0) < SURE
    # Without the word price, a page is not looked at: it would cost all others too much.
    assert may_be_product(page.html.encode()) or "rice" not in page.html
