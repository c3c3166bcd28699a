"""Which sites have a parser of their own? Registered by a decorator, found by host (PROD-2)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Final

from msgspec import Struct
from turbohtml import Element

from tenax.page.html import Tree, one_line

GROUP: Final = "tenax.sites"
"""The entry points that name modules with parsers."""
GENERIC: Final = "generic"
_OURS: Final = ("tenax.page.sites.amazon",)
_LONGEST: Final = 2_000
_AROUND: Final = re.compile(r"^\w+://(?:[^/@]*@)?|[:/?#].*$")


class SitePage(Struct, frozen=True):
    """A page as the parser of a site asks about it; what is not there is empty text."""

    tree: Tree
    url: str

    def text(self, *selectors: str) -> str:
        """The text of the first element that has any, trying one selector after the other."""
        for selector in selectors:
            for element in self.tree.document.select(selector)[:5]:
                if text := one_line(element.text, _LONGEST):
                    return text
        return ""

    def attr(self, selector: str, name: str) -> str:
        """An attribute of the first element that has it."""
        for element in self.tree.document.select(selector)[:20]:
            if value := (element.attr(name) or "").strip():
                return value
        return ""

    def all(self, selector: str) -> list[Element]:
        return list(self.tree.document.select(selector))

    def matched(self, pattern: str, text: str) -> str:
        """The first group of a pattern in a text."""
        found = re.search(pattern, text)
        return found[1] if found else ""


Parse = Callable[[SitePage], Mapping[str, str]]


class SiteParser(Struct, frozen=True):
    name: str
    pattern: str
    version: str
    parse: Parse

    def reads(self, host: str) -> bool:
        return fnmatchcase(host, self.pattern) or fnmatchcase(host, f"*.{self.pattern}")


_registered: list[SiteParser] = []


def site_parser(pattern: str, *, version: str) -> Callable[[Parse], Parse]:
    """Register a function that reads the product pages of hosts like this.

    It returns what it knows, by field; a later registration for the same host wins.
    """

    def register(parse: Parse) -> Parse:
        _registered.insert(0, SiteParser(parse.__name__, pattern.lower(), version, parse))
        parser_for.cache_clear()
        return parse

    return register


@cache
def _load() -> None:
    for name in _OURS:
        import_module(name)
    for entry in entry_points(group=GROUP):
        entry.load()


@cache
def parser_for(host: str) -> SiteParser | None:
    """The parser of a host, without its port; None when it has none."""
    _load()
    return next((each for each in _registered if each.reads(host)), None)


def parser_of(url: str) -> SiteParser | None:
    return parser_for(site_host(url))


def parser_named(name: str) -> SiteParser | None:
    """The parser of this name; None for `generic`, which is what reads all other sites."""
    _load()
    return next((each for each in _registered if each.name == name), None)


def parser_names() -> list[str]:
    _load()
    return sorted({GENERIC, *(each.name for each in _registered)})


def site_host(url: str) -> str:
    """The host of a URL without its port; of what is none, whatever comes closest."""
    return _AROUND.sub("", url).lower()
