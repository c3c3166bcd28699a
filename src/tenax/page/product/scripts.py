"""What do attributes and scripts give away, where a page shows and tells too little?

Meant for the page's own scripts, so it may be about anything: the last to be believed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Final

from turbohtml import Element

from tenax.model import Stock
from tenax.page.for_sale.needles import Needles
from tenax.page.html import Tree
from tenax.page.product.claims import ProductClaims
from tenax.page.product.labels import numbers_of
from tenax.page.product.prices import is_currency, machine_amount, settled
from tenax.page.product.schema import stock_of

_SOURCE = "script"
_LONGEST: Final = 400_000
_MOST: Final = 200
_LEAST_NAMED: Final = 3
_TIMES_MORE: Final = 3
"""Than any other: from here on a code is the page's own, and not one of many."""
_PRICE: Final = re.compile(
    r"""["'](?:price|current_?price|sale_?price|final_?price|product_?price|price_?value|unit_?price)["']"""
    r"""\s*:\s*(?:\{\s*["'](?:value|amount|current|now|raw)["']\s*:\s*)?"""
    r"""["']?(\d+(?:\.\d+)?)["']?\s*[,}\]]""",
    re.IGNORECASE,
)
_SKU: Final = re.compile(
    r"""["'](?:sku|product_?sku|item_?number|product_?code|article_?number)["']\s*:\s*"""
    r"""["']?([\w./\-]{2,40})["']?\s*[,}\]]"""
    # A name without quotes stands in a program, where a value without them is one more name.
    r"""|(?<![\w$."'])(?:sku|item_?number|product_?code|article_?number)\s*:\s*"""
    r"""["']([\w./\-]{2,40})["']""",
    re.IGNORECASE,
)
_CURRENCY: Final = re.compile(
    r"""["'](?:price)?_?currency(?:_?code)?["']\s*:\s*["']([A-Za-z]{3})["']""", re.IGNORECASE
)
_STOCK: Final = re.compile(
    r"""["'](?:availability|stock_?status|availability_?status)["']\s*:\s*"""
    r"""["']([\w /:.]{2,40})["']""",
    re.IGNORECASE,
)
_HAD: Final = re.compile(
    r"""["'](?:(?:is_?)?in_?stock|is_?available|available_?for_?sale|is_?sale?able)["']\s*:\s*"""
    r"""["']?(true|false)\b""",
    re.IGNORECASE,
)
# What is counted of a visit: the call of a network's pixel, the layer of a tag manager.
_VIEWED: Final = re.compile(r"""["']ViewContent["']\s*,\s*\{([^{}]{1,1000})\}""")
_VALUE: Final = re.compile(r"""\bvalue["']?\s*:\s*["']?(\d+(?:\.\d+)?)""")
_ISO: Final = re.compile(r"""\bcurrency["']?\s*:\s*["']([A-Z]{3})["']""")
_COUNTED: Final = re.compile(
    r"""\b(?:item_id|content_ids)["']?\s*:\s*\[?\s*["']([\w./\-]{3,40})["']"""
    r"""|["']products["']\s*:\s*\[\s*\{[^{}\[\]]{0,300}?["']id["']\s*:\s*["']([\w./\-]{3,40})["']"""
)
# What stands before and behind a number that a product is known by.
_KNOWN_BY: Final = re.compile(
    r"""["'](?:\w{0,20}product_?id|item_?id|product_?code|article_?id|sku|id)["']\s*:\s*["']?$""",
    re.IGNORECASE,
)
_ENDS: Final = re.compile(r"""["']?\s*[,}\]]""")
_SKU_FIELDS: Final = ("sku", "SKU", "product_sku", "product_code", "partNumber")
_NOTHING: Final = frozenset({"0", "null", "undefined", "none", "nan", "n/a", "false"})
_ATTRIBUTES: Final = (
    ("price", "data-product-price", 0.6),
    ("price", "data-price", 0.5),
    ("sku", "data-product-sku", 0.6),
    ("sku", "data-sku", 0.6),
)
# Asked in one go: each question to the tree costs a walk over all of it.
_ASKED: Final = ",".join([
    *(f"[{attribute}]" for _, attribute, _ in _ATTRIBUTES), "[data-currency]",
    *(f"input[name='{name}']" for name in _SKU_FIELDS),
])  # fmt: skip


