"""Events in files: a crash leaves whole lines and no doubles; files are begun anew in time."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from tenax.adapters.events.files import EventFiles, FileEvents, files_of
from tenax.model import Event, EventKind
from tenax.ports import Unavailable

TOPICS = {EventKind.FETCHED: "log", EventKind.FAILED: "log_dlq"}
DAY = 86_400.0


@dataclass
class Calendar:
    time: float = 1_790_000_000.0

    def now(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        self.time += seconds


def event(number: int) -> Event:
    value = {"type": "webpage_fetched", "event_id": f"{number:032x}", "url_hash": "00" * 32}
    return Event(number, EventKind.FETCHED, bytes(32), json.dumps(value).encode(), 0.0)


def sink(folder: Path, clock: Calendar | None = None, rotate: int = 10**9) -> EventFiles:
    return EventFiles(folder, TOPICS, rotate, clock or Calendar(), threads=False)


def told(folder: Path) -> list[int]:
    lines = [line for path in files_of(folder, "log") for line in path.read_bytes().splitlines()]
    return [int(json.loads(line)["event_id"], 16) for line in lines]


async def test_what_is_sent_again_after_a_crash_is_written_once(tmp_path: Path) -> None:
    await sink(tmp_path).send([event(1), event(2)])
    await sink(tmp_path).send([event(1), event(2), event(3)])
    assert told(tmp_path) == [1, 2, 3]


async def test_also_when_it_comes_in_smaller_batches(tmp_path: Path) -> None:
    await sink(tmp_path).send([event(n) for n in range(4)])
    second = sink(tmp_path)
    for n in range(6):
        await second.send([event(n)])
    assert told(tmp_path) == [0, 1, 2, 3, 4, 5]


async def test_also_when_another_file_was_begun_in_between(tmp_path: Path) -> None:
    await sink(tmp_path, rotate=100).send([event(1), event(2)])
    assert len(files_of(tmp_path, "log")) == 2
    await sink(tmp_path, rotate=100).send([event(1), event(2), event(3)])
    assert told(tmp_path) == [1, 2, 3]


async def test_a_line_that_was_cut_short_is_written_anew(tmp_path: Path) -> None:
    await sink(tmp_path).send([event(1), event(2)])
    (path,) = files_of(tmp_path, "log")
    path.write_bytes(path.read_bytes()[:-20])
    await sink(tmp_path).send([event(1), event(2)])
    assert told(tmp_path) == [1, 2]


async def test_a_new_day_and_a_full_file_begin_another(tmp_path: Path) -> None:
    clock = Calendar()
    writer = sink(tmp_path, clock, rotate=250)
    await writer.send([event(1), event(2), event(3)])
    clock.time += DAY
    await writer.send([event(4)])
    names = [path.name for path in files_of(tmp_path, "log")]
    assert names == [
        "log-2026-09-21-0001.jsonl",
        "log-2026-09-21-0002.jsonl",
        "log-2026-09-22-0001.jsonl",
    ]
    assert told(tmp_path) == [1, 2, 3, 4]


async def test_files_are_in_order_however_many_a_day_has(tmp_path: Path) -> None:
    for number in (9_999, 10_000, 2):
        (tmp_path / f"log-2026-09-21-{number:04d}.jsonl").touch()
    (tmp_path / "log-2026-09-20-0003.jsonl").touch()
    (tmp_path / "log_dlq-2026-09-20-0003.jsonl").touch()
    numbers = [path.stem[-5:].strip("-") for path in files_of(tmp_path, "log")]
    assert numbers == ["0003", "0002", "9999", "10000"]


async def test_a_folder_that_cannot_be_written_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Unavailable, match="events cannot be written"):
        await sink(tmp_path / "file").send([event(1)])


async def test_a_reader_waits_for_the_end_of_a_line(tmp_path: Path) -> None:
    await sink(tmp_path).send([event(1)])
    (path,) = files_of(tmp_path, "log")
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:-5])
    reader = FileEvents(tmp_path, {EventKind.FETCHED: "log"}, "g", Calendar())
    assert len(await reader.read(10)) == 1
    assert await reader.read(10) == []
    path.write_bytes(whole + whole)
    assert len(await reader.read(10)) == 1
