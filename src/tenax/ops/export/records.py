"""What of the user's own records leaves the ledger? Those of one name: their fields, each a column,
and where they came from, under names that begin with an underscore."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from functools import partial
from typing import Any

import orjson
from msgspec.structs import replace

from tenax.ops.dates import iso
from tenax.ops.export.export import ExportField, ExportTally, heading, line
from tenax.ops.export.formats import Format
from tenax.ports.handled import OwnRecords, RecordFilter, StoredRecord
from tenax.ports.tables import Cells

_BATCH = 500
_LARGEST = 2**63


class OwnRow:
    """A record as it is exported."""

    is_last = True

    def __init__(self, record: StoredRecord) -> None:
        self.record = record

    @property
    def id(self) -> int:
        return self.record.id


RECORD_FIELDS = (
    ExportField("_id", "its number in the ledger", lambda row: row.record.id, cells=Cells.NUMBER),
    ExportField("_name", "what kind of record it is", lambda row: row.record.name),
    ExportField("_key", "what your code knows it by", lambda row: row.record.key),
    ExportField("_url", "the page that told it last", lambda row: row.record.url),
    ExportField("_job", "the job that visited it", lambda row: row.record.job),
    ExportField("_handler", "which handler told it", lambda row: row.record.handler),
    ExportField("_version", "in which version", lambda row: row.record.version),
    ExportField("_status", "there, or gone: its page tells it no more",
                lambda row: row.record.status),
    ExportField("_first_seen_at", "when it was first told, UTC",
                lambda row: iso(row.record.first_seen_at), cells=Cells.MOMENT),
    ExportField("_last_seen_at", "when it was last told, UTC",
                lambda row: iso(row.record.last_seen_at), cells=Cells.MOMENT),
    ExportField("_changed_at", "since when it is as it is, UTC",
                lambda row: iso(row.record.changed_at), cells=Cells.MOMENT),
)  # fmt: skip


async def record_fields(
    records: OwnRecords, wanted: RecordFilter, *, typed: bool
) -> tuple[ExportField, ...]:
    """The fields that these records have, then where they came from. One look at all of them; where
    cells are `typed`, what fits no type is JSON text."""
    kinds: dict[str, set[type]] = {}
    async for record in _each(records, wanted):
        for name, value in record.data.items():
            kinds.setdefault(name, set()).add(_kind(value))
    own = []
    for name, found in kinds.items():
        cells = _cells(found - {type(None)})
        get = partial(_told if typed else _as_it_is, name, cells)
        own.append(ExportField(name, "a field of the record", get, cells=cells))
    return (*own, *(field for field in RECORD_FIELDS if field.name not in kinds))


class RecordExporter:
    """As `Exporter`, of records of one name."""

    def __init__(
        self, records: OwnRecords, fields: Sequence[ExportField], wanted: RecordFilter
    ) -> None:
        self._records = records
        self._fields = fields
        self._wanted = wanted
        self.tally = ExportTally()

    async def lines(self, form: Format, job: str | None = None) -> AsyncIterator[bytes]:
        if top := heading(form, self._fields):
            yield top
        async for row in self.stored(job):
            yield line(form, self._fields, row)

    async def stored(self, job: str | None = None, after: int = 0) -> AsyncIterator[OwnRow]:
        async for record in _each(self._records, replace(self._wanted, job=job), after):
            self.tally.pages += 1
            yield OwnRow(record)


async def _each(
    records: OwnRecords, wanted: RecordFilter, after: int = 0
) -> AsyncIterator[StoredRecord]:
    while batch := await records.find(wanted, after=after, limit=_BATCH):
        for record in batch:
            yield record
        after = batch[-1].id


def _kind(value: Any) -> type:
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return list
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= _LARGEST:
        return dict  # no column of numbers can hold it
    return dict if isinstance(value, list | dict) else type(value)


def _cells(kinds: set[type]) -> Cells:
    if kinds == {int}:
        return Cells.NUMBER
    if kinds and kinds <= {int, float}:
        return Cells.REAL
    return Cells.TEXTS if kinds == {list} else Cells.TEXT


def _as_it_is(name: str, _: Cells, row: OwnRow) -> Any:
    return row.record.data.get(name)


def _told(name: str, cells: Cells, row: OwnRow) -> Any:
    value = row.record.data.get(name)
    if value is None or cells is not Cells.TEXT or isinstance(value, str):
        return value
    return orjson.dumps(value).decode()
