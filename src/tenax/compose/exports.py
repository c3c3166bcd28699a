"""What does an export need? The writer of the format that is asked for, and no other's library."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tenax.compose.identity import user_agent
from tenax.compose.ledger import Ledger
from tenax.ops.export.export import DEFAULT, Exporter, ExportField, choose
from tenax.ops.export.files import (
    ExportSource,
    LinesFile,
    TableWriter,
    WarcFile,
    WarcStream,
    Writer,
)
from tenax.ops.export.formats import Format
from tenax.ops.export.products import (
    PRICE_FIELDS,
    PRODUCT_FIELDS,
    PriceExporter,
    ProductExporter,
)
from tenax.ports.tables import Column, TableFormat
from tenax.settings import SettingsError
from tenax.version import VERSION

_SOFTWARE = f"Tenax/{VERSION}"


def make_writer(
    ledger: Ledger, form: Format, output: Path, fields: Sequence[ExportField]
) -> Writer:
    match form:
        case Format.WARC:
            return WarcFile(output, user_agent(ledger.settings), _SOFTWARE, ledger.clock.now())
        case Format.PARQUET:
            return TableWriter(output, parquet([field.column for field in fields]), fields)
        case _:
            return LinesFile(output, form, fields)


def make_exporter(
    ledger: Ledger,
    form: Format,
    names: Sequence[str] | None,
    *,
    products: bool = False,
    prices: bool = False,
) -> tuple[ExportSource, tuple[ExportField, ...]]:
    """What hands out pages, products or their histories, and the fields of these names. Raises
    `ValueError`."""
    is_warc = form is Format.WARC
    if (products or prices) and is_warc:
        raise ValueError("WARC files keep pages: products go to jsonl, csv or parquet.")
    if prices:
        fields = choose(names, PRICE_FIELDS) if names else PRICE_FIELDS
        return PriceExporter(ledger.products, fields), fields
    if products:
        fields = choose(names, PRODUCT_FIELDS) if names else PRODUCT_FIELDS
        return ProductExporter(ledger.products, fields), fields
    fields = choose(names or DEFAULT)
    chosen = () if is_warc else fields
    return Exporter(ledger.pages, ledger.content, chosen, whole=is_warc), fields


def make_warc_stream(ledger: Ledger) -> WarcStream:
    return WarcStream(user_agent(ledger.settings), _SOFTWARE, ledger.clock.now())


def parquet(columns: Sequence[Column]) -> TableFormat:
    try:
        from tenax.adapters.local.parquet import ParquetFormat
    except ImportError as error:
        raise SettingsError(
            "Parquet needs another library: pip install 'tenax[parquet]'."
        ) from error
    return ParquetFormat(columns)
