"""What does an export need? The writer of the format that is asked for, and no other's library."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tenax.compose.app import App
from tenax.compose.clients import user_agent
from tenax.ops.export import Field
from tenax.ops.export_files import LinesFile, TableWriter, WarcFile, WarcStream, Writer
from tenax.ops.formats import Format
from tenax.page import quality
from tenax.ports.tables import Column, TableFormat
from tenax.settings import SettingsError
from tenax.version import VERSION

_SOFTWARE = f"Tenax/{VERSION}"


def make_writer(app: App, form: Format, output: Path, fields: Sequence[Field]) -> Writer:
    match form:
        case Format.WARC:
            return WarcFile(output, user_agent(app.settings), _SOFTWARE, app.parts.clock.now())
        case Format.PARQUET:
            return TableWriter(output, parquet([field.column for field in fields]), fields)
        case _:
            return LinesFile(output, form, fields)


def make_warc_stream(app: App) -> WarcStream:
    return WarcStream(user_agent(app.settings), _SOFTWARE, app.parts.clock.now())


def parquet(columns: Sequence[Column]) -> TableFormat:
    try:
        from tenax.adapters.parquet import ParquetFormat
    except ImportError as error:
        raise SettingsError(
            "Parquet needs another library: pip install 'tenax[parquet]'."
        ) from error
    return ParquetFormat(columns)


def require_quality() -> None:
    try:
        quality.require()
    except quality.NotInstalled as error:
        raise SettingsError(f"--{error}") from error
