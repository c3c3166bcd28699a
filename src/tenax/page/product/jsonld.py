"""What do a page's JSON-LD scripts hold, mended where shops break them?"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape
from typing import Any, Final

from tenax.page.html import Tree

Node = dict[str, Any]

_MOST_SCRIPTS: Final = 50
_LONGEST: Final = 2_000_000
_DEEPEST: Final = 12
_MOST_NODES: Final = 5_000
_WRAPPERS = re.compile(r"^\s*(?:<!--|//\s*<!\[CDATA\[|<!\[CDATA\[|/\*\s*<!\[CDATA\[\s*\*/)|"
                       r"(?:-->|//\s*\]\]>|\]\]>|/\*\s*\]\]>\s*\*/|;)\s*$")  # fmt: skip
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
_MISSING_COMMA = re.compile(r'(["\d}\]])(\s*\n\s*)"(?=[@\w]+"\s*:)')
_COMMENT = re.compile(r"^\s*//.*$|/\*.*?\*/", re.MULTILINE | re.DOTALL)
_EMPTY_VALUE = re.compile(r'("\s*:\s*)(?=[,}\]])')
_BAD_ESCAPE = re.compile(r'\\(?!["\\/bfnrtu])')


def json_ld(tree: Tree) -> list[Any]:
    """The values of all JSON-LD scripts; those that cannot be mended are left out."""
    found = []
    for script in tree.found["script"]:
        kind = script.attr("type")
        if kind and "ld+json" in kind.lower():
            found += list(_values(script.text[:_LONGEST]))
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


def _values(text: str) -> Iterator[Any]:
    for mended in _mendings(text):
        try:
            yield json.loads(mended, strict=False)
            return
        except (ValueError, RecursionError):
            continue
    yield from _one_after_another(text)


def _mendings(text: str) -> Iterator[str]:
    yield text
    text = _WRAPPERS.sub("", _WRAPPERS.sub("", text.strip())).strip()
    yield text
    text = _TRAILING_COMMA.sub(r"\1", _EMPTY_VALUE.sub(r"\1null", text))
    yield text
    text = _MISSING_COMMA.sub(r'\1,\2"', _BAD_ESCAPE.sub(r"\\\\", text))
    yield text
    yield _TRAILING_COMMA.sub(r"\1", _COMMENT.sub("", text))
    if "&quot;" in text or "&#34;" in text:
        yield unescape(text)
    # A quotation mark inside a text: inches, mostly. It is one that no comma, colon or bracket
    # stands beside.
    yield re.sub(r'(?<=[^\s:,{\[\\])"(?=[^\s:,}\]])|(?<=\d)"(?=\s+[A-Za-z])', r"\"", text)


def _one_after_another(text: str) -> Iterator[Any]:
    """Objects written one behind the other, or followed by rubbish."""
    decoder = json.JSONDecoder(strict=False)
    place = 0
    while (start := text.find("{", place)) >= 0 and place < len(text):
        try:
            value, place = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            return
        yield value
