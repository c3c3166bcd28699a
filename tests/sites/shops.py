"""Pages of shops that do not exist, in the manner of those that do, and what they sell.

Every style is written from scratch after how a platform marks up its pages; around the product
stand what shops put there: free shipping over an amount, an empty basket, other products.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from html import escape


@dataclass(frozen=True)
class Good:
    """What is true of a product."""

    name: str
    price: str
    currency: str
    shown: str
    """The price as this shop prints it."""
    language: str = "en"
    sku: str = ""
    brand: str = ""
    gtin: str = ""
    was: str = ""
    was_shown: str = ""
    stock: str = "InStock"
    url: str = "https://shop.example/products/thing"
    category: str = ""


@dataclass(frozen=True)
class Shop:
    style: str
    good: Good
    html: str


_WORDS = {
    "en": ("Add to cart", "In stock", "Out of stock", "You may also like", "SKU"),
    "de": ("In den Warenkorb", "Sofort lieferbar", "Ausverkauft", "Das könnte Ihnen auch gefallen", "Art.-Nr."),
    "fr": ("Ajouter au panier", "En stock", "Rupture de stock", "Vous aimerez aussi", "Référence"),
    "es": ("Añadir al carrito", "Disponible", "Agotado", "Productos relacionados", "Referencia"),
    "it": ("Aggiungi al carrello", "Disponibile", "Esaurito", "Prodotti correlati", "Codice"),
    "nl": ("In winkelwagen", "Op voorraad", "Uitverkocht", "Gerelateerde producten", "Artikelnummer"),
    "pl": ("Do koszyka", "Dostępny", "Produkt niedostępny", "Podobne produkty", "Kod produktu"),
    "sv": ("Lägg i varukorg", "I lager", "Slutsåld", "Relaterade produkter", "Artikelnummer"),
    "nb": ("Legg i handlekurv", "På lager", "Utsolgt", "Relaterte produkter", "Varenr."),
    "pt": ("Adicionar ao carrinho", "Em estoque", "Esgotado", "Produtos relacionados", "Código"),
    "ja": ("カートに入れる", "在庫あり", "在庫切れ", "関連商品", "商品番号"),
    "ru": ("В корзину", "В наличии", "Нет в наличии", "Похожие товары", "Артикул"),
    "cs": ("Do košíku", "Skladem", "Vyprodáno", "Související produkty", "Kód produktu"),
}  # fmt: skip

_GOODS = (
    Good("Harbour Wool Blanket", "129.00", "USD", "$129.00", sku="HB-2201", brand="Northlight", gtin="4006381333931"),
    Good("Kessel Teekanne 1,2 l", "1234.56", "EUR", "1.234,56 €", "de", sku="10-4471", brand="Kessel & Sohn", was="1499.00", was_shown="1.499,00 €", url="https://laden.example.de/p/teekanne"),
    Good("Lampe de bureau Orme", "89.90", "EUR", "89,90 €", "fr", sku="LMP0093", brand="Atelier Orme", stock="OutOfStock", url="https://boutique.example.fr/lampe-orme.html"),
    Good("Steel Frame Bicycle", "1349.99", "GBP", "£1,349.99", sku="BK-7781-L", brand="Arden", was="1599.99", was_shown="£1,599.99", url="https://bikes.example.co.uk/steel-frame"),
    Good("Cotton Kurta, Indigo", "2499.00", "INR", "₹2,499", sku="KU-77-IND", brand="Neel", url="https://kurta.example.in/p/kurta-indigo"),
    Good("Skiunterwäsche Merino", "1200.00", "CHF", "CHF 1'200.-", "de", sku="881220", brand="Gipfel", url="https://berg.example.ch/merino"),
    Good("Regnjacka Skarv", "1299.00", "SEK", "1 299 kr", "sv", sku="RJ-5520", brand="Skarv", stock="OutOfStock", url="https://friluft.example.se/regnjacka"),
    Good("Turystyczny kubek", "12.90", "PLN", "12,90 zł", "pl", sku="KUB129", brand="Wędrowiec", url="https://sklep.example.pl/kubek"),
    Good("折りたたみ傘 ネイビー", "1980", "JPY", "¥1,980", "ja", sku="KASA-01", brand="あめや", url="https://kasa.example.jp/item/kasa01"),
    Good("Rede de Descanso", "1299.90", "BRL", "R$ 1.299,90", "pt", sku="RD-881", brand="Sertão", was="1599.90", was_shown="R$ 1.599,90", url="https://loja.example.com.br/rede"),
    Good("Trail Shoe Petrel 4", "94.50", "USD", "$94.50", sku="TS4-BLK-10", brand="Petrel", was="135.00", was_shown="$135.00"),
    Good("Cast Iron Pan 28 cm", "59.95", "CAD", "$59.95", sku="CIP28", brand="Foundry Lane", stock="OutOfStock", url="https://kitchen.example.ca/products/pan"),
    Good("Tastiera Meccanica K2", "149.00", "EUR", "€ 149,00", "it", sku="K2-IT", brand="Battito", url="https://negozio.example.it/k2"),
    Good("Ryggsekk Fjell 45", "2199.00", "NOK", "2 199,-  kr", "nb", sku="FJ45-GRN", brand="Fjell", url="https://tur.example.no/fjell-45"),
    Good("Чайник фарфоровый", "3490.00", "RUB", "3 490 ₽", "ru", sku="ФЧ-340", brand="Исеть", stock="OutOfStock", url="https://posuda.example.ru/chainik"),
)  # fmt: skip


def _other_price(good: Good, step: int) -> str:
    """Another amount in the same spelling."""
    for digit in "123456789":
        if digit in good.shown:
            return good.shown.replace(digit, str((int(digit) + step) % 9 + 1), 1)
    return good.shown


def _head(good: Good, more: str = "", title: str = "") -> str:
    return (
        f'<!doctype html><html lang="{good.language}"><head><meta charset="utf-8">'
        f"<title>{escape(title or good.name)} – Shop</title>{more}</head>"
    )


def _top(good: Good) -> str:
    return (
        '<body><div class="announcement-bar">Free shipping on orders over '
        f'{_other_price(good, 4)}</div><header class="site-header"><a href="/" class="logo">Shop</a>'
        '<nav><ul><li><a href="/sale">Sale</a></li><li><a href="/new">New</a></li></ul></nav>'
        f'<div class="mini-cart"><span class="total price">{good.shown.replace("1", "0").replace("2", "0")}</span></div></header>'
    )


def _related(good: Good) -> str:
    words = _WORDS[good.language]
    cards = "".join(
        f'<div class="product-card"><a href="/products/{n}"><img src="/i/{n}.jpg" alt=""></a><h3>Other {n}</h3>'
        f'<span class="price">{_other_price(good, n)}</span>'
        f"{'<span class=badge>' + words[2] + '</span>' if n == 2 else ''}<button>{words[0]}</button></div>"
        for n in range(1, 5)
    )
    return f'<section class="related-products"><h2>{words[3]}</h2>{cards}</section>'


_FOOT = '<footer class="site-footer"><p>© Shop</p><a href="/terms">Terms</a></footer></body></html>'


def _ld(data: object) -> str:
    return f'<script type="application/ld+json">{json.dumps(data, ensure_ascii=False)}</script>'


def _offer(good: Good, price: object = None) -> dict[str, object]:
    return {"@type": "Offer", "price": good.price if price is None else price, "priceCurrency": good.currency,
            "availability": f"https://schema.org/{good.stock}", "url": good.url}  # fmt: skip


def _was(good: Good, markup: str) -> str:
    return markup.format(good.was_shown) if good.was else ""


def shopify_dawn(good: Good) -> str:
    words = _WORDS[good.language]
    out = good.stock == "OutOfStock"
    data = {"@context": "http://schema.org/", "@type": "Product", "name": good.name, "url": good.url,
            "image": ["https://cdn.example/a.jpg"], "description": "<p>Nice.</p>", "sku": good.sku,
            "brand": {"@type": "Brand", "name": good.brand}, "offers": [_offer(good)]}  # fmt: skip
    sale = "price--on-sale" if good.was else ""
    return (
        _head(good, f'<meta property="og:type" content="product"><meta property="og:price:amount" content="{good.price.replace(".", ",")}">'
                    f'<meta property="og:price:currency" content="{good.currency}"><meta property="og:title" content="{escape(good.name)}">')
        + _top(good)
        + f'<main><section class="product"><div class="product__media-wrapper"><img src="//cdn.example/a_600x.jpg" alt="{escape(good.name)}" width="600"></div>'
        f'<div class="product__info-container"><p class="product__text caption">{good.brand}</p><div class="product__title"><h1>{escape(good.name)}</h1></div>'
        f'<div class="price price--large {sale} {"price--sold-out" if out else ""}"><div class="price__regular"><span class="visually-hidden">Regular price</span>'
        f'<span class="price-item price-item--regular">{good.was_shown or good.shown}</span></div><div class="price__sale"><span class="visually-hidden">Regular price</span>'
        f'<span><s class="price-item price-item--regular">{good.was_shown}</s></span><span class="visually-hidden">Sale price</span>'
        f'<span class="price-item price-item--sale price-item--last">{good.shown}</span></div>'
        f'<small class="unit-price caption hidden"><span>Unit price</span><span class="price-item"> / per </span></small></div>'
        f'<form action="/cart/add"><fieldset class="product-form__input"><input type="radio" id="a"><label for="a">Red<span class="visually-hidden">Variant sold out or unavailable</span></label></fieldset>'
        f'<button type="submit" name="add" class="product-form__submit" {"disabled" if out else ""}><span>{words[2] if out else words[0]}</span></button></form></div></section>'
        + _ld(data) + "</main>" + _related(good) + _FOOT
    )  # fmt: skip


def woocommerce(good: Good) -> str:
    words = _WORDS[good.language]
    out = good.stock == "OutOfStock"
    graph = {"@context": "https://schema.org/", "@graph": [
        {"@type": "BreadcrumbList", "itemListElement": [
            {"@type": "ListItem", "position": 1, "item": {"name": "Home", "@id": "/"}},
            {"@type": "ListItem", "position": 2, "item": {"name": "Household", "@id": "/h"}},
            {"@type": "ListItem", "position": 3, "item": {"name": good.name, "@id": good.url}}]},
        {"@type": "Product", "@id": f"{good.url}#product", "name": good.name, "sku": good.sku,
         "offers": [{"@type": "Offer", "priceSpecification": [
             {"@type": "UnitPriceSpecification", "price": good.price, "priceCurrency": good.currency}]
             + ([{"@type": "UnitPriceSpecification", "price": good.was, "priceCurrency": good.currency,
                  "priceType": "https://schema.org/ListPrice"}] if good.was else []),
             "availability": f"http://schema.org/{good.stock}"}]}]}  # fmt: skip
    old = _was(
        good,
        '<del aria-hidden="true"><span class="woocommerce-Price-amount amount"><bdi>{}</bdi></span></del> ',
    )
    new = f'<span class="woocommerce-Price-amount amount"><bdi>{good.shown}</bdi></span>'
    return (
        _head(good, _ld(graph)) + _top(good)
        + f'<div id="product-12" class="product type-product {"outofstock" if out else "instock"}"><div class="woocommerce-product-gallery"><img src="/w/a-600x600.jpg" class="wp-post-image" alt="a"></div>'
        f'<div class="summary entry-summary"><h1 class="product_title entry-title">{escape(good.name)}</h1><p class="price">{old}{"<ins>" + new + "</ins>" if good.was else new}</p>'
        f'<p class="stock {"out-of-stock" if out else "in-stock"}">{words[2] if out else words[1]}</p>'
        + ("" if out else f'<form class="cart"><button type="submit" name="add-to-cart" class="single_add_to_cart_button">{words[0]}</button></form>')
        + f'<div class="product_meta"><span class="sku_wrapper">{words[4]}: <span class="sku">{good.sku}</span></span> <span class="posted_in">Category: <a href="/h">Household</a></span></div></div></div>'
        + _related(good) + _FOOT
    )  # fmt: skip


def magento1(good: Good) -> str:
    """Nothing for machines at all."""
    words = _WORDS[good.language]
    out = good.stock == "OutOfStock"
    price = (
        f'<p class="old-price"><span class="price-label">Regular Price:</span><span class="price" id="old-price-1">{good.was_shown}</span></p>'
        f'<p class="special-price"><span class="price-label">Special Price</span><span class="price" id="product-price-1">{good.shown}</span></p>'
        if good.was else f'<span class="regular-price" id="product-price-1"><span class="price">{good.shown}</span></span>'
    )  # fmt: skip
    return (
        _head(good) + _top(good)
        + f'<div class="breadcrumbs"><ul><li><a href="/">Home</a><span>/ </span></li><li><a href="/c">Household</a><span>/ </span></li><li><strong>{escape(good.name)}</strong></li></ul></div>'
        f'<div class="product-view"><div class="product-essential"><div class="product-img-box"><p class="product-image"><img id="image" src="/m/a.jpg" alt="a"></p></div><div class="product-shop"><div class="product-name"><h1>{escape(good.name)}</h1></div>'
        f'<p class="availability {"out-of-stock" if out else "in-stock"}">Availability: <span>{words[2] if out else words[1]}</span></p><div class="price-box">{price}</div>'
        + ("" if out else f'<div class="add-to-cart"><label>Qty:</label><input type="text" name="qty"><button type="button" title="{words[0]}" class="button btn-cart"><span>{words[0]}</span></button></div>')
        + f'</div></div><table class="data-table"><tr><th class="label">{words[4]}</th><td class="data">{good.sku}</td></tr><tr><th class="label">Manufacturer</th><td class="data">{good.brand}</td></tr></table></div>'
        + _related(good).replace("related-products", "box-collateral box-up-sell") + _FOOT
    )  # fmt: skip


def magento2(good: Good) -> str:
    words = _WORDS[good.language]
    out = good.stock == "OutOfStock"
    old = _was(
        good,
        f'<span class="old-price"><span class="price-container"><span class="price-label">Was</span><span data-price-amount="{good.was}" data-price-type="oldPrice" class="price-wrapper"><span class="price">{{}}</span></span></span></span>',
    )
    return (
        _head(good, f'<meta property="og:type" content="product"><meta property="product:price:amount" content="{float(good.price)}"><meta property="product:price:currency" content="{good.currency}">')
        + _top(good)
        + f'<main class="page-main"><div class="product-info-main"><h1 class="page-title"><span class="base" data-ui-id="page-title-wrapper" itemprop="name">{escape(good.name)}</span></h1>'
        f'<div class="product-info-price"><div class="price-box price-final_price"><span class="special-price"><span class="price-container price-final_price" itemprop="offers" itemscope itemtype="http://schema.org/Offer"><span class="price-label">Special Price</span>'
        f'<span data-price-amount="{good.price}" data-price-type="finalPrice" class="price-wrapper"><span class="price">{good.shown}</span></span><meta itemprop="price" content="{good.price}"><meta itemprop="priceCurrency" content="{good.currency}"></span></span>{old}</div>'
        f'<div class="product-info-stock-sku"><div class="stock {"unavailable" if out else "available"}"><span>{words[2] if out else words[1]}</span></div><div class="product attribute sku"><strong class="type">SKU</strong><div class="value" itemprop="sku">{good.sku}</div></div></div></div>'
        + ("" if out else f'<form id="product_addtocart_form"><button type="submit" title="{words[0]}" class="action primary tocart"><span>{words[0]}</span></button></form>')
        + "</div></main>" + _related(good).replace("product-card", "product-item-info item product") + _FOOT
    )  # fmt: skip


def prestashop(good: Good) -> str:
    words = _WORDS[good.language]
    out = good.stock == "OutOfStock"
    data = {"@context": "https://schema.org/", "@type": "Product", "name": good.name, "category": "Maison",
            "image": "https://cdn.example/p.jpg", "sku": good.sku, "brand": {"@type": "Thing", "name": good.brand},
            "offers": {**_offer(good), "offerCount": 1}}  # fmt: skip
    return (
        _head(good, _ld(data)) + _top(good)
        + f'<section id="main"><div class="col-md-6"><div class="images-container"><img class="js-qv-product-cover" src="/p-large_default.jpg" width="800" height="800"></div></div><div class="col-md-6"><h1 class="h1">{escape(good.name)}</h1>'
        f'<div class="product-prices">{_was(good, "<div class=product-discount><span class=regular-price>{}</span></div>")}<div class="product-price h5"><div class="current-price"><span class="current-price-value" content="{good.price}">{good.shown}</span></div></div><div class="tax-shipping-delivery-label">TTC</div></div>'
        f'<div class="product-add-to-cart"><button class="btn btn-primary add-to-cart" type="submit" {"disabled" if out else ""}>{words[0]}</button><span id="product-availability">{"<i>✗</i> " + words[2] if out else ""}</span></div>'
        f'<div class="product-reference"><label class="label">{words[4]} </label><span>{good.sku}</span></div></div></section>' + _related(good).replace("product-card", "product-miniature") + _FOOT
    )  # fmt: skip


def shopware(good: Good) -> str:
    """Microdata on everything, prices in meta tags."""
    words = _WORDS[good.language]
    out = good.stock == "OutOfStock"
    return (
        _head(good) + _top(good)
        + f'<div class="product-detail" itemscope itemtype="https://schema.org/Product"><div class="product-detail-headline"><h1 class="product-detail-name" itemprop="name">{escape(good.name)}</h1></div>'
        f'<meta itemprop="brand" content="{good.brand}"><div class="product-detail-buy" itemprop="offers" itemscope itemtype="https://schema.org/Offer"><meta itemprop="url" content="{good.url}"><meta itemprop="priceCurrency" content="{good.currency}">'
        f'<div class="product-detail-price-container"><meta itemprop="price" content="{good.price}"><p class="product-detail-price">{good.shown}</p>{_was(good, "<span class=list-price-price>{}</span>")}</div><div class="product-detail-tax">inkl. MwSt. zzgl. Versandkosten</div>'
        f'<link itemprop="availability" href="https://schema.org/{good.stock}"><p class="delivery-information">{words[2] if out else words[1]}</p>'
        + ("" if out else f'<button class="btn btn-primary btn-buy">{words[0]}</button>')
        + f'</div><div class="product-detail-ordernumber-container"><span class="product-detail-ordernumber-label">Produktnummer:</span><span class="product-detail-ordernumber" itemprop="sku">{good.sku}</span></div></div>'
        + _related(good) + _FOOT
    )  # fmt: skip


def bigcommerce(good: Good) -> str:
    words = _WORDS[good.language]
    out = good.stock == "OutOfStock"
    return (
        _head(good, f'<meta property="product:price:amount" content="{good.price}"><meta property="product:price:currency" content="{good.currency}"><meta property="og:type" content="product"><meta property="og:availability" content="{"oos" if out else "instock"}">') + _top(good)
        + f'<div itemscope itemtype="http://schema.org/Product"><div class="productView"><section class="productView-details"><h1 class="productView-title" itemprop="name">{escape(good.name)}</h1><h2 class="productView-brand" itemprop="brand" itemscope itemtype="http://schema.org/Brand"><a itemprop="url" href="/b"><span itemprop="name">{good.brand}</span></a></h2>'
        f'<div class="productView-price"><div class="price-section price-section--withoutTax rrp-price--withoutTax" style="display: none;">MSRP: <span class="price price--rrp"></span></div><div class="price-section non-sale-price--withoutTax" {"" if good.was else "style=display:none"}>Was: <span class="price price--non-sale">{good.was_shown}</span></div>'
        f'<div class="price-section price-section--withoutTax" itemprop="offers" itemscope itemtype="http://schema.org/Offer"><span class="price-label"></span><span class="price price--withoutTax">{good.shown}</span><meta itemprop="availability" content="http://schema.org/{good.stock}"><meta itemprop="price" content="{good.price}"><meta itemprop="priceCurrency" content="{good.currency}"></div></div>'
        f'<dl class="productView-info"><dt class="productView-info-name">SKU:</dt><dd class="productView-info-value" data-product-sku itemprop="sku">{good.sku}</dd><dt class="productView-info-name">UPC:</dt><dd itemprop="gtin">{good.gtin}</dd></dl></section>'
        f'<form data-cart-item-add>{"<p>" + words[2] + "</p>" if out else ""}<input id="form-action-addToCart" class="button button--primary" type="submit" value="{words[2] if out else words[0]}" {"disabled" if out else ""}></form></div></div>'
        + _related(good).replace('class="product-card"', 'class="card" itemscope itemtype="http://schema.org/Product"').replace("<h3>", '<h3 itemprop="name">') + _FOOT
    )  # fmt: skip


def squarespace(good: Good) -> str:
    words = _WORDS[good.language]
    out = good.stock == "OutOfStock"
    return (
        _head(good, f'<meta itemprop="price" content="{good.price}"><meta property="product:price:amount" content="{good.price}"><meta property="product:price:currency" content="{good.currency}"><meta property="product:availability" content="{"out of stock" if out else "instock"}">') + _top(good)
        + f'<article class="ProductItem"><section class="ProductItem-details"><h1 class="ProductItem-details-title">{escape(good.name)}</h1><div class="ProductItem-product-price"><div class="product-price">{_was(good, "<span class=original-price>{}</span> ")}{good.shown}</div></div>'
        f'<div class="ProductItem-product-add-to-cart">{"<div class=product-mark>" + words[2] + "</div>" if out else "<div class=sqs-add-to-cart-button role=button>" + words[0] + "</div>"}</div></section></article>' + _related(good) + _FOOT
    )  # fmt: skip


def opencart(good: Good) -> str:
    words = _WORDS[good.language]
    out = good.stock == "OutOfStock"
    price = (
        f'<li><span style="text-decoration: line-through;">{good.was_shown}</span></li><li><h2>{good.shown}</h2></li>'
        if good.was
        else f"<li><h2>{good.shown}</h2></li>"
    )
    return (
        _head(good) + _top(good)
        + f'<div id="content"><h1>{escape(good.name)}</h1><ul class="list-unstyled"><li>Brand: <a href="/b">{good.brand}</a></li><li>Product Code: {good.sku}</li><li>Reward Points: 400</li><li>Availability: {words[2] if out else words[1]}</li></ul>'
        f'<ul class="list-unstyled">{price}<li>Ex Tax: {_other_price(good, 7)}</li></ul><div id="product"><label>Qty</label><input type="text" name="quantity" value="1"><button type="button" id="button-cart" class="btn btn-primary btn-lg">{words[0]}</button></div></div>'
        + _related(good) + _FOOT
    )  # fmt: skip


def tables_of_2003(good: Good) -> str:
    words = _WORDS[good.language]
    out = good.stock == "OutOfStock"
    note = words[2] if out else words[1]
    return (
        _head(good) + '<body><table width="100%"><tr><td><a href="/">Home</a> | <a href="/cart.asp">Cart: 0 items</a></td></tr></table>'
        f'<table><tr><td><img src="pan.gif" width="320" height="240"></td><td><font size="4"><b>{escape(good.name)}</b></font><br>Item #: {good.sku}<br><br>'
        f'{_was(good, "<strike>{}</strike><br>")}<font color="red" size="5"><b>{good.shown}</b></font><br>{note}<br>'
        + ("" if out else f'<form action="addcart.asp"><input type="submit" value="{words[0]}"></form>')
        + f'</td></tr></table><hr><p>See also: <a href="b.html">Tin cup</a> {_other_price(good, 3)}, <a href="c.html">Spoon</a> {_other_price(good, 5)}</p></body></html>'
    )  # fmt: skip


def split_price(good: Good) -> str:
    """Currency, whole and cents in elements of their own; a price to pay in a month beside it."""
    words = _WORDS[good.language]
    out = good.stock == "OutOfStock"
    tag = f'<span class="pdp-price__now">{good.shown}</span>'
    if good.shown.startswith("$"):
        whole, _, cents = good.shown[1:].partition(".")
        tag = f'<span class="pdp-price__now"><span>$</span><span>{whole}</span><sup>{cents}</sup></span>'
    return (
        _head(good) + _top(good)
        + f'<main><div class="pdp"><h1 class="pdp-title">{escape(good.name)}</h1><p>Model: {good.sku[::-1]}</p><p>Item #: {good.sku}</p><div class="pdp-buy">{tag}{_was(good, "<span class=pdp-price__was>Was {}</span>")}'
        f'<p class="financing">or 4 payments of {_other_price(good, 6)} with PayLater</p>'
        f'<button class="btn-atc" {"disabled" if out else ""}>{words[2] if out else words[0]}</button></div></div></main>' + _related(good) + _FOOT
    )  # fmt: skip


def wrong_cents(good: Good) -> str:
    """Machines are told cents; the page is right."""
    data = {"@context": "https://schema.org", "@type": "Product", "name": good.name, "sku": good.sku,
            "offers": _offer(good, int(float(good.price) * 100) if good.currency != "JPY" else good.price)}  # fmt: skip
    return magento1(good).replace("</head>", _ld(data) + "</head>")


def wrong_regular(good: Good) -> str:
    """Machines are told the price before the sale."""
    data = {"@context": "https://schema.org", "@type": "Product", "name": good.name, "sku": good.sku,
            "offers": _offer(good, good.was or good.price)}  # fmt: skip
    return magento1(good).replace("</head>", _ld(data) + "</head>")


def broken_json(good: Good) -> str:
    text = json.dumps({"@context": "https://schema.org", "@type": "Product", "name": good.name, "sku": good.sku,
                       "description": "two\nlines", "offers": _offer(good)}, ensure_ascii=False).replace("\\n", "\n")  # fmt: skip
    broken = f'<script type="application/ld+json">\n<!--\n{text[:-1]},}}\n-->\n</script>'
    return split_price(good).replace("</head>", broken + "</head>")


def variants(good: Good) -> str:
    """A product group; sizes that are sold out are no sold-out product."""
    words = _WORDS[good.language]
    out = good.stock == "OutOfStock"
    data = {"@context": "https://schema.org", "@type": "ProductGroup", "name": good.name, "productGroupID": "g1", "brand": {"name": good.brand},
            "hasVariant": [{"@type": "Product", "sku": good.sku if n == 0 else f"{good.sku}-{n}", "size": str(n),
                            "offers": {**_offer(good), "availability": f"https://schema.org/{'OutOfStock' if n or out else 'InStock'}"}} for n in range(3)]}  # fmt: skip
    return (
        _head(good, _ld(data)) + _top(good)
        + f'<main class="product-page"><h1>{escape(good.name)}</h1><div class="product-price">{_was(good, "<del>{}</del> ")}<span>{good.shown}</span></div>'
        f'<ul class="sizes"><li class="size">S</li><li class="size sold-out">M – {words[2]}</li><li class="size sold-out">L – {words[2]}</li></ul>'
        f'<button type="submit" class="add-to-cart" {"disabled" if out else ""}>{words[2] if out else words[0]}</button><p class="sku">SKU: {good.sku}</p></main>' + _related(good) + _FOOT
    )  # fmt: skip


def related_first(good: Good) -> str:
    """Machines are told of other products too, and before the page's own."""
    other = [{"@type": "Product", "name": f"Other {n}", "sku": f"O-{n}", "url": f"/products/{n}",
              "offers": {**_offer(good, "7.77"), "url": f"/products/{n}"}} for n in range(3)]  # fmt: skip
    own = {
        "@type": "Product",
        "name": good.name,
        "sku": good.sku,
        "url": good.url,
        "offers": _offer(good),
    }
    return woocommerce(good).replace(
        "</head>", _ld(other) + _ld({"@context": "https://schema.org", **own}) + "</head>"
    )