_SKU_STEMS: Final = (
    "sku", "itemnumber", "item_number", "productcode", "product_code", "articlenumber",
    "article_number",
)  # fmt: skip
_STOCK_STEMS: Final = ("availability", "stockstatus", "stock_status")
_HAD_STEMS: Final = ("instock", "in_stock", "available", "saleable", "salable")
_STEMS: Final = Needles((
    "price", *_SKU_STEMS, *_STOCK_STEMS, *_HAD_STEMS, "currency", "item_id", "content_ids",
    "products", "viewcontent",
))  # fmt: skip
"""All that is looked for in scripts: a few of them are there, and one pass tells which."""
_LONGEST_KEY: Final = 30


class _ScriptText:
    """The text of scripts, of which only the places are looked at where a key can stand: patterns
    tried at every quotation mark would take longer than all else."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._plain = _plain(text)
        self._held = {_STEMS.words[place] for place in _STEMS.within(self._plain)}

    def all(self, pattern: re.Pattern[str], *stems: str) -> list[str]:
        """What the pattern takes out of its first matches."""
        found = islice(self.found(pattern, *stems), _MOST)
        return [next(filter(None, match.groups()), "") for match in found]

    def found(self, pattern: re.Pattern[str], *stems: str) -> Iterator[re.Match[str]]:
        """As `finditer`, for a pattern that begins with one of the stems or with a quoted name
        that holds it."""
        end = 0
        for place in sorted({place for stem in stems for place in self._starts(stem)}):
            if place >= end and (match := pattern.match(self.text, place)) is not None:
                end = match.end()
                yield match

    def _starts(self, stem: str) -> Iterator[int]:
        sought = stem.encode()
        place = self._plain.find(sought) if sought in self._held else -1
        while place >= 0:
            yield place
            before = max(0, place - _LONGEST_KEY)
            quote = max(self._plain.rfind(mark, before, place) for mark in (b'"', b"'"))
            if quote >= 0:
                yield quote
            place = self._plain.find(sought, place + 1)


# Letters that patterns take for others of ASCII, where case does not count.
_ODD_LETTERS: Final = (("\u0130", "i"), ("\u0131", "i"), ("\u017f", "s"), ("\u212a", "k"))


def _plain(text: str) -> bytes:
    """A byte for each letter, in lower case, and a mark for what is not ASCII: to look for a word
    in there takes a small part of what it takes in the text of a whole alphabet."""
    if not text.isascii():
        for odd, letter in _ODD_LETTERS:
            text = text.replace(odd, letter)
    return text.encode("ascii", "replace").lower()


def given_away(
    tree: Tree, known: ProductClaims, url: str, *, has_price: bool = True
) -> ProductClaims:
    """What scripts and data attributes claim about the fields that nothing else does. A page that
    shows the prices of others only names no other ones there (`has_price`)."""
    claims = ProductClaims()
    wanted = {name for name in ("price", "sku", "availability") if not known.of(name)}
    if not has_price:
        wanted.discard("price")
    if not wanted:
        return claims
    marked = tree.document.select(_ASKED)
    for name, attribute, sure in _ATTRIBUTES:
        if name in wanted:
            _from_attribute(marked, name, attribute, sure, claims)
    text = _ScriptText(_own_scripts(tree))
    if "price" in wanted:
        _claim(claims, "price", [settled(each) for each in text.all(_PRICE, "price")], 0.45)
    if "sku" in wanted:
        _take_numbers(marked, text, claims)
        _take_the_urls(text.text, url, claims)
    if "availability" in wanted:
        _claim(
            claims,
            "availability",
            [stock_of(each) for each in text.all(_STOCK, *_STOCK_STEMS)],
            0.5,
        )
        if not claims.of("availability"):
            _claim(
                claims, "availability", [_had(each) for each in text.all(_HAD, *_HAD_STEMS)], 0.45
            )
    if has_price:
        _take_view(text, known, claims)
    if claims.of("price") and not known.of("currency"):
        codes = [is_currency(each) for each in text.all(_CURRENCY, "currency")]
        codes += [is_currency(each) for each in _values(marked, "data-currency")]
        _claim(claims, "currency", codes, 0.45)
    return claims


def _take_numbers(marked: list[Element], text: _ScriptText, claims: ProductClaims) -> None:
    fields = [e for e in marked if e.tag == "input" and e.attr("name") in _SKU_FIELDS][:_MOST]
    _claim(claims, "sku", [(each.attr("value") or "").strip()[:100] for each in fields], 0.5)
    # Parcels that are insured and the like have a word there.
    coded = [code for code in text.all(_SKU, *_SKU_STEMS) if any(map(str.isdigit, code))]
    if own := _named_most(coded):
        # Also where an attribute says another one: that may be of what is sold beside it.
        claims.add("sku", own, 0.65, _SOURCE)
    else:
        _claim(claims, "sku", coded, 0.45)
    if not claims.of("sku"):
        # Visits of other products are counted too: only one that is alone is this one's.
        counted = set(_counted_codes(text))
        _claim(claims, "sku", list(counted) if len(counted) == 1 else [], 0.4)


def _named_most(codes: list[str]) -> str:
    """The code that scripts come back to; what they offer beside it they name once or twice."""
    first, second = [*Counter(codes).most_common(2), ("", 0), ("", 0)][:2]
    return first[0] if first[1] >= _LEAST_NAMED and first[1] >= _TIMES_MORE * second[1] else ""


def _take_the_urls(text: str, url: str, claims: ProductClaims) -> None:
    """The URL's own number, where scripts know the product by it."""
    for number in numbers_of(url):
        place = -1
        for _ in range(_MOST):
            place = text.find(number, place + 1)
            if place < 0:
                break
            end = place + len(number)
            if _KNOWN_BY.search(text[max(0, place - 60) : place]) and _ENDS.match(text, end):
                claims.add("sku", number, 0.45, "url")
                return


