"""Numbers that a page puts a label before, in the languages of shops, or has in its URL."""

from __future__ import annotations

import pytest

from tenax.page.product import extract
from tenax.page.product.labels import numbers_of

URL = "https://shop.example/tray"
PRICED = '<h1>Tray</h1><b class="price">$5.00</b><button>Add to cart</button>'


def sku(html: str, url: str = URL) -> str:
    product = extract(f"<title>Tray</title>{PRICED}{html}".encode(), url)
    assert product is not None
    return product.sku


@pytest.mark.parametrize(
    "label",
    [
        "SKU:", "SKU #", "Item No.", "ITEM #:", "Product code:", "Stock Code",
        "Reference number:", "Part Number:", "Art.-Nr.", "Art. Nr.:", "Artikelnummer",
        "Artikel-Nr.:", "Bestell-Nr.:", "Réf.", "Référence :", "UGS :", "Code article :",
        "Codice prodotto:", "COD.", "Código:", "Cód. do produto:", "Referencia:",
        "Nº de artículo:", "Bestelnummer:", "Varenr.:", "Tuotekoodi:", "Vörunúmer:", "Nr kat.:",
        "Kod produktu:", "Objednací číslo:", "Kód:", "Cikkszám:", "Termékkód:", "Cod produs:",
        "Šifra artikla:", "Шифра:", "Артикул:", "Арт. №", "Код товару:", "Код на продукта:",
        "Κωδικός είδους:", "Ürün Kodu:", "Stok No :", "Tootekood:", "Prekės kodas:",
        "Preces kods:", "Mã SP:", "รหัสสินค้า :", "Kode barang:", "رمز المنتج:", "کد کالا:",
        'מק"ט:', "品番：", "商品編號：", "상품번호 :",
        "Articolo n.", "Nº ref.:", "Cód. item:", "Objednací kód:", "Kod katalogowy:",
        "Termékazonosító:", "Tilausnumero:", "Varunummer:", "Артикул товара:", "Кат. номер:",
        "Kataloški br.:", "Gaminio kodas:", "Mã số:", "상품 코드", "款號：", "商品管理番号",
        "Clave:", "Ürün Numarası:", "| SKU:", "• Art.-Nr.:", "– Ref.:", "ID:",
    ],
)  # fmt: skip
def test_a_label_is_known_in_the_language_of_the_shop(label: str) -> None:
    assert sku(f"<p>{label} AB-1234</p>") == "AB-1234"
    assert sku(f"<dl><dt>{label}</dt><dd>AB-1234</dd></dl>") == "AB-1234"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("SKU AB-1234", "AB-1234"),
        ("Art.Nr.12345", "12345"),
        ("Art.-Nr. 12345", "12345"),
        ("Model 3 railway", ""),
        ("Code 2024 at the till", ""),
        ("Jan 2024", ""),
        ("Promo code: SAVE10", ""),
        ("Items: 12345", ""),
        ("SKU / Item #: 12345", "12345"),
        ("Product Code: (41234)", "41234"),
        ("Marke: Acme, Артикул: 41-77", "41-77"),
        ("メーカー Acme 品番：41-77", "41-77"),
        ("Idaho 41234", ""),
    ],
)
def test_without_a_mark_a_label_has_to_be_plain(text: str, found: str) -> None:
    assert sku(f"<p>{text}</p>") == found


@pytest.mark.parametrize(
    "label", ["Referencia del fabricante", "Teilenummer:", "Codice del produttore", "Mfr. No:"]
)
def test_the_makers_number_is_told_from_the_shops(label: str) -> None:
    html = f"{PRICED}<p>SKU: 77</p><dl><dt>{label}</dt><dd>KX-480Z</dd></dl>"
    product = extract(f"<title>Tray</title>{html}".encode(), URL)
    assert product is not None
    assert product.mpn == "KX-480Z"


@pytest.mark.parametrize(
    "behind",
    ["1.5 kg", "129,00 €", "24,90 zł", "2024-01-05", "30 %", "01 44 55 66 77", "120x60 cm"],
)
def test_what_is_no_code_is_not_the_value_of_an_empty_label(behind: str) -> None:
    assert sku(f"<p>SKU: </p><p>{behind}</p>") == ""


@pytest.mark.parametrize(
    ("classes", "text"),
    [("code", "ID 998127"), ("detail-ordernumber", "998127"), ("vendor-code", "998127")],
)
def test_a_class_names_a_code_where_its_label_is_vague_or_none(classes: str, text: str) -> None:
    assert sku(f'<div class="{classes}">{text}</div>') == "998127"


def test_what_may_be_chosen_from_is_no_value_of_a_label() -> None:
    assert sku("<label>Code:</label><select><option>4711</option></select>") == ""


def test_behind_an_empty_label_stands_another_one() -> None:
    assert sku("<dl><dt>Art.-Nr.:</dt><dd></dd><dt>EAN</dt><dd>-</dd></dl>") == ""


