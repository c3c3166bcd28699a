"""What are real pages like, where none were saved? Pages with the weight and the faults of the web.

Most of a real page is not its text: styles, scripts with data, drawings, menus, dialogs. And its
markup is what browsers put up with: links in links, blocks in bold, custom elements, templates,
elements that are never closed. A fixed seed makes the same pages each time.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable

_SYLLABLES = [
    "ba",
    "co",
    "di",
    "fu",
    "ga",
    "he",
    "jo",
    "ka",
    "li",
    "mo",
    "na",
    "pe",
    "qui",
    "ro",
    "sa",
    "te",
    "vo",
    "wi",
    "xa",
    "zu",
]
_DRAWING = (
    '<svg class="icon" viewBox="0 0 24 24"><path d="M{} 2C6.48 2 2 6.48 2 12s4 10 10 10"/></svg>'
)
_STYLE = ".{}-{}{{margin:0 auto;padding:{}px;color:#333}}\n"
_TEMPLATE = '<template id="row"><tr><td class="cell"></td></tr></template>'
_LINKED_DATA = '<script type="application/ld+json">{}</script>'
_LINK = '<li class="{} level-{}"><a class="link" href="/{}" data-track="{}">{}</a></li>\n'
_HEAD = """<head><meta charset=utf-8><title>{title} | {shop}</title>
<meta name="description" content="{about}"><meta property="og:title" content="{title}">
<link rel="canonical" href="https://www.example.org/{shop}">{more}<style>{styles}</style>
<script>window.__STATE__={data}</script></head>
"""
_BODY = """<body class='page'>{drawings}{template}
<header role=banner><nav class="menu"><ul>{menu}</ul></nav></header>
{inside}
<aside class="sidebar related"><h3>More</h3><ul>{teasers}</ul></aside>
<div class='cookie-banner' hidden><p>{notice}<button>OK</button></div>
<footer><ul>{legal}</ul><p>&copy; 2026 {shop}</p></footer></body>
"""
_POST = """<div class="post" id="p{}"><div class="author"><a href="/u/{}">{}</a></div>
<div class="message">{}<br>{}<blockquote>{}</blockquote></div></div>
"""
_PRODUCT = """<main><h1 class="product-title">{title}</h1><div class="price">{price} €</div>
<form action="/cart"><button class="add-to-cart">Add to cart</button></form>{told}
<section class="related-products"><h2>You may also like</h2>{others}</section></main>
"""
_CARD = """<product-card class="card"><a class="card__link" href="/p/{name}-{n}">
<img src="/i/{n}.jpg" alt="{alt}">{inner}<h3>{title}</h3></a><span class="price">{n}.99 €</span>
</product-card>
"""
_SERVICE = """<section><h2>{}</h2><div class='card'><p>{}</p><a class=button href='/{}'>{}</a></div>
</section>
"""


class PageMaker:
    """A page at a time, by lot."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        lengths = self.dice.choices((1, 2, 3, 4), k=3_000)
        self.words = ["".join(self.dice.choices(_SYLLABLES, k=length)) for length in lengths]

    def page(self) -> bytes:
        kinds: dict[Callable[[], str], int] = {
            self.article: 45, self.thread: 13, self.product: 10, self.listing: 20, self.service: 12,
        }  # fmt: skip
        (make,) = self.dice.choices(list(kinds), weights=list(kinds.values()))
        return f"<!DOCTYPE html>\n<html lang=en>{make()}</html>\n".encode()

    def article(self) -> str:
        title = self.say(7)
        told = {"@type": "NewsArticle", "headline": title, "datePublished": "2026-05-03T10:00:00Z"}
        text = self.paragraphs(self.dice.randint(6, 40))
        inside = f"<main><article><h1>{title}</h1><time datetime=2026-05-03>May 3</time>{text}"
        return self.framed(
            title, f"{inside}</article></main>", _LINKED_DATA.format(json.dumps(told))
        )

    def thread(self) -> str:
        posts = [
            _POST.format(n, n, self.say(1), self.say(50), self.say(20), self.say(12))
            for n in range(self.dice.randint(3, 30))
        ]
        title = self.say(6)
        return self.framed(title, f'<h1>{title}</h1><div class="thread">{"".join(posts)}</div>')

    def product(self) -> str:
        title, price = self.say(4), f"{self.dice.randint(3, 900)}.99"
        offer = {"@type": "Offer", "price": price, "priceCurrency": "EUR"}
        told = {"@type": "Product", "name": title, "sku": self.say(1).upper(), "offers": offer}
        inside = _PRODUCT.format(
            title=title, price=price, told=self.paragraphs(5), others=self.cards(8)
        )
        return self.framed(title, inside, _LINKED_DATA.format(json.dumps(told)))

    def listing(self) -> str:
        title, cards = self.say(2), self.cards(self.dice.randint(12, 60))
        return self.framed(title, f'<main><h1>{title}</h1><div class="grid">{cards}</div></main>')

    def service(self) -> str:
        title = self.say(5)
        parts = [
            _SERVICE.format(self.say(3), self.say(25), self.say(1), self.say(2))
            for _ in range(self.dice.randint(4, 12))
        ]
        return self.framed(title, f"<main><h1>{title}</h1>{''.join(parts)}</main>")

    def framed(self, title: str, inside: str, more: str = "") -> str:
        """The page around what it is about."""
        dice, shop = self.dice, self.say(1)
        data = {dice.choice(self.words): self.say(6) for _ in range(dice.randint(20, 2_500))}
        styles = [
            _STYLE.format(dice.choice(self.words), n, n % 40)
            for n in range(dice.randint(50, 3_500))
        ]
        head = _HEAD.format(
            title=title, shop=shop, about=self.say(18), more=more, styles="".join(styles),
            data=json.dumps(data),
        )  # fmt: skip
        body = _BODY.format(
            drawings="".join(_DRAWING.format(n) for n in range(dice.randint(5, 60))),
            template=_TEMPLATE if dice.random() < 0.2 else "",
            menu=self.links(dice.randint(20, 250), "nav-item"),
            inside=inside,
            teasers=self.links(12, "teaser"),
            notice=self.say(30),
            legal=self.links(25, "footer-item"),
            shop=shop,
        )
        return head + body

    def say(self, count: int) -> str:
        return " ".join(self.dice.choices(self.words, k=count)).capitalize()

    def links(self, count: int, style: str) -> str:
        return "".join(
            _LINK.format(style, n % 3, self.say(2).replace(" ", "/").lower(), n, self.say(2))
            for n in range(count)
        )

    def paragraphs(self, count: int) -> str:
        made = []
        for n in range(count):
            text = self.say(self.dice.randint(20, 90))
            if n % 9 == 4:
                text = f"<b><div>{text}</div></b>"
            elif n % 7 == 3:
                text = f'{text} <a href="/{self.say(1).lower()}">{self.say(2)}</a>. {self.say(8)}'
            made.append(f"<p>{text}" + ("</p>\n" if n % 5 else "\n"))
        return "".join(made)

    def cards(self, count: int) -> str:
        """What a list offers; every third is a link with a link in it, as designers like it."""
        return "".join(
            _CARD.format(
                name=self.say(1).lower(), n=n, alt=self.say(3), title=self.say(4),
                inner=f'<a href="/brand/{n}">{self.say(1)}</a>' if n % 3 == 0 else "",
            )
            for n in range(count)
        )  # fmt: skip


def made_pages(count: int) -> list[bytes]:
    maker = PageMaker(seed=11)
    return [maker.page() for _ in range(count)]