def hashed_classes(good: Good) -> str:
    """Built by a framework: class names say nothing, nothing is told to machines."""
    words = _WORDS[good.language]
    out = good.stock == "OutOfStock"
    return (
        _head(good) + '<body><div id="__next"><div class="css-1k2"><a href="/">Shop</a></div><main class="css-9xz">'
        f'<div class="css-77a"><img src="/_next/image?url=a.jpg" width="640"></div><div class="css-3ff"><h1 class="css-aa1">{escape(good.name)}</h1><div class="css-0aa"><span class="css-b1">{good.shown}</span>{_was(good, "<s class=css-b2>{}</s>")}</div>'
        f'<p class="css-zz">{words[2] if out else words[1]}</p><button class="css-k1" {"disabled" if out else ""}>{words[0]}</button><div class="css-q"><p>{words[4]}: {good.sku}</p></div></div></main>'
        f'<section class="css-rr"><h2>{words[3]}</h2>' + "".join(f'<a class="css-c" href="/p/{n}"><span>Other {n}</span><span>{_other_price(good, n)}</span></a>' for n in range(1, 6))
        + "</section></div></body></html>"
    )  # fmt: skip


def rdfa_shop(good: Good) -> str:
    words = _WORDS[good.language]
    out = good.stock == "OutOfStock"
    return (
        _head(good) + _top(good)
        + f'<div vocab="https://schema.org/" typeof="Product"><h1 property="name">{escape(good.name)}</h1><span property="brand" typeof="Brand"><span property="name">{good.brand}</span></span><div property="offers" typeof="Offer"><span property="price" content="{good.price}">{good.shown}</span><meta property="priceCurrency" content="{good.currency}">'
        f'<link property="availability" href="https://schema.org/{good.stock}"></div>{words[4]}: <b property="sku">{good.sku}</b> <a class="btn" href="/cart?add=1">{words[2] if out else words[0]}</a></div>' + _related(good) + _FOOT
    )  # fmt: skip


