"""PAGE-1: what a page lists is read with the words that introduce it, and menus are not."""

from __future__ import annotations

import pytest

from tenax.page.reading.announced import announced
from tenax.page.reading.main_content import Markup, main_text

INTRODUCTION = (
    "Our potters make every bowl by hand, and no two of them are the same. "
    "They are glazed with ashes of the orchard, and fired for a day and a night in the old kiln."
)
CARDS = "".join(
    f'<li class="card"><a href="/bowl/{n}">Bowl number {n} with a blue rim</a>'
    f"<span>{n}5.00 EUR, on the shelf</span></li>"
    for n in range(1, 13)
)


def text_of(html: str) -> str:
    return main_text(Markup(html.encode(), "utf-8"))


def listing(cards: str, *, head: str = "") -> str:
    return f"""<html><head><title>Bowls</title>{head}</head><body><div class="x"><div class="c1">
        <div class="c2"><h2>Bowls</h2><p>{INTRODUCTION}</p><p>{INTRODUCTION}</p></div>
        {cards}</div></div></body></html>"""


def test_a_row_of_cards_is_what_a_listing_is_for() -> None:
    text = text_of(listing(f"<ul>{CARDS}</ul>"))
    assert INTRODUCTION in text
    assert "Bowl number 1 with" in text
    assert "Bowl number 12 with" in text


@pytest.mark.parametrize(
    "around",
    [
        "<nav>{}</nav>",
        '<div class="main-menu"><ul>{}</ul></div>',
        '<div class="sidebar-right"><ul>{}</ul></div>',
        "<footer><ul>{}</ul></footer>",
    ],
)
def test_a_row_in_a_menu_is_none(around: str) -> None:
    text = text_of(listing(around.format(CARDS)))
    assert INTRODUCTION in text
    assert "Bowl number 5" not in text


@pytest.mark.parametrize(
    "head",
    [
        '<script type="application/ld+json">{"@type": "Product", "name": "Bowl"}</script>',
        '<meta itemscope itemtype="https://schema.org/Product">',
        '<script type="application/ld+json">{"@type": "NewsArticle"}</script>',
        '<meta property="og:type" content="article">',
    ],
)
def test_what_an_article_or_a_product_stands_beside_is_not_read(head: str) -> None:
    assert "Bowl number 5" not in text_of(listing(f"<ul>{CARDS}</ul>", head=head))


def test_a_row_that_says_less_than_the_text_changes_nothing() -> None:
    few = "".join(f'<li><a href="/{n}">Another bowl, {n}</a></li>' for n in range(5))
    assert "Another bowl" not in text_of(listing(f"<ul>{few}</ul>"))


def test_a_listing_that_is_shared_as_an_article_is_none() -> None:
    shared = b'<meta property="og:type" content="article">'
    listed = b'<script type="application/ld+json">{"@type": "CollectionPage"}</script>'
    assert announced(shared).is_article
    assert not announced(shared + listed).is_article


@pytest.mark.parametrize(
    ("body", "sells"),
    [
        (b'{"@type": "Product"}', True),
        (b'{"@type": "CollectionPage"}{"@type": "Product"}', False),
        (b'{"@type": "Organization"}', False),
    ],
)
def test_who_says_that_it_sells(body: bytes, sells: bool) -> None:
    assert announced(body).is_product is sells
