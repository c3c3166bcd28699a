"""Which part of a shop's page is this: the product, other products, the frame, a struck-out price?

Shops share no markup, but they share words: what a class or an id says is the best there is.
"""

from __future__ import annotations

import re
from functools import lru_cache

from turbohtml import Element

from tenax.page.needles import Needles


class Zone:
    """Flags of what is known of a place. Plain numbers: enum flags cost ten times as much."""

    NONE = 0
    HIDDEN = 1
    FRAME = 2
    OTHERS = 4
    """Other products: recommendations, lists, baskets."""
    REVIEW = 8
    STRUCK = 16
    """A price crossed out."""
    BEFORE = 32
    """Named as a regular price: crossed out, or the only one there is."""
    SIDE = 64
    """Money that is not the price: shipping, instalments, savings, price per kilo."""
    PRICE = 128
    NOW = 256
    MAIN = 512
    CRUMBS = 1024
    GALLERY = 2048
    STOCK = 4096
    OPTION = 8192
    CENTS = 16384
    UNSEEN = 32768
    BRAND = 65536
    SKU = 131072


INHERITED = (
    Zone.HIDDEN | Zone.FRAME | Zone.OTHERS | Zone.REVIEW | Zone.STRUCK | Zone.BEFORE | Zone.SIDE
    | Zone.PRICE | Zone.NOW | Zone.MAIN | Zone.CRUMBS | Zone.GALLERY | Zone.STOCK | Zone.OPTION
    | Zone.UNSEEN
)  # fmt: skip
AWAY = Zone.FRAME | Zone.OTHERS | Zone.REVIEW | Zone.UNSEEN
_TAGS = {
    "script": Zone.UNSEEN, "style": Zone.UNSEEN, "noscript": Zone.UNSEEN, "template": Zone.UNSEEN,
    "svg": Zone.UNSEEN, "head": Zone.UNSEEN, "nav": Zone.FRAME, "footer": Zone.FRAME,
    "del": Zone.STRUCK, "s": Zone.STRUCK, "strike": Zone.STRUCK, "option": Zone.OPTION,
    "sup": Zone.CENTS, "aside": Zone.NONE,
}  # fmt: skip
# Inline, and seldom hidden by itself: not asked for a style.
_PLAIN = frozenset({"a", "b", "br", "em", "i", "img", "li", "strong", "option", "script"})
_LEFT, _RIGHT = r"(?:^|[\s_-])", r"(?:$|[\s_-])"
_WORDS: dict[int, re.Pattern[str]] = {
    zone: re.compile(words)
    for zone, words in {
        Zone.HIDDEN: r"(?:^|\s)(?:hidden|d-none|hide|is-hidden|invisible|u-hidden|js-hidden|"
            r"dn){1}(?:$|\s)",
        Zone.FRAME: r"(?:site|page|global|top|main)[-_]?(?:header|footer|nav|bar\b)|(?:^|"
            r"\s)(?:header|footer|menu|nav|navbar)(?:$|\s)"
        r"|mini[-_]?(?:cart|basket|bag)|(?:cart|basket|bag)[-_]?(?:drawer|sidebar|popup|"
        r"preview|dropdown|summary|total|content|flyout|panel|modal)"
        r"|side[-_]?cart|newsletter|cookie|mega[-_]?menu|announcement|promo[-_]?bar|"
        r"currency[-_]?(?:switch|select|menu)|header__",
        Zone.OTHERS:
            r"related|recommend|up[-_]?sell|cross[-_]?sell|similar|also[-_]?(?:bought|like|"
            r"view|purch)|recent(?:ly)?[-_]?view"
        r"|recently|you[-_]?(?:may|might)|frequently|bought[-_]?together|complement|"
        r"suggest|trending|best[-_]?sell|featured[-_]?prod|products[-_](?:grid|list|wrapper|carousel|slider)"
        r"|product[-_]?(?:card|tile|grid|list\b|teaser|carousel|slider|recs|swiper|"
        r"collection|loop|miniature)|(?:^|\s)products(?:$|\s)"
        r"|product[-_]item(?!-info|-detail|-price|-page)|"
        r"collection[-_]?(?:grid|list|item)|shop[-_]the[-_]look|look[-_]?book|accessor"
        r"|quick[-_]?(?:view|shop|add)|wishlist|bundle|widget[-_]products|(?:^|"
        r"\s)card(?:$|\s)|search[-_]result|compare[-_]?(?:table|item)|listing[-_]item|"
        r"other[-_]?(?:products|items|sellers)|sponsor",
        Zone.REVIEW:
            r"(?<!p)review|testimonial|comment|question|(?:^|[\s_-])q-?and-?a|customer[-_]?photo",
        Zone.STRUCK:
            rf"{_LEFT}(?:old|was|before|crossed|strike|striked|strikethrough|line-?through|"
            rf"compare|compare[-_]?at|compareat|rrp|msrp|uvp|previous|prev|retail|ancien|"
            rf"alter|statt|reference|undiscounted|instead|rrp|srp)(?:[-_]?(?:price|prix|"
            rf"preis|at|item))?{_RIGHT}|oldprice|wasprice|listprice|price[-_]?(?:old|was|"
            rf"before|compare|strike|crossed|rrp|msrp|list\b|original|retail)|"
            rf"strike[-_]?through|non[-_]?sale|(?:^|[\s_-])list[-_]price",
        Zone.BEFORE: r"regular|original|standard|base[-_]price|full[-_]price|normal[-_]?price",
        Zone.SIDE: r"shipp|deliver|versand|livraison|install?ment|afterpay|klarna|affirm|sezzle|"
            r"paypal|clearpay|laybuy|financ|monthly|per[-_]?month|saving|you[-_]?save|"
            r"price[-_]?sav|discount[-_]?(?:amount|percent|badge|label)|unit[-_]?price|"
            r"price[-_]?(?:per|unit)|per[-_]?unit|grundpreis|base-price|deposit|(?:^|"
            r"[\s_-])tax|(?:^|[\s_-])vat|points|reward|loyalty|tier|bulk|volume|gift|"
            r"warranty|insurance|protection|subtotal|(?:^|[\s_-])total|threshold|"
            r"trade[-_]?in|omnibus|lowest[-_]?price|badge|coupon|voucher|"
            r"promo(?:tion)?[-_]?(?:text|message|banner)|(?:ex|excl|without)[-_]?(?:tax|vat)",
        Zone.PRICE:
            r"price|prix|preis|precio|pre[cç]o|prezzo|prijs|(?:^|[\s_-])pris(?:$|[\s_-])|"
            r"cena|(?:^|[\s_-])(?:amount|money|cost)(?:$|[\s_-])|currency[-_]?value",
        Zone.NOW: rf"{_LEFT}(?:sale|special|current|final|now|our|selling|actual|today|todays|"
            rf"promo|deal|reduced|new|offer|main|active|big|large|last)[-_]?(?:price|prix|"
            rf"preis)?{_RIGHT}|saleprice|specialprice|finalprice|currentprice|"
            rf"price[-_]{{0,2}}(?:sale|special|current|final|now|new|main|large|big|value|"
            rf"discounted)|price-to-pay|pricetopay|discounted[-_]price",
        Zone.MAIN:
            r"product[-_]{0,2}(?:detail|main|info|single|page|view|summary|essential|form|"
            r"content|top|buy|shop|price|title|hero|overview|meta|header)|(?:^|[\s_-])pdp|"
            r"(?:^|\s)summary|buy[-_]?box|entry[-_]summary|add[-_]?to[-_]?(?:cart|bag|"
            r"basket)|purchase|item[-_]?(?:detail|info|page)|single[-_]product|(?:^|"
            r"\s)product(?:$|\s)|productview|detail[-_]?(?:page|info)",
        Zone.CRUMBS: r"bread-?crumb|crumbs|(?:^|[\s_-])crumb(?:$|[\s_-])",
        Zone.GALLERY:
            r"gallery|product[-_]{0,2}(?:image|media|photo|img|slide|thumb|picture)|(?:main|"
            r"primary|hero|featured|big|zoom)[-_]?(?:image|img|photo|picture)|zoom|thumb|"
            r"fotorama|flexslider|image[-_]?(?:slider|carousel|viewer|main)|"
            r"media[-_]?(?:gallery|viewer|list)",
        Zone.STOCK:
            r"stock|availab|inventory|verfügbar|sold[-_]?out|delivery[-_]?(?:status|info|"
            r"time)",
        Zone.OPTION: r"swatch|variant|option|(?:^|[\s_-])sizes?(?:$|[\s_-])|(?:^|"
            r"[\s_-])colou?rs?(?:$|[\s_-])|variation",
        Zone.CENTS: r"cent|decimal|fraction|minor|superscript|(?:^|[\s_-])sup(?:$|[\s_-])",
        Zone.BRAND: r"brand|manufacturer|vendor|designer|marke\b|hersteller",
        Zone.SKU: r"sku(?:$|[\s_-])|"
            r"(?:^|[\s_-])(?:sku|mpn|product[-_]?(?:code|number|ref(?:erence)?|id)|"
            r"item[-_]?(?:number|code|no)|art(?:icle|ikel)?[-_]?(?:no|nr|number)|"
            r"model[-_]?(?:number|no)|part[-_]?number|style[-_]?(?:number|code))(?:$|[\s_-])|"
            r"(?:^|\s)code(?:$|\s)",
    }.items()
}  # fmt: skip


