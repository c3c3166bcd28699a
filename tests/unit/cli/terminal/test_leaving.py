"""The command ends at once, and still everything it had to do is done."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_ENDS = """
import atexit, sys, threading, time
from tenax.cli.terminal.leaving import run_and_leave
{prelude}
def command():
    {body}
run_and_leave(command)
"""


def ended(
    body: str, prelude: str = "", stdout: int | None = subprocess.PIPE
) -> tuple[int, str, str]:
    # Buffered, as the output of a command is wherever it does not go to a terminal.
    env = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    script = _ENDS.format(prelude=prelude, body=body)
    done = subprocess.run(
        [sys.executable, "-c", script], stdout=stdout, stderr=subprocess.PIPE, text=True, env=env,
        check=False,
    )  # fmt: skip
    return done.returncode, done.stdout or "", done.stderr


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("pass", 0),
        ("sys.exit()", 0),
        ("sys.exit(0)", 0),
        ("sys.exit(5)", 5),
        ("sys.exit(130)", 130),
    ],
)
def test_the_exit_code_is_the_commands(body: str, code: int) -> None:
    assert ended(body) == (code, "", "")


def test_what_was_printed_is_out() -> None:
    assert ended("print('told'); print('noted', file=sys.stderr)") == (0, "told\n", "noted\n")


def test_python_does_not_take_itself_apart() -> None:
    """Freeing a crawl's objects would take a tenth of a second: they are left to the system."""
    kept = "class Kept:\n    def __del__(self): print('freed')\nkept = Kept()"
    assert ended("pass", kept) == (0, "", "")


def test_what_libraries_do_at_the_end_is_done() -> None:
    assert ended("atexit.register(print, 'closed')") == (0, "closed\n", "")


def test_a_thread_is_waited_for() -> None:
    writes = "threading.Thread(target=lambda: (time.sleep(0.2), print('written'))).start()"
    assert ended(writes) == (0, "written\n", "")


def test_a_bug_is_told_as_ever() -> None:
    code, _, told = ended("raise KeyError('a bug')")
    assert code == 1
    assert "Traceback" in told
    assert "a bug" in told


def test_an_exit_with_a_sentence_prints_it() -> None:
    assert ended("sys.exit('cannot go on')") == (1, "", "cannot go on\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_output_that_cannot_be_written_is_a_failure() -> None:
    with open("/dev/full", "w") as full:
        code, _, told = ended("print('lost')", stdout=full.fileno())
    assert code == 3
    assert "could not be written: No space left on device" in told


def test_a_reader_that_went_away_is_no_failure() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        assert ended("print('unheard')", stdout=writing) == (0, "", "")
    finally:
        os.close(writing)
