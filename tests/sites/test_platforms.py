"""Of every platform and of the largest shops' layouts, a product is read right."""

from __future__ import annotations

import pytest

from tenax.page.product import SURE, extract, may_be_product
from tests.sites.platforms import PLATFORMS
from tests.sites.tricky import Tricky
from tests.sites.ways import WAYS


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
    is_asked_for = product.confidence >= SURE and "rice" in page.html
    assert may_be_product(page.html.encode()) or not is_asked_for


@pytest.mark.parametrize(("html", "truth"), [way[1:] for way in WAYS], ids=[way[0] for way in WAYS])
def test_this_way_to_write_it_is_understood(html: bytes, truth: dict[str, str]) -> None:
    product = extract(html, "https://shop.example/tray")
    assert product is not None
    assert {name: str(getattr(product, name)) for name in truth} == truth


LABELS = (
    "Item Number:", "Item No.:", "Item #", "Product ID:", "Product Ref:", "Style #:", "Style Code:", "Stock #:",
    "Catalog Number:", "Cat. No.", "Web ID:", "Prod. Code:", "Code:", "Ref", "REF.", "Our ref:", "Design No:",
    "Artikel:", "Artikel-Nr.:", "Art.Nr.:", "Best.-Nr.:", "Produkt-Nr.:", "Référence", "UGS :", "N° d'article:",
    "Número de artículo:", "Código do produto:", "Cód.", "Codice:", "Cod produs:", "Varenummer (SKU):", "Tuotenro:",
    "Nr katalogowy:", "Kod produktu:", "Kód:", "Šifra:", "Арт.", "Код товара:", "Κωδικός:", "Ürün Kodu :", "Mã SP:",
    "品番：", "货号：", "Store SKU #",
)  # fmt: skip


@pytest.mark.parametrize("label", LABELS)
def test_a_number_is_known_by_its_label(label: str) -> None:
    html = (
        "<title>Walnut Tray</title><main><h1>Walnut Tray</h1><p class=price>$24.99</p>"
        f"<button>Add to cart</button><p>{label} <span>AB-123</span></p></main>"
    )
    product = extract(html.encode(), "https://shop.example/tray")
    assert product is not None
    assert product.sku == "AB-123"


def test_what_a_coupon_is_called_is_no_number_of_the_product() -> None:
    html = (
        "<title>Walnut Tray</title><main><h1>Walnut Tray</h1><p class=price>$24.99</p>"
        "<p>Use code SAVE20 for 20% off</p><p>Promo code: SAVE20</p><p>Code red for savers</p>"
        "<p>Our 2024 range</p><p>Reference library 12</p><p>No. 1 in trays</p></main>"
    )
    product = extract(html.encode(), "https://shop.example/tray")
    assert product is not None
    assert product.sku == ""
