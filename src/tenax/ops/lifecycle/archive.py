"""What becomes of pages and failures that are removed? gzip JSON Lines or CSV, durable before.

A file for each batch: `pages-2026-11-18T093000-5f0c1e-0001.jsonl.gz`. Interrupted between writing
and removing, the same rows are archived again: whoever counts them does so by URL.
"""

from __future__ import annotations

import csv
import gzip
import secrets
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, Protocol

import msgspec
from msgspec.structs import asdict

from tenax.ops.export.export import csv_line
from tenax.ops.export.page_json import PAGE_FIELDS, page_facts
from tenax.ops.plain import plain
from tenax.ports import PageRecord, Unavailable
from tenax.ports.lifecycle.retention import FailedRecord

FAILURE_FIELDS = (
    "job", "url", "state", "outcome", "cause", "reason", "attempts", "job_ended_at",
)  # fmt: skip
FIELDS = {"pages": PAGE_FIELDS, "failures": FAILURE_FIELDS}


class ArchivePlace(Protocol):
    async def write(self, name: str, data: bytes) -> str:
        """Where it is now, durably; raises `Unavailable`."""


class Archive:
    def __init__(self, place: ArchivePlace, form: Literal["json", "csv"] = "json") -> None:
        self.written: list[str] = []
        self._place = place
        self._form = form
        self._count = 0
        # A clock may be set back: what is archived is nowhere else, and must not be overwritten.
        self._mark = secrets.token_hex(3)

    async def add(
        self, pages: Sequence[PageRecord], failures: Sequence[FailedRecord], now: float
    ) -> None:
        for kind, rows in (
            ("pages", [plain(page_facts(page)) for page in pages]),
            ("failures", [_failure_json(each) for each in failures]),
        ):
            if rows:
                self._count += 1
                at = datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%dT%H%M%S")
                ending = "jsonl" if self._form == "json" else "csv"
                name = f"{kind}-{at}-{self._mark}-{self._count:04d}.{ending}.gz"
                self.written.append(await self._place.write(name, _packed(kind, rows, self._form)))


def read_archive(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """What kind of row each is, and the row; raises `Unavailable` where it is none of ours."""
    kind = path.name.partition("-")[0]
    if kind not in FIELDS or path.suffixes[-2:] not in ([".jsonl", ".gz"], [".csv", ".gz"]):
        raise Unavailable(f"{path}: not a file that `tenax gc` has archived.")
    try:
        with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
            if path.suffixes[-2] == ".csv":
                for row in csv.DictReader(file):
                    yield kind, dict(row)
            else:
                for line in file:
                    yield kind, msgspec.json.decode(line)
    except (OSError, EOFError, msgspec.DecodeError, csv.Error) as error:
        raise Unavailable(f"{path}: cannot be read ({error}).") from error


def _packed(kind: str, rows: Iterable[dict[str, Any]], form: str) -> bytes:
    if form == "json":
        return gzip.compress(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
    lines = [csv_line(FIELDS[kind]), *(csv_line([row[f] for f in FIELDS[kind]]) for row in rows)]
    return gzip.compress(b"".join(lines))


def _failure_json(failure: FailedRecord) -> dict[str, Any]:
    row = asdict(failure)
    return {name: plain(row[name], name) for name in FAILURE_FIELDS}
