"""Can it be had? What a page says to people, in the languages of shops."""

from __future__ import annotations

import re
from typing import Final

from tenax.model import Stock
from tenax.page.html import one_line
from tenax.page.product.outline import MOST_NODES, ProductOutline, TextPiece
from tenax.page.product.schema import stock_of
from tenax.page.product.words import ShopPhrases, joined
from tenax.page.product.zones import Zone

_OUT: Final = ShopPhrases(
    "out of stock|out-of-stock|sold out|sold-out|soldout|currently unavailable|"
    "temporarily unavailable",
    "not available|not currently available|no longer available|unavailable|not in stock",
    "ausverkauft|nicht auf lager|nicht vorrätig|nicht verfügbar|nicht lieferbar|vergriffen",
    "nicht mehr verfügbar|nicht mehr lieferbar|derzeit nicht|rupture de stock|épuisé|indisponible",
    "non disponible|en rupture|agotad|sin stock|sin existencias|no disponible|fuera de stock",
    "esgotad|indisponível|sem estoque|esaurit|non disponibile|uitverkocht|niet op voorraad",
    "niet beschikbaar|niet leverbaar|slutsåld|slut i lager|ej i lager|udsolgt|ikke på lager",
    "utsolgt|loppuunmyyty|loppunut|ei varastossa|wyprzedan|brak w magazynie|niedostępn",
    "vyprodáno|není skladem|vypredané|nie je skladom|elfogyott|nincs készleten|nincs raktáron",
    "stoc epuizat|indisponibil|изчерпан|нет в наличии|распродано|немає в наявності|εξαντλ",
    "tükendi|stokta yok|在庫切れ|在庫なし|在庫がありません|売り切れ|品切れ|完売",
    "缺货|缺貨|售罄|已售完",
    "无货|품절|hết hàng|สินค้าหมด|نفد|אזל",
    "plus disponible|plus en stock|plus commercialisé|no longer in stock|ya no está disponible",
    "non più disponibile|não disponível|niet meer leverbaar|niet meer beschikbaar|tijdelijk uit",
    "ei saatavilla|na voljo ni|ni na zalogi|nema na stanju|nema na zalihi|rasprodano",
    "nicht an lager|zurzeit nicht|zur zeit nicht|momentan nicht|fora de estoque|sem stock",
    "nie je na sklade|nedostupné|lipsă stoc|няма в наличност|laost otsas|läbi müüdud|izpārdots",
    "nav noliktavā|išparduota|stok habis|غير متوفر|ناموجود|out of print|awaiting stock|no stock",
    "temporarily out|vergriffen|μη διαθέσιμ|לא במלאי|غير متاح|نفذ|nije dostupno|nije na stanju",
    "nije na zalihi|nav pieejam|nėra sandėlyje|нема на залиха|нет на складе|нет в продаже",
    "ei ole saatavilla|loppuunmyyty|ekki til á lager|uppselt|não há stock|non in stock",
)
_NONE_LEFT: Final = re.compile(
    r"^(?:(?:in )?stock|availab\w+|quantity available|bestand|lager(?:bestand)?)\s*:?\s*"
    r"(?:0|none|no)$"
    r"|^\(?0 (?:in stock|available|left|items? left|auf lager|en stock|op voorraad)\b|^sold[.!]?$"
)
_NONE_BEGINS: Final = frozenset("siaqbl(0")
"""The letters that any of these begins with."""
_IN: Final = ShopPhrases(
    "in stock|available now|available immediately|available to ship|available for|items left",
    "only a few left|ready to ship|ships in|ships within|ships today|ships from|usually ships",
    "auf lager|sofort lieferbar|sofort verfügbar|vorrätig|lieferbar|en stock|hay existencias",
    "disponible|em estoque|disponibile|disponibilità immediata|op voorraad|direct leverbaar",
    "i lager|på lager|varastossa|w magazynie|dostępn|skladem|skladom|raktáron|készleten|în stoc",
    "in stoc|в наличии|в наявності|διαθέσιμο|stokta|在庫あり|在庫有",
    "有货|现货|有貨|現貨|재고 있음|còn hàng|มีสินค้า|متوفر|متاح|במלאי|na stanju|na zalihi|na zalogi",
    "на залиха|в наличност|на складе|yra sandėlyje|ir noliktavā|laos olemas|á lager|tillgänglig",
    "tilgjengelig|saatavilla|beschikbaar|leverbaar",
)
_PRE: Final = ShopPhrases(
    "pre-order|preorder|vorbestell|précommande|preventa|pré-venda|preordine|förbeställ",
    "forudbestil|przedsprzedaż|предзаказ|予約受付|予約商品|预售",
)
_BACK: Final = ShopPhrases("backorder|back-order|back order|made to order|auf bestellung")
_TOLD: Final = ShopPhrases(
    "notify me|email me when|back in stock|get notified|join the waitlist|join waitlist",
    "benachrichtig|m'avertir|avísame|avise-me|avvisami|powiadom",
)
_NO_MORE: Final = ShopPhrases("discontinued|no longer made|no longer sold")
# What a row of a table, or a text with a colon, has to be about to speak of availability.
_ABOUT_IT: Final = ShopPhrases(
    "availab|stock|inventory|status|verfüg|lager|lieferbar|lieferstatus|lieferzeit|bestand|vorrat",
    "disponib|voorraad|beschikba|levertijd|tillgäng|tilgjeng|tilgæng|saatav|varasto|dostępn",
    "dostupn|skladem|készlet|elérhet|stoc|налич|наявн|достъпн|διαθεσ|απόθεμα|在庫|库存|庫存|재고",
    "tình trạng|สถานะ|التوفر|متوفر|المخزون|מלאי|موجودی",
)
# Ways of getting it: that one of them is closed says nothing of the others.
_WAYS_TO_GET: Final = ShopPhrases(
    "pickup|pick-up|pick up|in store|in-store|in stores|collect|for delivery|to deliver|express",
    "next day|next-day|same day|same-day|cash on delivery|gift wrap|filiale|abhol|nachnahme",
    "en magasin|retrait|en tienda|recogida|in negozio|ritiro|in de winkel|afhalen|i butik|myymäl",
    "w sklepie|odbiór|odběr|na prodejně|самовывоз|в магазин|店舗|门店|매장",
)
_SELDOM: Final = re.compile(r"\bif\b|when|may be|sometimes|wenn|falls|lorsque|policy|return")
_LONGEST: Final = 90
_SHORT: Final = 30
_BY_COUNT: Final = 0.1
_UNDER_ANOTHER: Final = 0.3
_BUTTON_OFF: Final = 0.45
_HIDDEN_BUTTON: Final = 0.4
_LEAST_HEARD: Final = 0.3
"""What is less sure is a whisper: it is as if the page said nothing."""
_LONGEST_LABEL: Final = 40
_BESIDE: Final = 8
"""Nodes between a label and what it is of."""
_BEFORE: Final = 200
_BEHIND: Final = 2_500
"""Nodes before and after the heading within which a page speaks of its own product."""


