"""Could this page offer a product? One look at its source, so that most pages cost nothing.

It is suspected when it tells machines of a product, or when its markup says price and people are
shown something that puts it into a basket, or that it is sold out. Both are looked for where a
page's reader would find them, and nowhere else: of a script's words and of sentences that speak of
buying nothing follows, and each page that is suspected is read by its tree. Where dozens of
buttons buy something and machines are told nothing, it is a list.
"""

from __future__ import annotations

import re
from typing import Final

from tenax.page import native
from tenax.page.charset import decode
from tenax.page.for_sale.needles import Needles

BUYS: Final = (
    "add to cart|add to bag|add to basket|add to trolley|add to my|add to your|add to shopping|"
    "add to order|add item to|buy it now|buy now|put into basket|put into cart|put in basket|"
    "order now|in den warenkorb|in den einkaufs|jetzt kaufen|in den korb|in die einkaufstasche|"
    "ajouter au panier|ajouter à mon panier|ajouter au sac|acheter|añadir al|"
    "agregar al|añadir a la|"
    "adicionar ao|adicionar à|comprar|aggiungi al|acquista|in winkelwagen|in winkelmand|"
    "in de winkel|toevoegen aan|in mijn winkel|lägg i varu|lägg i kund|lägg till i|köp nu|"
    "læg i kurv|læg i indkøbs|tilføj til kurv|køb nu|legg i handle|legg til i|kjøp|"
    "lisää kori|lisää ostos|osta nyt|do koszyka|kup teraz|do košík|do košíku|kosárba|în coș|"
    "in cos|u košaricu|v košarico|в корзин|купить|в кошик|купити|カートに|かごに入れる|購入|"
    "カゴに入れる|加入购物车|加入購物車|立即购买|立即購買|放入购物车|장바구니|구매하기|"
    "sepete ekle|thêm vào giỏ|หยิบใส่|"
    "أضف إلى|הוסף לסל|στο καλάθι|pre-order|preorder|"
    "zum warenkorb hinzu|in meinen korb|mettre au panier|mettre dans le panier|dans mon panier|"
    "agregar a la|agregar a mi|al carrito|a la cesta|afegeix a la|al carro|ao carrinho|na sacola|"
    "à sacola|nel carrello|in mandje|lägg i korg|lägg i påse|føj til kurv|put i kurv|legg i kurv|"
    "ostoskoriin|koupit|kúpiť|megveszem|megvásárolom|în coş|cumpără|u korpu|u košarico|у корпу|"
    "kupi odmah|kupi zdaj|в количка|купи сега|во кошничка|до кошика|у кошик|у кошык|į krepšel|"
    "pirkti|grozam|grozā|lisa korvi|lisa ostukorvi|ostukorvi|osta kohe|στο καλαθι|satın al|"
    "hemen al|səbətə|себетке|сатып алу|savatga|savatchaga|сагслах|сагсанд|კალათაში|զամբյուղ|"
    "në shportë|í körfu|إضافة إلى السلة|اضف الى|أضف للسلة|إلى السلة|اشتر الآن|شراء الآن|"
    "به سبد خرید|לסל|לעגלה|קנה עכשיו|कार्ट में|अभी खरीदें|ตะกร้า|ใส่รถเข็น|ซื้อเลย|ซื้อทันที|"
    "สั่งซื้อ|vào giỏ|mua ngay|đặt mua|ke keranjang|beli sekarang|ke troli|바로구매|바로 구매|"
    "구입하기|카트에|カートへ|かごへ|バスケットに|加入购物袋|加入購物袋|加到购物车|放入購物車|"
    "立刻购买|马上购买|直接購買"
)
"""What stands on the button that buys, in the languages of shops."""
_SOLD_OUT: Final = (
    "sold out|out of stock|not in stock|longer in stock|back in stock|0 in stock|stock: 0|"
    "no longer available|unavailable|ausverkauft|nicht verfügbar|agotad|rupture de stock|esaurit|"
    "esgotad|uitverkocht|utsolgt|udsolgt|slutsåld|vyprodáno|notify me when|email me when|"
    "épuisé|slut i lager|loppuunmyyty|wyprzedan|vypredané|elfogyott|stoc epuizat|изчерпан|"
    "нет в наличии|немає в наявності|rasprodano|εξαντλ|tükendi|izpārdots|išparduota|välja müüdud|"
    "在庫切れ|売り切れ|品切れ|缺货|缺貨|售罄|품절|hết hàng|สินค้าหมด|stok habis|נגמר המלאי|نفد"
)
_GAPS: Final = ("", "-", "_")
BUTTON_NAMES: Final = tuple(
    f"{first}{gap}{thing}"
    for gap in _GAPS
    for first, things in (
        *((f"add{other}to", ("cart", "bag", "basket")) for other in _GAPS),
        ("btn", ("cart", "atc")), ("buy", ("now",)), ("cart", ("button",)),
    )
    for thing in things
)  # fmt: skip
_NAMED: Final = (
    b"schema.org/Product", b'"Product"', b'"ProductGroup"', b"schema.org/IndividualProduct",
)  # fmt: skip
_MARKED: Final = (b"product:p", b"og:p", b'itemprop="p', b"itemprop=p")
"""What stands before the rest of a price that is marked up as one."""
_KEY: Final = re.compile(rb"""[\w-]{0,40}["']\s*:""")
_GRAPH_TYPE: Final = re.compile(
    rb"""content\s*=\s*["']?\s*(?:og:product|product(?:\.item)?)(?=["'\s/]|\Z)""", re.IGNORECASE
)
# A browser shows neither.
_CODE = re.compile(rb"<script.*?(?=</script|\Z)|<style.*?(?=</style|\Z)", re.DOTALL | re.IGNORECASE)
_TAG: Final = 300
"""Bytes before the word in which the tag that it stands in has to begin."""
_LOOKED_AT: Final = 500
"""Times that a page may say price, or speak of buying, and mean nothing by it."""
_A_LIST: Final = 24
"""Buttons that say the same: of 59 real products' pages one has 20, most have up to four."""
_AROUND: Final = 2_000
"""Bytes before and behind a phrase in which what it stands in has to begin and end."""


