"""Which URLs does a sitemap name: of pages, of their translations, of further sitemaps? (DISC-1)

The protocol lets a sitemap speak only of its own host, unless that host's robots.txt names it.
That is not checked here: every URL still has to pass the door, which keeps to the job's scope.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable

from tenax.discover.dates import moment
from tenax.discover.gathered import Gathered, Stopped
from tenax.discover.xml_events import Attributes, attribute

ROOTS = frozenset({"urlset", "sitemapindex"})
_WEB = (b"http://", b"https://")
_LONGEST_LINE = 4_096


class SitemapForm:
    """A urlset or an index, told apart by their items: some documents have both.

    Images and videos have a `loc` of their own, under another prefix or deeper: no pages.
    """

    items = frozenset({"url", "sitemap"})
    texts = frozenset({"loc", "lastmod", ":publication_date"})
    nested = frozenset({":publication_date"})

    def __init__(self, gathered: Gathered, now: float) -> None:
        self._gathered = gathered
        self._now = now
        self._url = ""
        self._modified: float | None = None
        self._published: float | None = None
        self._is_sitemap = False

    def began(self, name: str, attributes: Attributes, base: str) -> None:
        self._url = ""
        self._modified = self._published = None
        self._is_sitemap = name == "sitemap"

    def linked(self, attributes: Attributes, base: str, is_inside: bool) -> bool:
        if is_inside and _is_translation(attributes):
            if self._url:
                # Before its translations, of which it usually is one itself.
                self._gathered.add(self._url, None, self._is_sitemap)
            if url := self._gathered.address(attribute(attributes, "href"), base):
                self._gathered.add_alternate(url)
        return True

    def said(self, name: str, text: str, attributes: Attributes, base: str) -> None:
        if name == "loc":
            self._url = self._url or self._gathered.address(text, base)
        elif name == "lastmod":
            self._modified = moment(text, self._now)
        else:
            self._published = moment(text, self._now)

    def ended(self) -> None:
        if self._url:
            # What is news has not changed before it was published.
            modified = self._published if self._modified is None else self._modified
            self._gathered.add(self._url, modified, self._is_sitemap)


def _is_translation(attributes: Attributes) -> bool:
    """Whether a link names the page in another language: for other screens it is the same page
    once more."""
    if "alternate" not in attribute(attributes, "rel").lower().split():
        return False
    return bool(attribute(attributes, "hreflang") or not attribute(attributes, "media"))


def is_list_of_urls(head: bytes) -> bool:
    """Whether a text begins as such lists do: with a URL on a line of its own."""
    first = next((line for line in map(bytes.strip, head.splitlines()) if line), b"")
    return _is_url(first)


def read_lines(text: Iterable[bytes], most: int, gathered: Gathered) -> Generator[None, None, bool]:
    """Take the URLs of a text that has one on each line; yields after each piece.

    False when most of its lines are none, so that it is another kind of text.
    """
    rest, lines, urls, others = b"", 0, 0, 0
    for piece in text:
        *whole, rest = (rest + piece).replace(b"\r", b"\n").split(b"\n")
        # Enough of it to see that it is too long, however long it is.
        rest = rest[:_LONGEST_LINE]
        lines += len(whole)
        if lines > most:
            raise Stopped(f"more than {most:,} lines; the rest was not read")
        for line in filter(None, map(bytes.strip, whole)):
            if _is_url(line):
                urls += 1
                _take(line, gathered)
            else:
                others += 1
        yield
    if _is_url(rest := rest.strip()):
        urls += 1
        _take(rest, gathered)
    elif rest:
        others += 1
    if others:
        gathered.problems.append(f"lines that are no URLs: {others:,}")
    return urls >= others


def _take(line: bytes, gathered: Gathered) -> None:
    if url := gathered.address(line.decode("utf-8", "replace"), ""):
        gathered.add(url)


def _is_url(line: bytes) -> bool:
    return line[:8].lower().startswith(_WEB) and b" " not in line and b"\t" not in line
