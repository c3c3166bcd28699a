"""In what does the compiled pass differ from the tree? In nothing that it tells, to the letter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice

from tenax.page.html import Tree, parse, title_element
from tenax.page.markings import Tagged
from tenax.page.read import _read_main
from tenax.page.rules import (
    ATTRIBUTES,
    LISTED_PROPERTIES,
    LISTED_WITH,
    MOST_SCRIPTS,
    MOST_TIMES,
    SCRIPTS_TOLD,
)
from tenax.page.scan import Scanned, ScannedTag, scan

_WHOLE = ("article", "base", "link", "meta")
_DATED = ",".join([f'[itemprop="{name}"]' for name in LISTED_PROPERTIES])
_WITH = ",".join([f"{tag}[{attribute}]" for tag, attribute in LISTED_WITH])


def differences(body: bytes, charset: str = "utf-8") -> list[str] | None:
    """What each of them says where they differ; None when the pass leaves the page to the tree."""
    scanned = scan(body, charset)
    if scanned is None:
        return None
    tree = parse(body, charset)
    # The main text comes last, because it consumes the tree.
    return [*_marked(scanned, tree), *_linked(scanned, tree), *_main(scanned, tree)]


def _marked(scanned: Scanned, tree: Tree) -> Iterator[str]:
    found = tree.found
    for tag in _WHOLE:
        yield from _same(tag, scanned.found[tag], found[tag])
    yield from _same("time", scanned.found["time"][:MOST_TIMES], found["time"][:MOST_TIMES])
    told = [e for e in found["script"] if (e.attr("type") or "").strip().lower() == SCRIPTS_TOLD]
    yield from _same("script", scanned.found["script"], told[:MOST_SCRIPTS])
    for one, other in zip(scanned.found["script"], told, strict=False):
        yield from _said("script", one.text, other.text)
    one_title, other_title = title_element(scanned), title_element(tree)
    yield from _said("title", one_title and one_title.text, other_title and other_title.text)
    for name in ("lang", "xml:lang"):
        yield from _said(name, scanned.root.attr(name), tree.root.attr(name))
    dated = [e for e in scanned.dated if e.attr("itemprop") in LISTED_PROPERTIES]
    yield from _same("itemprop", dated[:MOST_TIMES], tree.document.select(_DATED)[:MOST_TIMES])
    listed = [e for e in scanned.dated if e.tag in dict(LISTED_WITH)]
    listed = [e for e in listed if e.attr(dict(LISTED_WITH)[e.tag]) is not None]
    yield from _same("abbr", listed[:MOST_TIMES], tree.document.select(_WITH)[:MOST_TIMES])


def _same(what: str, ones: list[ScannedTag], others: Iterable[Tagged]) -> Iterator[str]:
    spelled = [[e.attr(name) for name in ATTRIBUTES] for e in ones]
    yield from _said(what, spelled, [[e.attr(name) for name in ATTRIBUTES] for e in others])
    around = [bool(e.ancestors) for e in ones]
    yield from _said(f"{what} in an article", around, [_is_in_article(e) for e in others])


def _is_in_article(element: Tagged) -> bool:
    return any(getattr(a, "tag", "") == "article" for a in islice(element.ancestors, MOST_TIMES))


def _linked(scanned: Scanned, tree: Tree) -> Iterator[str]:
    # A copy of a link, which the tree has for a misnested one, may be told later than it stands.
    one, other = [[href for href in page.targets() if href] for page in (scanned, tree)]
    yield from _said("links", list(dict.fromkeys(one)), list(dict.fromkeys(other)))
    yield from _said("times that links are named", Counter(one), Counter(other))
    rels, others = scanned.qualified(), tree.qualified()
    yield from _said("qualified", list(dict.fromkeys(rels)), list(dict.fromkeys(others)))
    yield from _said("times that links are qualified", Counter(rels), Counter(others))


def _main(scanned: Scanned, tree: Tree) -> Iterator[str]:
    main = _read_main(tree)
    yield from _said("main text", scanned.main.written, main.written)
    yield from _said("its lines", scanned.main.lines, main.lines)
    yield from _said("its words", scanned.main.words, main.words)


def _said(what: str, one: object, other: object) -> Iterator[str]:
    if one != other:
        yield f"{what}: {_short(one)} instead of {_short(other)}"


def _short(said: object) -> str:
    text = repr(said)
    return text if len(text) <= 600 else f"{text[:300]} … {text[-300:]}"
