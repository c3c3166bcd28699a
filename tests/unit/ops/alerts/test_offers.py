"""Is a product told of when it moved as a rule asks, and left alone otherwise?"""

from __future__ import annotations

import pytest

from tenax.model import ProductStatus, Stock
from tenax.ops.alerts.offers import moved
from tenax.ops.alerts.rules import AlertRule, AlertWhat, product_rules, wrong_alerts
from tenax.ops.products.timeline import OfferPoint
from tenax.settings import SettingsError, load

HAD, GONE = Stock.IN_STOCK, Stock.OUT_OF_STOCK
DROP, RISE = AlertWhat.PRICE_DROP, AlertWhat.PRICE_RISE


def priced(*prices: tuple[float, str], currency: str = "EUR") -> list[OfferPoint]:
    return [OfferPoint(at, price, currency) for at, price in prices]


def stocked(*stock: tuple[float, Stock]) -> list[OfferPoint]:
    return [OfferPoint(at, availability=each) for at, each in stock]


def test_a_price_is_compared_with_what_it_was_when_the_time_began() -> None:
    fell = priced((10.0, "100"), (50.0, "90"), (60.0, "80"))
    share, told = moved(DROP, fell, 20.0)
    assert (share, told) == (0.2, "100 -> 80 EUR")
    assert moved(RISE, fell, 20.0)[0] == 0.0
    assert moved(DROP, fell, 55.0)[0] == pytest.approx(1 / 9), "from 90"
    assert moved(DROP, fell, 70.0)[0] == 0.0, "so it is by now"
    assert moved(DROP, fell, 0.0)[0] == pytest.approx(0.2), "younger than that: as it was at first"
    assert moved(DROP, [*fell, OfferPoint(65.0, "100", "EUR")], 20.0)[0] == 0.0, "back again"
    assert moved(RISE, priced((1.0, "80"), (2.0, "100")), 1.0)[0] == pytest.approx(0.25)


def test_what_cannot_be_compared_has_not_moved() -> None:
    other = [*priced((1.0, "100")), *priced((2.0, "50"), currency="USD")]
    gone = [*priced((1.0, "100")), OfferPoint(2.0, "50", "EUR", status=ProductStatus.DELISTED)]
    unread = priced((1.0, "100"), (2.0, ""))
    for points in (other, gone, unread, priced((1.0, "0"), (2.0, "5")), []):
        assert moved(DROP, points, 1.0)[0] == moved(RISE, points, 1.0)[0] == 0.0


def test_a_product_is_back_once_it_was_away() -> None:
    back = stocked((1.0, HAD), (10.0, GONE), (20.0, HAD))
    assert moved(AlertWhat.IN_STOCK, back, 15.0)[0] == 1.0
    assert moved(AlertWhat.IN_STOCK, back, 5.0)[0] == 1.0, "gone and back since then"
    assert moved(AlertWhat.IN_STOCK, back, 25.0)[0] == 0.0
    assert moved(AlertWhat.OUT_OF_STOCK, back, 5.0)[0] == 0.0
    assert moved(AlertWhat.IN_STOCK, stocked((1.0, HAD)), 0.0)[0] == 0.0, "it always was"
    unsure = stocked((1.0, Stock.UNKNOWN), (2.0, HAD))
    assert moved(AlertWhat.IN_STOCK, unsure, 0.0)[0] == 0.0, "nobody knew"


def test_one_that_is_delisted_cannot_be_had() -> None:
    points = [OfferPoint(1.0, availability=HAD),
              OfferPoint(2.0, availability=HAD, status=ProductStatus.DELISTED)]  # fmt: skip
    assert moved(AlertWhat.OUT_OF_STOCK, points, 1.0)[0] == 1.0


def test_rules_of_products_stand_each_for_itself() -> None:
    rules = [AlertRule(DROP, brand="Acme"), AlertRule(DROP, name="all", threshold=0.5, lasting=60),
             AlertRule(RISE, off=True), AlertRule(AlertWhat.ERRORS, threshold=0.5)]  # fmt: skip
    found = [(rule.name, limit.threshold, limit.lasting) for rule, limit in product_rules(rules)]
    assert found == [("", 0.1, 0.0), ("all", 0.5, 60.0)]


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        ([AlertRule(AlertWhat.ERRORS, brand="Acme")], "brand of errors"),
        ([AlertRule(AlertWhat.IN_STOCK, threshold=0.5)], "threshold of in_stock"),
        ([AlertRule(DROP, brand="a"), AlertRule(DROP, brand="b")], "price_drop"),
    ],
)
def test_rules_that_cannot_be_meant_are_told(rules: list[AlertRule], told: str) -> None:
    assert [where for where, _ in wrong_alerts(rules)] == [told]
    with pytest.raises(SettingsError, match=told):
        load({"alerts": rules}, environment={})
