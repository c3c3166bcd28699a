"""Does `tenax dead` show what was given up, and change only what it was asked to? (FE-8, CLI-1)"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from tenax.cli.terminal.say import EXIT_BAD_INPUT, EXIT_NOTHING
from tenax.model import Fault
from tenax.ports import Unavailable
from tenax.testing import (
    SimulatedWeb,
    crawl,
    failing,
    open_test_app,
    page,
    run_virtually,
    status,
)
from tests.cli import invoke

HOME = "https://a.example/"
ESCAPE = "\x1b[2J"
ERROR, DENIED = "https://a.example/error?a=1&b=2", "https://a.example/denied"
OTHER = "https://b.example/"


def sick_web() -> SimulatedWeb:
    web = SimulatedWeb()
    web.at(HOME, page("home", ERROR, DENIED, "/fine"))
    web.at("https://a.example/fine", page("fine"))
    web.at(ERROR, status(500))
    web.at(DENIED, status(403))
    web.at(OTHER, status(403))
    return web


async def _crawl(folder: Path, web: SimulatedWeb) -> None:
    async with open_test_app(web, folder) as opened:
        await crawl(opened, HOME, name="shop")
        await crawl(opened, OTHER, name="news")


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl that is only looked at: two letters of job shop, one of news."""
    folder = tmp_path_factory.mktemp("crawl")
    run_virtually(_crawl(folder, sick_web()))
    return folder


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """The same, for a test that changes it."""
    run_virtually(_crawl(tmp_path, sick_web()))
    return tmp_path


def tenax(*words: str, data: Path) -> Result:
    return invoke([*words, "--data", str(data)])


def dead(*words: str, data: Path) -> Result:
    return tenax("dead", *words, data=data)


