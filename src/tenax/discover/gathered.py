"""Which URLs has a discovery document given so far, and when is it enough?"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct, field

from tenax.model import ListingEntry, RequestLimits
from tenax.model.knobs import SECONDS, AtLeastOne, Count
from tenax.urls.normalise import MAX_LENGTH, resolve

_WEB = ("http://", "https://")


class ListingPolicy(Struct, frozen=True):
    limits: RequestLimits = field(
        default_factory=lambda: RequestLimits(total=120.0, body_bytes=52_428_800)
    )
    """What one request for a sitemap or feed may cost: they may be larger than pages."""
    at_once: AtLeastOne = 16
    """Sitemaps and feeds held in memory at once by one process, while they come and are read."""
    urls: AtLeastOne = 50_000
    """URLs read from one document; the rest is left out, and said to be."""
    alternates: Count = 50_000
    """Translations (hreflang) read from one sitemap besides those."""
    tags: AtLeastOne = 2_000_000
    """Tags, or lines, read from one document: what bounds the time it takes."""
    ratio: AtLeastOne = 300
    """How many times its size a compressed document may grow, once it is over 1 MB."""
    index_depth: Count = 3
    """How deep sitemap indexes may be nested."""
    per_host: Count = 100
    """Sitemaps that a robots.txt names and we ask for."""
    budget: AtLeastOne = 1_000
    """Sitemaps, and as many feeds, that one job takes of a host: some name ever more of them."""
    ahead: Count = 100
    """Those of them that go before pages; the others wait behind them."""
    look_again: Annotated[float, Meta(ge=1), SECONDS] = 86_400.0
    """Seconds after which a job asks for a host's sitemaps that it did not name before."""


class Stopped(Exception):
    """The document is not read any further; the text says why."""


class Gathered:
    """URLs in the order of their first mention, each once."""

    __slots__ = ("_alternates", "_found", "_listed", "_policy", "_room", "_too_long", "problems")

    def __init__(self, policy: ListingPolicy) -> None:
        self._policy = policy
        # A long base makes long URLs of short ones: they must not outgrow what was fetched.
        self._room = policy.limits.body_bytes
        self._found: dict[str, ListingEntry] = {}
        self._listed = 0
        self._alternates = 0
        self._too_long = 0
        self.problems: list[str] = []

    def add(self, url: str, modified: float | None = None, is_sitemap: bool = False) -> None:
        """Take a URL that is listed. Where it was met without a date, a later one is believed."""
        known = self._found.get(url)
        if known is None:
            if self._listed >= self._policy.urls:
                raise Stopped(f"more than {self._policy.urls:,} URLs; the rest was not read")
            self._listed += 1
            self._keep(ListingEntry(url, modified, is_sitemap))
        elif modified is not None and known.modified is None:
            self._found[url] = ListingEntry(url, modified, known.is_sitemap)

    def add_alternate(self, url: str) -> None:
        """Take the translation of a URL that is listed."""
        if url in self._found:
            return
        if self._alternates < self._policy.alternates:
            self._keep(ListingEntry(url))
        elif self._alternates == self._policy.alternates:
            most = self._policy.alternates
            self.problems.append(f"more than {most:,} translations; the others were not read")
        self._alternates += 1

    def address(self, text: str, base: str) -> str:
        """The absolute URL a document means; empty when it is none of the web.

        What is absolute already stays as it is spelled: the door resolves everything anyway.
        """
        text = text.strip()
        if len(text) > MAX_LENGTH:
            self._too_long += 1
            return ""
        if text[:8].lower().startswith(_WEB):
            return text
        url = (resolve(text, base) if text else None) or ""
        if len(url) > MAX_LENGTH:
            self._too_long += 1
            return ""
        return url if url.startswith(_WEB) else ""

    def _keep(self, entry: ListingEntry) -> None:
        self._room -= len(entry.url)
        if self._room < 0:
            raise Stopped("its URLs together are larger than the limit; the rest was not read")
        self._found[entry.url] = entry

    @property
    def entries(self) -> tuple[ListingEntry, ...]:
        return tuple(self._found.values())

    @property
    def problem(self) -> str:
        told = list(dict.fromkeys(self.problems))
        if self._too_long:
            plural = "" if self._too_long == 1 else "s"
            told.append(f"{self._too_long:,} URL{plural} over {MAX_LENGTH:,} characters")
        return "; ".join(told)
