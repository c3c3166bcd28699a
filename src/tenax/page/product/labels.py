"""Which numbers and names does a page put a label before: "SKU:", "Art.-Nr.", "EAN", "Brand"?"""

from __future__ import annotations

import re
from typing import Final

from tenax.page.product.claims import ProductClaims
from tenax.page.product.outline import ProductOutline, TextPiece
from tenax.page.product.schema import is_gtin
from tenax.page.product.zones import Zone

_NUMBER = r"(?:#|№|no\.?|nr\.?|num(?:ber|\.)?|code|id|n°|nº|numéro|número|ref(?:erence)?\.?)"
_LABELS: Final[tuple[tuple[str, float, re.Pattern[str]], ...]] = tuple(
    (
        name,
        sure,
        re.compile(rf"(?:{words})(?![^\W\d_])\s*(?:[:：#.\-–]\s*)*", re.IGNORECASE),
    )
    for name, sure, words in (
        (
            "gtin", 0.85,
            r"(?:gtin|ean|upc|isbn|jan)(?:[-/ ]?(?:8|10|12|13|14|code|nr\.?|upc|ean))*|"
            r"barcode|strichcode|code[- ]barres?",
        ),
        (
            "sku", 0.85,
            r"(?:product |item |variant )?sku(?: ?(?:#|code|number|no\.?|"
            r"nr\.?))?(?: ?/ ?(?:item|model|mpn).{0,10})?|lagerhaltungsnummer|SKU\(s\)",
        ),
        (
            "sku", 0.8,
            rf"(?:item|product|prod\.?|stock|catalog(?:ue)?|cat\.?|article|order|web|"
            rf"part|design|our)[ -]?{_NUMBER}|item|article|product code|stock code|ugs",
        ),
        (
            "sku", 0.8,
            r"art(?:ikel)?\.?[- ]?(?:nr|nummer|no|number|n°|nº)\.?|artikkelnummer|varenr\.?|"
            r"varenummer(?: \(sku\))?|tuote(?:numero|koodi|nro|tunnus)(?: \(sku\))?|"
            r"best(?:ell)?[.\- ]{0,2}(?:nr|nummer)\.?|produkt[- ]?(?:nummer|nr\.?|code|id)|"
            r"nr\.? (?:art\.?|katalogowy)|numer katalogowy|"
            r"(?:n°|nº|numéro|número) (?:d'article|de produit|de artículo|de producto)|"
            r"artnr\.?|art\.?",
        ),
        (
            "sku", 0.75,
            r"r[ée]f(?:[ée]rence)?\.?(?: produit| interne)?|code (?:article|produit|"
            r"prodotto|producto)|codice(?: (?:articolo|prodotto))?|c[óo]d(?:\.|igo|ice)?"
            r"(?: (?:de |del |do )?(?:prod(?:ucto|uto|otto|us)?|art[íi]culo|sku))?|"
            r"referencia|refer[êe]ncia|bestelnummer|artikelcode|productcode|"
            r"productnummer|kod (?:produktu|towaru)|indeks|symbol|katalogové číslo|"
            r"kód(?: (?:produktu|zboží|tovaru))?|katalógové číslo|cikkszám|арт(?:икул)?\.?|"
            r"код товара|код|"
            r"šifra(?: proizvoda)?|κωδικός(?: προϊόντος)?|mã (?:sản phẩm|sp|hàng)|kode|מק\"?ט|"
            r"品番|商品番号|"
            r"商品コード|型番|货号|商品编号|상품코드|ürün kodu|stok kodu",
        ),
        (
            "sku", 0.6,
            rf"style(?: ?{_NUMBER})?|artik(?:el|ul)|code",
        ),
        (
            "mpn", 0.8,
            rf"mpn|p/?n|mfr\.?(?: part)?(?: ?{_NUMBER})?|(?:manufacturer(?:'s)?|"
            rf"mfg\.?) part(?: {_NUMBER})?|part {_NUMBER}|p/n|herstellernummer|"
            rf"herstellerartikelnummer|manufacturer {_NUMBER}",
        ),
        (
            "mpn", 0.6,
            rf"model(?:l)?(?: ?{_NUMBER})?|modelnummer|modèle|modelo|modello|модель",
        ),
        (
            "brand", 0.75,
            r"brand(?: name)?|manufacturer|by|vendor|designer|marke|hersteller|marque|"
            r"fabricant|marca|fabricante|merk|märke|mærke|merke|valmistaja|tuotemerkki|"
            r"producent|marka|výrobce|značka|gyártó|producător|бренд|производитель|ブランド|"
            r"メーカー|品牌|브랜드",
        ),
        (
            "category", 0.5,
            r"categor(?:y|ies|ie|ia|ía)|kategorie|catégorie",
        ),
    )
)  # fmt: skip
# The first letters of any label: most texts begin otherwise, and are not looked at further.
_STARTS: Final = frozenset({
    "sku", "ite", "art", "ean", "upc", "isb", "gti", "jan", "mpn", "mfr", "mfg", "man",
    "mod", "sty", "ref", "réf", "cod", "cód", "kod", "kód", "par", "pro", "sto", "cat",
    "kat", "ord", "web", "bar", "str", "lag", "var", "tuo", "bes", "ind", "sym", "cik",
    "арт", "код", "p/n", "bra", "by", "ven", "des", "mar", "her", "fab", "mer", "mär",
    "mær", "val", "pré", "výr", "zna", "gyá", "бре", "про", "мод", "ürü", "品番", "商品番",
    "ugs", "our", "n° ", "nº ", "nr ", "nr.", "num", "núm", "pn:", "šif", "κωδ", "mã ", "מק\"",
    "מקט", "商品コ", "商品编", "型番", "货号", "상품코", "ブラン", "メーカ", "品牌", "브랜드",
})  # fmt: skip
_NUMBERS: Final = re.compile(
    r"sku|#|nr|no\b|num|code|kod|n°|nº|番|号|арт|ean|upc|gtin|isbn|r[ée]f|c[óo]d|ugs|mã "
)
_INSIDE: Final = re.compile(
    r"\b(?:sku|item ?(?:#|no\.?|number)|art(?:ikel)?\.?-?\s?(?:nr|nummer)\.?|product code"
    r"|model ?(?:#|no\.?)|style ?#|part ?(?:#|no\.?|number)|mpn|référence|"
    r"referencia)\s*[:#]+\s*(\S+)",
    re.IGNORECASE,
)
# Words of a shop's own before it: "Store SKU #", "eBay item number:".
_AT_END: Final = re.compile(
    r"^[\w'’.-]{2,20} (?:sku|item|item (?:number|no\.?)|article number|product (?:code|number))"
    r"\s*[:#]*$",
    re.IGNORECASE,
)
_MARK = re.compile(r"[:：#.]\s*$")
_VALUE: Final = re.compile(r"\w[\w./+\-–#*]{0,39}(?: [A-Z0-9][\w./+\-]{0,20}){0,2}")
_NOTHING: Final = frozenset({"N/A", "NA", "NONE", "TBD"})
_LONGEST_LABEL: Final = 60
_LABEL_TAGS: Final = frozenset({"b", "div", "dt", "label", "p", "span", "strong", "td", "th"})
_NO_LABELS: Final = frozenset({"a", "button", "option"})
_BESIDE: Final = 20
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
            and (":" in piece.text or "#" in piece.text)
            and (inside := _INSIDE.search(piece.text))
        ):
            claims.add("sku", _value("sku", inside[1].strip("()|,;")), 0.65, "page")
    _by_class(page, claims)
    return claims


