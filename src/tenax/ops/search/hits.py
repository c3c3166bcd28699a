"""How does something that was found read as JSON?"""

from __future__ import annotations

from typing import Any

from tenax.ops.dates import iso
from tenax.ops.search.snippets import snippet
from tenax.ports.search import Hit, Query


def hit_facts(hit: Hit, query: Query) -> dict[str, Any]:
    doc = hit.doc
    return {
        "url": doc.url, "title": doc.title, "job": doc.job, "host": doc.host,
        "fetched_at": iso(doc.at), "language": doc.language, "score": round(hit.score, 4),
        "brand": doc.brand, "category": doc.category, "price": doc.price,
        "currency": doc.currency, "sku": doc.sku, "mpn": doc.mpn, "gtin": doc.gtin,
        "availability": doc.availability, "status": doc.status, "rating": doc.rating,
        "snippet": [[piece.text, piece.is_match] for piece in snippet(doc.text, query)],
    }  # fmt: skip
