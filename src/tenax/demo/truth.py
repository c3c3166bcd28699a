"""What should a correct crawl of the demo web find, and what must it leave alone?

Every URL here is in normal form: tracking and session parameters dropped, query sorted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct, field

if TYPE_CHECKING:
    from tenax.demo.server import DemoWeb


class TrueProduct(Struct, frozen=True):
    """One product as its page states it; prices are decimal text, availability is InStock …"""

    url: str
    name: str
    price: str
    currency: str
    availability: str
    brand: str
    category: str
    sku: str
    gtin: str
    description: str
    images: tuple[str, ...]
    markup: str
    """How the page says it: json-ld, json-ld-graph, microdata, rdfa, open-graph, text for nothing
    but what people see, or json-ld-wrong: machines are told cents, as some shops do."""
    locale: str
    was: str | None = None
    rating: str | None = None
    reviews: int = 0


class Article(Struct, frozen=True):
    url: str
    title: str
    author: str
    section: str
    published: str
    """ISO 8601 with its offset."""
    modified: str | None
    text: str
    """The main text, paragraphs separated by a blank line; nothing of the frame around it."""
    dated_by: str
    """Where the page says when: json-ld, meta, time, or text."""


class Trap(Struct, frozen=True):
    """Pages without end under one of these prefixes; a careful crawl asks for no more than that."""

    name: str
    prefixes: tuple[str, ...]
    at_most: int


class Rendered(Struct, frozen=True):
    """What a browser sees on a page that is an empty shell without JavaScript."""

    title: str
    text: str
    links: tuple[str, ...]


class Truth(Struct, frozen=True):
    """One site's ground truth, for a polite crawl by links alone with default settings."""

    front: str
    pages: frozenset[str] = frozenset()
    """HTML to be stored, by the URL that finally answered; exact, duplicates included.
    What only a browser can have is in `rendered`."""
    unstored: frozenset[str] = frozenset()
    """Visited, but noindex: no content is kept."""
    files: frozenset[str] = frozenset()
    """Linked, but not HTML: never stored as a page, visited or not."""
    never: Mapping[str, str] = field(default_factory=dict)
    """Must not be requested, and why: robots, nofollow, or phantom (no real link leads there)."""
    never_under: tuple[str, ...] = ()
    """Prefixes robots.txt closes."""
    open_under: tuple[str, ...] = ()
    """Prefixes robots.txt opens again inside the closed ones."""
    gone: Mapping[str, int] = field(default_factory=dict)
    failures: Mapping[str, str] = field(default_factory=dict)
    """Linked pages that can't be had, and the fault (or `priced`) a visit ends with."""
    garbage: Mapping[str, str] = field(default_factory=dict)
    """Answers that look like pages and aren't, with the verdict of a judge who has no browser."""
    redirects: Mapping[str, str] = field(default_factory=dict)
    """Linked URL to the URL that finally answers, which may be on another site."""
    refreshes: Mapping[str, str] = field(default_factory=dict)
    """Pages that point elsewhere by meta refresh; both ends are in `pages`."""
    canonicals: Mapping[str, str] = field(default_factory=dict)
    """Pages that name another URL as their canonical one."""
    similar: tuple[tuple[str, str], ...] = ()
    """Pairs of near-duplicates at different, equally canonical URLs."""
    charsets: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Oddly encoded pages: the charset really used, and the title as a person reads it."""
    hidden: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Pages no link reaches, by what finds them: sitemap, feed, archives, pagination, script."""
    rendered: Mapping[str, Rendered] = field(default_factory=dict)
    """Pages that are shells until a browser has run their scripts, links included."""
    products: Mapping[str, TrueProduct] = field(default_factory=dict)
    articles: Mapping[str, Article] = field(default_factory=dict)
    traps: tuple[Trap, ...] = ()

    def to_store(self, *, by_browser: bool) -> frozenset[str]:
        """The pages a crawl should end up with, depending on whether it can render."""
        return self.pages | frozenset(self.rendered) if by_browser else self.pages

    def to_refuse(self, *, by_browser: bool) -> dict[str, str]:
        """The answers it should not take for pages, with their verdicts."""
        had = self.to_store(by_browser=by_browser)
        return {url: verdict for url, verdict in self.garbage.items() if url not in had}

    def is_closed(self, url: str) -> bool:
        """Whether requesting it (robots.txt aside) would be a fault of the crawler."""
        if url in self.never:
            return True
        if url.startswith(self.open_under) or url == self.front + "robots.txt":
            return False
        return url.startswith(self.never_under)

    def breaches(self, urls: Iterable[str]) -> list[str]:
        """Those of the requested URLs that had to be left alone."""
        return [url for url in urls if self.is_closed(url)]

    def trap_of(self, url: str) -> Trap | None:
        return next((trap for trap in self.traps if url.startswith(trap.prefixes)), None)


def truth(web: DemoWeb) -> dict[str, Truth]:
    """The ground truth of every site, by name."""
    return {name: site.truth() for name, site in web.sites.items()}
