"""Do `why`, `config` and `doctor` answer in a form people and programs can use?"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from typer.testing import Result

from tenax.adapters.sql.schema.tables import REVISION
from tenax.cli.terminal.say import EXIT_BAD_INPUT
from tenax.fetch.fetch_policy import FetchPolicy
from tenax.settings import Settings, SettingsError, load, names
from tenax.testing import SimulatedWeb, crawl, open_test_app, page, robots, run_virtually, status
from tests.cli import invoke

HOME = "https://a.example/"


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("crawl")

    async def play() -> None:
        web = SimulatedWeb()
        web.at("https://a.example/robots.txt", robots("User-agent: *\nDisallow: /private/\n"))
        web.at(HOME, page("home", "/private/x", "/flaky"))
        web.at(
            "https://a.example/flaky",
            status(500, "Oh \x1b[2J" + "no " * 200),
            page("after all \x1b[2J"),
        )
        keeping = Settings(contact="mailto:t@example.org", fetch=FetchPolicy(error_bodies=400))
        async with open_test_app(web, folder, keeping) as opened:
            await crawl(opened, HOME, name="shop")
            await crawl(opened, "https://b.example/", name="other")

    run_virtually(play())
    return folder


def tenax(*words: str, env: dict[str, str] | None = None) -> Result:
    return invoke(words, env=env)


# why


def test_what_an_error_answered_and_how_fast_is_told(ledger: Path) -> None:
    told = tenax("why", "a.example/flaky", "--data", str(ledger)).stdout
    quoted = [line.strip() for line in told.splitlines() if line.strip().startswith("| ")]
    assert quoted[0].startswith("| Oh ")
    assert quoted[-1] == "| … (400 characters are kept: --json has them)"
    assert "\x1b" not in told
    assert "1.0 kB at 800 kbit/s" in told
    facts = json.loads(tenax("why", "a.example/flaky", "--json", "--data", str(ledger)).stdout)
    first, last = facts["jobs"][0]["attempts"]
    assert (first["download_ms"], first["kbps"], len(first["body"])) == (10, 800, 400)
    assert last["body"] is None


def test_the_short_answer_comes_first(ledger: Path) -> None:
    first, second, *_ = tenax("why", "a.example/private/x", "--data", str(ledger)).stdout.split(
        "\n"
    )
    assert first == "a.example/private/x"
    assert second == "  In job shop: blocked: robots.txt line 2: Disallow: /private/"


def test_jobs_that_know_nothing_of_a_url_take_one_line(ledger: Path) -> None:
    told = tenax("why", HOME, "--data", str(ledger)).stdout
    assert "  1 other job knows nothing of it" in told
    assert "Job other" not in told


def test_a_story_of_several_attempts_tells_each_and_stays_printable(ledger: Path) -> None:
    told = tenax("why", "https://a.example/flaky", "--data", str(ledger)).stdout
    assert "server_error: http 500" in told
    assert "page        after all" in told
    assert "\x1b" not in told


def test_a_story_fits_in_a_hundred_columns(ledger: Path) -> None:
    told = tenax("why", "https://a.example/flaky", "--data", str(ledger)).stdout
    assert max(map(len, told.splitlines())) <= 100


def test_a_story_as_json_has_the_same_with_times_in_utc(ledger: Path) -> None:
    story = json.loads(tenax("why", HOME, "--json", "--data", str(ledger)).stdout)
    told = next(job for job in story["jobs"] if job["job"] == "shop")
    assert told["answer"] == "fetched and stored"
    assert told["attempts"][0]["at"].endswith("Z")
    assert story["host"]["known"] == 3


def test_what_followed_from_the_last_try_is_told(tmp_path: Path) -> None:
    async def play() -> None:
        web = SimulatedWeb()
        web.at(HOME, status(400))
        async with open_test_app(web, tmp_path) as opened:
            await crawl(opened, HOME)

    run_virtually(play())
    told = tenax("why", HOME, "--data", str(tmp_path)).stdout
    assert (
        "  follows     the fault is this URL's own: another try would end like this one\n" in told
    )


def test_before_any_crawl_it_tells_what_would_be_and_makes_nothing(tmp_path: Path) -> None:
    result = tenax("why", "http://10.0.0.1/", "--data", str(tmp_path / "none"))
    assert "would be refused at the door: private_address: 10.0.0.1 is private" in result.stdout
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_url_is_answered_too(tmp_path: Path) -> None:
    result = tenax("why", "mailto:x", "--data", str(tmp_path))
    assert result.exit_code == 0
    assert "cannot be crawled: scheme: mailto, not http or https" in result.stdout


def test_bytes_that_are_no_text_are_answered_too(tmp_path: Path) -> None:
    for form in ([], ["--json"]):
        result = tenax("why", "http://a.example/\udcff", *form, "--data", str(tmp_path))
        assert result.exit_code == 0


def test_an_unknown_job_is_refused(ledger: Path) -> None:
    result = tenax("why", HOME, "--job", "sho", "--data", str(ledger))
    assert result.exit_code == EXIT_BAD_INPUT


# config


def test_the_settings_printed_are_a_settings_file(tmp_path: Path) -> None:
    printed = tenax("config", "--data", "elsewhere").stdout
    saved = tmp_path / "saved.toml"
    saved.write_text(printed)
    assert load(file=saved, environment={}).settings == load({"data": "elsewhere"}).settings
    assert max(map(len, printed.splitlines())) <= 100


def test_every_setting_is_printed_with_who_set_it() -> None:
    told = json.loads(tenax("config", "--json", env={"TENAX_PACE__DELAY": "2.5"}).stdout)
    assert list(told) == names()
    assert told["pace.delay"] == {"value": 2.5, "source": "environment"}


def test_a_long_list_of_settings_is_still_toml() -> None:
    printed = tenax("config", env={"TENAX_JOB__EXCLUDE": ",".join(["*/a\\b*"] * 40)}).stdout
    assert tomllib.loads(printed)["job"]["exclude"] == ["*/a\\b*"] * 40


def test_a_password_in_a_setting_is_not_shown() -> None:
    for form in ([], ["--json"]):
        told = tenax("config", *form, env={"TENAX_DATABASE": "postgresql://me:hunter2@db/x"}).stdout
        assert "postgresql://me:" in told
        assert "hunter2" not in told


def test_a_setting_that_is_none_is_refused_with_what_was_meant() -> None:
    result = tenax("config", env={"TENAX_PACE__DELY": "1"})
    assert isinstance(result.exception, SettingsError)
    assert "pace.delay" in str(result.exception)


# doctor


def test_doctor_ends_well_on_a_sound_machine(ledger: Path) -> None:
    result = tenax("doctor", "--data", str(ledger))
    assert result.exit_code == 0
    assert f"schema {REVISION}, sound" in " ".join(result.stdout.split())


def test_doctor_ends_with_one_when_something_is_broken(tmp_path: Path) -> None:
    (tmp_path / "ledger.db").write_bytes(b"garbage" * 999)
    result = tenax("doctor", "--json", "--data", str(tmp_path))
    assert result.exit_code == 1
    failed = [check["name"] for check in json.loads(result.stdout) if check["verdict"] == "fail"]
    assert failed == ["ledger"]
