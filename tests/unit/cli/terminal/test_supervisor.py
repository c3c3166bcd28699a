"""When is a process ended, and how often is it started again?"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tenax.adapters.local import supervised
from tenax.adapters.local.reading_note import ReadingNote
from tenax.cli.terminal import say, supervisor
from tenax.cli.terminal.supervisor import Deaths, Watched

URL = "https://a.example/\N{SNOWMAN}"
LOOK = 0.2


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "1-a.lock"
    made.touch()
    return made


@pytest.fixture
def note(file: Path) -> Iterator[ReadingNote]:
    made = ReadingNote()
    made.keep_in(file)
    with file.open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield made


def watched(file: Path, seconds: float = 1.0, memory: int = 10**12, pid: int = 0) -> Watched:
    return Watched(pid or os.getpid(), seconds, memory, str(file))


def looks(watch: Watched, count: int) -> list[str]:
    return [watch.look(LOOK) for _ in range(count)]


def test_who_reads_one_page_for_too_long_is_ended(file: Path, note: ReadingNote) -> None:
    watch = watched(file)
    note.begin(7, URL)
    assert looks(watch, 6) == [""] * 6
    assert watch.look(LOOK) == "took more than 1 s"
    assert watch.url() == URL


def test_who_goes_on_to_the_next_page_is_not(file: Path, note: ReadingNote) -> None:
    watch = watched(file)
    for _ in range(20):
        note.begin(7, URL)  # the same target, read anew
        assert watch.look(LOOK) == ""
        note.end()
    assert watch.reads() == 20


def test_a_body_that_is_read_in_steps_counts_once_and_is_seen_to_go_on(
    file: Path, note: ReadingNote
) -> None:
    """Or a crawl that reads one large sitemap after each start would be started for ever."""
    one = watched(file, seconds=0.3)
    for step in range(200):
        note.begin(1, URL, goes_on=step > 0)
        assert one.look(0.2) == ""
    assert one.reads() == 1
    note.begin(2, URL)
    assert one.reads() == 2


def test_who_reads_nothing_is_not(file: Path, note: ReadingNote) -> None:
    watch = watched(file)
    note.begin(7, URL)
    note.end()
    assert looks(watch, 20) == [""] * 20
    assert watch.url() == ""


def test_who_has_died_meanwhile_is_not(file: Path) -> None:
    note = ReadingNote()
    note.keep_in(file)
    note.begin(7, URL)
    assert looks(watched(file), 20) == [""] * 20


def test_time_in_which_we_were_asleep_does_not_count(file: Path, note: ReadingNote) -> None:
    watch = watched(file)
    note.begin(7, URL)
    assert [watch.look(3600.0) for _ in range(3)] == [""] * 3


def test_a_stopped_process_is_waited_for(file: Path, note: ReadingNote, sleeper: int) -> None:
    watch = watched(file, pid=sleeper)
    note.begin(7, URL)
    os.kill(sleeper, 19)
    os.waitid(os.P_PID, sleeper, os.WSTOPPED)
    assert looks(watch, 20) == [""] * 20
    os.kill(sleeper, 18)
    os.waitid(os.P_PID, sleeper, os.WCONTINUED)
    assert "took more than 1 s" in looks(watch, 20)


def test_who_takes_too_much_memory_for_a_page_is_ended(file: Path, note: ReadingNote) -> None:
    watch = watched(file, seconds=1000.0, memory=50_000_000)
    note.begin(7, URL)
    assert looks(watch, 3) == [""] * 3
    # Much more than that: meanwhile the system may take back what this process does not use.
    hoard = b"x" * 500_000_000
    assert watch.look(LOOK) == "took more than 50,000,000 bytes of memory"
    note.begin(8, URL)
    assert looks(watch, 3) == [""] * 3, "the next page has not taken it"
    assert hoard


def test_only_a_process_that_holds_its_lock_is_killed(file: Path, sleeper: int) -> None:
    """Its number may be another's by now."""
    watch = watched(file, pid=sleeper)
    watch.kill()
    assert os.waitpid(sleeper, os.WNOHANG) == (0, 0)
    with file.open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        watch.kill()
    assert os.waitpid(sleeper, 0)[1] == 9


@pytest.fixture
def sleeper() -> Iterator[int]:
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
    yield process.pid
    process.kill()
    process.wait()


def test_deaths_while_pages_were_read_are_progress_for_long() -> None:
    deaths = Deaths()
    assert all(deaths.may_go_on(reads=3, is_noted=True) for _ in range(Deaths.MOST))
    assert not deaths.may_go_on(reads=3, is_noted=True), "every other page kills"


def test_deaths_that_nobody_can_explain_are_borne_a_few_times() -> None:
    deaths = Deaths()
    assert all(deaths.may_go_on(reads=3, is_noted=False) for _ in range(Deaths.MOST_UNEXPLAINED))
    assert not deaths.may_go_on(reads=3, is_noted=False)


def test_a_process_that_has_read_much_makes_up_for_those_before() -> None:
    deaths = Deaths()
    assert all(deaths.may_go_on(reads=Deaths.ENOUGH, is_noted=bool(n % 2)) for n in range(1_000))


def test_what_is_said_twice_is_the_same() -> None:
    """The supervisor loads nothing, so it has to know by heart what others say."""
    assert supervisor._LINE == supervised.LINE
    assert supervisor.EXIT_DIED == say.EXIT_DIED


def test_the_supervisor_loads_nothing_of_the_crawler() -> None:
    loaded = subprocess.check_output(
        [sys.executable, "-c",
         "import sys, tenax.cli.terminal.supervisor;"
         "print(*[m for m in sys.modules if m.startswith('tenax') or m == 'asyncio'])"],
        text=True,
    )  # fmt: skip
    assert set(loaded.split()) == {
        "tenax", "tenax.version", "tenax.cli", "tenax.cli.terminal",
        "tenax.cli.terminal.supervisor",
    }  # fmt: skip


def test_a_pipe_of_the_same_number_is_not_taken_for_the_supervisors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (tmp_path / "mine").open("wb") as mine:
        inode = os.fstat(mine.fileno()).st_ino
        monkeypatch.setenv(supervised.LINE, f"{mine.fileno()}:{inode}")
        assert supervised.inherited() == mine.fileno()
        monkeypatch.setenv(supervised.LINE, f"{mine.fileno()}:{inode + 1}")
        assert supervised.inherited() is None
        for nonsense in ("", "x:y", "9999:1"):
            monkeypatch.setenv(supervised.LINE, nonsense)
            assert supervised.inherited() is None
