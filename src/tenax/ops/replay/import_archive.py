"""WARC import: an archive's records become pages of a job, through its door; no network.

A record is read as an answer would be. What is no page (an error, a redirect, an image, a wall in
front of one), what the job does not want, and what asks not to be kept is counted and left out.
"""

from __future__ import annotations

from collections import Counter, OrderedDict

from msgspec import Struct, field
from msgspec.structs import replace

from tenax.crawl.admit import Admission
from tenax.fetch.content_types import is_readable
from tenax.fetch.decode import decode
from tenax.model import Candidate, Failure, Fault, Headers, Page, Rejected, Response, Sends
from tenax.ops.replay.pairs import Pairs
from tenax.ops.replay.warc_reader import (
    ArchiveFile,
    Damaged,
    Message,
    WarcRecord,
    moment,
    parse_http,
    read_warc,
)
from tenax.page.media import MediaKind, kind_of
from tenax.page.read import read
from tenax.page.verdict.validate import HARD, validate
from tenax.page.verdict.wall_patterns import Signatures
from tenax.page.verdict.wall_patterns import WallKind as Wall
from tenax.ports import ContentStore
from tenax.ports.imports import Imported, Imports, Taken

_BATCH = 200
_BATCH_BYTES = 32_000_000
_HEAD = 1_000_000
_REMEMBERED = 100_000
_SHOWN = 10
# Somebody chose this archive: what is short or empty in it is taken, what hides a page is not.
_WALLS = HARD | {Wall.CHALLENGE}


class ImportTally(Struct):
    records: int = 0
    new: int = 0
    renewed: int = 0
    older: int = 0
    held: int = 0
    unresolved: int = 0
    """Records that only name another one, which was not among those before."""
    left_out: Counter[str] = field(default_factory=Counter)
    """By reason."""
    damaged: int = 0
    damages: list[str] = field(default_factory=list)
    """The first of them: where, and what is wrong."""

    @property
    def pages(self) -> int:
        return self.new + self.renewed

    def add(self, taken: Taken) -> None:
        self.new += taken.new
        self.renewed += taken.renewed
        self.older += taken.older
        self.held += taken.held


