"""What one successful visit read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from tenax.model.words import Role

if TYPE_CHECKING:
    from tenax.model.product import Product


class Directives(Struct, frozen=True):
    """What the page itself asks of robots (ROB-3): X-Robots-Tag and meta, most restrictive."""

    noindex: bool = False
    nofollow: bool = False
    source: str = ""
    """The header or meta tag that said so, for `tenax why`."""


class ListingEntry(Struct, frozen=True):
    """A URL in a sitemap or feed."""

    url: str
    modified: float | None = None
    """When it last changed, as the document tells."""
    is_sitemap: bool = False
    """It leads to another such document."""


class Listing(Struct, frozen=True):
    """What a sitemap or a feed lists."""

    kind: Role
    entries: tuple[ListingEntry, ...]
    problem: str = ""
    """Why it is not all of it, or not in order; empty when it is."""


class Page(Struct, frozen=True):
    """What one successful visit read. Fields a body can give again later are not kept here."""

    url: str
    """Where the body came from: the last hop of same-host redirects."""
    status: int
    content_type: str
    body: bytes | None
    """Decompressed bytes as served; None when the content type is not text."""
    fetched_at: float
    charset: str = ""
    title: str = ""
    description: str = ""
    canonical: str = ""
    language: str = ""
    published: str = ""
    modified: str = ""
    content_hash: bytes = b""
    """SHA-256 of the main text; empty when there is no text."""
    digest: bytes = b""
    """SHA-256 of the body; the name of its file in the content store."""
    words: int = 0
    etag: str = ""
    last_modified: str = ""
    base: str = ""
    """What its links resolve against."""
    links: tuple[str, ...] = ()
    """As the page spells them, each once: white space and fragment removed, not resolved."""
    feeds: tuple[str, ...] = ()
    """The feeds it names, resolved."""
    unfollowed: frozenset[str] = frozenset()
    """Those of the links that it asks not to follow wherever it names them."""
    directives: Directives = Directives()
    rights: tuple[tuple[str, str], ...] = ()
    """Signals about use kept with the page (ROB-4): (where it stood, what it said)."""
    simhash: int | None = None
    """64 bits that are nearly the same for nearly the same text; None for too little text."""
    sample: bytes = b""
    """Its title and some of its main text, in UTF-8: enough to tell whether it says something."""
    listing: Listing | None = None
    """What it lists, when it is a sitemap or a feed: it is no page of the site's then."""
    onward: str = ""
    """That of the links which leads to the next page of the same list."""
    turned: frozenset[str] = frozenset()
    """Those of the links that lead to later pages of the same list, where their anchors say so and
    not their URLs."""
    product: Product | None = None
    """What it offers for sale, where the job wants to know (PROD-1)."""
    too_large: str = ""
    """Why its body was not read, and all of this is empty: its tree would take too much memory."""
    unreadable: str = ""
    """The same, where it is a PDF file that cannot be read: it is recorded, like a picture."""
    length: int = 0
    """Bytes of its body, where that was stored and let go of."""

    @property
    def size(self) -> int:
        """Bytes of its body, whether it is still at hand or not."""
        return self.length if self.body is None else len(self.body)

    def without_body(self) -> Page:
        """The same, once its body is stored: megabytes need not wait for what else is written."""
        return self if self.body is None else replace(self, body=None, length=len(self.body))
