"""Which of the amounts of money on a page is the price of its product?

Every amount is weighed by where it stands: in what names itself a price, near the heading and the
button that buys, not among other products, not crossed out, not the shipping.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from msgspec import Struct
from turbohtml import Element

from tenax.page.html import one_line
from tenax.page.product.currencies import CODES, PLAIN, PricePlace
from tenax.page.product.outline import ProductOutline, TextPiece
from tenax.page.product.prices import Money, find_amounts, find_money, same, sign_before
from tenax.page.product.words import ShopPhrases
from tenax.page.product.zones import Zone

_LONGEST_TAG: Final = 160


def _any_of(words: Iterable[str]) -> str:
    """A pattern of these words, by their first letters: so most are not tried one by one."""
    by_first: dict[str, list[str]] = {}
    for word in sorted(words, key=len):
        by_first.setdefault(word[0], []).append(re.escape(word[1:]))
    return "|".join(f"{first}(?:{'|'.join(rests)})" for first, rests in by_first.items())


# Each alternative begins with a letter of its own, and not with a set: so `re` knows which letters
# it may begin with, and passes over all others.
_SIGN = re.compile(
    "|".join([
        *(re.escape(sign) for sign in PLAIN if len(sign) == 1 and not sign.isalnum()), *"円元원đ",
        _any_of(sign for sign in [*PLAIN, *CODES] if sign[0].isalpha() and len(sign) > 1),
    ])
)  # fmt: skip
_DIGIT = re.compile(r"\d")
_LETTER = "A-Za-zÀ-ÿĀ-ſͰ-ϿЀ-ӿ"
_ONLY_MONEY = re.compile(rf"^[^{_LETTER}]*[{_LETTER}.]{{0,4}}[^{_LETTER}]*$")
_WAS = re.compile(
    r"(?:^|[^\w])(?:was|rrp|msrp|r\.r\.p\.?|srp|list|list price|orig\.?|original(?:ly)?|"
    r"retail|before|(?:reduced|down) from"
    r"|compare at|compared to|instead of|old price|valued? ?(?:at)?|typical|uvp|statt|vorher|bisher"
    r"|alter preis|au lieu de|avant|ancien prix|prix conseillé|antes|precio anterior|pvp"
    r"|(?<!partir )de|prima|invece di|listino|adviesprijs|van|ord\.?|ordinarie|tidigare|før|veil\.?"
    r"|stara cena|původně|běžná cena|старая цена|定価|通常価格|原价|市场价|정가)"
    r"(?:\s*(?:price|preis|prix|pris|precio|prezzo|prijs))?[\s:.(\-]*[^\w\s]?\s*$"
)
# Crossed out or not, the only price of many shops is called their regular one.
_REGULAR = re.compile(
    r"(?:^|[^\w])(?:reg\.?|regular(?:ly)?|standard|normal(?:ly|er)?|full|normalpris|cena regularna)"
    r"(?:\s*(?:price|preis|prix|precio))?[\s:.(\-]*[^\w\s]?\s*$"
)
_NOW = re.compile(
    r"(?:^|[^\w])(?:sale|now|now only|our|special|current|today'?s?|deal|final|you pay|"
    r"your|only|nur|jetzt"
    r"|seulement|ahora|ora|nu|por|teraz)(?:\s*(?:price|preis|prix|precio|"
    r"prezzo))?[\s:.\-]*[^\w\s]?\s*$"
)
_NOT_IT = ShopPhrases(
    "shipping|postage|ships for|deliver|versand|livraison|envío|envio|frete|spedizione|verzend",
    "frakt|wysył|доставк|送料|运费|orders over| over |when you spend|save |saving|you save|sparen",
    "sie spar|du spar|économi|ahorra|risparmi| off|discount|rabatt|remise|month|monat|"
    "mois|/mes|al mes",
    "al mese|mnd|payments|instalment|installment|interest-free|interest free|weekly|per week",
    "deposit|points|punkte|coupon|voucher|gift card|credit|grundpreis|excl|ex vat|ex. vat|ex tax",
    "zzgl|cash back|cashback|trade-in|trade in|handling|surcharge|warranty|protection plan",
    "minimum|qty|quantity|subtotal|lowest price in|30 days|30 tage|30 dni|najniższa|plus tax",
    "subscri|autoship|member price|members|club price|unit price",
)
_PER = re.compile(
    r"\s*(?:\(?\s*)?(?:/|per |pro |je |par |por |al )\s*(?:\d+\s*)?"
    r"(?:kg|g|l|lt|ltr|litre|liter|ml|lb|oz|m|m²|sq|st|stk|stück|unit|ea|each|piece|pc|"
    r"mo|month|monat|wk"
    r"|100|yard|meter|metre|ounce|pound|count|ct|fl|sheet|roll|dose|tablet|capsule|serving)"
)
# A price tag fills an entry of a list or a cell of a table, and never goes beyond it.
_CELLS = frozenset({"li", "td"})
_ROWS = frozenset({"body", "tr", "ul", "ol", "table", "tbody"})
# What stands behind an amount and makes it another: without tax, or by the month.
_NET = re.compile(
    r"\W{0,3}(?:ex\.?\s?(?:vat|tax|gst|mwst|btw)|excl|exkl|hors tax|ht\b|netto|\+ ?(?:vat|tax|gst)"
    r"|(?:per |a |/ ?)(?:mo\b|month|week))",
    re.IGNORECASE,
)
_NET_LABEL: Final = "excl"
# What a lone pair of digits behind it makes an amount with cents.
_WHOLE = re.compile(r"(?<![\d.,])(?:\d{1,4}|\d{1,3}(?:[.,]\d{3})+)$")
# "$30.00 Regular Price": what stands behind it, often for those who cannot see.
_WAS_BEHIND = re.compile(
    r"\s*\(?(?:regular|original|list|old|previous|retail|compare at|was|msrp|rrp|uvp)"
    r"(?:\s*price)?\)?\s*$"
)
_TITLES = frozenset({"a", "h1", "h2", "h3", "h4", "h5"})
_MOST_TAGS: Final = 300
"""Amounts looked at; the price of a product's page is not behind so many."""
AWAY: Final = 0.3
"""How sure a price is that stands where the product is not."""
_WITH_CURRENCY: Final = 2.0
_STRESSED: Final = 0.5
_CALLED_NOW: Final = 1.0
_LEAST_AWAY: Final = -3.0
_LEAST: Final = 1.0
"""Points below which an amount is no price of anything."""
_INCLUSIVE = ShopPhrases("incl|inkl|inc vat|inc. vat|税込|ttc|iva inc")
_NEAR: Final = 120
_BESIDE: Final = 3
_LEAST_REDUCED: Final = 0.25


