"""Pages as the platforms of shops and the largest shops write them, and what they sell.

Written from scratch after how each lays out its pages, with the clutter that stands around.
"""

from __future__ import annotations

from tests.sites.tricky import Tricky


def _page(
    body: str, head: str = "", title: str = "", lang: str = "en", attributes: str = ""
) -> str:
    return (
        f'<!doctype html><html lang="{lang}"><head><meta charset="utf-8"><title>{title}</title>{head}</head>'
        f"<body {attributes}>{body}</body></html>"
    )


PLATFORMS = (
    Tricky(
        "Walmart-like: cents in a span of their own, everything in a script",
        _page(
            '<header><input aria-label="Search"><span>$0.00</span></header><main><div><h1 itemprop="name" id="main-title">Stand Mixer 4.5 qt</h1>'
            '<div data-testid="price-wrap"><span itemprop="price" aria-hidden="false">Now $219.00</span><span class="w_iUH7">Was $299.00</span>'
            '<span class="strike">$299.00</span><div>You save <span>$80.00</span></div></div>'
            '<div>Price when purchased online</div><button data-automation-id="atc">Add to cart</button></div></main>'
            '<section><h2>Similar items you might like</h2><div><span>$99.00</span><button>Add</button></div><div><span>$149.00</span><button>Add</button></div></section>',
            '<script type="application/ld+json">{"@context":"https://schema.org","@type":"Product","name":"Stand Mixer 4.5 qt","sku":"5521190",'
            '"gtin13":"0883049085661","model":"K45SS","brand":{"@type":"Brand","name":"Whisk"},'
            '"offers":[{"@type":"Offer","price":219,"priceCurrency":"USD","availability":"https://schema.org/InStock","itemCondition":"https://schema.org/NewCondition"}]}</script>',
            title="Stand Mixer 4.5 qt - Mart.com",
        ),
        {"price": "219.00", "currency": "USD", "regular_price": "299.00", "sku": "5521190", "availability": "InStock"},
        "https://www.mart.example/ip/stand-mixer/5521190",
    ),
    Tricky(
        "BestBuy-like: model and SKU side by side, sold out on the button",
        _page(
            '<div class="shop-product-title"><div class="sku-title"><h1 class="heading-5 v-fw-regular">Sony-like 65" TV</h1></div>'
            '<div class="title-data"><div class="model product-data"><span class="product-data-label body-copy">Model:</span><span class="product-data-value body-copy">XR65A80K</span></div>'
            '<div class="sku product-data"><span class="product-data-label body-copy">SKU:</span><span class="product-data-value body-copy">6501901</span></div></div></div>'
            '<div class="priceView-hero-price priceView-customer-price"><span aria-hidden="true">$1,599.99</span><span class="sr-only">Your price for this item is $1,599.99</span></div>'
            '<div class="pricing-price__savings-regular-price"><div class="pricing-price__savings">Save $400</div><div class="pricing-price__regular-price">Was $1,999.99</div></div>'
            '<div class="financing-options">$133.34/mo. suggested payments with 12-Month Financing</div>'
            '<div class="fulfillment-add-to-cart-button"><button class="c-button c-button-disabled add-to-cart-button" disabled data-button-state="SOLD_OUT">Sold Out</button></div>',
            title='Sony-like 65" TV XR65A80K - Best',
        ),
        {"price": "1599.99", "regular_price": "1999.99", "sku": "6501901", "availability": "OutOfStock"},
    ),
    Tricky(
        "eBay-like: price with its currency in words, an item number",
        _page(
            '<div class="vim x-item-title"><h1 class="x-item-title__mainTitle"><span class="ux-textspans ux-textspans--BOLD">Vintage Brass Desk Lamp</span></h1></div>'
            '<div class="x-price-section"><div class="x-bin-price"><div class="x-price-primary" data-testid="x-price-primary"><span class="ux-textspans">US $84.50</span></div>'
            '<div class="x-additional-info"><span>Was </span><span class="ux-textspans ux-textspans--STRIKETHROUGH">US $99.00</span><span>What does this price mean?</span></div></div></div>'
            '<div class="d-quantity__availability"><span class="ux-textspans ux-textspans--SECONDARY">2 available</span></div>'
            '<a class="ux-call-to-action" href="/cart"><span class="ux-call-to-action__text">Buy It Now</span></a><a class="ux-call-to-action" href="/cart"><span>Add to cart</span></a>'
            '<div class="ux-labels-values ux-labels-values--shipping"><span>Shipping:</span><span>US $12.10</span> <span>Standard Shipping</span></div>'
            '<div class="ux-layout-section__textual-display--itemId"><span class="ux-textspans--SECONDARY">eBay item number:</span><span class="ux-textspans--BOLD">385512900112</span></div>',
            title="Vintage Brass Desk Lamp | eBay",
        ),
        {"price": "84.50", "currency": "USD", "regular_price": "99.00", "availability": "InStock", "sku": "385512900112"},
    ),
    Tricky(
        "SAP Hybris-like: price and code in paragraphs",
        _page(
            '<div class="page-productDetails"><ol class="breadcrumb"><li><a href="/">Home</a></li><li><a href="/c">Power Drills</a></li><li class="active">Angle Drill RT40</li></ol>'
            '<div class="product-details page-title"><h1 class="name">Angle Drill RT40<span class="sku">ID</span><span class="code">3879481</span></h1></div>'
            '<div class="product-main-info"><div class="product-details"><p class="price">$612.00</p><div class="description">Right-angle drill</div></div>'
            '<div class="addtocart-component"><div class="stock-wrapper clearfix">0 In Stock</div><button type="submit" class="btn btn-primary btn-block js-add-to-cart outOfStock" disabled="disabled">Out of stock</button></div></div></div>',
            title="Angle Drill RT40 | Powertools Site",
        ),
        {"price": "612.00", "sku": "3879481", "availability": "OutOfStock"},
    ),
    Tricky(
        "Salesforce-like (SFRA): price in content attributes, item no.",
        _page(
            '<div class="container product-detail product-wrapper" data-pid="640188017003M"><div class="row"><div class="col-12"><h1 class="product-name">Straight Fit Shirt</h1></div></div>'
            '<div class="product-number-rating clearfix"><div class="product-number pull-left">Item No. <span class="product-id">640188017003M</span></div></div>'
            '<div class="prices"><div class="price"><span><span class="strike-through list"><span class="value" content="89.00"><span class="sr-only">Price reduced from</span>$89.00<span class="sr-only">to</span></span></span>'
            '<span class="sales"><span class="value" content="59.99">$59.99</span></span></span></div></div>'
            '<div class="product-availability availability"><span class="availability-label">Availability:</span><ul class="list-unstyled availability-msg"><li><div>In Stock</div></li></ul></div>'
            '<button class="add-to-cart btn btn-primary" data-toggle="modal" data-pid="640188017003M">Add to Cart</button></div>',
            title="Straight Fit Shirt | Sites",
        ),
        {"price": "59.99", "regular_price": "89.00", "sku": "640188017003M", "availability": "InStock"},
    ),
    Tricky(
        "Demandware SiteGenesis: price-standard and price-sales",
        _page(
            '<div id="pdpMain" class="pdp-main"><div class="product-col-2 product-detail"><h1 class="product-name" itemprop="name">Pinstripe Blazer</h1><div id="product-content">'
            '<div class="product-number">Item# <span itemprop="productID">25686395M</span></div>'
            '<div class="product-price"><span class="price-standard" title="Regular Price">$199.00</span><span class="price-sales" title="Sale Price">$149.00</span></div>'
            '<div class="availability-web"><label>Availability</label><div class="value"><p class="not-available-msg">This item is currently not available.</p></div></div>'
            '<button id="add-to-cart" type="submit" title="Add to Cart" value="Add to Cart" class="button-fancy-large add-to-cart" disabled="disabled">Add to Cart</button></div></div></div>',
            title="Pinstripe Blazer | Sites-SiteGenesis",
        ),
        {"price": "149.00", "regular_price": "199.00", "sku": "25686395M", "availability": "OutOfStock"},
    ),
    Tricky(
        "Wix: data hooks and hashed classes",
        _page(
            '<div id="SITE_CONTAINER"><div data-hook="product-page" class="yDh0S"><section><h1 data-hook="product-title" class="_2qrJF">Ceramic Mug</h1>'
            '<div data-hook="sku" class="_1rwRc">SKU: 364115376135191</div>'
            '<div data-hook="product-prices-wrapper"><div data-hook="product-price" class="_26qxh"><span data-hook="formatted-secondary-price" data-wix-original-price="$30.00" class="_2XEQ">$30.00<span class="sr">Regular Price</span></span>'
            '<span data-hook="formatted-primary-price" data-wix-price="$24.00">$24.00<span class="sr">Sale Price</span></span></div></div>'
            '<button data-hook="product-oos" disabled aria-disabled="true"><span>Out of Stock</span></button></section></div></div>',
            title="Ceramic Mug | My Site",
        ),
        {"price": "24.00", "regular_price": "30.00", "sku": "364115376135191", "availability": "OutOfStock"},
    ),
    Tricky(
        "Ecwid: details-product-price",
        _page(
            '<div class="ecwid-productBrowser-details"><div class="details-product__title"><h1 class="product-details__product-title ec-header-h3" itemprop="name">Olive Soap</h1></div>'
            '<div class="product-details__product-sku ec-text-muted" itemprop="sku">SKU <!-- -->00017</div>'
            '<div class="product-details__product-price ec-price-item" itemprop="price" content="7.5"><span class="details-product-price__value ec-price-item notranslate">€7,50</span></div>'
            '<div class="details-product-purchase__place"><span>In stock</span></div><div class="form-control form-control--button"><button class="form-control__button" type="button"><span class="form-control__button-text">Add to Bag</span></button></div></div>',
            title="Olive Soap",
        ),
        {"price": "7.50", "currency": "EUR", "sku": "00017", "availability": "InStock"},
    ),
    Tricky(
        "WooCommerce, variable and out of stock, with a plugin's data layer",
        _page(
            '<div id="product-55" class="product type-product post-55 status-publish outofstock has-post-thumbnail product-type-simple"><div class="summary entry-summary">'
            '<h1 class="product_title entry-title">Beeswax Candle</h1><p class="price"><span class="woocommerce-Price-amount amount"><bdi><span class="woocommerce-Price-currencySymbol">&#36;</span>18.00</bdi></span></p>'
            '<p class="stock out-of-stock">Out of stock</p><div class="product_meta"><span class="sku_wrapper">SKU: <span class="sku">BC-18</span></span><span class="posted_in">Category: <a href="/c">Candles</a></span></div></div>'
            '<section class="related products"><h2>Related products</h2><ul class="products columns-4"><li class="product instock"><a><h2>Pillar</h2><span class="price"><span class="amount">$22.00</span></span></a><a class="button add_to_cart_button">Add to cart</a></li></ul></section></div>',
            '<script>window.dataLayer.push({"event":"view_item","ecommerce":{"currency":"USD","value":18,"items":[{"item_id":"BC-18","item_name":"Beeswax Candle","price":18}]}});</script>',
            title="Beeswax Candle – Hive",
        ),
        {"price": "18.00", "sku": "BC-18", "availability": "OutOfStock"},
    ),
    Tricky(
        "GA4's data layer alone tells the number",
        _page(
            '<main><h1>Hand Plane No. 4</h1><div class="product-price">$119.00</div><button>Add to cart</button></main>'
            '<script>dataLayer.push({"ecommerce":{"items":[{"item_id":"HP-0004","item_name":"Hand Plane No. 4","price":119.0,"quantity":1}]},"event":"view_item"});</script>',
            title="Hand Plane No. 4",
        ),
        {"price": "119.00", "sku": "HP-0004"},
    ),
    Tricky(
        "Universal Analytics: ecommerce.detail.products",
        _page(
            '<main><h1>Hand Plane No. 5</h1><button>Add to cart</button></main>'
            "<script>dataLayer = [{'pageType':'product','ecommerce':{'currencyCode':'GBP','detail':{'products':[{'name':'Hand Plane No. 5','id':'HP-0005','price':'129.00','brand':'Vale','category':'Tools/Planes'}]}}}];</script>",
            title="Hand Plane No. 5",
        ),
        {"price": "129.00", "currency": "GBP", "sku": "HP-0005"},
    ),
    Tricky(
        "Facebook's pixel alone tells price and number",
        _page(
            "<main><h1>Linen Apron</h1><button>Add to cart</button></main>"
            "<script>fbq('track', 'ViewContent', {content_type: 'product', content_ids: ['LA-33'], content_name: 'Linen Apron', value: 44.00, currency: 'EUR'});</script>",
            title="Linen Apron",
        ),
        {"price": "44.00", "currency": "EUR", "sku": "LA-33"},
    ),
    Tricky(
        "Shopify, an old theme: cents in a script, SKU in the variants",
        _page(
            '<div class="product-single"><h1 class="product-single__title">Canvas Tote</h1><span id="ProductPrice" class="product-single__price" itemprop="price" content="36.0"><span class="money">$36.00</span></span>'
            '<form action="/cart/add" method="post"><select name="id" id="ProductSelect"><option disabled="disabled">Natural - Sold out</option><option selected data-sku="CT-BLK" value="2">Black - $36.00 USD</option></select>'
            '<button type="submit" name="add" id="AddToCart" class="btn"><span id="AddToCartText">Add to cart</span></button></form></div>'
            '<script>var meta = {"product":{"id":1,"gid":"gid://x","vendor":"Tote Co","type":"Bags","variants":[{"id":2,"price":3600,"name":"Canvas Tote - Black","public_title":"Black","sku":"CT-BLK"}]},"page":{"pageType":"product"}};</script>',
            '<meta property="og:type" content="product"><meta property="og:price:amount" content="36.00"><meta property="og:price:currency" content="USD">',
            title="Canvas Tote",
        ),
        {"price": "36.00", "currency": "USD", "sku": "CT-BLK", "availability": "InStock"},
    ),
    Tricky(
        "Magento 2: out of stock, SKU in a div of its own",
        _page(
            '<main id="maincontent" class="page-main"><div class="product-info-main"><div class="page-title-wrapper product"><h1 class="page-title"><span class="base" data-ui-id="page-title-wrapper" itemprop="name">Joust Bag</span></h1></div>'
            '<div class="product-info-price"><div class="product-info-stock-sku"><div class="stock unavailable" title="Availability"><span>Out of stock</span></div><div class="product attribute sku"><strong class="type">SKU</strong><div class="value" itemprop="sku">24-MB01</div></div></div>'
            '<div class="price-box price-final_price" data-role="priceBox" data-product-id="1"><span class="price-container price-final_price tax weee"><span id="product-price-1" data-price-amount="34" data-price-type="finalPrice" class="price-wrapper"><span class="price">$34.00</span></span></span></div></div>'
            '<div class="product-social-links"><a class="action towishlist">Add to Wish List</a></div></div></main>',
            '<meta property="product:price:amount" content="34"/><meta property="product:price:currency" content="USD"/>',
            title="Joust Bag",
            attributes='class="page-product-simple catalog-product-view"',
        ),
        {"price": "34.00", "sku": "24-MB01", "availability": "OutOfStock"},
    ),
    Tricky(
        "Magento 1: availability and SKU in paragraphs",
        _page(
            '<div class="product-view"><div class="product-essential"><div class="product-shop"><div class="product-name"><span class="h1">Aviator Sunglasses</span></div>'
            '<div class="price-info"><div class="price-box"><p class="old-price"><span class="price-label">Regular Price:</span> <span class="price" id="old-price-337">$295.00</span></p><p class="special-price"><span class="price-label">Special Price</span> <span class="price" id="product-price-337">$250.00</span></p></div></div>'
            '<div class="extra-info"><p class="availability out-of-stock"><span class="label">Availability:</span> <span class="value">Out of stock</span></p></div><p class="product-ids">Product ID: ACE-001</p></div></div></div>',
            title="Aviator Sunglasses - Eyewear",
        ),
        {"name": "Aviator Sunglasses", "price": "250.00", "regular_price": "295.00", "sku": "ACE-001", "availability": "OutOfStock"},
    ),
    Tricky(
        "whole and raised cents with nothing to say so",
        _page(
            '<main><h1>Walnut Tray</h1><div class="x1">$<span>19</span><sup>99</sup></div><button>Add to cart</button></main>',
            title="Walnut Tray",
        ),
        {"price": "19.99", "currency": "USD"},
    ),
    Tricky(
        "sign and cents both raised",
        _page('<main><h1>Walnut Tray</h1><p class="price"><sup>$</sup>24<sup>97</sup></p><button>Add to cart</button></main>', title="Walnut Tray"),
        {"price": "24.97", "currency": "USD"},
    ),
    Tricky(
        "Home-Depot-like: three spans, the second the sign's",
        _page(
            '<main><h1>Cordless Drill</h1><div class="price-format__large price-format__main-price"><span class="price-format__large-symbols">$</span><span>129</span><span class="price-format__large-symbols">00</span></div>'
            '<div>Internet # <span>205598901</span> Model # <span>P1813</span> Store SKU # <span>1001234567</span></div><button>Add to Cart</button></main>',
            title="Cordless Drill - Depot",
        ),
        {"price": "129.00", "currency": "USD", "sku": "1001234567", "mpn": "P1813"},
    ),
    Tricky(
        "Lowe's-like: item and model numbers in one line",
        _page(
            '<main><h1>Cordless Saw</h1><p>Item #4755231 | Model #DCS391B</p><div><span>$</span><span>159</span><span>.00</span></div><button>Add to Cart</button></main>',
            title="Cordless Saw",
        ),
        {"price": "159.00", "sku": "4755231"},
    ),
    Tricky(
        "Target-like: attributes for tests, not classes",
        _page(
            '<main><h1 data-test="product-title">Bath Towel</h1><span data-test="product-price">$8.00</span><span>reg <span data-test="product-regular-price">$10.00</span></span><span>Sale</span>'
            '<div data-test="outOfStockMessage">Out of stock</div><button data-test="notifyMeButton">Notify me when it’s back</button><div><b>TCIN</b>: 13794501</div><div><b>UPC</b>: 490580412334</div><div><b>Item Number (DPCI)</b>: 072-03-1150</div></main>',
            title="Bath Towel : Target",
        ),
        {"price": "8.00", "availability": "OutOfStock"},
    ),
    Tricky(
        "a link as availability, and a price with a comma",
        _page(
            '<div itemscope itemtype="http://schema.org/Product"><h1 itemprop="name">Kaffeemühle</h1><span itemprop="mpn">KM-2</span><div itemprop="offers" itemscope itemtype="http://schema.org/Offer">'
            '<span itemprop="price" content="49,90">49,90</span> <span itemprop="priceCurrency" content="EUR">€</span><link itemprop="availability" href="http://schema.org/OutOfStock"/><span>Leider ausverkauft</span></div><p>Art.-Nr.: 4711-08</p></div>',
            title="Kaffeemühle",
            lang="de",
        ),
        {"price": "49.90", "currency": "EUR", "sku": "4711-08", "availability": "OutOfStock", "mpn": "KM-2"},
    ),
    Tricky(
        "JTL-Shop: Artikelnummer and Lieferstatus",
        _page(
            '<div id="product-offer"><h1 class="fn product-title">Wanderstock Esche</h1><ul class="info-essential"><li class="product-sku"><strong>Artikelnummer: </strong><span itemprop="sku">WS-100</span></li></ul>'
            '<div class="price_wrapper"><strong class="price text-nowrap"><span>39,95 €</span> *</strong><div class="vat_info text-muted">inkl. 19% USt. , zzgl. Versand</div></div><div class="delivery-status"><span class="status status-0">momentan nicht verfügbar</span></div></div>',
            title="Wanderstock Esche, 39,95 €",
            lang="de",
        ),
        {"price": "39.95", "sku": "WS-100", "availability": "OutOfStock"},
    ),
    Tricky(
        "PrestaShop 1.6: microdata, French, out of stock",
        _page(
            '<div class="primary_block row" itemscope itemtype="https://schema.org/Product"><div class="pb-center-column"><h1 itemprop="name">Bouilloire émaillée</h1><p id="product_reference"><label>Référence : </label><span class="editable" itemprop="sku" content="BE-12">BE-12</span></p>'
            '<p id="availability_statut"><span id="availability_value" class="label label-danger">Ce produit n\'est plus en stock</span></p></div><div class="pb-right-column"><form id="buy_block"><div class="content_prices" itemprop="offers" itemscope itemtype="https://schema.org/Offer"><link itemprop="availability" href="https://schema.org/OutOfStock"/>'
            '<p class="our_price_display"><span id="our_price_display" class="price" itemprop="price" content="42.5">42,50 €</span> TTC<meta itemprop="priceCurrency" content="EUR"/></p><p id="old_price"><span id="old_price_display"><span class="price">50,00 €</span></span></p></div>'
            '<p id="add_to_cart" class="buttons_bottom_block unvisible"><button type="submit" name="Submit" class="exclusive"><span>Ajouter au panier</span></button></p></form></div></div>',
            title="Bouilloire émaillée",
            lang="fr",
        ),
        {"price": "42.50", "regular_price": "50.00", "sku": "BE-12", "availability": "OutOfStock"},
    ),
    Tricky(
        "only people are told, in French, that it is no longer there",
        _page('<main><h1>Théière</h1><p class="prix">24,90 €</p><p class="dispo">Ce produit n\'est plus disponible</p><p>Réf. : TH-9</p></main>', title="Théière", lang="fr"),
        {"price": "24.90", "sku": "TH-9", "availability": "OutOfStock"},
    ),
    Tricky(
        "Nike-like: style and colour, sold out in words",
        _page(
            '<main><div class="product-info"><h1 id="pdp_product_title" data-test="product-title">Air Runner 1</h1><h2 data-test="product-sub-title">Men\'s Shoes</h2><div data-test="product-price">$110</div>'
            '<div class="css-sold">Sold Out: This product is currently unavailable.</div><ul><li class="description-preview__color-description">Shown: White/Black</li><li class="description-preview__style-color">Style: DD1391-100</li></ul></div></main>',
            title="Air Runner 1 Men's Shoes. Sport.com",
        ),
        {"price": "110.00", "sku": "DD1391-100", "availability": "OutOfStock"},
    ),
    Tricky(
        "Volusion: old tables and a code in a class",
        _page(
            '<table><tr><td><font class="productnamecolorLARGE colors_productname"><span itemprop="name">Brass Hinge</span></font><div class="product_productprice"><b><font class="pricecolor colors_productprice"><div class="product_productprice">Our Price: <span itemprop="price">$6.75</span></div></font></b></div>'
            '<div class="product_listprice">List Price: $9.00</div><i><font><span class="product_code_title">Product Code: </span></font></i><span class="product_code">BH-2</span><br><input type="image" name="btnaddtocart" alt="Add to cart" class="vCSS_input_addtocart"></td></tr></table>',
            title="Brass Hinge",
        ),
        {"price": "6.75", "regular_price": "9.00", "sku": "BH-2"},
    ),
    Tricky(
        "3dcart and Yahoo: Part Number in bold, stock in words",
        _page(
            '<div id="content"><h1 class="page_headers" itemprop="name">Oil Filter</h1><div class="product-id">Part Number:<span id="product_id">OF-5530</span></div><div class="availability">Availability: <span id="availability">Temporarily Out of Stock</span></div>'
            '<div class="yourprice price"><span class="price-info">Your Price: </span><span id="price" class="price">$11.49</span></div></div>',
            title="Oil Filter",
        ),
        {"price": "11.49", "sku": "OF-5530", "availability": "OutOfStock"},
    ),
    Tricky(
        "Big Cartel: sold out in a paragraph",
        _page('<main class="product-page"><h1 class="page-title">Riso Print</h1><div class="product-price"><span class="currency_sign">£</span>15.00 <span class="product-status">/ Sold Out</span></div><p class="sold">Sold Out</p></main>', title="Riso Print / Studio"),
        {"price": "15.00", "currency": "GBP", "availability": "OutOfStock"},
    ),
    Tricky(
        "Etsy-like: price with a plus, low price for machines",
        _page(
            '<div data-buy-box-region="price"><p class="wt-text-title-larger"><span class="wt-screen-reader-only">Price:</span> $42.00+</p><div><span class="wt-screen-reader-only">Original Price:</span><span class="wt-text-strikethrough">$52.50+</span></div></div><h1 data-buy-box-listing-title="true">Personalised Leather Wallet</h1>'
            '<button type="submit">Add to cart</button>',
            '<script type="application/ld+json">{"@type":"Product","@context":"https://schema.org","name":"Personalised Leather Wallet","sku":"1099887766","offers":{"@type":"AggregateOffer","offerCount":12,"lowPrice":"42.00","highPrice":"61.00","priceCurrency":"USD","availability":"https://schema.org/InStock"}}</script>',
            title="Personalised Leather Wallet - Etc",
        ),
        {"price": "42.00", "regular_price": "52.50", "sku": "1099887766", "availability": "InStock"},
    ),
    Tricky(
        "Next.js: everything in __NEXT_DATA__",
        _page(
            '<div id="__next"><main><h1>Rain Jacket</h1></main></div><script id="__NEXT_DATA__" type="application/json">{"props":{"pageProps":{"product":{"sku":"RJ-200","name":"Rain Jacket","price":{"value":149.5,"currency":"EUR"},"stock":{"isInStock":false},"inStock":false},"words":{"button":"Add to cart"}}}}</script>',
            title="Rain Jacket",
        ),
        {"price": "149.50", "currency": "EUR", "sku": "RJ-200", "availability": "OutOfStock"},
    ),
    Tricky(
        "a definition list of numbers",
        _page(
            '<main><h1>Wall Clock</h1><p class="price">£45.00</p><button>Add to basket</button><dl><dt>Style No</dt><dd>WC-771</dd><dt>EAN</dt><dd>4006381333931</dd><dt>Brand</dt><dd>Tick</dd></dl></main>',
            title="Wall Clock",
        ),
        {"price": "45.00", "sku": "WC-771", "gtin": "4006381333931", "brand": "Tick"},
    ),
    Tricky(
        "no longer for sale",
        _page('<main><h1>Wall Clock</h1><p class="price">£45.00</p><p>This product is no longer available.</p><p>Product no: 77812</p></main>', title="Wall Clock"),
        {"price": "45.00", "sku": "77812", "availability": "OutOfStock"},
    ),
    Tricky(
        "a waiting list in place of a button",
        _page('<main><h1>Wall Clock</h1><p class="price">£45.00</p><button type="button">Email me when available</button><p>Catalogue No. 7-781</p></main>', title="Wall Clock"),
        {"price": "45.00", "sku": "7-781", "availability": "OutOfStock"},
    ),
    Tricky(
        "a button that is off says nothing else",
        _page('<main><h1>Wall Clock</h1><p class="price">£45.00</p><button type="button" class="add-to-cart" disabled>Unavailable</button></main>', title="Wall Clock"),
        {"price": "45.00", "availability": "OutOfStock"},
    ),
    Tricky(
        "a count of none",
        _page('<main><h1>Wall Clock</h1><p class="price">£45.00</p><p class="stock" title="Availability">Stock: 0</p></main>', title="Wall Clock"),
        {"price": "45.00", "availability": "OutOfStock"},
    ),
    Tricky(
        "zero in stock",
        _page('<main><h1>Wall Clock</h1><p class="price">£45.00</p><p class="qty-left">0 in stock</p></main>', title="Wall Clock"),
        {"price": "45.00", "availability": "OutOfStock"},
    ),
    Tricky(
        "Shopware 5: Artikel-Nr. in a list, sold out",
        _page(
            '<div class="product--detail-upper"><h1 class="product--title" itemprop="name">Filzhut</h1><div class="product--buybox" itemprop="offers" itemscope itemtype="http://schema.org/Offer"><meta itemprop="priceCurrency" content="EUR"/><div class="product--price price--default price--discount"><span class="price--content content--default"><meta itemprop="price" content="59.00">59,00&nbsp;&euro; *</span>'
            '<span class="content--discount"><span class="price--line-through">79,00&nbsp;&euro; *</span><span class="price--discount-percentage">(25,32% gespart)</span></span></div><p class="product--tax">inkl. MwSt.</p><div class="product--delivery"><link itemprop="availability" href="http://schema.org/LimitedAvailability"/><p class="delivery--information"><span class="delivery--text delivery--text-not-available">Derzeit nicht verfügbar</span></p></div>'
            '<ul class="product--base-info list--unstyled"><li class="base-info--entry entry--sku"><strong class="entry--label">Artikel-Nr.:</strong><meta itemprop="productID" content="310"/><span class="entry--content" itemprop="sku">SW10152</span></li></ul></div></div>',
            title="Filzhut | Shop",
            lang="de",
        ),
        {"price": "59.00", "regular_price": "79.00", "sku": "SW10152", "availability": "OutOfStock"},
    ),
    Tricky(
        "OpenCart 3: availability in a list, product code",
        _page(
            '<div id="content" class="col-sm-12"><div class="row"><div class="col-sm-8"><ul class="thumbnails"><li><a class="thumbnail"><img src="/a.jpg"></a></li></ul></div><div class="col-sm-4"><h1>MacBook-like</h1><ul class="list-unstyled"><li>Brands <a href="/b">Pear</a></li><li>Product Code: product16</li><li>Availability: Out Of Stock</li></ul>'
            '<ul class="list-unstyled"><li><h2>$602.00</h2></li><li>Ex Tax: $500.00</li></ul><div id="product"><button type="button" id="button-cart" class="btn btn-primary btn-lg btn-block">Add to Cart</button></div></div></div></div>',
            title="MacBook-like",
        ),
        {"price": "602.00", "sku": "product16", "availability": "OutOfStock"},
    ),
    Tricky(
        "Argos- and Ikea-like: price in three, article number with points",
        _page(
            '<main><h1 class="pip-header-section"><span class="pip-header-section__title--big">KALLAX-like</span><span class="pip-header-section__description">Shelving unit, white</span></h1><span class="pip-price"><span aria-hidden="true"><span class="pip-price__currency">$</span><span class="pip-price__integer">89</span><span class="pip-price__decimal"><span class="pip-price__separator">.</span>99</span></span><span class="pip-price__sr-text">Price $ 89.99</span></span>'
            '<button class="pip-btn" aria-label="Add to bag"><span>Add to bag</span></button><span class="pip-product-identifier__label">Article Number</span><span class="pip-product-identifier__value">702.758.14</span></main>',
            title="KALLAX-like Shelving unit, white",
        ),
        {"price": "89.99", "currency": "USD", "sku": "702.758.14", "availability": "InStock"},
    ),
    Tricky(
        "cents as a number of minor units beside the display",
        _page('<main><h1>Kelim</h1><div class="pdp-price" data-price-cents="45900"><span>CHF</span> <span>459.00</span></div><button>In den Warenkorb</button><p>Bestell-Nr. 33 182 07</p></main>', title="Kelim", lang="de-CH"),
        {"price": "459.00", "currency": "CHF"},
    ),
    Tricky(
        "Sears- and Newegg-like: an item number behind words",
        _page('<main><h1>Graphics Card</h1><ul><li class="price-was">$549.99</li><li class="price-current">$<strong>499</strong><sup>.99</sup></li></ul><div class="product-inventory"><strong>OUT OF STOCK.</strong></div><ol><li>Item#: <em>N82E16814126</em></li></ol><div>Model #: TUF-4070</div></main>', title="Graphics Card - Egg"),
        {"price": "499.99", "regular_price": "549.99", "sku": "N82E16814126", "availability": "OutOfStock"},
    ),
)  # fmt: skip
