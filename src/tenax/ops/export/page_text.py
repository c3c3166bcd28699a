"""What does a stored page say? Its main text, or the same as Markdown."""

from __future__ import annotations

import asyncio

from msgspec import Struct

from tenax.page.reading.document import Document
from tenax.ports import ContentStore, PageRecord


class NoText(Struct, frozen=True):
    """There is none to be had: why."""

    why: str


async def page_text(
    page: PageRecord, content: ContentStore, *, as_markdown: bool = False
) -> str | NoText:
    body = await content.get(bytes.fromhex(page.digest)) if page.digest else None
    if body is None:
        return NoText("the body of this page is not kept, or not any more.")
    document = document_of(page, body)
    # A page of many megabytes takes its time: others go on meanwhile.
    return await asyncio.to_thread(lambda: document.markdown if as_markdown else document.main_text)


def document_of(page: PageRecord, body: bytes) -> Document:
    return Document(body, page.final_url, page.content_type, page.charset or None)
