"""What is a demo site? A name, a place, and a function from a request to a reply."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from html import escape
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, quote, unquote

from msgspec import Struct

from tenax.demo.truth import Truth

HTML = "text/html; charset=utf-8"
MODIFIED = "Thu, 15 Jan 2026 08:00:00 GMT"
"""Content never looks at the clock: a crawl of the demo web must be the same in any year."""


class Cut(StrEnum):
    """How a connection can end badly."""

    RESET = "reset"
    """A TCP reset before the first byte."""
    TRUNCATED = "truncated"
    """Half of the promised body, then the end."""
    SILENT = "silent"
    """Nothing at all, for as long as the client cares to wait."""


@dataclass(frozen=True)
class SiteRequest:
    """A request as a site sees it: the path decoded, the query raw."""

    method: str
    target: str
    headers: Mapping[str, str]

    @property
    def path(self) -> str:
        return unquote(self.target.partition("?")[0])

    @property
    def query(self) -> str:
        return self.target.partition("?")[2]

    @cached_property
    def segments(self) -> list[str]:
        return self.path[1:].split("/")

    @cached_property
    def params(self) -> dict[str, str]:
        return dict(parse_qsl(self.query, keep_blank_values=True))


class Reply(Struct):
    """An answer as data; how it travels (delay, drip, cut) is data too."""

    body: bytes = b""
    status: int = 200
    kind: str = HTML
    """The Content-Type; empty sends none."""
    headers: tuple[tuple[str, str], ...] = ()
    modified: str = MODIFIED
    """Last-Modified; empty sends no validators, so a visit can never be answered 304."""
    codings: tuple[str, ...] = ()
    """Content codings to use when the client accepts one, best first."""
    chunked: bool = False
    delay: float = 0.0
    drip: float = 0.0
    """Seconds between the pieces of a chunked body."""
    cut: Cut | None = None


class LoggedRequest(NamedTuple):
    """One line of the request log."""

    at: float
    """`time.monotonic()` when the request had arrived."""
    site: str
    host: str
    method: str
    path: str
    """As requested: query included, nothing decoded."""
    agent: str
    status: int
    """0 when the connection was cut instead of answered."""
    under_way: int
    """Requests this site was busy with, this one included."""


@dataclass
class Site(ABC):
    """Where it lives is known only once its port is bound: `place` comes before `answer`."""

    name: str = ""
    title: str = ""
    tagline: str = ""
    origin: str = field(default="", init=False)
    origins: Mapping[str, str] = field(default_factory=dict, init=False)
    _header: str = field(default="", init=False, repr=False)
    _footer: str = field(default="", init=False, repr=False)

    def place(self, origins: Mapping[str, str]) -> None:
        self.origin = origins[self.name]
        self.origins = origins
        # The frame is the same around every page: made once, or it is most of a page's cost.
        self._header, self._footer = self._frame()

    @property
    def url(self) -> str:
        return self.origin + "/"

    @abstractmethod
    def answer(self, request: SiteRequest) -> Reply: ...

    @abstractmethod
    def truth(self) -> Truth: ...

    def menu(self) -> Sequence[tuple[str, str]]:
        """(href, label) of the links in every page's header."""
        return (("/", "Home"),)

    def at(self, path: str) -> str:
        return self.origin + quote(path, safe="/?=&;,%-._~")

    def all_at(self, paths: Sequence[str]) -> frozenset[str]:
        return frozenset(self.at(path) for path in paths)

    def page(
        self, title: str, main: str, *, head: str = "", lang: str = "en", **reply: Any
    ) -> Reply:
        """A whole document in the site's frame: header, `main`, footer with the neighbours."""
        return Reply(self.document(title, main, head=head, lang=lang).encode(), **reply)

    def document(self, title: str, main: str, *, head: str = "", lang: str = "en") -> str:
        return (
            f'<!DOCTYPE html>\n<html lang="{lang}">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{escape(title)} | {escape(self.title)}</title>\n{head}"
            f"<style>{CSS}</style>\n</head>\n<body>\n{self._header}"
            f"<main>\n{main}\n</main>\n{self._footer}</body>\n</html>\n"
        )

    def missing(self, status: int = 404) -> Reply:
        word = "Gone" if status == 410 else "Not found"
        body = f"<h1>{word}</h1>\n<p>There is nothing at this address. Try the front page.</p>"
        return self.page(word, body, status=status, modified="")

    def robots(self, *lines: str) -> Reply:
        text = "\n".join(lines or ("User-agent: *", "Disallow:"))
        return Reply(f"{text}\n".encode(), kind="text/plain; charset=utf-8")

    def _frame(self) -> tuple[str, str]:
        menu = " ".join(f'<a href="{escape(href)}">{label}</a>' for href, label in self.menu())
        title = f'<strong><a href="/">{escape(self.title)}</a></strong>'
        others = [
            f'<a href="{origin}/">{name}</a>'
            for name, origin in self.origins.items()
            if name != self.name
        ]
        elsewhere = f"<p>Elsewhere on the demo web: {', '.join(others)}</p>" if others else ""
        return (
            f"<header>{title} <nav>{menu}</nav></header>\n",
            f"<footer><p>{escape(self.tagline)}</p>{elsewhere}</footer>\n",
        )


def moved(location: str, status: int = 301) -> Reply:
    body = f'<p>This page is now at <a href="{escape(location)}">{escape(location)}</a>.</p>'
    return Reply(body.encode(), status=status, headers=(("Location", location),), modified="")


def is_number(text: str, last: int) -> bool:
    """Whether it is a number from 1 to last in its one proper spelling: 7, not 07."""
    plain = text.isascii() and text.isdecimal() and len(text) < 12 and text[0] != "0"
    return plain and int(text) <= last


def paragraphs(text: Sequence[str]) -> str:
    return "\n".join(f"<p>{escape(each, quote=False)}</p>" for each in text)


def listing(links: Sequence[tuple[str, str]]) -> str:
    """A bulleted list of (href, label)."""
    items = "\n".join(
        f'<li><a href="{escape(href)}">{escape(label)}</a></li>' for href, label in links
    )
    return f"<ul>\n{items}\n</ul>"


CSS = (
    ":root{color-scheme:light dark}"
    "body{font:16px/1.6 system-ui,sans-serif;max-width:62rem;margin:0 auto;padding:0 1rem}"
    "header,footer{padding:.8rem 0;border-bottom:1px solid #8885}"
    "footer{border:0;border-top:1px solid #8885;margin-top:3rem;font-size:.85rem;opacity:.8}"
    "nav a,.facets a{margin-right:.8rem}a{color:#2563c9}"
    "h1{line-height:1.2}table{border-collapse:collapse}td,th{padding:.3rem .8rem;text-align:left;"
    "border-bottom:1px solid #8883}pre{background:#8881;padding:.8rem;overflow:auto}"
    ".grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(13rem,1fr));gap:1rem}"
    ".card{border:1px solid #8884;border-radius:.5rem;padding:.8rem}"
    ".card img,.gallery img{width:6rem;height:6rem;border-radius:.4rem}"
    ".price{font-weight:700}del{opacity:.6}aside{font-size:.9rem;opacity:.9}"
)
