"""Does every list answer its first page in work that does not grow with the ledger?

Two ledgers are made by SQL alone, one ten times as large as the other, and the work that each
question takes is counted: on SQLite the steps of its machine, on PostgreSQL the rows of tables and
indexes that were read. Windows are short here, so that ledgers need not be large: what is bounded
by a window takes the same on both.

    TENAX_VOLUME=1000000 pytest -s tests/contract/test_bounded_lists.py

makes the larger one of a million URLs in ten thousand jobs, and asks it with the windows as they
are, too.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import asyncpg
import pytest
import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine.postgres import Postgres
from tenax.adapters.sql.engine.sqlite import Database
from tenax.adapters.sql.engine.transactions import Transactions
from tenax.adapters.sql.records import jobs as job_rows
from tenax.adapters.sql.records import pages as page_rows
from tenax.adapters.sql.records.dead_letters import SqlDeadLetters
from tenax.adapters.sql.records.hosts import SqlHostBook
from tenax.adapters.sql.records.jobs import SqlJobs
from tenax.adapters.sql.records.pages import SqlPages
from tenax.adapters.sql.reports import (
    host_lists,
    overview,
    product_lists,
    record_lists,
    shape_lists,
    stats,
    url_lists,
)
from tenax.adapters.sql.reports.overview import SqlOverview
from tenax.crawl.policy import LeasePolicy
from tenax.hosts.conduct import HostPolicies
from tenax.model import JobState, Reason, State
from tenax.ports import Letters
from tenax.ports.handled import RecordFilter
from tenax.ports.overview import (
    HostSieve,
    HostSort,
    JobSieve,
    ListOrder,
    Sieve,
    VisitSieve,
)
from tenax.ports.products import ProductFilter
from tests.ledgers import START, HandClock
from tests.postgres import empty_ledger

T = TypeVar("T")
VOLUME = int(os.environ.get("TENAX_VOLUME", "0"))
LARGE = VOLUME or 30_000
SMALL = LARGE // 10
_PER_JOB = 100 if VOLUME else 50
_WINDOW = 25
_FEW = 60
"""Jobs of a ledger of large ones, at half as many hosts, or of wide ones, at any number."""
_PER_HOST = 5
_FIRST = 20
"""Items of a first page: fewer than hosts and jobs of the small ledger, or it would be shorter."""

NEWEST, NEXT = ListOrder.NEWEST, ListOrder.NEXT
HOST, JOB = "h3.example", "job-3"


class Asked:
    """A ledger's books, and what a question to them takes."""

    def __init__(self, database: Transactions, effort: Callable[[Connection], int]) -> None:
        clock, policies, leases = HandClock(), HostPolicies(), LeasePolicy()
        counted: Any = _Counted(database, effort, self)
        self.work = 0
        self.overview = SqlOverview(counted, clock)
        self.jobs = SqlJobs(counted, clock)
        self.pages = SqlPages(counted)
        self.hosts = SqlHostBook(counted, clock, policies, leases)
        self.dead = SqlDeadLetters(counted, clock, policies, leases)


class _Counted:
    """Transactions that count what they take."""

    def __init__(
        self, inner: Transactions, effort: Callable[[Connection], int], asked: Asked
    ) -> None:
        self._inner = inner
        self._effort = effort
        self._asked = asked

    async def read(self, work: Callable[[Connection], T]) -> T:
        def counting(connection: Connection) -> T:
            before = self._effort(connection)
            done = work(connection)
            self._asked.work += self._effort(connection) - before
            return done

        return await self._inner.read(counting)


class _Steps:
    """Instructions of SQLite's machine, to the nearest few."""

    every = 20

    def __init__(self) -> None:
        self._taken = 0

    def __call__(self, connection: Connection) -> int:
        driver: Any = connection.connection.driver_connection
        driver.set_progress_handler(self._count, self.every)
        return self._taken

    def _count(self) -> int:
        self._taken += self.every
        return 0


_READ = sa.text(
    "SELECT COALESCE(sum(pg_stat_get_xact_tuples_returned(oid)"
    " + pg_stat_get_xact_tuples_fetched(oid)), 0) FROM pg_class"
    " WHERE relnamespace = 'public'::regnamespace"
)


def _rows(connection: Connection) -> int:
    """Rows of our tables and indexes that this connection has read."""
    return int(connection.execute(_READ).scalar_one())


class Size(Struct, frozen=True):
    """How large a ledger is made, and of what."""

    urls: int
    shape: str

    @property
    def jobs(self) -> int:
        return self.urls // _PER_JOB if self.shape == "many jobs" else _FEW

    @property
    def hosts(self) -> int:
        return self.urls // _PER_HOST if self.shape == "wide jobs" else self.jobs // 2

    @property
    def spread(self) -> int:
        """Hosts of each job."""
        return self.hosts if self.shape == "wide jobs" else 1


