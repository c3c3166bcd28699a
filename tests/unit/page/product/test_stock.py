"""Whether it can be had: what speaks of the product, and what only seems to."""

from __future__ import annotations

import pytest

from tenax.model import Stock
from tenax.page.product import extract

PRICE = '<h1>Tray</h1><b class="price">$5.00</b>'
BUTTON = "<button>Add to cart</button>"
IN, OUT = Stock.IN_STOCK, Stock.OUT_OF_STOCK


def stock(body: str, head: str = "") -> Stock:
    product = extract(f"<title>Tray</title>{head}{PRICE}{body}".encode(), "https://a.example/tray")
    assert product is not None
    return product.availability


@pytest.mark.parametrize(
    ("body", "meant"),
    [
        ("<p>Sold out</p>", OUT),
        ("<p>Sold!</p>", OUT),
        ("<p>In stock</p>", IN),
        ("<p>Availability: not in stock</p>", OUT),
        ("<table><tr><td>Availability</td><td>Out of stock</td></tr></table>", OUT),
        ("<table><tr><th>Lagerbestand</th><td>nicht verfügbar</td></tr></table>", OUT),
        ("<dl><dt>Stock</dt><dd>Sold out</dd></dl>", OUT),
        ("<p><b>Status:</b> sold out</p>", OUT),
        ("<p>متوفر</p>", IN),
        ("<p>غير متوفر</p>", OUT),
        ("<p>Ni na zalogi</p>", OUT),
        ("<p>Na zalogi</p>", IN),
    ],
)
def test_what_is_said_of_the_product_is_heard(body: str, meant: Stock) -> None:
    assert stock(body) is meant


@pytest.mark.parametrize(
    "body",
    [
        "<table><tr><td>Wi-Fi</td><td>Not available</td></tr></table>",
        "<table><tr><td>Express</td><td>available now</td><td>not available</td></tr></table>",
        "<dl><dt>Backlight</dt><dd>Not available</dd></dl>",
        "<p>Bluetooth: not available</p>",
        "<p><b>Spare parts:</b> no longer available</p>",
        "<p>Not available for pickup</p>",
        "<p>Click and collect is currently unavailable</p>",
        "<p>Abholung in der Filiale nicht verfügbar</p>",
        "<p>Over two million copies sold!</p>",
    ],
)
def test_what_is_said_of_something_else_is_not(body: str) -> None:
    assert stock(body + BUTTON) is IN
    assert stock(body) is Stock.UNKNOWN


def test_a_page_in_one_great_table_is_heard() -> None:
    words = "All about this very fine tray, which is made of wood. " * 2
    assert stock(f"<table><tr><td>{words}</td><td><p>Sold out</p></td></tr></table>") is OUT


BOUGHT = '<button name="add-to-cart" class="buy">Add to cart</button>'
GONE = '<button name="add-to-cart" class="hidden" disabled>Sold out</button>'


def test_a_live_button_outweighs_what_is_hidden() -> None:
    assert stock(BOUGHT + GONE) is IN
    assert stock(BOUGHT + '<span style="display: none">Sold out</span>') is IN


def test_what_is_seen_outweighs_a_hidden_button_that_is_live() -> None:
    assert stock(BOUGHT.replace("buy", "hidden") + GONE.replace("hidden", "buy")) is OUT
    assert stock(BOUGHT.replace("buy", "hidden") + "<button disabled>Add to cart</button>") is OUT


def test_what_is_made_no_more_is_not_only_out_of_stock() -> None:
    data = (
        '<script type="application/ld+json">{"@type": "Product", "name": "Tray", "offers":'
        ' {"price": 5, "availability": "https://schema.org/Discontinued"}}</script>'
    )
    assert stock('<p class="stock">No longer available</p>', data) is Stock.DISCONTINUED


def test_a_whisper_is_nothing() -> None:
    assert stock("<p>When something is not available we tell you so on its page</p>") is not OUT