class PriceTag(Struct, frozen=True):
    """An amount that stands on the page, with how likely it is to be the price."""

    money: Money
    place: int
    points: float
    is_struck: bool
    is_before: bool = False
    is_plain: bool = False
    """Nothing but money stands there."""


class Shown(NamedTuple):
    """The price as people see it."""

    price: str = ""
    currency: str = ""
    regular: str = ""
    is_struck: bool = False
    """The regular price is crossed out, not only called so."""
    confidence: float = 0.0
    all: frozenset[str] = frozenset()
    """Every amount shown where the product is."""


def shown_price(page: ProductOutline, where: PricePlace, *, is_worth_it: bool = True) -> Shown:
    """`is_worth_it` says whether it helps to know of a price that stands where the product is not:
    lists have hundreds of these."""
    tags = _tags(page, page.own, where)
    is_away = not tags
    if is_away and is_worth_it:
        # A page that shows its price nowhere else may do so in what looks like its frame.
        tags = _tags(page, page.pieces, where)
    if not tags:
        return Shown()
    current = [tag for tag in tags if not tag.is_struck and float(tag.money.amount) > 0] or tags
    first = max(current, key=lambda tag: (tag.points, -tag.place))
    best = _reduced(first, current)
    if best.points < (_LEAST_AWAY if is_away else _LEAST):
        return Shown()
    regular, is_struck = _regular(best, tags)
    if not regular and first is not best:
        regular = first.money.amount
    confidence = _sureness(best.points)
    if is_away:
        confidence = AWAY
    if not best.money.currency:
        confidence *= 0.7
    all_amounts = frozenset(tag.money.amount for tag in tags if tag.points > 2)
    money = best.money
    return Shown(money.amount, money.currency, regular, is_struck, confidence, all_amounts)


def surest(page: ProductOutline) -> float:
    """How sure the price can be at most that is shown where the product is, by where its figures
    stand, whatever they say."""
    weights = (
        _zone_weighs(piece.zone) + _place_weighs(page, piece.place)
        for piece in page.own
        if piece.zone & Zone.FIGURES
    )
    return _sureness(max(weights, default=0.0) + _WITH_CURRENCY + _STRESSED + _CALLED_NOW)


def _sureness(points: float) -> float:
    return min(0.86, max(0.2, 0.35 + points * 0.06))


def _reduced(best: PriceTag, tags: list[PriceTag]) -> PriceTag:
    """Of two that stand side by side, the second lower: what it costs now."""
    place = tags.index(best)
    beside = tags[place + 1] if place + 1 < len(tags) else None
    if (
        beside is not None
        and beside.place - best.place <= _BESIDE
        and abs(beside.points - best.points) < 1
        and beside.money.currency == best.money.currency
        and best.is_plain
        and beside.is_plain
        and _LEAST_REDUCED < float(beside.money.amount) / max(float(best.money.amount), 0.01) < 1
    ):
        return beside
    return best


