"""Which part of a shop's page is this: the product, other products, the frame, a struck-out price?

Shops share no markup, but they share words: what a class or an id says is the best there is.
"""

from __future__ import annotations

import re
from array import array
from functools import lru_cache
from itertools import pairwise

from turbohtml import Element

from tenax.page.for_sale.needles import Needles


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
    FIGURES = 262144
    """Of a text, not of where it stands: it has some, in whatever script."""


INHERITED = (
    Zone.HIDDEN | Zone.FRAME | Zone.OTHERS | Zone.REVIEW | Zone.STRUCK | Zone.BEFORE | Zone.SIDE
    | Zone.PRICE | Zone.NOW | Zone.MAIN | Zone.CRUMBS | Zone.GALLERY | Zone.STOCK | Zone.OPTION
    | Zone.UNSEEN
)  # fmt: skip
AWAY = Zone.FRAME | Zone.OTHERS | Zone.REVIEW | Zone.UNSEEN
TAGS = {
    "script": Zone.UNSEEN, "style": Zone.UNSEEN, "noscript": Zone.UNSEEN, "template": Zone.UNSEEN,
    "svg": Zone.UNSEEN, "head": Zone.UNSEEN, "nav": Zone.FRAME, "footer": Zone.FRAME,
    "del": Zone.STRUCK, "s": Zone.STRUCK, "strike": Zone.STRUCK, "option": Zone.OPTION,
    "sup": Zone.CENTS, "aside": Zone.NONE,
}  # fmt: skip
ROOTS = frozenset({"html", "body"})
# Inline, and seldom hidden by itself: not asked for a style.
PLAIN = frozenset({"a", "b", "br", "em", "i", "img", "li", "strong", "option", "script"})
# What names say, as they are written: {a,b} is either; ~ a hyphen, an underscore or neither, = one
# of the two, % up to two of them; < and > where a word begins and ends, at one of them or at a
# space; ^ and $ the beginning and the end of the whole name, and ! its end or a hyphen.
_NAMES: dict[int, str] = {
    Zone.HIDDEN: "^{hidden,d-none,hide,is-hidden,invisible,u-hidden,js-hidden,dn}$",
    Zone.FRAME:
        "{site,page,global,top,main}~{header,footer,nav,bar!} ^{header,footer,menu,nav,navbar}$ "
        "mini~{cart,basket,bag} {cart,basket,bag}~{drawer,sidebar,popup,preview,dropdown,summary,"
        "total,content,flyout,panel,modal} side~cart newsletter cookie mega~menu announcement "
        "promo~bar currency~{switch,select,menu}",
    Zone.OTHERS:
        "related recommend up~sell cross~sell similar also~{bought,like,view,purch} "
        "recent~view recently you~{may,might} frequently bought~together complement suggest "
        "trending best~sell featured~prod products={grid,list,wrapper,carousel,slider} "
        "product~{card,tile,grid,list!,teaser,carousel,slider,recs,swiper,collection,loop,"
        "miniature} "
        "^products$ collection~{grid,list,item} shop=the=look look~book accessor "
        "quick~{view,shop,add} wishlist bundle widget=products ^card$ search=result "
        "compare~{table,item} listing=item other~{products,items,sellers} sponsor",
    Zone.REVIEW: "testimonial comment question <q{,-}and{,-}a customer~photo",
    Zone.STRUCK:
        "<{old,was,before,crossed,strike,striked,strikethrough,line{,-}through,compare,compareat,"
        "rrp,msrp,uvp,previous,prev,retail,ancien,alter,statt,reference,undiscounted,instead,srp}"
        "{,price,prix,preis,at,item}> oldprice wasprice listprice "
        "price~{old,was,before,compare,strike,crossed,rrp,msrp,list!,original,retail} "
        "strike~through non~sale <list=price",
    Zone.BEFORE: "regular original standard base=price full=price normal~price",
    Zone.SIDE:
        "shipp deliver versand livraison instal{,l}ment afterpay klarna affirm sezzle paypal "
        "clearpay laybuy financ monthly per~month saving you~save price~sav "
        "discount~{amount,percent,badge,label} unit~price price~{per,unit} per~unit grundpreis "
        "base-price deposit <tax <vat points reward loyalty tier bulk volume gift warranty "
        "insurance protection subtotal <total threshold trade~in omnibus lowest~price badge "
        "coupon voucher {promo,promotion}~{text,message,banner} {ex,excl,without}~{tax,vat}",
    Zone.PRICE:
        "price prix preis precio pre{c,ç}o prezzo prijs <pris> cena <{amount,money,cost}> "
        "currency~value",
    Zone.NOW:
        "<{sale,special,current,final,now,our,selling,actual,today,todays,promo,deal,reduced,new,"
        "offer,main,active,big,large,last}{,price,prix,preis}> "
        "{sale,special,final,current}price "
        "price%{sale,special,current,final,now,new,main,large,big,value,discounted} "
        "price{-to-,to}pay discounted=price",
    Zone.MAIN:
        "product%{detail,main,info,single,page,view,summary,essential,form,content,top,buy,shop,"
        "price,title,hero,overview,meta,header} <pdp ^summary buy~box entry=summary "
        "add~to~{cart,bag,basket} purchase item~{detail,info,page} single=product ^product$ "
        "detail~{page,info}",
    Zone.CRUMBS: "bread{,-}crumb crumbs <crumb>",
    Zone.GALLERY:
        "gallery product%{image,media,photo,img,slide,thumb,picture} "
        "{main,primary,hero,featured,big,zoom}~{image,img,photo,picture} zoom thumb fotorama "
        "flexslider image~{slider,carousel,viewer,main} media~{gallery,viewer,list}",
    Zone.STOCK: "stock availab inventory verfügbar sold~out delivery~{status,info,time}",
    Zone.OPTION: "swatch variant option <size{,s}> <colo{,u}r{,s}> variation",
    Zone.CENTS: "cent decimal fraction minor superscript <sup>",
    Zone.BRAND: "brand manufacturer vendor designer marke! hersteller",
    Zone.SKU:
        "sku> <{mpn,product~{code,number,ref,reference,id},item~{number,code,no},"
        "{art,article,artikel}~{no,nr,number},model~{number,no},part~number,style~{number,code}}> "
        "^code$ ordernumber vendor~code",
}  # fmt: skip
_MARKS: dict[str, tuple[str, ...]] = {
    "~": ("", "-", "_"),
    "=": ("-", "_"),
    "%": ("", "-", "_", "--", "-_", "_-", "__"),
    "<": (" ", "-", "_"),
    ">": (" ", "-", "_"),
    "^": (" ",),
    "$": (" ",),
    "!": (" ", "-"),
}


