"""What pages could there be? Valid ones, soups of all tags, and both of them damaged and cut up.

A page is a function of its number: whoever has the seed and the number has the page again.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.fuzz.pages import PAGES

# All that HTML has or had, some of SVG and MathML, and names that nobody knows.
TAGS = (
    "a", "abbr", "acronym", "address", "applet", "area", "article", "aside", "audio", "b", "base",
    "basefont", "bdi", "bdo", "bgsound", "big", "blink", "blockquote", "body", "br", "button",
    "canvas", "caption", "center", "cite", "code", "col", "colgroup", "data", "datalist", "dd",
    "del", "details", "dfn", "dialog", "dir", "div", "dl", "dt", "em", "embed", "fieldset",
    "figcaption", "figure", "font", "footer", "form", "frame", "frameset", "h1", "h2", "h3", "h4",
    "h5", "h6", "head", "header", "hgroup", "hr", "html", "i", "iframe", "image", "img", "input",
    "ins", "isindex", "kbd", "keygen", "label", "legend", "li", "link", "listing", "main", "map",
    "mark", "marquee", "math", "menu", "menuitem", "meta", "meter", "nav", "nobr", "noembed",
    "noframes", "noscript", "object", "ol", "optgroup", "option", "output", "p", "param",
    "picture", "plaintext", "pre", "progress", "q", "rb", "rp", "rt", "rtc", "ruby", "s", "samp",
    "script", "search", "section", "select", "selectedcontent", "slot", "small", "source", "span",
    "strike", "strong", "style", "sub", "summary", "sup", "svg", "table", "tbody", "td",
    "template", "textarea", "tfoot", "th", "thead", "time", "title", "tr", "track", "tt", "u",
    "ul", "var", "video", "wbr", "xmp", "g", "path", "desc", "foreignObject", "use", "mi", "mtext",
    "annotation-xml", "x-y", "my-element",
)  # fmt: skip
FORMATTING = ("a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strong", "tt", "u")
BLOCKS = (
    "address", "article", "aside", "blockquote", "center", "details", "div", "dl", "fieldset",
    "figure", "footer", "form", "h1", "h2", "header", "li", "main", "nav", "ol", "p", "pre",
    "section", "summary", "ul",
)  # fmt: skip
INLINE = (
    *FORMATTING, "abbr", "button", "cite", "ins", "label", "my-own", "object", "q", "span", "time",
)  # fmt: skip
VOID = ("area", "base", "br", "embed", "hr", "img", "input", "link", "meta", "wbr", "col", "param")
HEAD = (
    "<title>A &amp; B</title>", "<title>Plums</title>", "<meta charset=utf-8>", "<base href=/b/>",
    "<link rel=canonical href='/c?a=1&amp;b=2'>", "<link rel=next href=n>", "<style>a{}</style>",
    "<meta name=robots content=noindex>", '<meta property="og:title" content="Plums &mdash; now">',
    '<script type="application/ld+json">{"datePublished":"2024-01-02"}</script>',
    "<script>if (a<b) '</p>'</script>", "<noscript><link rel=stylesheet href=s></noscript>",
    "<noscript><img src=x></noscript>", "<template><p>x</p></template>", "<!-- c -->", "\n",
)  # fmt: skip
ATTRIBUTES = (
    "href=x", 'href="y#z"', "href='/a?b=1&c=2&copy=3'", 'href="&amp;#x"', "rel=nofollow",
    "rel=license", "rel=canonical", "role=main", "role=navigation", 'role=" Search "', "role=img",
    "hidden", "class=nav", 'class="x NavBar y"', "id=footer", "class=content", "id='a&b'",
    "lang=en", "xml:lang=de", 'content="2024-05-06"', "content=noindex", "name=robots",
    "name=date", "itemprop=datePublished", "itemprop=uploadDate", "itemprop=name",
    "datetime=2024-05-06", "pubdate", "type=hidden", "type=application/ld+json",
    "type='\n application/LD+JSON\t'", "type='application/ld+json\u00a0'", "title='a>b'",
    "title", "HREF=Q", "a=b/", "/", "color=red", "size=2", 'class="größe menu"', "=", "a=", "'",
    "class='a\nb\tfooter'", "shadowrootmode=open", "href=&#x26;&notit;", "role='main&#32;'",
)  # fmt: skip
TEXTS = (
    "text ", "words and words ", " ", "\n", "a", "&amp;", "&nbsp;", "&copy", "&copy;", "&notit;",
    "&#65;", "&#x41;", "&#150;", "&#128;", "&#x9F;", "&#65", "&#x", "&#", "&#0;", "&#xD800;",
    "&#99999999999;", "&#13;",
    "&unknown;", "&ampx", "x<y ", "< ", "日本", "ž", "\u00a0", "12.5", "&", "\t", "\r\n", "\r",
    "\f", "<!-- c -->", "<!---->", "<!-->", "<!--->", "<!--a--!>", "<?pi?>", "</>", "<!x>",
    "<![CDATA[a]]>", "<!-- <b> -->", "<!-- <a href=x> </a>", "\u3000", "\u2003a",
    "<!DOCTYPE html>", '{"datePublished":"2024-01-02"}', "</p>", "</br>", "</a>", "</b>", "</div>",
    "A long sentence with many words in it, which is prose. ",
    "Plums and apples were carried to the old mill before the bell rang. " * 4,
)  # fmt: skip
WHOLE = (
    "<script>var a</script>", "<script type=application/ld+json>{}</script>", "<style>a{}</style>",
    "<script type=text/javascript>a</script>" * 21,
    "<script type=application/ld+json>[]</script>" * 11,
    "<script><!-- <script> </script> --></script>", "<script><!-- </script>",
    "<script><!--<script></script>b</script>c", "<textarea>\n&lt;b>",
    "<textarea>\n\na</textarea>", "<title>T &amp; t</title>", "<iframe><p></iframe>",
    "<select><option>a<option>b</select>", "<ruby>a<rt>b<rp>c</ruby>", "<xmp><b></xmp>",
    '<svg role=img><g><path d="x"/></g><title>t</title><style>.a</style></svg>',
    "<svg><desc>a</desc><image href=x /></svg>", "<math><mi>x</mi></math>",
    "<template><div><p>a</template>", "<template><svg><g/></svg><script></script></template>",
    "<template><template>a</template></template>", "<noscript><p>a<nav>b</nav></noscript>",
    "<noscript><img src=a></noscript>", "<object><p>a</object>", "<pre>\n a</pre>", "<pre>&#10;a",
    "<b><p>a</b>b</p>", "<a href=1><div>a<a href=2>b</div></a>", "<i><b></i></b>",
    "<p><b>a<p>b</b>",
    "<form><div></form></div>", "<table><form><tr><td></form></table>", "<table>a</table>",
    "<table><tr><td><b>a</table>b", "<font color=a><font color=b><font color=a><p>x</font>",
    "</body>", "</html>", "</body><!-- c -->", "<h1>a<h2>b</h1>", "<button>a<button>b</button>",
    "<ul><li hidden><ul></li>a</ul></ul>b", "<p hidden><button><div>a</div></button>b",
    "<dl><dt hidden>a<dd>b<dt>c</dl>", "<span itemprop=datePublished content=2024-01-02></span>",
    "<abbr title=2024>x</abbr>", f"<b id=9>{'<div>' * 9}</b>x", f"<a href=9>{'<p><div>' * 8}</a>x",
)  # fmt: skip
# What a shop says, to people and to machines, and how its parts are called: whole and torn.
SHOP = (
    "price", "rice", "Price", '"price":', "'salePrice' :", '"unit-price"', "product:p", "og:p",
    'itemprop="p', "itemprop=p", "<b class=price>5</b>", "<i style=line-through>", "<i>",
    "<meta property=og:type content=product>", "<meta content='product.group' property='og:type'>",
    "<meta property='og:type' content = ' og:product'", "og:type", "Product", '"Product"',
    '"ProductGroup"', "schema.org/", "schema.org/Individual", "content=", "<script>", "</script>",
    "<SCRIPT", "<style>", "</Style", "</scr", "<s", "add to cart", "Add To Bag", "BUY NOW",
    "в корзину", "KÖP NU", "カートに", "sold out", "out of st", "<button name=add-to-cart>",
    "<div class='product-card related'>", "<div id=product-info>", "<div class=minicart hidden>",
    "<span class='old-price'>", "<div data-testid=sku>", "<div data-hook='' style='display:none'>",
    "<h1>", "<h2 class=x>", "</h1>", "</h2>", "</div>", "</div>", "</span>", "<del>", "</del>",
    "<input type=submit value='Buy'>", "<img>", "<option>L", "<sup>99</sup>", "5 \u20ac", "a  b",
    "c\td", "x" * 45, " " * 310, "\n\n", "<", ">", "=", '"', ":", "12.50", "2024-05-06 10:20:30",
    "<input ", "<Button value='", "cart-button", "<script type=application/LD+json>", "ld+json",
    ".item", " " * 1_990, "é" * 50, "<template shadowrootmode=open>", "</template>", "\u0663",
)  # fmt: skip
SHOP_NAMES = (
    "product", "Item", "price", "old", "was", "now", "sku", "option", "REVIEW", "preview", "stock",
    "shipping", "badge", "gallery", "related", "main", "card", "hidden", "sold", "out", "per",
    "x", "brand", "size", "price", "price",
)  # fmt: skip
_DOCTYPES = (
    "<!DOCTYPE html>", "<!DOCTYPE html>", "<!doctype HTML >", "", "<!DOCTYPE foo>", "<?xml?>",
    '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x">', "\ufeff", "<!-- c -->",
)  # fmt: skip
_BODIES = ("<body>", "<body class=x>", "<body role=main>", "<body hidden>", "", "<html><body>", "x")
_SOUPS = (
    TAGS, TAGS, (*FORMATTING, *BLOCKS[:6]), (*FORMATTING, "table", "td", "tr", "p", "div"),
    ("li", "dd", "dt", "address", "div", "p", "ul", "ol", "dl", "b"),
    ("svg", "g", "path", "desc", "title", "style", "b", "a", "p", "object", "foreignObject"),
    ("select", "option", "optgroup", "p", "b", "div", "ruby", "rt", "rp", "button"),
)  # fmt: skip
_ENDS = ("</body></html>\n", "</body>", "", "</body><!-- c -->\n", "</html> x", "</body><p>y")


TWINS_EVERY = 8
"""Pages of which one is read by all that is compiled, which in Python takes ten times as long; half
of those are a shop's."""


