"""One product's page, a list of many, or something to read: a record is made of the first only."""

from __future__ import annotations

import json

import pytest

from tenax.page.product import SURE, extract

URL = "https://shop.example/trays"
OFFER = {"@type": "Offer", "price": "5.00", "priceCurrency": "EUR"}


def page(*nodes: object, metas: str = "", body: str = "<h1>Trays</h1>") -> bytes:
    scripts = "".join(
        f'<script type="application/ld+json">{json.dumps(node)}</script>' for node in nodes
    )
    return f"<html><head>{metas}{scripts}</head><body>{body}</body></html>".encode()


def is_product(html: bytes, url: str = URL) -> bool:
    found = extract(html, url)
    return found is not None and found.confidence >= SURE


def trays(count: int) -> list[dict[str, object]]:
    return [{"@type": "Product", "name": f"Tray no. {n}", "offers": OFFER} for n in range(count)]


def listed(count: int) -> dict[str, object]:
    entries = [{"@type": "ListItem", "item": tray} for tray in trays(count)]
    return {"@type": "ItemList", "itemListElement": entries}


def entries(count: int, price: str = '<b class="price">$24.50</b>') -> str:
    return "".join(
        f'<div class="cell"><a href="/tray-{n}"><img alt=""></a>{price}</div>' for n in range(count)
    )


GROUP = '<meta property="og:type" content="product.group">'
ONE = '<meta property="og:type" content="product">'
PRICED = ONE + '<meta property="og:price:amount" content="24.50">'
TO_READ = '<meta property="og:type" content="article">'
OWN = '<h1>Tray</h1><div class="buy"><b class="price">$9.00</b></div>'


@pytest.mark.parametrize(
    "html",
    [
        page(metas=GROUP),
        page({"@type": "CollectionPage", "mainEntity": listed(9)}),
        page(listed(9), body='<h1>Trays</h1><b class="price">$5.00</b><a>Add to cart</a>'),
        page({"@type": "SearchResultsPage"}, metas=ONE),
        page(*trays(9), body='<h1>Trays</h1><b class="price">$5.00</b>'),
        page({"@type": "Product", "name": "Trays", "aggregateRating": {"ratingValue": 4}}),
        page(metas=ONE, body="<h1>Trays</h1>" + entries(6)),
        page(metas=ONE, body="<h1>Trays</h1><main class=product>" + entries(6) + "</main>"),
        page({"@type": "Product", "name": "Trays"},
             body="<h1>Trays</h1>" + entries(6, "<p class=price>From <span>$3</span></p>")),
        page({"@type": "Review", "itemReviewed": trays(1)[0]}, body="<h1>Trays</h1>$5.00"),
        page({"@graph": [{"@type": "Article"}]},
             body="<h1>Trays</h1><b class=price>$5.00</b> <a>Buy now</a> SKU: 12-A"),
        page(body="<h1>Sign up</h1><b class=price>$0.00</b><button>Buy now</button>"),
        page(body="<h1>Trays</h1>" + entries(3, "<b class=price>$9.00</b><a>Add to cart</a>")),
        page({"@type": "BlogPosting"}, metas='<meta itemprop="price" content="5">'),
        page({"@type": "NewsArticle", "hasPart": {"@type": "Review", "itemReviewed": trays(1)[0]}},
             body="<h1>Tray no. 0</h1><b class=price>$5.00</b>"),
    ],
    ids=["product.group", "CollectionPage", "ItemList", "search", "many products", "no offer",
         "entries", "entries in a product", "rated list", "review", "post", "costs nothing",
         "three entries", "loose price",
         "reviewed by an article"],
)  # fmt: skip
def test_lists_and_texts_are_no_products(html: bytes) -> None:
    assert not is_product(html)


@pytest.mark.parametrize(
    "html",
    [
        # What is recommended, and what a blog says of it, does not make it a list or a text.
        page({"@type": "Product", "name": "Tray", "offers": OFFER}, listed(9), body=OWN),
        page({"@type": "CollectionPage"}, {"@type": "Product", "name": "Tray", "offers": OFFER}),
        page({"@type": "Article"}, {"@type": "Product", "name": "Tray", "offers": OFFER}, body=OWN),
        # As some tools say of every page.
        page(metas=TO_READ, body=OWN + "<button>Add to cart</button>"),
        page(body=OWN + "<button>Add to cart</button>" + entries(3)),
        page(*trays(9), body="<h1>Tray no. 3</h1>"),
        page(*trays(9), {"@type": "Product", "name": "T", "url": URL, "offers": OFFER}),
        page({"@type": "Product", "name": "Tray", "sku": "TR-1"}),
        page({"@type": "Product", "name": "Tray"}, body=OWN + "<a>Add to cart</a>"),
        page(metas=ONE, body=OWN + "<h2>Others</h2>" + entries(9)),
        page(metas=PRICED, body="<h1>Tray</h1>" + entries(9)),
        page(metas=GROUP, body=OWN + "<button>Add to cart</button>"),
        page(metas=ONE, body='<h1>Tray</h1><div><b class="price">$9.00</b> <a href="/shipping">and'
             " shipping</a></div>" + entries(9)),
        # A price of every variant: they lead nowhere.
        page(metas=ONE, body="<h1>Tray</h1>" + '<p><a href="#big">Big</a> <b>$9.00</b></p>' * 9),
        page({"@type": "Product", "name": "Tray",
              "offers": [{**OFFER, "itemOffered": tray} for tray in trays(9)]}),
    ],
    ids=["recommends a list", "called a collection", "called an article", "article of all tools",
         "three others below", "one of many by heading",
         "one of many by URL", "a number", "a price and a button", "others below", "priced metas",
         "group with a button", "link beside the price", "variants", "offers of variants"],
)  # fmt: skip
def test_a_products_page_stays_one(html: bytes) -> None:
    assert is_product(html)