@pytest.mark.parametrize(
    ("url", "numbers"),
    [
        ("https://a.example/item/1005010537563439.html", ["1005010537563439"]),
        ("https://a.example/p/lodge-12-skillet/-/A-89287867", ["A-89287867", "89287867"]),
        ("https://a.example/loke-jacket-20-63396", ["63396"]),
        ("https://a.example/c/1082604-REG/camera.html?x=1", ["1082604-REG", "1082604"]),
        ("https://a.example/shop.php?product_id=4711x&page=20000", ["4711x"]),
        ("https://a.example/2024/summer-1500ml-100x2000-16GB", []),
        ("https://a.example", []),
    ],
)
def test_a_url_may_have_a_number_of_its_own(url: str, numbers: list[str]) -> None:
    assert numbers_of(url) == numbers


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ("<p>63396</p>", "63396"),
        ("<p>Our tray (63396)</p>", "63396"),
        ("<script>var p = {'productId': 63396, 'a': 1}</script>", "63396"),
        ("<p>Nothing</p>", ""),
        ("<p>963396</p>", ""),
        ("<script>var p = {'time': 63396, 'a': 1}</script>", ""),
        ('<a href="/x">63396</a>', ""),
        ("<p>SKU: AB-12 </p><p>63396</p>", "AB-12"),
    ],
)
def test_the_urls_number_counts_where_the_page_repeats_it(html: str, found: str) -> None:
    assert sku(html, "https://shop.example/tray-63396.html") == found


def test_what_scripts_leave_empty_is_no_number() -> None:
    assert sku('<div data-sku="null"></div><div data-product-sku="undefined"></div>') == ""


@pytest.mark.parametrize("label", ["Acme Part Number", "Acme part no.:", "Shop item number:"])
def test_a_shop_puts_its_name_before_a_label(label: str) -> None:
    assert sku(f"<table><tr><th>{label}</th><td>AC-145-2</td></tr></table>") == "AC-145-2"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("UPC 012345678905", True),
        ("UPC 012345678906", False),
        ("UPC012345678905", True),
        ("UPC# 012345678905", True),
        ("EAN13 4006381333931", True),
        ("Штрих-код: 4006381333931 (коробка)", True),
        ("EAN 4006381333931, 12345678", True),
        ("Kod paskowy: 4 006381 333931", True),
        ("Barkod: 4006381333932", False),
        ("PN012345678905", False),
    ],
)
def test_a_digit_that_checks_it_marks_a_gtin(text: str, found: bool) -> None:
    product = extract(f"<title>Tray</title>{PRICED}<p>{text}</p>".encode(), URL)
    assert product is not None
    assert bool(product.gtin) is found


@pytest.mark.parametrize(("code", "found"), [("TR-77", "TR-77"), ("insurance", "")])
def test_a_word_in_a_script_is_no_code(code: str, found: str) -> None:
    assert sku(f'<script>var settings = {{"sku": "{code}"}}</script>') == found


@pytest.mark.parametrize(
    ("script", "found"),
    [
        # As texts of a program, in which frameworks stream what a page is made of.
        (r'self.f.push([1,"6:{\"data\":{\"sku\":\"TR-77\",\"price\":5}}"])', "TR-77"),
        (r'self.f.push([1,"6:{\"data\":{\"item_id\":\"TR77\"}}"])', "TR77"),
        ("var tray = {name: 'Tray', sku: 'TR-77'}", "TR-77"),
        ('var item = {Name: "Tray", SKU: "TR-77", ID: 5}', "TR-77"),
        ("var tray = {name: 'Tray', sku: trays[77]}", ""),
        ("var tray = {sku: tray77.sku, price: 5}", ""),
        ("var sku = tray.sku: 'TR-77'", ""),
        ('var sort = {"by": "sku:\'a-1\'", "risku: \'b-2\'": 1}', ""),
    ],
)
def test_scripts_name_a_code_with_and_without_quotes(script: str, found: str) -> None:
    assert sku(f"<script>{script}</script>") == found


def test_the_code_that_scripts_come_back_to_is_the_pages_own() -> None:
    beside = '<div data-sku="CUP-1"></div>'
    cup = '{"sku": "CUP-2"}'
    often = '{"sku": "TR-77"},' * 3
    assert sku(f"{beside}<script>var shown = [{often}{cup}]</script>") == "TR-77"
    assert sku(f"{beside}<script>var list = [{often}{cup},{cup}]</script>") == "CUP-1"


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_book_is_known_by_its_longer_number(order: tuple[int, int]) -> None:
    said = ["<p>ISBN-10: 054410305X</p>", "<p>ISBN-13: 9780544103054</p>"]
    html = PRICED + "".join(said[each] for each in order)
    product = extract(f"<title>Tray</title>{html}".encode(), URL)
    assert product is not None
    assert product.gtin == "9780544103054"
