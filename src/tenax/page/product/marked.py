"""What do attributes say about a product: microdata and RDFa, as nodes of the same form as JSON-LD?

Stricter readers take the text of an element where HTML says so; shops write what they mean into
`content` on any element at all, so that is taken wherever it stands.
"""

from __future__ import annotations

from itertools import islice
from typing import Any, Final, NamedTuple

from turbohtml import Element

from tenax.page.html import Tree, one_line
from tenax.page.jsonld import Node

_MOST: Final = 3_000
_MOST_ANCESTORS: Final = 60
_LONGEST: Final = 3_000
_LINKED = {"a": "href", "link": "href", "area": "href", "img": "src", "source": "src",
           "video": "src", "audio": "src", "iframe": "src", "object": "data"}  # fmt: skip


class Syntax(NamedTuple):
    """The names of the attributes that say what something is, and what of."""

    scope: str
    kind: str
    property: str


MICRODATA: Final = Syntax("itemscope", "itemtype", "itemprop")
RDFA: Final = Syntax("typeof", "typeof", "property")


_ANY: Final = ",".join(
    f"[{name}]" for each in (MICRODATA, RDFA) for name in dict.fromkeys((each.property, each.scope))
)


class Marked(NamedTuple):
    items: list[Node]
    """Those that are of nothing else, in document order."""
    loose: Node
    """Properties that belong to no item."""


def read_marks(tree: Tree) -> tuple[Marked, Marked]:
    """Its microdata and its RDFa."""
    # Asked in one go: each question to the tree costs a walk over all of it.
    marked = tree.document.select(_ANY)
    return _read(marked, MICRODATA), _read(marked, RDFA)


def _read(marked: list[Element], syntax: Syntax) -> Marked:
    items: list[Node] = []
    loose: Node = {}
    by_element: dict[Element, Node] = {}
    count = 0
    for element in marked:
        scoped = element.attr(syntax.scope) is not None
        said = element.attr(syntax.property)
        if not scoped and said is None:
            continue
        count += 1
        if count > _MOST:
            break
        names = (said or "").split()
        owner = _owner(element, by_element)
        value: Any
        if scoped:
            kinds = (element.attr(syntax.kind) or "").split()
            value = by_element[element] = {"@type": kinds}
        elif names:
            value = _value(element)
        else:
            continue
        if scoped and (not names or owner is None):
            items.append(value)
        for name in names:
            target = loose if owner is None else owner
            if target is loose and scoped:
                continue
            target.setdefault(_bare(name), []).append(value)
    return Marked(items, loose)


def _owner(element: Element, by_element: dict[Element, Node]) -> Node | None:
    if not by_element:
        return None
    for ancestor in islice(element.ancestors, _MOST_ANCESTORS):
        if isinstance(ancestor, Element) and ancestor in by_element:
            return by_element[ancestor]
    return None


def _value(element: Element) -> str:
    content = element.attr("content")
    if content is not None and content.strip():
        return content.strip()[:_LONGEST]
    linked = _LINKED.get(element.tag)
    if linked is not None and (url := element.attr(linked)):
        # An anchor around a brand's name is read for its name by those who know that.
        text = one_line(element.text, 200) if element.tag == "a" else ""
        return text or url.strip()
    for name in ("datetime", "value") if element.tag in ("time", "data", "meter", "input") else ():
        if value := element.attr(name):
            return value.strip()
    return one_line(element.text, _LONGEST)


def _bare(name: str) -> str:
    for mark in ("/", "#", ":"):
        name = name.rpartition(mark)[2]
    return name
