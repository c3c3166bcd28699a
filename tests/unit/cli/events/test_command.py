"""What is wrong with a relay's settings is told in a sentence."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest
from typer.testing import Result

from tenax.settings import SettingsError
from tests.cli import invoke

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)

    def command(*arguments: str, events: str = "") -> Result:
        monkeypatch.setenv("TENAX_EVENTS", events)
        return invoke([*arguments, "--data", str(tmp_path / "data")])

    return command


def complaint(result: Result) -> str:
    assert isinstance(result.exception, SettingsError)
    return str(result.exception)


def test_an_unknown_scheme_is_told_with_those_that_are_known(run: Run) -> None:
    told = complaint(run("relay", events="amqp://me:hunter2@127.0.0.1"))
    assert told == "events: unknown scheme 'amqp'. Use file:///PATH or kafka://HOST:PORT."


def test_where_nobody_is_told_a_relay_has_nothing_to_do(run: Run) -> None:
    assert "events is not set" in complaint(run("relay"))
    assert "events is not set" in complaint(run("consume"))


def test_a_url_without_a_folder_or_a_server_is_wrong(run: Run) -> None:
    assert "names no folder" in complaint(run("relay", events="file://"))
    assert "names no server" in complaint(run("relay", events="kafka://"))


def test_a_library_that_is_missing_is_told_by_its_extra(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.util.find_spec

    def without(name: str, package: str | None = None) -> ModuleSpec | None:
        return None if name == "aiokafka" else find(name, package)

    monkeypatch.setattr("tenax.compose.events.find_spec", without)
    assert "pip install 'tenax-crawler[kafka]'" in complaint(
        run("relay", events="kafka://127.0.0.1")
    )


def test_an_age_that_is_none_is_wrong(run: Run) -> None:
    assert "no duration" in complaint(run("relay", "--since", "x", events="file:///events"))


def test_a_sink_can_be_forgotten_once(run: Run) -> None:
    assert run("relay", "--until-empty", events="file:///events").exit_code == 0
    assert "events: 0 events not told" in run("relay", "--status").stdout
    assert run("relay", "--forget", "nobody").exit_code == 2
    assert run("relay", "--forget", "events").exit_code == 0
    assert run("relay", "--forget", "events").exit_code == 2
