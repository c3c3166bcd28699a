"""What leaves the ledger, and in which form? Pages with the fields that are asked for (STORE-5).

Memory stays constant however many pages there are: they are read in batches by id, and a body
only when a chosen field needs it.
"""

from __future__ import annotations

import base64
import csv
import difflib
import io
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, Protocol

import orjson
from msgspec import Struct
from msgspec.structs import replace

from tenax.ops.dates import iso
from tenax.ops.export.formats import Format
from tenax.outcome import Attempt
from tenax.page.charset import decode
from tenax.page.reading.document import Document
from tenax.page.reading.link_style import LinkStyle
from tenax.ports import ContentStore, PageRecord, Pages
from tenax.ports.tables import Cells, Column

_BATCH = 200


class UnknownField(ValueError):
    """A field that pages do not have."""


class Exportable(Protocol):
    """What is exported, one after the other."""

    @property
    def id(self) -> int:
        """They come in this order: an export that was cut off goes on behind it."""

    @property
    def is_last(self) -> bool:
        """Whether nothing more of this id follows: only then can be gone on behind it."""


class Stored:
    """A page as it is exported; what its body alone can tell is worked out when asked for."""

    is_last = True

    def __init__(
        self,
        page: PageRecord,
        body: bytes | None,
        attempts: Sequence[Attempt] = (),
    ) -> None:
        self.page = page
        self.body = body
        self.attempts = attempts

    @property
    def id(self) -> int:
        return self.page.target_id

    def told(self, ask: Callable[[Document], Any]) -> Any:
        """What the body says to this question; None when there is no body."""
        return None if self._document is None else ask(self._document)

    @cached_property
    def _document(self) -> Document | None:
        if self.body is None:
            return None
        page = self.page
        return Document(self.body, page.final_url, page.content_type, page.charset or None)


class ExportField(Struct, frozen=True):
    name: str
    meaning: str
    get: Callable[[Any], Any]
    """Of what is exported: a page, or a product."""
    from_body: bool = False
    cells: Cells = Cells.TEXT

    @property
    def column(self) -> Column:
        return Column(self.name, self.cells)


def _plain(name: str, meaning: str, cells: Cells = Cells.TEXT) -> ExportField:
    return ExportField(name, meaning, lambda stored: getattr(stored.page, name), cells=cells)


FIELDS = (
    _plain("job", "the job that fetched it"),
    _plain("url", "the URL that was asked for"),
    _plain("final_url", "where the body came from, after redirects"),
    _plain("url_hash", "SHA-256 of the URL's normal form, in hex"),
    _plain("status", "the HTTP status", cells=Cells.NUMBER),
    _plain("content_type", "the media type"),
    _plain("charset", "the encoding the body was read with"),
    _plain("title", "the page's title"),
    _plain("description", "its meta description"),
    _plain("canonical", "the URL it calls canonical"),
    _plain("language", "its language, as a BCP 47 tag"),
    _plain("published", "when it says it was published"),
    _plain("modified", "when it says it was changed"),
    ExportField("fetched_at", "when it was fetched, UTC",
                lambda stored: iso(stored.page.fetched_at), cells=Cells.MOMENT),
    ExportField("checked_at", "when a visit last found it unchanged, UTC",
                lambda stored: _moment(stored.page.checked_at), cells=Cells.MOMENT),
    _plain("stale", "why the last visit could not confirm it; empty when it could"),
    _plain("depth", "links away from a seed", cells=Cells.NUMBER),
    _plain("words", "about how many words its main text has", cells=Cells.NUMBER),
    _plain("length", "bytes of the body, decompressed", cells=Cells.NUMBER),
    _plain("link_count", "how many links it has", cells=Cells.NUMBER),
    _plain("content_hash", "SHA-256 of the main text, in hex"),
    _plain("simhash", "nearly the same for nearly the same main text, in hex"),
    _plain("duplicate_of", "the page it is a near-duplicate of; empty when of none"),
    _plain("digest", "SHA-256 of the body, in hex"),
    _plain("etag", "the server's ETag"),
    _plain("last_modified", "the server's Last-Modified"),
    _plain("rights", "what was said about its use: [where, what] pairs",
           cells=Cells.PAIRS),
    _plain("method", "how it was asked for: GET, or POST where something was sent"),
    _plain("sent", "what was sent for it; empty where nothing was"),
    ExportField("headline", "its own heading, without the site's name",
                lambda s: s.told(lambda d: d.headline), True),
    ExportField("text", "the main text", lambda stored: stored.told(lambda d: d.main_text), True),
    ExportField("markdown", "the main part as Markdown",
                lambda s: s.told(lambda d: d.markdown), True),
    ExportField("links", "the absolute URLs it links to",
                lambda s: s.told(_links), True, Cells.TEXTS),
    ExportField("body", "the body as text, decoded by its charset", lambda s: s.told(_text), True),
    ExportField("body_base64", "the body's exact bytes, in Base64",
                lambda s: s.told(_base64), True),
)  # fmt: skip
DEFAULT = tuple(field.name for field in FIELDS if not field.from_body)


