"""What does a document list, if it is a sitemap, a feed or a list of URLs at all? (DISC-1)

Its form is told by its beginning, never by its name or type: sitemaps come as feeds, feeds as
text/html, and both as HTML that says "not found". Whatever it is, it is read in pieces and each
piece is a step, so that whoever has other things to do can do them in between.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator

from msgspec import Struct

from tenax.discover import feeds, sitemaps
from tenax.discover.gathered import Gathered, ListingPolicy, Stopped
from tenax.discover.unpack import is_gzip, pieces
from tenax.discover.xml_events import BROKEN, XmlOutline
from tenax.model import Listing, Role

Steps = Generator[None, None, Listing | None]
"""Work in small pieces; the last one returns what the document lists."""

_HEAD = 32_768
_STEP = 16_384
"""Bytes of XML read before others are heard: a few milliseconds."""
_MOST_JUNK = 1_000
"""Bytes that may stand before the document: messages of whatever made it."""


def read_listing(
    body: bytes, url: str, content_type: str, policy: ListingPolicy, *, now: float
) -> Listing | None:
    """What the document lists; None when it is no listing. Never raises, whatever the bytes are.

    `content_type` is the whole header. What can be read of a broken document is told, with its
    problem.
    """
    steps = listing_steps(body, url, content_type, policy, now=now)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]  # typeshed gives it no type


def listing_steps(
    body: bytes, url: str, content_type: str, policy: ListingPolicy, *, now: float
) -> Steps:
    """`read_listing` in steps of some milliseconds each."""
    document = _Document(body, url, content_type, policy, now, Gathered(policy))
    head = document.head()
    if sitemaps.is_list_of_urls(head):
        return (yield from _listing_of_lines(document))
    if head.lstrip().startswith(b"{"):
        return (yield from _listing_of_json(document))
    root = _root(head)
    if root in sitemaps.ROOTS or root in feeds.ROOTS:
        return (yield from _listing_of_xml(document, root))
    # Nobody packs a page like this: what cannot be unpacked was meant to be a sitemap.
    return document.listing(Role.SITEMAP) if not head and is_gzip(body) else None


class _Document(Struct, frozen=True):
    body: bytes
    url: str
    content_type: str
    policy: ListingPolicy
    now: float
    gathered: Gathered

    def text(self) -> Iterator[bytes]:
        """Its pieces, from the beginning; where they end too early, that is a problem of it."""
        try:
            yield from pieces(self.body, self.content_type, self.policy)
        except Stopped as reason:
            self.gathered.problems.append(str(reason))

    def markup(self) -> Iterator[bytes]:
        """The pieces of an XML document, without what stands before it."""
        left = _start(self.head())
        for piece in self.text():
            if left < len(piece):
                yield piece[left:]
            left = max(0, left - len(piece))

    def mended(self) -> Iterator[bytes]:
        return _with_ampersands(_small(self.markup()), self.policy.tags)

    def head(self) -> bytes:
        head = b""
        for piece in self.text():
            head += piece
            if len(head) >= _HEAD:
                break
        return head

    def listing(self, kind: Role) -> Listing:
        return Listing(kind, self.gathered.entries, self.gathered.problem)


def _listing_of_lines(document: _Document) -> Steps:
    gathered = document.gathered
    try:
        if not (yield from sitemaps.read_lines(document.text(), document.policy.tags, gathered)):
            return None
    except Stopped as reason:
        gathered.problems.append(str(reason))
    return document.listing(Role.SITEMAP)


def _listing_of_json(document: _Document) -> Steps:
    parts, room = [], feeds.LARGEST_JSON
    for piece in document.text():
        parts.append(piece)
        room -= len(piece)
        if room < 0:
            return None
        yield
    try:
        body = b"".join(parts)
        feed = feeds.read_json(body, document.url, document.now, document.gathered)
        if not (yield from feed):
            return None
    except Stopped as reason:
        document.gathered.problems.append(str(reason))
    return document.listing(Role.FEED)


def _listing_of_xml(document: _Document, root: str) -> Steps:
    gathered, now = document.gathered, document.now
    is_sitemap = root in sitemaps.ROOTS
    form = sitemaps.SitemapForm(gathered, now) if is_sitemap else feeds.FeedForm(gathered, now)
    outline = XmlOutline(form, document.url, document.policy.tags)
    try:
        try:
            yield from _feed(outline, document.markup())
        except BROKEN:
            # Mostly for the ampersands in its URLs. Nothing is met twice by reading it again.
            outline.restart()
            yield from _feed(outline, document.mended())
        if not outline.close() and not gathered.problems:
            gathered.problems.append("cut off: its XML ends early")
    except BROKEN as error:
        outline.settle()
        gathered.problems.append(f"broken XML ({error}); the rest was not read")
    except Stopped as reason:
        outline.settle()
        gathered.problems.append(str(reason))
    if root == "rdf" and not gathered.entries:
        # RDF describes anything; without items it is no feed.
        return None
    return document.listing(Role.SITEMAP if is_sitemap else Role.FEED)


def _feed(outline: XmlOutline, text: Iterable[bytes]) -> Iterator[None]:
    for piece in _small(text):
        outline.feed(piece)
        yield


def _small(text: Iterable[bytes]) -> Iterator[bytes]:
    for piece in text:
        for at in range(0, len(piece), _STEP):
            yield piece[at : at + _STEP]


_BEFORE_ROOT = re.compile(
    rb"\s*(?:<\?.*?\?>|<!--.*?-->|<![^\[>]*(?:\[.*?\]\s*)?>)", re.DOTALL
)  # fmt: skip
_ROOT = re.compile(rb"\s*<(?:[\w.-]{1,100}:)?([\w.-]{1,100})")


def _start(head: bytes) -> int:
    """Where the document begins: messages before it may be in HTML."""
    declared = head.find(b"<?xml", 0, _MOST_JUNK)
    return declared if declared >= 0 else max(0, head.find(b"<", 0, _MOST_JUNK))


def _root(head: bytes) -> str:
    """The name of the first element, without prefix, in lower case; empty when there is none."""
    at = _start(head)
    while (prolog := _BEFORE_ROOT.match(head, at)) is not None:
        at = prolog.end()
    root = _ROOT.match(head, at)
    return root[1].decode("latin-1").lower() if root else ""


_BARE_AMPERSAND = re.compile(rb"&(?!#?\w{1,40};)")
_MAY_GO_ON = re.compile(rb"(?:&#?\w{0,40}|<[!\[CDAT]{0,8}|\]{1,2})\Z")
_LONGEST_MARK = 64


def _with_ampersands(text: Iterable[bytes], most: int) -> Iterator[bytes]:
    """The same XML with `&amp;` for each ampersand that begins no reference, but no more than so
    many. In CDATA an ampersand is only itself.
    """
    is_literal, rest = False, b""
    for piece in text:
        piece = rest + piece
        cut = _MAY_GO_ON.search(piece, max(0, len(piece) - _LONGEST_MARK))
        at, end = 0, cut.start() if cut else len(piece)
        rest = piece[end:]
        mended: list[bytes] = []
        while at < end:
            mark = b"]]>" if is_literal else b"<![CDATA["
            found = piece.find(mark, at, end)
            until = end if found < 0 else found + len(mark)
            part = piece[at:until]
            if not is_literal:
                part, count = _BARE_AMPERSAND.subn(b"&amp;", part)
                most -= count
            mended.append(part)
            is_literal ^= found >= 0
            at = until
        yield b"".join(mended)
        if most < 0:
            raise Stopped("full of ampersands that mean nothing; the rest was not read")
    yield rest
