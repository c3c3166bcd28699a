"""Is what was found told as it is told elsewhere?"""

from __future__ import annotations

from tenax.ops.search.hits import hit_facts
from tenax.ports.search import Doc, Hit, Query


def test_a_price_is_spelled_as_the_product_has_it() -> None:
    for price, currency in (
        ("129.00", "EUR"), ("0.50", "USD"), ("999999999999.99", "EUR"), ("1290", "JPY"),
        ("0.0005", "EUR"), ("19.999", "TND"), ("7", ""), ("0.00", "EUR"),
    ):  # fmt: skip
        doc = Doc(1, "v", "shop", "a.example", "https://a.example/", 1.0, price=float(price),
                  currency=currency)  # fmt: skip
        assert hit_facts(Hit(doc, 1.0), Query()).price == price
    free = Doc(1, "v", "shop", "a.example", "https://a.example/", 1.0)
    assert hit_facts(Hit(free, 1.0), Query()).price == ""
