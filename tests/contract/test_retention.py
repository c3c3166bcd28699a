"""The promises of retention: what is too old goes, archived first, and nothing else (LIFE-1)."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from msgspec.structs import replace
from sqlalchemy.engine import Connection

from tenax.adapters.content.archives import ArchiveFolder
from tenax.adapters.content.files import FileContentStore
from tenax.adapters.sql.lifecycle import retention as batches
from tenax.adapters.sql.lifecycle.retention import SqlRetention
from tenax.adapters.sql.lifecycle.upkeep import SqlStorageBook, SqlUpkeep
from tenax.adapters.sql.schema.tables import attempts, pages, stats, targets
from tenax.model import JobState
from tenax.ops.lifecycle.archive import Archive
from tenax.ops.lifecycle.backup import BACKUP
from tenax.ops.lifecycle.retention import Cleaned, CleaningParts, clean
from tenax.ops.lifecycle.retention_policy import RetentionPolicy
from tenax.ops.lifecycle.storage import storage_report
from tenax.ports import Letters
from tests.contract.test_deletion import filled
from tests.ledgers import START, Ledger

DAY = 86_400.0
BODY = b"<p>hello</p>"
DIGEST = sha256(BODY).digest()
ORPHAN = b"nobody's"


class Place:
    """A ledger with a job of sixty pages and two failures, and its bodies."""

    def __init__(self, ledger: Ledger, folder: Path, job_id: int) -> None:
        self.ledger, self.folder, self.job_id = ledger, folder, job_id
        self.database: Any = ledger.workers[0].database
        self.content = FileContentStore(folder / "content", threads=False)

    def parts(self, name: str = "me") -> CleaningParts:
        return CleaningParts(
            SqlRetention(self.database),
            self.content,
            Archive(ArchiveFolder(self.folder / "archive")),
            SqlUpkeep(self.database, self.ledger.clock),
            self.ledger.clock,
            name,
        )

    async def clean(self, **asked: Any) -> Cleaned | None:
        asked = {"everything": True, **asked}
        done = await clean(self.parts(), RetentionPolicy(), **asked)
        assert await self.ledger.auditor.audit() == []
        return done

    async def count(self, table: sa.Table) -> int:
        query = sa.select(sa.func.count()).select_from(table)
        found: int = await self.database.read(lambda c: c.execute(query).scalar_one())
        return found

    async def pending(self) -> int:
        query = sa.select(sa.func.count()).where(targets.c.state == "pending")
        found: int = await self.database.read(lambda c: c.execute(query).scalar_one())
        return found

    async def end(self) -> None:
        await self.ledger.jobs.set_state(self.job_id, JobState.DONE)

    def pass_days(self, days: float) -> None:
        self.ledger.clock.time += days * DAY


@pytest.fixture
async def place(ledger: Ledger, tmp_path: Path) -> Place:
    _, job_id = await filled(ledger)
    made = Place(ledger, tmp_path, job_id)
    change = sa.update(pages).values(digest=DIGEST)
    await made.database.write(lambda connection: connection.execute(change))
    await made.content.put([(DIGEST, BODY), (sha256(ORPHAN).digest(), ORPHAN)])
    for path in (tmp_path / "content").glob("*/*"):
        os.utime(path, (START, START))
    return made


async def test_what_is_young_stays(place: Place) -> None:
    await place.end()
    known, stored = await place.count(targets), await place.count(pages)
    done = await place.clean()
    assert done is not None
    assert done.kinds == {}
    assert (await place.count(targets), await place.count(pages)) == (known, stored)


async def test_each_kind_goes_at_its_age_and_the_rest_stays(place: Place) -> None:
    await place.end()
    stored = await place.count(pages)
    letters = len(await place.ledger.dead.find(Letters()))
    place.pass_days(8)
    done = await place.clean()
    assert done is not None
    assert done.kinds["attempts"] > 0
    assert done.kinds["done"] == 2, "what brought no page goes after a week"
    assert await place.count(attempts) == letters, "those of dead letters stay with them"
    place.pass_days(23)
    done = await place.clean()
    assert done is not None
    assert done.kinds["bodies"] == stored
    assert done.kinds["failed"] == letters
    assert await place.content.get(DIGEST) is None, "nothing refers to it any more"
    assert await place.count(pages) == stored
    place.pass_days(60)
    done = await place.clean()
    assert done is not None
    assert done.kinds["pages"] == stored
    assert await place.count(pages) == await place.count(attempts) == 0


async def test_a_job_that_goes_on_forgets_no_url(place: Place) -> None:
    known = await place.count(targets)
    for state in (JobState.RUNNING, JobState.PAUSED, JobState.STOPPED):
        await place.ledger.jobs.set_state(place.job_id, state)
        place.pass_days(400)
        done = await place.clean()
        assert done is not None
        assert not {"pages", "failed", "done"} & done.kinds.keys()
        assert await place.count(targets) == known


async def test_pages_and_failures_are_archived_before_they_go(place: Place) -> None:
    await place.end()
    place.pass_days(100)
    urls = {page.url for page in await place.ledger.pages.find(limit=1_000)}
    letters = {letter.url for letter in await place.ledger.dead.find(Letters())}
    done = await place.clean()
    assert done is not None
    rows: dict[str, set[str]] = {"pages": set(), "failures": set()}
    for name in done.archived:
        with gzip.open(name, "rt") as file:
            kind = Path(name).name.partition("-")[0]
            rows[kind] |= {json.loads(line)["url"] for line in file}
    assert rows == {"pages": urls, "failures": letters}


async def test_an_archive_overwrites_no_other_of_the_same_moment(place: Place) -> None:
    """Of a cleaning that was killed, before a clock was set back: its rows are nowhere else."""
    await place.end()
    [page, *_] = await place.ledger.pages.find(limit=1)
    written: list[str] = []
    for _ in range(2):
        archive = Archive(ArchiveFolder(place.folder / "archive"))
        await archive.add([page], [], START)
        written += archive.written
    assert len(set(written)) == len(list((place.folder / "archive").iterdir())) == 2


async def test_what_cannot_be_archived_stays(place: Place) -> None:
    await place.end()
    place.pass_days(100)
    (place.folder / "archive").write_text("a file where a folder should be")
    known = await place.count(targets)
    with pytest.raises(Exception, match="cannot be archived"):
        await place.clean()
    assert await place.count(targets) == known


async def test_a_dry_run_says_what_would_go_and_removes_nothing(place: Place) -> None:
    await place.end()
    place.pass_days(100)
    before = await place.count(targets), await place.count(attempts)
    foreseen = await place.clean(dry=True)
    assert (await place.count(targets), await place.count(attempts)) == before
    assert await place.content.get(DIGEST) == BODY
    done = await place.clean()
    assert foreseen is not None
    assert done is not None
    trimmed = {kind: n for kind, n in done.kinds.items() if kind not in ("minutes", "sessions")}
    assert foreseen.kinds == trimmed


async def test_safe_cleaning_takes_no_page_body_or_url(place: Place) -> None:
    await place.end()
    place.pass_days(400)
    known = await place.count(targets), await place.count(pages)
    done = await place.clean(everything=False)
    assert done is not None
    assert set(done.kinds) <= {"attempts", "minutes", "sessions"}
    assert (await place.count(targets), await place.count(pages)) == known
    assert await place.content.get(DIGEST) == BODY
    assert done.swept is not None
    assert done.swept.bodies == 1, "the one that nothing refers to"


async def test_a_body_just_put_is_not_swept_although_nothing_refers_to_it_yet(
    place: Place,
) -> None:
    """As while its visit is being committed; putting what is there already says the same."""
    await place.content.put([(sha256(ORPHAN).digest(), ORPHAN)])
    place.ledger.clock.time = START + 2 * 3_600
    done = await place.clean(everything=False)
    assert done is not None
    assert await place.content.get(sha256(ORPHAN).digest()) == ORPHAN


async def test_while_a_backup_is_made_no_body_goes(place: Place) -> None:
    place.pass_days(1)
    upkeep = SqlUpkeep(place.database, place.ledger.clock)
    assert await upkeep.take(BACKUP, "somebody", 600.0)
    await place.clean()
    assert await place.content.get(sha256(ORPHAN).digest()) == ORPHAN
    await upkeep.give_back(BACKUP, "somebody", done=True)
    await place.clean()
    assert await place.content.get(sha256(ORPHAN).digest()) is None


async def test_one_cleans_up_at_a_time_and_not_too_often(place: Place) -> None:
    upkeep = SqlUpkeep(place.database, place.ledger.clock)
    assert await upkeep.take("garbage", "another", 300.0)
    assert await place.clean() is None
    await upkeep.give_back("garbage", "another", done=True)
    assert await place.clean(every=DAY) is None
    place.pass_days(1.01)
    assert await place.clean(every=DAY) is not None
    assert await upkeep.take("garbage", "another", 300.0), "it was given back"
    place.ledger.clock.time += 301
    assert await place.clean() is not None, "whoever died holds it no longer"


async def test_a_lease_begins_when_the_ledger_has_it(place: Place) -> None:
    class Late:
        """Waits for its server."""

        async def write(self, work: Callable[[Connection], bool]) -> bool:
            place.ledger.clock.time += 900.0
            done: bool = await place.database.write(work)
            return done

    waited = SqlUpkeep(Late(), place.ledger.clock)  # type: ignore[arg-type]
    assert await waited.take("garbage", "one", 300.0)
    assert not await SqlUpkeep(place.database, place.ledger.clock).take("garbage", "another", 300.0)


async def test_old_minutes_of_statistics_go(place: Place) -> None:
    assert await place.count(stats) > 0
    await place.clean(everything=False)
    assert await place.count(stats) > 0
    place.pass_days(8)
    await place.clean(everything=False)
    assert await place.count(stats) == 0


async def test_work_goes_on_in_small_batches(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "BATCH", 7)
    await place.end()
    place.pass_days(100)
    done = await place.clean()
    assert done is not None
    assert done.kinds["pages"] > 7
    assert await place.count(targets) == await place.pending()


async def test_growth_is_told_from_another_day_on(place: Place) -> None:
    book = SqlStorageBook(place.database)
    first = await storage_report(book, place.content, place.ledger.clock)
    assert first.since is None
    assert first.bodies == 2
    rows = {table.name: table.rows for table in first.tables}
    assert rows["targets"] == await place.count(targets)
    sizes = {table.name: table.size for table in first.tables}
    # Not every SQLite can tell. On PostgreSQL it is in partitions.
    assert sizes["targets"] or not any(sizes.values())
    await place.end()
    place.pass_days(100)
    await place.clean()
    place.ledger.clock.time -= 90 * DAY
    again = await storage_report(book, place.content, place.ledger.clock)
    (grown,) = [table for table in again.tables if table.name == "pages"]
    assert grown.rows_a_day == pytest.approx(-rows["pages"] / 10)
    assert replace(again, tables=()).since == first.at
