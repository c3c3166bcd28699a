"""Do `tenax user` and `tenax key api` do what the API then obeys? (API-2, CLI-1)"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import Result

from tenax.cli.terminal.say import EXIT_BAD_INPUT, EXIT_NOTHING
from tests.cli import invoke

pytest.importorskip("argon2", reason="the extra `api` is not installed")
PASSWORD = "correct horse battery\n"
ADD = ("user", "add", "anna", "--role", "admin", "--password-stdin")


@pytest.fixture(autouse=True)
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No settings file of whoever runs the tests."""
    monkeypatch.chdir(tmp_path)


def tenax(*words: str, input: str = "") -> Result:
    return invoke(words, input=input)


def test_somebody_is_added_listed_changed_and_the_last_admin_stays() -> None:
    assert tenax(*ADD, input="short\n").exit_code == EXIT_BAD_INPUT
    assert tenax(*ADD, input=PASSWORD).exit_code == 0
    again = tenax(*ADD, input=PASSWORD)
    assert (again.exit_code, "already" in again.stderr) == (EXIT_BAD_INPUT, True)
    told = json.loads(tenax("user", "list", "--json").stdout)
    assert (told["name"], told["role"], told["must_choose_password"]) == ("anna", "admin", False)
    assert tenax("user", "passwd", "anna", "--password-stdin", input="x" + PASSWORD).exit_code == 0
    last = tenax("user", "remove", "anna")
    assert (last.exit_code, "only admin" in last.stderr) == (EXIT_BAD_INPUT, True)


def test_nobody_of_that_name() -> None:
    tenax(*ADD, input=PASSWORD)
    assert tenax("user", "remove", "bea").exit_code == EXIT_NOTHING
    other = tenax("user", "passwd", "bea", "--password-stdin", input=PASSWORD)
    assert other.exit_code == EXIT_NOTHING


def test_where_nobody_sits_nobody_is_asked() -> None:
    asked = tenax("user", "add", "anna", "--role", "user")
    assert "--password-stdin" in str(asked.exception)


def test_a_key_is_for_jobs_that_are_there_and_for_a_time_that_makes_sense() -> None:
    none = tenax("key", "api", "add", "ci", "--role", "user", "--job", "shop")
    assert (none.exit_code, "no job" in none.stderr) == (EXIT_BAD_INPUT, True)
    never = tenax("key", "api", "add", "ci", "--role", "user", "--expires", "soon")
    assert (never.exit_code, "--expires" in never.stderr) == (EXIT_BAD_INPUT, True)
    assert tenax("key", "api", "add", "ci", "--role", "user", "--expires", "30d").exit_code == 0
    told = json.loads(tenax("key", "api", "list", "--json").stdout)
    assert told["expires_at"] is not None
    assert told["used_at"] is None
