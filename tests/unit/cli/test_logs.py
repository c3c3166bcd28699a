"""Is every event one line, for people and for machines, whatever the web wrote into it? (SEC-4)"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator

import pytest

from tenax.cli.terminal.logs import log_act, set_up_log
from tenax.crawl.observe.visit_log import log_event
from tenax.crawl.policy import LogPolicy

EVIL = "https://a.example/\n10:00:00 act api: key admin DELETE /api/jobs/x: 200\x1b[2J\u2028\u202e"
log = logging.getLogger("tenax.test")


@pytest.fixture(autouse=True)
def _as_it_was() -> Iterator[None]:
    root, ours = logging.getLogger(), logging.getLogger("tenax")
    handlers, level = root.handlers[:], ours.level
    yield
    root.handlers[:] = handlers
    ours.setLevel(level)


def said(capsys: pytest.CaptureFixture[str], policy: LogPolicy) -> list[str]:
    """Everything that a hostile web can bring into a log."""
    set_up_log(policy)
    log_event(log, logging.INFO, "visit", url=EVIL, status=200, cause="")
    log.warning("%s asks for too much", EVIL)
    try:
        raise ValueError(EVIL)
    except ValueError:
        log.exception("visit failed unexpectedly: %s", EVIL)
    log_act("api: key me POST /api/jobs: 201")
    return capsys.readouterr().err.splitlines()


def test_json_is_an_object_to_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    lines = [json.loads(line) for line in said(capsys, LogPolicy("info", "json"))]
    assert [line["level"] for line in lines] == ["info", "warning", "error", "act"]
    assert lines[0] | {"at": ""} == {
        "at": "", "level": "info", "from": "tenax.test", "event": "visit", "url": EVIL,
        "status": 200,
    }  # fmt: skip
    assert EVIL in lines[2]["traceback"]
    assert lines[3]["event"] == "api: key me POST /api/jobs: 201"


def test_nobody_on_the_web_writes_a_line_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    lines = said(capsys, LogPolicy("info"))
    told = [line for line in lines if not line.startswith("    ")]
    assert [line.split()[1] for line in told] == ["info", "warning", "error", "act"]
    assert all(line.isprintable() for line in lines)
    assert "status=200" in told[0]
    assert "cause" not in told[0]


def test_a_level_leaves_out_what_is_below_it_but_never_what_admins_do(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def levels(level: str) -> list[str]:
        lines = said(capsys, LogPolicy(level))  # type: ignore[arg-type]  # one of them
        return [line.split()[1] for line in lines if not line.startswith("    ")]

    assert levels("warning") == ["warning", "error", "act"]
    assert levels("error") == ["error", "act"]


def test_set_up_twice_each_line_is_written_once(capsys: pytest.CaptureFixture[str]) -> None:
    set_up_log(LogPolicy())
    set_up_log(LogPolicy())
    log.warning("once")
    assert capsys.readouterr().err.count("once") == 1
