"""Does `tenax jobs` do what it is told, say what it did, and refuse what makes no sense? (FR-7)"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from tenax.cli.jobs.show import roughly
from tenax.cli.terminal.say import EXIT_BAD_INPUT, EXIT_INFRASTRUCTURE, EXIT_NOTHING, EXIT_WORK_LEFT
from tenax.compose.crawler import open_crawler
from tenax.model import JobSpec, JobState, Role, ScopeKind
from tenax.settings import Settings
from tenax.testing import (
    SimulatedWeb,
    crawl,
    open_test_app,
    page,
    run_virtually,
    start_job,
    status,
)
from tests.cli import invoke

HOME = "https://a.example/"


def jobs(*words: str, data: Path, stdin: str | None = None) -> Result:
    return invoke(["jobs", *words, "--data", str(data)], input=stdin)


def told(result: Result) -> Any:
    """The one object it printed."""
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def said(result: Result, code: int = 0) -> str:
    assert result.exit_code == code, result.output
    return result.stderr


def spec_of(data: Path) -> JobSpec:
    async def look() -> JobSpec:
        async with open_crawler(Settings(data=str(data)), create=False, threads=False) as opened:
            job = await opened.parts.jobs.get("news")
            assert job is not None
            return job.spec

    return asyncio.run(look())


def roles_of(data: Path) -> list[str | None]:
    with closing(sqlite3.connect(data / "ledger.db")) as ledger:
        return [role for (role,) in ledger.execute("SELECT role FROM targets ORDER BY id")]


def state(data: Path, name: str = "news") -> str:
    return str(told(jobs("show", name, "--json", data=data))["state"])


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A ledger with the job `news`, not started."""
    said(jobs("create", "news", HOME, data=tmp_path))
    return tmp_path


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger that is only looked at: one job done, one that waits for a host, one at rest."""
    folder = tmp_path_factory.mktemp("crawl")

    async def story() -> None:
        web = SimulatedWeb()
        web.at(HOME, page("home", "/1", "/2", "https://elsewhere.example/"))
        web.at(f"{HOME}1", page("one"))
        web.at(f"{HOME}2", status(403))
        async with open_test_app(web, folder) as opened:
            await crawl(opened, HOME, name="shop")
            await start_job(opened, "https://b.example/", name="wait", max_pages=7)
            job = await start_job(opened, "https://c.example/", name="rest")
            await opened.parts.jobs.set_state(job.id, JobState.PAUSED)

    run_virtually(story())
    return folder


# list and show


def test_the_list_has_a_line_for_each_job(crawled: Path) -> None:
    result = jobs(data=crawled)
    lines = result.stdout.splitlines()
    assert lines[0] == "job   state    pages  pending  failed   rate  to go        next run"
    assert [line.split()[:5] for line in lines[1:]] == [
        ["shop", "done", "2", "0", "1"],
        ["wait", "running", "0", "1", "0"],
        ["rest", "paused", "0", "1", "0"],
    ]
    assert "unknown yet" in lines[2]
    assert "Start a worker: tenax worker" in result.stderr


def test_the_list_as_json_has_an_object_for_each_job(crawled: Path) -> None:
    rows = [json.loads(line) for line in jobs("--json", data=crawled).stdout.splitlines()]
    assert [(row["job"], row["state"]) for row in rows] == [
        ("shop", "done"), ("wait", "running"), ("rest", "paused"),
    ]  # fmt: skip
    assert {state: n for state, n in rows[0]["states"].items() if n} == {"done": 2, "failed": 1}
    assert rows[0]["not_taken"] == {"out_of_scope": 1}
    assert rows[1]["seconds_left"] is None


def test_an_empty_ledger_says_how_to_begin(tmp_path: Path) -> None:
    jobs("create", "x", HOME, data=tmp_path)
    jobs("delete", "x", "--yes", data=tmp_path)
    result = jobs(data=tmp_path)
    assert result.stdout == ""
    assert "No jobs. Create one: tenax jobs create NAME URL" in said(result)


def test_without_a_ledger_that_is_said(tmp_path: Path) -> None:
    result = jobs(data=tmp_path / "nowhere")
    assert "no ledger here" in str(result.exception)
    assert EXIT_INFRASTRUCTURE == 3


def test_show_tells_everything(crawled: Path) -> None:
    text = jobs("show", "shop", data=crawled).stdout
    assert text.startswith("shop: done\n")
    assert "3 known = 2 done + 1 failed" in text
    assert "not taken   1 out_of_scope" in text
    assert f"seeds       {HOME}" in text
    assert "scope host, depth 10" in text
    assert "discovers   nothing but links" in text
    waiting = jobs("show", "wait", data=crawled)
    assert "max pages 7" in waiting.stdout
    assert "nothing was visited in the last five minutes" in waiting.stdout


def test_show_as_json_has_the_spec(crawled: Path) -> None:
    facts = told(jobs("show", "wait", "--json", data=crawled))
    assert facts["spec"]["max_pages"] == 7
    assert facts["queues"] == [{"host": "b.example", "waiting": 1}]


@pytest.mark.parametrize("word", ["show", "start", "pause", "resume", "stop", "run", "delete"])
def test_an_unknown_job_gets_a_guess(crawled: Path, word: str) -> None:
    assert "Did you mean 'shop'?" in said(jobs(word, "shap", data=crawled), EXIT_BAD_INPUT)
    assert "There are: shop, wait, rest" in said(jobs(word, "zzz", data=crawled), EXIT_BAD_INPUT)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(5, "under a minute"), (59, "about 1 min"), (61, "about 1 min"), (1_500, "about 25 min"),
     (3_700, "about 1 h"), (10_800, "about 3 h"), (86_400, "about 24 h"),
     (172_800, "about 2 days"), (1e8, "about 1,157 days")],
)  # fmt: skip
def test_a_guess_is_told_as_one(seconds: float, words: str) -> None:
    assert roughly(seconds) == words


# create and change


def test_a_new_job_waits_until_it_is_started(tmp_path: Path) -> None:
    result = jobs("create", "news", "a.example", data=tmp_path)
    assert "news is created, stopped: 1 URL pending" in said(result)
    assert "tenax jobs start news" in result.stderr
    assert state(tmp_path) == "stopped"
    jobs("create", "now", HOME, "--start", data=tmp_path)
    assert state(tmp_path, "now") == "running"


def test_flags_say_what_the_job_is(tmp_path: Path) -> None:
    said(jobs(
        "create", "news", HOME, "--scope", "domain", "--include", "*/new/*", "--exclude", "*/old/*",
        "--max-pages", "9", "--max-depth", "3", "--recrawl", "6h", "--schedule", "@daily",
        data=tmp_path,
    ))  # fmt: skip
    spec = spec_of(tmp_path)
    assert (spec.seeds, spec.scope, spec.include) == ((HOME,), ScopeKind.DOMAIN, ("*/new/*",))
    assert (spec.exclude, spec.max_pages, spec.max_depth) == (("*/old/*",), 9, 3)
    assert (spec.recrawl, spec.schedule) == (21_600.0, "@daily")


def test_a_schedule_is_told_in_words(tmp_path: Path) -> None:
    jobs("create", "news", HOME, "--schedule", "30 3 * * mon", "--recrawl", "1d", data=tmp_path)
    text = jobs("show", "news", data=tmp_path).stdout
    assert "at 03:30 on Monday (30 3 * * mon)" in text
    assert "next run    once started" in text
    assert "each page after 1 day at first" in text
    jobs("start", "news", data=tmp_path)
    assert "once started" not in jobs("show", "news", data=tmp_path).stdout


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--schedule", "sometimes"], "--schedule 'sometimes': 1 fields, where five are wanted"),
        (["--recrawl", "soon"], "--recrawl 'soon' is no duration"),
        (["--max-pages", "0"], "job.max_pages = 0 (flag): use 1 to 1,000,000,000,000."),
        (["--include", "re:("], "not a regular expression"),
        (["--seeds", "nowhere.txt"], "nowhere.txt: cannot be read"),
    ],
)
def test_what_cannot_be_meant_is_refused_and_nothing_is_made(
    tmp_path: Path, flags: list[str], message: str
) -> None:
    result = jobs("create", "news", HOME, *flags, data=tmp_path)
    assert message in result.stderr + str(result.exception)
    left = jobs("--json", data=tmp_path)
    assert left.stdout == ""


def test_a_job_needs_a_name_of_its_own_and_somewhere_to_start(made: Path) -> None:
    assert "already. Change it: tenax jobs change" in said(
        jobs("create", "news", HOME, data=made), EXIT_BAD_INPUT
    )
    assert "where to start?" in said(jobs("create", "x", data=made), EXIT_BAD_INPUT)
    assert "needs a name" in said(jobs("create", " ", HOME, data=made), EXIT_BAD_INPUT)


def test_a_job_none_of_whose_seeds_can_be_crawled_is_not_made(made: Path) -> None:
    result = jobs("create", "x", "ftp://a.example/", "http://10.0.0.1/", data=made)
    text = said(result, EXIT_BAD_INPUT)
    assert "ftp://a.example/: not crawled: scheme" in text
    assert "http://10.0.0.1/: not crawled: private_address" in text
    assert "'x' is not created" in text
    assert "There are: news." in said(jobs("show", "zz", data=made), EXIT_BAD_INPUT)


def test_seeds_of_a_file_are_targets_and_of_each_host_one_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "seeds.txt"
    file.write_text("".join(f"https://h{n % 3}.example/{n}\n" for n in range(50)) + "ftp://x/\n")
    result = jobs("create", "news", HOME, "--seeds", str(file), data=tmp_path)
    assert "seeds.txt:51: ftp://x/: not crawled: scheme" in said(result)
    assert "51 seeds read: 50 new, 1 not taken." in result.stderr
    assert told(jobs("show", "news", "--json", data=tmp_path))["pending"] == 51
    kept = spec_of(tmp_path).seeds
    assert kept == (HOME, *(f"https://h{n}.example/{n}" for n in range(3)))


def test_seeds_that_would_have_to_wait_for_a_job_at_rest_are_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """FR-8: nothing is dropped; the user is told how to add the rest."""
    monkeypatch.setenv("TENAX_FEED__FRONTIER_LIMIT", "30")
    file = tmp_path / "seeds.txt"
    file.write_text("".join(f"{HOME}{n}\n" for n in range(50)))
    result = jobs("create", "news", "--seeds", str(file), data=tmp_path)
    assert "Start it: tenax jobs start news" in said(result, EXIT_WORK_LEFT)
    assert told(jobs("show", "news", "--json", data=tmp_path))["pending"] == 30
    monkeypatch.delenv("TENAX_FEED__FRONTIER_LIMIT")
    said(jobs("change", "news", "--seeds", str(file), data=tmp_path))
    assert told(jobs("show", "news", "--json", data=tmp_path))["pending"] == 50


def test_seeds_of_standard_input(tmp_path: Path) -> None:
    typed = f"{HOME}\n# no\n\n{HOME}2\n"
    result = jobs("create", "news", "--seeds", "-", "--json", data=tmp_path, stdin=typed)
    made = told(result)
    assert {name: made[name] for name in ("job", "did", "state", "known", "pages", "pending")} == {
        "job": "news", "did": "created", "state": "stopped", "known": 2, "pages": 0, "pending": 2,
    }  # fmt: skip
    assert made == {**told(jobs("--json", data=tmp_path)), "did": "created"}


def test_a_creation_that_was_cut_off_goes_on_when_it_is_ordered_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "seeds.txt"
    file.write_text("".join(f"https://h{n % 3}.example/{n}\n" for n in range(50)))
    order = ("create", "news", HOME, "--seeds", str(file))
    monkeypatch.setenv("TENAX_FEED__FRONTIER_LIMIT", "30")
    said(jobs(*order, data=tmp_path), EXIT_WORK_LEFT)
    assert told(jobs("show", "news", "--json", data=tmp_path))["known"] == 30, "in the middle"
    monkeypatch.delenv("TENAX_FEED__FRONTIER_LIMIT")
    other = jobs(*order, "--max-depth", "2", data=tmp_path)
    assert "already" in said(other, EXIT_BAD_INPUT), "that would be another job"
    assert "50 seeds read: 21 new, 29 known" in said(jobs(*order, "--start", data=tmp_path))
    whole = told(jobs("show", "news", "--json", data=tmp_path))
    assert (whole["known"], whole["state"]) == (51, "running")
    assert "already" in said(jobs("create", "news", HOME, data=tmp_path), EXIT_BAD_INPUT)


def test_a_sitemap_is_a_seed_that_is_read_for_what_it_lists(tmp_path: Path) -> None:
    said(jobs("create", "news", "--sitemap", "a.example/sitemap.xml", data=tmp_path))
    spec = spec_of(tmp_path)
    assert (spec.seeds, spec.sitemaps) == ((), ("https://a.example/sitemap.xml",))
    assert roles_of(tmp_path) == [Role.SITEMAP]
    said(jobs("change", "news", "https://a.example/sitemap.xml", data=tmp_path))
    assert roles_of(tmp_path) == [Role.SITEMAP], "naming it as a page does not change it"


def test_change_adds_seeds_and_replaces_the_rest(made: Path) -> None:
    said(jobs("change", "news", "b.example", "--max-pages", "5", "--schedule", "@daily", data=made))
    said(jobs("change", "news", "--max-depth", "2", "--recrawl", "1d", data=made))
    spec = spec_of(made)
    assert spec.seeds == (HOME, "https://b.example/")
    assert (spec.max_pages, spec.max_depth, spec.recrawl) == (5, 2, 86_400.0)
    assert spec.schedule == "@daily"
    said(jobs("change", "news", "--unset", "max-pages", "--unset", "schedule", data=made))
    spec = spec_of(made)
    assert (spec.max_pages, spec.schedule, spec.max_depth) == (None, "", 2)
    assert told(jobs("show", "news", "--json", data=made))["pending"] == 2


def test_change_without_anything_to_change_says_so(made: Path) -> None:
    assert "change what?" in said(jobs("change", "news", data=made), EXIT_BAD_INPUT)
    result = jobs("change", "news", "--unset", "max-page", data=made)
    assert "Did you mean max-pages?" in str(result.exception)


def test_changing_a_running_job_says_when_it_counts(made: Path) -> None:
    jobs("start", "news", data=made)
    text = said(jobs("change", "news", "--max-pages", "5", data=made))
    assert "once the job is resumed" in text


def test_nobody_is_said_to_work_only_while_nobody_is_there(made: Path) -> None:
    """A worker that waits for a host has visited nothing for a while, and is at work still."""
    jobs("start", "news", data=made)
    assert "Nobody seems to work on news" in jobs("list", data=made).stderr
    with closing(sqlite3.connect(made / "ledger.db")) as ledger:
        ledger.execute(
            "INSERT INTO workers (name, pid, started_at, seen_at) VALUES ('w', 1, ?, ?)",
            (time.time(), time.time()),
        )
        ledger.commit()
        for word in (["list"], ["show", "news"]):
            told = jobs(*word, data=made).stderr
            assert "Nobody" not in told
            assert "1 worker is there, and visited nothing of news" in told
        closed = {"pace": {"backoff_until": time.time() + 3_600}, "visits": 1}
        ledger.execute("UPDATE hosts SET state = ?", (json.dumps(closed),))
        ledger.execute("UPDATE lanes SET ready_at = ?", (time.time() + 3_600,))
        ledger.commit()
        for word in (["list"], ["show", "news"]):
            assert "1 worker is there; news waits for " in jobs(*word, data=made).stderr
        ledger.execute("UPDATE workers SET seen_at = seen_at - 600")
        ledger.commit()
    assert "Nobody seems to work on news" in jobs("list", data=made).stderr


# start, pause, resume, stop, run


def test_a_job_walks_through_its_states(made: Path) -> None:
    for word, then in [
        ("start", "running"), ("start", "running"), ("pause", "paused"), ("pause", "paused"),
        ("resume", "running"), ("stop", "stopped"), ("stop", "stopped"), ("start", "running"),
        ("pause", "paused"), ("stop", "stopped"),
    ]:  # fmt: skip
        assert told(jobs(word, "news", "--json", data=made))["state"] == then
        assert state(made) == then


def test_what_is_the_case_already_is_said(made: Path) -> None:
    assert "news is stopped already" in said(jobs("stop", "news", data=made))


@pytest.mark.parametrize(
    ("words", "before", "hint"),
    [
        ("pause", None, "tenax jobs start news"),
        ("resume", None, "tenax jobs start news"),
        ("start", "pause", "tenax jobs resume news"),
        ("run", "pause", "tenax jobs resume news"),
    ],
)
def test_an_order_that_makes_no_sense_is_refused(
    made: Path, words: str, before: str | None, hint: str
) -> None:
    if before:
        jobs("start", "news", data=made)
        jobs(before, "news", data=made)
    text = said(jobs(words, "news", data=made), EXIT_BAD_INPUT)
    assert f"cannot {words} news: it is" in text
    assert hint in text


def test_a_finished_job_is_run_again_on_demand(tmp_path: Path) -> None:
    async def story() -> None:
        web = SimulatedWeb()
        web.at(HOME, page("home", "/1"))
        web.at(f"{HOME}1", page("one"))
        async with open_test_app(web, tmp_path) as opened:
            await crawl(opened, HOME, name="news", max_pages=2)

    run_virtually(story())
    text = said(jobs("start", "news", data=tmp_path), EXIT_BAD_INPUT)
    assert "tenax jobs change news" in text
    assert "--max-pages MORE" in text
    assert told(jobs("run", "news", "--json", data=tmp_path)) == {
        "job": "news", "state": "running", "again": 2, "pending": 2,
    }  # fmt: skip
    assert told(jobs("show", "news", "--json", data=tmp_path))["to_visit_again"] == 2


# delete


def test_delete_asks_for_a_yes(made: Path) -> None:
    text = said(jobs("delete", "news", data=made), EXIT_BAD_INPUT)
    assert "1 URL and 0 pages for good. Say --yes" in text
    assert state(made) == "stopped"
    assert told(jobs("delete", "news", "--yes", "--json", data=made)) == {
        "job": "news", "deleted": 1,
    }  # fmt: skip
    assert jobs("--json", data=made).stdout == ""


def test_on_a_terminal_delete_asks_and_takes_no_for_an_answer(
    made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tenax.cli.terminal.consent.is_terminal", lambda: True)
    result = jobs("delete", "news", data=made, stdin="\n")
    assert "Nothing is changed" in said(result, EXIT_NOTHING)
    result = jobs("delete", "news", data=made, stdin="yes\n")
    assert "Deleted news: 1 URL with all pages and history" in said(result)


def test_deleting_says_that_bodies_stay(made: Path) -> None:
    assert f"Bodies stay in {made}/content" in said(jobs("delete", "news", "--yes", data=made))
