"""Pages that mislead: each with one trap that real shops set, and what is true all the same."""

from __future__ import annotations

from typing import NamedTuple


class Tricky(NamedTuple):
    trap: str
    html: str
    truth: dict[str, str]
    url: str = "https://shop.example/thing"


_CART = '<button type="submit">Add to cart</button>'
_MORE = (
    '<section class="recs"><h2>You may also like</h2><ul><li><a href="/a">Other one</a> <span>$5.00</span>'
    '</li><li><a href="/b">Another</a> <span>$7.00</span> <em>Sold out</em></li></ul></section>'
)


def _page(body: str, head: str = "", title: str = "Walnut Tray – Shop", lang: str = "en") -> str:
    return (
        f'<!doctype html><html lang="{lang}"><head><meta charset="utf-8"><title>{title}</title>{head}</head>'
        f"<body>{body}</body></html>"
    )


def _plain(price: str, name: str = "Walnut Tray", button: str = _CART, **more: str) -> str:
    return _page(
        f"<main><h1>{name}</h1>{price}{button}</main>{_MORE}", title=f"{name} – Shop", **more
    )


_LD = '<script type="application/ld+json">{}</script>'
_TRAY = {"price": "24.99", "currency": "USD"}

TRICKY = (
    Tricky(
        "the shop's name is the first heading",
        _page('<header class="site-header"><h1>Oak &amp; Co</h1></header><div class="p"><h2>Walnut Tray</h2>'
              f'<div class="amount">$24.99</div>{_CART}</div>{_MORE}'),
        {**_TRAY, "name": "Walnut Tray"},
    ),
    Tricky(
        "the name sounds like a price of old",
        _page(f'<main><h1>Walnut Tray</h1><div>The Original</div><div>$24.99</div>{_CART}</main>{_MORE}'),
        {**_TRAY, "regular_price": ""},
    ),
    Tricky("the name sounds like savings", _plain("<p>$24.99</p>", name="Sparkling Discount Tray"), _TRAY),
    Tricky(
        "instalments are dressed as a price",
        _plain('<div class="price">$99.99</div><div class="price-installments">or 3 x $33.33 / month</div>'),
        {"price": "99.99"},
    ),
    Tricky("price by weight", _plain('<div class="price">$4.99 <span class="price">($0.42 / oz)</span></div>'), {"price": "4.99"}),
    Tricky("price by weight in one text", _plain("<div class=price>$4.99 ($0.42/oz)</div>"), {"price": "4.99"}),
    Tricky("now and was in one text", _plain("<p>Now $24.99 Was $39.99</p>"), {**_TRAY, "regular_price": "39.99"}),
    Tricky("was and now in one text", _plain("<p>Was $39.99, now $24.99</p>"), {**_TRAY, "regular_price": "39.99"}),
    Tricky("the old price behind the new", _plain("<p><b>$24.99</b> <s>$39.99</s></p>"), {**_TRAY, "regular_price": "39.99"}),
    Tricky(
        "a list price in German",
        _plain("<p>UVP 59,95 €</p><p>39,95 €*</p><p>inkl. MwSt., zzgl. Versand</p>", name="Tablett", button="<button>In den Warenkorb</button>", lang="de"),
        {"price": "39.95", "currency": "EUR", "regular_price": "59.95"},
    ),
    Tricky("cents behind the sign", _plain("<p>39€95</p>", button="<button>Ajouter au panier</button>", lang="fr"), {"price": "39.95", "currency": "EUR"}),
    Tricky("no cents in Sweden", _plain("<p class=pris>1 299:-</p>", button="<button>Lägg i varukorg</button>", lang="sv"), {"price": "1299.00", "currency": "SEK"}),
    Tricky("whole and cents apart", _plain('<p class="price"><span>$</span><span>24</span><span class="cents">99</span></p>'), _TRAY),
    Tricky("the point among the cents", _plain("<p><span>$24</span><span>.99</span></p>"), _TRAY),
    Tricky("free shipping beside the heading", _plain("<p>Free shipping over $50</p><p>$24.99</p>"), _TRAY),
    Tricky(
        "subscribers pay less",
        _plain("<div>Subscribe &amp; save: $19.99</div><div>One-time purchase: $24.99</div>"),
        _TRAY,
    ),
    Tricky("a range", _plain('<p class="price">$24.99 – $49.99</p>'), _TRAY),
    Tricky("from", _plain('<p class="price">From $24.99</p>'), _TRAY),
    Tricky(
        "the product lies in a card",
        _page(f'<div class="card"><div class="card-body"><h1>Walnut Tray</h1><p>$24.99</p>{_CART}<p>SKU: WT-1</p></div></div>{_MORE}'),
        {**_TRAY, "sku": "WT-1"},
    ),
    Tricky(
        "recommendations come first",
        _page('<div class="recommendations"><h2>Recommended for you</h2><div class="product-card"><span class="price">$5.00</span>'
              f'<button>Add to cart</button></div></div><main><h1>Walnut Tray</h1><p>$24.99</p>{_CART}</main>'),
        _TRAY,
    ),
    Tricky(
        "a switch of currencies",
        _page('<div class="currency-switcher"><a>EUR €</a><a>USD $</a><a>GBP £</a></div><main><h1>Walnut Tray</h1>'
              f'<p>$24.99</p>{_CART}</main>{_MORE}'),
        _TRAY,
    ),
    Tricky(
        "offers without a price",
        _page(f'<main><h1>Walnut Tray</h1><p class="price">$24.99</p>{_CART}</main>',
              _LD.format('{"@type":"Product","name":"Walnut Tray","offers":{"@type":"Offer","price":"0.00","priceCurrency":"USD"}}')),
        _TRAY,
    ),
    Tricky(
        "machines and cards are told the price before the sale",
        _page(f'<main><h1>Walnut Tray</h1><p class="price"><del>$39.99</del> <ins>$24.99</ins></p>{_CART}</main>',
              _LD.format('{"@type":"Product","name":"Walnut Tray","offers":{"price":39.99,"priceCurrency":"USD"}}')
              + '<meta property="product:price:amount" content="39.99"><meta property="og:type" content="product">'),
        {**_TRAY, "regular_price": "39.99"},
    ),
    Tricky(
        "variants of several prices, of which one is shown",
        _page(f'<main><h1>Walnut Tray</h1><p class="price">$24.99</p>{_CART}</main>',
              _LD.format('{"@type":"Product","name":"Walnut Tray","offers":[{"price":"19.99","priceCurrency":"USD","sku":"S"},'
                         '{"price":"24.99","priceCurrency":"USD","sku":"M"},{"price":"29.99","priceCurrency":"USD","sku":"L"}]}')),
        _TRAY,
    ),
    Tricky(
        "a price in an attribute alone",
        _page(f'<main><h1>Walnut Tray</h1><div class="buy" data-product-price="24.99" data-currency="USD"></div>{_CART}</main>'),
        _TRAY,
    ),
    Tricky(
        "everything in a script",
        _page('<div id="root"><h1>Walnut Tray</h1></div><script>window.__STATE__={"product":{"name":"Walnut Tray","sku":"WT-9",'
              '"price":24.99,"currency":"USD","availability":"OUT_OF_STOCK"}}</script>'),
        {**_TRAY, "sku": "WT-9", "availability": "OutOfStock"},
    ),
    Tricky(
        "a form that tells when it is back, while it is there",
        _plain('<p>$24.99</p><div class="bis" style="display:none">Sold out? Notify me when available</div>'),
        {**_TRAY, "availability": "InStock"},
    ),
    Tricky(
        "it can only be waited for",
        _plain("<p>$24.99</p><p>Sold out</p>", button="<button>Notify me when available</button>"),
        {**_TRAY, "availability": "OutOfStock"},
    ),
    Tricky(
        "machines are told it is there, people that it is gone",
        _page('<main><h1>Walnut Tray</h1><p class="price">$24.99</p><p class="stock">Currently out of stock</p></main>',
              _LD.format('{"@type":"Product","name":"Walnut Tray","offers":{"price":24.99,"priceCurrency":"USD","availability":"InStock"}}')),
        {**_TRAY, "availability": "OutOfStock"},
    ),
    Tricky(
        "one size is gone",
        _plain('<p>$24.99</p><div><label>S <span>Variant sold out or unavailable</span></label><label>M</label></div>'),
        {**_TRAY, "availability": "InStock"},
    ),
    Tricky(
        "a policy about what is sold out",
        _plain("<p>$24.99</p><p>If an item is sold out we will refund you.</p>"),
        {**_TRAY, "availability": "InStock"},
    ),
    Tricky("a number among words", _plain("<p>$24.99</p><p>Handmade in Leeds. Item #: 10-2233, ships flat.</p>"), {"sku": "10-2233"}),
    Tricky("a number in a table", _plain("<p>$24.99</p><table><tr><td>Item model number</td><td>WT-X1</td></tr><tr><td>SKU</td><td>998877</td></tr></table>"), {"sku": "998877"}),
    Tricky("words that are no labels", _plain("<p>$24.99</p><p>Refill 500ml</p><p>Style 2024</p><p>Item 2 of 5</p><p>Art 1900 print</p>"), {"sku": ""}),
    Tricky("a label in bold", _plain("<p>$24.99</p><p><strong>Product Code:</strong> WTR/55</p>"), {"sku": "WTR/55"}),
    Tricky("two labels in one line", _plain("<p>$24.99</p><p>SKU: AB-123 | Availability: In stock</p>"), {"sku": "AB-123", "availability": "InStock"}),
    Tricky(
        "related products are marked up as well",
        _page('<div itemscope itemtype="https://schema.org/Product"><h1 itemprop="name">Walnut Tray</h1><span itemprop="sku">WT-1</span>'
              '<div itemprop="offers" itemscope itemtype="https://schema.org/Offer"><span itemprop="price" content="24.99">$24.99</span>'
              '<meta itemprop="priceCurrency" content="USD"></div>'
              '<div class="also"><div itemprop="isRelatedTo" itemscope itemtype="https://schema.org/Product"><span itemprop="name">Other</span>'
              '<div itemprop="offers" itemscope itemtype="https://schema.org/Offer"><span itemprop="price">5.00</span></div></div></div></div>'),
        {**_TRAY, "sku": "WT-1"},
    ),
    Tricky(
        "reviews name another price",
        _plain('<p>$24.99</p><div class="reviews"><p>Paid $80 elsewhere!</p><p class="price">$80</p></div>'),
        _TRAY,
    ),
    Tricky(
        "a sticky bar repeats it",
        _page(f'<main><h1>Walnut Tray</h1><p>$24.99</p>{_CART}</main>{_MORE}<div class="sticky-bar">Walnut Tray <span>$24.99</span>{_CART}</div>'),
        _TRAY,
    ),
    Tricky(
        "a badge for every case, all but one hidden by a style sheet",
        _plain('<div class="price"><span class="price-item--regular">$24.99</span><span class="badge price__badge-sale">Sale</span>'
               '<span class="badge price__badge-sold-out">Sold out</span></div>'),
        {**_TRAY, "availability": "InStock"},
    ),
    Tricky(
        "the product's classes name categories and shipping",
        _page('<div id="product-9" class="product type-product status-publish instock product_cat-accessories product_cat-gifts '
              'product_tag-related sale shipping-taxable purchasable product-type-variable"><h1 class="product_title">Walnut Tray</h1>'
              '<p class="price"><del><span class="amount"><bdi>$39.99</bdi></span></del> <ins><span class="amount"><bdi>$24.99</bdi></span></ins></p>'
              f'<form class="variations_form cart">{_CART}</form><span class="sku">WT-1</span></div>{_MORE}'),
        {**_TRAY, "regular_price": "39.99", "sku": "WT-1", "availability": "InStock"},
    ),
    Tricky(
        "the columns of the page are items of a grid",
        _page('<div class="grid"><div class="grid__item"><img src="/a.jpg" width="600"></div><div class="grid__item"><h1>Walnut Tray</h1>'
              f'<span class="variant-price">$24.99</span>{_CART}</div></div>{_MORE}'),
        _TRAY,
    ),
    Tricky(
        "the only price is the regular one",
        _plain("<p><span>Regular price</span> <span>$24.99</span></p><p>or 4 interest-free payments of $6.25</p>"),
        _TRAY,
    ),
    Tricky(
        "regular and sale side by side, nothing crossed out",
        _plain("<p><span>Regular price</span> <span>$39.99</span> <span>Sale price</span> <span>$24.99</span></p>"),
        {**_TRAY, "regular_price": "39.99"},
    ),
    Tricky("from, in Spanish", _plain("<p>A partir de 24,99 €</p>", button="<button>Añadir al carrito</button>", lang="es"), {"price": "24.99", "regular_price": ""}),
    Tricky("de and por, in Brazil", _plain("<p>De: R$ 39,99</p><p>Por: R$ 24,99</p>", button="<button>Comprar</button>", lang="pt-BR"), {"price": "24.99", "regular_price": "39.99"}),
    Tricky(
        "an offer of no product",
        _page('<main><h1>Walnut Tray</h1><div itemprop="offers" itemscope itemtype="http://schema.org/Offer"><meta itemprop="price" '
              f'content="24.99"><meta itemprop="priceCurrency" content="USD"><link itemprop="availability" href="http://schema.org/OutOfStock"></div></main>{_MORE}'),
        {**_TRAY, "availability": "OutOfStock"},
    ),
    Tricky(
        "words of another vocabulary",
        _page('<div itemscope itemtype="http://data-vocabulary.org/Product"><h1 itemprop="name">Walnut Tray</h1><span itemprop="offerDetails" '
              'itemscope itemtype="http://data-vocabulary.org/Offer"><meta itemprop="currency" content="USD"><span itemprop="price">24.99</span></span></div>'),
        _TRAY,
    ),
    Tricky(
        "the price has a card to itself",
        _page(f'<div class="row"><div class="col"><h1>Walnut Tray</h1></div><div class="card"><p>$24.99</p>{_CART}</div></div>'),
        _TRAY,
    ),
    Tricky(
        "machines are told a point that groups",
        _page(f'<main><h1>Walnut Tray</h1><p class="price">1.299 €</p>{_CART}</main>',
              _LD.format('{"@type":"Product","name":"Walnut Tray","offers":{"price":"1.299","priceCurrency":"EUR"}}')),
        {"price": "1299.00", "currency": "EUR"},
    ),
    Tricky(
        "machines are told nothing, people neither",
        _page('<main><h1>Walnut Tray</h1><p>Call for a price.</p></main>',
              _LD.format('{"@type":"Product","name":"Walnut Tray","sku":"W1","offers":{"price":"0","priceCurrency":"EUR"}}')),
        {"price": "", "sku": "W1"},
    ),
    Tricky(
        "dollars of Canada",
        _plain("<p>$24.99</p>"),
        {"price": "24.99", "currency": "CAD"},
        "https://shop.example.ca/tray",
    ),
)  # fmt: skip