RANGE = {"@type": "AggregateOffer", "lowPrice": "3.00", "priceCurrency": "USD", "offerCount": 99}
BUY = "<button>Add to cart</button>"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (page({"@type": "Product", "name": "Trays", "offers": RANGE},
              body="<h1>Trays</h1>" + entries(6)), False),
        (page({"@type": "Product", "name": "Trays", "offers": RANGE}, {"@type": "CollectionPage"}),
         False),
        (page({"@type": "Product", "name": "Tray", "offers": RANGE}), True),
        (page({"@type": "Product", "name": "Tray", "offers": RANGE, "sku": "T-1"},
              body="<h1>Tray</h1>" + entries(6)), True),
        (page({"@type": "Product", "name": "Tray", "offers": RANGE}, listed(6),
              body=OWN + BUY + entries(6)), True),
        (page({"@type": "Product", "name": "Tray", "offers": RANGE}, body=OWN + entries(6)), True),
    ],
    ids=["entries", "collection", "alone", "numbered", "can be bought", "a price of its own"],
)  # fmt: skip
def test_from_so_much_to_so_much_is_a_list_or_a_product(html: bytes, expected: bool) -> None:
    assert is_product(html) is expected


def test_the_only_product_told_of_may_be_one_of_another_page() -> None:
    pan = {"@type": "Product", "name": "Frying pan", "url": "/frying-pan", "offers": OFFER}
    assert not is_product(page(pan, body="<h1>Welcome</h1>" + entries(6)))
    assert is_product(page({**pan, "url": URL}, body="<h1>Welcome</h1>" + entries(6)))
    assert is_product(page(pan, body="<h1>Our frying pan</h1>" + entries(6)))


def test_a_menu_is_no_list_of_products() -> None:
    menu = {
        "@type": "ItemList",
        "itemListElement": [{"@type": "SiteNavigationElement", "name": "Home"}] * 9,
    }
    assert is_product(page(menu, body=OWN + BUY))


@pytest.mark.parametrize("kind", ["Event", "JobPosting", "Hotel", "HowTo"])
def test_what_is_visited_or_applied_for_is_no_product(kind: str) -> None:
    assert not is_product(page({"@type": kind, "name": "Trays"}, body=OWN + BUY))


def test_nothing_is_taken_from_what_is_recommended() -> None:
    related = {"@type": "Product", "name": "Cup", "sku": "CUP-1", "offers": OFFER}
    html = page({"@type": "WebPage", "isRelatedTo": related}, body=OWN + "<a>Add to cart</a>")
    found = extract(html, URL)
    assert found is not None
    assert (found.name, found.price, found.sku) == ("Tray", "9.00", "")


def test_the_price_of_what_it_leads_to_is_not_its_own() -> None:
    gone = {"@type": "Product", "name": "Tray", "offers": {"availability": "OutOfStock"}}
    script = "<script>var items = [{'price': 24.5, 'sku': 'A'}, {'price': 3, 'sku': 'B'}]</script>"
    found = extract(page(gone, body="<h1>Tray</h1>" + entries(6) + script), URL)
    assert found is not None
    assert (found.price, found.confidence >= SURE) == ("", True)
    found = extract(page(gone, body=OWN + entries(6)), URL)
    assert found is not None
    assert found.price == "9.00"


def test_entries_may_lead_through_one_counter() -> None:
    counted = entries(6).replace('href="/tray-', 'href="/click?to=')
    assert not is_product(page(metas=ONE, body="<h1>Trays</h1>" + counted))


def bought(count: int, label: str = "") -> str:
    """So many things to buy, each with what it says of itself."""
    return "".join(
        f'<div class="cell"><b class="price">${n + 2}.50</b><button>Add to cart</button>'
        f"{label.format(n=n)}</div>"
        for n in range(count)
    )


def test_a_page_that_labels_one_number_is_no_list_of_what_goes_with_it() -> None:
    own = OWN + "<button>Add to cart</button>"
    number = "<table><tr><th>Part number</th><td>TR-145</td></tr></table>"
    assert is_product(page(body=own + number + bought(4)))
    assert not is_product(page(body=own + bought(4)))
    assert not is_product(page(body=own + bought(4, "<p>Part number: TR-{n}45</p>")))
