"""What does a page say: all that is visible, and the part that is the page's own?

The main text is found by subtraction: the main region, or the whole page, without navigation,
asides, page header and footer. Scoring blocks by their text would find the article inside
nameless markup more often, but on documentation it kept a single table cell of one page in
twelve, and a change outside that cell would then look like no change at all. Subtraction never
loses content, gives equal text for equal content, and costs half as much.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice

from turbohtml import Axis, Document, Element, Namespace

from tenax.page import native
from tenax.page.charset import decode
from tenax.page.html import Tree
from tenax.page.rules import (
    COUNTED,
    FIRST_NODES,
    FRAME_NAMES,
    LANDMARK_ROLES,
    LAYOUT_CHILDREN,
    LAYOUT_DEPTH,
    LAYOUT_TAGS,
    LONG_TEXT,
    MOST_ANCESTORS,
    MOST_LANDMARKS,
    OWN_SECTIONS,
    UNSEEN_TAGS,
)

MOST_TEXT = 10_000_000
"""Characters of a plain text that are read as its text."""

_HIDDEN_STYLES = '[style*="display:none" i],[style*="display: none" i]'
_LANDMARK_ROLES = frozenset(LANDMARK_ROLES)
_OWN_SECTIONS = frozenset(OWN_SECTIONS)
_FRAME_NAMES = frozenset(FRAME_NAMES)


def visible_text(tree: Tree) -> str:
    """What a person sees without scripts. Consumes the tree."""
    _cut_unseen(tree)
    _cut(_not_the_page(tree.document.select(_HIDDEN_STYLES)))
    return tree.document.to_text().strip()


def main_text(tree: Tree) -> str:
    """The page's own text, laid out as lines. Consumes the tree."""
    return main_part(tree).to_text().strip()


def main_part(tree: Tree) -> Element:
    """The main region: part of its tree, never a piece cut out of it. Consumes the tree."""
    return main_region(tree)[0]


