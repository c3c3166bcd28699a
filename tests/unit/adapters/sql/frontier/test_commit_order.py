"""In which order does a commit write? The one that all transactions keep (decision 0018)."""

from __future__ import annotations

import re
from pathlib import Path

import sqlalchemy as sa
from msgspec.structs import replace

from tenax.adapters.sql.frontier.frontier import SqlFrontier
from tenax.crawl.event import Telling
from tenax.discover.guess_policy import GuessPolicy
from tenax.discover.guesses import observe
from tenax.discover.sights import Result
from tenax.hosts.conduct import HostPolicies
from tenax.model import Fault, HostRules, JobSpec, Reason, Role, State
from tenax.outcome import End, Evidence
from tests.ledgers import LEASES, START, UNPACED, Ledger, page, settlement, sqlite, target

A = "https://a.example"
_WRITE = re.compile(r"(INSERT)(?: OR \w+)? INTO (\w+)|(UPDATE) (\w+)|(DELETE) FROM (\w+)")

# The numbers are those of `Commits._write`.
ORDER = (
    ("INSERT", "fingerprints"),  # 1
    ("INSERT", "hosts"),  # 2
    ("INSERT", "targets"),
    ("UPDATE", "targets"),  # 3
    ("INSERT", "dead_letters"),
    ("INSERT", "attempts"),  # 4
    ("INSERT", "pages"),
    ("INSERT", "shapes"),
    ("INSERT", "wordings"),
    ("INSERT", "rejections"),
    ("UPDATE", "hosts"),
    ("INSERT", "rules"),  # 5
    ("INSERT", "outbox"),  # 6
    ("INSERT", "revisits"),  # 7
    ("INSERT", "lanes"),  # 8
    ("UPDATE", "lanes"),
    ("DELETE", "assignments"),
    ("INSERT", "stats"),  # 10
    ("INSERT", "stat_hours"),
    ("INSERT", "tallies"),
)


async def test_a_commit_writes_what_few_want_first_and_what_all_want_last(
    tmp_path: Path,
) -> None:
    async with sqlite(tmp_path) as ledger:
        heard = await _heard_while_committing(ledger)
    assert _first_writes(heard) == list(ORDER)


def _taught() -> HostRules:
    """One listing of two pages."""
    found = [f"{A}/list?page=2"]
    return observe(HostRules(), f"{A}/list", Role.PAGE, Result.READ, found, START, GuessPolicy())


async def _heard_while_committing(ledger: Ledger) -> list[str]:
    """The statements of a commit that brings something of everything."""
    worker = await ledger.worker(pace=UNPACED)
    frontier = SqlFrontier(
        worker.database, ledger.clock, HostPolicies(pace=UNPACED), LEASES, worker.membership,
        telling=Telling(),
    )  # fmt: skip
    job = (await ledger.jobs.save("job", JobSpec(recrawl=3600.0))).id
    await frontier.add(job, [target(f"{A}/known")])
    (held,) = await frontier.claim([job], 1)
    await frontier.commit([settlement(held, held.targets[0])], [held.id])
    await frontier.add(job, [target(f"{A}/1"), target(f"{A}/2")])
    (held,) = await frontier.claim([job], 1)
    first, second = held.targets
    read = replace(
        settlement(held, first, found=[target("https://b.example/")]),
        page=replace(page(first.url), simhash=0xABCDEF),
        kept_rejections=((f"{A}/trap", Reason.TRAP),),
        evidence=Evidence("/#", judged=True, says=True, said=b"said"),
        learned=_taught(),
    )
    given_up = settlement(held, second, End(State.FAILED, "reset: by peer", Fault.RESET))
    heard: list[str] = []

    def listen(connection: sa.Connection) -> None:
        driver = connection.connection.driver_connection
        assert driver is not None
        driver.set_trace_callback(heard.append)

    await worker.database.write(listen)
    await frontier.commit([read, given_up], [held.id])
    return heard


def _first_writes(statements: list[str]) -> list[tuple[str, ...]]:
    """Verbs and tables, each where it first occurs."""
    found = (_WRITE.match(text.strip()) for text in statements)
    writes = (tuple(part for part in match.groups() if part) for match in found if match)
    return list(dict.fromkeys(writes))
