"""How are stored pages shown and printed?"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct

from tenax.cli.terminal.say import (
    EXIT_BAD_INPUT,
    EXIT_INFRASTRUCTURE,
    EXIT_NOTHING,
    as_json,
    fail,
    moment,
    note,
    plural,
    printable,
    printable_lines,
)
from tenax.cli.terminal.table import TableColumn, table, terminal_width
from tenax.compose import Ledger, open_ledger
from tenax.model import Job, Sends
from tenax.ops.export.page_json import page_facts
from tenax.ops.why.lookup import stored_page
from tenax.page.reading.link_style import LinkStyle
from tenax.ports import PageRecord
from tenax.settings import Settings


class PrintForm(StrEnum):
    """Ways to print one page."""

    BODY = "body"
    TEXT = "text"
    MARKDOWN = "markdown"


class WantedPages(Struct, frozen=True):
    """Which pages `tenax pages` lists."""

    text: str
    job: str | None
    limit: int
    duplicates: bool | None
    """Near-duplicates only, or none of them; None for all pages."""


async def list_pages(settings: Settings, wanted: WantedPages, json: bool) -> int:
    async with open_ledger(settings, create=False) as ledger:
        if await chosen_jobs(ledger, wanted.job) is None:
            return EXIT_BAD_INPUT
        found = await ledger.pages.find(
            job=wanted.job,
            contains=wanted.text,
            limit=wanted.limit + 1,
            newest=True,
            duplicates=wanted.duplicates,
        )
        shown, more = found[: wanted.limit], len(found) > wanted.limit
        if json:
            for page in shown:
                as_json(page_facts(page))
            return 0
        _show(shown, wanted)
        note(await _footer(ledger, wanted, len(shown), more))
        return 0


async def print_page(
    settings: Settings,
    form: PrintForm,
    url: str,
    job: str | None,
    links: LinkStyle = LinkStyle.INLINE,
    sends: Sends | None = None,
) -> int:
    async with open_ledger(settings, create=False) as ledger:
        jobs = await chosen_jobs(ledger, job)
        if jobs is None:
            return EXIT_BAD_INPUT
        page = await stored_page(url, jobs, ledger.pages, sends)
        if page is None:
            return fail(f"{url}: no page stored. `tenax why URL` tells the reason.", EXIT_NOTHING)
        if not page.digest:
            return fail(
                f"{url}: {page.content_type or 'no text'}, so no body is kept.", EXIT_NOTHING
            )
        body = await ledger.content.get(bytes.fromhex(page.digest))
        if body is None:
            return fail(
                f"{url}: its body {page.digest} is missing or damaged in the content store."
                " Restore it from a backup; `tenax audit --bodies` looks for more.",
                EXIT_INFRASTRUCTURE,
            )
        _print(form, page, body, links)
        return 0


async def chosen_jobs(ledger: Ledger, name: str | None) -> list[Job] | None:
    """The job of this name, or all; None, with the complaint told, when there is none such."""
    jobs = await ledger.jobs.all()
    if name is None:
        return jobs
    names = [job.name for job in jobs]
    if name in names:
        return [job for job in jobs if job.name == name]
    no_such_job(ledger, name, names)
    return None


def no_such_job(ledger: Ledger, name: str, known: Sequence[str]) -> int:
    close = difflib.get_close_matches(name, known, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else f" There are: {', '.join(known) or 'none'}."
    return fail(f"no job {name!r} in {ledger.settings.data}.{hint}", EXIT_BAD_INPUT)


def _show(pages: list[PageRecord], wanted: WantedPages) -> None:
    last = "near-duplicate of" if wanted.duplicates else "title"
    columns = (
        TableColumn("fetched"), TableColumn("status", right=True), TableColumn("words", right=True),
        TableColumn(last, most=80 if wanted.duplicates else 40, yields=True),
        TableColumn("URL", yields=True),
    )  # fmt: skip
    rows = [
        (
            moment(p.fetched_at),
            _status(p),
            f"{p.words:,}",
            printable(p.duplicate_of if wanted.duplicates else p.title) or "-",
            p.url,
        )
        for p in pages
    ]
    if rows:
        print("\n".join(table(columns, rows, terminal_width())))


def _status(page: PageRecord) -> str:
    """A page that the last visit could not confirm says so where one looks first."""
    return "stale" if page.stale else str(page.status)


async def _footer(ledger: Ledger, wanted: WantedPages, shown: int, more: bool) -> str:
    jobs = [j for j in await ledger.jobs.all() if wanted.job in (None, j.name)]
    counts = [await ledger.jobs.counts(j.id) for j in jobs]
    total = sum(c.pages for c in counts)
    if wanted.text:
        return f"{shown:,}{' or more' if more else ''} of {plural(total, 'page')} match."
    kind: tuple[str, ...] = ("page",)
    if wanted.duplicates is not None:
        doubled = sum(c.duplicates for c in counts)
        total = doubled if wanted.duplicates else total - doubled
        kind = _DOUBLED if wanted.duplicates else _UNIQUE
    if more:
        return f"{shown:,} of {plural(total, *kind)}, those found last; --limit for more."
    if total:
        return f"{plural(total, *kind)}."
    return "No near-duplicates." if wanted.duplicates else "No pages stored yet."


_DOUBLED = ("near-duplicate",)
_UNIQUE = ("page", "pages, near-duplicates left out")


def _print(form: PrintForm, page: PageRecord, body: bytes, links: LinkStyle) -> None:
    from tenax.page.charset import decode
    from tenax.page.reading.document import Document

    document = Document(body, page.final_url, page.content_type, page.charset or None)
    is_terminal = sys.stdout.isatty()
    match form:
        case PrintForm.BODY if not is_terminal:
            sys.stdout.buffer.write(body)
            return
        case PrintForm.BODY:
            text = decode(body, document.charset)
        case PrintForm.TEXT:
            text = document.main_text
        case PrintForm.MARKDOWN:
            text = document.as_markdown(links)
    shown = printable_lines(text) if is_terminal else text
    sys.stdout.buffer.write(f"{shown}\n".encode())
