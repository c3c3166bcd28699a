"""In which forms can pages be had? Apart from what writes them: every command names these."""

from __future__ import annotations

from enum import StrEnum


class Format(StrEnum):
    JSONL = "jsonl"
    CSV = "csv"
    PARQUET = "parquet"
    WARC = "warc"
    MARKDOWN = "markdown"
    """A folder, with a file for each page."""
