"""Does the note of what is read outlive its process, and is it in nobody's way?"""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
from pathlib import Path

from tenax.adapters.local.reading_note import SIZE, Noted, ReadingNote, read_note

URL = "https://a.example/page"


def test_a_note_outlives_the_process_that_wrote_it(tmp_path: Path) -> None:
    file = tmp_path / "a.lock"
    file.touch()
    ended = subprocess.run([
        sys.executable, "-c",
        "import os, sys; from pathlib import Path\n"
        "from tenax.adapters.local.reading_note import ReadingNote\n"
        "note = ReadingNote(); note.keep_in(Path(sys.argv[1])); note.begin(2**40, sys.argv[2])\n"
        "os.kill(os.getpid(), 11)",
        file, URL,
    ], check=False)  # fmt: skip
    assert ended.returncode == -signal.SIGSEGV
    assert read_note(file) == Noted(2**40, URL)


def test_a_note_that_was_ended_says_nothing(tmp_path: Path) -> None:
    file = tmp_path / "a.lock"
    file.touch()
    note = ReadingNote()
    note.keep_in(file)
    assert read_note(file) is None
    note.begin(1, URL)
    assert read_note(file) == Noted(1, URL)
    note.begin(2, "https://b.example/")
    assert read_note(file) == Noted(2, "https://b.example/")
    note.end()
    assert read_note(file) is None


def test_what_goes_on_with_a_url_is_noted_wherever_the_note_stands(tmp_path: Path) -> None:
    """Its URL is not written again where it stands already, and stands in no other file."""
    note = ReadingNote()
    for name in ("a.lock", "b.lock"):
        (tmp_path / name).touch()
        note.begin(1, URL)
        note.keep_in(tmp_path / name)
        for goes_on in (False, True):
            note.begin(1, URL, goes_on=goes_on)
            assert read_note(tmp_path / name) == Noted(1, URL)
            note.end()


def test_a_file_that_is_no_note_says_nothing(tmp_path: Path) -> None:
    assert read_note(tmp_path / "missing") is None
    for text in (b"", b"x", bytes(SIZE)):
        (tmp_path / "odd").write_bytes(text)
        assert read_note(tmp_path / "odd") is None


def test_a_url_of_any_length_has_room(tmp_path: Path) -> None:
    file = tmp_path / "a.lock"
    file.touch()
    note = ReadingNote()
    note.keep_in(file)
    note.begin(3, URL + "x" * 5_000 + "\ud800")
    noted = read_note(file)
    assert noted is not None
    assert noted.target_id == 3
    assert noted.url.startswith(URL)
    assert file.stat().st_size == SIZE


def test_the_note_does_not_keep_the_lock_of_its_file(tmp_path: Path) -> None:
    """Or others would take us for alive as long as it is mapped."""
    file = tmp_path / "a.lock"
    lock = os.open(file, os.O_RDWR | os.O_CREAT)
    fcntl.flock(lock, fcntl.LOCK_EX)
    note = ReadingNote()
    note.keep_in(file)
    os.close(lock)
    with file.open() as again:
        fcntl.flock(again, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_without_a_file_it_is_written_for_nobody() -> None:
    note = ReadingNote()
    note.begin(1, URL)
    note.end()