def _choices(name: str) -> list[str]:
    """The name with each of what stands in braces."""
    start = name.find("{")
    if start < 0:
        return [name]
    depth, ends = 0, [start]
    for end in range(start, len(name)):
        depth += (name[end] == "{") - (name[end] == "}")
        if depth == 0 or (depth == 1 and name[end] == ","):
            ends.append(end)
        if depth == 0:
            break
    rests = _choices(name[ends[-1] + 1 :])
    between = [name[one + 1 : other] for one, other in pairwise(ends)]
    return [
        f"{name[:start]}{choice}{rest}"
        for each in between
        for choice in _choices(each)
        for rest in rests
    ]


def _spelled(name: str) -> list[str]:
    """Every way to write it, with a space for the beginning and the end."""
    ways, written = [""], 0
    for at, sign in enumerate(name):
        if (marks := _MARKS.get(sign)) is not None:
            ways = [f"{way}{name[written:at]}{mark}" for way in ways for mark in marks]
            written = at + 1
    return [way + name[written:] for way in ways]


def _spellings() -> tuple[dict[str, int], dict[str, int]]:
    """What each part of a name says that stands alone between hyphens, and what each string says
    wherever it stands."""
    parts: dict[str, int] = {}
    anywhere: dict[str, int] = {}
    for zone, names in _NAMES.items():
        for name in (choice for each in names.split() for choice in _choices(each)):
            if name[0] + name[-1] == "<>" and name[1:-1].isalpha():
                parts[name[1:-1]] = parts.get(name[1:-1], 0) | zone
                continue
            for written in _spelled(name):
                anywhere[written] = anywhere.get(written, 0) | zone
    return parts, anywhere