def choose(names: Iterable[str], among: Sequence[ExportField] = FIELDS) -> tuple[ExportField, ...]:
    """The fields of these names, each once. Raises `UnknownField`."""
    known = {field.name: field for field in among}
    chosen = []
    for name in dict.fromkeys(names):
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            raise UnknownField(f"no field {name!r}.{hint}")
        chosen.append(known[name])
    return tuple(chosen)


def with_links(fields: Sequence[ExportField], links: LinkStyle) -> tuple[ExportField, ...]:
    """The same fields, where Markdown has its links as they are wanted."""
    return tuple(
        replace(field, get=lambda s: s.told(lambda d: d.as_markdown(links)))
        if field.name == "markdown"
        else field
        for field in fields
    )


class ExportTally(Struct):
    """What an export came to."""

    pages: int = 0
    lost_bodies: int = 0
    """Pages whose body was stored and is not there any more; their fields are null."""


class Exporter:
    def __init__(
        self,
        pages: Pages,
        content: ContentStore,
        fields: Sequence[ExportField] = (),
        *,
        whole: bool = False,
        bodies: bool = False,
        since: float | None = None,
        changed_since: float | None = None,
    ) -> None:
        """`bodies` is for those who want them whatever the fields are, `whole` for those who want
        attempts, too. `since`
        leaves out what was not fetched since then, `changed_since` what says the same since
        before."""
        self._since = since
        self._changed_since = changed_since
        self._pages = pages
        self._content = content
        self._fields = fields
        self._whole = whole
        self._reads_bodies = whole or bodies or any(field.from_body for field in fields)
        self.tally = ExportTally()

    async def lines(self, form: Format, job: str | None = None) -> AsyncIterator[bytes]:
        """The whole file, line by line, in a form that has lines."""
        if top := heading(form, self._fields):
            yield top
        async for stored in self.stored(job):
            yield line(form, self._fields, stored)

    async def stored(self, job: str | None = None, after: int = 0) -> AsyncIterator[Stored]:
        """Page after page, behind the target of this id."""
        while batch := await self._pages.find(
            job=job,
            after=after,
            limit=_BATCH,
            since=self._since,
            changed_since=self._changed_since,
        ):
            after = batch[-1].target_id
            for page in batch:
                yield await self._read(page)

    async def _read(self, page: PageRecord) -> Stored:
        body = None
        if self._reads_bodies and page.digest:
            body = await self._content.get(bytes.fromhex(page.digest))
            self.tally.lost_bodies += body is None
        self.tally.pages += 1
        attempts = await self._pages.attempts(page.target_id) if self._whole else ()
        return Stored(page, body, attempts)


def row(fields: Sequence[ExportField], stored: Exportable) -> list[Any]:
    return [field.get(stored) for field in fields]


def heading(form: Format, fields: Sequence[ExportField]) -> bytes:
    """What stands above the lines; empty where nothing does."""
    return csv_line([field.name for field in fields]) if form is Format.CSV else b""


def line(form: Format, fields: Sequence[ExportField], stored: Exportable) -> bytes:
    values = row(fields, stored)
    if form is Format.CSV:
        return csv_line(values)
    return json_line([field.name for field in fields], values)


def json_line(names: Sequence[str], row: Sequence[Any]) -> bytes:
    """One object in UTF-8, and a line feed."""
    return orjson.dumps(dict(zip(names, row, strict=True)), option=orjson.OPT_APPEND_NEWLINE)


def csv_line(row: Sequence[Any]) -> bytes:
    """RFC 4180: quoted where needed, CRLF. Lists are written as JSON, null as nothing."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerow([_cell(value) for value in row])
    return text.getvalue().encode()


# What makes a spreadsheet run a cell; the wide forms are what East Asian keyboards type.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF001 - on purpose


# Nothing a table shows, and what some of them do to a terminal is no reader's wish.
_CONTROLS = dict.fromkeys(
    (*range(9), 11, 12, *range(14, 32), *range(127, 160)), "\N{REPLACEMENT CHARACTER}"
)


def _cell(value: Any) -> Any:
    if value is None or isinstance(value, int | float):
        return value
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    text = text.translate(_CONTROLS)
    # Spreadsheets trim blanks first, so a formula behind one is a formula too (SEC-4).
    if text.startswith(_FORMULA) or text.lstrip().startswith(_FORMULA):
        return f"'{text}"
    return text


def _moment(at: float | None) -> str | None:
    return None if at is None else iso(at)


def _links(document: Document) -> list[str]:
    return list(dict.fromkeys(link.url for link in document.links))


def _text(document: Document) -> str:
    return decode(document.body, document.charset)


def _base64(document: Document) -> str:
    return base64.b64encode(document.body).decode()
