"""Does `tenax hosts` tell how a host stands, and do what a person wants done? (HOST-5, FR-7)"""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace
from typer.testing import Result

from tenax.cli.crawl.summary import summarise, tell
from tenax.cli.terminal.say import EXIT_BAD_INPUT, EXIT_NOTHING, moment, told_wait
from tenax.compose.crawler import Crawler, open_crawler
from tenax.crawl.run import conclude
from tenax.hosts import conduct
from tenax.hosts.signs import Answered, FailedWith, Sign, ToldToWait, TurnedAway, WalledOff
from tenax.model import Fault, Host, Job, JobSpec, JobState, Pace
from tenax.outcome import Later
from tenax.ports import Counts
from tenax.settings import Settings
from tests.cli import invoke
from tests.ledgers import settlement, target

REFUSED = FailedWith(0.0, Fault.CONNECT_REFUSED)


def settings_of(folder: Path) -> Settings:
    return Settings(data=str(folder), contact="mailto:test@example.org")


async def prepared(app: Crawler, *signs: Sign, pace: Pace | None = None, urls: int = 3) -> Job:
    """A job with one host that gave these signs, a moment ago by the real clock."""
    job = await app.parts.jobs.save("job", JobSpec(seeds=("https://a.example/",)))
    await app.parts.jobs.set_state(job.id, JobState.RUNNING)
    frontier = app.parts.frontier
    await frontier.add(job.id, [target(f"https://a.example/{n}") for n in range(urls)])
    (held,) = await frontier.claim([job.id], 1)
    now = app.parts.clock.now()
    host = replace(held.host, pace=pace or Pace())
    for sign in signs:
        host = conduct.learn(host, replace(sign, started=now), now, TREATMENT, Random(0))
    again = Later(now, counts=False)
    visit = settlement(held, held.targets[0], again, host=host)
    await frontier.commit([visit], [held.id])
    return job


TREATMENT = Settings().treatment


def ledger_with(folder: Path, *signs: Sign, pace: Pace | None = None) -> None:
    async def work() -> None:
        async with open_crawler(settings_of(folder)) as app:
            await prepared(app, *signs, pace=pace)

    asyncio.run(work())


def known(folder: Path) -> Host:
    async def work() -> Host:
        async with open_crawler(settings_of(folder), create=False) as app:
            record = await app.ledger.hosts.get("a.example")
            assert record is not None
            return record.host

    return asyncio.run(work())


def tenax(*words: str, data: Path) -> Result:
    return invoke([*words, "--data", str(data)])


def line(text: str, label: str) -> str:
    """The rest of the line that begins with this label."""
    (found,) = [each for each in text.splitlines() if each.startswith(f"  {label:<10}  ")]
    return found[14:]


# The list.


@pytest.mark.parametrize(
    ("signs", "told", "after"),
    [
        ([Answered(0.0)], "ok", None),
        ([REFUSED] * 5, "breaker open, probe at {}", 30),
        ([FailedWith(0.0, Fault.CLIENT_ERROR)] * 6, "locked (6 failures in 5 min) until {}", 120),
        ([WalledOff(0.0)], "cooling down until {}", 600),
        ([TurnedAway(0.0)] * 5, "cooling down until {}", 600),
        ([ToldToWait(0.0, 3_600.0)], "told to wait until", None),
        ([FailedWith(0.0, Fault.RESET)] * 3, "3 failures in a row", None),
    ],
)
def test_the_list_tells_how_a_host_stands(
    tmp_path: Path, signs: list[Sign], told: str, after: float | None
) -> None:
    ledger_with(tmp_path, *signs)
    _, row = tenax("hosts", data=tmp_path).stdout.splitlines()
    trouble = known(tmp_path).health.trouble
    if after is not None:
        assert trouble is not None
        until = max(trouble.breaker.until, trouble.cool_until)
        until = until or trouble.failed_at[-1] + after
        told = told.format(moment(until))
        assert until == pytest.approx(time.time() + after, abs=20)
    assert told in row