def may_be_product(body: bytes, charset: str = "utf-8") -> bool:
    """Whether looking for a product is worth it: that takes longer than reading the page."""
    # Nearly every shop has a class, a property or a script that says price, or Price. Manuals and
    # news do, too, but not in their markup. Where it is not said at all, nothing else is asked.
    priced = _priced(body)
    if priced == _NOWHERE:
        return False
    if priced == _AS_A_PRICE:
        return True
    told_by = _told_by(body)
    if told_by == _SCHEMA or priced == _IN_TEXT:
        return told_by == _SCHEMA
    return told_by == _OPEN_GRAPH or _is_offered(_in_utf8(body, charset))


# Where a page says price.
_NOWHERE, _IN_TEXT, _IN_MARKUP, _AS_A_PRICE = range(4)


def _priced(body: bytes) -> int:
    if native.NATIVE is not None:
        return native.NATIVE.priced(body)
    most, place = _NOWHERE, -1
    for _ in range(_LOOKED_AT):
        place = body.find(b"rice", place + 1)
        if place < 0:
            break
        before = body[max(place - _TAG, 0) : place]
        if before.endswith(_MARKED):
            return _AS_A_PRICE
        if most != _IN_MARKUP:
            most = _IN_MARKUP if _is_in_markup(body, place, before) else _IN_TEXT
    return most


def _is_in_markup(body: bytes, place: int, before: bytes) -> bool:
    """Whether an attribute's value or a key of a script says it."""
    if _KEY.match(body, place + 4):
        return True
    tag = before.rfind(b"<")
    return tag > before.rfind(b">") and b"=" in before[tag:]


