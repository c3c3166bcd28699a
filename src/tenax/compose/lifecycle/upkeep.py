"""Who cleans up behind the crawls? The parts of it, and a task beside `serve` and `scheduler`."""

from __future__ import annotations

import asyncio
import os
import socket
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tenax.compose.content import bucket_of
from tenax.compose.places import local_path
from tenax.ops.lifecycle.archive import Archive, ArchivePlace
from tenax.ops.lifecycle.retention import Cleaned, CleaningParts, clean
from tenax.ports import ContentStock, ContentStore, Unavailable
from tenax.settings import Settings, SettingsError

if TYPE_CHECKING:
    from tenax.compose.ledger import Ledger
    from tenax.ops.lifecycle.storage import StorageReport

_LOOK = 600.0
"""Seconds between looks whether it is time."""


def cleaning_parts(ledger: Ledger) -> CleaningParts:
    from tenax.adapters.sql.lifecycle.retention import SqlRetention
    from tenax.adapters.sql.lifecycle.upkeep import SqlUpkeep

    name = f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
    return CleaningParts(
        SqlRetention(ledger.database),
        stock_of(ledger.content),
        _archive(ledger.settings),
        SqlUpkeep(ledger.database, ledger.clock),
        ledger.clock,
        name,
    )


def stock_of(content: ContentStore) -> ContentStock | None:
    """The store as one that can tell what it holds, where it can."""
    found = getattr(content, "stock", content)
    return found if isinstance(found, ContentStock) else None


@asynccontextmanager
async def cleaning_up(ledger: Ledger, say: Callable[[str], None]) -> AsyncIterator[None]:
    """Clean up meanwhile, as `retention.automatic` says; `say` is told of what went."""
    if ledger.settings.retention.automatic == "off":
        yield
        return
    task = asyncio.create_task(_keep_clean(ledger, say))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _keep_clean(ledger: Ledger, say: Callable[[str], None]) -> None:
    policy = ledger.settings.retention
    parts = cleaning_parts(ledger)
    while True:
        try:
            everything = policy.automatic == "all"
            done = await clean(parts, policy, everything=everything, every=policy.every)
        except Unavailable as error:
            say(f"Cleaning up: {error}")
        else:
            if done is not None and (told := _told(done)):
                say(f"Cleaned up: {told}.")
        await ledger.clock.sleep(min(_LOOK, policy.every or _LOOK))


def _told(done: Cleaned) -> str:
    kinds = [f"{count:,} {kind}" for kind, count in done.kinds.items()]
    if done.swept is not None and done.swept.bodies:
        kinds.append(f"{done.swept.bodies:,} bodies that nothing refers to")
    return ", ".join(kinds)


def _archive(settings: Settings) -> Archive | None:
    policy = settings.retention
    if policy.archive == "none":
        return None
    return Archive(_archive_place(settings), policy.archive_format)


def _archive_place(settings: Settings) -> ArchivePlace:
    url = settings.retention.archive
    scheme = urlsplit(url).scheme if url else "file"
    if scheme == "s3":
        bucket = bucket_of(url)
        from tenax.adapters.content.s3 import ArchiveBucket

        return ArchiveBucket(bucket)
    if scheme != "file":
        raise SettingsError(
            f"retention.archive = {url!r}: unknown scheme {scheme!r}. Use file:///PATH,"
            " s3://BUCKET/PREFIX or none."
        )
    from tenax.adapters.content.archives import ArchiveFolder

    return ArchiveFolder(local_path(url, "retention.archive") or Path(settings.data) / "archive")


async def report_storage(ledger: Ledger) -> StorageReport:
    from tenax.adapters.sql.lifecycle.upkeep import SqlStorageBook
    from tenax.ops.lifecycle.storage import storage_report

    book = SqlStorageBook(ledger.database)
    return await storage_report(book, stock_of(ledger.content), ledger.clock)


def load_analysis(path: Path, rows: Iterator[tuple[str, dict[str, Any]]]) -> int:
    """Archived rows into a SQLite file that is not there yet; how many it has."""
    from tenax.adapters.local.analysis import load
    from tenax.ops.lifecycle.archive import FIELDS

    return load(path, FIELDS, rows)