# What a name needs to have for each of these: so most names are told apart by one look.
_CLUES: dict[int, str] = {
    Zone.HIDDEN: "hid|none|hide|invis|dn",
    Zone.FRAME: "header|footer|nav|bar|menu|cart|basket|bag|newsletter|cookie|announce|currency",
    Zone.OTHERS:
        "related|recommend|sell|similar|also|recent|you|frequent|bought|complement|suggest|trend|"
        "feature|product|collection|look|accessor|quick|wishlist|bundle|card|search|compare|"
        "listing|other|sponsor",
    Zone.REVIEW: "review|testimonial|comment|question|anda|and-a|customer",
    Zone.STRUCK:
        "old|was|before|cross|strike|through|compare|rrp|msrp|uvp|prev|retail|ancien|alter|statt|"
        "reference|undiscounted|instead|srp|price|non",
    Zone.BEFORE: "regular|original|standard|base|full|normal",
    Zone.SIDE:
        "ship|deliver|versand|livraison|install|instal|afterpay|klarna|affirm|sezzle|paypal|"
        "clearpay|laybuy|financ|month|saving|save|price|discount|unit|grundpreis|deposit|tax|vat|"
        "point|reward|loyal|tier|bulk|volume|gift|warrant|insur|protect|total|threshold|trade|"
        "omnibus|badge|coupon|voucher|promo",
    Zone.PRICE: "price|prix|preis|preci|pre|prezzo|prijs|pris|cena|amount|money|cost|currency",
    Zone.NOW:
        "sale|special|current|final|now|our|selling|actual|today|promo|deal|reduced|new|offer|main|"
        "active|big|large|last|price|discount",
    Zone.MAIN:
        "product|pdp|summary|buy|add|purchase|detail|iteminfo|item-info|item_info|itempage|"
        "item-page|item_page",
    Zone.CRUMBS: "crumb",
    Zone.GALLERY: "gallery|product|image|img|photo|picture|zoom|thumb|fotorama|flexslider|media",
    Zone.STOCK: "stock|availab|inventory|verf|sold|delivery",
    Zone.OPTION: "swatch|variant|option|size|colo|variation",
    Zone.CENTS: "cent|decimal|fraction|minor|sup",
    Zone.BRAND: "brand|manufacturer|vendor|designer|marke|hersteller",
    Zone.SKU: "sku|mpn|product|itemn|item-n|item_n|art|model|part|style|code",
}  # fmt: skip
_KNOWN: tuple[str, ...] = tuple(
    dict.fromkeys(clue for clues in _CLUES.values() for clue in clues.split("|"))
)
_CLUED = Needles(_KNOWN)
_ZONES_BY_CLUE: tuple[tuple[int, ...], ...] = tuple(
    tuple(zone for zone, clues in _CLUES.items() if clue in clues.split("|")) for clue in _KNOWN
)
# What else of a name decides when several of its words disagree.
_OWN_PAGE = 1 << 20
_BADGE = 1 << 21
_OF_OTHERS = 1 << 22
_ASIDE = _OWN_PAGE | _BADGE | _OF_OTHERS
_OWN_PAGES = re.compile(r"product[-_]{0,2}(?:detail|main|single|page|view)")