class _Ways:
    """How sure each availability is, by the surest that was heard for it."""

    def __init__(self) -> None:
        self.sure: dict[Stock, float] = dict.fromkeys(Stock, 0.0)

    def weigh(self, stock: Stock, sure: float) -> None:
        self.sure[stock] = max(self.sure[stock], sure)

    def best(self) -> tuple[Stock, float]:
        stock = max(self.sure, key=lambda each: self.sure[each])
        return (stock, self.sure[stock]) if self.sure[stock] else (Stock.UNKNOWN, 0.0)


def meant_stock(text: str) -> Stock:
    """What a text that is about availability says, for people or for machines."""
    text = text.lower()
    for stock, _, phrases in _MEANINGS:
        if phrases.within(text):
            return stock
    return stock_of(text)


def shown_stock(page: ProductOutline) -> tuple[Stock, float]:
    """What the page tells, and how sure it sounds."""
    ways = _Ways()
    live = False
    seen = [button for button in page.buttons if not button.zone & Zone.HIDDEN]
    for button in page.buttons:
        text = button.text.lower()
        # Themes write a button for every case, too, and hide all but one.
        is_meant = not seen or not button.zone & Zone.HIDDEN
        if _OUT.within(text):
            ways.weigh(Stock.OUT_OF_STOCK, 0.9 if is_meant else _HIDDEN_BUTTON)
        elif _PRE.within(text):
            ways.weigh(Stock.PRE_ORDER, 0.8 if is_meant else _HIDDEN_BUTTON)
        live = live or (is_meant and not (button.is_off or _OUT.within(text)))
    _listen(page, ways)
    if page.buttons and not live and not any(z & Zone.OPTION for z in page.zones.values()):
        # Nothing has to be chosen first, and still it cannot be bought.
        ways.weigh(Stock.OUT_OF_STOCK, _BUTTON_OFF)
    if live:
        ways.weigh(Stock.IN_STOCK, 0.55)
        if ways.sure[Stock.OUT_OF_STOCK] < 0.85:
            ways.sure[Stock.OUT_OF_STOCK] *= 0.8
    stock, sure = ways.best()
    return (stock, sure) if sure >= _LEAST_HEARD else (Stock.UNKNOWN, 0.0)