class Kind(Struct, frozen=True):
    """A database, and how far what a question takes may differ between ledgers."""

    at_least: int
    """What any question may take: small tables are read as a whole, and that is right."""
    most: int
    """With the windows as they are, whatever the question."""


KINDS = {"sqlite": Kind(1_000, 400_000), "postgresql": Kind(5_000, 75_000)}
_MORE = 1.25
"""An index ten times as large is a little deeper."""


Question = Callable[[Asked], Awaitable[object]]


def urls(**sieve: Any) -> Question:
    return lambda asked: asked.overview.urls(Sieve(**sieve), 0, _FIRST)


def pages(**sieve: Any) -> Question:
    return lambda asked: asked.overview.pages(Sieve(**sieve), 0, _FIRST)


def products(**wanted: Any) -> Question:
    return lambda asked: asked.overview.products(ProductFilter(**wanted), 0, _FIRST)


def records(**wanted: Any) -> Question:
    return lambda asked: asked.overview.records(RecordFilter(**wanted), 0, _FIRST)


def hosts(**sieve: Any) -> Question:
    return lambda asked: asked.overview.hosts(HostSieve(**sieve), "", _FIRST)


def visits(**sieve: Any) -> Question:
    return lambda asked: asked.overview.latest_visits(VisitSieve(**sieve), None, _FIRST)


