"""How do a record, what it was, and its handlers read as JSON?"""

from __future__ import annotations

from msgspec import Struct

from tenax.ops.dates import iso_day
from tenax.ops.plain import extended
from tenax.ports.handled import HandlerFailure, OwnRecords, RecordState, StoredRecord


class RecordStory(StoredRecord, frozen=True, kw_only=True):
    """A record, and all it was."""

    history: list[RecordState]
    """First to last; the last is what it is."""


class HandlerStanding(Struct, frozen=True):
    """How a handler does in a job, in all."""

    job: str
    handler: str
    version: str
    pages: int
    """That it was asked about."""
    records: int
    """That it told."""
    failures: int
    """Pages at which it failed."""
    last_day: str
    """ISO 8601, in UTC."""
    last_failure: HandlerFailure | None
    """Null where it has not failed, or another version of it did last."""


async def record_story(records: OwnRecords, record: StoredRecord) -> RecordStory:
    return extended(RecordStory, record, history=await records.history(record.id))


async def standings(
    records: OwnRecords, job: str | None = None, since_day: int = 0
) -> list[HandlerStanding]:
    """Of every handler and version, by job."""
    failed = {(each.job, each.handler): each for each in await records.failures(job)}
    found: dict[tuple[str, str, str], HandlerStanding] = {}
    for rate in await records.rates(since_day, job):
        key = (rate.job, rate.handler, rate.version)
        before = found.get(key)
        last = failed.get((rate.job, rate.handler))
        found[key] = HandlerStanding(
            *key,
            pages=rate.pages + (before.pages if before else 0),
            records=rate.records + (before.records if before else 0),
            failures=rate.failures + (before.failures if before else 0),
            last_day=iso_day(rate.day),
            last_failure=last if last is not None and last.version == rate.version else None,
        )
    return list(found.values())
