"""What does one parse and one walk over a page find?"""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from itertools import islice
from typing import NamedTuple, cast

import turbohtml
from msgspec import Struct
from turbohtml import Axis, Element, HTMLParseError, Namespace, XPath

from tenax.page.bounds import why_too_large
from tenax.page.charset import decode
from tenax.page.markings import Markings, Tagged
from tenax.page.rules import LISTED_PROPERTIES, LISTED_WITH, MOST_TITLES

_TAGS = (
    "area", "article", "aside", "base", "body", "footer", "frame", "header", "iframe", "link",
    "main", "meta", "nav", "noframes", "noscript", "script", "style", "template", "time", "title",
)  # fmt: skip
# Compiled once: to parse the question takes as long as to find ten links.
_HREFS = XPath("//a/@href")
_HREFS_AND_AREAS = XPath("//a/@href|//area/@href")
# All of `LISTED_PROPERTIES` have that in them: one question is faster than four.
_MARKED = ",".join([
    "a[rel]", "[role]", "[hidden]", '[itemprop*="date" i]',
    *(f"{tag}[{attribute}]" for tag, attribute in LISTED_WITH),
])  # fmt: skip
_WITH = dict(LISTED_WITH)
_SILENT = frozenset({"script", "style", "template", "noscript"})
_SHORT_TEXT_NODES = 200
_MOST_NOFRAMES = 3
_LONGEST_NOFRAMES = 200_000


class Tree(Struct, frozen=True, dict=True):
    """A parsed page, with the elements its readers ask for in document order.

    Text functions cut what is not text out of it: whoever needs it afterwards parses again.
    """

    document: turbohtml.Document
    found: dict[str, list[Element]]
    too_large: str = ""
    """Why it is the tree of an empty page instead: its own would take too much memory."""

    @cached_property
    def marked(self) -> list[Element]:
        """Anchors with a rel, whatever has a role or is hidden, also where it is not seen, or may
        be a date. Asked in one go: each question to the tree costs a walk over all of it."""
        return self.document.select(_MARKED)

    @property
    def root(self) -> Element:
        root = self.document.root
        assert root is not None, "the parser makes an html element of whatever it gets"
        return root

    @property
    def page(self) -> Element:
        """The body; of a page that has none, as one of frames, all there is."""
        return self.found["body"][0] if self.found["body"] else self.root

    def hrefs(self) -> list[str]:
        """The hrefs of all anchors as written, in document order.

        Asked of the parser in one go: a page may have thousands, and an object for each of
        them would cost more than the text itself.
        """
        query = _HREFS_AND_AREAS if self.found["area"] else _HREFS
        hrefs = cast(list[str], query(self.document))
        for part in self.found["noframes"][:_MOST_NOFRAMES]:
            # To the parser it is text: what it says to browsers that know no frames.
            hrefs += cast(list[str], _HREFS(turbohtml.parse(part.text[:_LONGEST_NOFRAMES])))
        return hrefs

    def targets(self) -> list[str]:
        """The same without fragments."""
        return [href.partition("#")[0] for href in self.hrefs()]

    @property
    def dated(self) -> list[Element]:
        return [
            element for element in self.marked
            if element.attr("itemprop") in LISTED_PROPERTIES
            or (element.tag in _WITH and element.attr(_WITH[element.tag]) is not None)
        ]  # fmt: skip

    def qualified(self) -> list[tuple[str, str]]:
        """The rel and the href of all anchors and areas that have a rel."""
        anchors = [element for element in self.marked if element.tag == "a"] + self.found["area"]
        return [(rel, e.attr("href") or "") for e in anchors if (rel := e.attr("rel")) is not None]


def parse_page(body: bytes, charset: str, *, xml: bool = False) -> Element:
    """The body of any bytes at all, without looking for anything in it. Templates stay."""
    if b"shadowrootmode" in body:
        return parse(body, charset, xml=xml).page
    root = _parse(body, charset, xml).document.root
    assert root is not None, "the parser makes an html element of whatever it gets"
    return root.find("body", axis=Axis.CHILDREN) or root


def parse(body: bytes, charset: str, *, xml: bool = False, is_bounded: bool = False) -> Tree:
    """The tree of any bytes at all. `xml` reads self-closing tags as XHTML means them.

    Of a page whose tree would be too large (bounds.py) it is that of an empty page, and says so;
    `is_bounded` says that this was asked already.
    """
    document, too_large = _parse(body, charset, xml, is_bounded)
    found = _walk(document)
    if found["template"]:
        found = _settle_templates(document, found)
    return Tree(document, found, too_large)


def short_text(element: Element, limit: int) -> str:
    """The beginning of an element's text on one line, or its image's alternative text.

    Looks at a bounded number of nodes: links and headings may be nested without end.
    """
    parts: list[str] = []
    alternative = ""
    for node in islice(element.descendants, _SHORT_TEXT_NODES):
        if isinstance(node, turbohtml.Text):
            parent = node.parent
            if not (isinstance(parent, Element) and parent.tag in _SILENT):
                parts.append(node.data[: limit * 4])
        elif isinstance(node, Element) and node.tag == "img" and not alternative:
            alternative = node.attr("alt") or ""
    return one_line("".join(parts), limit) or one_line(alternative, limit)


def one_line(text: str, limit: int) -> str:
    """White space collapsed, cut to at most `limit` characters."""
    # Four characters for one: room for white space, without splitting megabytes of title.
    return " ".join(text[: limit * 4].split())[:limit].rstrip()


def title_element(page: Markings) -> Tagged | None:
    """The page's title; those of inline drawings are not it."""
    for element in page.found["title"][:MOST_TITLES]:
        if element.namespace is Namespace.HTML:
            return element
    return None


class _Parsed(NamedTuple):
    document: turbohtml.Document
    too_large: str = ""


def _parse(body: bytes, charset: str, xml: bool, is_bounded: bool = False) -> _Parsed:
    if not is_bounded and (why := why_too_large(body, charset)):
        return _Parsed(turbohtml.parse(""), why)
    if xml:
        return _parse_xhtml(decode(body, charset))
    # Declarative shadow roots stay templates, so that _settle_templates can show their content.
    document = turbohtml.parse(
        body, encoding=charset, positions=False, allow_declarative_shadow_roots=False
    )
    return _Parsed(document)


def _parse_xhtml(text: str) -> _Parsed:
    # <script src=x /> is complete in XHTML but swallows the rest of the page in HTML. Writing
    # the XML out again as HTML leaves one kind of tree for everything behind this.
    with suppress(HTMLParseError):
        text = turbohtml.parse_xml(text).html
    if why := why_too_large(text.encode("utf-8", "replace"), "utf-8"):
        return _Parsed(turbohtml.parse(""), why)
    return _Parsed(turbohtml.parse(text, positions=False, allow_declarative_shadow_roots=False))


def _walk(document: turbohtml.Document) -> dict[str, list[Element]]:
    found: dict[str, list[Element]] = {tag: [] for tag in _TAGS}
    for element in document.iter_elements(_TAGS):
        found[element.tag].append(element)
    return found


def _settle_templates(
    document: turbohtml.Document, found: dict[str, list[Element]]
) -> dict[str, list[Element]]:
    """Shadow roots become part of the page, as a browser shows them; other templates go."""
    for template in found["template"]:
        if template.attr("shadowrootmode") is not None:
            template.unwrap()
    for template in document.select("template"):
        template.extract()
    return _walk(document)
