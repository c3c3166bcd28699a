"""Does `tenax sites` do what it says, and never show a secret? (HOST-7, SEC-3, CLI-1)"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from tenax.cli.terminal.say import EXIT_BAD_INPUT, EXIT_NOTHING
from tests.cli import invoke


@pytest.fixture(autouse=True)
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No settings file of whoever runs the tests."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TENAX_SECRET_KEY", raising=False)


def tenax(*words: str, data: Path, input: str | None = None) -> Result:
    return invoke([*words, "--data", str(data)], input=input)


def listed(data: Path) -> dict[str, Any]:
    lines = tenax("sites", "list", "--json", data=data).stdout.splitlines()
    return {told["host"]: told["rules"] for told in map(json.loads, lines)}


def test_there_are_none_before_the_first(tmp_path: Path) -> None:
    empty = tenax("sites", "list", data=tmp_path / "new")
    assert (empty.exit_code, empty.stdout) == (0, "")
    assert "tenax sites set" in empty.stderr
    assert not (tmp_path / "new").exists()


def test_what_is_set_is_listed_and_what_is_not_named_stays(tmp_path: Path) -> None:
    assert tenax("sites", "set", "*.Example", "delay=5", "exclude=*/a,b/*", "exclude=*/c/*",
                 data=tmp_path).exit_code == 0  # fmt: skip
    assert tenax("sites", "set", "*.example", "force_https=true", data=tmp_path).exit_code == 0
    rules = {"delay": 5.0, "exclude": ["*/a,b/*", "*/c/*"], "force_https": True}
    assert listed(tmp_path) == {"*.example": rules}
    table = tenax("sites", "list", data=tmp_path).stdout
    assert table.splitlines()[1].split()[:3] == ["*.example", "ledger", "force_https=true;"]


def test_a_host_is_shown_with_the_rule_that_says_each_thing(tmp_path: Path) -> None:
    (tmp_path / "tenax.toml").write_text('[[sites]]\nhost = "a.example"\nrender = "never"\n')
    tenax("sites", "set", "*.example", "delay=5", data=tmp_path)
    told = json.loads(tenax("sites", "show", "a.example", "--json", data=tmp_path).stdout)
    assert told["site"] == [
        {"key": "render", "value": "never", "pattern": "a.example", "source": "settings"},
        {"key": "delay", "value": 5.0, "pattern": "*.example", "source": "ledger"},
    ]
    shown = tenax("sites", "show", "https://a.example/x", data=tmp_path).stdout
    assert "delay           5, by *.example (ledger)" in shown
    assert tenax("sites", "show", "b.org", data=tmp_path).exit_code == EXIT_NOTHING
    assert "delay" in tenax("sites", "show", "*.example", data=tmp_path).stdout
    assert tenax("sites", "show", "*.org", data=tmp_path).exit_code == EXIT_NOTHING


def test_keys_are_unset_one_by_one_and_rules_removed(tmp_path: Path) -> None:
    tenax("sites", "set", "a.example", "delay=5", "headers.A=1", "headers.B=2", data=tmp_path)
    assert tenax("sites", "unset", "a.example", "delay", "headers.A", data=tmp_path).exit_code == 0
    assert list(listed(tmp_path)["a.example"]) == ["headers"]
    assert list(listed(tmp_path)["a.example"]["headers"]) == ["B"]
    missing = tenax("sites", "unset", "a.example", "delay", data=tmp_path)
    assert missing.exit_code == EXIT_BAD_INPUT
    assert "say nothing of it" in missing.stderr
    tenax("sites", "unset", "a.example", "headers", data=tmp_path)
    assert listed(tmp_path) == {}
    tenax("sites", "set", "a.example", "delay=5", data=tmp_path)
    removed = tenax("sites", "remove", "a.example", "--json", data=tmp_path)
    assert json.loads(removed.stdout)["removed"] is True
    assert tenax("sites", "remove", "a.example", data=tmp_path).exit_code == EXIT_NOTHING


def test_secrets_are_never_shown_and_need_not_be_typed(tmp_path: Path) -> None:
    asked = ("sites", "set", "a.example", "cookies.session=-", "headers.X-Key=-")
    said = tenax(*asked, data=tmp_path, input="s3cr3t\nhunter2\n")
    tenax("sites", "set", "a.example", "headers.X-Other=other", data=tmp_path)
    for words in (
        ("list",),
        ("list", "--json"),
        ("show", "a.example"),
        ("show", "a.example", "--json"),
    ):
        shown = tenax("sites", *words, data=tmp_path)
        assert "X-Key" in shown.stdout
        for secret in ("s3cr3t", "hunter2", "other"):
            assert secret not in said.output + shown.output.replace("X-Other", "")
    assert b"hunter2" not in (tmp_path / "ledger.db").read_bytes()


def test_what_cannot_be_is_told_and_changes_nothing(tmp_path: Path) -> None:
    failed = tenax("sites", "set", "a.example", "dleay=5", data=tmp_path)
    assert failed.exit_code == EXIT_BAD_INPUT
    assert "unknown key 'dleay'. Did you mean 'delay'?" in failed.stderr
    assert tenax("sites", "set", "a.example", "delay=-1", data=tmp_path).exit_code == EXIT_BAD_INPUT
    assert listed(tmp_path) == {}


def test_a_pattern_that_is_none_is_told(tmp_path: Path) -> None:
    failed = tenax("sites", "set", "https://a.example/", "delay=1", data=tmp_path)
    assert failed.exit_code == EXIT_BAD_INPUT
    assert "Write it without scheme and path" in failed.stderr


def test_why_and_config_name_what_the_settings_say(tmp_path: Path) -> None:
    (tmp_path / "tenax.toml").write_text('[[sites]]\nhost = "a.example"\nexclude = ["*/x"]\n')
    story = tenax("why", "https://a.example/x", data=tmp_path / "none").stdout
    assert "matches exclude */x of the site rule a.example (settings)" in story
    (tmp_path / "tenax.toml").write_text('[[sites]]\nhost = "a.example"\nexclude = ["re:("]\n')
    wrong = tenax("why", "https://a.example/x", data=tmp_path / "none")
    assert "exclude of the site a.example" in str(wrong.exception)


def test_a_session_is_brought_from_a_browsers_file_and_never_shown(tmp_path: Path) -> None:
    file = tmp_path / "cookies.txt"
    file.write_text(".club.example\tTRUE\t/\tTRUE\t4000000000\tsession\tsecret-value\n")
    first = tenax("login", "https://club.example/login", "--cookies", str(file), data=tmp_path)
    assert (first.exit_code, "club.example: 1 cookie kept, the first" in first.stderr) == (0, True)
    file.write_text("club.example\tFALSE\t/\tTRUE\t0\tother\tsecret-value\n")
    again = tenax("login", "club.example", "--cookies", str(file), data=tmp_path)
    assert (again.exit_code, list(listed(tmp_path)["club.example"]["cookies"])) == (0, ["other"])
    foreign = tenax("login", "other.example", "--cookies", str(file), data=tmp_path)
    assert (foreign.exit_code, "nothing was kept" in foreign.stderr) == (EXIT_NOTHING, True)
    wrong = tenax("login", "club.example", "--cookies", str(tmp_path / "none"), data=tmp_path)
    assert wrong.exit_code == EXIT_BAD_INPUT
    shown = "".join(each.output for each in (first, again, tenax("sites", "list", data=tmp_path)))
    assert "secret-value" not in shown
    assert b"secret-value" not in (tmp_path / "ledger.db").read_bytes()


def test_the_fields_of_a_login_are_sealed_and_never_shown(tmp_path: Path) -> None:
    words = ("login=/login", "login_fields.user=me", "login_fields.password=-", "login_check=Bye")
    said = tenax("sites", "set", "a.example", *words, data=tmp_path, input="hunter2\n")
    shown = [tenax("sites", "list", *more, data=tmp_path) for more in ((), ("--json",))]
    assert listed(tmp_path)["a.example"]["login_fields"] == dict.fromkeys(
        ("user", "password"), "********"
    )
    assert "hunter2" not in said.output + "".join(each.output for each in shown)
    assert b"hunter2" not in (tmp_path / "ledger.db").read_bytes()


def test_a_login_that_cannot_be_is_told(tmp_path: Path) -> None:
    for word, why in {
        "login=//b.example/": "a path such as /login",
        "login=https://b.example/login": "a path such as /login",
        "login_check=css:": "write a text of the page",
        "login_as=xml": "use form or json",
        "login_fields.password=env:PASSWORD": "env: is for settings files",
    }.items():
        failed = tenax("sites", "set", "a.example", word, data=tmp_path)
        assert (failed.exit_code, why in failed.stderr) == (EXIT_BAD_INPUT, True), failed.stderr
    assert listed(tmp_path) == {}


def test_a_password_comes_from_the_environment_and_config_masks_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = '[[sites]]\nhost = "a.example"\nlogin = "/login"\n'
    (tmp_path / "tenax.toml").write_text(f'{rules}login_fields = {{ pw = "env:CLUB_PW" }}\n')
    failed = tenax("sites", "list", data=tmp_path)
    assert "login_fields.pw of the site a.example: the environment has no CLUB_PW." in str(
        failed.exception
    )
    monkeypatch.setenv("CLUB_PW", "hunter2")
    for words in (("sites", "list"), ("sites", "show", "a.example")):
        shown = tenax(*words, data=tmp_path)
        assert (shown.exit_code, "login_fields" in shown.output) == (0, True)
        assert "hunter2" not in shown.output
    config = invoke(["config"])
    assert (config.exit_code, "pw" in config.output, "hunter2" in config.output) == (0, True, False)
