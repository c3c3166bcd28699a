"""Does `doctor` see what is wrong with a machine, and say what to do?"""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from msgspec.structs import replace

from tenax.compose.checkup import examine
from tenax.ops.health.doctor import Check, CheckVerdict, Facts, diagnose
from tenax.ports import Backlog, LedgerFacts, Library, RedisFacts
from tenax.settings import Settings
from tenax.testing import START, SimulatedWeb, crawl, open_test_app, page, run_virtually

SOUND = Facts(
    python=(3, 11, 7),
    libraries=(Library("pycurl", "7.49.0"),),
    client="libcurl/8.23.0 OpenSSL/3.6.5",
    has_tls=True,
    is_compiled=True,
    wants_compiled=True,
    sqlite=(3, 40, 1),
    roots="/etc/ssl/certs/ca-certificates.crt",
    root_count=144,
    data="./tenax-data",
    data_error="",
    free_bytes=50_000_000_000,
    ledger=LedgerFacts("ledger.db", exists=False),
    open_files=1024,
    concurrency=64,
    contact="mailto:me@example.org",
    now=START,
    playwright="1.65.0",
    browser="Chromium 156.0.8078.79 in /usr/bin/chromium",
    browser_error="",
)
LEDGER = LedgerFacts("ledger.db", exists=True, revision="0001", known_revision="0001", size=1)
SERVER = replace(LEDGER, on_server=True, version="15.8")


@pytest.mark.parametrize("version", ["15.8", "17beta1", "18.0 (Debian 18.0-1)"])
def test_a_server_that_is_new_enough_is_fine(version: str) -> None:
    assert troubles(replace(SOUND, ledger=replace(SERVER, version=version))) == []


def troubles(facts: Facts) -> list[Check]:
    return [check for check in diagnose(facts) if check.verdict is not CheckVerdict.OK]


def test_a_sound_machine_has_no_troubles() -> None:
    assert troubles(SOUND) == []


@pytest.mark.parametrize(
    ("facts", "name", "verdict"),
    [
        (replace(SOUND, python=(3, 10, 1)), "Python", CheckVerdict.FAIL),
        (replace(SOUND, libraries=(Library("brotli", None),)), "libraries", CheckVerdict.FAIL),
        (
            replace(SOUND, libraries=(Library("brotli", "1", "no ELF"),)),
            "libraries",
            CheckVerdict.FAIL,
        ),
        (replace(SOUND, client=""), "HTTP client", CheckVerdict.FAIL),
        (replace(SOUND, has_tls=False), "HTTP client", CheckVerdict.FAIL),
        (replace(SOUND, is_compiled=False), "reading", CheckVerdict.WARN),
        (replace(SOUND, wants_compiled=False), "reading", CheckVerdict.WARN),
        (replace(SOUND, root_count=0), "certificates", CheckVerdict.FAIL),
        (replace(SOUND, sqlite=(3, 34, 9)), "SQLite", CheckVerdict.FAIL),
        (replace(SOUND, data_error="read-only"), "data folder", CheckVerdict.FAIL),
        (replace(SOUND, free_bytes=500_000_000), "disk", CheckVerdict.WARN),
        (replace(SOUND, free_bytes=5_000_000), "disk", CheckVerdict.FAIL),
        (replace(SOUND, ledger=replace(LEDGER, error="malformed")), "ledger", CheckVerdict.FAIL),
        (replace(SOUND, ledger=replace(LEDGER, revision="0000")), "ledger", CheckVerdict.WARN),
        (
            replace(SOUND, ledger=replace(SERVER, version="14.9 (Debian)")),
            "ledger",
            CheckVerdict.FAIL,
        ),
        (replace(SOUND, open_files=100), "open files", CheckVerdict.FAIL),
        (replace(SOUND, now=0.0), "clock", CheckVerdict.FAIL),
        (
            replace(SOUND, ledger=replace(LEDGER, changed_at=START + 999)),
            "clock",
            CheckVerdict.WARN,
        ),
        (replace(SOUND, contact=""), "contact", CheckVerdict.WARN),
        (replace(SOUND, playwright=None), "browser", CheckVerdict.WARN),
        (replace(SOUND, browser="", browser_error="Install one."), "browser", CheckVerdict.WARN),
        (replace(SOUND, is_connected=False), "network", CheckVerdict.WARN),
        (replace(SOUND, is_connected=False, probes=("x:1",)), "network", CheckVerdict.FAIL),
        (replace(SOUND, free_share=0.04, least_share=0.05), "disk", CheckVerdict.FAIL),
        (
            replace(SOUND, redis=RedisFacts("r:6379", error="It is away.")),
            "Redis",
            CheckVerdict.FAIL,
        ),
        (replace(SOUND, redis=RedisFacts("r:6379", "6.0.16")), "Redis", CheckVerdict.FAIL),
        (
            replace(SOUND, redis=RedisFacts("r:6379", "7.0", "allkeys-lru")),
            "Redis",
            CheckVerdict.WARN,
        ),
    ],
)
def test_a_trouble_is_named_and_comes_with_advice(
    facts: Facts, name: str, verdict: CheckVerdict
) -> None:
    (check,) = troubles(facts)
    assert (check.name, check.verdict) == (name, verdict)
    assert check.advice