def page(seed: int, number: int) -> bytes:
    """The page of that number."""
    dice = Random(f"{seed}/{number}")
    is_shop = number % TWINS_EVERY == 0 and dice.random() < 0.5
    made = _shop(dice) if is_shop else dice.choice(_KINDS)(dice)
    return _damaged(made, dice) if dice.random() < 0.35 else made


def _valid(dice: Random) -> bytes:
    head = "".join(dice.sample(HEAD, dice.randrange(5)))
    body = "".join([_content(dice, 0) for _ in range(dice.randrange(1, 6))])
    if dice.random() < 0.3:
        head = f"<html lang=en><head>{head}</head>"
    text = dice.choice(_DOCTYPES) + head + dice.choice(_BODIES) + body + dice.choice(_ENDS)
    return text.encode()


def _text(dice: Random) -> str:
    """One of the texts, or a character by its number, most of all where these mean others."""
    if dice.random() < 0.96:
        return dice.choice(TEXTS)
    number = dice.choice((dice.randrange(1, 300), dice.randrange(120, 165), dice.randrange(70_000)))
    return f"&#{number};" if dice.random() < 0.5 else f"&#x{number:x}"


def _content(dice: Random, depth: int) -> str:
    chance = dice.random()
    if depth > 6 or chance < 0.35:
        return _text(dice)
    if chance < 0.42:
        return dice.choice(WHOLE)
    if chance < 0.48:
        return f"<{dice.choice(VOID)}{_attributes(dice)}>"
    if chance < 0.54:
        return _table(dice, depth)
    tag = dice.choice(BLOCKS if dice.random() < 0.55 else INLINE)
    inside = "".join([_content(dice, depth + 1) for _ in range(dice.randrange(4))])
    end = f"</{tag}>" if dice.random() < 0.93 else ""
    return f"<{tag}{_attributes(dice)}>{inside}{end}"


