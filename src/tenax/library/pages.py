"""A stored page as a program sees it: its record as attributes, its content read when asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tenax.model import Page
from tenax.page.handlers.crawled_page import CrawledPage

if TYPE_CHECKING:
    from tenax.ops.fetch.fetch_now import Fetched
    from tenax.ports import PageRecord


class FetchedPage:
    """What became of one URL; `page` is None where there is none."""

    def __init__(self, fetched: Fetched) -> None:
        from tenax.ops.fetch.answer import end_of, sentence

        page = fetched.page
        self.record = fetched
        self.url = fetched.url
        self.page = CrawledPage(page) if page is not None else None
        self.outcome = fetched.outcome.word.value
        """A word of `docs/reference/outcomes.md`."""
        self.end = end_of(fetched).value
        """got, no_page, not_now or refused."""
        self.told = sentence(fetched)
        """The same for people."""
        self.again_at = fetched.again_at

    def __repr__(self) -> str:
        return f"<FetchedPage {self.url} {self.outcome}>"


def stored_page(record: PageRecord, body: bytes | None) -> CrawledPage:
    """As the ledger has it; what its body alone can tell is read when asked for."""
    return CrawledPage(
        Page(
            url=record.final_url,
            status=record.status,
            content_type=record.content_type,
            body=body,
            fetched_at=record.fetched_at,
            charset=record.charset,
            title=record.title,
            description=record.description,
            canonical=record.canonical,
            language=record.language,
            published=record.published,
            modified=record.modified,
            content_hash=bytes.fromhex(record.content_hash),
            digest=bytes.fromhex(record.digest),
            words=record.words,
            etag=record.etag,
            last_modified=record.last_modified,
            rights=record.rights,
            simhash=int(record.simhash, 16) if record.simhash else None,
        ),
        record.depth,
        record.job,
    )
