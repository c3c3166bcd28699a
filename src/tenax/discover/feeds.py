"""Which pages does a feed name, and when did they change: RSS of all versions, Atom, JSON Feed?
(DISC-1)"""

from __future__ import annotations

from collections.abc import Generator

import msgspec

from tenax.discover.dates import moment
from tenax.discover.gathered import Gathered, Stopped
from tenax.discover.xml_events import Attributes, attribute

ROOTS = frozenset({"rss", "rdf", "feed", "channel"})
_GO_ON = frozenset({"next", "prev-archive"})
"""Relations of a feed to its other parts (RFC 5005)."""


class FeedForm:
    """Items of RSS and entries of Atom; also where one borrows the other's elements."""

    items = frozenset({"item", "entry"})
    texts = frozenset({
        "link", "guid", "id", ":origlink",
        "pubdate", "updated", "published", "modified", "issued",
        ":date", ":modified", ":updated", ":published",
    })  # fmt: skip
    nested = frozenset[str]()

    def __init__(self, gathered: Gathered, now: float) -> None:
        self._gathered = gathered
        self._now = now
        self._url = ""
        self._original = ""
        """The page itself, where the link leads through somebody who counts readers."""
        self._name = ""
        """What identifies the item: a URL too, often enough."""
        self._modified: float | None = None

    def began(self, name: str, attributes: Attributes, base: str) -> None:
        self._url = self._original = ""
        self._name = attribute(attributes, "rdf:about")
        self._modified = None

    def linked(self, attributes: Attributes, base: str, is_inside: bool) -> bool:
        href = attribute(attributes, "href")
        if not href:
            return False
        relations = frozenset(attribute(attributes, "rel").lower().split())
        if not is_inside:
            if not relations.isdisjoint(_GO_ON) and (url := self._gathered.address(href, base)):
                self._gathered.add(url, is_sitemap=True)
        elif not self._url and (not relations or "alternate" in relations):
            self._url = self._gathered.address(href, base)
        return True

    def said(self, name: str, text: str, attributes: Attributes, base: str) -> None:
        match name:
            case "link":
                self._url = self._url or self._gathered.address(text, base)
            case ":origlink":
                self._original = self._gathered.address(text, base)
            case "guid" | "id":
                if attribute(attributes, "isPermaLink").lower() != "false":
                    self._name = text
            case _:
                # The latest of them: nothing has changed after the last date it tells.
                at = moment(text, self._now)
                self._modified = max(at, self._modified or at) if at else self._modified

    def ended(self) -> None:
        url = self._original or self._url or address_of_name(self._name, self._gathered)
        if url:
            self._gathered.add(url, self._modified)


def address_of_name(name: str, gathered: Gathered) -> str:
    """The URL that an identifier is; empty for one that only identifies."""
    name = name.strip()
    return (
        gathered.address(name, "") if name[:8].lower().startswith(("http://", "https://")) else ""
    )


_Scalar = str | int | float | bool | None


class _JsonItem(msgspec.Struct, gc=False):
    id: _Scalar = None
    url: _Scalar = None
    external_url: _Scalar = None
    date_published: _Scalar = None
    date_modified: _Scalar = None


class _JsonFeed(msgspec.Struct):
    version: str = ""
    items: list[_JsonItem] = []
    next_url: _Scalar = None


_json = msgspec.json.Decoder(_JsonFeed)
_VERSION = "jsonfeed.org/version/"
LARGEST_JSON = 10_000_000
"""Bytes: JSON is read at once, unlike the others."""
_MOST_OBJECTS = 250_000
_STEP = 500


def read_json(
    body: bytes, base: str, now: float, gathered: Gathered
) -> Generator[None, None, bool]:
    """Take the pages of a JSON Feed, in steps; False when it is something else in JSON."""
    if _VERSION.encode() not in body.replace(b"\\/", b"/"):
        return False
    if body.count(b"{") > _MOST_OBJECTS:
        raise Stopped(f"more than {_MOST_OBJECTS:,} objects")
    try:
        feed = _json.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise Stopped(f"no JSON Feed that can be read: {error}"[:200]) from None
    if _VERSION not in feed.version:
        return False
    for number, item in enumerate(feed.items):
        _take(item, base, now, gathered)
        if number % _STEP == 0:
            yield
    if url := gathered.address(_text(feed.next_url), base):
        gathered.add(url, is_sitemap=True)
    return True


def _take(item: _JsonItem, base: str, now: float, gathered: Gathered) -> None:
    url = (
        gathered.address(_text(item.url), base)
        or gathered.address(_text(item.external_url), base)
        or address_of_name(_text(item.id), gathered)
    )
    if url:
        told = (item.date_published, item.date_modified)
        dates = (at for each in told if (at := moment(_text(each), now)) is not None)
        gathered.add(url, max(dates, default=None))


def _text(value: _Scalar) -> str:
    return value if isinstance(value, str) else ""
