"""Which numbers and names does a page put a label before: "SKU:", "Art.-Nr.", "EAN", "Brand"?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from tenax.page.product.claims import ProductClaims
from tenax.page.product.outline import ProductOutline, TextPiece
from tenax.page.product.schema import is_gtin
from tenax.page.product.zones import Zone

_THINGS: Final = (
    "item", "product", "prod", "stock", "catalog", "catalogue", "cat", "article", "order", "web",
    "part", "design", "our", "reference", "material",
)  # fmt: skip
_NUMBERS: Final = ("#", "no", "nr", "num", "number", "code", "id", "ref", "reference")
# By field and how sure a label makes it. Spelled in any case, with any marks and gaps.
_WORDS: Final[tuple[tuple[str, float, str], ...]] = (
    ("gtin", 0.85,
     "gtin|gtin 8|gtin 12|gtin 13|gtin 14|ean|ean 8|ean 13|ean code|ean nr|ean upc|gtin ean|upc|"
     "upc code|upc ean|isbn|isbn 10|isbn 13|jan|jan code|barcode|strichcode|code barre|"
     "code barres|code-barres ean|código de barras|codigo de barras|codice a barre|streepjescode|"
     "streckkod|stregkode|strekkode|viivakoodi|kod kreskowy|kod ean|čárový kód|čiarový kód|"
     "barkod|vonalkód|cod de bare|штрих-код|штрихкод|баркод|janコード|バーコード|条形码|條碼|"
     "바코드|gencod|gencode|code ean|code gtin|ean isbn|isbn ean|kod paskowy|codi de barres|"
     "ean-nummer|ean-kod|ean-kode|ean-koodi|ean kód|gtin-nr|штрих код ean|mã vạch|บาร์โค้ด|商品条码|"
     "商品條碼|国际条码|barkod no|ברקוד|باركود|بارکد"),
    ("sku", 0.85,
     "sku|skus|sku #|sku no|sku nr|sku number|sku code|sku id|product sku|item sku|variant sku|"
     "sku s|sku nummer|sku-kod|kod sku|cod sku|código sku|sku item|sku model|sku mpn|"
     "lagerhaltungsnummer|ugs|رمز التخزين|رمز المنتج (sku)|شناسه محصول|varenummer (sku)"),
    ("sku", 0.8,
     "|".join(f"{thing} {number}" for thing in _THINGS for number in _NUMBERS)
     + "|item|article|vendor code|supplier code|internal reference|"
     "art|artnr|art nr|art no|art nummer|art number|art n°|art-id|artikelnr|artikel nr|"
     "artikel no|artikelnummer|artikel-nummer|artikelcode|artikel-id|artikkelnummer|artikkelnr|"
     "varenr|vare nr|varenummer|tuotenumero|tuotekoodi|tuotenro|tuotetunnus|bestellnr|bestell nr|"
     "bestellnummer|best nr|best nummer|bestelnr|bestelnummer|bestillingsnr|produktnr|produkt nr|"
     "produktnummer|produkt nummer|produktcode|produkt-id|produkt id|produktkod|productnr|"
     "productnummer|productcode|katalognummer|katalog nr|sachnummer|nr art|nr katalogowy|nr kat|"
     "numer katalogowy|numer produktu|numer artykułu|nr produktu|nr artykułu|vörunúmer|"
     "n° d'article|numéro d'article|numéro de produit|n° de produit|n° produit|n° article|"
     "nº de artículo|número de artículo|número de producto|nº de producto|nº de referencia|"
     "número de referencia|numero articolo|n° articolo|tootekood|toote kood|artikli kood|"
     "prekės kodas|preces kods|produkta kods|termékkód|termék kód|termékszám|rendelési szám|"
     "cod produs|cod articol|ürün kodu|ürün no|stok kodu|stok no|urun kodu|objednací číslo|"
     "objednávacie číslo|obj číslo|číslo produktu|číslo zboží|číslo tovaru|каталожный номер|"
     "номер товара|id товара|код товара|код товару|код на продукта|код продукта|продуктов код|"
     "каталожен номер|номер по каталогу|šifra proizvoda|šifra artikla|šifra izdelka|"
     "шифра производа|шифра|kataloški broj|koda izdelka|κωδικός προϊόντος|κωδ προϊόντος|"
     "κωδικός είδους|mã sản phẩm|mã sp|mã hàng|รหัสสินค้า|kode produk|kode barang|رمز المنتج|"
     "رقم المنتج|كود المنتج|رقم الصنف|کد محصول|کد کالا|מק\"ט|מק״ט|מקט|קוד מוצר|מספר קטלוגי|品番|"
     "商品番号|商品コード|製品番号|製品コード|型番|管理番号|货号|貨號|商品编号|商品編號|产品编号|"
     "產品編號|商品货号|商品貨號|상품코드|상품번호|제품번호|품번|"
     "articolo n|articolo no|n articolo|art n|nº artículo|n° artículo|nº ref|n° ref|nr ref|"
     "ref artículo|referencia artículo|clave del producto|n° de référence|numéro de référence|"
     "réf article|référence article|cod ref|cód ref|código do item|cód item|codi producte|"
     "codi article|referentie nr|bestelcode|modelcode|ordernummer artikel|varunummer|prodnr|"
     "prod nr|prod no|beställningsnr|beställningsnummer|produktkode|nimikenumero|nimikenro|"
     "tilausnumero|tilauskoodi|vnr|vörunr|kod katalogowy|kod artykułu|indeks produktu|"
     "numer referencyjny|nr referencyjny|kód položky|číslo položky|objednací kód|"
     "id produktu|termékazonosító|rendelési kód|cikksz|cod de produs|cod intern|nr articol|"
     "ürün numarası|ürün id|article code|артикул товара|артикул продавца|код тов|"
     "код для заказа|код продукту|артикул товару|каталожний номер|артикулен номер|кат номер|"
     "kataloški br|kat br|kod proizvoda|kod artikla|koda artikla|šifra robe|broj artikla|"
     "шифра артикла|код на производ|шифра на производ|gaminio kodas|kode artikel|nomor artikel|"
     "kod produk|kode sku|mã sku|mã số|mahsulot kodi|məhsul kodu|тауар коды|პროდუქტის კოდი|"
     "არტიკული|արտիկուլ|उत्पाद कोड|קוד פריט|מספר פריט|מספר מוצר|رقم القطعة|شناسه کالا|"
     "商品id|商品管理番号|注文コード|申込番号|商品型号|款号|款號|款式编号|貨品編號|商品代码|"
     "상품 코드|상품 번호|제품 번호|제품코드|제품 코드|품목코드|품목번호|자체상품코드"),
    ("sku", 0.75,
     "reference|réf|réf produit|réf interne|référence|référence produit|référence interne|ref|"
     "ref produit|ref interne|ref n°|réf n°|reference interne|code article|code produit|codice|"
     "codice articolo|codice prodotto|cod|cod prod|cod prodotto|cod articolo|cod art|codice art|"
     "rif|riferimento|cód|código|código de producto|código producto|código del producto|"
     "código de artículo|código artículo|código do produto|código produto|cód do produto|"
     "cód producto|cód produto|cód artículo|codigo|codigo de producto|codigo producto|referencia|"
     "referência|referència|kod produktu|kod towaru|kod|indeks|symbol|symbol produktu|"
     "katalogové číslo|katalógové číslo|kód|kód produktu|kód zboží|kód tovaru|cikkszám|арт|арт №|"
     "артикул|артикул №|код|šifra|kataloška številka|κωδικός|κωδ|kode|mã|kodas|kods|artikuls|"
     "kood|کد|شناسه|الرمز|clave|codi|referentie|referință|referinta|كود|კოდი|կոդ|รหัส|编号|編號"),
    ("sku", 0.6,
     "id|articolo|artículo|artikel|artikul|style|style #|style no|style nr|style number|"
     "style code|code"),
    ("mpn", 0.8,
     "mpn|pn|p/n|mfr|mfr #|mfr no|mfr part|mfr part #|mfr part no|mfr part number|mfg part|"
     "mfg part #|mfg part no|mfg part number|manufacturer part|manufacturer part #|"
     "manufacturer part no|manufacturer part number|manufacturer's part number|manufacturer #|"
     "manufacturer no|manufacturer number|manufacturer code|manufacturer sku|"
     "manufacturer reference|part number (mpn)|herstellernummer|hersteller-nr|herst-nr|"
     "herstellerartikelnummer|hersteller-artikelnummer|hersteller-art-nr|référence fabricant|"
     "réf fabricant|référence constructeur|referencia fabricante|código fabricante|"
     "referência fabricante|codice produttore|cod produttore|kod producenta|kód výrobce|"
     "kód výrobcu|gyártói cikkszám|cod producător|leverantörens artikelnummer|fabrikantcode|"
     "код производителя|артикул производителя|referencia del fabricante|ref fabricante|"
     "código del fabricante|número de pieza|número de pieza del fabricante|référence du fabricant|"
     "numéro de pièce|codice del produttore|codice fornitore|referência do fabricante|"
     "código do fabricante|cód fabricante|hersteller nummer|hersteller-teilenummer|teilenummer|"
     "teilenr|artikelnummer hersteller|artikelcode fabrikant|fabrikantnummer|onderdeelnummer|"
     "tillverkarens artikelnummer|tillverkarnummer|lev art nr|produsentens varenummer|"
     "produsentnr|producentens varenummer|producentnr|valmistajan tuotekoodi|valmistajan koodi|"
     "valmistajan tuotenumero|numer producenta|symbol producenta|katalogové číslo výrobce|"
     "gyártói kód|gyári cikkszám|üretici kodu|üretici parça no|parça no|номер детали|партномер|"
     "артикул виробника|код виробника|メーカー型番|メーカー品番|厂商型号|制造商零件编号|"
     "제조사 품번|מק״ט יצרן|מק\"ט יצרן"),
    ("mpn", 0.6,
     "|".join(f"{model} {number}" for model in ("model", "modell") for number in _NUMBERS)
     + "|model|modell|modelnummer|modellnummer|item model number|modèle|modelo|modello|модель|"
     "model kodu|رقم الموديل|型号|型號|产品型号|モデル|모델명|모델번호|모델 번호|numéro de modèle|"
     "número de modelo|código do modelo|código de modelo|numero modello|codice modello|"
     "model produktu|μοντέλο|דגם|مدل|รุ่น|型號|モデル番号|產品型號|номер модели|mallinumero|malli|"
     "típus"),
    ("brand", 0.75,
     "brand|brand name|manufacturer|by|vendor|designer|marke|hersteller|marque|fabricant|marca|"
     "fabricante|merk|märke|mærke|merke|valmistaja|tuotemerkki|producent|marka|výrobce|značka|"
     "gyártó|producător|бренд|производитель|ブランド|メーカー|品牌|브랜드"),
    ("category", 0.5, "category|categories|categorie|categoria|categoría|kategorie|catégorie"),
)  # fmt: skip
_UNMARKED: Final = (
    "item|article|art|artikel|artikul|style|code|codice|kod|kód|код|kode|kood|kods|kodas|mã|"
    "reference|indeks|symbol|jan|código|codigo|referencia|referència|referência|šifra|шифра|κωδικός|"
    "riferimento|الرمز|شناسه|کد|pn|mfr|model|modell|modelo|modello|modèle|модель|id|articolo|artículo|"
    "clave|codi|referentie|كود|კოდი|կոդ|รหัส|编号|編號|μοντέλο|דגם|مدل|รุ่น|malli|típus|cod|cód|mã số"
)
"""Words that are a label only with a mark behind them: "Model 3 railway" names no model."""


def _key(text: str) -> str:
    """A label without what every shop writes in its own way."""
    text = text.casefold().replace("#", "no").replace("№", "no").replace("º", "°")
    return "".join(filter(str.isalnum, text))


_LABELS: Final = {
    _key(label): (name, sure)
    for name, sure, labels in reversed(_WORDS)
    for label in labels.split("|")
}
_VAGUE: Final = frozenset(map(_key, _UNMARKED.split("|")))
# The first letters of any label: most texts begin otherwise, and are not looked at further.
_STARTS: Final = frozenset(label[:3] for label in _LABELS)
_MARKS: Final = re.compile(r"[:：#№]")
_FIRST_DIGIT: Final = re.compile(r"\d")
_INSIDE: Final = re.compile(
    r"\b(?:sku|item ?(?:#|no\.?|number)|art(?:ikel)?\.?-?\s?(?:nr|nummer)\.?|product code"
    r"|model ?(?:#|no\.?)|style ?#|part ?(?:#|no\.?|number)|mpn|référence|réf\.?|ref\.?"
    r"|referencia|artikul|артикул|арт\.|код товара|код товару|cikkszám|kod produktu|cod produs"
    r"|ürün kodu|mã sp|品番|型番|商品コード|商品番号|货号|상품코드)\s*[:#：]+\s*(\S+)",
    re.IGNORECASE,
)
# Words of a shop's own before it: "Store SKU #", "eBay item number:".
_AT_END: Final = re.compile(
    r"^[\w'’.-]{2,20} (?:sku|item|(?:item|part) (?:number|no\.?)|article number"
    r"|product (?:code|number))"
    r"\s*[:#]*$",
    re.IGNORECASE,
)
_VALUE: Final = re.compile(r"\w[\w./+\-–#*]{0,39}(?: [A-Z0-9][\w./+\-]{0,20}){0,2}")
_DIGITS: Final = re.compile(r"(?:\d[\s-]{0,2}){7,17}[\dXx]?")
# A measure, money, a day, a telephone's number: what stands behind a label that was left empty.
_NO_VALUE: Final = re.compile(
    r"\d{1,4}(?:[.,x×]\d{1,4}){0,2} (?:k?g|mg|m?l|cl|[mck]?m|k?W|V|m?Ah|M?Hz|pcs|inch|oz|lbs?"
    r"|кг|г|мл|л|см|мм|м|шт|zł|Kč|kr|Ft|lei|руб|грн)\b\.?$"
    r"|\d[\d., ]{0,12}[€$£₽₹₴₺¥%°]|(?:19|20)\d\d-\d\d-\d\d$|\+?\d{2,3}(?: \d{2,4}){3,}"
)
_NOTHING: Final = frozenset({"N/A", "NA", "NONE", "TBD"})
_LONGEST_LABEL: Final = 60
_LONGEST_WORDS: Final = 40
_LABEL_TAGS: Final = frozenset({"b", "div", "dt", "label", "p", "span", "strong", "td", "th"})
_NO_LABELS: Final = frozenset({"a", "button", "option"})
_NO_VALUES: Final = frozenset({"button", "option"})
# What sets a label apart from what stands before it: "| SKU: 12".
_BEFORE_LABELS: Final = "( |•·‣▪–—-/,;"
_IN_URL: Final = re.compile(r"[A-Za-z]{0,5}\d[\dA-Za-z]*")
_CODE_IN_URL: Final = re.compile(r"[A-Z0-9]+(?:[._-][A-Z0-9]+)*")
_NO_CODE: Final = re.compile(
    r"(?:19|20)\d\d|\d+x\d+\w*|\d+(?:ml|cl|mm|cm|m|g|kg|gb|tb|mb|w|v|mah|hz|mhz|pcs|pack|inch|oz)",
    re.IGNORECASE,
)
_IN_QUERY: Final = re.compile(
    r"[?&](?:sku|id|pid|item|item_?id|product_?id|prod|art|artnr|article|code)=([\w.-]{4,30})(?=&|#|$)",
    re.IGNORECASE,
)
_LEAST_DIGITS: Final = 4
_LAST_SEGMENTS: Final = 3
_BESIDE: Final = 20
_ISBN: Final = 10
_OF_TEN: Final = 0.05
"""By so much an ISBN of ten is believed less than that of thirteen beside it: both are the book's,
and shops know it by the longer one."""
_FARTHEST: Final = 40
"""Nodes between a label and its value, at most."""


def labelled(page: ProductOutline) -> ProductClaims:
    claims = ProductClaims()
    for index, piece in enumerate(page.own):
        if (
            len(piece.text) <= _LONGEST_LABEL * 2
            and _may_start(piece.text)
            and piece.element.tag not in _NO_LABELS
            and _read_label(page.own, index, claims)
        ):
            continue
        if (
            len(piece.text) <= _LONGEST_LABEL
            and piece.text[-1] in ":#rRuU"
            and _AT_END.match(piece.text)
        ):
            claims.add("sku", _value("sku", _next_value(page.own, index)), 0.7, "page")
        elif (
            len(piece.text) <= 200
            and _MARKS.search(piece.text)
            and (inside := _INSIDE.search(piece.text))
        ):
            _claim_inside(inside, claims)
    _by_class(page, claims)
    return claims


def _may_start(text: str) -> bool:
    start = text.lstrip(_BEFORE_LABELS)[:3]
    return start.casefold() in _STARTS if start.isalpha() else start[:1].isalpha()


def is_of_one(claims: ProductClaims) -> bool:
    """Whether what is labelled most plainly is the number of one thing: a list has none, or one
    for each."""
    for name in ("sku", "gtin"):
        plainest = max((claim.confidence for claim in claims.of(name)), default=0.0)
        told = {c.value for c in claims.of(name) if c.confidence >= plainest}
        if len(told) == 1 and _has_digit(told.pop()):
            return True
    return False


class _Label(NamedTuple):
    name: str
    sure: float
    rest: str
    """What stands behind it in the same text."""
    is_marked: bool
    """A colon or the like says that something follows."""


def _label(text: str) -> _Label | None:
    """The label that a text begins with."""
    text = text.lstrip(_BEFORE_LABELS)
    mark = _MARKS.search(text, 1, _LONGEST_LABEL)
    if mark is not None:
        head = text[: mark.start()]
        heads = [head, re.split(r"[/(]", head)[0]]
        if mark[0] in "#№":
            heads.insert(0, text[: mark.end()])
        found = next((told for each in heads if (told := _LABELS.get(_key(each)))), None)
        if found is not None:
            return _Label(*found, text[mark.end() :].strip(" :：#№.-–()"), is_marked=True)
    if found := _LABELS.get(_key(text)) if len(text) <= _LONGEST_WORDS else None:
        return _Label(*found, "", is_marked=text[-1] in ".:")
    for head in _heads(text):
        found = _LABELS.get(key := _key(head))
        if found is None or found[0] in _NAMES:
            continue
        is_marked = head.endswith(".")
        if is_marked or key not in _VAGUE:
            return _Label(*found, text[len(head) :].strip(" .-–)"), is_marked)
    return None


def _heads(text: str) -> Iterator[str]:
    """What of it may be a label without a mark behind it: its first words, or all but a number."""
    digit = _FIRST_DIGIT.search(text, 1, _LONGEST_WORDS)
    if digit is not None and not text[digit.start() - 1].isalpha():
        yield text[: digit.start()].rstrip()
    words = text[:_LONGEST_WORDS].split(" ")
    for count in range(min(3, len(words) - 1), 0, -1):
        yield " ".join(words[:count])
    # What stands right behind a word belongs to it, but a GTIN has a digit that checks it.
    if digit is not None and _is_of_gtin(text[: digit.start()]):
        yield text[: digit.start()]


def _is_of_gtin(head: str) -> bool:
    return _LABELS.get(_key(head), ("",))[0] == "gtin"


def _read_label(pieces: list[TextPiece], index: int, claims: ProductClaims) -> bool:
    """Whether there is a label at all; what it stands before is claimed."""
    piece = pieces[index]
    label = _label(piece.text)
    if label is None:
        return False
    name, sure, rest, is_marked = label
    if not rest:
        rest = _next_value(pieces, index)
        is_marked = is_marked or piece.element.tag in _LABEL_TAGS
    elif name in _NAMES and (inside := _INSIDE.search(rest)):
        # Brand: Acme, Art.-Nr.: 12
        rest = rest[: inside.start()].rstrip(_BEFORE_LABELS)
        _claim_inside(inside, claims)
    # A GTIN has a digit that checks it.
    value = _value(name, rest) if is_marked or name in ("sku", "gtin") else ""
    if value:
        sure -= _OF_TEN * (name == "gtin" and len(value) == _ISBN)
        claims.add(name, value, sure - 0.3 * bool(piece.zone & Zone.HIDDEN), "page")
    return True


def _claim_inside(inside: re.Match[str], claims: ProductClaims) -> None:
    claims.add("sku", _value("sku", inside[1].strip("()|,;")), 0.65, "page")


def _next_value(pieces: list[TextPiece], index: int) -> str:
    place = pieces[index].place
    for follower in pieces[index + 1 : index + 3]:
        text = follower.text.strip(" :#()-")
        if text:
            is_value = follower.element.tag not in _NO_VALUES
            return text if is_value and follower.place - place <= _FARTHEST else ""
    return ""


_NAMES: Final = ("brand", "category")


def _value(name: str, text: str) -> str:
    text = text.split("|")[0].split("•")[0].strip()
    if name in _NAMES:
        return text if 1 < len(text) <= 60 and not text.endswith((":", "?")) else ""
    if name == "gtin":
        told = _DIGITS.match(text)
        digits = re.sub(r"[\s-]", "", told[0])[:14] if told else ""
        return digits if is_gtin(digits) else ""
    match = _VALUE.match(text)
    if match is None or len(text) > _LONGEST_LABEL:
        return ""
    if _NO_VALUE.match(text):
        return ""
    value = match[0].rstrip(".,-–")
    first = value.split(" ")[0]
    is_code = len(text) == len(match[0]) and first.isupper() and len(first) > 2
    if value.upper() in _NOTHING or re.fullmatch(r"\d{1,2}", value):
        return ""
    if not _has_digit(value) and (not is_code or _key(value) in _LABELS):
        # What stands behind an empty label is the next one: "EAN".
        return ""
    if " " in value and not all(_has_digit(word) or word.isupper() for word in value.split(" ")):
        return first if _has_digit(first) else ""
    return value


def numbers_of(url: str) -> list[str]:
    """What in a URL may be the number of what it leads to, the likeliest first."""
    path = url.partition("#")[0].partition("?")[0].partition("://")[2]
    found = _IN_QUERY.findall(url)
    for segment in reversed(path.split("/")[1:][-_LAST_SEGMENTS:]):
        segment = re.sub(r"\.[a-z]{3,5}$", "", segment)
        if _CODE_IN_URL.fullmatch(segment):
            found.append(segment)
        found += _IN_URL.findall(segment)
    return [
        number
        for number in dict.fromkeys(found)
        if sum(map(str.isdigit, number)) >= _LEAST_DIGITS and not _NO_CODE.fullmatch(number)
    ]


def repeated(page: ProductOutline, url: str) -> ProductClaims:
    """The URL's own number, where the page says it too: not in its name, and not in a sentence."""
    claims = ProductClaims()
    for number in numbers_of(url):
        alone = re.compile(rf"(?<![\w.-]){re.escape(number)}(?![\w-])", re.IGNORECASE)
        if number.lower() in page.heading.lower():
            continue
        for piece in page.own:
            if len(piece.text) <= _LONGEST_LABEL and (match := alone.search(piece.text)):
                is_crumb = piece.zone & (Zone.CRUMBS | Zone.OPTION | Zone.PRICE)
                if not is_crumb and piece.element.tag not in _NO_LABELS:
                    claims.add("sku", match[0], 0.6, "url")
                    return claims
    return claims


def _has_digit(text: str) -> bool:
    return any(character.isdigit() for character in text)


def _by_class(page: ProductOutline, claims: ProductClaims) -> None:
    """What a class names, where no label stands before it."""
    for place, text, element, zone in page.own:
        if not zone & (Zone.SKU | Zone.BRAND) or not 1 < len(text) <= 40 or text.endswith(":"):
            continue
        if zone & Zone.SKU:
            head, _, rest = text.partition(" ")
            text = rest if rest and _key(head) in _LABELS else text
            value = _value("sku", re.sub(r"^[^:]{0,25}:\s*|^#\s*", "", text))
            # Coupons have codes too.
            is_far = element.attr("class") == "code" and abs(place - page.heading_place) > _BESIDE
            if _has_digit(value) and not is_far:
                claims.add("sku", value, 0.7, "page")
        elif abs(place - page.heading_place) < 300:
            brand = re.sub(r"^(?:by|brand:?)\s+", "", text, flags=re.IGNORECASE)
            claims.add("brand", brand, 0.5, "page")