def test_the_list_tells_what_a_host_was_slowed_to(tmp_path: Path) -> None:
    silenced = replace(ToldToWait(0.0), retry_after=0.001)
    ledger_with(tmp_path, silenced)
    assert "slowed to one request per 4 s" in tenax("hosts", data=tmp_path).stdout


def test_the_list_as_json_has_the_standing_with_its_clock(tmp_path: Path) -> None:
    ledger_with(tmp_path, *[REFUSED] * 5)
    told = json.loads(tenax("hosts", "--json", data=tmp_path).stdout)
    assert told["standing"]["word"] == "breaker"
    assert told["standing"]["until"].endswith("Z")
    assert told["host"]["health"]["trouble"]["breaker"]["until"] == told["standing"]["until"]


# One host.


def test_a_broken_host_is_told_down_to_each_policy(tmp_path: Path) -> None:
    ledger_with(tmp_path, *[REFUSED] * 5, pace=Pace(crawl_delay=3.0))
    told = tenax("hosts", "a.example", data=tmp_path).stdout
    host = known(tmp_path)
    assert host.health.trouble is not None
    probe = moment(host.health.trouble.breaker.until)
    assert line(told, "standing") == (
        f"breaker open, probe at {probe} (5 failures in a row, the last connect_refused)"
    )
    assert line(told, "turn") == probe
    assert line(told, "pace") == ("3 s between requests: 1 s by settings, 3 s by robots.txt")
    assert line(told, "breaker") == f"open, back-off 1 of 30 s; probe at {probe}"
    last = moment(host.health.last_failure_at)
    assert line(told, "failures") == f"5 in a row, the last connect_refused at {last}"
    assert line(told, "budget") == "5 of 6 failures in the last 5 min"
    assert line(told, "cooldown") == "none; 0 of 5 answers 403 or 429 in a row"
    assert line(told, "answered") == "never yet"


def test_a_throttled_host_is_told_what_it_takes_to_recover(tmp_path: Path) -> None:
    ledger_with(tmp_path, ToldToWait(0.0, 60.0))
    told = tenax("hosts", "a.example", data=tmp_path).stdout
    assert "1 s by settings, 4 s by its complaints" in line(told, "pace")
    assert "0 of 100 answers towards a step of 10% faster" in told
    throttle = known(tmp_path).pace.throttle
    assert throttle is not None
    assert f"told to wait 1 time in a row; forgiven at {moment(throttle.until + 1800)}" in told


def test_a_host_told_in_full_fits_in_a_hundred_columns(tmp_path: Path) -> None:
    ledger_with(tmp_path, *[REFUSED] * 5, ToldToWait(0.0, 60.0), pace=Pace(crawl_delay=3.0))
    told = tenax("hosts", "a.example", data=tmp_path).stdout
    assert max(map(len, told.splitlines())) <= 100


def test_why_tells_what_its_host_waits_for_with_the_clock(tmp_path: Path) -> None:
    ledger_with(tmp_path, *[REFUSED] * 5)
    told = tenax("why", "https://a.example/0", data=tmp_path).stdout
    trouble = known(tmp_path).health.trouble
    assert trouble is not None
    probe = moment(trouble.breaker.until)
    row = "breaker open (5 failures in a row, the last connect_refused)"
    assert f"  In job job: waiting for its host: {row}\n" in told
    assert line(told, "next").endswith(f", not before {probe}: {row}, and a probe goes first")
    assert line(told, "breaker").endswith(f"probe at {probe}")


# What a person does.


