"""Which records are meant? What a person or a program asks for, as a filter of the ledger."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from tenax.model import Job
from tenax.ops.products.wanted import UnclearQuestion, since
from tenax.ops.why.lookup import as_asked, target_in
from tenax.ports import Pages
from tenax.ports.handled import RecordFilter, RecordStatus

__all__ = ["RecordQuestion", "UnclearQuestion", "record_filter"]


class RecordQuestion(Struct, frozen=True):
    """Records asked for in words, as flags and parameters have them."""

    name: str | None = None
    job: str | None = None
    host: str | None = None
    url: str | None = None
    """Of the page that told them."""
    handler: str | None = None
    key: str | None = None
    status: str | None = None
    text: str = ""
    changed_since: str | None = None
    """A date, or how long ago: `2026-11-01`, `12h`."""


async def record_filter(
    asked: RecordQuestion, jobs: Iterable[Job], pages: Pages, now: float
) -> RecordFilter:
    """Raises `UnclearQuestion`."""
    status: RecordStatus | None = None
    match asked.status:
        case None:
            pass
        case "there":
            status = "there"
        case "gone":
            status = "gone"
        case _:
            raise UnclearQuestion("status", "there are there and gone.")
    targets: tuple[int, ...] | None = None
    if asked.url is not None:
        href = as_asked(asked.url)
        if href is None:
            raise UnclearQuestion("url", "is no URL of a page.")
        found = [await target_in(job, href, pages) for job in jobs]
        targets = tuple(record.id for record in found if record is not None)
    return RecordFilter(
        name=asked.name,
        job=asked.job,
        host=asked.host,
        targets=targets,
        handler=asked.handler,
        key=asked.key,
        status=status,
        text=asked.text,
        changed_since=since(asked.changed_since, now),
    )