def _listen(page: ProductOutline, ways: _Ways) -> None:
    heard = _heard(page)
    whole = joined([piece.text for piece in heard])
    # One pass for all of them: most pages say none or two.
    held = _ANY.held(whole)
    said = [
        (stock, less, known, frozenset(numbers))
        for stock, less, known in _MEANINGS
        if (numbers := known.lines_within(whole, held))
    ]
    elsewhere = page.next_section
    for index, piece in enumerate(heard):
        text = piece.text.lower()
        if len(text) <= _SHORT and text[0] in _NONE_BEGINS and _NONE_LEFT.search(text):
            ways.weigh(Stock.OUT_OF_STOCK, _sureness(piece, text) + _BY_COUNT)
            continue
        for stock, less, known, lines in said:
            if index in lines:
                phrase = known.within(text)
                if _is_of_all(piece, text, stock) and _is_about_it(heard, index, phrase):
                    # Behind the button and under a heading of its own: of something else.
                    less += _UNDER_ANOTHER * (piece.place > elsewhere)
                    ways.weigh(stock, _sureness(piece, text) - less)
                break


def _is_of_all(piece: TextPiece, text: str, stock: Stock) -> bool:
    """Whether all of the product is meant: not a size, not one way of getting it."""
    return stock is not Stock.OUT_OF_STOCK or not (
        _is_of_a_variant(piece, text) or _WAYS_TO_GET.within(text)
    )


def _is_about_it(heard: list[TextPiece], index: int, phrase: str) -> bool:
    """Whether what it is the answer to is availability, where a label or a row says what."""
    label = _label_of(heard, index, phrase)
    return not label or bool(_ABOUT_IT.within(label))


def _label_of(heard: list[TextPiece], index: int, phrase: str) -> str:
    """What stands before it as its label: of its row, of its list, or before a colon."""
    piece = heard[index]
    label, colon, _ = piece.text.lower().partition(phrase)[0].rpartition(":")
    if colon:
        return label
    row = piece.element.closest("tr")
    if row is not None:
        cells = row.find_all(["th", "td"])[:1]
        is_own = cells and piece.element.closest("th,td") is cells[0]
        label = one_line(cells[0].text, _LONGEST) if cells and not is_own else ""
        # A page may be one great table: what is long is no label.
        return label.lower() if len(label) <= _LONGEST_LABEL else ""
    before = heard[index - 1] if index else None
    if before is None or piece.place - before.place > _BESIDE:
        return ""
    is_label = before.text.endswith(":") or before.element.closest("dt") is not None
    return before.text.lower() if is_label else ""


_MEANINGS: Final = (
    (Stock.OUT_OF_STOCK, 0.0, _OUT),
    (Stock.OUT_OF_STOCK, 0.2, _TOLD),
    (Stock.DISCONTINUED, 0.1, _NO_MORE),
    (Stock.PRE_ORDER, 0.0, _PRE),
    (Stock.BACK_ORDER, 0.1, _BACK),
    (Stock.IN_STOCK, 0.0, _IN),
)
_ANY: Final = ShopPhrases(*dict.fromkeys(each for *_, known in _MEANINGS for each in known.all))


def _heard(page: ProductOutline) -> list[TextPiece]:
    """What speaks of this product, and of all of it."""
    first, last = page.heading_place - _BEFORE, page.heading_place + _BEHIND
    if page.heading_place < 0:
        first, last = 0, MOST_NODES
    return [
        piece
        for piece in page.own
        if first <= piece.place <= last
        and len(piece.text) <= _LONGEST
        and not piece.zone & (Zone.CRUMBS | Zone.OPTION)
        and piece.element.tag not in ("option", "label")
    ]


def _is_of_a_variant(piece: TextPiece, text: str) -> bool:
    """Whether only a size or a colour is gone."""
    if "variant" in text or "size" in text or "colo" in text:
        return True
    return piece.element.closest("label,select,[role=radio],[role=option]") is not None


def _sureness(piece: TextPiece, text: str) -> float:
    zone = piece.zone
    sure = 0.75 if len(text) <= 40 else 0.5
    sure += 0.12 * bool(zone & Zone.STOCK) + 0.03 * bool(zone & Zone.MAIN)
    # Themes write a badge for every case and hide all but one by a style sheet.
    sure -= 0.45 * bool(zone & Zone.HIDDEN)
    if zone & Zone.SIDE and "availab" not in (piece.element.attr("class") or "").lower():
        # Shipping, or a badge; but how soon it can be delivered is said there too.
        sure -= 0.35
    if len(text) > 25 and _SELDOM.search(text):
        sure -= 0.35
    is_button = piece.element.tag == "button" or piece.element.closest("button") is not None
    return min(0.92, sure + 0.1 * is_button)