def _table(dice: Random, depth: int) -> str:
    rows = []
    for _ in range(dice.randrange(4)):
        cells = [
            f"<{dice.choice(('td', 'th'))}{_attributes(dice)}>{_content(dice, depth + 2)}"
            for _ in range(dice.randrange(3))
        ]
        rows.append(f"<tr>{''.join(cells)}")
    before = (
        "",
        "",
        "<caption>c</caption>",
        "<colgroup><col></colgroup>",
        "<tbody>",
        "\n",
        "<thead>",
    )
    end = dice.choice(("</table>", "</table>", "</table>", "</tbody></table>", ""))
    return f"<table{_attributes(dice)}>{dice.choice(before)}{''.join(rows)}{end}"


def _soup(dice: Random) -> bytes:
    """Any tags in any order; of formatting, blocks and tables more than their share."""
    kind = dice.choice(_SOUPS)
    parts = [dice.choice(_DOCTYPES)] if dice.random() < 0.5 else []
    # So deep that blocks of it are no frame of the page.
    parts += ["<div><div><div>"] if dice.random() < 0.6 else []
    for _ in range(dice.randrange(1, 40)):
        chance = dice.random()
        if chance < 0.3:
            parts.append(_text(dice))
        elif chance < 0.36:
            parts.append(dice.choice(WHOLE))
        else:
            close = "/" if chance < 0.62 else ""
            parts.append(f"<{close}{dice.choice(kind)}{_attributes(dice)}>")
    return "".join(parts).encode()


