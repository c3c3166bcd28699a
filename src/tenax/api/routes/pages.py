"""`/api/pages`: what is stored, and what it says. A body comes as bytes to be saved, never as a
page (SEC-4)."""

from __future__ import annotations

import asyncio
from enum import StrEnum
from typing import Annotated, Any

from fastapi import Path, Response

from tenax.api import cursors
from tenax.api.guard import Doors
from tenax.api.listing import Cursor, Limit, Name, checked_job, listed
from tenax.api.problems import Problem
from tenax.compose.api import Opened
from tenax.ops.export.page_json import page_json
from tenax.page.reading.document import Document
from tenax.ports import PageRecord
from tenax.ports.accounts import ApiRole
from tenax.ports.overview import Sieve

UrlHash = Annotated[str, Path(pattern="^[0-9a-f]{64}$", description="SHA-256 of the URL, in hex.")]


class Form(StrEnum):
    JSON = "json"
    TEXT = "text"
    MARKDOWN = "markdown"
    BODY = "body"


def add(doors: Doors, opened: Opened) -> None:
    pages = _Pages(opened)
    doors.get("/api/pages", pages.list, ApiRole.USER)
    doors.get("/api/pages/{url_hash}", pages.get, ApiRole.USER)
    doors.get("/api/pages/{url_hash}/similar", pages.similar, ApiRole.USER)


class _Pages:
    def __init__(self, opened: Opened) -> None:
        self._ledger = opened.ledger
        self._overview = opened.overview

    async def list(
        self, job: Name = None, host: Name = None, limit: Limit = 100, cursor: Cursor = None
    ) -> dict[str, Any]:
        """Stored pages, in the order their URLs were found."""
        sieve = Sieve(await checked_job(self._ledger, job), host)
        found, place = await self._overview.pages(sieve, cursors.number(cursor), limit)
        return listed((page_json(page) for page in found), place)

    async def get(
        self, url_hash: UrlHash, host: Name = None, job: Name = None, form: Form = Form.JSON
    ) -> Response | dict[str, Any]:
        """A page with its main text; of several jobs that have it, the newest copy. `form=text`
        is the text alone, `form=markdown` the same with its marks, `form=body` what the server
        sent, to be saved. On a ledger of very many
        hosts, `host` has to be named."""
        page = await self._page(url_hash, host, job)
        match form:
            case Form.JSON:
                body = await self._ledger.content.get(bytes.fromhex(page.digest or "00"))
                headline, text = (None, None) if body is None else await _read(page, body)
                return {**page_json(page), "headline": headline, "text": text}
            case Form.TEXT:
                text = await _text(page, await self._body(page))
                return Response(text, media_type="text/plain", headers=_saved(page, "txt"))
            case Form.MARKDOWN:
                text = await _text(page, await self._body(page), as_markdown=True)
                return Response(text, media_type="text/markdown", headers=_saved(page, "md"))
            case Form.BODY:
                return Response(
                    await self._body(page),
                    media_type="application/octet-stream",
                    headers=_saved(page, "bin"),
                )

    async def similar(
        self, url_hash: UrlHash, host: Name = None, job: Name = None, limit: Limit = 100
    ) -> dict[str, Any]:
        """The other pages of its job that are nearly the same: the original first."""
        page = await self._page(url_hash, host, job)
        found = await self._ledger.pages.similar(page.target_id, limit)
        return {"items": [page_json(each) for each in found], "next": None}

    async def _page(self, url_hash: str, host: str | None, job: str | None) -> PageRecord:
        found = await self._overview.pages_at(bytes.fromhex(url_hash), host)
        if found is None:
            raise Problem(422, "There are too many hosts to look at: name the page's with ?host=.")
        wanted = [page for page in found if job in (None, page.job)]
        if not wanted:
            raise Problem(404, "No page of this URL is stored. GET /api/why?url= tells the reason.")
        return max(wanted, key=lambda page: page.fetched_at)

    async def _body(self, page: PageRecord) -> bytes:
        body = await self._ledger.content.get(bytes.fromhex(page.digest)) if page.digest else None
        if body is None:
            raise Problem(404, "The body of this page is not kept, or not any more.")
        return body


async def _text(page: PageRecord, body: bytes, *, as_markdown: bool = False) -> str:
    document = _document(page, body)
    # A page of many megabytes takes its time: others go on meanwhile.
    return await asyncio.to_thread(lambda: document.markdown if as_markdown else document.main_text)


async def _read(page: PageRecord, body: bytes) -> tuple[str, str]:
    document = _document(page, body)
    return await asyncio.to_thread(lambda: (document.headline, document.main_text))


def _document(page: PageRecord, body: bytes) -> Document:
    return Document(body, page.final_url, page.content_type, page.charset or None)


def _saved(page: PageRecord, ending: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{page.url_hash}.{ending}"'}
