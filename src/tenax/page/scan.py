"""What does one pass over a page's bytes find? The same as its tree would, sooner, or nothing.

The pass itself is in C (`native/`). It knows how most pages are built, and gives up on all others:
then, and where it was not compiled, a tree is built, which takes several times as long and says the
same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from msgspec import Struct
from turbohtml import Namespace

from tenax.page import native
from tenax.page.charset import decode
from tenax.page.rules import ATTRIBUTES, LISTED, LISTED_PROPERTIES, LISTED_WITH

_TOLD = frozenset(ATTRIBUTES)
_WITH = dict(LISTED_WITH)


class ScannedTag(Struct, frozen=True):
    """An element as far as a crawl reads it; has what `turbohtml.Element` has of that."""

    tag: str
    attributes: dict[str, str]
    own_text: str | None
    ancestors: tuple[ScannedTag, ...] = ()
    """The first article, if it stands in one."""

    @property
    def namespace(self) -> Namespace:
        return Namespace.HTML

    @property
    def text(self) -> str:
        if self.own_text is None:
            raise LookupError(f"the pass tells no text of {self.tag}: see native/told.c")
        return self.own_text

    def attr(self, name: str, /) -> str | None:
        value = self.attributes.get(name)
        if value is None and name not in _TOLD:
            raise LookupError(f"the pass tells nothing of {name}: add it to rules.ATTRIBUTES")
        return value


class MainText(NamedTuple):
    written: bytes
    """In UTF-8."""
    lines: bytes
    """The same with every text node on a line of its own: in the source blocks touch."""
    words: int


class Scanned(Struct, frozen=True):
    """What a page is marked with (`markings.Markings`), and its main text."""

    found: Mapping[str, list[ScannedTag]]
    dated: list[ScannedTag]
    """Whatever has one of `LISTED_PROPERTIES`, or is named in `LISTED_WITH`, in document order."""
    links: list[str]
    rels: list[tuple[str, str | None]]
    main: MainText
    nodes: int = 0
    """That its tree has, at most: see `bounds`."""

    @property
    def root(self) -> ScannedTag:
        return self.found["html"][0] if self.found["html"] else _BARE

    def targets(self) -> list[str]:
        return self.links

    def qualified(self) -> list[tuple[str, str]]:
        return [(rel, href or "") for rel, href in self.rels]


_BARE = ScannedTag("html", {}, None)


def is_small(scanned: Scanned | None, most: int) -> bool:
    """Whether the pass, which knows what is open, has shown that a tree of the page has no more
    nodes: none have to be counted then."""
    return scanned is not None and scanned.nodes <= most


def scan(body: bytes, charset: str) -> Scanned | None:
    """What a page holds; None when its tree has to be asked."""
    if native.NATIVE is None:
        return None
    told = native.NATIVE.scan(_in_utf8(body, charset))
    if told is None:
        return None
    rows, links, rels, area_rels, text, lines, words, nodes = told
    if not text.strip() and b"noscript" in body.lower():
        # Of a page that is empty otherwise, the tree puts parts back that stood in there.
        return None
    found, dated = _found(rows)
    return Scanned(found, dated, links, rels + area_rels, MainText(text, lines, words), nodes)


def _in_utf8(body: bytes, charset: str) -> bytes:
    if charset == "utf-8":
        return body
    # With the mark that `decode` took away: a second one is text. Half of a pair, if a charset has
    # such, is no UTF-8, so that the tree is asked.
    return ("\ufeff" + decode(body, charset)).encode("utf-8", "surrogatepass")


def _found(rows: list[native.Row]) -> tuple[dict[str, list[ScannedTag]], list[ScannedTag]]:
    found: dict[str, list[ScannedTag]] = {tag: [] for tag in LISTED}
    dated: list[ScannedTag] = []
    for tag, attributes, text, in_article in rows:
        around = tuple(found["article"][:1]) if in_article else ()
        element = ScannedTag(tag, attributes, text, around)
        if tag in found:
            found[tag].append(element)
        if tag in _WITH or attributes.get("itemprop") in LISTED_PROPERTIES:
            dated.append(element)
    return found, dated
