"""How does a page tell machines about its product? In the ways shops do, or not at all."""

from __future__ import annotations

import json
from html import escape
from typing import Any

from msgspec.structs import replace

from tenax.demo.catalogue import BY_TAG, Review, display
from tenax.demo.truth import TrueProduct

_SCHEMA = "https://schema.org"
_OPEN_GRAPH_STOCK = {"InStock": "instock", "OutOfStock": "oos", "PreOrder": "preorder"}


def head(product: TrueProduct, crumbs: list[tuple[str, str]]) -> str:
    """What goes into <head> for this product's kind of markup."""
    match product.markup:
        case "json-ld":
            return _script({"@context": _SCHEMA, **_product(product)}) + _script(_crumbs(crumbs))
        case "json-ld-graph":
            graph = [{"@type": "WebPage", "url": product.url}, _product(product), _crumbs(crumbs)]
            return _script({"@context": _SCHEMA, "@graph": graph})
        case "json-ld-wrong":
            cents = product.price.replace(".", "") if "." in product.price else f"{product.price}00"
            return _script({"@context": _SCHEMA, **_product(replace(product, price=cents))})
        case "open-graph":
            return _open_graph(product)
        case _:
            return ""


def body(product: TrueProduct, reviews: list[Review]) -> str:
    """The product as people read it, with microdata or RDFa woven in where that is its kind."""
    mark = {"microdata": _microdata, "rdfa": _rdfa}.get(product.markup, _plain)
    images = " ".join(
        f'<img{mark("image")} src="{url}" alt="{escape(product.name)}, view {view}" '
        f'width="{480 if view == 1 else 96}" height="{480 if view == 1 else 96}">'
        for view, url in enumerate(product.images, 1)
    )
    return (
        f"<article{_scope(product, 'Product')}>\n<h1{mark('name')}>{escape(product.name)}</h1>\n"
        f'<p class="gallery">{images}</p>\n{_offer(product, mark)}'
        f"<p{mark('description')}>{escape(product.description)}</p>\n{_facts(product, mark)}"
        f"{_rating(product, mark)}{_opinions(reviews)}</article>"
    )


def _offer(product: TrueProduct, mark: Any) -> str:
    locale = BY_TAG[product.locale]
    machine = {
        "microdata": f'<meta itemprop="priceCurrency" content="{product.currency}">'
        f'<link itemprop="availability" href="{_SCHEMA}/{product.availability}">',
        "rdfa": f'<meta property="priceCurrency" content="{product.currency}">'
        f'<link property="availability" href="{_SCHEMA}/{product.availability}">',
    }.get(product.markup, "")
    content = f' content="{product.price}"' if machine else ""
    was = f"<del>{display(product.was, locale)}</del> " if product.was else ""
    words = {"InStock": "In stock", "OutOfStock": "Sold out", "PreOrder": "Available to pre-order"}
    return (
        f'<p{mark("offers")}{_scope(product, "Offer")} class="price">{was}'
        f"<span{mark('price')}{content}>{display(product.price, locale)}</span>{machine}</p>\n"
        f'<p class="stock">{words[product.availability]}</p>\n'
    )


def _facts(product: TrueProduct, mark: Any) -> str:
    rows = (
        ("Brand", f"<span{mark('brand')}>{escape(product.brand)}</span>"),
        ("Category", f"<span{mark('category')}>{escape(product.category)}</span>"),
        ("Article number", f"<span{mark('sku')}>{product.sku}</span>"),
        ("EAN", f"<span{mark('gtin13')}>{product.gtin}</span>"),
    )
    cells = "".join(f"<tr><th>{label}</th><td>{value}</td></tr>" for label, value in rows)
    return f"<table>{cells}</table>\n"


def _rating(product: TrueProduct, mark: Any) -> str:
    if product.rating is None:
        return ""
    return (
        f"<p{mark('aggregateRating')}{_scope(product, 'AggregateRating')}>Rated "
        f"<span{mark('ratingValue')}>{product.rating}</span> of 5 by "
        f"<span{mark('reviewCount')}>{product.reviews}</span> customers</p>\n"
    )


def _opinions(reviews: list[Review]) -> str:
    if not reviews:
        return ""
    items = "".join(
        f"<li>{'★' * each.stars}{'☆' * (5 - each.stars)} {escape(each.text)} "
        f"<em>{each.author}</em></li>"
        for each in reviews
    )
    return f'<section class="reviews"><h2>What customers say</h2><ul>{items}</ul></section>\n'


def _plain(_: str) -> str:
    return ""


def _microdata(name: str) -> str:
    return f' itemprop="{name}"'


def _rdfa(name: str) -> str:
    return f' property="{name}"'


def _scope(product: TrueProduct, kind: str) -> str:
    match product.markup:
        case "microdata":
            return f' itemscope itemtype="{_SCHEMA}/{kind}"'
        case "rdfa":
            vocabulary = f' vocab="{_SCHEMA}/"' if kind == "Product" else ""
            return f'{vocabulary} typeof="{kind}"'
        case _:
            return ""


def _product(product: TrueProduct) -> dict[str, Any]:
    record: dict[str, Any] = {
        "@type": "Product",
        "name": product.name,
        "sku": product.sku,
        "gtin13": product.gtin,
        "description": product.description,
        "image": list(product.images),
        "brand": {"@type": "Brand", "name": product.brand},
        "category": product.category,
        "offers": {
            "@type": "Offer",
            "url": product.url,
            "price": product.price,
            "priceCurrency": product.currency,
            "availability": f"{_SCHEMA}/{product.availability}",
        },
    }
    if product.rating is not None:
        record["aggregateRating"] = {
            "@type": "AggregateRating",
            "ratingValue": product.rating,
            "reviewCount": product.reviews,
        }
    return record


def _crumbs(crumbs: list[tuple[str, str]]) -> dict[str, Any]:
    items = [
        {"@type": "ListItem", "position": place, "name": label, "item": url}
        for place, (url, label) in enumerate(crumbs, 1)
    ]
    return {"@context": _SCHEMA, "@type": "BreadcrumbList", "itemListElement": items}


def _open_graph(product: TrueProduct) -> str:
    pairs = (
        ("og:type", "product"),
        ("og:title", product.name),
        ("og:url", product.url),
        ("og:image", product.images[0]),
        ("og:description", product.description),
        ("product:price:amount", product.price),
        ("product:price:currency", product.currency),
        ("product:availability", _OPEN_GRAPH_STOCK[product.availability]),
        ("product:brand", product.brand),
        ("product:retailer_item_id", product.sku),
    )
    return "".join(f'<meta property="{name}" content="{escape(value)}">\n' for name, value in pairs)


def _script(data: dict[str, Any]) -> str:
    # "</script>" inside a string would end the element, whatever JSON says about it.
    text = json.dumps(data, ensure_ascii=False, indent=1).replace("</", "<\\/")
    return f'<script type="application/ld+json">\n{text}\n</script>\n'
