"""What does JSON say that was written by hand, or by templates that do not know JSON?"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape
from typing import Any

_WRAPPERS = re.compile(r"^\s*(?:<!--|//\s*<!\[CDATA\[|<!\[CDATA\[|/\*\s*<!\[CDATA\[\s*\*/)|"
                       r"(?:-->|//\s*\]\]>|\]\]>|/\*\s*\]\]>\s*\*/|;)\s*$")  # fmt: skip
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
_MISSING_COMMA = re.compile(r'(["\d}\]])([ \t\r]*\n\s*)"(?=[@\w]+"\s*:)')
_LINE_COMMENT = re.compile(r"^[ \t]*//.*$", re.MULTILINE)
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_EMPTY_VALUE = re.compile(r'("\s*:\s*)(?=[,}\]])')
_BAD_ESCAPE = re.compile(r'\\(?!["\\/bfnrtu])')


def json_values(text: str) -> Iterator[Any]:
    """What a script holds; nothing when it cannot be mended."""
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
    yield _TRAILING_COMMA.sub(r"\1", _without_comments(text))
    if "&quot;" in text or "&#34;" in text:
        yield unescape(text)
    # A quotation mark inside a text: inches, mostly. It is one that no comma, colon or bracket
    # stands beside.
    yield re.sub(r'(?<=[^\s:,{\[\\])"(?=[^\s:,}\]])|(?<=\d)"(?=\s+[A-Za-z])', r"\"", text)


def _without_comments(text: str) -> str:
    # What begins behind the end of the last comment is never looked through to the end.
    commented, end, rest = text.rpartition("*/")
    return _LINE_COMMENT.sub("", _COMMENT.sub("", commented + end) + rest)


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
