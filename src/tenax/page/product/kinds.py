"""Is this one product's page, a list of many, or something to read?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

from turbohtml import Element

from tenax.page.jsonld import nodes, types_of
from tenax.page.product.outline import ProductOutline, TextPiece
from tenax.page.product.prices import find_money, same
from tenax.page.product.zones import Zone

_ARTICLES: Final = frozenset({
    "Article", "NewsArticle", "ReportageNewsArticle", "BlogPosting", "LiveBlogPosting", "Recipe",
    "ReviewNewsArticle", "OpinionNewsArticle", "AnalysisNewsArticle",
})  # fmt: skip
_LISTS: Final = frozenset({"CollectionPage", "SearchResultsPage"})
_OF_THE_PAGE: Final = frozenset({"@graph", "mainEntity", "mainEntityOfPage", "hasPart"})
"""Where what a page says of itself stands."""
_SEVERAL: Final = 4
"""Entries that make a list."""
_MOST_PRICES: Final = 200
_HIGHEST: Final = 8
"""Elements from a price up to what holds the entry that it is of."""
_MONEY_TEXT: Final = 40


def is_article(values: list[Any]) -> bool:
    """Whether a page says of itself that it is to be read."""
    return any(not _ARTICLES.isdisjoint(types_of(node)) for node in _own(values))


def is_called_a_list(values: list[Any]) -> bool:
    """Whether a page says of itself that it lists things."""
    for node in _own(values):
        kinds = types_of(node)
        if not _LISTS.isdisjoint(kinds):
            return True
        entries = node.get("itemListElement")
        if "ItemList" in kinds and isinstance(entries, list) and len(entries) >= _SEVERAL:
            return True
    return False


def _own(values: list[Any]) -> Iterator[dict[str, Any]]:
    return (node for node, path in nodes(values) if _OF_THE_PAGE.issuperset(path))


def shows_a_list(page: ProductOutline, url: str, price: str) -> bool:
    """Whether prices stand in entries of one form that each lead elsewhere, and no other does:
    `price`, which was taken for the product's, would be one entry's."""
    forms: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
    priced: list[tuple[str, ...]] = []
    holders = set(islice(page.heading_element.ancestors, _HIGHEST * 8))
    for piece in islice(_prices(page), _MOST_PRICES):
        form, target = _entry(piece.element, holders, url)
        forms[form].add(target)
        if price and any(same(money.amount, price) for money in find_money(piece.text)):
            priced.append(form)
    lists = {form for form, targets in forms.items() if form and len(targets) >= _SEVERAL}
    return bool(lists) and all(form in lists for form in priced) and bool(priced or not price)


def _prices(page: ProductOutline) -> Iterator[TextPiece]:
    return (
        piece
        for piece in page.pieces
        if len(piece.text) <= _MONEY_TEXT
        and not piece.zone & Zone.FRAME
        and any(map(str.isdigit, piece.text))
        and (piece.zone & Zone.PRICE or find_money(piece.text))
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