def objects(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


def listed(data: Path) -> set[str]:
    return {row["url"] for row in objects(dead("list", "--json", data=data).stdout)}


# list


@pytest.mark.parametrize("words", [(), ("list",)], ids=["dead", "dead list"])
def test_letters_are_listed_with_the_latest_first(ledger: Path, words: Sequence[str]) -> None:
    result = dead(*words, data=ledger)
    assert result.exit_code == 0
    head, *rows = result.stdout.splitlines()
    assert head.split() == ["given", "up", "fault", "URL", "reason", "attempts"]
    assert [row.split()[2] for row in rows] == ["client_error", "server_error", "client_error"]
    assert [row.split()[3] for row in rows] == [OTHER, ERROR, DENIED]
    assert [row.split()[4:] for row in rows][1] == ["http", "500", "3"]


def test_the_list_ends_with_counts_by_fault_and_what_to_do(ledger: Path) -> None:
    told = dead(data=ledger).stderr
    assert "3 dead letters: 2 client_error, 1 server_error." in told
    assert f"tenax dead show URL --data {ledger}" in told
    assert f"tenax dead return --all --data {ledger}" in told


def test_flags_need_no_command_and_are_repeated_in_the_advice(ledger: Path) -> None:
    result = dead("--fault", "client_error", "--host", "a.example", data=ledger)
    assert [row.split()[3] for row in result.stdout.splitlines()[1:]] == [DENIED]
    assert "1 dead letter: 1 client_error." in result.stderr
    assert "tenax dead return --fault client_error --host a.example --data" in result.stderr


@pytest.mark.parametrize(
    ("flags", "found"),
    [
        (("--job", "shop"), {ERROR, DENIED}),
        (("--host", "b.example"), {OTHER}),
        (("--host", "https://B.example/any"), {OTHER}),
        (("--fault", "server_error"), {ERROR}),
        (("--contains", "DENIED"), {DENIED}),
        (("--contains", "http 403"), {DENIED, OTHER}),
        (("--job", "news", "--fault", "server_error"), set()),
    ],
)
def test_flags_choose_letters(ledger: Path, flags: Sequence[str], found: set[str]) -> None:
    result = dead("list", "--json", *flags, data=ledger)
    assert {row["url"] for row in objects(result.stdout)} == found


def test_a_letter_as_json_has_everything(ledger: Path) -> None:
    (row,) = objects(dead("list", "--json", "--fault", "server_error", data=ledger).stdout)
    assert row.pop("at").endswith("Z")
    assert row.pop("target_id") > 0
    assert row == {
        "job": "shop",
        "url": ERROR,
        "host": "a.example",
        "fault": "server_error",
        "reason": "server_error: http 500",
        "attempts": 3,
        "detail": "http 500",
    }


def test_a_limit_is_told_when_it_hides_letters(ledger: Path) -> None:
    result = dead("--limit", "2", data=ledger)
    assert len(result.stdout.splitlines()) == 3
    assert "2 of 3 dead letters, the latest; --limit for more: 2 client_error" in result.stderr
    assert len(objects(dead("--limit", "2", "--json", data=ledger).stdout)) == 2


def test_a_long_list_is_read_in_pages(ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tenax.cli.dead.work._PAGE", 1)
    assert listed(ledger) == {ERROR, DENIED, OTHER}


def test_that_there_are_none_is_no_error(tmp_path: Path) -> None:
    web = SimulatedWeb()
    web.at(HOME, page("home"))
    web.at(OTHER, page("other"))
    run_virtually(_crawl(tmp_path, web))
    for words, told in (((), "No dead letters."), (("--fault", "reset"), "No dead letters match.")):
        result = dead(*words, data=tmp_path)
        assert (result.exit_code, result.stdout, result.stderr) == (0, "", f"{told}\n")
    assert "nothing" in dead("return", "--all", data=tmp_path).stderr


def test_what_a_server_says_cannot_steer_the_terminal(tmp_path: Path) -> None:
    web = SimulatedWeb()
    web.at(HOME, failing(Fault.TOO_LARGE, f"of {ESCAPE} bytes"))
    web.at(OTHER, page("other"))
    run_virtually(_crawl(tmp_path, web))
    for words in ((), ("show", HOME)):
        told = dead(*words, data=tmp_path).stdout
        assert "[2J bytes" in told
        assert ESCAPE not in told


# show


def test_a_letter_is_shown_with_every_attempt(ledger: Path) -> None:
    result = dead("show", ERROR, data=ledger)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == ERROR
    assert "In job shop: given up at" in lines[1]
    assert "3 attempts" in lines[1]
    assert lines[2].split() == ["reason", "server_error:", "http", "500"]
    tries = [line for line in lines if " failed " in line]
    assert len(tries) == 3
    assert all(" 500 " in line for line in tries)
    assert f"tenax dead return '{ERROR}'" in result.stderr


def test_a_letter_is_found_by_any_spelling_of_its_url(ledger: Path) -> None:
    (told,) = objects(dead("show", "A.example/error?b=2&a=1#x", "--json", data=ledger).stdout)
    assert told["url"] == ERROR
    assert [each["status"] for each in told["history"]] == [500, 500, 500]
    assert told["history"][0]["at"].endswith("Z")


def test_a_url_dead_in_two_jobs_is_shown_for_both(tmp_path: Path) -> None:
    async def both() -> None:
        async with open_test_app(sick_web(), tmp_path) as opened:
            for name in ("shop", "news"):
                await crawl(opened, HOME, name=name)

    run_virtually(both())
    told = objects(dead("show", DENIED, "--json", data=tmp_path).stdout)
    assert {each["job"] for each in told} == {"shop", "news"}
    (one,) = objects(dead("show", DENIED, "--job", "news", "--json", data=tmp_path).stdout)
    assert one["job"] == "news"


@pytest.mark.parametrize("command", ["show", "return", "purge"])
@pytest.mark.parametrize("url", ["https://a.example/fine", "https://never.example/", "mailto:x"])
def test_a_url_that_is_no_letter_is_told(ledger: Path, command: str, url: str) -> None:
    result = dead(command, url, data=ledger)
    assert result.exit_code == EXIT_NOTHING
    assert f"{url}: not a dead letter. `tenax why URL" in result.stderr
    assert result.stdout == ""


# return


def test_all_are_returned_and_what_to_run_next_is_told(own: Path) -> None:
    result = dead("return", "--all", data=own)
    assert result.exit_code == 0
    assert "Returned 3 dead letters: 2 of job shop, 1 of job news." in result.stderr
    assert f"tenax crawl {HOME} --job shop --data {own}" in result.stderr
    assert f"tenax crawl {OTHER} --job news --data {own}" in result.stderr
    assert listed(own) == set()
    audit = tenax("audit", data=own)
    assert audit.exit_code == 0
    assert "shop: 4 known = 2 pending + 2 done" in audit.stdout


@pytest.mark.parametrize(("command", "done"), [("return", "returned"), ("purge", "purged")])
@pytest.mark.parametrize(
    ("words", "left"),
    [
        ((ERROR,), {DENIED, OTHER}),
        ((ERROR, OTHER), {DENIED}),
        ((ERROR, ERROR), {DENIED, OTHER}),
        (("--fault", "client_error"), {ERROR}),
        (("--host", "a.example"), {OTHER}),
        (("--job", "shop", "--fault", "client_error"), {ERROR, OTHER}),
        (("--contains", "error?"), {DENIED, OTHER}),
        ((ERROR, "--fault", "client_error"), {ERROR, DENIED, OTHER}),
        (("--all", "--job", "news"), {ERROR, DENIED}),
        (("--all",), set()),
    ],
)
def test_only_the_letters_meant_are_changed(
    own: Path, command: str, done: str, words: Sequence[str], left: set[str]
) -> None:
    result = dead(command, *words, "--json", data=own)
    assert result.exit_code == 0
    (told,) = objects(result.stdout)
    assert told[done] == 3 - len(left)
    assert listed(own) == left


def test_the_others_are_returned_when_one_url_is_no_letter(own: Path) -> None:
    result = dead("return", ERROR, HOME, "--json", data=own)
    assert result.exit_code == EXIT_NOTHING
    (told,) = objects(result.stdout)
    assert told == {"returned": 1, "jobs": {"shop": 1}, "not_found": [HOME]}
    assert listed(own) == {DENIED, OTHER}


@pytest.mark.parametrize("command", ["return", "purge"])
def test_everything_is_changed_only_when_everything_is_said(own: Path, command: str) -> None:
    result = dead(command, data=own)
    assert result.exit_code == EXIT_BAD_INPUT
    assert "--all" in result.stderr
    assert len(listed(own)) == 3


@pytest.mark.parametrize("command", ["list", "return", "purge"])
def test_a_mistyped_job_or_fault_changes_nothing(own: Path, command: str) -> None:
    job = dead(command, "--job", "shpo", data=own)
    fault = dead(command, "--fault", "server_eror", data=own)
    assert (job.exit_code, fault.exit_code) == (EXIT_BAD_INPUT, EXIT_BAD_INPUT)
    assert "Did you mean 'shop'?" in job.stderr
    assert "Did you mean server_error?" in fault.stderr
    assert len(listed(own)) == 3


@pytest.mark.parametrize("words", [(), ("show", HOME), ("return", "--all"), ("purge", "--all")])
def test_without_a_ledger_the_user_is_told_where_none_is(
    tmp_path: Path, words: Sequence[str]
) -> None:
    result = dead(*words, data=tmp_path / "nowhere")
    assert isinstance(result.exception, Unavailable)
    assert not (tmp_path / "nowhere").exists()


# purge


def test_a_purged_letter_leaves_a_failed_url_and_a_whole_ledger(own: Path) -> None:
    result = dead("purge", "--job", "shop", data=own)
    assert "Purged 2 dead letters: 2 of job shop." in result.stderr
    assert "stay failed" in result.stderr
    audit = tenax("audit", data=own)
    assert audit.exit_code == 0
    assert "shop: 4 known = 2 done + 2 failed" in audit.stdout
    assert dead("return", ERROR, data=own).exit_code == EXIT_NOTHING


# elsewhere


def test_why_says_that_a_url_is_a_dead_letter_and_how_to_return_it(own: Path) -> None:
    told = tenax("why", ERROR, data=own).stdout
    assert "a dead letter since" in told
    assert f"tenax dead return '{ERROR}'" in told
    assert json.loads(tenax("why", ERROR, "--json", data=own).stdout)["jobs"][0]["dead_letter"]
    dead("purge", ERROR, data=own)
    assert "dead letter" not in tenax("why", ERROR, data=own).stdout


def test_help_names_the_commands(tmp_path: Path) -> None:
    told = invoke(["dead", "--help"])
    assert told.exit_code == 0
    for command in ("list", "show", "return", "purge"):
        assert f"\n  {command} " in told.stdout
