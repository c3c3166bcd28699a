"""What does an export need? The writer of the format that is asked for, and no other's library."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Protocol

from tenax.compose.content import bucket_of
from tenax.compose.identity import user_agent
from tenax.compose.ledger import Ledger
from tenax.ops.export.chunks import CHUNK_FIELDS, ChunkExporter
from tenax.ops.export.export import DEFAULT, Exporter, ExportField, choose, with_links
from tenax.ops.export.files import Export, ExportSource, LinesFile, TableWriter, WarcFile, Writer
from tenax.ops.export.folder import MarkdownFolder
from tenax.ops.export.formats import Format
from tenax.ops.export.places import Outlet, Packing, PlaceKind
from tenax.ops.export.products import (
    PRICE_FIELDS,
    PRODUCT_FIELDS,
    PriceExporter,
    ProductExporter,
)
from tenax.ops.export.records import RecordExporter, record_fields
from tenax.ops.export.streams import (
    LinesStream,
    Sink,
    StreamExport,
    StreamForm,
    UploadExport,
    WarcStream,
    device_sink,
)
from tenax.page.reading.link_style import LinkStyle
from tenax.ports.handled import RecordFilter
from tenax.ports.tables import Column, TableFormat
from tenax.settings import SettingsError
from tenax.version import VERSION, pip_install

_SOFTWARE = f"Tenax/{VERSION}"
Tick = Callable[[int], None]


class ExportRun(Protocol):
    """One export under way, wherever it goes."""

    resumed: int

    def stop(self) -> None: ...

    async def run(self, job: str | None, *, resume: bool) -> bool: ...


def make_export(
    ledger: Ledger,
    place: Outlet,
    source: ExportSource,
    fields: Sequence[ExportField],
    what: str,
    tick: Tick = lambda _: None,
    stdout: Sink | None = None,
    links: LinkStyle = LinkStyle.INLINE,
) -> ExportRun:
    """What takes from the source to the place. `what` is what an export that was cut off must have
    been asked for to be gone on with. Raises `SettingsError`."""

    def to_file(path: Path) -> Export:
        writer = make_writer(ledger, place.form, path, fields, place.packing)
        return Export(source, writer, path, what, tick)

    if place.kind is PlaceKind.FILE:
        return to_file(place.path)
    if place.kind is PlaceKind.FOLDER:
        return Export(source, MarkdownFolder(place.path, links), place.path, what, tick)
    sink = _sink(place, stdout)
    if place.form is Format.PARQUET:
        parquet([field.column for field in fields])  # no library is told now, not after the crawl
        return UploadExport(to_file, sink)
    form, packing = _stream(ledger, place, fields)
    return StreamExport(source, form, packing, sink, tick)


def _stream(
    ledger: Ledger, place: Outlet, fields: Sequence[ExportField]
) -> tuple[StreamForm, Packing]:
    if place.form is not Format.WARC:
        return LinesStream(place.form, fields), place.packing
    packed, at = place.packing is Packing.GZIP, ledger.clock.now()
    return WarcStream(user_agent(ledger.settings), _SOFTWARE, at, packed=packed), Packing.NONE


def _sink(place: Outlet, stdout: Sink | None) -> Sink:
    if place.kind is PlaceKind.BUCKET:
        return _bucket_sink(place.name)
    if place.kind is PlaceKind.STREAM:
        return device_sink(place.path)
    if stdout is None:
        raise SettingsError("An export of a program needs the name of a file.")
    return stdout


def _bucket_sink(url: str) -> Sink:
    bucket = bucket_of(url, "--output")
    from tenax.adapters.content.s3 import UploadBucket

    upload = UploadBucket(bucket)

    async def put(pieces: AsyncIterator[bytes]) -> None:
        await upload.put(pieces)

    return put


def make_writer(
    ledger: Ledger,
    form: Format,
    output: Path,
    fields: Sequence[ExportField],
    packing: Packing = Packing.NONE,
) -> Writer:
    match form:
        case Format.WARC:
            agent, at = user_agent(ledger.settings), ledger.clock.now()
            return WarcFile(output, agent, _SOFTWARE, at, packed=packing is Packing.GZIP)
        case Format.PARQUET:
            return TableWriter(output, parquet([field.column for field in fields]), fields)
        case _:
            return LinesFile(output, form, fields, packing)


def make_exporter(
    ledger: Ledger,
    form: Format,
    names: Sequence[str] | None,
    *,
    products: bool = False,
    prices: bool = False,
    chunks: int | None = None,
    links: LinkStyle = LinkStyle.INLINE,
    since: float | None = None,
    changed: bool = False,
) -> tuple[ExportSource, tuple[ExportField, ...]]:
    """What hands out pages, their pieces, products or their histories, and the fields of these
    names. Raises `ValueError`."""
    is_whole = form in (Format.WARC, Format.MARKDOWN)
    if (products or prices or chunks) and is_whole:
        raise ValueError(f"{form} has pages: what else there is goes to jsonl, csv or parquet.")
    if prices:
        fields = choose(names, PRICE_FIELDS) if names else PRICE_FIELDS
        return PriceExporter(ledger.products, fields, since), fields
    if products:
        fields = choose(names, PRODUCT_FIELDS) if names else PRODUCT_FIELDS
        return ProductExporter(ledger.products, fields, since), fields
    changed_since = since if changed else None
    if chunks is not None:
        fields = choose(names, CHUNK_FIELDS) if names else CHUNK_FIELDS
        return ChunkExporter(
            ledger.pages, ledger.content, chunks, links, since=since, changed_since=changed_since
        ), fields
    fields = choose(names or DEFAULT)
    exporter = Exporter(
        ledger.pages,
        ledger.content,
        () if is_whole else with_links(fields, links),
        whole=form is Format.WARC,
        bodies=is_whole,
        since=since,
        changed_since=changed_since,
    )
    return exporter, with_links(fields, links)


async def make_record_exporter(
    ledger: Ledger,
    form: Format,
    names: Sequence[str] | None,
    record: str,
    job: str | None = None,
    changed_since: float | None = None,
) -> tuple[RecordExporter, tuple[ExportField, ...]]:
    """What hands out the user's own records of this name, and the fields of these names. Raises
    `ValueError`."""
    if form in (Format.WARC, Format.MARKDOWN):
        raise ValueError(f"{form} has pages: records go to jsonl, csv or parquet.")
    wanted = RecordFilter(name=record, job=job, changed_since=changed_since)
    fields = await record_fields(ledger.records, wanted, typed=form is Format.PARQUET)
    chosen = choose(names, fields) if names else fields
    return RecordExporter(ledger.records, chosen, wanted), chosen


def parquet(columns: Sequence[Column]) -> TableFormat:
    try:
        from tenax.adapters.local.parquet import ParquetFormat
    except ImportError as error:
        raise SettingsError(f"Parquet needs another library: {pip_install('parquet')}.") from error
    return ParquetFormat(columns)
