"""Does the checklist after a restore or an outage see what is not as it was, and say what to do?"""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest
from msgspec.structs import replace

from tenax.cli.terminal.say import EXIT_BAD_INPUT, EXIT_UNFIT
from tenax.ops.health.bodies import THERE, Inspection
from tenax.ops.health.doctor import Check, CheckVerdict
from tenax.ops.health.recovery import LedgerStanding, checklist, is_openable
from tenax.ports import Backlog, Finding, RedisFacts, ServerFacts
from tenax.ports.checks import AlertRecord
from tenax.ports.overview import WorkerRecord
from tenax.testing import START, SimulatedWeb, crawl, open_test_app, page, run_virtually
from tests.cli import invoke
from tests.unit.ops.health.test_doctor import LEDGER, SOUND

SILENCE = 120.0
FACTS = replace(SOUND, ledger=LEDGER)
WHOLE = LedgerStanding(
    findings=(),
    bodies=Inspection(7, ()),
    has_all_bodies=False,
    workers=(WorkerRecord("w", 1, START, START, hosts=2),),
    running=1,
    has_own_index=False,
    unindexed=0,
    letters=0,
    alerts=(),
)
DEAD = WorkerRecord("gone", 1, START - 900, START - 900, hosts=3)
LOST = Finding(THERE, ("id 1",), 1)
ALERT = AlertRecord(1, "relay", "file", "file was not told", 400.0, START, START)


def troubles(
    inside: LedgerStanding | None = WHOLE, **changed: object
) -> list[tuple[str, CheckVerdict]]:
    checks = checklist(replace(FACTS, **changed), inside, SILENCE)
    wrong = [check for check in checks if check.verdict is not CheckVerdict.OK]
    assert all(check.advice for check in wrong), "each says what to do"
    return [(check.name, check.verdict) for check in wrong]


def test_what_is_as_it_was_is_told_in_order() -> None:
    assert troubles() == []
    names = [check.name for check in checklist(FACTS, WHOLE, SILENCE)]
    assert names == [
        "data folder", "disk", "clock", "network", "ledger", "audit", "bodies", "leases",
        "search index", "dead letters", "alerts", "workers",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("inside", "name", "verdict"),
    [
        (replace(WHOLE, findings=(Finding("sums", ("x",), 2),)), "audit", CheckVerdict.FAIL),
        (replace(WHOLE, bodies=Inspection(7, (LOST,))), "bodies", CheckVerdict.FAIL),
        (replace(WHOLE, bodies=None), "bodies", CheckVerdict.FAIL),
        (replace(WHOLE, workers=(*WHOLE.workers, DEAD)), "leases", CheckVerdict.WARN),
        (replace(WHOLE, unindexed=9), "search index", CheckVerdict.WARN),
        (replace(WHOLE, unindexed=None), "search index", CheckVerdict.FAIL),
        (replace(WHOLE, letters=4), "dead letters", CheckVerdict.WARN),
        (replace(WHOLE, alerts=(ALERT,)), "alerts", CheckVerdict.WARN),
        (replace(WHOLE, workers=()), "workers", CheckVerdict.WARN),
    ],
)
def test_each_trouble_in_the_ledger_is_one_line(
    inside: LedgerStanding, name: str, verdict: CheckVerdict
) -> None:
    assert troubles(inside) == [(name, verdict)]


def test_each_trouble_around_it_is_one_line() -> None:
    late = (Backlog("file", 1, 5, START - 900, "", START),)
    assert troubles(backlogs=late, is_told=True) == [("events", CheckVerdict.WARN)]
    assert troubles(redis=RedisFacts("r", error="away")) == [("Redis", CheckVerdict.FAIL)]
    away = (ServerFacts("queue", "q", error="away"), ServerFacts("content", "s3", error="away"))
    assert troubles(servers=away) == [
        ("queue", CheckVerdict.FAIL), ("content", CheckVerdict.FAIL),
    ]  # fmt: skip
    assert troubles(free_share=0.01, least_share=0.05) == [("disk", CheckVerdict.FAIL)]


def test_nothing_is_opened_that_is_not_there_or_would_be_changed_by_it() -> None:
    assert is_openable(FACTS)
    old = replace(LEDGER, revision="0000")
    for ledger, way in (
        (replace(LEDGER, exists=False), "tenax restore"),
        (replace(LEDGER, error="file is not a database"), "Restore it"),
        (old, "tenax db upgrade"),
        (replace(old, on_server=True, version="17"), "tenax db upgrade"),
    ):
        facts = replace(FACTS, ledger=ledger)
        assert not is_openable(facts)
        *_, last = checklist(facts, None, SILENCE)
        assert (last.name, last.verdict) == ("ledger", CheckVerdict.FAIL)
        assert way in last.advice


def test_a_command_goes_through_it_and_changes_nothing(tmp_path: Path) -> None:
    async def play() -> None:
        web = SimulatedWeb()
        web.at("https://a.example/", page("home", "/b"))
        web.at("https://a.example/b", page("b"))
        async with open_test_app(web, tmp_path) as opened:
            await crawl(opened, "https://a.example/", name="shop")

    run_virtually(play())
    before = _rows(tmp_path)
    told = invoke(["doctor", "--recovery", "--data", str(tmp_path)])
    assert told.exit_code == 0, told.output
    for line in ("ok    audit ", "ok    bodies        2 read, of the pages found last"):
        assert line in told.stdout
    assert _rows(tmp_path) == before
    shutil.rmtree(tmp_path / "content")
    for all_of_them in ([], ["--bodies"]):
        told = invoke(["doctor", "--recovery", "--json", "--data", str(tmp_path), *all_of_them])
        assert told.exit_code == EXIT_UNFIT
        (bodies,) = (each for each in json.loads(told.stdout) if each["name"] == "bodies")
        assert (bodies["verdict"], "(2)" in bodies["says"]) == ("fail", True)
    assert invoke(["doctor", "--bodies", "--data", str(tmp_path)]).exit_code == EXIT_BAD_INPUT


def _rows(folder: Path) -> list[str]:
    with sqlite3.connect(folder / "ledger.db") as ledger:
        return list(ledger.iterdump())


def test_a_check_says_what_to_do_only_where_there_is_something() -> None:
    fine: list[Check] = checklist(FACTS, WHOLE, SILENCE)
    assert not any(check.advice for check in fine)
