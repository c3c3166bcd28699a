"""Which pages are suspected of a product?"""

from __future__ import annotations

import pytest

from tenax.page.for_sale import may_be_product

pytestmark = pytest.mark.usefixtures("either_way")

PRICED = b'<p class="price">5</p>'


@pytest.mark.parametrize(
    "offer",
    [
        b"<button>ADD TO CART</button>",
        b"<a href=/x>Sold out</a>",
        b"<input type=image name=add_to-cart>",
        "<button>Купить</button>".encode(),
        "<button>KÖP NU</button>".encode(),
        b"<script>x</script><p>in stock</p>",
    ],
)
def test_a_price_and_a_way_to_buy_are_enough(offer: bytes) -> None:
    assert may_be_product(PRICED + offer)
    assert not may_be_product(b"<p>5</p>" + offer)


@pytest.mark.parametrize(
    "said",
    [
        b"<a href=/cart>Your cart</a>",
        b"<script>t = 'add to cart'</script>",
        b"<SCRIPT>t = '<b>add to cart</b>'",
        b"<style>.add-to-cart {}</style>",
        b"<p>add to <b>cart</b></p>",
        b'<script>{"type": "product"}</script>',
    ],
)
def test_what_nobody_is_shown_to_buy_by_is_not(said: bytes) -> None:
    assert not may_be_product(PRICED + said)


@pytest.mark.parametrize(
    ("meta", "is_told"),
    [
        (b"<meta property=og:type content=product>", True),
        (b"<meta content='product.group' property='og:type'>", True),
        (b'<meta property="og:type" content = " og:product">', True),
        (b'<meta property="og:type" content="article">', False),
        (b'<meta property="og:type"><meta content="product">', False),
        (b'<meta content="product"><meta property="og:type">', False),
    ],
)
def test_open_graph_is_believed_where_the_markup_says_price(meta: bytes, is_told: bool) -> None:
    assert may_be_product(PRICED + meta) is is_told
    assert not may_be_product(meta + b"<p>a fair price")


def test_words_are_known_in_every_charset() -> None:
    shop = PRICED.decode() + "<button>Купить</button>"
    assert may_be_product(shop.encode("windows-1251"), "windows-1251")
    assert not may_be_product(shop.encode("windows-1251"), "windows-1252")