QUESTIONS: dict[str, Question] = {
    "urls": urls(),
    "urls newest": urls(order=NEWEST),
    **{f"urls {state}": urls(state=state) for state in State},
    **{f"urls of a job {state}": urls(job=JOB, state=state) for state in State},
    **{f"urls of a host {state}": urls(host=HOST, state=state) for state in State},
    "urls failed, newest": urls(state=State.FAILED, order=NEWEST),
    "urls failed, by reason": urls(state=State.FAILED, reason="dns"),
    "urls failed, that contain": urls(state=State.FAILED, contains="nothing"),
    "urls that contain": urls(contains="nothing"),
    "urls of a job": urls(job=JOB),
    "urls of a host": urls(host=HOST),
    "urls next of a job": urls(job=JOB, order=NEXT),
    "urls next of a host": urls(host=HOST, order=NEXT),
    "pages": pages(),
    "pages newest": pages(order=NEWEST),
    "pages of a job": pages(job=JOB),
    "pages of a job, newest": pages(job=JOB, order=NEWEST),
    "pages of a host": pages(host=HOST),
    "pages that contain": pages(contains="nothing"),
    "duplicates": pages(duplicates=True),
    "products": products(),
    "products of a job": products(job=JOB),
    "products of a host": products(host=HOST),
    "products of a brand": products(brand="oak"),
    "products that contain": products(text="nothing"),
    "products of a brand, that contain": products(brand="oak", text="nothing"),
    "products from a price on": products(lowest=1.0),
    "products changed since": products(changed_since=START - 1),
    "products changed now": products(changed_since=START + 1),
    "products cheaper": products(is_cheaper=True),
    "records": records(),
    "records of a job": records(job=JOB),
    "records of a host": records(host=HOST),
    "records of a name": records(name="quote"),
    "records that contain": records(text="nothing"),
    "records of a name, that contain": records(name="quote", text="nothing"),
    "records that are gone": records(status="gone"),
    "records changed since": records(changed_since=START - 1),
    "records changed now": records(changed_since=START + 1),
    "hosts": hosts(),
    "hosts that contain": hosts(contains="nothing"),
    "hosts in trouble": hosts(troubled=True),
    "hosts by size": lambda a: a.overview.largest_hosts(HostSieve(), HostSort.KNOWN, 0, _FIRST),
    "a host": lambda a: a.overview.host(HOST),
    "what a host's URLs brought": lambda a: a.overview.fruitless(HOST, _FIRST),
    "the shapes of a host": lambda a: a.overview.shapes_at(3, None),
    "the shapes of a host, of a job": lambda a: a.overview.shapes_at(3, 3),
    "its requests": lambda a: a.hosts.requests(3, 0.0),
    "its incidents": lambda a: a.hosts.incidents(3),
    "jobs": lambda a: a.overview.jobs(JobSieve(), 0, _FIRST),
    "jobs by state": lambda a: a.overview.jobs(JobSieve(JobState.PAUSED), 0, _FIRST),
    "jobs by name": lambda a: a.overview.jobs(JobSieve(contains="nothing"), 0, _FIRST),
    "a job's totals": lambda a: a.jobs.counts(3),
    "a job's rate": lambda a: a.jobs.pace(3),
    "a job's failures": lambda a: a.pages.failures(3),
    "what a job refused": lambda a: a.overview.rejected(3, Reason.OUT_OF_SCOPE, None, 20),
    "a job's shapes": lambda a: a.overview.shapes(3, _FIRST),
    "what a job waits for": lambda a: a.hosts.waiting(3),
    "the way to a URL": lambda a: a.overview.way_to(1, 100),
    "visits": visits(),
    "visits of a job": visits(job=JOB),
    "visits by status": visits(status=404),
    "dead letters": lambda a: a.dead.find(Letters(), None, _FIRST),
    "dead letters of a job": lambda a: a.dead.find(Letters(job=JOB), None, _FIRST),
    "how many dead letters": lambda a: a.dead.count(_FIRST),
    "workers": lambda a: a.overview.workers(held=20),
    "what was done in the last minute": lambda a: a.overview.done_since(int(START // 60) - 1),
    "what running jobs count": lambda a: a.overview.running_totals(),
}  # fmt: skip


def _shorten(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name in (
        (url_lists, "WINDOW"),
        (overview, "WINDOW"),
        (host_lists, "WINDOW"),
        (shape_lists, "WINDOW"),
        (shape_lists, "SAMPLE"),
        (product_lists, "WINDOW"),
        (record_lists, "WINDOW"),
        (host_lists, "MOST_SORTED"),
        (job_rows, "_WINDOW"),
    ):
        monkeypatch.setattr(module, name, _WINDOW)
    for module, name in (
        (host_lists, "_MOST_WAITING"),
        (page_rows, "_MOST_FAILURES"),
        (stats, "_MOST_COUNTED"),
        (stats, "_MOST_HOSTS"),
        (url_lists, "_LANES"),
    ):
        monkeypatch.setattr(module, name, 1)  # of few anyway


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", ["many jobs", "large jobs", "wide jobs"])
async def test_no_list_takes_more_on_a_larger_ledger(
    kind: str, shape: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _shorten(monkeypatch)
    async with FILLED[kind](tmp_path / "small.db", Size(SMALL, shape)) as asked:
        small = await _asked(asked)
    async with FILLED[kind](tmp_path / "large.db", Size(LARGE, shape)) as asked:
        large = await _asked(asked)
        monkeypatch.undo()
        whole = await _asked(asked) if VOLUME else {}
    for name in QUESTIONS if VOLUME else ():
        print(f"{small[name]:>9,} {large[name]:>9,} {whole[name]:>9,}  {name}")
    grown = {
        name: (small[name], large[name])
        for name in QUESTIONS
        if large[name] > KINDS[kind].at_least + _MORE * small[name]
    }
    assert grown == {}, "(on the small one, on the large one)"
    assert {name: each for name, each in whole.items() if each > KINDS[kind].most} == {}


async def _asked(asked: Asked) -> dict[str, int]:
    taken = {}
    for name, question in QUESTIONS.items():
        await question(asked)  # statements are compiled once
        asked.work = 0
        await question(asked)
        taken[name] = asked.work
    return taken


@asynccontextmanager
async def _sqlite(path: Path, size: Size) -> AsyncIterator[Asked]:
    database = await Database.open(path)
    try:
        with sqlite3.connect(path) as raw:
            raw.execute("PRAGMA synchronous = OFF")
            for statement in _FILL:
                raw.execute(_counted(statement, size))
            raw.execute("ANALYZE")
        raw.close()
        yield Asked(database, _Steps())
    finally:
        await database.close()


@asynccontextmanager
async def _postgresql(path: Path, size: Size) -> AsyncIterator[Asked]:
    url = await empty_ledger()
    raw = await asyncpg.connect(url)
    for statement in _FILL:
        for ours, theirs in _SPELLED.items():
            statement = statement.replace(ours, theirs)
        await raw.execute(_counted(statement, size))
    await raw.execute("VACUUM ANALYZE")
    await raw.close()
    database = Postgres(url)
    try:
        yield Asked(database, _rows)
    finally:
        await database.close()


FILLED = {"sqlite": _sqlite, "postgresql": _postgresql}


def _counted(statement: str, size: Size) -> str:
    """For so many URLs of so many jobs, all mixed."""
    for name, value in (
        ("urls", size.urls), ("jobs", size.jobs), ("hosts", size.hosts),
        ("spread", size.spread), ("now", START),
    ):  # fmt: skip
        statement = statement.replace(f":{name}", str(value))
    return statement


_SPELLED = {
    "CAST(printf('%012d', i) AS BLOB)": "convert_to(lpad(i::text, 12, '0'), 'UTF8')",
    "randomblob(32)": "sha256(id::text::bytea)",
    "x'00'": "'\\x00'::bytea",
}
"""What PostgreSQL calls otherwise."""
_EACH = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :{0}) "
_FILL = (
    _EACH.format("jobs")
    + """INSERT INTO jobs (id, name, state, spec, created_at)
    SELECT i, 'job-' || i, CASE WHEN i <= 5 THEN 'running' ELSE 'done' END, '{}', :now FROM n""",
    _EACH.format("hosts")
    + """INSERT INTO hosts (id, name, origin, state, troubled)
    SELECT i, 'h' || i || '.example', 'https://h' || i || '.example', '{"visits":9}', i = 7
    FROM n""",
    _EACH.format("urls")
    + """INSERT INTO targets
    (id, job_id, host_id, key, url, state, rare, priority, depth, due_at, attempts, found_at)
    SELECT i, j, (j - 1 + (i / :jobs) % :spread) % :hosts + 1, CAST(printf('%012d', i) AS BLOB),
      '/p/' || i, s,
      CASE WHEN s IN ('failed', 'gone', 'blocked', 'rejected') THEN s END, 5, 1,
      CASE s WHEN 'pending' THEN 0 ELSE :now END, 0, :now
    FROM (SELECT i, i % :jobs + 1 AS j, CASE (i / :jobs) % 50
        WHEN 0 THEN 'failed' WHEN 1 THEN 'gone' WHEN 2 THEN 'blocked' WHEN 3 THEN 'rejected'
        WHEN 4 THEN 'pending' WHEN 5 THEN 'pending' ELSE 'done' END AS s FROM n) AS made""",
    """INSERT INTO lanes (host_id, job_id, known, ready_at)
    SELECT host_id, job_id, count(*), :now FROM targets GROUP BY host_id, job_id""",
    """INSERT INTO shapes (job_id, host_id, shape, visits, good, late, judged, fruitful, idle,
      looked, grew, met)
    SELECT job_id, host_id, '/s' || id || '/N', 20, 1, 0, 20, 1, 19, 20, 0, 0
    FROM targets WHERE id % 2 = 0""",
    """INSERT INTO tallies (job_id, name, count)
    SELECT job_id, state, count(*) FROM targets GROUP BY job_id, state""",
    """INSERT INTO pages
    (target_id, job_id, url_hash, status, title, length, words, links, fetched_at)
    SELECT id, job_id, randomblob(32), 200, 'page', 1, 1, 1, :now
    FROM targets WHERE state = 'done' AND id % 3 = 0""",
    """INSERT INTO attempts (target_id, at, outcome, status)
    SELECT id, :now, CASE state WHEN 'done' THEN 'read' ELSE 'failed' END, 200
    FROM targets WHERE state != 'pending' AND id % 3 = 0""",
    """INSERT INTO dead_letters (target_id, job_id, host_id, at, fault, attempts)
    SELECT id, job_id, host_id, :now + id, 'dns', 3 FROM targets WHERE state = 'failed'""",
    """INSERT INTO rejections (job_id, url, reason, at)
    SELECT job_id, url, 'out_of_scope', :now FROM targets WHERE id % 10 = 0""",
    """INSERT INTO products (id, host_id, key, url, name, brand, amount, price, currency, details,
      content_hash, status, listed, offered, first_seen_at, updated_at, offer_at, read_at,
      last_seen_at, confirmed_at)
    SELECT id, host_id, key, url, 'Thing', 'Oak', 9.0, '9.00', 'EUR', '{}', randomblob(32),
      'listed', id > 0, id > 0, :now, :now, :now, :now, :now, :now
    FROM targets WHERE state = 'done' AND id % 3 = 0""",
    """INSERT INTO records (id, job_id, host_id, target_id, identity, name, handler, version, data,
      digest, first_seen_at, last_seen_at, changed_at)
    SELECT id, job_id, host_id, id, 'r' || id, 'quote', 'quote', '1', '{"a":1}', randomblob(32),
      :now, :now, :now FROM targets WHERE state = 'done' AND id % 3 = 0""",
    """INSERT INTO product_terms (field, value, product_id)
    SELECT 'brand', 'oak', id FROM products""",
    """INSERT INTO product_jobs (target_id, job_id, product_id)
    SELECT id, job_id, id FROM targets WHERE state = 'done' AND id % 3 = 0""",
    """INSERT INTO product_prices (product_id, at, price, currency)
    SELECT id, :now, '9.00', 'EUR' FROM products""",
    """INSERT INTO stats (job_id, minute, visits, pages, failures, bytes)
    SELECT jobs.id, CAST(:now / 60 AS INTEGER) - m.i, 9, 9, 0, 9 FROM jobs,
      (WITH RECURSIVE m(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM m WHERE i < 25)
       SELECT i FROM m) m""",
    """INSERT INTO host_requests (host_id, at, count, packed)
    SELECT host_id, :now, 1, x'00' FROM targets
    WHERE host_id != 3 AND id % 20 = 0 AND id <= :hosts * 200""",
)
