"""Reading products: what is believed, what is no product, and that nothing makes it fail."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tenax.model import ImageKind, Stock
from tenax.page.for_sale import may_be_product
from tenax.page.html import parse
from tenax.page.product import SURE, extract, sure_product_of
from tenax.page.product.claims import ProductClaims
from tenax.page.product.pictures import _key

URL = "https://shop.example/tray"


def marked(*nodes: object, body: str = "<h1>Tray</h1>") -> bytes:
    scripts = "".join(
        f'<script type="application/ld+json">{n if isinstance(n, str) else json.dumps(n)}</script>'
        for n in nodes
    )
    return f"<!doctype html><html><head>{scripts}</head><body>{body}</body></html>".encode()


def offering(**more: object) -> dict[str, object]:
    offer = {"@type": "Offer", "price": "5.00", "priceCurrency": "EUR"}
    return {"@type": "Product", "name": "Tray", "offers": offer, **more}


def test_sources_that_agree_are_surer_than_each() -> None:
    claims = ProductClaims()
    claims.add("name", "Tray", 0.8, "json-ld")
    claims.add("name", "TRAY ", 0.8, "page")
    claims.add("name", "Bowl", 0.9, "title")
    best = claims.best("name")
    assert best is not None
    assert (best.value, round(best.confidence, 2)) == ("Tray", 0.96)


def test_a_source_that_repeats_itself_is_no_surer() -> None:
    claims = ProductClaims()
    for _ in range(5):
        claims.add("name", "Tray", 0.6, "page")
    claims.add("name", "Bowl", 0.7, "json-ld")
    best = claims.best("name")
    assert best is not None
    assert best.value == "Bowl"


@pytest.mark.parametrize(
    "text",
    [
        '{"@type":"Product","name":"Tray","offers":{"price":"5.00","priceCurrency":"EUR",}}',
        '{"@type":"Product","name":"Tray",\n"description":"two\nlines","offers":{"price":5,"priceCurrency":"EUR"}}',
        '<!-- {"@type":"Product","name":"Tray","offers":{"price":5,"priceCurrency":"EUR"}} -->',
        '//<![CDATA[\n{"@type":"Product","name":"Tray","offers":{"price":5,"priceCurrency":"EUR"}}\n//]]>',
        '{"@type":"Product","name":"Tray","offers":{"price":5,"priceCurrency":"EUR"}};',
        '{"@type":"Thing"}{"@type":"Product","name":"Tray","offers":{"price":5,"priceCurrency":"EUR"}}',
        '{"@type":"Product","name":"Tray","sku":,"offers":{"price":5,"priceCurrency":"EUR"}}',
        '{"@type":"Product","name":"Tray"\n"sku":"x","offers":{"price":5,"priceCurrency":"EUR"}}',
        '{&quot;@type&quot;:&quot;Product&quot;,&quot;name&quot;:&quot;Tray&quot;,&quot;offers&quot;:{&quot;price&quot;:5,&quot;priceCurrency&quot;:&quot;EUR&quot;}}',
        '{"@type":"Product","name":"Tray","description":"a 5\\" tray \\x","offers":{"price":5,"priceCurrency":"EUR"}}',
    ],
    ids=["comma", "line", "comment", "cdata", "semicolon", "two", "empty", "missing", "entities", "escape"],
)  # fmt: skip
def test_broken_json_is_mended(text: str) -> None:
    product = extract(marked(text), URL)
    assert product is not None
    assert (product.name, product.price, product.currency) == ("Tray", "5.00", "EUR")


def test_a_product_in_a_graph_or_a_list_or_a_page_is_found() -> None:
    for node in (
        {"@graph": [{"@type": "WebSite"}, offering()]},
        [[offering()]],
        {"@type": "WebPage", "mainEntity": offering()},
        offering(**{"@type": ["Product", "Thing"]}),
        offering(**{"@type": "http://schema.org/Product"}),
    ):
        product = extract(marked(node), URL)
        assert product is not None
        assert product.price == "5.00"


@pytest.mark.parametrize(
    ("offers", "price"),
    [
        ({"@type": "AggregateOffer", "lowPrice": "4", "highPrice": "9", "priceCurrency": "EUR"}, "4.00"),
        ({"priceSpecification": {"price": 4, "priceCurrency": "EUR"}}, "4.00"),
        ([{"price": "4,50", "priceCurrency": "EUR"}], "4.50"),
        ({"price": "€ 1.234,50", "priceCurrency": "EUR"}, "1234.50"),
        ({"price": {"@value": "4.00"}, "priceCurrency": "EUR"}, "4.00"),
        ({"offers": [{"price": 4, "priceCurrency": "EUR"}, {"price": 6, "priceCurrency": "EUR"}]}, "4.00"),
    ],
)  # fmt: skip
def test_offers_are_read_in_every_form(offers: object, price: str) -> None:
    product = extract(marked(offering(offers=offers)), URL)
    assert product is not None
    assert (product.price, product.currency) == (price, "EUR")


@pytest.mark.parametrize(
    ("word", "stock"),
    [
        ("https://schema.org/InStock", Stock.IN_STOCK),
        ("http://schema.org/OutOfStock", Stock.OUT_OF_STOCK),
        ("SoldOut", Stock.OUT_OF_STOCK),
        ("out of stock", Stock.OUT_OF_STOCK),
        ("https://schema.org/PreOrder", Stock.PRE_ORDER),
        ("LimitedAvailability", Stock.IN_STOCK),
        ("who knows", Stock.UNKNOWN),
    ],
)
def test_availability_is_one_of_few_words(word: str, stock: Stock) -> None:
    offers = {"price": 5, "priceCurrency": "EUR", "availability": word}
    product = extract(marked(offering(offers=offers)), URL)
    assert product is not None
    assert product.availability is stock


def test_a_gtin_whose_check_digit_fails_is_none() -> None:
    right, wrong = "4006381333931", "4006381333932"
    read = [extract(marked(offering(gtin13=code)), URL) for code in (right, wrong)]
    assert [product.gtin if product else None for product in read] == [right, ""]


def test_ratings_are_out_of_five() -> None:
    rating = {"ratingValue": "80", "bestRating": "100", "reviewCount": "1,204"}
    product = extract(marked(offering(aggregateRating=rating)), URL)
    assert product is not None
    assert (product.rating, product.reviews) == (4.0, 1204)


def test_what_a_product_lacks_is_said() -> None:
    product = extract(marked({"@type": "Product", "name": "Tray"}), URL)
    assert product is not None
    assert product.problems == ("no price",)


def test_pictures_have_their_place_and_use() -> None:
    body = (
        '<h1>Tray</h1><div class="product-gallery"><img src="/a.jpg" width="600" height="400" alt="A">'
        '<img class="thumb" src="/b.jpg"></div><div class="related"><img src="/other.jpg" width="600"></div>'
    )
    product = extract(marked(offering(image=["/a.jpg"]), body=body), URL)
    assert product is not None
    assert [(i.url, i.kind, i.position, i.alt, i.width) for i in product.images] == [
        ("https://shop.example/a.jpg", ImageKind.PRIMARY, 0, "A", 600),
        ("https://shop.example/b.jpg", ImageKind.THUMBNAIL, 1, "", None),
    ]


def test_what_is_said_of_a_picture_stays_with_it() -> None:
    """Whether machines say it, or the page does, in another size or outside the gallery."""
    body = (
        '<h1>Tray</h1><div class="product-gallery"><img src="/b.jpg" alt=""></div>'
        '<div class="zoom"><img src="/b_100x100.jpg" alt="From the side"></div>'
        '<footer><img data-src="/c.jpg" alt="In use"></footer>'
    )
    told = [{"@type": "ImageObject", "url": "/a.jpg", "caption": "From above"}, "/b.jpg", "/c.jpg"]
    product = extract(marked(offering(image=told), body=body), URL)
    assert product is not None
    assert {i.url.rpartition("/")[2]: i.alt for i in product.images} == {
        "a.jpg": "From above", "b.jpg": "From the side", "c.jpg": "In use",
    }  # fmt: skip


def test_breadcrumbs_are_the_category() -> None:
    body = '<nav class="breadcrumb"><a href="/">Home</a> / <a href="/k">Kitchen</a> / <span>Tray</span></nav><h1>Tray</h1>'
    product = extract(marked(offering(), body=body), URL)
    assert product is not None
    assert (product.category, product.breadcrumbs) == ("Kitchen", ("Home", "Kitchen"))


@pytest.mark.parametrize(
    "html",
    [
        "<h1>News</h1><p>Shares rose to $5.00 on Monday.</p>",
        "<h1>Trays</h1>" + '<div class="product-card"><b>$5</b><button>Add to cart</button></div>' * 9,
        "<h1>Prices</h1><table><tr><td>Basic</td><td>$5 / month</td></tr></table>",
        "<h1>About carts</h1><p>A shopping cart may hold £5 of goods.</p>",
        '<script type="application/ld+json">{"@type":"NewsArticle","headline":"Floods","isPartOf":{"@type":["CreativeWork","Product"],'
        '"name":"The Daily","productID":"daily:basic"}}</script><h1>Floods</h1><p>Water, everywhere.</p>',
        '<script type="application/ld+json">{"@type":"NewsArticle","headline":"The best trays"}</script><h1>The best trays</h1>'
        "<p>One costs <b>$24.99</b>.</p><a>Buy now</a><p>SKU: AB-1</p>",
        "",
    ],
    ids=["news", "list", "plans", "article", "newspaper", "advice", "nothing"],
)  # fmt: skip
def test_a_page_that_is_no_products_is_not_taken_for_one(html: str) -> None:
    product = extract(html.encode(), URL)
    assert product is None or product.confidence < SURE


OTHERS = [
    {
        "@type": "Product",
        "name": f"Tray {n}",
        "url": f"/{n}",
        "offers": {"price": n, "priceCurrency": "EUR"},
    }
    for n in range(1, 7)
]
ROW = "<div class=css-1><a href=/{n}>Tray {n}</a><span>{n}.00 €</span><button>Add to cart</button></div>"
ROWS = "".join(ROW.format(n=n) for n in range(1, 9))
MARKED = (
    '<div itemscope itemtype="https://schema.org/Product"><b itemprop="name">Tray {n}</b>'
    '<i itemprop="offers" itemscope itemtype="https://schema.org/Offer"><b itemprop="price">{n}</b></i></div>'
)


@pytest.mark.parametrize(
    "html",
    [
        marked({"@type": "ItemList", "itemListElement": [{"@type": "ListItem", "item": o} for o in OTHERS]}),
        marked(*OTHERS, body="<h1>All our trays</h1>"),
        marked({"@graph": OTHERS}, body="<h1>All our trays</h1>"),
        f"<h1>All our trays</h1>{ROWS}".encode(),
        ("<h1>Trays for every table</h1>" + "".join(MARKED.format(n=n) for n in range(1, 9))).encode(),
    ],
    ids=["list", "several", "graph", "rows", "microdata"],
)  # fmt: skip
def test_a_list_of_products_is_no_product(html: bytes) -> None:
    product = extract(html, URL)
    assert product is None or product.confidence < SURE


@pytest.mark.parametrize("url", ["", "tray", "file:///tray.html", "https://", "https://[::1]/x"])
def test_any_url_will_do(url: str) -> None:
    product = extract(marked(offering(image="/a.jpg")), url)
    assert product is not None
    assert product.price == "5.00"


def test_pages_without_a_mark_are_not_looked_at() -> None:
    assert not may_be_product(b"<h1>Reference</h1><p>The function returns 3 values.</p>" * 99)
    assert not may_be_product(b"<p>the price of progress</p>")
    assert may_be_product(b'<p class="price">$5</p><button>Add to cart</button>')
    # A manual that sells nothing has all the words, but no price in its markup.
    assert not may_be_product(
        b"<p class=note>The price column is unavailable, availability is not</p>"
    )
    assert may_be_product(b"<script>({'salePrice' : 5})</script> unavailable")
    assert may_be_product(b"<b data-x=1 id=thePrice>5</b> out of stock")
    # What is marked up as a price, or named a product, needs no words.
    assert may_be_product(b'<meta property="product:price:amount" content="5">')
    assert may_be_product(b"<b itemprop=price>5</b>")
    assert may_be_product(b'<a title="' + b"x" * 400 + b'" itemprop="price">5</a>')
    told = b'<script type="application/ld+json">{"@type": "Product"}</script>'
    assert may_be_product(told + b"<p>a fair price")
    assert not may_be_product(b'<script>{"@type": "Productivity"}</script><p>a fair price')


def test_an_article_that_sells_nothing_is_not_walked_through(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown = '<h1>Tray</h1><p class="price">$5</p><button>Add to cart</button>'
    html = marked({"@type": "NewsArticle", "headline": "Tray"}, body=shown)
    found = extract(html, URL)
    assert found is not None
    assert found.confidence < SURE
    monkeypatch.setattr("tenax.page.product.outline", None)
    assert sure_product_of(parse(html, "utf-8"), URL) is None


def test_what_can_no_longer_be_sure_is_looked_at_no_further(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    html = marked(body='<h1>Tray</h1><p class="price">$5</p><p>Ask us for one')
    found = extract(html, URL)
    assert found is not None
    assert found.confidence < SURE
    monkeypatch.setattr("tenax.page.product.given_away", None)
    assert sure_product_of(parse(html, "utf-8"), URL) is None


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("https://a.example/b_200x200.jpg", "//a.example/b.jpg"),
        ("http://a.example/b-thumb.png", "//a.example/b.png"),
        ("https://a.example/b_200x200.jpg?v=1", "//a.example/b_200x200.jpg"),
        ("https://a.example/" + "c" * 100 + "_200x.jpg", "//a.example/" + "c" * 100 + ".jpg"),
    ],
)
def test_sizes_of_a_picture_have_one_key(url: str, key: str) -> None:
    assert _key(url) == key


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from([
            "<h1>", "</h1>", "$5", "5 €", "<s>", "</s>", "<div class=price>", "</div>", "<button>",
            "Add to cart", "Sold out", "SKU:", "X-1", "<script type=application/ld+json>", "</script>",
            '{"@type":"Product","offers":{"price":', "[]", "}}", "null", '"', "<span itemprop=price>",
            "<div itemscope itemtype=Product>", "<img src=x>", "1.2.3,4", "€", "\x00", "é", "-",
            '{"@type":"Product","offers":[{"price":[{}]}],"name":{"x":1},"image":[null,{}]}',
            '{"@graph":[{"@type":"BreadcrumbList","itemListElement":[{"item":[]}]}]}',
        ]),
        max_size=40,
    )
)  # fmt: skip
def test_nothing_makes_it_fail(pieces: list[str]) -> None:
    extract("".join(pieces).encode(), URL)


@pytest.mark.parametrize("name", ["og:price", "product:price", "og:price:amount"])
def test_a_meta_tag_may_name_price_and_currency_at_once(name: str) -> None:
    html = f'<html lang=nb><meta property="{name}" content="1 290,50 kr"><h1>Tray</h1>'
    product = extract(html.encode(), URL)
    assert product is not None
    assert (product.price, product.currency) == ("1290.50", "NOK")


def test_what_is_free_costs_nothing_where_the_page_says_so_too() -> None:
    free = offering(offers={"@type": "Offer", "price": "0,00", "priceCurrency": "EUR"})
    extra = '<p>Gold tray</p><b class="price">€8.19</b>'
    product = extract(marked(free, body=f'<h1>Tray</h1><b class="price">Gratis</b>{extra}'), URL)
    assert product is not None
    assert (product.price, product.currency) == ("0.00", "EUR")
    # Shipping may be free: and nought is what systems say that do not know.
    product = extract(marked(free, body=f"<h1>Tray</h1>{extra}<p>Shipping: <b>Gratis</b></p>"), URL)
    assert product is not None
    assert product.price == "8.19"


@pytest.mark.parametrize(
    ("told", "shown", "price"),
    [("10.00", "€12.10", "12.10"), ("10.00", "€17.00", "10.00"), ("10.00", "$12.10", "10.00")],
    ids=["before tax", "something else", "a currency without a tax in prices"],
)
def test_what_people_pay_is_the_price_and_not_what_it_is_before_tax(
    told: str, shown: str, price: str
) -> None:
    offer = {"@type": "Offer", "price": told, "priceCurrency": "EUR" if "€" in shown else "USD"}
    body = f'<h1>Tray</h1><b class="price">{shown}</b><button>Add to cart</button>'
    product = extract(marked(offering(offers=offer), body=body), URL)
    assert product is not None
    assert product.price == price


def test_names_of_properties_may_begin_with_a_capital() -> None:
    node = {"@type": "Product", "Name": "Tray", "Offers": {"Price": "5.00", "PriceCurrency": "EUR"}}
    product = extract(marked(node), URL)
    assert product is not None
    assert (product.name, product.price, product.currency) == ("Tray", "5.00", "EUR")


def test_an_identifier_may_be_a_property_with_a_name() -> None:
    number = {"@type": "PropertyValue", "propertyID": "SKU", "value": "12-A"}
    for identifier in (number, [number], "sku:12-A"):
        product = extract(marked(offering(identifier=identifier)), URL)
        assert product is not None
        assert product.sku == "12-A"


def test_a_meta_tag_may_name_the_number() -> None:
    html = b'<meta property="product:sku" content="12-A">' + marked(offering())
    product = extract(html, URL)
    assert product is not None
    assert product.sku == "12-A"


@pytest.mark.parametrize("heading", ["Acme Trays", "The Tray Makers", "Round tray"])
def test_a_heading_that_is_the_shops_name_is_not_the_products(heading: str) -> None:
    metas = (
        '<meta property="og:type" content="product"><meta property="og:title" content="Round tray">'
        '<meta property="og:site_name" content="The Tray Makers">'
    )
    product = extract(f"{metas}<h1>{heading}</h1>".encode(), "https://www.acmetrays.example/t/1")
    assert product is not None
    assert product.name == "Round tray"