def test_a_missing_driver_is_named_by_its_extra() -> None:
    (check,) = troubles(replace(SOUND, playwright=None))
    assert check.advice == "pip install 'tenax-crawler[browser]'"


def test_the_browser_found_is_told_with_its_version() -> None:
    check = diagnose(SOUND)[-1]
    assert (check.name, check.verdict) == ("browser", CheckVerdict.OK)
    assert "Chromium 156.0.8078.79 in /usr/bin/chromium" in check.says


def test_a_redis_that_will_do_is_told_with_its_version() -> None:
    check = diagnose(replace(SOUND, redis=RedisFacts("r:6379", "8.0.1", "noeviction")))[-1]
    assert (check.name, check.verdict, check.says) == ("Redis", CheckVerdict.OK, "8.0.1 at r:6379")


def test_a_redis_that_is_away_is_told_without_its_secret(tmp_path: Path) -> None:
    facts = examine(Settings(data=str(tmp_path), redis="redis://:hidden@127.0.0.1:1/0"))
    assert facts.redis is not None
    assert facts.redis.place == "127.0.0.1:1"
    assert "does not answer" in facts.redis.error
    assert "hidden" not in facts.redis.error


LATE = Backlog("events", 7, 12, START - 600, "", START)


@pytest.mark.parametrize(
    ("facts", "advice"),
    [
        (replace(SOUND, is_told=True, backlogs=(LATE,)), "run `tenax relay`"),
        (replace(SOUND, is_told=True, backlogs=(replace(LATE, holder="r1"),)), "r1 tells them"),
        (replace(SOUND, backlogs=(LATE,)), "tenax relay --forget events"),
    ],
    ids=["no relay", "a relay that does not get on", "not told any more"],
)
def test_events_that_wait_too_long_are_told(facts: Facts, advice: str) -> None:
    (check,) = troubles(facts)
    assert (check.name, check.verdict) == ("events", CheckVerdict.WARN)
    assert "12 not told, the oldest for 10 min" in check.says
    assert advice in check.advice


def test_events_are_no_matter_where_nobody_is_told() -> None:
    told = replace(LATE, waiting=0, oldest=None)
    assert "events" not in {check.name for check in diagnose(replace(SOUND, backlogs=(told,)))}
    assert diagnose(replace(SOUND, is_told=True, backlogs=(told,)))[-1].verdict is CheckVerdict.OK
    assert diagnose(replace(SOUND, is_told=True))[-1].verdict is CheckVerdict.OK


# What the examination finds on this machine.


def test_how_far_behind_events_are_is_found(tmp_path: Path) -> None:
    async def play() -> None:
        web = SimulatedWeb()
        web.at("https://a.example/", page("home"))
        settings = Settings(contact="mailto:me@example.org", events="file:///events")
        async with open_test_app(web, tmp_path, settings) as app:
            await app.ledger.outbox.hold("events", "one", 10)
            await crawl(app, "https://a.example/")

    run_virtually(play())
    facts = examine(Settings(data=str(tmp_path), events="file:///events"))
    assert [(each.sink, each.waiting) for each in facts.backlogs] == [("events", 1)]


def test_this_machine_is_fit_for_its_own_tests(tmp_path: Path) -> None:
    facts = examine(Settings(data=str(tmp_path), contact="mailto:me@example.org"))
    assert [check for check in diagnose(facts) if check.verdict is CheckVerdict.FAIL] == []


def test_examining_makes_no_folder_and_no_file(tmp_path: Path) -> None:
    examine(Settings(data=str(tmp_path / "not" / "yet")))
    assert list(tmp_path.iterdir()) == []


def test_a_data_folder_that_is_a_file_is_found(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "not a folder" in examine(Settings(data=str(tmp_path / "file"))).data_error


def test_a_sound_ledger_is_recognised(tmp_path: Path) -> None:
    async def play() -> None:
        web = SimulatedWeb()
        web.at("https://a.example/", page("home"))
        async with open_test_app(web, tmp_path) as app:
            await crawl(app, "https://a.example/")

    run_virtually(play())
    ledger = examine(Settings(data=str(tmp_path))).ledger
    assert (ledger.revision, ledger.error) == (ledger.known_revision, "")


def test_a_file_that_is_no_database_is_found(tmp_path: Path) -> None:
    (tmp_path / "ledger.db").write_bytes(b"not a database, but long enough to be one" * 99)
    assert "not a database" in examine(Settings(data=str(tmp_path))).ledger.error


def test_somebody_elses_database_is_found(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "ledger.db")
    connection.execute("CREATE TABLE recipes (id INTEGER)")
    connection.close()
    assert examine(Settings(data=str(tmp_path))).ledger.error == "not a Tenax ledger"


def test_a_damaged_ledger_is_found(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE alembic_version (version_num TEXT)")
    connection.execute("INSERT INTO alembic_version VALUES ('0001')")
    connection.execute("CREATE TABLE big (text TEXT)")
    connection.executemany("INSERT INTO big VALUES (?)", [("x" * 500,)] * 200)
    connection.commit()
    connection.close()
    damaged = bytearray(path.read_bytes())
    damaged[4 * 4096 : 9 * 4096] = b"\xff" * (5 * 4096)
    path.write_bytes(damaged)
    assert examine(Settings(data=str(tmp_path))).ledger.error
