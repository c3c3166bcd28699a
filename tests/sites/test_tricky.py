"""What misleads others does not mislead us."""

from __future__ import annotations

import pytest

from tenax.page.product import extract
from tests.sites.tricky import TRICKY, Tricky


@pytest.mark.parametrize("page", TRICKY, ids=lambda page: page.trap)
def test_a_page_that_misleads_is_read_right(page: Tricky) -> None:
    product = extract(page.html.encode(), page.url)
    assert product is not None
    assert {name: str(getattr(product, name)) for name in page.truth} == page.truth
