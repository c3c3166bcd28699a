"""Which libraries do exports need? Those of the format that is asked for, and no others."""

from __future__ import annotations

from collections.abc import Sequence

from tenax.page import quality
from tenax.ports.tables import Column, TableFormat
from tenax.settings import SettingsError


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