def _may_start(text: str) -> bool:
    start = text.lstrip("( ")[:3].lower()
    return start in _STARTS or start[:2] in _STARTS


def _read_label(pieces: list[TextPiece], index: int, claims: ProductClaims) -> bool:
    """Whether there is a label at all; what it stands before is claimed."""
    piece = pieces[index]
    text = piece.text.lstrip("( ")
    for name, sure, label in _LABELS:
        match = label.match(text)
        if match is None:
            continue
        rest = text[match.end() :].strip(" )")
        is_marked = _MARK.search(match[0]) is not None
        if not rest:
            rest = _next_value(pieces, index)
            is_marked = is_marked or piece.element.tag in _LABEL_TAGS
        elif not is_marked and (name in _NAMES or not _NUMBERS.search(match[0].lower())):
            # "Model 3 railway" names no model; "SKU 1234" does.
            continue
        value = _value(name, rest) if is_marked or name == "sku" else ""
        if value:
            claims.add(name, value, sure - 0.3 * bool(piece.zone & Zone.HIDDEN), "page")
        return True
    return False


def _next_value(pieces: list[TextPiece], index: int) -> str:
    place = pieces[index].place
    for follower in pieces[index + 1 : index + 3]:
        text = follower.text.strip(" :#()-")
        if text:
            return text if follower.place - place <= _FARTHEST else ""
    return ""


_NAMES: Final = ("brand", "category")


def _value(name: str, text: str) -> str:
    text = text.split("|")[0].split("•")[0].strip()
    if name in _NAMES:
        return text if 1 < len(text) <= 60 and not text.endswith((":", "?")) else ""
    if name == "gtin":
        digits = re.sub(r"[\s-]", "", text)[:14]
        return digits if is_gtin(digits) else ""
    match = _VALUE.match(text)
    if match is None or len(text) > _LONGEST_LABEL:
        return ""
    value = match[0].rstrip(".,-–")
    first = value.split(" ")[0]
    is_code = len(text) == len(match[0]) and first.isupper() and len(first) > 2
    if value.upper() in _NOTHING or re.fullmatch(r"\d{1,2}", value):
        return ""
    if not _has_digit(value) and not is_code:
        return ""
    if " " in value and not all(_has_digit(word) or word.isupper() for word in value.split(" ")):
        return first if _has_digit(first) else ""
    return value


def _has_digit(text: str) -> bool:
    return any(character.isdigit() for character in text)


def _by_class(page: ProductOutline, claims: ProductClaims) -> None:
    """What a class names, where no label stands before it."""
    for place, text, element, _ in page.own:
        zone = page.zones.get(element, Zone.NONE)
        if not zone & (Zone.SKU | Zone.BRAND) or not 1 < len(text) <= 40 or text.endswith(":"):
            continue
        if zone & Zone.SKU:
            value = _value("sku", re.sub(r"^[^:]{0,25}:\s*|^#\s*", "", text))
            # Coupons have codes too.
            is_far = element.attr("class") == "code" and abs(place - page.heading_place) > _BESIDE
            if _has_digit(value) and not is_far:
                claims.add("sku", value, 0.7, "page")
        elif abs(place - page.heading_place) < 300:
            brand = re.sub(r"^(?:by|brand:?)\s+", "", text, flags=re.IGNORECASE)
            claims.add("brand", brand, 0.5, "page")
