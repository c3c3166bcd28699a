"""How soon should a URL be visited, as far as its spelling tells? (FR-3)"""

from __future__ import annotations

import re

FIRST, LAST = 1, 10
ASKED = LEAST = 27
"""For deferred URLs that somebody has asked for, or that nothing adds to any more: visited last,
and whatever their like brought."""
GRANTED = 26
"""For those that get what the others have left of the budget."""
_DEEPEST = 14
HIGH, MEDIUM, LOW = 2, 5, 8
DISCOVERY = 7
"""For URLs that no page linked: sitemaps, archives. Their proposers ask for it."""

_LISTING = re.compile(
    r"/(?:archives?|tags?)(?:[/?]|$)"
    r"|/page[/-]?\d+(?:[/?]|$)"
    r"|/\d{4}/\d\d(?:/\d\d)?/?(?:\?|$)"
    r"|[?&](?:page|paged|pg|p|offset|start|skip)=\d"
)
_STANDING = re.compile(r"/(?:about|contact)(?:[-_]us)?(?:\.\w+)?/?(?:\?|$)")


def deferred(depth: int) -> int:
    """After all others, the nearest first; a claim takes half of the deepest (URL-6). Nobody can
    ask for it."""
    return LAST + 1 + min(depth, _DEEPEST)


def priority(path_and_query: str, depth: int, is_seed: bool) -> int:
    """1 is first, 10 last. Listings wait even near the seeds: they mostly repeat content."""
    if is_seed or path_and_query == "/":
        return HIGH
    lowered = path_and_query.lower()
    if _LISTING.search(lowered):
        return LOW
    if depth <= 2:
        return HIGH
    if depth > 5 and not _STANDING.search(lowered):
        return LOW
    return MEDIUM
