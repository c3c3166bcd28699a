"""Whatever the page: the compiled walk over it sees what Python's sees."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tenax.page.html import parse
from tenax.page.product import scripts
from tenax.page.product.outline import AWAY_FROM_IT, _holders, _inherited, _pieces, _walk
from tests.either_way import compiled, in_python, required

PIECES = (
    "<div class='price old'>", "</div>", "<p id=product-info>", "<b hidden>", "<span hidden>",
    "<span style='display: none'>", "<i style=line-through>",
    "<s>", "</s>", "<svg class=brand><g>", "</g></svg>", "<script>var x</script>",
    "<style>", "</style>",
    "<noscript>", "</noscript>", "<h1>", "</h1>", "<h2 class=related>", "</h2>", "<img>", "<input>",
    "<button data-hook=add-to-cart>", "</button>", "<!-- c -->", " ", "\n\n", "5 \u20ac",
    "a  b", "c\td", "7", "\u0663\u00b2",
    "<div class='", "' id='", "'>", " Product-Item ", "product-item-info", "REVIEW", "preview",
    "old", "was_price", "-now", "sold-out", "badge", "gallery", "related", "option", "\x1c",
    "Preço",
    "a" * 299, "main", "_", "product-card", "\u212a",
    "\u3000", "<option>", "<nav>", "</nav>", "<body class=price>", "<table><tr>", "x" * 500,
    "<template shadowrootmode=open>", "</template>", "<slot>",
)  # fmt: skip


@pytest.mark.skipif(not required(), reason="tenax.page._native was not built")
@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
@example("<span hidden>x<h1>y")
@example("<p class='gallery related'>x<p class='stock shipping-badge'>y<p class='price option'>z")
@example("<p class='product-page product-card'>x<p id='" + "a" * 95 + "price'>y")
@example("<p class='\n\n'>x<p class=' old\tprice '>y<p style='DISPLAY : NONE'>z")
@example("<b>" * 300 + "x</b>y")
@example("<b>" * 300 + "<div>x" + "</b>" * 300 + "y<p>z")
@example("<b><template shadowrootmode=open><p class=price>x<slot>y</slot></template>z<u>w</b><s>v")
@example("<ul>" * 300 + "<template shadowrootmode=open>x</template>y" + "</ul>" * 299 + "z<p>w")
def test_the_compiled_walk_sees_what_pythons_sees(html: str) -> None:
    tree = parse(html.encode(), "utf-8")
    seen = []
    for way in (compiled, in_python):
        with way():
            nodes = _walk(tree)
            headings = [number for _, number, tag in nodes.noted if tag == "h1"]
            zones = _inherited(nodes, _holders(nodes, headings[0]) if headings else [])
            pieces = _pieces(nodes, zones)
            own = [_pieces(nodes, zones, end, AWAY_FROM_IT) for end in (0, 5, 1 << 60)]
            seen.append((nodes, zones, _inherited(nodes, []), pieces, own))
    assert seen[0] == seen[1]


@pytest.mark.skipif(not required(), reason="tenax.page._native was not built")
def test_classes_that_share_a_place_are_told_apart() -> None:
    classes = [f"{name}-{number}" for number in range(1000, 4000) for name in ("plain", "price")]
    tree = parse("".join(f"<p class={each}>" for each in classes).encode(), "utf-8")
    with compiled():
        seen = _walk(tree)
    assert len(seen.elements) > len(classes)
    with in_python():
        assert seen == _walk(tree)


KEYS = (
    '"price"', "'Sale_Price'", '"unitprice"', ' "price_value"', ":", " : ", '"12.50"', "5",
    ",", "}", "{",
    '"sku"', '"product_code"', "'item_number'", '"AB-1"', '"amount"', "price", '"', "'",
    "\u0130", "\u0131", "'\u017f\u212au'", "\ud800", "\U0001f600",
    '"products":[{"id":"A-1"', "item_id", "content_ids", "[", '"isAvailable"', '"inStock"',
    "true", "false",
    '"ViewContent", {value: 5}', '"availability"', '"InStock"', '"currency"', '"EUR"',
)  # fmt: skip
PATTERNS: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = (
    (scripts._PRICE, ("price",)),
    (scripts._SKU, scripts._SKU_STEMS),
    (scripts._STOCK, scripts._STOCK_STEMS),
    (scripts._HAD, scripts._HAD_STEMS),
    (scripts._CURRENCY, ("currency",)),
    (scripts._COUNTED, ("item_id", "content_ids", "products")),
    (scripts._VIEWED, ("viewcontent",)),
)


@given(st.lists(st.sampled_from(KEYS), max_size=30).map("".join))
@example('"current_price":{"value":"5"}}')
@example("'availability_status' : 'In stock'")
@example('"available_for_sale":true "is_saleable":"false"')
def test_a_key_is_found_wherever_a_pattern_would_find_it(text: str) -> None:
    script = scripts._ScriptText(text)
    for pattern, stems in PATTERNS:
        found = [match.span() for match in script.found(pattern, *stems)]
        assert found == [match.span() for match in pattern.finditer(text)]
