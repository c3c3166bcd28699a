"""How does a stored page read as JSON? As `tenax export` has it, wherever it is asked for."""

from __future__ import annotations

from typing import Any

from tenax.ops.plain import plain
from tenax.ports import PageRecord

PAGE_FIELDS = (
    "job", "url", "final_url", "url_hash", "status", "content_type", "charset", "title",
    "description", "canonical", "language", "published", "modified", "fetched_at", "checked_at",
    "stale", "depth", "words", "length", "link_count", "content_hash", "simhash", "duplicate_of",
    "digest", "etag", "last_modified", "rights",
)  # fmt: skip
"""Those of an export that need no body."""
_CALLED = {"link_count": "links"}
"""In the record, where that is not the name."""


def page_json(page: PageRecord) -> dict[str, Any]:
    return {name: plain(getattr(page, _CALLED.get(name, name)), name) for name in PAGE_FIELDS}