def _tags(page: ProductOutline, pieces: list[TextPiece], where: PricePlace) -> list[PriceTag]:
    tags: list[PriceTag] = []
    seen: set[Element] = set()
    for index, piece in enumerate(pieces):
        if not piece.zone & Zone.FIGURES:
            continue
        text = piece.text
        before = pieces[index - 1] if index else None
        if not (piece.zone & Zone.PRICE or _SIGN.search(text) or _is_beside_a_sign(pieces, index)):
            continue
        # What stands just before it may say what it is; hidden or far off, it says nothing.
        previous = ""
        if before is not None and _says_what(before, piece):
            is_taken = index > 1 and (
                _is_net(before.text) or _is_within(before.element, pieces[index - 2].element, piece)
            )
            previous = "" if is_taken else before.text
        behind = pieces[index + 1] if index + 1 < len(pieces) else None
        if behind is not None and behind.place - piece.place <= 5 and _is_net(behind.text):
            previous = f"{_NET_LABEL} {previous}"
        if not previous and behind is not None and _SIGN.fullmatch(behind.text):
            # 24,99 <b>EUR</b>: a sign beside it is its own, on whichever side.
            previous = behind.text
        tags += _tag(page, piece, previous, where, seen)
        if len(tags) >= _MOST_TAGS:
            break
    return tags


def _says_what(before: TextPiece, piece: TextPiece) -> bool:
    """Whether a text is a label of what follows: not a title, not hidden, not far off."""
    return (
        piece.place - before.place <= 8
        and len(before.text) <= 40
        and not before.zone & Zone.HIDDEN
        and before.element.tag not in _TITLES
        and not (before.zone & Zone.FIGURES and (len(before.text) < 12 or find_money(before.text)))
    )


def _is_net(text: str) -> bool:
    return _NET.match(text) is not None and not _DIGIT.search(text)


def _is_within(label: Element, price: Element, piece: TextPiece) -> bool:
    """Whether a label is part of the price before it, which this one is not."""
    return (
        label.parent is price and piece.element is not price and piece.element.parent is not price
    )


def _is_beside_a_sign(pieces: list[TextPiece], index: int) -> bool:
    """Whether a lone currency stands in the piece before or behind."""
    beside = pieces[max(0, index - 1) : index + 2]
    return any(len(piece.text) <= 4 and _SIGN.search(piece.text) for piece in beside)


def _tag(
    page: ProductOutline, piece: TextPiece, previous: str, where: PricePlace, seen: set[Element]
) -> list[PriceTag]:
    text = piece.text
    if len(text) > 60 or piece.zone & (Zone.OTHERS | Zone.FRAME):
        # No tag of this product, or a sentence: what it names is weighed all the same.
        element, joined = piece.element, text
    else:
        element, joined = _whole(piece.element, page)
    if element in seen:
        return []
    found = find_money(joined, where)
    own = found if joined == text else find_money(text, where)
    if own and len(found) > len(own):
        # Was and now in one element: each speaks for itself.
        found, joined = own, text
    elif found and element is not piece.element:
        seen.add(element)
    # What an element hands down it hands down to its texts.
    zone = piece.zone
    if not found:
        is_of_cents = (zone | page.zones.get(element)) & Zone.CENTS
        if not zone & Zone.PRICE or len(joined) > 20 or is_of_cents:
            return []
        found = find_amounts(joined)
        if not found or "%" in joined:
            return []
        if previous and len(previous) <= 4:
            found = find_money(f"{previous} {joined}", where) or found
    is_struck = bool(zone & Zone.STRUCK)
    money = found[0]
    context = f"{previous} {text}"
    before = context[: max(0, context.find(joined[money.start : money.end]))].rstrip()
    before = before.removesuffix(sign_before(before))
    other: Money | None = None
    if len(found) == 2 and not is_struck:
        between = joined[money.end : found[1].start].lower()
        if _WAS.search(before[-40:].lower()):
            # "was $20 now $15"
            money, other = found[1], money
        elif _WAS.search(between):
            # "$15 (was $20)"
            other = found[1]
    elif _WAS.search(before[-40:].lower()):
        is_struck = True
    points = _weigh(page, piece, zone, joined, context, money)
    label = before[-40:].lower()
    is_before = bool(zone & Zone.BEFORE)
    is_called_so = len(found) == 1 and _WAS_BEHIND.match(joined[money.end :].lower())
    if is_called_so or _REGULAR.search(label):
        points, is_before = points - 1, True
    elif _NOW.search(label):
        points += _CALLED_NOW
    is_plain = _ONLY_MONEY.match(joined) is not None
    tags = [PriceTag(money, piece.place, points, is_struck, is_before, is_plain)]
    if other is not None:
        tags.append(PriceTag(other, piece.place, points - 1, is_struck=True))
    return tags