def named_zone(name: str) -> int:
    """What a name says that stands elsewhere than in a class or an id."""
    return _named(name, "")


def own_zone(element: Element, tag: str) -> int:
    """What an element says about itself, by its tag, class, id and style."""
    classes = element.attr("class")
    id = element.attr("id")
    zone = _TAGS.get(tag, Zone.NONE)
    if (classes or id) and tag not in ("html", "body"):
        zone |= _named(classes or "", id or "")
    if tag in _PLAIN:
        return zone
    if element.attr("hidden") is not None:
        zone |= Zone.HIDDEN
    style = element.attr("style")
    if style:
        squeezed = style[:300].replace(" ", "").lower()
        if "display:none" in squeezed:
            zone |= Zone.HIDDEN
        if "line-through" in squeezed:
            zone |= Zone.STRUCK
    return zone


@lru_cache(maxsize=8192)
def _named(classes: str, id: str) -> int:
    zone: int = Zone.NONE
    for word in f"{classes[:300]} {id[:100]}".lower().split():
        zone |= _of_word(word)
    if zone & Zone.MAIN and zone & Zone.OTHERS and zone & _OWN_PAGE:
        zone &= ~Zone.OTHERS
    if zone & Zone.PRICE:
        zone &= ~Zone.OPTION
    if zone & Zone.STOCK and not zone & _BADGE:
        # When it is delivered is whether it can be had, not what the delivery costs.
        zone &= ~Zone.SIDE
    if zone & Zone.GALLERY:
        zone &= ~Zone.GALLERY if zone & _OF_OTHERS else ~Zone.OTHERS
    return zone & ~_ASIDE


@lru_cache(maxsize=16384)
def _of_word(word: str) -> int:
    """One class of several: no pattern reaches over the space between two."""
    zone: int = Zone.NONE
    tried: set[int] = set()
    for clue in _CLUED.within(word):
        for flag in _ZONES_BY_CLUE[clue]:
            if flag not in tried:
                tried.add(flag)
                if _WORDS[flag].search(word):
                    zone |= flag
    if zone & Zone.OTHERS and ("related" in word or "recommend" in word):
        zone |= _OF_OTHERS
    if zone & Zone.MAIN and _OWN_PAGES.search(word):
        zone |= _OWN_PAGE
    return zone | _BADGE * ("badge" in word)
