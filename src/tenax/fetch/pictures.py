"""Is an answer the picture that was asked for?"""

from __future__ import annotations

import hashlib

from tenax.model import Page, Response
from tenax.outcome import Gone


def pictured(response: Response, fetched_at: float) -> Page | Gone:
    """A page with nothing but the picture's bytes; `Gone` for what is none."""
    kind = response.content_type
    if not kind.startswith("image/") or not response.body:
        came = f"but {kind[:100]}" if kind else "and of no type"
        return Gone(response.status, f"no picture, {came}")
    return Page(
        response.url,
        response.status,
        kind,
        response.body,
        fetched_at,
        digest=hashlib.sha256(response.body).digest(),
    )