class Importer:
    """Takes the pages of archives into one job, one file after the other."""

    def __init__(
        self,
        imports: Imports,
        content: ContentStore,
        admission: Admission,
        token: str,
        limit: int,
        signatures: Signatures,
    ) -> None:
        """`limit` is how long a body may be, decoded."""
        self._signatures = signatures
        self._imports = imports
        self._content = content
        self._admission = admission
        self._token = token
        self._limit = limit
        self._waiting: list[Imported] = []
        self._weight = 0
        self._originals: OrderedDict[str, tuple[bytes, Message]] = OrderedDict()
        """The digest of the body, and the head it came with, by what other records call it."""
        self._most = admission.job.spec.max_pages
        self._is_stopping = False
        self._pairs = Pairs()
        self.tally = ImportTally()

    def stop(self) -> None:
        self._is_stopping = True

    @property
    def is_full(self) -> bool:
        return self._is_stopping or (
            self._most is not None and self.tally.pages + len(self._waiting) >= self._most
        )

    async def take(self, file: ArchiveFile, name: str) -> None:
        """Everything in this file that the job wants."""
        for record in read_warc(file, self._limit + _HEAD):
            if isinstance(record, Damaged):
                self._note(record, name)
                continue
            self.tally.records += 1
            for answer, sends in self._pairs.next(record):
                await self._take(answer, sends)
            if self.is_full:
                break
        for answer, sends in self._pairs.rest():
            if not self.is_full:
                await self._take(answer, sends)
        await self._flush()

    async def _take(self, answer: WarcRecord, sends: Sends | str | None) -> None:
        imported = await self._read(answer, sends)
        if imported is not None:
            await self._keep(imported)

    def _note(self, damaged: Damaged, name: str) -> None:
        self.tally.damaged += 1
        if len(self.tally.damages) < _SHOWN:
            self.tally.damages.append(f"{name} at byte {damaged.offset:,}: {damaged.why}")

    async def _read(self, record: WarcRecord, sends: Sends | str | None) -> Imported | None:
        if not record.url.startswith(("http://", "https://")):
            self._leave("no web page")
            return None
        at = record.at
        if at is None:
            self._leave("no date")
            return None
        if isinstance(sends, str):
            self._leave(sends)
            return None
        answer = await self._answer(record)
        if answer is None:
            return None
        if not 200 <= answer.status < 300:
            self._leave(f"status {answer.status}")
            return None
        candidate = Candidate(record.url, depth=1, sends=sends)
        verdict = self._admission.door.decide(candidate)
        if isinstance(verdict, Rejected):
            self._leave(verdict.reason.value)
            return None
        headers = Headers(answer.headers)
        response = Response(record.url, answer.status, headers, answer.body)
        page = read(response, fetched_at=at, token=self._token)
        kind = kind_of(page.content_type)
        is_read = is_readable(page.content_type, pdf=not page.unreadable)
        if not is_read or kind is MediaKind.BINARY:
            self._leave("no text")
            return None
        if page.too_large:
            self._leave(Fault.TOO_LARGE.value)
            return None
        if page.directives.noindex:
            self._leave("noindex")
            return None
        wall = validate(response, page, self._signatures)
        if wall is not None and wall.kind in _WALLS:
            self._leave(wall.kind.value)
            return None
        self._remember(record, page, answer)
        url_hash = self._admission.hash_of(verdict.url, verdict.sends)
        return Imported(replace(verdict, depth=0), page, url_hash)

    async def _answer(self, record: WarcRecord) -> Message | None:
        """With its body decoded."""
        if record.kind == "resource":
            kind = record.headers.get("content-type", "")
            return Message(200, (("Content-Type", kind),), record.block)
        message = parse_http(record.block)
        if record.kind == "revisit":
            return await self._original(record, message)
        if message is None:
            self._leave("no web page")
            return None
        body = decode(message.body, message.get("content-encoding"), self._limit)
        if isinstance(body, Failure):
            self._leave(f"body: {body.fault}")
            return None
        return Message(message.status, message.headers, body)

    async def _original(self, record: WarcRecord, message: Message | None) -> Message | None:
        """What a revisit stands for: the body that came before, with its own head if it has one."""
        for name in _names(record):
            if name not in self._originals:
                continue
            digest, original = self._originals[name]
            await self._flush()  # its body may still be waiting
            body = await self._content.get(digest)
            if body is not None:
                head = message if message is not None and message.status == 200 else original
                return Message(head.status, head.headers, body)
        self.tally.unresolved += 1
        return None

    def _remember(self, record: WarcRecord, page: Page, answer: Message) -> None:
        if record.kind == "revisit":
            return
        head = Message(answer.status, answer.headers, b"")
        for name in _own_names(record):
            self._originals[name] = page.digest, head
            if len(self._originals) > _REMEMBERED:
                self._originals.popitem(last=False)

    def _leave(self, why: str) -> None:
        self.tally.left_out[why] += 1

    async def _keep(self, imported: Imported) -> None:
        self._waiting.append(imported)
        self._weight += len(imported.page.body or b"")
        if len(self._waiting) >= _BATCH or self._weight >= _BATCH_BYTES:
            await self._flush()

    async def _flush(self) -> None:
        """Bodies first, so that no page is without one."""
        batch, self._waiting, self._weight = self._waiting, [], 0
        await self._content.put([(i.page.digest, i.page.body) for i in batch if i.page.body])
        self.tally.add(await self._imports.take(self._admission.job.id, batch))


def _own_names(record: WarcRecord) -> list[str]:
    """What a revisit may call this record."""
    digest = record.headers.get("warc-payload-digest", "")
    id = record.headers.get("warc-record-id", "")
    return [name for name in (digest, id, _dated(record.url, record.at)) if name]


def _names(record: WarcRecord) -> list[str]:
    headers = record.headers
    refers = headers.get("warc-refers-to-target-uri", "").strip("<>")
    at = moment(headers.get("warc-refers-to-date", ""))
    names = (
        headers.get("warc-refers-to", ""),
        headers.get("warc-payload-digest", ""),
        _dated(refers, at),
    )
    return [name for name in names if name]


def _dated(url: str, at: float | None) -> str:
    return f"{at:.3f} {url}" if url and at is not None else ""