def _deep(dice: Random) -> bytes:
    """Many in one another, more than anybody counts, and what is asked for its ancestors below."""
    kind = dice.choice((("div", "b", "span", "section", "a", "font"), FORMATTING, ("div",)))
    tags = dice.choices(kind, k=dice.choice((dice.randrange(35, 60), dice.randrange(90, 160))))
    # Of formatting elements that are all alike only three are opened again.
    opened = [f"<{tag} id={n}>" if n % 2 else f"<{tag}>" for n, tag in enumerate(tags)]
    inside = "".join([_content(dice, 5) for _ in range(3)])
    asked = dice.choice(("article", "main", "nav", "time", "p", "span"))
    return f"{''.join(opened)}<{asked}>{inside}</b></a>{inside}<p>{inside}".encode()


def _wide(dice: Random) -> bytes:
    """About as many blocks beside each other as the wrapper of a page may have, some its frame."""
    blocks = [_block(dice) for _ in range(dice.randrange(20, 29))]
    inner = "".join([_block(dice) for _ in range(dice.randrange(20, 29))])
    blocks[dice.randrange(20)] = f"<{dice.choice(('div', 'section', 'form'))}>{inner}</div>"
    return f"{dice.choice(_BODIES)}{''.join(blocks)}{dice.choice(_ENDS)}".encode()


def _block(dice: Random) -> str:
    tag = dice.choice(("div", "div", "ul", "section", "nav", "article", "p", "aside", "script"))
    given = dice.choice(("", "", " class=nav", " id=footer", " hidden", " role=search"))
    return f"<{tag}{given}>{dice.choice(TEXTS)}</{tag}>"


