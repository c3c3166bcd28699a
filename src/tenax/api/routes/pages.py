"""`/api/pages`: what is stored, and what it says. A body comes as bytes to be saved, never as a
page (SEC-4)."""

from __future__ import annotations

import asyncio
from enum import StrEnum
from typing import Annotated

from fastapi import Path, Query, Response
from msgspec import Struct

from tenax.api import cursors
from tenax.api.guard import Doors
from tenax.api.listing import Cursor, Limit, ListPart, Name, checked_job, listed
from tenax.api.problems import Problem
from tenax.compose.api import Opened
from tenax.ops.export.page_json import PageSummary, page_facts
from tenax.ops.export.page_text import NoText, document_of, page_text
from tenax.ops.lifecycle.purge_pages import PurgeNamesNothing, purge_pages
from tenax.ops.plain import extended
from tenax.ops.products.wanted import UnclearQuestion, since
from tenax.ports import PageChoice, PageRecord
from tenax.ports.accounts import ApiRole
from tenax.ports.overview import ListOrder, Sieve

UrlHash = Annotated[str, Path(pattern="^[0-9a-f]{64}$", description="SHA-256 of the URL, in hex.")]


Age = Annotated[str | None, Query(max_length=40, description="An age (30d), or a date (ISO 8601).")]
_STEP_SECONDS = 30.0
"""Spent on purging in one request; what is left takes another."""


class Form(StrEnum):
    JSON = "json"
    TEXT = "text"
    MARKDOWN = "markdown"
    BODY = "body"


_OTHER = ("text/plain", "text/markdown", "application/octet-stream")


class WholePage(PageSummary, frozen=True, kw_only=True):
    """A stored page with its main text."""

    headline: str | None
    """Its own heading, without the site's name; null when its body is not kept."""
    text: str | None


class PurgedPages(Struct, frozen=True):
    pages: int
    """Purged by this request, or meant."""
    dry_run: bool
    is_whole: bool
    """False when the request is to be repeated."""


def add(doors: Doors, opened: Opened) -> None:
    pages = _Pages(opened)
    doors.get("/api/pages", pages.list, ApiRole.USER, problems=(404,))
    doors.get("/api/pages/{url_hash}", pages.get, ApiRole.USER, problems=(404,), media=_OTHER)
    doors.get("/api/pages/{url_hash}/similar", pages.similar, ApiRole.USER, problems=(404,))
    doors.delete("/api/admin/pages", pages.purge, ApiRole.ADMIN, problems=(404,), also=(202,))


class _Pages:
    def __init__(self, opened: Opened) -> None:
        self._ledger = opened.ledger
        self._overview = opened.overview

    async def list(
        self,
        job: Name = None,
        host: Name = None,
        contains: Name = None,
        duplicates: bool | None = None,
        newest: bool = False,
        limit: Limit = 100,
        cursor: Cursor = None,
    ) -> ListPart[PageSummary]:
        """Stored pages, in the order their URLs were found, or those fetched last first.
        `contains` is looked for in URL and title; `duplicates` asks for near-duplicates only, or
        for none of them. By words of their text: `GET /api/search`."""
        sieve = Sieve(
            await checked_job(self._ledger, job),
            host,
            contains=contains or "",
            duplicates=duplicates,
            order=ListOrder.NEWEST if newest else ListOrder.FOUND,
        )
        found, place = await self._overview.pages(sieve, cursors.number(cursor), limit)
        return listed(map(page_facts, found), place)

    async def get(
        self, url_hash: UrlHash, host: Name = None, job: Name = None, form: Form = Form.JSON
    ) -> Response | WholePage:
        """A page with its main text; of several jobs that have it, the newest copy. `form=text`
        is the text alone, `form=markdown` the same with its marks, `form=body` what the server
        sent, to be saved. On a ledger of very many
        hosts, `host` has to be named."""
        page = await self._page(url_hash, host, job)
        match form:
            case Form.JSON:
                body = await self._ledger.content.get(bytes.fromhex(page.digest or "00"))
                headline, text = (None, None) if body is None else await _read(page, body)
                return extended(WholePage, page_facts(page), headline=headline, text=text)
            case Form.TEXT:
                text = await self._text(page)
                return Response(text, media_type="text/plain", headers=_saved(page, "txt"))
            case Form.MARKDOWN:
                text = await self._text(page, as_markdown=True)
                return Response(text, media_type="text/markdown", headers=_saved(page, "md"))
            case Form.BODY:
                return Response(
                    await self._body(page),
                    media_type="application/octet-stream",
                    headers=_saved(page, "bin"),
                )

    async def similar(
        self, url_hash: UrlHash, host: Name = None, job: Name = None, limit: Limit = 100
    ) -> ListPart[PageSummary]:
        """The other pages of its job that are nearly the same: the original first."""
        page = await self._page(url_hash, host, job)
        found = await self._ledger.pages.similar(page.target_id, limit)
        return listed(map(page_facts, found))

    async def purge(
        self,
        response: Response,
        job: Name = None,
        host: Name = None,
        older_than: Age = None,
        contains: Name = None,
        all: bool = False,
        dry_run: bool = False,
    ) -> PurgedPages:
        """Forget stored pages that meet all of this; `all` for really all, `dry_run` only counts
        them. Their URLs, products and prices stay. 202 says that some are left, and that the
        request is to be repeated."""
        ledger = self._ledger
        try:
            before = since(older_than, ledger.clock.now())
        except UnclearQuestion as error:
            raise Problem(422, f"older_than: {error}") from error
        which = PageChoice(await checked_job(ledger, job), host, before, contains or "")
        done = await purge_pages(
            ledger.pages, ledger.clock, which, everything=all, dry=dry_run, seconds=_STEP_SECONDS
        )
        if isinstance(done, PurgeNamesNothing):
            raise Problem(422, "Which ones? Name job, host, older_than or contains; or say all.")
        response.status_code = 200 if done.is_whole else 202
        return PurgedPages(done.pages, dry_run, done.is_whole)

    async def _page(self, url_hash: str, host: str | None, job: str | None) -> PageRecord:
        found = await self._overview.pages_at(bytes.fromhex(url_hash), host)
        if found is None:
            raise Problem(422, "There are too many hosts to look at: name the page's with ?host=.")
        wanted = [page for page in found if job in (None, page.job)]
        if not wanted:
            raise Problem(404, "No page of this URL is stored. GET /api/why?url= tells the reason.")
        return max(wanted, key=lambda page: page.fetched_at)

    async def _text(self, page: PageRecord, *, as_markdown: bool = False) -> str:
        text = await page_text(page, self._ledger.content, as_markdown=as_markdown)
        if isinstance(text, NoText):
            raise Problem(404, text.why[:1].upper() + text.why[1:])
        return text

    async def _body(self, page: PageRecord) -> bytes:
        body = await self._ledger.content.get(bytes.fromhex(page.digest)) if page.digest else None
        if body is None:
            raise Problem(404, "The body of this page is not kept, or not any more.")
        return body


async def _read(page: PageRecord, body: bytes) -> tuple[str, str]:
    document = document_of(page, body)
    return await asyncio.to_thread(lambda: (document.headline, document.main_text))


def _saved(page: PageRecord, ending: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{page.url_hash}.{ending}"'}
