"""Is whatever the API does a command, too, and do the two say the same? (every verb once)"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import typer.main
from typer.testing import Result

from tenax.api.guard import GuardedRoute
from tenax.cli.commands import make_app
from tenax.cli.terminal.say import EXIT_BAD_INPUT, EXIT_NOTHING
from tenax.ops.accounts.api_keys import digest_of, new_key
from tenax.ports.accounts import ApiRole
from tests.asking import Asker, opened
from tests.cli import invoke
from tests.unit.api.test_lists import asking

TWINS = {
    "POST /api/admin/domains/{domain}/pause": "hosts --pause",
    "POST /api/admin/domains/{domain}/resume": "hosts --resume",
    "POST /api/admin/domains/{domain}/reset": "hosts --reset",
    "DELETE /api/admin/pages": "purge",
    "POST /api/alerts/{id}/silence": "alerts silence",
    "POST /api/audit": "audit",
    "POST /api/auth/password": "user passwd",
    "POST /api/dead-letters/purge": "dead purge --dry-run",
    "POST /api/dead-letters/return": "dead return --dry-run",
    "POST /api/fetch": "fetch",
    "DELETE /api/frontier": "frontier clear",
    "POST /api/frontier/add": "frontier add",
    "POST /api/frontier/recover": "frontier recover",
    "POST /api/frontier/seed": "jobs change",
    "POST /api/jobs": "jobs create --start",
    "POST /api/jobs/preview": "jobs preview --link",
    "DELETE /api/jobs/{name}": "jobs delete",
    "PATCH /api/jobs/{name}": "jobs change --unset",
    "POST /api/jobs/{name}/pause": "jobs pause",
    "POST /api/jobs/{name}/resume": "jobs resume",
    "POST /api/jobs/{name}/run": "jobs run",
    "POST /api/jobs/{name}/start": "jobs start",
    "POST /api/jobs/{name}/stop": "jobs stop",
    "POST /api/keys": "key api add",
    "DELETE /api/keys/{key}": "key api revoke",
    "POST /api/proxies": "proxies add",
    "DELETE /api/proxies/{proxy}": "proxies remove",
    "PATCH /api/proxies/{proxy}": "proxies enable",
    "DELETE /api/sites/{pattern}": "sites remove",
    "PUT /api/sites/{pattern}": "sites set",
    "POST /api/users": "user add",
    "DELETE /api/users/{user}": "user remove",
    "GET /api/frontier/urls": "frontier list --order",
    "GET /api/domains/{domain}/timeline": "hosts --timeline",
    "GET /api/alerts/rules": "alerts rules",
}
"""Every act of the API, and some of what it tells."""
_SESSIONS = {"POST /api/auth/login", "POST /api/auth/logout"}
"""Who has a terminal needs none."""


async def test_every_act_of_the_api_is_a_command(tmp_path: Path) -> None:
    async with opened(tmp_path) as made:
        routes = [each for each in Asker(made).api.routes if isinstance(each, GuardedRoute)]
    acts = {
        f"{method} {route.path}"
        for route in routes
        for method in route.methods or ()
        if method not in ("GET", "HEAD")
    }
    assert acts - set(TWINS) == _SESSIONS
    missing = [twin for twin in TWINS.values() if not _is_command(twin.split())]
    assert missing == []


def _is_command(words: Sequence[str]) -> bool:
    command: Any = typer.main.get_command(make_app(words[0]))
    for word in words:
        if word in getattr(command, "commands", ()):
            command = command.commands[word]
        elif not any(word in parameter.opts for parameter in command.params):
            return False
    return not hasattr(command, "commands")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    async def make() -> None:
        async with asking(tmp_path):
            pass

    asyncio.run(make())
    return tmp_path / "data"


def tenax(data: Path, *words: str) -> Result:
    return invoke([*words, "--data", str(data)])


def told(data: Path, *words: str) -> list[Any]:
    result = tenax(data, *words, "--json")
    assert result.exit_code == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def answered(data: Path, *paths: str) -> list[Any]:
    async def ask() -> list[Any]:
        async with opened(data.parent) as made:
            asker = Asker(made)
            key = asker.keys[ApiRole.ADMIN] = new_key()
            assert await made.keys.add("again", ApiRole.ADMIN, digest_of(key))
            return [(await asker.ask(path)).json for path in paths]

    return asyncio.run(ask())


def test_urls_and_the_timeline_are_what_the_api_has(data: Path) -> None:
    timeline, listed = answered(
        data,
        "/api/domains/a.example/timeline?minutes=60",
        "/api/frontier/urls?state=failed&order=newest",
    )
    (own,) = told(data, "hosts", "A.example", "--timeline", "--minutes", "60")
    assert [own["requests"], own["too_early"]] == [timeline["requests"], 1]
    shown = tenax(data, "hosts", "a.example", "--timeline", "--minutes", "60")
    assert "0.5 s" in shown.stdout
    assert shown.stdout.count("too early") == 1
    assert "2 requests to a.example in 60 minutes, 1 too early." in shown.stderr
    assert told(data, "frontier", "--state", "failed", "--order", "newest") == listed["items"]


def test_urls_are_listed_with_what_is_known_in_all(data: Path) -> None:
    result = tenax(data, "frontier", "--job", "shop", "--limit", "3")
    assert len(result.stdout.splitlines()) == 4
    assert "3 URLs, and there are more: --limit. Known in all: 8 = " in result.stderr
    assert "2 pending" in result.stderr
    for words, part in (
        (("--order", "next"), "--order: what comes next is told of a job or a host"),
        (("--job", "shp"), "Did you mean 'shop'?"),
    ):
        wrong = tenax(data, "frontier", "list", *words)
        assert (wrong.exit_code, part in wrong.stderr) == (EXIT_BAD_INPUT, True)


def test_urls_are_added_by_the_rules_of_the_job(data: Path) -> None:
    urls = ("https://c.example/x", "https://far.example/", "https://c.example/x")
    assert told(data, "frontier", "add", "other", *urls) == [
        {
            "job": "other",
            "new": 1,
            "known": 1,
            "refused": [{"url": "https://far.example/", "reason": "out_of_scope"}],
        }
    ]
    again = tenax(data, "frontier", "add", "other", *urls[:2])
    assert "0 new URLs, 1 known already, 1 refused." in again.stderr
    assert "out_of_scope: https://far.example/" in again.stderr
    assert tenax(data, "frontier", "add", "other", urls[1]).exit_code == EXIT_NOTHING


def test_what_waits_is_forgotten_once_the_job_rests(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = tenax(data, "frontier", "clear", "shop", "--yes")
    assert running.exit_code == EXIT_BAD_INPUT
    assert "First: tenax jobs pause shop, or tenax jobs stop shop" in running.stderr
    told(data, "frontier", "add", "other", "https://c.example/x")
    assert "Say --yes" in tenax(data, "frontier", "clear", "other").stderr
    monkeypatch.setattr("tenax.cli.terminal.consent.is_terminal", lambda: True)
    kept = invoke(["frontier", "clear", "other", "--data", str(data)], input="no\n")
    assert kept.exit_code == EXIT_NOTHING
    assert told(data, "frontier", "clear", "other", "--yes") == [
        {"job": "other", "cleared": 1, "is_whole": True}
    ]
    assert told(data, "frontier", "--job", "other") == []
    assert told(data, "frontier", "recover") == [{"recovered": 0}]
    assert tenax(data, "audit").exit_code == 0


def test_pages_are_counted_first_and_then_purged(data: Path) -> None:
    unsaid = tenax(data, "purge")
    assert (unsaid.exit_code, "which ones?" in unsaid.stderr) == (EXIT_BAD_INPUT, True)
    unclear = tenax(data, "purge", "--older-than", "soon")
    assert (unclear.exit_code, "use a date" in unclear.stderr) == (EXIT_BAD_INPUT, True)
    for words, pages, left in (
        (("--older-than", "2020-01-01", "--yes"), 0, 2),
        (("--host", "A.example"), 1, 2),
        (("--host", "A.example", "--yes"), 1, 1),
        (("--all", "--yes"), 1, 0),
    ):
        (done,) = told(data, "purge", *words)
        assert done == {"pages": pages, "dry_run": "--yes" not in words, "is_whole": True}
        assert len(told(data, "pages")) == left, words


def test_a_job_is_previewed(data: Path) -> None:
    words = ("jobs", "preview", "https://n.example/", "--exclude", "*/old/*")
    links = ("--link", "https://n.example/old/1", "--link", "https://n.example/new")
    (own,) = told(data, *words, *links)
    assert [(each["taken"], each["reason"]) for each in own["items"]] == [
        (True, None),
        (False, "excluded"),
        (True, None),
    ]
    shown = tenax(data, *words, *links)
    assert "refused  https://n.example/old/1  (excluded" in shown.stdout
    assert "2 of 3 would be taken." in shown.stderr
    assert "where would it start?" in tenax(data, "jobs", "preview").stderr
    assert [each["job"] for each in told(data, "jobs")] == ["shop", "other"]


def test_dead_letters_are_counted_before_they_are_returned(data: Path) -> None:
    for verb in ("return", "purge"):
        unsaid = tenax(data, "dead", verb, "--dry-run")
        assert (unsaid.exit_code, "which ones?" in unsaid.stderr) == (EXIT_BAD_INPUT, True)
        (dry,) = told(data, "dead", verb, "--all", "--dry-run")
        assert dry["not_found"] == []
        assert dry["faults"] == {"gone": 2}
        assert (
            "2 dead letters: 2 gone. Nothing"
            in tenax(data, "dead", verb, "--all", "--dry-run").stderr
        )
    assert len(told(data, "dead")) == 2
