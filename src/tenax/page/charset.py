"""Which character encoding is this body in, and what does it say when read with it?

The order is the one browsers follow (WHATWG Encoding and HTML): byte-order mark, header, the
declaration in the first 1,024 bytes, one further down that a parser comes to, then detection
(PAGE-1). Names are WHATWG's, lower case.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache
from itertools import islice

import turbohtml
from msgspec import Struct
from turbohtml.detect import detect

_PRESCAN = 1024
_SAMPLE = 65_536
# Heads are full of scripts and styles, and some declare the charset behind all of them.
_LATEST = 1_000_000
_LONGEST_TAG = 300
_MOST_MENTIONS = 50
_LONGEST_LABEL = 40
# How many good multi-byte sequences outweigh a broken one: titles cut in the middle of a
# character are common on pages that are UTF-8 everywhere else.
_TRUST = 10
_CERTAIN = 100
"""Bytes beyond the first of a character that a sample without a broken one has then."""

_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16be"), (b"\xff\xfe", "utf-16le"))
_UTF8_LABELS = frozenset({"utf-8", "utf8"})
# The spec's "replacement" stands for encodings that attack browsers; it would read as nothing.
_UNREADABLE = frozenset({"replacement"})
# What a declaration written in ASCII cannot truthfully say.
_DECLARED_AS = {"utf-16be": "utf-8", "utf-16le": "utf-8", "x-user-defined": "windows-1252"}

_PARAMETER = re.compile(r"""charset\s*=\s*["']?\s*([^\s;"',]+)""", re.IGNORECASE)
_XML_ENCODING = re.compile(
    rb"""^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z][A-Za-z0-9._:-]*)["']"""
)
_MARKUP = re.compile(
    rb"<!--(?:-?>|.*?-->|.*)"
    rb"""|<(/?[A-Za-z][^\s/>]*)((?:[^>"']|"[^"]*"|'[^']*')*)""",
    re.DOTALL,
)
# How nearly every page says UTF-8. Found before anything that could be quoting it, it is enough.
_PLAINLY_UTF8 = re.compile(
    rb"""<meta\s+(?:charset=["']?utf-8|http-equiv=["']?content-type["']?\s+"""
    rb"""content=["']text/html;\s*charset=utf-8)["'\s/>]""",
    re.IGNORECASE,
)
_QUOTES = (b"<!--", b"<script", b"<style", b"<title", b"<textarea", b"'<", b'"<')
# To look for these is several times as fast as for one in whatever letters.
_SPELLED = (b"charset", b"charSet", b"CHARSET", b"Charset")
_RAW = (
    (b"<!--", b"-->"), (b"<script", b"</script"), (b"<style", b"</style"),
    (b"<title", b"</title"), (b"<textarea", b"</textarea"), (b"<noscript", b"</noscript"),
    (b"<template", b"</template"),
)  # fmt: skip
_ATTRIBUTE = re.compile(
    rb"""([^\s/>"'=]+)\s*(?:=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+)))?""", re.DOTALL
)


class CharsetSource(StrEnum):
    BOM = "bom"
    HEADER = "header"
    META = "meta"
    DETECTED = "detected"


class Charset(Struct, frozen=True):
    name: str
    source: CharsetSource


_UTF8_BY_HEADER = Charset("utf-8", CharsetSource.HEADER)
_UTF8_BY_META = Charset("utf-8", CharsetSource.META)


def decide_charset(body: bytes, content_type_header: str | None) -> Charset:
    """The encoding to read the body with; there always is one."""
    for mark, name in _BOMS:
        if body.startswith(mark):
            return Charset(name, CharsetSource.BOM)
    if content_type_header:
        declared = _PARAMETER.search(content_type_header, 0, _PRESCAN)
        if declared is not None:
            label = declared[1].lower()
            if label in _UTF8_LABELS:
                return _UTF8_BY_HEADER
            if (known := canonical_name(label)) is not None:
                return Charset(known, CharsetSource.HEADER)
    head = body[:_PRESCAN]
    if _says_utf8_plainly(head):
        return _UTF8_BY_META
    if (name_in_markup := _declared(head)) is not None:
        return Charset(name_in_markup, CharsetSource.META)
    if (name_further_down := _declared_late(body)) is not None:
        return Charset(name_further_down, CharsetSource.META)
    return Charset(_detected(body), CharsetSource.DETECTED)


def decode(body: bytes, charset: str) -> str:
    """The text without its byte-order mark; what cannot be read becomes U+FFFD. Never raises."""
    if charset == "utf-8":
        text = body.decode("utf-8", "replace")
    elif (name := canonical_name(charset)) is not None:
        text = body.decode(f"whatwg-{name}")
    else:
        text = body.decode("utf-8", "replace")
    return text.removeprefix("\ufeff")


@lru_cache(maxsize=256)
def canonical_name(label: str) -> str | None:
    """WHATWG's name for a label, lower case; None for labels no browser knows."""
    label = label.strip().lower()
    if not label or len(label) > _LONGEST_LABEL or not label.isascii() or not label.isprintable():
        return None
    try:
        name = turbohtml.parse(b"", encoding=label).encoding
    except LookupError:
        return None
    if name is None or name.lower() in _UNREADABLE:
        return None
    return name.lower()


def _says_utf8_plainly(head: bytes) -> bool:
    found = _PLAINLY_UTF8.search(head)
    if found is None:
        return False
    before = head[: found.start()].lower()
    return b"<meta" not in before and not any(quote in before for quote in _QUOTES)


def _declared(head: bytes) -> str | None:
    if head.startswith(b"<\x00?\x00x\x00"):
        return "utf-16le"
    if head.startswith(b"\x00<\x00?\x00x"):
        return "utf-16be"
    xml = _XML_ENCODING.match(head)
    labels = _meta_labels(head) if xml is None else iter([xml[1], *_meta_labels(head)])
    for label in labels:
        name = canonical_name(label.decode("ascii", "replace"))
        if name is not None:
            return _DECLARED_AS.get(name, name)
    return None


def _declared_late(body: bytes) -> str | None:
    """What the first meta tag says that is further down, and no part of a script or comment."""
    for place in islice(_mentions(body), _MOST_MENTIONS):
        start = body.rfind(b"<", max(0, place - _LONGEST_TAG), place)
        end = body.find(b">", place, place + _LONGEST_TAG)
        tag = body[start : end + 1]
        if start < 0 or end < 0 or tag[1:5].lower() != b"meta" or _is_quoted(body, start):
            continue
        for label in _meta_labels(tag):
            if (name := canonical_name(label.decode("ascii", "replace"))) is not None:
                return _DECLARED_AS.get(name, name)
    return None


def _mentions(body: bytes) -> Iterator[int]:
    """Where the head says charset, behind what was looked at already."""
    end = body.find(b"<body", _PRESCAN, _LATEST)
    end = min(len(body), _LATEST) if end < 0 else end
    for spelled in _SPELLED:
        place = _PRESCAN - _LONGEST_TAG
        while (place := body.find(spelled, place + 1, end)) >= 0:
            yield place


def _is_quoted(body: bytes, place: int) -> bool:
    """Whether a parser would take what stands there for text: something with a raw text, or a
    comment, was opened before and not closed."""
    before = body[:place].lower()
    return any(before.rfind(opened) > before.rfind(closed) for opened, closed in _RAW)


def _meta_labels(head: bytes) -> Iterator[bytes]:
    if b"charset" not in head.lower():
        return
    for markup in _MARKUP.finditer(head):
        if markup[1] is None or markup[1].lower() != b"meta":
            continue
        attributes: dict[bytes, bytes] = {}
        for found in _ATTRIBUTE.finditer(markup[2]):
            attributes.setdefault(found[1].lower(), found[2] or found[3] or found[4] or b"")
        if b"charset" in attributes:
            yield attributes[b"charset"]
        elif attributes.get(b"http-equiv", b"").strip().lower() == b"content-type":
            content = attributes.get(b"content", b"").decode("ascii", "replace")
            if (parameter := _PARAMETER.search(content)) is not None:
                yield parameter[1].encode("ascii", "replace")


def _detected(body: bytes) -> str:
    sample = body[:_SAMPLE]
    # ISO-2022-JP is plain ASCII with escapes, so valid UTF-8 as well.
    if (b"\x1b" not in body and _is_utf8(body, sample)) or _is_mostly_utf8(sample):
        return "utf-8"
    guess = detect(sample)
    return canonical_name(guess.encoding or "") or "windows-1252"


def _is_utf8(body: bytes, sample: bytes) -> bool:
    """Whether all of it is; much of it in a sample is sure without the rest, which
    `_is_mostly_utf8` would not ask, either."""
    try:
        text, read = codecs.utf_8_decode(sample, "strict", len(sample) == len(body))
        if read < len(body) and read - len(text) <= _CERTAIN:
            codecs.utf_8_decode(memoryview(body)[read:], "strict", True)
    except UnicodeDecodeError:
        return False
    return True


def _is_mostly_utf8(sample: bytes) -> bool:
    text = sample.decode("utf-8", "ignore")
    broken = len(sample) - len(text.encode("utf-8"))
    good = len(text) - len(text.encode("ascii", "ignore"))
    return good > _TRUST * broken
