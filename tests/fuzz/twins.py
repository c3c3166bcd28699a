"""In what does the rest of what is compiled differ from its twin in Python? In nothing, either."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tenax.page import bounds, for_sale, links, native, text
from tenax.page.dates.shown import _names_year
from tenax.page.html import Tree, parse
from tenax.page.pager.turning import _Here
from tenax.page.product.outline import AWAY_FROM_IT, _holders, _inherited, _pieces, _walk
from tenax.page.scan import scan
from tenax.page.similar import simhash
from tenax.page.sketch import pack, sketch

_LONGEST_WALKED = 20_000
"""Bytes of a page that is walked: by Python, a long one takes as long as a hundred others."""


def twins_differ(body: bytes) -> list[str]:
    """What each of them says where they differ."""
    return [f"{what}: {one!r:.300} instead of {other!r:.300}" for what, one, other in _pairs(body)]


def _pairs(body: bytes) -> Iterator[tuple[str, object, object]]:
    for what, ask in _QUESTIONS.items():
        one = ask(body)
        with _in_python():
            other = ask(body)
        if one != other:
            yield what, one, other
    if len(body) <= _LONGEST_WALKED:
        yield from _walked(body)


def _walked(body: bytes) -> Iterator[tuple[str, object, object]]:
    """Its tree has to be one and the same: elements are themselves alone."""
    tree = parse(body, "utf-8")
    least, most = sum(1 for _ in tree.document.descendants), bounds.most_nodes(body, "utf-8")
    if most < least:
        yield "nodes of its tree, at most", most, least
    scanned = scan(body, "utf-8")
    if scanned is not None and scanned.nodes < least:
        yield "nodes of its tree, by the pass", scanned.nodes, least
    one, above = _outlined(tree)
    with _in_python():
        other, expected = _outlined(tree)
    if one != other:
        yield "walk", one, other
    if above != expected:
        yield "what is handed down", above, expected


def _outlined(tree: Tree) -> tuple[object, object]:
    nodes = _walk(tree)
    headings = [number for _, number, tag in nodes.noted if tag == "h1"]
    holders = _holders(nodes, headings[0]) if headings else []
    zones = _inherited(nodes, holders)
    pieces = _pieces(nodes, zones)
    own = _pieces(nodes, zones, len(pieces), AWAY_FROM_IT)
    return nodes, (zones, _inherited(nodes, []), pieces, own)


_OWN = pack((1, 2, 3))


def _hashed(body: bytes) -> object:
    bare = text.bare(body)
    return bare, simhash(bare), simhash(bare * 8), sketch(body), sketch(body, _OWN)


_SCHEMES = ("javascript", "java\nscript", "MAILTO", "http", "HTTPS", "xy", "/tel")


def _linked(body: bytes) -> object:
    """What is asked of links, of whatever stands between quotes and blanks."""
    spelled = body.decode("utf-8", "replace").replace('"', " ").split(" ")
    schemed = [f"{scheme}:{each}" for each in spelled[:40] for scheme in _SCHEMES]
    found = links._distinct([*spelled, *map(" {}\t".format, spelled), *schemed, *spelled])
    here = _Here(f"https://a.example/b/{spelled[-1]}/page/2?q=1", "https://a.example/b/")
    other = _Here("https://a.example/list", "https://a.example/")
    return found, here._counting(found), other._counting(found)


_QUESTIONS: dict[str, Callable[[bytes], object]] = {
    "nodes, at most": lambda body: bounds.most_nodes(body, "utf-8"),
    "where it says price": for_sale._priced,
    "who tells of a product": for_sale._told_by,
    "it is offered": for_sale._is_offered,
    "offers that it holds": for_sale._OFFERS.within,
    "offers in its text": lambda body: for_sale._OFFERS.within(body.decode("latin-1")),
    "hashes": _hashed,
    "links": _linked,
    "a year": _names_year,
    "a year, at another place": lambda body: _names_year(b" " + body),
}


@contextmanager
def _in_python() -> Iterator[None]:
    before, native.NATIVE = native.NATIVE, None
    try:
        yield
    finally:
        native.NATIVE = before
