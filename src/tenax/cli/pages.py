"""How are stored pages shown, printed and exported?"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO

from tenax.cli.say import (
    EXIT_BAD_INPUT,
    EXIT_INFRASTRUCTURE,
    EXIT_NOTHING,
    fail,
    moment,
    note,
    plural,
    printable,
    printable_lines,
)
from tenax.cli.table import Column, table, terminal_width
from tenax.compose import App, open_app
from tenax.model import Job
from tenax.ops.export import (
    DEFAULT,
    FIELDS,
    Exporter,
    Format,
    Stored,
    UnknownField,
    choose,
    json_line,
)
from tenax.ops.lookup import stored_page
from tenax.ports import PageRecord
from tenax.settings import Settings


class Form(StrEnum):
    """Ways to print one page."""

    BODY = "body"
    TEXT = "text"
    MARKDOWN = "markdown"


@dataclass(frozen=True, slots=True)
class Export:
    """One `tenax export` as the user asked for it."""

    settings: Settings
    format: Format
    job: str | None
    output: Path | None
    fields: list[str] | None
    added: list[str]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which pages `tenax pages` lists."""

    text: str
    job: str | None
    limit: int
    duplicates: bool | None
    """Near-duplicates only, or none of them; None for all pages."""


async def list_pages(settings: Settings, wanted: Wanted, as_json: bool) -> int:
    async with open_app(settings, create=False) as app:
        if await chosen_jobs(app, wanted.job) is None:
            return EXIT_BAD_INPUT
        found = await app.pages.find(
            job=wanted.job,
            contains=wanted.text,
            limit=wanted.limit + 1,
            newest=True,
            duplicates=wanted.duplicates,
        )
        shown, more = found[: wanted.limit], len(found) > wanted.limit
        if as_json:
            fields = choose(DEFAULT)
            for page in shown:
                row = [field.get(Stored(page, None)) for field in fields]
                sys.stdout.buffer.write(json_line([f.name for f in fields], row))
            return 0
        _show(shown, wanted)
        note(await _footer(app, wanted, len(shown), more))
        return 0


async def print_page(settings: Settings, form: Form, url: str, job: str | None) -> int:
    async with open_app(settings, create=False) as app:
        jobs = await chosen_jobs(app, job)
        if jobs is None:
            return EXIT_BAD_INPUT
        page = await stored_page(url, jobs, app.pages)
        if page is None:
            return fail(f"{url}: no page stored. `tenax why URL` tells the reason.", EXIT_NOTHING)
        if not page.digest:
            return fail(
                f"{url}: {page.content_type or 'no text'}, so no body is kept.", EXIT_NOTHING
            )
        body = await app.content.get(bytes.fromhex(page.digest))
        if body is None:
            return fail(
                f"{url}: its body {page.digest} is missing or damaged in the content store."
                " Restore it from a backup; `tenax audit --bodies` looks for more.",
                EXIT_INFRASTRUCTURE,
            )
        _print(form, page, body)
        return 0


async def export_pages(order: Export) -> int:
    names = list(DEFAULT) if order.fields is None else order.fields
    try:
        fields = choose(names + order.added)
    except UnknownField as error:
        return fail(f"--fields: {error} `tenax export --list-fields` has them all.", EXIT_BAD_INPUT)
    async with open_app(order.settings, create=False) as app:
        if await chosen_jobs(app, order.job) is None:
            return EXIT_BAD_INPUT
        exporter = Exporter(app.pages, app.content, fields)
        try:
            with _opened(order.output) as file:
                async for line in exporter.lines(order.format, order.job):
                    file.write(line)
        except BrokenPipeError:
            raise
        except OSError as error:
            where = order.output or "stdout"
            return fail(f"{where}: cannot be written ({error.strerror}).", EXIT_INFRASTRUCTURE)
    tally = exporter.tally
    note(f"Exported {plural(tally.pages, 'page')}{f' to {order.output}' if order.output else ''}.")
    if tally.lost_bodies:
        note(f"{plural(tally.lost_bodies, 'body', 'bodies')} missing or damaged: their fields are"
             " null. `tenax audit --bodies` names the pages.")  # fmt: skip
    return 0


def tell_fields() -> int:
    width = max(len(field.name) for field in FIELDS)
    for field in FIELDS:
        usual = "" if field.name in DEFAULT else "  (when asked for)"
        print(f"{field.name:<{width}}  {field.meaning}{usual}")
    return 0


async def chosen_jobs(app: App, name: str | None) -> list[Job] | None:
    """The job of this name, or all; None, with the complaint told, when there is none such."""
    jobs = await app.parts.jobs.all()
    if name is None:
        return jobs
    names = [job.name for job in jobs]
    if name in names:
        return [job for job in jobs if job.name == name]
    close = difflib.get_close_matches(name, names, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else f" There are: {', '.join(names) or 'none'}."
    fail(f"no job {name!r} in {app.settings.data}.{hint}", EXIT_BAD_INPUT)
    return None


def _show(pages: list[PageRecord], wanted: Wanted) -> None:
    last = "near-duplicate of" if wanted.duplicates else "title"
    columns = (
        Column("fetched"), Column("status", right=True), Column("words", right=True),
        Column(last, most=80 if wanted.duplicates else 40, yields=True), Column("URL", yields=True),
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


async def _footer(app: App, wanted: Wanted, shown: int, more: bool) -> str:
    jobs = [j for j in await app.parts.jobs.all() if wanted.job in (None, j.name)]
    counts = [await app.parts.jobs.counts(j.id) for j in jobs]
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


def _print(form: Form, page: PageRecord, body: bytes) -> None:
    from tenax.page.charset import decode
    from tenax.page.document import Document

    document = Document(body, page.final_url, page.content_type, page.charset or None)
    is_terminal = sys.stdout.isatty()
    match form:
        case Form.BODY if not is_terminal:
            sys.stdout.buffer.write(body)
            return
        case Form.BODY:
            text = decode(body, document.charset)
        case Form.TEXT:
            text = document.main_text
        case Form.MARKDOWN:
            text = document.markdown
    shown = printable_lines(text) if is_terminal else text
    sys.stdout.buffer.write(f"{shown}\n".encode())


@contextmanager
def _opened(output: Path | None) -> Iterator[BinaryIO]:
    """Standard output, or a file that gets its name only when it is complete."""
    if output is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    partial = output.with_name(f"{output.name}.part")
    try:
        with partial.open("wb") as file:
            yield file
        partial.replace(output)
    finally:
        partial.unlink(missing_ok=True)
