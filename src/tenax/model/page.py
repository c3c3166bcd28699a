"""What one successful visit read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Directives:
    """What the page itself asks of robots (ROB-3): X-Robots-Tag and meta, most restrictive."""

    noindex: bool = False
    nofollow: bool = False
    source: str = ""
    """The header or meta tag that said so, for `tenax why`."""


@dataclass(frozen=True, slots=True)
class Page:
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
    unfollowed: frozenset[str] = frozenset()
    """Those of the links that it asks not to follow wherever it names them."""
    directives: Directives = Directives()
    rights: tuple[tuple[str, str], ...] = ()
    """Signals about use kept with the page (ROB-4): (where it stood, what it said)."""
