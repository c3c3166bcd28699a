"""Which pages are suspected of a product?"""

from __future__ import annotations

import pytest

from tenax.page import for_sale
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
        "<button>До кошика</button>".encode(),
        b"<a>Lisa korvi</a>",
        "<button>เพิ่มลงตะกร้า</button>".encode(),
        "<button>ΠΡΟΣΘΗΚΗ ΣΤΟ ΚΑΛΑΘΙ</button>".encode(),
        "<button>Į krepšelį</button>".encode(),
        "<button>افزودن به سبد خرید</button>".encode(),
        b"<button>Tambah ke keranjang</button>",
        "<p>Нет в наличии</p>".encode(),
        b"<script>x</script><p>back in stock soon</p>",
        b"<input value='Buy now' type=submit>",
        b"<button class='btn big' aria-label='Add to bag'><i></i></button>",
        b"<a>\n" + b" " * 500 + b"Add to cart\n" + b" " * 500 + b"</a>",
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
        # Whatever is no button, its name says nothing; and sentences are on none.
        b"<a href=/cart data-js=cart-button>Your cart</a>",
        b"<div aria-label='Add to cart'><i class=add-to-cart></i></div>",
        b"<p>Whoever wishes to add to cart what others have seen before may have to wait for it.",
        b"<p>in stock and ready to ship",
        b"<!-- add to cart -->",
        b"<p>" + b"x" * 121 + b" sold out",
        b'<script>x = {"@type": "Product"}</script>',
    ],
)
def test_what_nobody_is_shown_to_buy_by_is_not(said: bytes) -> None:
    assert not may_be_product(PRICED + said)


def test_dozens_of_buttons_that_say_the_same_are_of_a_list() -> None:
    button = b"<li><a href=/x>Add to cart</a></li>"
    assert may_be_product(PRICED + button * 23)
    assert not may_be_product(PRICED + button * 24)
    # Unless machines are told of a product, which may have so many others beside it.
    assert may_be_product(PRICED + button * 24 + b"<div itemtype=http://schema.org/Product>")
    # Sizes that are gone are no list, and what stands in sentences is on no button.
    assert may_be_product(PRICED + b"<option>sold out</option>" * 24)
    sentence = b"<p>Whoever wishes to add to cart what others have seen may wait for it.</p>"
    assert may_be_product(PRICED + button + sentence * 24)


@pytest.mark.parametrize(
    ("meta", "is_told"),
    [
        (b"<meta property=og:type content=product>", True),
        (b"<meta content='product.item' property='og:type'>", True),
        # Lists of products.
        (b"<meta content='product.group' property='og:type'>", False),
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


@pytest.mark.parametrize(
    ("said", "is_told"),
    [
        (b'<script type="application/ld+json">{"@type": "Product"}</script>', True),
        (b'<SCRIPT type=application/LD+JSON>"ProductGroup"', True),
        (b'<!-- <script> --><script type=application/ld+json>"Product"</script>', True),
        (b"<div itemscope itemtype=https://schema.org/Product>", True),
        (b'<script>{"@type": "Product"}</script><script type=application/ld+json>{}', False),
        (b'<style>"Product"</style>', False),
    ],
)
def test_products_are_named_in_markup_and_in_json_ld(said: bytes, is_told: bool) -> None:
    assert may_be_product(said + b"<p>a fair price") is is_told


def test_whoever_speaks_of_buying_all_the_time_is_suspected() -> None:
    sentence = b"<p>" + b"to add to cart what others have seen before is " * 2
    assert not may_be_product(PRICED + sentence * 250)
    assert may_be_product(PRICED + sentence * 251)


def test_what_tags_say_that_are_no_buttons_is_not_looked_at() -> None:
    assert not may_be_product(PRICED + b"<a class='add-to-cart' title='add to cart'>" * 501)
    assert may_be_product(PRICED + b"<a title='add to cart'>" * 501 + b"<button name=add-to-cart>")
    # A tag that is closed in a quoted value is none from there on.
    assert may_be_product(PRICED + b"<a title='>add to cart'>")


def test_no_phrase_goes_on_in_the_next_tag() -> None:
    assert not [word for word in for_sale._OFFERS.words if b"<" in word or b">" in word]
