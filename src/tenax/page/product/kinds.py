"""Is this one product's page, and of which; a list of many; or something to read?"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

from turbohtml import Element

from tenax.page.jsonld import Node, nodes, types_of
from tenax.page.product.outline import ProductOutline, TextPiece
from tenax.page.product.prices import find_money, same
from tenax.page.product.schema import GTINS, NAME, About, each_of, prices_of, text_of
from tenax.page.product.zones import Zone

_PRODUCTS: Final = frozenset({
    "Product", "ProductGroup", "IndividualProduct", "ProductModel", "SomeProducts", "Vehicle",
    "Car", "Book", "DietarySupplement", "Drug",
})  # fmt: skip
_OTHERS: Final = frozenset({
    "isRelatedTo", "isSimilarTo", "isAccessoryOrSparePartFor", "isConsumableFor", "itemReviewed",
    "itemListElement", "hasVariant", "isVariantOf", "addOn", "mentions", "recommends",
})  # fmt: skip
_NO_GOODS: Final = frozenset({
    "Article", "NewsArticle", "ReportageNewsArticle", "BlogPosting", "LiveBlogPosting", "Recipe",
    "ReviewNewsArticle", "OpinionNewsArticle", "AnalysisNewsArticle", "TechArticle",
    "ScholarlyArticle", "HowTo", "QAPage", "DiscussionForumPosting", "JobPosting", "Event",
    "MusicEvent", "SportsEvent", "TheaterEvent", "Restaurant", "Hotel", "RealEstateListing",
})  # fmt: skip
"""What is read, visited or applied for, and not put into a basket."""
_LISTS: Final = frozenset({"CollectionPage", "SearchResultsPage"})
_OF_THE_PAGE: Final = frozenset({"@graph", "mainEntity", "mainEntityOfPage", "hasPart"})
"""Where what a page says of itself stands."""
_ENTRY: Final = 0.75
"""How sure it is that a page is about what stands in a list or a review there."""
_OFFERED: Final = 0.95
RANGED: Final = 0.75
"""Without a number and from so much to so much: lists are marked up so, too."""
_NUMBERED: Final = 0.55
_NAMED: Final = 0.3
_WORD = re.compile(r"\w{3,}")
_SEVERAL: Final = 4
"""Entries that make a list, or products none of which the page is called by."""
_ENTRIES: Final = 3
"""Entries with a price and a place of their own that make a list where no other price is."""
_MOST_PRICES: Final = 200
_HIGHEST: Final = 8
"""Elements from a price up to what holds the entry that it is of."""
_MONEY_TEXT: Final = 40


def sells_nothing(values: list[Any]) -> bool:
    """Whether a page says of itself that it is about nothing that is bought."""
    return any(not _NO_GOODS.isdisjoint(types_of(node)) for node in _own(values))


def is_called_a_list(values: list[Any]) -> bool:
    """Whether a page says of itself that it lists things."""
    for node in _own(values):
        kinds = types_of(node)
        if not _LISTS.isdisjoint(kinds):
            return True
        if "ItemList" in kinds and len(list(_entries(node))) >= _SEVERAL:
            return True
    return False


def _entries(node: Node) -> Iterator[Node]:
    """The things that a list lists; a menu's entries are none."""
    for entry in each_of(node.get("itemListElement")):
        if isinstance(entry, dict):
            inner = entry.get("item")
            kinds = [*types_of(entry), *(types_of(inner) if isinstance(inner, dict) else ())]
            if "SiteNavigationElement" not in kinds:
                yield entry


def _own(values: list[Any]) -> Iterator[dict[str, Any]]:
    return (node for node, path in nodes(values) if _OF_THE_PAGE.issuperset(path))


def shows_a_list(page: ProductOutline, url: str, price: str) -> bool:
    """Whether prices stand in entries of one form that each lead elsewhere, and no other does:
    `price`, which was taken for the product's, would be one entry's."""
    holders = set(islice(page.heading_element.ancestors, _HIGHEST * 8))
    own: set[tuple[str, ...]] = set()
    for piece in _texts(page, price.partition(".")[0][-3:]) if price else ():
        if any(same(money.amount, price) for money in find_money(piece.text)):
            form, _ = _entry(piece.element, holders, url)
            if not form:
                return False
            own.add(form)
    if price and not own:
        return False
    forms: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
    for piece in islice(_prices(page), _MOST_PRICES):
        form, target = _entry(piece.element, holders, url)
        forms[form].add(target)
    lists = {form for form, targets in forms.items() if form and len(targets) >= _ENTRIES}
    return bool(lists) and own <= lists


def _prices(page: ProductOutline) -> Iterator[TextPiece]:
    return (
        piece
        for piece in _texts(page)
        if piece.zone & Zone.FIGURES and (piece.zone & Zone.PRICE or find_money(piece.text))
    )


