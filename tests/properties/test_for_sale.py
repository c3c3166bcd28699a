"""Whatever the page: what is compiled suspects what Python suspects."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tenax.page import for_sale
from tests.either_way import compiled, in_python, required

pytestmark = pytest.mark.skipif(not required(), reason="tenax.page._native was not built")

PIECES = (
    b"rice", b"price", b'"Price"', b"' :", b"<b class=", b"<b ", b">", b"<", b"=", b'"', b"-x",
    b"product:p", b"og:p", b'itemprop="p', b"itemprop=p", b"Product", b'"Product"',
    b'"ProductGroup"',
    b"schema.org/", b"Individual", b"<meta property=og:type content=", b"content = '", b"product",
    b"og:product", b"og:type", b"<script>", b"</script>", b"<STYLE>", b"</Style>", b"<style",
    b"</scr",
    b"add to cart", b"Buy Now", "\u0412 \u043a\u043e\u0440\u0437\u0438\u043d".encode(), b" " * 301,
    b"x" * 41, b"\x00\xff", b"\n", b"<input ", b"<Button value='", b"sold out", b"cart-button",
    b"ld+json", b"<script type=application/LD+json>", b".item", b" " * 1990, b"\xc3\xa9" * 50, b"/",
)  # fmt: skip


@settings(max_examples=400)
@given(st.lists(st.sampled_from(PIECES), max_size=25).map(b"".join))
@example(b"<script>add to cart")
@example(b"<script></script add to cart")
@example(b"<style></styleadd to cart")
@example(b"<sadd to cart")
@example(b"<" + b" " * 299 + b"=rice")
@example(b"<" + b" " * 298 + b"=rice")
@example(b"<p class=price>" + b"<b add to cart" * 501)
@example(b"<p class=price>" + b"<b add to cart" * 500)
@example(b"<p class=price><b" + b" " * 1997 + b"xadd to cart<b" + b" " * 1998 + b"add to cart")
@example(b"<p class=price><b" + b" " * 1999 + b"add to cart")
@example(b"<p class=price><b" + b" " * 1998 + b"Buy now <b <i>>sold out")
@example(b"<p class=price>>" + b" " * 1998 + b"x add to cart" + b" " * 1989 + b"x")
@example(b"<input" + b" " * 1994 + b"add to cart")
@example(b"<input" + b" " * 1995 + b"add to cart")
@example(b"<p class=price>" + b"<b>add to cart</b>" * 24)
@example(b"<p class=price>" + b"<b>add to cart</b>" * 23 + b"<i>add to cartadd to cart</i>")
@example(b"<p class=price>" + b"<b>sold out</b>" * 24)
@example(b"<p class=price>" + b"<b>Buy now</b>" * 24 + b"<b add to cart" * 500)
@example(b"x" * 61 + b"rice" + b"x" * 62 + b"<b class=price")
@example(b"r" * 64 + b"ice" + b"Product" * 20)
@example(b'rice" ' * 501 + b"itemprop=price")
def test_what_is_compiled_says_what_python_says(body: bytes) -> None:
    said = []
    for way in (compiled, in_python):
        with way():
            said.append((
                for_sale._priced(body), for_sale._told_by(body), for_sale._is_offered(body),
                for_sale.may_be_product(body),
            ))  # fmt: skip
    assert said[0] == said[1]