def book_club(good: Good) -> str:
    """Aggregate offers, members' prices, and the price among sentences."""
    words = _WORDS[good.language]
    out = good.stock == "OutOfStock"
    data = {"@context": "https://schema.org", "@type": ["Product", "Book"], "name": good.name, "sku": good.sku,
            "offers": {"@type": "AggregateOffer", "lowPrice": good.price, "highPrice": good.was or good.price, "priceCurrency": good.currency,
                       "offerCount": 2, "availability": good.stock}}  # fmt: skip
    return (
        _head(good, _ld(data)) + _top(good)
        + f'<main><h1>{escape(good.name)}</h1><p class="intro">Readers loved it. Shipping from {_other_price(good, 5)} within two days.</p><p class="price-line">from <b>{good.shown}</b></p>'
        f'{"<p>" + words[2] + "</p>" if out else "<button>" + words[0] + "</button>"}</main>' + _related(good) + _FOOT
    )  # fmt: skip


STYLES: tuple[Callable[[Good], str], ...] = (
    shopify_dawn, woocommerce, magento1, magento2, prestashop, shopware, bigcommerce, squarespace, opencart,
    tables_of_2003, split_price, wrong_cents, wrong_regular, broken_json, variants, related_first,
    hashed_classes, rdfa_shop, book_club,
)  # fmt: skip
_NO_SKU = ("squarespace",)
_NO_REGULAR = ("book_club", "rdfa_shop")


def shops() -> Iterator[Shop]:
    """Every style with every product: some three hundred pages."""
    for style in STYLES:
        for good in _GOODS:
            truth = replace(good, sku="") if style.__name__ in _NO_SKU else good
            if style.__name__ in _NO_REGULAR:
                truth = replace(truth, was="", was_shown="")
            yield Shop(style.__name__, truth, style(good))
