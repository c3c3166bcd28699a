"""Who links to whom in a job? Read from stored bodies, as far as they were not read yet."""

from __future__ import annotations

from collections.abc import Callable

from tenax.model import Job
from tenax.ops.why.lookup import rules_of
from tenax.page.reading.document import Document
from tenax.ports import ContentStore, PageRecord
from tenax.ports.graph import LinkGraph, LinkSource
from tenax.urls.normalise import IdentityRules, normalise, url_key

_BATCH = 100


async def freshen(
    graph: LinkGraph,
    content: ContentStore,
    job: Job,
    tick: Callable[[int], None] = lambda _: None,
) -> int:
    """Read the links of pages that are new or have changed; how many pages."""
    rules = rules_of(job.spec)
    after = read = 0
    while batch := await graph.unread(job.id, after, _BATCH):
        sources = []
        for page in batch:
            body = await content.get(bytes.fromhex(page.digest))
            sources.append(_source(page, body or b"", rules))
        await graph.note(job.id, sources)
        after = batch[-1].target_id
        read += len(batch)
        tick(read)
    return read


def _source(page: PageRecord, body: bytes, rules: IdentityRules) -> LinkSource:
    document = Document(body, page.final_url, page.content_type, page.charset or None)
    found: dict[bytes, str] = {}
    for link in document.links:
        if link.url.startswith(("http://", "https://")):
            found.setdefault(url_key(normalise(link.url, rules)), link.url)
    return LinkSource(page.target_id, bytes.fromhex(page.digest), tuple(found.items()))
