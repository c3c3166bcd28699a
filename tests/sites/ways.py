"""Small pages, each with one way to write a price, a number or whether there is any left."""

from __future__ import annotations

_MORE = (
    '<section><h2>{}</h2><div><a href=/a>Other</a><span class="p">$5.00</span><span>Sold out</span>'
    '<button>Add to cart</button></div><div><a href=/b>More</a><span class="p">$7.00</span><button>Add to cart</button></div></section>'
)
_LD = '<script type="application/ld+json">{}</script>'
_CART = "<button>Add to cart</button>"


def page(inner: str, more: str = "", lang: str = "en", head: str = "") -> bytes:
    return (
        f"<html lang={lang}><head><title>Walnut Tray</title>{head}</head><body><main><h1>Walnut Tray</h1>"
        f"{inner}</main>{more}</body></html>"
    ).encode()


WAYS: tuple[tuple[str, bytes, dict[str, str]], ...] = (
    (
        "a framework's comments within a price",
        page(f"<span>$<!-- -->24<!-- -->.<!-- -->99</span>{_CART}"),
        {"price": "24.99", "availability": "InStock"},
    ),
    (
        "a framework's comments within a number",
        page(f"<span>$24.99</span><span>SKU: <!-- -->AB-1</span>{_CART}"),
        {"price": "24.99", "sku": "AB-1"},
    ),
    (
        "the price on the button",
        page("<button>Add to cart - $24.99</button>"),
        {"price": "24.99", "availability": "InStock"},
    ),
    (
        "the price on the button, in parts",
        page("<button><span>Add to bag</span><span> · </span><span>$24.99</span></button>"),
        {"price": "24.99", "availability": "InStock"},
    ),
    (
        "a code behind the amount",
        page(f"<p>Price: 24.99 USD</p>{_CART}"),
        {"price": "24.99", "currency": "USD"},
    ),
    (
        "a list of terms",
        page(f"<dl><dt>Price</dt><dd>$24.99</dd><dt>Shipping</dt><dd>$4.00</dd></dl>{_CART}"),
        {"price": "24.99"},
    ),
    (
        "a table of prices",
        page(
            f"<table><tr><td>Retail Price:</td><td>$39.99</td></tr><tr><td>Our Price:</td><td>$24.99</td></tr><tr><td>You Save:</td><td>$15.00 (38%)</td></tr></table>{_CART}"
        ),
        {"price": "24.99", "regular_price": "39.99"},
    ),
    (
        "now only, and the recommended one",
        page(f"<p>Now only £9.99</p><p>RRP £19.99</p>{_CART}"),
        {"price": "9.99", "regular_price": "19.99"},
    ),
    (
        "with tax, then without",
        page(
            f"<div><span class=price>£120.00</span> <span>inc. VAT</span></div><div><span class=price>£100.00</span> <span>ex. VAT</span></div>{_CART}"
        ),
        {"price": "120.00"},
    ),
    (
        "without tax, then with",
        page(
            f"<div><span class=price>£100.00</span> <span>ex. VAT</span></div><div><span class=price>£120.00</span> <span>inc. VAT</span></div>{_CART}"
        ),
        {"price": "120.00"},
    ),
    ("by the square metre", page(f"<p class=price>£35.50 per m²</p>{_CART}"), {"price": "35.50"}),
    (
        "three parts and a label for readers",
        page(f'<div aria-label="$24.99"><span>$</span><span>24</span><span>99</span></div>{_CART}'),
        {"price": "24.99"},
    ),
    (
        "a raised sign and a raised point",
        page(f"<p><sup>$</sup><strong>24</strong><sup>.99</sup></p>{_CART}"),
        {"price": "24.99"},
    ),
    (
        "cents raised behind a comma",
        page(f'<p class="price">24,<sup>99</sup> €</p>{_CART}'),
        {"price": "24.99", "currency": "EUR"},
    ),
    (
        "cents raised before the sign",
        page(f'<p class="price"><span>24</span><sup>99</sup> €</p>{_CART}'),
        {"price": "24.99", "currency": "EUR"},
    ),
    (
        "the sign raised with the cents",
        page(f'<p class="price">24<sup>€99</sup></p>{_CART}'),
        {"price": "24.99", "currency": "EUR"},
    ),
    (
        "a dash for no cents",
        page(
            f'<p class="price">24,-</p>{_CART}',
            lang="nl",
            head='<meta property="product:price:currency" content="EUR">',
        ),
        {"price": "24.00", "currency": "EUR"},
    ),
    (
        "a group of thousands in parts",
        page(
            f'<p class="price"><span>1</span><span>.</span><span>299</span><span>,00 €</span></p>{_CART}'
        ),
        {"price": "1299.00", "currency": "EUR"},
    ),
    (
        "instalments in Brazil",
        page(
            "<p class=price><del>R$ 199,90</del> R$ 149,90</p><p>ou 10x de R$ 14,99 sem juros</p><p>R$ 142,40 no PIX</p><button>Comprar</button>",
            lang="pt-BR",
        ),
        {"price": "149.90", "regular_price": "199.90"},
    ),
    (
        "instalments in Mexico",
        page(
            "<p>$1,299.00</p><p>12 meses sin intereses de $108.25</p><button>Agregar al carrito</button>",
            lang="es-MX",
        ),
        {"price": "1299.00", "currency": "MXN"},
    ),
    (
        "instalments in India",
        page(
            "<p>MRP: <s>₹4,999</s></p><p>₹2,499</p><p>Inclusive of all taxes</p><p>EMI starts at ₹121</p><button>Add to Cart</button>",
            lang="en-IN",
        ),
        {"price": "2499.00", "regular_price": "4999.00"},
    ),
    (
        "only the list price, in India",
        page(
            "<p>MRP ₹2,499</p><p>Inclusive of all taxes</p><button>Add to Cart</button>",
            lang="en-IN",
        ),
        {"price": "2499.00"},
    ),
    (
        "points",
        page(f"<p>Earn 25 points</p><p>$24.99</p><p>or 2,499 points</p>{_CART}"),
        {"price": "24.99"},
    ),
    (
        "four payments behind",
        page(f"<p>$24.99</p><p>or 4 payments of $6.25 with <b>Afterpay</b></p>{_CART}"),
        {"price": "24.99"},
    ),
    (
        "four payments before",
        page(f"<p>4 interest-free payments of <b>$6.25</b></p><p>$24.99</p>{_CART}"),
        {"price": "24.99"},
    ),
    (
        "four payments in a part of their own",
        page(
            f"<div class=price>$24.99</div><div>Pay in 4 with Klarna <span>$6.25</span></div>{_CART}"
        ),
        {"price": "24.99"},
    ),
    (
        "sold out, and others are not",
        page("<p>$24.99</p><p>Sold out</p>", _MORE.format("More to love")),
        {"price": "24.99", "availability": "OutOfStock"},
    ),
    (
        "others are sold out",
        page(f"<p>$24.99</p>{_CART}", _MORE.format("Explore more")),
        {"price": "24.99", "availability": "InStock"},
    ),
    (
        "others are sold out, under any heading",
        page(f"<p>$24.99</p>{_CART}", _MORE.format("Our customers love")),
        {"price": "24.99", "availability": "InStock"},
    ),
    (
        "unavailable, and others are not",
        page("<p>$24.99</p><p>Currently unavailable</p>", _MORE.format("Trending now")),
        {"price": "24.99", "availability": "OutOfStock"},
    ),
    (
        "only a few left",
        page(f"<p>$24.99</p><p>Only 3 left in stock - order soon</p>{_CART}"),
        {"availability": "InStock"},
    ),
    (
        "one size is gone, in a list",
        page(f'<p>$24.99</p><ul><li class="out-of-stock">XL</li><li>M</li></ul>{_CART}'),
        {"availability": "InStock"},
    ),
    (
        "one size is gone, on a button",
        page(
            f'<p>$24.99</p><div class="sizes"><button disabled title="Sold out">XL</button><button>M</button></div>{_CART}'
        ),
        {"availability": "InStock"},
    ),
    (
        "machines are told it is there, the button is off",
        page(
            "<p class=price>$24.99</p><button disabled>Sold out</button>",
            head=_LD.format(
                '{"@type":"Product","name":"Walnut Tray","offers":{"price":24.99,"priceCurrency":"USD","availability":"http://schema.org/InStock"}}'
            ),
        ),
        {"availability": "OutOfStock"},
    ),
    (
        "machines are told it is gone",
        page(
            f"<p class=price>$24.99</p>{_CART}",
            head=_LD.format(
                '{"@type":"Product","name":"Walnut Tray","offers":{"price":24.99,"priceCurrency":"USD","availability":"http://schema.org/OutOfStock"}}'
            ),
        ),
        {"availability": "OutOfStock"},
    ),
    (
        "a form in a window that is not open",
        page(
            f'<p>$24.99</p>{_CART}<div class="modal" aria-hidden="true"><h3>Notify me when back in stock</h3></div>'
        ),
        {"availability": "InStock"},
    ),
    (
        "a question about what is gone",
        page(f"<p>$24.99</p>{_CART}<h3>What if my item is out of stock?</h3>"),
        {"availability": "InStock"},
    ),
    (
        "a range for people and machines",
        page(
            f"<p class=price>$19.99 - $39.99</p>{_CART}",
            head=_LD.format(
                '{"@type":"Product","name":"Walnut Tray","offers":{"@type":"AggregateOffer","lowPrice":"19.99","highPrice":"39.99","priceCurrency":"USD"}}'
            ),
        ),
        {"price": "19.99"},
    ),
    (
        "machines are told a list, with a comma",
        page(
            f"<p class=price>$24.99</p>{_CART}",
            head=_LD.format(
                '[{"@type":"WebSite"},{"@type":["Product"],"name":"Walnut Tray","sku":123,"offers":[{"@type":"Offer","price":"24,99","priceCurrency":"EUR"}]}]'
            ),
        ),
        {"price": "24.99", "currency": "EUR", "sku": "123"},
    ),
    (
        "machines are told of a page of an item",
        page(
            f"<p class=price>$24.99</p>{_CART}",
            head=_LD.format(
                '{"@type":"ItemPage","mainEntity":{"@type":"Product","name":"Walnut Tray","sku":"W1","offers":{"price":"24.99","priceCurrency":"USD"}}}'
            ),
        ),
        {"price": "24.99", "sku": "W1"},
    ),
    (
        "machines are told the way here",
        page(
            f"<p class=price>$24.99</p>{_CART}",
            head=_LD.format(
                '{"@type":"BreadcrumbList","itemListElement":[{"@type":"ListItem","position":1,"name":"Home"},{"@type":"ListItem","position":2,"name":"Trays"},{"@type":"ListItem","position":3,"name":"Walnut Tray"}]}'
            ),
        ),
        {"category": "Trays"},
    ),
    (
        "marked up without anything for machines",
        page(
            '<div itemscope itemtype="http://schema.org/Product"><span itemprop="name">Walnut Tray</span><span itemprop="price">$1,024.99</span><span itemprop=availability>Out of stock</span></div>'
        ),
        {"price": "1024.99", "availability": "OutOfStock"},
    ),
    (
        "a share off before both prices",
        page(f"<p><span>-38%</span> <span>$24.99</span> <span>$39.99</span></p>{_CART}"),
        {"price": "24.99"},
    ),
    (
        "old and new side by side, nothing says which",
        page(f"<div class=price><span>$39.99</span><span>$24.99</span></div>{_CART}"),
        {"price": "24.99"},
    ),
    ("deposit", page(f"<p>$24.99</p><p>+ $0.10 deposit</p>{_CART}"), {"price": "24.99"}),
    ("from", page(f"<p>from <span>$24.99</span></p>{_CART}"), {"price": "24.99"}),
    (
        "the price is a heading",
        page(f"<h2>$24.99</h2>{_CART}"),
        {"price": "24.99", "name": "Walnut Tray"},
    ),
    (
        "the price before the heading",
        b"<html><head><title>Walnut Tray</title></head><body><main><div class=buy><span class=price>$24.99</span><button>Add to cart</button></div><h1>Walnut Tray</h1></main></body></html>",
        {"price": "24.99"},
    ),
    (
        "a list price in small print",
        page(
            "<span>39,95 €</span> <small>UVP 59,95 €</small><button>In den Warenkorb</button>",
            lang="de",
        ),
        {"price": "39.95", "regular_price": "59.95"},
    ),
    (
        "instead of, in German",
        page(
            "<span>statt 59,95 €</span> <span>nur 39,95 €</span><button>In den Warenkorb</button>",
            lang="de",
        ),
        {"price": "39.95", "regular_price": "59.95"},
    ),
    (
        "preorder",
        page("<p>$24.99</p><button>Pre-order now</button>"),
        {"price": "24.99", "availability": "PreOrder"},
    ),
    (
        "backorder",
        page(f"<p>$24.99</p><p>Available on backorder</p>{_CART}"),
        {"availability": "BackOrder"},
    ),
    (
        "discontinued",
        page("<p>$24.99</p><p>This item has been discontinued</p>"),
        {"availability": "Discontinued"},
    ),
    (
        "a button that is off, and nothing to choose",
        page('<p>$24.99</p><input type=submit value="Add to cart" disabled>'),
        {"price": "24.99", "availability": "OutOfStock"},
    ),
    (
        "a button that is off until something is chosen",
        page(
            "<p>$24.99</p><select><option>Choose</option></select><button disabled>Select a size</button>"
        ),
        {"price": "24.99"},
    ),
    (
        "payments side by side with the price",
        page(f"<div class=price><span>$24.99</span><span>or 4 x $6.25</span></div>{_CART}"),
        {"price": "24.99", "regular_price": ""},
    ),
    (
        "shipping side by side with the price",
        page(f"<div class=price><span>$24.99</span> <span>+ $9.00 shipping</span></div>{_CART}"),
        {"price": "24.99", "regular_price": ""},
    ),
    (
        "visits of several products are counted",
        page(
            f"<p>$24.99</p>{_CART}<script>track({{'items':[{{'item_id':'X-1'}},{{'item_id':'X-2'}}]}})</script>"
        ),
        {"sku": ""},
    ),
)