def _whole(element: Element, page: ProductOutline) -> tuple[Element, str]:
    """The price tag that a piece of it belongs to: currency, whole and cents may stand apart."""
    text = one_line(element.text, _LONGEST_TAG)
    joined = _joined(element, page)
    for _ in range(3):
        parent = element.parent
        if not isinstance(parent, Element) or element.tag in _CELLS or parent.tag in _ROWS:
            break
        above = parent.text
        if len(above) > 60 or not _ONLY_MONEY.match(flat := one_line(above, 60)):
            break
        if flat != text and len(re.findall(r"\d[\d.,' \u00a0\u202f]*", flat)) > 2:
            break
        pieces = _joined(parent, page)
        if flat != text and len(find_money(pieces)) != 1:
            break
        element, text, joined = parent, flat, pieces
    return element, joined


def _joined(element: Element, page: ProductOutline) -> str:
    """Its text, with the point that stands for the step to a raised pair of cents."""
    parts: list[str] = []
    zones = page.zones
    for node in element.descendants:
        if isinstance(node, Element):
            continue
        data = getattr(node, "data", "").strip()
        parent = node.parent
        if (
            not data
            or not isinstance(parent, Element)
            or zones.get(parent, Zone.NONE) & Zone.UNSEEN
        ):
            continue
        if (
            parts
            and len(data) == 2
            and data.isdecimal()
            and (zones.get(parent, Zone.NONE) & Zone.CENTS or _WHOLE.search(parts[-1]))
            and parts[-1][-1:].isdecimal()
        ):
            parts.append(f".{data}")
        elif parts and parts[-1][-1:].isdecimal() and data[:1].isdecimal():
            parts.append(f" {data}")
        else:
            parts.append(data)
        if len(parts) > 20:
            break
    return one_line("".join(_spaced(parts)), _LONGEST_TAG)


def _spaced(parts: list[str]) -> list[str]:
    """Words apart from one another; what belongs to a number stays with it."""
    out: list[str] = []
    for part in parts:
        if out and part[:1].isalpha() and out[-1][-1:].isalpha():
            out.append(" ")
        out.append(part)
    return out


def _weigh(
    page: ProductOutline, piece: TextPiece, zone: int, joined: str, context: str, money: Money
) -> float:
    points = _WITH_CURRENCY if money.currency else 0.0
    place = piece.place
    points += _zone_weighs(zone)
    if zone & (Zone.OTHERS | Zone.FRAME):
        # Far behind already: what it says would not make it the price.
        return points
    rest = len(joined) - (money.end - money.start)
    context = context.lower()
    if rest > 40:
        points -= 3
    elif rest > 18:
        points -= 1
    is_something_else = _NOT_IT.within(context) and not (rest < 30 and _INCLUSIVE.within(context))
    if is_something_else or _PER.match(joined[money.end :].lower()):
        points -= 3
    points += _place_weighs(page, place)
    if place >= page.others_place:
        points -= 4
    if float(money.amount) == 0:
        points -= 5
    if piece.element.tag in ("h1", "h2", "b", "strong", "ins"):
        points += _STRESSED
    return points


def _zone_weighs(zone: int) -> float:
    points = 2.0 * bool(zone & Zone.PRICE) + 1.0 * bool(zone & Zone.NOW)
    points += 1.0 * bool(zone & Zone.MAIN)
    points -= 0.5 * bool(zone & Zone.BEFORE)
    points -= 5.0 * bool(zone & Zone.OTHERS) + 5.0 * bool(zone & Zone.FRAME)
    points -= 4.0 * bool(zone & Zone.REVIEW) + 2.5 * bool(zone & Zone.HIDDEN)
    return points - 3.0 * bool(zone & Zone.SIDE) - 3.0 * bool(zone & Zone.OPTION)


def _place_weighs(page: ProductOutline, place: int) -> float:
    points = 0.0
    if page.heading_place >= 0:
        after = place - page.heading_place
        if after >= 0:
            points += 2.5 / (1 + after / 150)
        elif after < -150:
            points -= 1.5
    if page.buy_place >= 0:
        points += 1.5 / (1 + abs(place - page.buy_place) / 100)
    return points


def _regular(best: PriceTag, tags: list[PriceTag]) -> tuple[str, bool]:
    amount = float(best.money.amount)
    near = [
        tag
        for tag in tags
        if (tag.is_struck or tag.is_before)
        and abs(tag.place - best.place) <= _NEAR
        and float(tag.money.amount) > amount
        and not same(tag.money.amount, best.money.amount)
    ]
    if not near:
        return "", False
    nearest = min(near, key=lambda tag: (not tag.is_struck, abs(tag.place - best.place)))
    return nearest.money.amount, nearest.is_struck
