"""Does `tenax proxies` do what it says, and never show a secret? (FE-11, SEC-3, CLI-1)"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from tenax.cli.terminal.say import EXIT_BAD_INPUT, EXIT_NOTHING
from tenax.compose.crawler import open_crawler
from tenax.model import ProxyEvent, ProxyReport
from tenax.ports import Unavailable
from tenax.settings import load
from tests.cli import invoke
from tests.contract.test_transport import closed_port
from tests.proxies import HttpProxy, SocksProxy
from tests.servers import Server, answer

PASSWORD = "hunter2-and-more"


@pytest.fixture(autouse=True)
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No settings file of whoever runs the tests."""
    monkeypatch.chdir(tmp_path)
    for name in ("TENAX_SECRET_KEY", "TENAX_PROXIES__GROUP", "TENAX_CONTACT"):
        monkeypatch.delenv(name, raising=False)


def proxies(*words: str, data: Path, input: str | None = None) -> Result:
    return invoke(["proxies", *words, "--data", str(data)], input=input)


def listed(data: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in proxies("list", "--json", data=data).stdout.splitlines()]


def test_what_is_added_is_listed(tmp_path: Path) -> None:
    added = proxies("add", "socks5://10.0.0.1:1080", "--group", "eu", "--name", "a", data=tmp_path)
    assert added.exit_code == 0
    head, row = proxies("list", data=tmp_path).stdout.splitlines()
    assert head.split()[:3] == ["name", "group", "kind"]
    assert row.split()[:5] == ["a", "eu", "socks5", "100", "ok"]


def test_a_proxy_can_be_added_before_the_first_crawl_and_listed_when_there_is_none(
    tmp_path: Path,
) -> None:
    empty = proxies("list", data=tmp_path / "new")
    assert (empty.exit_code, empty.stdout) == (0, "")
    assert "tenax proxies add" in empty.stderr
    assert not (tmp_path / "new").exists()
    assert proxies("add", "http://10.0.0.1:1", data=tmp_path / "new").exit_code == 0


def test_without_a_group_in_the_settings_the_user_is_told_that_nothing_uses_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = proxies("add", "http://10.0.0.1:1", data=tmp_path).stderr
    assert "Requests go directly" in told
    monkeypatch.setenv("TENAX_PROXIES__GROUP", "default")
    assert "go through group 'default'" in proxies("list", data=tmp_path).stderr


def test_accounts_at_one_address_get_names_of_their_own(tmp_path: Path) -> None:
    for _ in range(3):
        proxies("add", "http://10.0.0.1:1", data=tmp_path)
    assert [each["name"] for each in listed(tmp_path)] == [
        "10.0.0.1:1",
        "10.0.0.1:1#2",
        "10.0.0.1:1#3",
    ]


def test_a_name_that_is_taken_is_refused(tmp_path: Path) -> None:
    proxies("add", "http://10.0.0.1:1", "--name", "a", data=tmp_path)
    again = proxies("add", "http://10.0.0.2:1", "--name", "a", data=tmp_path)
    assert again.exit_code == EXIT_BAD_INPUT
    assert "--name" in again.stderr


# -- Secrets


def test_no_command_shows_a_password_or_a_user(tmp_path: Path) -> None:
    url = f"http://customer:{PASSWORD}@127.0.0.1:{closed_port()}"
    told = [
        proxies("add", url, "--name", "a", "--json", data=tmp_path),
        proxies("add", url, "--name", "a", data=tmp_path),
        proxies("list", data=tmp_path),
        proxies("list", "--json", data=tmp_path),
        proxies("test", "http://127.0.0.1/", "--allow-private", "127.0.0.1", data=tmp_path),
        proxies("disable", "a", "--json", data=tmp_path),
        proxies("add", f"http://me:{PASSWORD}@a b:1", data=tmp_path),
    ]
    for each in told:
        assert PASSWORD not in each.output
        assert "customer" not in each.output
    assert json.loads(told[0].stdout)["login"] is True


def test_a_password_on_the_command_line_is_warned_about(tmp_path: Path) -> None:
    assert "history" in proxies("add", f"http://u:{PASSWORD}@10.0.0.1:1", data=tmp_path).stderr


def test_a_password_is_read_from_standard_input(tmp_path: Path) -> None:
    added = proxies(
        "add", "http://me@10.0.0.1:1", "--password-stdin", data=tmp_path, input=f"{PASSWORD}\n"
    )
    assert "history" not in added.stderr

    async def secret() -> str:
        settings = load({"data": str(tmp_path)}, environment={}).settings
        async with open_crawler(settings) as opened:
            (found,) = await opened.ledger.proxies.sync(())
            return found.address.password

    assert asyncio.run(secret()) == PASSWORD


def test_a_user_without_a_password_needs_one_where_nobody_can_be_asked(tmp_path: Path) -> None:
    refused = proxies("add", "http://me@10.0.0.1:1", data=tmp_path, input="")
    assert refused.exit_code == EXIT_BAD_INPUT
    assert "--password-stdin" in refused.stderr


def test_a_wrong_key_is_told_and_a_list_needs_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxies("add", f"http://u:{PASSWORD}@10.0.0.1:1", data=tmp_path)
    monkeypatch.setenv("TENAX_SECRET_KEY", "A" * 43 + "=")
    tried = proxies("test", "http://10.0.0.2/", data=tmp_path)
    assert isinstance(tried.exception, Unavailable)
    assert "another key" in str(tried.exception)
    assert len(listed(tmp_path)) == 1