_PARTS, _ANYWHERE = _spellings()
# What one string alone does not tell: a product's header is not the page's, a preview is no
# review, an item's details no other product,
# and whether a word stands alone is seen when the name is cut up, which few names need.
_BUT: dict[str, tuple[int, re.Pattern[str]]] = {
    "header__": (Zone.FRAME, re.compile(r"(?<!product[-_])header__")),
    "review": (Zone.REVIEW, re.compile(r"(?<!p)review")),
    "product-item": (Zone.OTHERS, re.compile(r"product-item(?!-info|-detail|-price|-page)")),
    "product_item": (Zone.OTHERS, re.compile(r"product_item(?!-info|-detail|-price|-page)")),
}
WRITTEN = Needles((*_ANYWHERE, *_BUT, *_PARTS))
_SAID = tuple(_ANYWHERE.values())
_DOUBTFUL = tuple(_BUT.values())
NAMES = (
    array("i", [*_SAID, *(Zone.NONE for _ in _BUT), *_PARTS.values()]).tobytes(),
    len(_ANYWHERE), len(_ANYWHERE) + len(_BUT),
    Zone.MAIN | Zone.OTHERS, Zone.STOCK | Zone.SIDE, Zone.GALLERY | Zone.OTHERS,
    Zone.PRICE, Zone.OPTION, Zone.HIDDEN, Zone.STRUCK,
)  # fmt: skip
"""What `native/zones.c` needs to say the same: the zone of each string, from which on they are
doubtful or parts, what is not settled by strings alone, and the zones that it sets itself."""
_OWN_PAGES = re.compile(r"product[-_]{0,2}(?:detail|main|single|page|view)")


def own_zone(element: Element, tag: str, name: str | None) -> int:
    """What an element says about itself, by its tag, class, id and style, and by the name that
    tests know it by; where that is None, it has nothing but a class."""
    classes = element.attr("class")
    id = None if name is None else element.attr("id")
    zone = TAGS.get(tag, Zone.NONE)
    if (classes or id) and tag not in ROOTS:
        zone |= named(classes or "", id or "")
    if name is None:
        return zone
    if name:
        zone |= named(name, "")
    if tag in PLAIN:
        return zone
    if element.attr("hidden") is not None:
        zone |= Zone.HIDDEN
    style = element.attr("style")
    return zone | styled(style) if style else zone


@lru_cache(maxsize=4096)
def styled(style: str) -> int:
    """What an element's own style says."""
    zone: int = Zone.NONE
    squeezed = style[:300].replace(" ", "").lower()
    if "display:none" in squeezed:
        zone |= Zone.HIDDEN
    if "line-through" in squeezed:
        zone |= Zone.STRUCK
    return zone


@lru_cache(maxsize=8192)
def named(classes: str, id: str) -> int:
    """What a class and an id say."""
    text = f" {classes[:300]} {id[:100]} ".lower()
    if not text.isprintable():
        text = f" {' '.join(text.split())} "
    zone = _said(text)
    if zone & Zone.MAIN and zone & Zone.OTHERS and _OWN_PAGES.search(text):
        zone &= ~Zone.OTHERS
    if zone & Zone.PRICE:
        zone &= ~Zone.OPTION
    if zone & Zone.STOCK and "badge" not in text:
        # When it is delivered is whether it can be had, not what the delivery costs.
        zone &= ~Zone.SIDE
    if zone & Zone.GALLERY:
        zone &= ~Zone.OTHERS if "related" not in text and "recommend" not in text else ~Zone.GALLERY
    return zone


def _said(text: str) -> int:
    zone: int = Zone.NONE
    for place in WRITTEN.within(text):
        if place < len(_SAID):
            zone |= _SAID[place]
        elif place < len(_SAID) + len(_DOUBTFUL):
            flag, pattern = _DOUBTFUL[place - len(_SAID)]
            zone |= flag * bool(pattern.search(text))
        else:
            # The last of its kinds: one such word is enough to cut the name up.
            for part in text.replace("-", " ").replace("_", " ").split():
                zone |= _PARTS.get(part, Zone.NONE)
            break
    return zone