def written(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def bare(written: bytes) -> bytes:
    """A text without its white space: re-indented markup is no other content."""
    if native.NATIVE is not None:
        return native.NATIVE.bare(written)
    return written.translate(None, b" \t\n\r\f\v")


def count_words(text: str, spaced: Callable[[], str]) -> int:
    """How many words a text has; of a long one, about.

    `spaced` gives it with a space between its text nodes: in the source, words of neighbouring
    blocks touch. Splitting all of a long text would cost as much as finding the page's links, so
    three parts of it speak for the rest.
    """
    if len(text) <= LONG_TEXT:
        return len(spaced().split())
    middle = len(text) // 2
    parts = (text[:COUNTED], text[middle : middle + COUNTED], text[-COUNTED:])
    counted = sum([len(part.split()) for part in parts])
    return max(1, counted * len(text) // (3 * COUNTED))


def in_lines(element: Element) -> str:
    """Its text with every node on a line of its own: in the source, blocks touch."""
    return "\n".join([node for node in element.strings if node])


def fingerprint(bare_text: bytes) -> bytes:
    """SHA-256 of what `bare` gives; empty when there is nothing."""
    return hashlib.sha256(bare_text).digest() if bare_text else b""


def plain_text(body: bytes, charset: str) -> str:
    """The text of a body that is no markup to us: as it is, within bounds."""
    return decode(body, charset)[:MOST_TEXT].strip()


def main_region(tree: Tree) -> tuple[Element, str]:
    """The main region, and its text just as the source has it. Consumes the tree."""
    roles = _cut_unseen(tree)
    mains = tree.found["main"] or [e for role, e in roles if role == "main"]
    main = mains[0] if len(mains) == 1 else None
    landmarks = [*tree.found["nav"], *tree.found["aside"]]
    landmarks += [e for role, e in roles if role in _LANDMARK_ROLES]
    dropped = _cut(e for e in _not_the_page(landmarks) if e != main)
    if main is not None and _is_attached(main):
        # Its header holds the headline; its footer holds counters, tags and share buttons.
        dropped += _cut(e for e in _first(tree, "footer") if _is_inside(e, main))
        text = main.text
        if text and not text.isspace():
            return main, text
    frame = chain(_first(tree, "header"), _first(tree, "footer"))
    dropped += _cut(e for e in frame if e != main and not _is_in_a_section(e))
    return _without_frame(tree, dropped)


def _without_frame(tree: Tree, dropped: list[Element]) -> tuple[Element, str]:
    named = _cut(_named_as_frame(tree.document))
    page = tree.page
    rest = page.text
    if named and sum(len(element.text) for element in named) > len(rest):
        # A layout whose wrapper happens to be called "header": the names mean nothing here.
        rest = _put_back(page, named)
    elif len(tree.found["article"]) == 1 and _is_attached(article := tree.found["article"][0]):
        text = article.text
        # A lone teaser is an article as well; the page's own is most of what is left.
        if len(text) * 2 >= len(rest) and not text.isspace():
            return article, text
    if not rest or rest.isspace():
        rest = _put_back(page, dropped)
    return page, rest


def _cut_unseen(tree: Tree) -> list[tuple[str, Element]]:
    """Cut out what no one sees; the elements with a role, since one list has both."""
    for unseen in UNSEEN_TAGS:
        for element in tree.found[unseen]:
            element.extract()
    holds_marked = _may_hold_elements(tree)
    roles = []
    for element in tree.document.select("[role],[hidden]") if holds_marked else tree.marked:
        tag = element.tag
        if tag in UNSEEN_TAGS:
            continue
        if element.attr("hidden") is not None and tag not in ("html", "body"):
            element.extract()
        elif (role := element.attr("role")) is not None:
            roles.append((role.strip().lower(), element))
    return roles


def _may_hold_elements(tree: Tree) -> bool:
    """Whether what is not seen may have a role itself: scripts, styles and frames are text to
    the parser, unless they stand in a drawing."""
    found = tree.found
    if found["noscript"]:
        return True
    texts = chain(found["script"], found["style"], found["iframe"])
    return any(element.namespace is not Namespace.HTML for element in texts)


def _first(tree: Tree, tag: str) -> list[Element]:
    return tree.found[tag][:MOST_LANDMARKS]


def _is_in_a_section(element: Element) -> bool:
    return any(
        isinstance(ancestor, Element) and ancestor.tag in _OWN_SECTIONS
        for ancestor in islice(element.ancestors, MOST_ANCESTORS)
    )


def _is_attached(element: Element) -> bool:
    """Whether it still has a place in the tree, as far up as is worth looking."""
    ancestors = list(islice(element.ancestors, MOST_ANCESTORS))
    return len(ancestors) == MOST_ANCESTORS or any(
        isinstance(top, Document) for top in ancestors[-1:]
    )


def _is_inside(element: Element, region: Element) -> bool:
    return region in islice(element.ancestors, MOST_ANCESTORS)


def _named_as_frame(document: Document) -> list[Element]:
    """Blocks near the top of the layout whose id or class says header, menu, sidebar, footer."""
    named: list[Element] = []
    root = document.root
    level = (
        [] if root is None else [e for e in islice(root, FIRST_NODES) if isinstance(e, Element)][1:]
    )
    for _ in range(LAYOUT_DEPTH):
        inner: list[Element] = []
        for wrapper in level:
            if len(wrapper) > LAYOUT_CHILDREN:
                continue
            for block in wrapper.find_all([*LAYOUT_TAGS], axis=Axis.CHILDREN):
                (named if _has_frame_name(block) else inner).append(block)
        level = inner[:LAYOUT_CHILDREN]
    return named


def _has_frame_name(block: Element) -> bool:
    for name in (block.attr("class"), block.attr("id")):
        if name and not _FRAME_NAMES.isdisjoint(name.lower().split()):
            return True
    return False


def _not_the_page(elements: Iterable[Element]) -> Iterator[Element]:
    return (element for element in elements if element.tag not in ("html", "body", "main"))


def _cut(elements: Iterable[Element]) -> list[Element]:
    taken = list(elements)
    for element in taken:
        element.extract()
    return taken


def _put_back(page: Element, elements: list[Element]) -> str:
    """The text with these parts in it again, at its end: better late than lost."""
    for element in elements[:MOST_LANDMARKS]:
        page.append(element)
    return page.text
