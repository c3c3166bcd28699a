"""What do a page's JSON-LD scripts hold?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from tenax.page.html import Tree
from tenax.page.mended import json_values

Node = dict[str, Any]

_MOST_SCRIPTS: Final = 50
_LONGEST: Final = 2_000_000
_DEEPEST: Final = 12
_MOST_NODES: Final = 5_000


def json_ld(tree: Tree) -> list[Any]:
    """The values of all JSON-LD scripts; those that cannot be mended are left out."""
    found = []
    for script in tree.found["script"]:
        kind = script.attr("type")
        if kind and "ld+json" in kind.lower():
            found += list(json_values(script.text[:_LONGEST]))
            if len(found) >= _MOST_SCRIPTS:
                break
    return found


def nodes(values: list[Any]) -> Iterator[tuple[Node, tuple[str, ...]]]:
    """Every object with a type, outermost first, and the properties that lead to it."""
    waiting: list[tuple[Any, tuple[str, ...]]] = [(value, ()) for value in reversed(values)]
    seen = 0
    while waiting and seen < _MOST_NODES:
        seen += 1
        value, path = waiting.pop()
        if isinstance(value, list):
            waiting += [(each, path) for each in reversed(value)]
        elif isinstance(value, dict):
            if "@type" in value:
                yield value, path
            if len(path) < _DEEPEST:
                inner = [(each, (*path, name)) for name, each in value.items()
                         if isinstance(each, dict | list)]  # fmt: skip
                waiting += reversed(inner)


def types_of(node: Node) -> list[str]:
    """The names of its types, without the vocabulary's address."""
    kinds = node.get("@type")
    kinds = kinds if isinstance(kinds, list) else [kinds]
    return [re.split(r"[/#:]", kind)[-1] for kind in kinds if isinstance(kind, str)]