def test_the_key_of_the_settings_is_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENAX_SECRET_KEY", "A" * 43 + "=")
    for words in (["config"], ["config", "--json"]):
        shown = invoke(words).stdout
        assert "AAAA" not in shown
        assert "secret_key" in shown
    assert "AAAA" not in repr(load().settings)


# -- Service


def test_a_proxy_is_taken_out_of_service_and_back(tmp_path: Path) -> None:
    proxies("add", "http://10.0.0.1:1", "--name", "a", data=tmp_path)
    assert "disabled now" in proxies("disable", "a", data=tmp_path).stderr
    assert [each["state"] for each in listed(tmp_path)] == ["disabled"]
    assert "disabled by hand" in proxies("list", data=tmp_path).stdout
    proxies("enable", "a", data=tmp_path)
    assert [each["state"] for each in listed(tmp_path)] == ["ok"]


def test_a_ban_and_the_figures_are_shown_and_can_be_reset(tmp_path: Path) -> None:
    proxies("add", "http://10.0.0.1:1", "--name", "a", data=tmp_path)

    async def use() -> None:
        settings = load({"data": str(tmp_path)}, environment={}).settings
        async with open_crawler(settings) as opened:
            now = opened.parts.clock.now()
            happened = [ProxyEvent.ANSWERED, ProxyEvent.SHUNNED]
            await opened.ledger.proxies.sync(
                [ProxyReport(1, each, now, 250.0) for each in happened]
            )

    asyncio.run(use())
    row = proxies("list", data=tmp_path).stdout.splitlines()[1]
    assert "banned until" in row
    assert " 50% " in row
    assert "250 ms" in row
    (before,) = listed(tmp_path)
    assert (before["state"], before["success_rate"], before["bans"]) == ("banned", 0.5, 1)
    proxies("reset", "a", data=tmp_path)
    (after,) = listed(tmp_path)
    assert (after["state"], after["successes"], after["last_used_at"]) == ("ok", 0, None)


def test_a_removed_proxy_is_gone(tmp_path: Path) -> None:
    proxies("add", "http://10.0.0.1:1", "--name", "a", data=tmp_path)
    assert proxies("remove", "a", data=tmp_path).exit_code == 0
    assert listed(tmp_path) == []


@pytest.mark.parametrize("command", ["remove", "enable", "disable", "reset"])
def test_an_unknown_name_is_answered_with_the_one_that_was_meant(
    tmp_path: Path, command: str
) -> None:
    proxies("add", "http://10.0.0.1:3128", data=tmp_path)
    result = proxies(command, "10.0.0.1:3182", data=tmp_path)
    assert result.exit_code == EXIT_NOTHING
    assert "Did you mean 10.0.0.1:3128?" in result.stderr


# -- Trying them out


@contextmanager
def running() -> Iterator[tuple[str, str, str]]:
    """A server and two proxies on a loop of their own: (page, http proxy, socks5 proxy)."""
    ready: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event, list[str]]] = Future()

    async def serve() -> None:
        login = ("me", PASSWORD)
        over = asyncio.Event()
        async with (
            Server({"/": answer(b"hello")}) as server,
            HttpProxy(login=login) as http,
            SocksProxy(login=login) as socks,
        ):
            urls = [server.url(), http.url, socks.url]
            ready.set_result((asyncio.get_running_loop(), over, urls))
            await over.wait()

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    loop, over, (page, http, socks) = ready.result(10)
    try:
        yield page, http, socks
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join()


def test_each_proxy_is_tried_and_the_dead_one_found(tmp_path: Path) -> None:
    with running() as (page, http, socks):
        proxies("add", http, "--name", "a", data=tmp_path)
        proxies("add", socks, "--name", "b", data=tmp_path)
        private = ("--allow-private", "127.0.0.1")
        good = proxies("test", page, *private, data=tmp_path)
        proxies("add", f"http://127.0.0.1:{closed_port()}", "--name", "c", data=tmp_path)
        mixed = proxies("test", page, *private, "--json", data=tmp_path)
        named = proxies("test", page, "b", *private, data=tmp_path)
    assert good.exit_code == 0
    assert [line.split()[:4] for line in good.stdout.splitlines()] == [
        ["ok", "a", "http", "200"],
        ["ok", "b", "http", "200"],
    ]
    told = [json.loads(line) for line in mixed.stdout.splitlines()]
    assert mixed.exit_code == EXIT_NOTHING
    assert [each["works"] for each in told] == [True, True, False]
    assert told[2]["says"].startswith("proxy: ")
    assert len(named.stdout.splitlines()) == 1
    assert all(each["successes"] == 0 for each in listed(tmp_path))


def test_a_private_page_is_not_asked_for_through_a_proxy_either(tmp_path: Path) -> None:
    """SEC-1."""
    with running() as (page, http, _):
        proxies("add", http, data=tmp_path)
        result = proxies("test", page, data=tmp_path)
    assert result.exit_code == EXIT_NOTHING
    assert "not asked: 127.0.0.1" in result.stdout


def test_what_is_no_url_is_refused(tmp_path: Path) -> None:
    proxies("add", "http://10.0.0.1:1", data=tmp_path)
    assert proxies("test", "mailto:me@example.org", data=tmp_path).exit_code == EXIT_BAD_INPUT
    assert proxies("test", "http://a.example/", "zz", data=tmp_path).exit_code == EXIT_NOTHING
