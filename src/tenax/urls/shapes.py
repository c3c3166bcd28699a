"""Which URLs of a host are of one kind? The shape of a URL: what is left without what varies.

    /news/2026/11/storm-over-merrow?page=3   is   /news/N/N/S?page

Made once per visit and once per new URL, so it has to cost next to nothing. Pure, and stable: the
ledger keeps shapes by their text.
"""

from __future__ import annotations

import re
from functools import lru_cache
from zlib import crc32

LONGEST = 120
NUMBER, HASH, SLUG, WORD, MIXED = "N", "H", "S", "W", "A"
_DEEPEST = 3
"""Kinds told apart below the folder; a path that goes deeper is the same shape however deep."""
_PARAMETERS = 4
_LONGEST_KNOWN = 250
"""Folders of longer paths are not remembered: no hostile site fills the memory with them."""
_LONGEST_NAME = 24
_LONGEST_WORD = 20
_LONGEST_ENDING = 5
_LOCALE = re.compile(r"[a-z]{2}(?:[-_][A-Za-z]{2})?")
_UNVARYING = str.maketrans("", "", "0123456789-_.,:")
_HASHED = re.compile(
    r"(?=.*\d)(?:[0-9a-f]{8,}|[0-9A-F]{8,}|[0-9A-Za-z]{16,})"
    r"|[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}"
)
_MIX = re.compile(r"[0-9A-Za-z]{1,15}")
_DIGITS = re.compile(r"\d+", re.ASCII)


def shape_of(path_and_query: str) -> str:
    """The shape of a URL, from its path and query. Never raises; at most 120 characters.

    The first folder is kept as it is spelled (after a locale, the next one too), everything below
    by its kind: a number, a hash, a slug, a word. Of the query only the names count.
    """
    if "?" in path_and_query or path_and_query[-1:] == "/" or len(path_and_query) > _LONGEST_KNOWN:
        return _whole_shape(path_and_query)
    # Most URLs are the names of pages, and most pages of a site are in a few folders.
    folder, _, name = path_and_query.rpartition("/")
    shape, is_whole = _shape_within(folder)
    if not is_whole:
        shape += _named(name) if "." in name else kind_of(name)
    return shape if len(shape) <= LONGEST else _cut(shape)


@lru_cache(maxsize=8192)
def _shape_within(folder: str) -> tuple[str, bool]:
    """The shape of what is in a folder, up to its name; all of it where names do not count."""
    segments = f"{folder}/".lstrip("/").split("/")
    folders = _folders(segments)
    below = segments[len(folders) : -1]
    if len(below) >= _DEEPEST:
        kinds = [*map(kind_of, below[: _DEEPEST - 1]), "*"]
        return "/" + "/".join(folders + kinds), True
    return "/" + "".join(f"{part}/" for part in (*folders, *map(kind_of, below))), False


def _whole_shape(path_and_query: str) -> str:
    path, mark, query = path_and_query.partition("?")
    slash = "/" if path[-1:] == "/" and path != "/" else ""
    segments = path.strip("/").split("/")
    folders = _folders(segments)
    below = segments[len(folders) :]
    kinds = [kind_of(segment) for segment in below[:_DEEPEST]]
    if len(below) > _DEEPEST:
        kinds[-1] = "*"
    elif below and "." in below[-1]:
        kinds[-1] = _named(below[-1])
    shape = "/" + "/".join(folders + kinds) + slash
    if mark and query:
        shape += "?" + _names(query)
    return shape if len(shape) <= LONGEST else _cut(shape)


@lru_cache(maxsize=8192)
def family_of(shape: str) -> str:
    """The folder a shape is in, and whether it has a query: whoever is in there is its kin."""
    path, mark, _ = shape.partition("?")
    first, slash, rest = path[1:].partition("/")
    if not slash or (not rest and first in _KINDS):
        return "/" + mark
    if _LOCALE.fullmatch(first) and "/" in rest:
        first = f"{first}/{rest.partition('/')[0]}"
    return f"/{first}/{mark}"


_KINDS = frozenset({NUMBER, HASH, SLUG, WORD, MIXED})


@lru_cache(maxsize=8192)
def loosened(shape: str) -> str:
    """The shape with its folder by its kind alone, for sites that make up folders."""
    path, mark, query = shape.partition("?")
    first, slash, rest = path[1:].partition("/")
    if not slash or first in _KINDS:
        return shape
    return f"/{kind_of(first)}/{rest}{mark}{query}"[:LONGEST]


def _folders(segments: list[str]) -> list[str]:
    """The segments kept as they are; the last one is a name, and never is."""
    if len(segments) < 2:
        return []
    first = _folder(segments[0])
    if len(segments) > 2 and _LOCALE.fullmatch(first):
        return [first, _folder(segments[1])]
    return [first]


@lru_cache(maxsize=8192)
def _folder(segment: str) -> str:
    kind = kind_of(segment)
    if kind is WORD or kind is MIXED or (kind is SLUG and _LOCALE.fullmatch(segment)):
        return _DIGITS.sub("0", segment)
    return kind


@lru_cache(maxsize=8192)
def kind_of(segment: str) -> str:
    """What one segment of a path is: a number, a hash, a slug, a word, or a mix."""
    if ";" in segment:
        segment = segment.partition(";")[0]
    if segment.isalpha():
        return WORD if len(segment) <= _LONGEST_WORD else SLUG
    if not segment.translate(_UNVARYING):
        return NUMBER if segment else ""
    if _HASHED.fullmatch(segment):
        return HASH
    return MIXED if _MIX.fullmatch(segment) else SLUG


def _named(name: str) -> str:
    """The kind of a name with its ending: `install.html` is no `install`."""
    stem, _, ending = name.rpartition(".")
    if stem and ending.isalpha() and len(ending) <= _LONGEST_ENDING:
        return f"{kind_of(stem)}.{ending.lower()}"
    return kind_of(name)


def _names(query: str) -> str:
    names = {parameter.partition("=")[0][:_LONGEST_NAME] for parameter in query.split("&")}
    ordered = sorted({_DIGITS.sub("0", name) if not name.isalpha() else name for name in names})
    if len(ordered) > _PARAMETERS:
        ordered[_PARAMETERS:] = ["*"]
    return ",".join(ordered)


def _cut(shape: str) -> str:
    """Its beginning, and a checksum in place of the rest."""
    return f"{shape[: LONGEST - 9]}~{crc32(shape.encode('utf-8', 'replace')):08x}"
