"""Small pages, each with one way to write a price, a number or whether there is any left."""

from __future__ import annotations

_MORE = (
    '<section><h2>{}</h2><div><a href=/a>Other</a><span class="p">$5.00</span><span>Sold out</span>'
    '<button>Add to cart</button></div><div><a href=/b>More</a><span class="p">$7.00</span><button>Add to cart</button></div></section>'
)
_LD = '<script type="application/ld+json">{}</script>'
_CART = "<button>Add to cart</button>"


def page(inner: str, more: str = "", lang: str = "en", head: str = "", before: str = "") -> bytes:
    return (
        f"<html lang={lang}><head><title>Walnut Tray</title>{head}</head><body>{before}<main>"
        f"<h1>Walnut Tray</h1>{inner}</main>{more}</body></html>"
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
    (
        "prices in a menu",
        page(
            f"<p>$24.99</p>{_CART}",
            before="<div class=top><ul><li><a href=/a>Gifts under $10</a></li><li><a href=/b>Mug $8.00</a></li></ul></div>",
        ),
        {"price": "24.99"},
    ),
    (
        "a total of several, under a heading",
        page(
            f"<p class=price>$24.99</p>{_CART}<div><h3>Frequently bought together</h3><p>Total price: <span class=price>$89.97</span></p><button>Add all three to cart</button></div>"
        ),
        {"price": "24.99"},
    ),
    (
        "a total of several",
        page(
            f"<p class=price>$24.99</p>{_CART}<div><p>Total: <span class=price>$89.97</span></p><button>Add all three to cart</button></div>"
        ),
        {"price": "24.99"},
    ),
    (
        "a bar that scripts fill",
        page(
            f"<p class=price>$24.99</p>{_CART}",
            before='<div class="sticky-atc"><span>Walnut Tray</span><span class=price>$0.00</span><button>Add to cart</button></div>',
        ),
        {"price": "24.99"},
    ),
    (
        "nothing crossed out",
        page(f'<div class=price><s></s><span class="price-item">$24.99</span></div>{_CART}'),
        {"price": "24.99", "regular_price": ""},
    ),
    (
        "a price for each size",
        page(
            f"<p class=price>$19.99</p><label><input type=radio> Small - $19.99</label><label><input type=radio> Large - $29.99</label>{_CART}"
        ),
        {"price": "19.99"},
    ),
    (
        "prices of sizes alone",
        page(
            f"<label><input type=radio checked> Small - $19.99</label><label><input type=radio> Large - $29.99</label>{_CART}"
        ),
        {"price": "19.99"},
    ),
    (
        "prices of sizes in a list alone",
        page(
            f"<select><option>Small - $19.99</option><option>Large - $29.99</option></select>{_CART}"
        ),
        {"price": "19.99"},
    ),
    (
        "subscribers choose another price",
        page(
            f"<label><input type=radio>One-time purchase <span>$24.99</span></label><label><input type=radio>Subscribe and save 15% <span>$21.24</span></label>{_CART}"
        ),
        {"price": "24.99"},
    ),
    (
        "a comma that groups, for machines",
        page(
            f"{_CART}",
            head='<meta property="og:type" content="product"><meta property="og:price:amount" content="1,299.00"><meta property="og:price:currency" content="USD">',
        ),
        {"price": "1299.00", "currency": "USD"},
    ),
    (
        "a code behind the amount, for machines",
        page(f"{_CART}", head='<meta property="product:price:amount" content="24.99 USD">'),
        {"price": "24.99"},
    ),
    (
        "one price in three currencies",
        page(f"<p>$24.99 / €22.99 / £19.99</p>{_CART}"),
        {"price": "24.99", "currency": "USD"},
    ),
    (
        "the currency in a part of its own",
        page(
            "<span class=preis>24,99</span> <span>EUR</span><button>In den Warenkorb</button>",
            lang="de",
        ),
        {"price": "24.99", "currency": "EUR"},
    ),
    (
        "the currency before it, in a part of its own",
        page(
            "<div class=preis><span>EUR</span><span>24,99</span></div><button>In den Warenkorb</button>",
            lang="de",
        ),
        {"price": "24.99", "currency": "EUR"},
    ),
    (
        "escaped twice",
        page(
            _CART,
            head=_LD.format(
                "{&quot;@type&quot;:&quot;Product&quot;,&quot;name&quot;:&quot;Walnut Tray&quot;,&quot;sku&quot;:&quot;W1&quot;,&quot;offers&quot;:{&quot;price&quot;:&quot;24.99&quot;,&quot;priceCurrency&quot;:&quot;USD&quot;}}"
            ),
        ),
        {"price": "24.99", "sku": "W1"},
    ),
    (
        "signs for machines",
        page(
            _CART,
            head=_LD.format(
                '{"@type":"Product","name":"Walnut Tray","offers":{"price":"$24.99","priceCurrency":"$"}}'
            ),
        ),
        {"price": "24.99"},
    ),
    (
        "types in full",
        page(
            _CART,
            head=_LD.format(
                '{"@type":"http://schema.org/Product","name":"Walnut Tray","productID":"sku:W1","offers":{"@type":"http://schema.org/Offer","price":"24.99","priceCurrency":"USD","availability":"http://schema.org/OutOfStock"}}'
            ),
        ),
        {"price": "24.99", "sku": "W1", "availability": "OutOfStock"},
    ),
    (
        "both prices marked up alike",
        page(
            '<div itemscope itemtype="http://schema.org/Product"><meta itemprop=name content="Walnut Tray"><div itemprop=offers itemscope itemtype="http://schema.org/Offer"><del><span itemprop=price>39.99</span></del> <ins><span itemprop=price>24.99</span></ins><meta itemprop=priceCurrency content=USD></div></div>'
        ),
        {"price": "24.99"},
    ),
    (
        "a range marked up",
        page(
            '<div itemscope itemtype="http://schema.org/Product"><meta itemprop=name content="Walnut Tray"><div itemprop=offers itemscope itemtype="http://schema.org/AggregateOffer"><span itemprop=lowPrice>24.99</span>-<span itemprop=highPrice>39.99</span><meta itemprop=priceCurrency content=USD></div></div>'
        ),
        {"price": "24.99", "currency": "USD"},
    ),
    (
        "a card for the price",
        page(
            _CART,
            head='<meta name="twitter:label1" content="Price"><meta name="twitter:data1" content="$24.99 USD"><meta name="twitter:card" content="product">',
        ),
        {"price": "24.99", "currency": "USD"},
    ),
    (
        "a card in another language",
        page(
            f"<p class=price>24,99 €</p>{_CART}",
            head='<meta property="og:price:amount" content="24.99"><meta property="og:price:currency" content="EUR">',
            lang="fr",
        ),
        {"price": "24.99", "currency": "EUR"},
    ),
    (
        "no price without an account",
        page(
            "<p>Log in to see the price</p><p>SKU: W-1</p>",
            head=_LD.format('{"@type":"Product","name":"Walnut Tray"}'),
        ),
        {"price": "", "sku": "W-1"},
    ),
    (
        "the brand within the heading",
        b"<html><head><title>Walnut Tray by Oak</title></head><body><h1><a href=/oak>Oak</a> <span>Walnut Tray</span></h1><span>$24.99</span><button>Add to cart</button></body></html>",
        {"price": "24.99"},
    ),
    (
        "no heading at all",
        b'<html><head><title>Walnut Tray - Shop</title></head><body><div class="product-title">Walnut Tray</div><span>$24.99</span><button>Add to cart</button></body></html>',
        {"price": "24.99", "name": "Walnut Tray"},
    ),
    (
        "two headings, one of them the shop's",
        b"<html><head><title>Walnut Tray - Shop</title></head><body><h1>Shop</h1><h1>Walnut Tray</h1><span>$24.99</span><button>Add to cart</button></body></html>",
        {"price": "24.99", "name": "Walnut Tray"},
    ),
    (
        "the original price for readers alone",
        page(
            f'<span class="visually-hidden">Price</span><span>$24.99</span><span class="visually-hidden">Original price $39.99</span>{_CART}'
        ),
        {"price": "24.99"},
    ),
    (
        "reduced from, for readers alone",
        page(
            f'<p><span class="sr-only">Price reduced from</span><span>$39.99</span><span class="sr-only">to</span><span>$24.99</span></p>{_CART}'
        ),
        {"price": "24.99"},
    ),
    (
        "savings beside the price",
        page(f"<p class=price>$24.99 <span class=save>Save $15.00</span></p>{_CART}"),
        {"price": "24.99"},
    ),
    (
        "list price, price, savings",
        page(f"<p>List Price: $39.99</p><p>Price: $24.99</p><p>You Save: $15.00 (38%)</p>{_CART}"),
        {"price": "24.99", "regular_price": "39.99"},
    ),
    (
        "sold out on the button",
        page(
            '<p class=price>$24.99</p><button class="btn btn-soldout" disabled="disabled">SOLD OUT</button>'
        ),
        {"availability": "OutOfStock"},
    ),
    (
        "out of stock in red",
        page(
            f'<p class=price>$24.99</p><p>Availability: <span style="color:red">Out of Stock</span></p>{_CART}'
        ),
        {"availability": "OutOfStock"},
    ),
    (
        "a form that tells when it is back",
        page(
            "<p class=price>$24.99</p><form><p>Enter your email to be notified when this item is back in stock</p><input type=email><button>Notify me</button></form>"
        ),
        {"availability": "OutOfStock"},
    ),
    (
        "no longer made",
        page("<p class=price>$24.99</p><p>This product is discontinued.</p>"),
        {"availability": "Discontinued"},
    ),
    (
        "no longer to be had, in German",
        page("<p>24,99 €</p><p>Nicht mehr lieferbar</p>", lang="de"),
        {"availability": "OutOfStock"},
    ),
    (
        "to be had, in German",
        page(
            "<p>24,99 €</p><p>Sofort lieferbar, Lieferzeit 1-3 Werktage</p><button>In den Warenkorb</button>",
            lang="de",
        ),
        {"availability": "InStock"},
    ),
    (
        "to be had, in French",
        page(
            "<p>24,99 €</p><p>En stock, livraison 48h</p><button>Ajouter au panier</button>",
            lang="fr",
        ),
        {"availability": "InStock"},
    ),
    (
        "a price of others in the text",
        page(
            f"<p class=price>$24.99</p>{_CART}<p>Compare with trays costing $99.99 elsewhere.</p>"
        ),
        {"price": "24.99"},
    ),
    (
        "a gift beside the price",
        page(f"<p class=price>$24.99</p>{_CART}<p>Get a $10 gift card</p>"),
        {"price": "24.99"},
    ),
    (
        "a long text before the price",
        page(
            "<p>"
            + "Long description of the tray. " * 40
            + f"</p><p>It beats the $60 one.</p><div class=price>$24.99</div>{_CART}"
        ),
        {"price": "24.99"},
    ),
    (
        "a bare number",
        page(
            f"<div class=product-price>2499</div>{_CART}",
            head='<meta property="product:price:currency" content="HUF">',
        ),
        {"price": "2499.00", "currency": "HUF"},
    ),
    (
        "the price of a bundle",
        page(
            f'<span class="price">$24.99</span>{_CART}<div class="bundle"><span class=price>$70.00</span></div>'
        ),
        {"price": "24.99"},
    ),
)
