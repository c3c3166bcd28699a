"""Which pieces of pages leave, for those who search by meaning? Each with its headings and a link
that leads to it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from tenax.ops.dates import iso
from tenax.ops.export.export import Exporter, ExportField, ExportTally, Stored
from tenax.page.reading.chunks import Chunk
from tenax.page.reading.link_style import LinkStyle
from tenax.ports import ContentStore, PageRecord, Pages
from tenax.ports.tables import Cells


class ChunkRow:
    """A piece of a page as it is exported."""

    def __init__(self, page: PageRecord, chunk: Chunk, number: int, *, is_last: bool) -> None:
        self.page = page
        self.chunk = chunk
        self.number = number
        self.is_last = is_last

    @property
    def id(self) -> int:
        return self.page.target_id

    @property
    def link(self) -> str:
        anchor = f"#{self.chunk.anchor}" if self.chunk.anchor else ""
        return f"{self.page.final_url}{anchor}"


def _of_page(
    name: str, meaning: str, get: Callable[[PageRecord], Any] | None = None, **more: Any
) -> ExportField:
    def ask(row: ChunkRow) -> Any:
        return getattr(row.page, name) if get is None else get(row.page)

    return ExportField(name, meaning, ask, **more)


CHUNK_FIELDS = (
    _of_page("job", "the job that fetched its page"),
    _of_page("url", "the URL of its page"),
    ExportField("link", "where the piece begins: the page, and its anchor there",
                lambda row: row.link),
    _of_page("title", "the page's title"),
    ExportField("path", "the headings it stands under, from the page's down to its own",
                lambda row: list(row.chunk.path), cells=Cells.TEXTS),
    ExportField("anchor", "the fragment of its heading; empty where there is none",
                lambda row: row.chunk.anchor),
    ExportField("chunk", "which piece of its page it is, from 0", lambda row: row.number,
                cells=Cells.NUMBER),
    ExportField("text", "the piece, as Markdown", lambda row: row.chunk.text),
    _of_page("language", "the page's language, as a BCP 47 tag"),
    _of_page("fetched_at", "when the page was fetched, UTC", lambda page: iso(page.fetched_at),
             cells=Cells.MOMENT),
    _of_page("content_hash", "SHA-256 of the page's main text, in hex"),
)  # fmt: skip


class ChunkExporter:
    """As `Exporter`, of pieces."""

    def __init__(
        self,
        pages: Pages,
        content: ContentStore,
        most: int,
        links: LinkStyle = LinkStyle.INLINE,
        *,
        since: float | None = None,
        changed_since: float | None = None,
    ) -> None:
        """`most` is how many characters a piece has at most."""
        self._pages = Exporter(
            pages, content, bodies=True, since=since, changed_since=changed_since
        )
        self._most = most
        self._links = links
        self.tally = ExportTally()

    async def stored(self, job: str | None = None, after: int = 0) -> AsyncIterator[ChunkRow]:
        async for stored in self._pages.stored(job, after):
            self.tally.lost_bodies = self._pages.tally.lost_bodies
            chunks = self._chunks(stored)
            for number, chunk in enumerate(chunks):
                self.tally.pages += 1
                yield ChunkRow(stored.page, chunk, number, is_last=number == len(chunks) - 1)

    def _chunks(self, stored: Stored) -> Sequence[Chunk]:
        return stored.told(lambda document: document.chunks(self._most, self._links)) or ()