def _take_view(text: _ScriptText, known: ProductClaims, claims: ProductClaims) -> None:
    viewed = next(text.found(_VIEWED, "viewcontent"), None)
    if viewed is None:
        return
    for name, pattern in (("price", _VALUE), ("currency", _ISO)):
        match = pattern.search(viewed[1])
        if match is not None and not known.of(name):
            _claim(claims, name, [settled(match[1]) if name == "price" else match[1]], 0.4)


def _counted_codes(text: _ScriptText) -> list[str]:
    """Numbers by which visits are counted: the shop's own, unless they are its database's."""
    matches = islice(text.found(_COUNTED, "item_id", "content_ids", "products"), _MOST)
    found = [match[1] or match[2] for match in matches]
    return [code for code in found if any(map(str.isdigit, code)) and not code.isdecimal()]


def _had(word: str) -> Stock:
    return Stock.IN_STOCK if word.lower() == "true" else Stock.OUT_OF_STOCK


def _own_scripts(tree: Tree) -> str:
    texts = []
    left = _LONGEST
    for script in tree.found["script"]:
        if script.attr("src") is None and "ld+json" not in (script.attr("type") or ""):
            # What frameworks stream is written as texts of a program.
            text = script.text[:left].replace('\\"', '"')
            left -= len(text)
            texts.append(text)
            if left <= 0:
                break
    return "\n".join(texts)


def _from_attribute(
    marked: list[Element], name: str, attribute: str, sure: float, claims: ProductClaims
) -> None:
    values = _values(marked, attribute)
    read = [machine_amount(value) for value in values] if name == "price" else values
    _claim(claims, name, read, sure)


def _values(marked: list[Element], attribute: str) -> list[str]:
    said = [value for element in marked if (value := element.attr(attribute)) is not None]
    return [value.strip()[:100] for value in said[:_MOST]]


def _claim(claims: ProductClaims, name: str, values: list[str], sure: float) -> None:
    """The only value there is, or, less surely, the first of several."""
    kinds = Counter(value for value in values if value and value.lower() not in _NOTHING)
    if len(kinds) == 1:
        claims.add(name, next(iter(kinds)), sure, _SOURCE)
    elif kinds and name != "availability":
        claims.add(name, next(iter(kinds)), sure / 2, _SOURCE)