def _texts(page: ProductOutline, digits: str = "") -> Iterator[TextPiece]:
    """What is short enough to be a price tag and has these digits."""
    return (
        piece
        for piece in page.pieces
        if digits in piece.text and len(piece.text) <= _MONEY_TEXT and not piece.zone & Zone.FRAME
    )


def _entry(element: Element, holders: set[Any], url: str) -> tuple[tuple[str, ...], str]:
    """The form of the entry that a price stands in, and where it leads; nothing without one."""
    form: list[str] = []
    for each in (element, *islice(element.ancestors, _HIGHEST)):
        if not isinstance(each, Element) or each in holders:
            break
        form.append(f"{each.tag}.{(each.attr('class') or '').partition(' ')[0]}")
        link = each if each.tag == "a" else each.find("a")
        if link is not None and (target := _elsewhere(link.attr("href"), url)):
            return tuple(form), target
    return (), ""


def _elsewhere(target: str | None, url: str) -> str:
    """Where a link leads, unless it is this page."""
    if not target or target.startswith(("#", "javascript:", "tel:", "mailto:")):
        return ""
    try:
        there, here = urlsplit(urljoin(url, target)), urlsplit(url)
    except ValueError:
        return ""
    path = there.path.rstrip("/")
    return f"{path}?{there.query}" if path and path != here.path.rstrip("/") else ""


def main_product(values: list[Any], about: About) -> tuple[Node | None, float]:
    """The node of the product the page is about, and how sure it is that it is about that one."""
    best: Node | None = None
    best_points, is_best_other, peers, offered = 0.0, False, 0, 0
    for place, (node, path) in enumerate(nodes(values)):
        if _PRODUCTS.isdisjoint(types_of(node)) or "isPartOf" in path:
            # What an article is part of is the newspaper that one subscribes to.
            continue
        is_other = not _OTHERS.isdisjoint(path)
        peers += not is_other and "itemOffered" not in path
        offered += not is_other
        points = _likeness(node, about) - 3 * is_other - place / 1000 + 10
        if points > best_points:
            best, best_points, is_best_other = node, points, is_other
    if best is None:
        return None, 0.0
    if is_best_other:
        # An entry of a list, or what is recommended, unless it is what the page is called.
        return (best, _ENTRY) if _is_meant(best, about, exactly=True) else (None, 0.0)
    if (peers or offered) > 1 and not _is_meant(best, about, exactly=False):
        return (best, 0.3) if (peers or offered) < _SEVERAL else (None, 0.0)
    if (peers or offered) == 1 and _is_foreign(best, about):
        return best, 0.5
    return best, 0.9 if (peers or offered) > 1 else 1.0


def names_product(values: list[Any]) -> bool:
    """Whether there is a product among these nodes, whichever the page is about."""
    return any(
        not _PRODUCTS.isdisjoint(types_of(node)) and "isPartOf" not in path
        for node, path in nodes(values)
    )


def how_offered(node: Node) -> float:
    """How sure it is that a page that is about this product sells it."""
    has_code = any(text_of(node.get(name), 100) for name in ("sku", "mpn", *GTINS))
    if "offers" not in node and "hasVariant" not in node and not prices_of(node):
        return _NUMBERED if has_code else _NAMED
    offers = [each for each in each_of(node.get("offers")) if isinstance(each, dict)]
    is_range = bool(offers) and all("AggregateOffer" in types_of(offer) for offer in offers)
    return RANGED if is_range and not has_code else _OFFERED


def _is_meant(node: Node, about: About, *, exactly: bool) -> bool:
    """Whether the page's heading, its URL or its title names this product."""
    name, heading = text_of(node.get("name"), NAME).lower(), about.heading.lower()
    url = text_of(node.get("url"), 2_000)
    if url and _path(url) and _path(url) == _path(about.url):
        return True
    if name and heading and (name == heading if exactly else name in heading or heading in name):
        return True
    return bool(name) and not exactly and about.title.lower().startswith(name)


def _is_foreign(node: Node, about: About) -> bool:
    """Whether it has a page of its own elsewhere, and nothing in its name that this page says."""
    url = _path(text_of(node.get("url"), 2_000))
    if not url or url.rpartition("/")[2] == _path(about.url).rpartition("/")[2]:
        return False
    words = _WORD.findall(text_of(node.get("name"), NAME).lower())
    said = f"{about.heading} {about.title}".lower()
    return bool(words) and not any(word in said for word in words)


def _likeness(node: Node, about: About) -> float:
    name = text_of(node.get("name"), NAME).lower()
    points = 2.0 * ("offers" in node or "hasVariant" in node)
    if name and about.heading:
        if name == about.heading.lower():
            points += 4
        elif name in about.heading.lower() or about.heading.lower() in name:
            points += 3
    if name and name in about.title.lower():
        points += 1
    url = text_of(node.get("url"), 2_000)
    if url and _path(url) == _path(about.url):
        points += 2
    return points


def _path(url: str) -> str:
    return re.sub(r"^https?://[^/]*|[?#].*$", "", url).rstrip("/")
