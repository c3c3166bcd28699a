"""Parsers of single sites: a saved page of each, and what is on it (PROD-2)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tenax.model import Stock
from tenax.page import sites
from tenax.page.product import extract
from tenax.page.sites import SitePage, parser_for, site_parser

PAGES = Path(__file__).parent / "pages"


def saved(name: str) -> bytes:
    return (PAGES / f"{name}.html").read_bytes()


def test_a_page_of_amazon_is_read_by_its_own_parser() -> None:
    product = extract(saved("amazon-kettle"), "https://www.amazon.com/dp/B0TENAX001?th=1")
    assert product is not None
    assert (product.parser, product.parser_version) == ("amazon", "1")
    assert product.name == "Harrow Gooseneck Kettle, 0.9 l, Matt Black"
    assert (product.price, product.currency, product.regular_price) == ("39.96", "USD", "49.95")
    assert (product.availability, product.sku, product.brand) == (
        Stock.IN_STOCK, "B0TENAX001", "Harrow",
    )  # fmt: skip
    assert (product.rating, product.reviews, product.category) == (4.6, 2318, "Kettles")
    assert product.images[0].url == "https://images.example/kettle-large.jpg"
    assert product.is_complete


def test_what_cannot_be_had_needs_no_price() -> None:
    product = extract(saved("amazon-lampe"), "https://www.amazon.de/Lumen/dp/B0TENAX002")
    assert product is not None
    assert (product.availability, product.sku, product.brand) == (
        Stock.OUT_OF_STOCK, "B0TENAX002", "Lumen",
    )  # fmt: skip
    assert (product.rating, product.reviews) == (3.9, 1204)
    assert product.is_complete


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("amazon.de", "amazon"),
        ("www.amazon.co.uk", "amazon"),
        ("smile.amazon.com", "amazon"),
        ("amazon.example.org", None),
        ("notamazon.com", None),
        ("shop.example", None),
    ],
)
def test_a_parser_reads_the_hosts_of_its_pattern(host: str, name: str | None) -> None:
    found = parser_for(host)
    # amazon.*.* takes any two labels: amazon.example.org is no shop, and costs nothing.
    if host == "amazon.example.org":
        assert found is not None
    else:
        assert (found.name if found else None) == name


@pytest.fixture
def _registry() -> Iterator[None]:
    before = list(sites._registered)
    yield
    sites._registered[:] = before
    parser_for.cache_clear()


HTML = b"<title>t</title><h1>Wrong</h1><p class=x>Right</p><p class=y>5 EUR</p><p>Add to cart</p>"


@pytest.mark.usefixtures("_registry")
def test_a_parser_of_ones_own_is_registered_by_a_decorator() -> None:
    @site_parser("kettles.example", version="7")
    def kettles(page: SitePage) -> dict[str, str]:
        return {"name": page.text(".missing", ".x"), "price": page.text(".y")}

    product = extract(HTML, "https://www.kettles.example/a")
    assert product is not None
    assert (product.name, product.price, product.currency) == ("Right", "5.00", "EUR")
    assert (product.parser, product.parser_version) == ("kettles", "7")


@pytest.mark.usefixtures("_registry")
def test_what_a_parser_tells_under_names_of_its_own_is_kept() -> None:
    @site_parser("kettles.example", version="7")
    def kettles(page: SitePage) -> dict[str, str]:
        return {"name": page.text(".x"), "watts": "2,200", "colour": "red\x00", "none": ""}

    product = extract(HTML, "https://www.kettles.example/a")
    assert product is not None
    assert product.extra == {"colour": "red", "watts": "2,200"}
    assert list(product.extra) == ["colour", "watts"]


@pytest.mark.usefixtures("_registry")
def test_a_parser_that_fails_costs_the_page_nothing_else() -> None:
    @site_parser("kettles.example", version="7")
    def kettles(page: SitePage) -> dict[str, str]:
        raise LookupError(page.url)

    product = extract(HTML, "https://kettles.example/a")
    assert product is not None
    assert product.name == "Wrong"