def test_a_host_is_paused_and_resumed(tmp_path: Path) -> None:
    ledger_with(tmp_path, Answered(0.0))
    told = tenax("hosts", "https://a.example/x", "--pause", data=tmp_path)
    assert told.exit_code == 0
    assert "a.example is now paused" in told.stderr
    assert f"tenax hosts a.example --resume --data {tmp_path}" in told.stderr
    assert known(tmp_path).paused
    assert "already paused" in tenax("hosts", "a.example", "--pause", data=tmp_path).stderr
    assert "paused" in tenax("hosts", data=tmp_path).stdout
    again = tenax("hosts", "a.example", "--resume", data=tmp_path).stderr
    assert "a.example is no longer paused." in again
    assert "Now: ok." in again
    assert "Next turn: now" in again
    assert not known(tmp_path).paused
    assert "was not paused" in tenax("hosts", "a.example", "--resume", data=tmp_path).stderr


def test_a_reset_tells_what_it_was_and_what_comes(tmp_path: Path) -> None:
    ledger_with(tmp_path, WalledOff(0.0))
    told = tenax("hosts", "a.example", "--reset", data=tmp_path).stderr
    assert "a.example is reset" in told
    assert "Before: cooling down until" in told
    assert "Next turn: now" in told
    shown = tenax("hosts", "a.example", data=tmp_path).stdout
    assert line(shown, "standing") == "ok"
    assert line(shown, "reset").startswith("by a person at ")


def test_a_reset_does_not_end_a_pause(tmp_path: Path) -> None:
    ledger_with(tmp_path, WalledOff(0.0))
    tenax("hosts", "a.example", "--pause", data=tmp_path)
    assert "It stays paused until" in tenax("hosts", "a.example", "--reset", data=tmp_path).stderr
    assert known(tmp_path).paused


def test_a_change_as_json_is_the_host_as_it_is_then(tmp_path: Path) -> None:
    ledger_with(tmp_path, WalledOff(0.0))
    told = json.loads(tenax("hosts", "a.example", "--reset", "--json", data=tmp_path).stdout)
    assert told["did"] == "reset"
    assert told["standing"]["word"] == "ok"


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["--pause"], EXIT_BAD_INPUT, "which host?"),
        (["a.example", "--pause", "--reset"], EXIT_BAD_INPUT, "use one"),
        (["a.exampel", "--reset"], EXIT_NOTHING, "Did you mean a.example?"),
    ],
)
def test_what_cannot_be_done_is_told(
    tmp_path: Path, words: list[str], code: int, says: str
) -> None:
    ledger_with(tmp_path, Answered(0.0))
    result = tenax("hosts", *words, data=tmp_path)
    assert result.exit_code == code
    assert says in result.stderr


# The end of a crawl with work left.


def summary_of(folder: Path, capsys: pytest.CaptureFixture[str], *signs: Sign, pause: bool) -> str:
    async def work() -> None:
        async with open_crawler(settings_of(folder)) as app:
            job = await prepared(app, *signs)
            if pause:
                await app.ledger.hosts.pause("a.example")
            state = await conclude(app.parts, job)
            summary = await summarise(app.ledger, job, state, Counts(), 1.0)
            await tell(app.ledger, job, summary, interrupted=False)

    asyncio.run(work())
    return capsys.readouterr().err


def test_a_crawl_that_ends_tells_whom_it_waits_for_and_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = summary_of(tmp_path, capsys, *[REFUSED] * 5, pause=False)
    trouble = known(tmp_path).health.trouble
    assert trouble is not None
    at = moment(trouble.breaker.until)
    why = "breaker open (5 failures in a row, the last connect_refused)"
    assert f"  a.example waits until {at}: {why}.\n" in told
    assert f"Run the same command again after {at} to go on." in told
    assert f"tenax hosts a.example --reset --data {tmp_path}" in told


def test_a_crawl_that_ends_tells_what_is_paused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = summary_of(tmp_path, capsys, Answered(0.0), pause=True)
    assert "  a.example is paused.\n" in told
    assert f"tenax hosts a.example --resume --data {tmp_path}" in told
    assert "--reset" not in told


def test_an_error_from_the_web_cannot_steer_the_terminal() -> None:
    assert "\x1b" not in told_wait("a.example", time.time() + 9, "robots (\x1b[2J)")
