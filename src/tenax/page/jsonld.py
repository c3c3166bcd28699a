"""What do a page's JSON-LD scripts hold, mended where people break them?"""

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
_HOLDERS: Final = (dict, list)
_MARK: Final = re.compile(r"[/#:]")
_MOST_NODES: Final = 5_000
_TEXT: Final = r'"(?:[^"\\]++|\\.)*+"?'
# What stands between the texts and is no JSON: comments, and what hides a script from old browsers.
_NO_JSON: Final = re.compile(
    rf"({_TEXT})|//[^\n]*|/\*.*?(?:\*/|\Z)|<!--|-->|<!\[CDATA\[|\]\]>", re.DOTALL
)
_BAD_ESCAPE: Final = re.compile(r'\\(?!["\\/bfnrt]|u[0-9a-fA-F]{4})')
# A comma that nothing follows, a name without a value, and a comma that is missing.
_SLIPS: Final = re.compile(
    rf'({_TEXT})(\s++(?="))?|,(?=\s*[,}}\]])|(:)(?=\s*[,}}\]])|([\w}}\]])(?=\s+")', re.DOTALL
)
# A quotation mark inside a text, inches mostly, is one that nothing follows which ends a text.
_LONG_TEXT: Final = re.compile(
    r'"((?:[^"\\]++|\\.|"(?!\s*(?:[:}\]]|\Z|,\s*(?:["{\[\d-]|true|false|null))))*+)"?', re.DOTALL
)
_QUOTE: Final = re.compile(r'(\\.)|"', re.DOTALL)


def json_ld(tree: Tree) -> list[Any]:
    """The values of all JSON-LD scripts; those that cannot be mended are left out."""
    found = []
    for script in tree.found["script"]:
        kind = script.attr("type")
        if kind and "ld+json" in kind.lower():
            found += json_values(script.text)
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
            _spell(value)
            if "@type" in value:
                yield value, path
            if len(path) < _DEEPEST:
                inner = [(each, (*path, name)) for name, each in value.items()
                         if isinstance(each, _HOLDERS)]  # fmt: skip
                waiting += reversed(inner)


def _spell(node: Node) -> None:
    """Names as the vocabulary spells them: "Offers" are offers."""
    for name in [name for name in node if name[:1].isupper()]:
        node.setdefault(f"{name[0].lower()}{name[1:]}", node.pop(name))


def types_of(node: Node) -> list[str]:
    """The names of its types, without the vocabulary's address."""
    kinds = node.get("@type")
    kinds = kinds if isinstance(kinds, list) else [kinds]
    return [_MARK.split(kind)[-1] for kind in kinds if isinstance(kind, str)]


def json_values(text: str) -> list[Any]:
    """The values that a script's text holds: one, mostly. Empty when it cannot be mended."""
    text = text[:_LONGEST].strip()
    for mended in _mendings(text):
        try:
            return [json.loads(mended, strict=False)]
        except (ValueError, RecursionError):
            continue
    return list(_one_after_another(_mended(text)))


def _mendings(text: str) -> Iterator[str]:
    yield text
    yield (mended := _mended(text))
    if "&quot;" in text or "&#34;" in text:
        yield _mended(unescape(text))
    yield _LONG_TEXT.sub(_escape_quotes, mended)


def _mended(text: str) -> str:
    """Without what is no JSON, and with what was left out or written too much."""
    return _SLIPS.sub(_without_slip, _NO_JSON.sub(_only_text, text)).strip(" \t\r\n;")


def _only_text(match: re.Match[str]) -> str:
    text = match[1] or ""
    return _BAD_ESCAPE.sub(r"\\\\", text) if "\\" in text else text


def _without_slip(match: re.Match[str]) -> str:
    text, gap, colon, end = match.groups()
    if text:
        return f"{text},{gap}" if gap else text
    if colon:
        return ": null"
    return f"{end}," if end else ""


def _escape_quotes(match: re.Match[str]) -> str:
    return '"' + _QUOTE.sub(lambda quote: quote[1] or r"\"", match[1]) + '"'


def _one_after_another(text: str) -> Iterator[Any]:
    """Objects written one behind the other, or followed by rubbish."""
    decoder = json.JSONDecoder(strict=False)
    place = 0
    while (start := text.find("{", place)) >= 0:
        try:
            value, place = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            return
        yield value