# In whose words machines are told of a product.
_NOBODY, _OPEN_GRAPH, _SCHEMA = range(3)


def _told_by(body: bytes) -> int:
    if native.NATIVE is not None:
        return native.NATIVE.told_by(body)
    if b"Product" in body and _tells_of_product(body):
        return _SCHEMA
    place = body.find(b"og:type")
    if place < 0:
        return _NOBODY
    # Its content may stand on either side.
    start, end = max(body.rfind(b"<", 0, place), place - _TAG, 0), body.find(b">", place)
    return _OPEN_GRAPH if _GRAPH_TYPE.search(body, start, max(end, place)) else _NOBODY


def _tells_of_product(body: bytes) -> bool:
    """Whether its markup or its JSON-LD names a product: what other scripts say is not read."""
    code = (found[0] for found in _CODE.finditer(body))
    told = [each for each in code if each[2:3] in b"cC" and b"ld+json" in each.lower()]
    return any(name in part for part in (_CODE.sub(b"<", body), *told) for name in _NAMED)


# What a phrase is.
_ON_BUTTONS, _NAMES_BUTTONS, _OF_STOCK = range(3)
_LONGEST: Final = {_ON_BUTTONS: 60, _NAMES_BUTTONS: 0, _OF_STOCK: 120}
"""Characters of the text that it stands in: longer ones are no button's, and no badge's."""


def _is_offered(body: bytes) -> bool:
    """Whether there may be a button that buys something, or it is said that nothing is left; but
    not where so many buttons say the same that each is of another product."""
    if native.NATIVE is not None:
        return native.NATIVE.offered(_OFFERS.made(native.NATIVE), _KINDS, body)
    lower = _CODE.sub(b"<", body).lower()
    looked_at = offers = most = 0
    for word, kind in zip(_OFFERS.words, _KINDS, strict=True):
        place, times = lower.find(word), 0
        while place >= 0:
            if (is_offer := _is_an_offer(lower, place, kind)) is not None:
                looked_at += 1
                times += is_offer
            if looked_at > _LOOKED_AT:
                return True
            place = lower.find(word, place + 1)
        offers += times
        most = max(most, times if kind != _OF_STOCK else 0)
    return offers > 0 and most < _A_LIST


def _is_an_offer(lower: bytes, place: int, kind: int) -> bool | None:
    """None within a tag that is no button's: most of a page is, and none of it is looked at."""
    start = max(0, place - _AROUND)
    tag, text = lower.rfind(b"<", start, place), lower.rfind(b">", start, place)
    if tag > text:
        is_button = lower.startswith((b"<input", b"<button"), tag)
        return kind != _OF_STOCK if is_button else None
    end = lower.find(b"<", place, place + _AROUND)
    line = b" ".join(lower[max(start, text + 1) : end if end >= 0 else place + _AROUND].split())
    return kind != _NAMES_BUTTONS and len(line.translate(None, _CONTINUED)) <= _LONGEST[kind]


# Of a character in UTF-8, all bytes but the first.
_CONTINUED: Final = bytes(range(0x80, 0xC0))


def _in_utf8(body: bytes, charset: str) -> bytes:
    return body if charset == "utf-8" or body.isascii() else decode(body, charset).encode()


def _spellings(phrases: tuple[str, ...]) -> list[str]:
    """With the capitals that buttons begin with, or are written in, where these are not ASCII."""
    found = [form for each in phrases for form in (each, each.capitalize(), each.upper())]
    return list(dict.fromkeys(each.encode().lower().decode() for each in found))


_PHRASES: Final = {
    phrase: kind
    for kind, phrases in (
        (_NAMES_BUTTONS, BUTTON_NAMES),
        (_OF_STOCK, tuple(_SOLD_OUT.split("|"))),
        (_ON_BUTTONS, tuple(BUYS.split("|"))),
    )
    for phrase in _spellings(phrases)
}
_OFFERS: Final = Needles([*_PHRASES])
_KINDS: Final = bytes(_PHRASES.values())