def _misnested(dice: Random) -> bytes:
    """Formatting across blocks, alike and not, with what is told of each copy of it."""
    parts = ["<div>" * dice.randrange(2, 5)]
    told = dice.choices(("", " itemprop=datePublished", " href=x rel=ugc", " id=1"), k=4)
    for _ in range(dice.randrange(5, 40)):
        close = "/" if dice.random() < 0.4 else ""
        tag = dice.choice(
            FORMATTING[:6] if dice.random() < 0.7 else ("p", "div", "span", "li", "td")
        )
        parts.append(f"<{close}{tag}{'' if close else dice.choice(told)}>{dice.choice('ab ')}")
    return "".join(parts).encode()


def _shop(dice: Random) -> bytes:
    # About as long as a key of a script and as a tag may be in which a price is looked for.
    key, tag = "x" * dice.randrange(37, 43), " " * dice.randrange(290, 302)
    names = dice.choices(SHOP_NAMES, k=dice.randrange(1, 6))
    name = "".join([each + dice.choice(("-", "_", " ", "", "\n", "  ")) for each in names])
    odd = (
        f"<p class='{name}'>5",
        f"<div id='{name}'>",
        f'rice{key}":',
        f"<b class={tag}rice",
        f"<{tag}og:type",
        '"Product',
        'Product"',
    )
    return "".join(dice.choices((*SHOP, *TEXTS, *odd), k=dice.randrange(1, 60))).encode()


def _slices(dice: Random) -> bytes:
    """Pieces of pages as people write them, one behind the other."""
    parts = []
    for _ in range(dice.randrange(1, 4)):
        whole = dice.choice(PAGES)
        start = dice.randrange(len(whole))
        parts.append(whole[start : start + dice.randrange(1, 2_000)])
    return "".join(parts).encode()


def _whole(dice: Random) -> bytes:
    return dice.choice(PAGES).encode()


def _attributes(dice: Random) -> str:
    if dice.random() < 0.6:
        return ""
    return "".join([f" {dice.choice(ATTRIBUTES)}" for _ in range(dice.randrange(1, 4))])


def _damaged(made: bytes, dice: Random) -> bytes:
    for _ in range(dice.randrange(1, 4)):
        made = dice.choice(_MUTATORS)(made, dice)
    return made


def _with_bytes(made: bytes, dice: Random) -> bytes:
    place = dice.randrange(len(made) + 1)
    junk = bytes(dice.choices(b"<>/='\"&;#!- \n\r\x00\x80\xc2\xe2\xffabx", k=dice.randrange(1, 6)))
    return made[:place] + junk + made[place + dice.randrange(4) :]


def _without_piece(made: bytes, dice: Random) -> bytes:
    place = dice.randrange(len(made) + 1)
    return made[:place] + made[place + dice.randrange(1, 40) :]


def _with_copy(made: bytes, dice: Random) -> bytes:
    start, place = dice.randrange(len(made) + 1), dice.randrange(len(made) + 1)
    return made[:place] + made[start : start + dice.randrange(1, 80)] + made[place:]


def _with_tag(made: bytes, dice: Random) -> bytes:
    places = [n for n, byte in enumerate(made) if byte == ord("<")] or [0]
    place = dice.choice(places)
    close = dice.choice(("", "/"))
    return made[:place] + f"<{close}{dice.choice(TAGS)}{_attributes(dice)}>".encode() + made[place:]


def _cut_short(made: bytes, dice: Random) -> bytes:
    return made[: dice.randrange(len(made) + 1)]


def _with_returns(made: bytes, dice: Random) -> bytes:
    return made.replace(b"\n", b"\r\n")


_KINDS: tuple[Callable[[Random], bytes], ...] = (
    _valid, _valid, _valid, _soup, _soup, _soup, _slices, _whole, _deep, _wide, _misnested,
)  # fmt: skip
_MUTATORS: tuple[Callable[[bytes, Random], bytes], ...] = (
    _with_bytes, _with_bytes, _without_piece, _with_copy, _with_tag, _with_tag, _cut_short,
    _with_returns,
)  # fmt: skip
