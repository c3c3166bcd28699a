"""How does a stored page read as JSON? As `tenax export` has it, wherever it is asked for."""

from __future__ import annotations

from msgspec import Struct

from tenax.ports import PageRecord


class PageSummary(Struct, frozen=True):
    """A stored page without its body."""

    job: str
    url: str
    final_url: str
    """Where the body came from, after redirects."""
    url_hash: str
    """SHA-256 of the URL's normal form, in hex."""
    status: int
    content_type: str
    charset: str
    title: str
    description: str
    canonical: str
    language: str
    published: str
    modified: str
    fetched_at: float
    checked_at: float | None
    """When a visit last found it unchanged."""
    stale: str
    """Why the last visit could not confirm it; empty when it could."""
    depth: int
    words: int
    length: int
    """Bytes of the body, decompressed."""
    link_count: int
    content_hash: str
    simhash: str
    duplicate_of: str
    """The page it is a near-duplicate of; empty when of none."""
    digest: str
    """SHA-256 of the body, in hex."""
    etag: str
    last_modified: str
    rights: tuple[tuple[str, str], ...]
    """What was said about its use: where, and what."""
    method: str
    """How it was asked for: GET, or POST where something was sent."""
    sent: str
    """What was sent for it; empty where nothing was."""


PAGE_FIELDS = PageSummary.__struct_fields__
"""Those of an export that need no body."""


def page_facts(page: PageRecord) -> PageSummary:
    return PageSummary(*(getattr(page, name) for name in PAGE_FIELDS))
