"""Recrawl: what a frontier promises of pages that are to be visited again and again (FR-6)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from hashlib import sha256

import pytest
import sqlalchemy as sa
from msgspec.structs import replace

from tenax.adapters.sql.frontier import frontier as sql_frontier
from tenax.adapters.sql.frontier.transaction import LedgerTransaction
from tenax.adapters.sql.recrawl import due_visits, requeue
from tenax.hosts.conduct import HostPolicies
from tenax.jobs.revisit_policy import Recrawling, RecrawlPolicy
from tenax.model import (
    Assignment,
    Fault,
    JobSpec,
    JobState,
    LeasedTarget,
    Product,
    Role,
    SiteRules,
    State,
    Stock,
    Target,
)
from tenax.outcome import Attempt, End, Kept, Later, Settlement
from tenax.ports import Letters
from tenax.urls.sites import Sites
from tests.ledgers import LEASES, START, UNPACED, Ledger, Worker, page, settlement, target

A = "https://a.example"
HOUR, DAY = 3_600.0, 86_400.0
Ended = Callable[[Assignment, LeasedTarget], Settlement]


# What visits bring


def read(text: str = "text", body: str = "", **more: object) -> Ended:
    """A page with this main text; `body` when other bytes are around it."""

    def ended(held: Assignment, leased: LeasedTarget) -> Settlement:
        stored = replace(
            page(leased.url, (body or text).encode(), START),
            content_hash=sha256(text.encode()).digest() if text else b"",
            digest=sha256((body or text).encode()).digest(),
        )
        plain = settlement(held, leased, stored=True)
        return replace(plain, page=stored, **more)

    return ended


def without_page(end: End, word: str = "", kept: Kept | None = None) -> Ended:
    """Something else; `word` is the outcome, empty when nobody was asked."""

    def ended(held: Assignment, leased: LeasedTarget) -> Settlement:
        has_copy = leased.copy is not None
        return replace(
            settlement(held, leased, end),
            attempt=Attempt(START, word, 200) if word else None,
            kept=(kept or (Kept.STALE if end.state is not State.DONE else None))
            if has_copy
            else None,
            stale="test" if has_copy and (kept or Kept.STALE) is Kept.STALE else "",
        )

    return ended


UNCHANGED = without_page(End(State.DONE, "unchanged: 304"), "unchanged", Kept.CHECKED)
CACHED = without_page(End(State.DONE, "unchanged: cache"))
STALE = without_page(End(State.DONE, "stale: dns"), "stale", Kept.STALE)
GONE = without_page(End(State.GONE, "http 404"), "gone")
BLOCKED = without_page(End(State.BLOCKED, "robots: line 3"))
NOINDEX = without_page(End(State.DONE, "noindex"), "read", Kept.DROPPED)
MOVED = without_page(End(State.DONE, "moved (301) to https://b.example/"), "moved", Kept.STALE)
FAILED = without_page(End(State.FAILED, "too_large: x", Fault.TOO_LARGE), "failed")


def listing(*found: Target) -> Ended:
    """A sitemap: it is read for what it lists, and no page."""

    def ended(held: Assignment, leased: LeasedTarget) -> Settlement:
        named = tuple(replace(t, found_on=leased.id) for t in found)
        return settlement(held, leased, End(State.DONE, "sitemap: 3 URLs"), found=named)

    return ended


async def a_job(ledger: Ledger, recrawl: float | None = DAY, **spec: object) -> int:
    return (await ledger.jobs.save("job", JobSpec(recrawl=recrawl, **spec))).id  # type: ignore[arg-type]


async def visit(ledger: Ledger, worker: Worker, job: int, *ends: Ended) -> list[str]:
    """Visit what is due; the last of `ends` is how all further visits end. Their URLs."""
    left = list(ends)
    seen: list[str] = []
    while claimed := await worker.frontier.claim([job]):
        for held in claimed:
            settled = []
            for leased in held.targets:
                end = left.pop(0) if len(left) > 1 else left[0]
                done = end(held, leased)
                if done.attempt:
                    at = replace(done.attempt, at=ledger.clock.time)
                    done = replace(done, attempt=at)
                settled.append(done)
                seen.append(leased.url)
            await worker.frontier.commit(settled, [held.id])
    return seen


async def until_due(ledger: Ledger, worker: Worker, job: int) -> float:
    """Let the time pass until the next planned visit, and make it pending; how long it was."""
    at = await worker.frontier.next_revisit([job])
    assert at is not None
    passed = at - ledger.clock.time
    ledger.clock.time = at - 1
    assert await worker.frontier.revive([job]) == 0, "not before its time"
    ledger.clock.time = at
    assert await worker.frontier.revive([job]) > 0
    return passed


async def a_page(ledger: Ledger, recrawl: float = DAY, **spec: object) -> tuple[Worker, int]:
    """A worker, and a job that has just visited one page."""
    worker, job = await ledger.worker(), await a_job(ledger, recrawl, **spec)
    await worker.frontier.add(job, [target(f"{A}/1", priority=4)])
    await visit(ledger, worker, job, read())
    return worker, job


async def intervals(ledger: Ledger, worker: Worker, job: int, *ends: Ended) -> list[float]:
    """How long it is until each next visit, the visits ending like this."""
    found = [await until_due(ledger, worker, job)]
    for end in ends:
        await visit(ledger, worker, job, end)
        found.append(await until_due(ledger, worker, job))
    return found


# Plans


async def test_a_job_that_does_not_recrawl_plans_nothing(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await a_job(ledger, None)
    await worker.frontier.add(job, [target(f"{A}/1")])
    await visit(ledger, worker, job, read())
    assert await worker.frontier.next_revisit([job]) is None
    ledger.clock.time += 1_000 * DAY
    assert await worker.frontier.revive([job]) == 0
    rows = await worker.database.read(
        lambda c: c.exec_driver_sql("SELECT count(*) FROM revisits").scalar()
    )
    assert rows == 0


@pytest.mark.parametrize(
    ("job", "site", "wanted"),
    [
        (6 * HOUR, None, 6 * HOUR),
        (0.0, None, DAY),
        (6 * HOUR, 2 * DAY, 2 * DAY),
        (6 * HOUR, 0.0, 6 * HOUR),
        (60.0, None, HOUR),
        (90 * DAY, None, 30 * DAY),
    ],
)
async def test_the_second_visit_is_when_the_job_or_the_site_wants_it(
    ledger: Ledger, job: float, site: float | None, wanted: float
) -> None:
    sites = (SiteRules("b.example", interval=5 * DAY), SiteRules("*.example", interval=site))
    worker = await ledger.worker(recrawling=Recrawling(sites=Sites(sites)))
    job_id = await a_job(ledger, job)
    await worker.frontier.add(job_id, [target(f"{A}/1")])
    await visit(ledger, worker, job_id, read())
    assert await worker.frontier.next_revisit([job_id]) == START + wanted


@pytest.mark.parametrize(
    ("end", "factor"),
    [
        (read("other text"), 0.5),
        (read("text", body="text <!-- nonce 123 -->"), 1.5),
        (UNCHANGED, 1.5),
        (BLOCKED, 1.5),
        (MOVED, 1.5),
        (NOINDEX, 1.5),
        (GONE, 1.5),
        (STALE, 1.0),
        (CACHED, 1.0),
    ],
    ids=["changed", "nonce", "304", "blocked", "moved", "noindex", "gone", "stale", "cached"],
)
async def test_what_a_visit_finds_decides_when_the_next_one_is(
    ledger: Ledger, end: Ended, factor: float
) -> None:
    worker, job = await a_page(ledger, 4 * DAY)
    assert await intervals(ledger, worker, job, end) == [4 * DAY, factor * 4 * DAY]


async def test_a_page_without_text_has_changed_when_its_bytes_have(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await a_job(ledger)
    await worker.frontier.add(job, [target(f"{A}/1.json")])
    await visit(ledger, worker, job, read("", body="{1}"))
    found = await intervals(ledger, worker, job, read("", body="{1}"), read("", body="{2}"))
    assert found == [DAY, 1.5 * DAY, 0.75 * DAY]


def offering(ledger: Ledger, price: str, stock: Stock = Stock.IN_STOCK) -> Ended:
    """The page with the same main text, which offers this now."""

    def ended(held: Assignment, leased: LeasedTarget) -> Settlement:
        settled = read(body=f"text {price}")(held, leased)
        assert settled.page is not None
        offer = Product(leased.url, "Kettle", price=price, currency="EUR", availability=stock)
        found = replace(settled.page, product=offer, fetched_at=ledger.clock.time)
        return replace(settled, page=found)

    return ended


async def test_a_price_that_changed_is_a_change_although_the_text_is_the_same(
    ledger: Ledger,
) -> None:
    worker, job = await ledger.worker(), await a_job(ledger, 4 * DAY)
    await worker.frontier.add(job, [target(f"{A}/1")])
    await visit(ledger, worker, job, offering(ledger, "10.00"))
    found = await intervals(
        ledger, worker, job, offering(ledger, "12.00"), offering(ledger, "12.00"),
        offering(ledger, "12.00", Stock.OUT_OF_STOCK),
    )  # fmt: skip
    assert found == [4 * DAY, 2 * DAY, 3 * DAY, 1.5 * DAY]


async def test_a_price_that_another_job_saw_change_first_is_a_change_for_both(
    ledger: Ledger,
) -> None:
    worker, job = await ledger.worker(), await a_job(ledger, 4 * DAY)
    await worker.frontier.add(job, [target(f"{A}/1")])
    await visit(ledger, worker, job, offering(ledger, "10.00"))
    await until_due(ledger, worker, job)
    other = await ledger.job("other")
    await worker.frontier.add(other, [target(f"{A}/1")])
    await visit(ledger, worker, other, offering(ledger, "12.00"))
    ledger.clock.time += 1
    await visit(ledger, worker, job, offering(ledger, "12.00"))
    assert await until_due(ledger, worker, job) == 2 * DAY


async def test_a_page_that_comes_back_has_changed(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await a_job(ledger, 2 * DAY)
    await worker.frontier.add(job, [target(f"{A}/1")])
    await visit(ledger, worker, job, GONE)
    assert await intervals(ledger, worker, job, read()) == [2 * DAY, DAY]


async def test_a_404_is_remembered_for_a_day_however_often_others_are_visited(
    ledger: Ledger,
) -> None:
    """FE-5."""
    worker, job = await a_page(ledger, 2 * HOUR)
    assert await intervals(ledger, worker, job, GONE) == [2 * HOUR, DAY]


async def test_no_interval_leaves_its_bounds(ledger: Ledger) -> None:
    worker, job = await a_page(ledger)
    texts = [read(f"text {n}") for n in range(7)]
    assert (await intervals(ledger, worker, job, *texts))[-1] == HOUR
    await visit(ledger, worker, job, UNCHANGED)
    same = [UNCHANGED] * 18
    assert (await intervals(ledger, worker, job, *same))[-1] == 30 * DAY


async def test_a_retry_is_no_visit(ledger: Ledger) -> None:
    worker, job = await a_page(ledger)
    await until_due(ledger, worker, job)
    (held,) = await worker.frontier.claim([job])
    (leased,) = held.targets
    later = Later(ledger.clock.time + 5, counts=True, reason="reset: x")
    await worker.frontier.commit([settlement(held, leased, later)], [held.id])
    assert await worker.frontier.next_revisit([job]) is None
    ledger.clock.time += 10
    await visit(ledger, worker, job, UNCHANGED)
    assert await until_due(ledger, worker, job) == 1.5 * DAY


async def test_what_was_given_up_waits_for_a_person_and_keeps_its_interval(
    ledger: Ledger,
) -> None:
    worker, job = await ledger.worker(), await a_job(ledger, 2 * DAY)
    await worker.frontier.add(job, [target(f"{A}/1")])
    await visit(ledger, worker, job, GONE)
    await until_due(ledger, worker, job)
    await visit(ledger, worker, job, FAILED)
    assert await worker.frontier.next_revisit([job]) is None
    ledger.clock.time += 100 * DAY
    assert await worker.frontier.revive([job]) == 0
    await ledger.dead.give_back(Letters())
    await ledger.jobs.set_state(job, JobState.RUNNING)
    await visit(ledger, worker, job, GONE)
    assert await until_due(ledger, worker, job) == 3 * DAY


@pytest.mark.parametrize(
    ("role", "end", "is_planned"),
    [
        (Role.PAGINATION, GONE, False),
        (Role.ARCHIVE, read(), True),
        (Role.SITEMAP, GONE, True),
        (Role.FEED, listing(), True),
    ],
)
async def test_a_guess_that_was_wrong_is_not_repeated(
    ledger: Ledger, role: Role, end: Ended, is_planned: bool
) -> None:
    worker, job = await ledger.worker(), await a_job(ledger)
    await worker.frontier.add(job, [replace(target(f"{A}/page/9"), role=role)])
    await visit(ledger, worker, job, end)
    assert (await worker.frontier.next_revisit([job]) is not None) == is_planned


# Coming back


async def test_what_is_due_is_pending_again_as_it_was(ledger: Ledger) -> None:
    worker, job = await a_page(ledger)
    await until_due(ledger, worker, job)
    (record,) = await ledger.pages.targets(target(f"{A}/1").identity, "a.example")
    assert (record.state, record.reason, record.priority) == (State.PENDING, "revisit", 4)
    assert (record.attempts, record.due_at) == (0, ledger.clock.time)
    assert (await ledger.jobs.counts(job)).renewing == 1
    assert await worker.frontier.next_revisit([job]) is None, "it is no plan any more"
    (held,) = await worker.frontier.claim([job])
    assert held.targets[0].copy is not None


async def test_only_the_jobs_asked_for_come_back(ledger: Ledger) -> None:
    worker, job = await a_page(ledger)
    ledger.clock.time += 2 * DAY
    assert await worker.frontier.revive([]) == 0
    assert await worker.frontier.revive([job + 1]) == 0
    assert await worker.frontier.next_revisit([job + 1]) is None
    assert await worker.frontier.revive([job]) == 1


@pytest.mark.parametrize("state", [JobState.PAUSED, JobState.STOPPED, JobState.DONE])
async def test_a_job_that_does_not_run_is_left_alone(ledger: Ledger, state: JobState) -> None:
    """Whoever asks may not have heard yet."""
    worker, job = await a_page(ledger)
    await ledger.jobs.set_state(job, state)
    ledger.clock.time += 2 * DAY
    assert await worker.frontier.revive([job]) == 0
    found = await ledger.jobs.get("job")
    assert found is not None
    assert found.state is state
    await ledger.jobs.set_state(job, JobState.RUNNING)
    assert await worker.frontier.revive([job]) == 1


async def test_a_job_that_recrawls_no_more_leaves_its_plans_be(ledger: Ledger) -> None:
    worker, job = await a_page(ledger)
    await a_job(ledger, None)
    ledger.clock.time += 2 * DAY
    assert await worker.frontier.revive([job]) == 0
    assert await worker.frontier.next_revisit([job]) is None
    await a_job(ledger, DAY)
    assert await worker.frontier.revive([job]) == 1


async def test_many_come_back_a_few_at_a_time(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sql_frontier, "_MOST_STEPS", 2)
    monkeypatch.setattr(due_visits, "_due", due_visits._due.limit(4))
    worker, job = await ledger.worker(UNPACED), await a_job(ledger)
    await worker.frontier.add(job, [target(f"{A}/{n}") for n in range(10)])
    await visit(ledger, worker, job, read())
    ledger.clock.time += 2 * DAY
    assert [await worker.frontier.revive([job]) for _ in range(3)] == [8, 2, 0]


async def test_two_who_look_at_once_bring_back_each_once(ledger: Ledger) -> None:
    one, job = await a_page(ledger)
    two = await ledger.worker()
    await one.frontier.add(job, [target(f"{A}/{n}") for n in range(2, 9)])
    ledger.clock.time += 30
    while await visit(ledger, one, job, read()):
        ledger.clock.time += 30
    ledger.clock.time += 2 * DAY
    found = await asyncio.gather(one.frontier.inner.revive([job]), two.frontier.inner.revive([job]))
    assert sum(found) == 8
    assert await ledger.auditor.audit() == []


async def test_of_a_full_job_only_the_pages_come_back(ledger: Ledger) -> None:
    """URL-5: what has none would wait in vain, and is put off."""
    worker, job = await ledger.worker(UNPACED), await a_job(ledger, max_pages=1)
    await worker.frontier.add(job, [target(f"{A}/1", priority=1), target(f"{A}/2")])
    await visit(ledger, worker, job, GONE, read())
    ledger.clock.time += 2 * DAY
    assert await worker.frontier.revive([job]) == 1
    assert await worker.frontier.next_revisit([job]) == ledger.clock.time + DAY
    assert await visit(ledger, worker, job, UNCHANGED) == [f"{A}/2"]


async def test_visiting_everything_again_is_a_visit_like_any_other(ledger: Ledger) -> None:
    worker, job = await a_page(ledger)
    ledger.clock.time += HOUR
    assert await worker.frontier.revisit(job) == 1
    assert await worker.frontier.next_revisit([job]) is None
    await visit(ledger, worker, job, UNCHANGED)
    assert await until_due(ledger, worker, job) == 1.5 * DAY


# A job that begins to recrawl


async def test_what_was_visited_before_is_planned_from_its_last_visit(ledger: Ledger) -> None:
    worker, job = await ledger.worker(UNPACED), await a_job(ledger, None)
    await worker.frontier.add(job, [target(f"{A}/{n}") for n in range(4)])
    await visit(ledger, worker, job, GONE, FAILED, read())
    ledger.clock.time += 2 * HOUR
    await a_job(ledger, 6 * HOUR)
    assert await worker.frontier.next_revisit([job]) == ledger.clock.time, "it has to be planned"
    assert await worker.frontier.revive([job]) == 0
    assert await worker.frontier.next_revisit([job]) == START + 6 * HOUR
    ledger.clock.time = START + 6 * HOUR
    assert await worker.frontier.revive([job]) == 2, "the pages"
    ledger.clock.time += 2 * HOUR
    assert await worker.frontier.revive([job]) == 1, "what has none: from when it was planned"


async def test_planning_is_done_a_stretch_at_a_time_and_survives_a_crash(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sql_frontier, "_MOST_STEPS", 2)
    monkeypatch.setattr(due_visits, "STRIDE", 3)
    worker, job = await ledger.worker(UNPACED), await a_job(ledger, None)
    await worker.frontier.add(job, [target(f"{A}/{n}") for n in range(10)])
    await visit(ledger, worker, job, read())
    await a_job(ledger, DAY)
    await worker.frontier.revive([job])
    worker.die()
    other = await ledger.worker(UNPACED)
    await other.frontier.revive([job])
    ledger.clock.time += 2 * DAY
    again = [await other.frontier.revive([job]) for _ in range(3)]
    assert sum(again) == 10


async def test_saving_a_job_again_plans_nothing_anew(ledger: Ledger) -> None:
    worker, job = await a_page(ledger)
    await a_job(ledger, 2 * DAY)
    assert await worker.frontier.next_revisit([job]) == START + DAY


# Sitemaps


def told(n: int, modified: float | None, host: str = A) -> Target:
    return replace(target(f"{host}/{n}"), modified=modified)


class Site:
    """A host with a sitemap and some pages that have been visited, all of them at the same time."""

    def __init__(self, ledger: Ledger, pages: int = 8) -> None:
        self.ledger = ledger
        self.pages = pages
        self.texts = dict.fromkeys(range(pages), 0)

    async def open(self, policy: RecrawlPolicy | None = None) -> Site:
        self.worker = await self.ledger.worker(UNPACED, recrawling=Recrawling(policy))
        self.job = await a_job(self.ledger, 10 * DAY)
        sitemap = replace(target(f"{A}/sitemap.xml", priority=1), role=Role.SITEMAP)
        await self.worker.frontier.add(self.job, [sitemap])
        await self.visit()
        await self.worker.frontier.add(self.job, [told(n, None) for n in range(self.pages)])
        await self.visit()
        return self

    async def visit(self, *listed: Target) -> list[str]:
        def ended(held: Assignment, leased: LeasedTarget) -> Settlement:
            if leased.role is Role.SITEMAP:
                return listing(*listed)(held, leased)
            n = int(leased.url.rpartition("/")[2])
            return read(f"page {n}, version {self.texts.get(n, 0)}")(held, leased)

        return await visit(self.ledger, self.worker, self.job, ended)

    async def read_sitemap(self, *listed: Target) -> float:
        """How long it is until it is read again."""
        sitemap = "UPDATE revisits SET next_at = :now WHERE target_id = 1"
        await self.ledger.sql(sitemap, now=self.ledger.clock.time)
        await self.worker.frontier.revive([self.job])
        await self.visit(*listed)
        query = "SELECT interval FROM revisits WHERE target_id = 1"
        return float(
            await self.worker.database.read(lambda c: c.exec_driver_sql(query).scalar_one())
        )

    async def visit_pages(self) -> None:
        """All of them, as if their time had come."""
        pages = "UPDATE revisits SET next_at = :now WHERE target_id > 1"
        await self.ledger.sql(pages, now=self.ledger.clock.time)
        await self.worker.frontier.revive([self.job])
        await self.visit()

    async def live(self, days: int, tells: Callable[[int, bool, float], float | None]) -> None:
        """Days on which one page after the other changes; what the sitemap says of each page is
        `tells(n, has_changed, now)`."""
        for day in range(days):
            self.ledger.clock.time += DAY
            changed = day % self.pages
            self.texts[changed] += 1
            now = self.ledger.clock.time
            entries = [told(n, tells(n, n == changed, now)) for n in range(self.pages)]
            await self.read_sitemap(*entries)
            await self.visit_pages()

    async def due_after(self, *listed: Target) -> int:
        """How many pages a sitemap that says this makes due."""
        self.ledger.clock.time += HOUR
        await self.read_sitemap(*listed)
        return await self.worker.frontier.revive([self.job])


def honest(n: int, changed: bool, now: float) -> float | None:
    return now - 60 if changed else START - DAY


def lying(n: int, changed: bool, now: float) -> float | None:
    return now - 60


async def test_a_newer_lastmod_makes_a_page_due_once_the_site_has_proved_honest(
    ledger: Ledger,
) -> None:
    site = await Site(ledger).open()
    now = ledger.clock.time
    assert await site.due_after(told(3, now + 60)) == 0, "nothing is known of it yet"
    await site.live(7, honest)
    now = ledger.clock.time
    assert await site.due_after(told(1, now + 60), told(2, now + 60), told(3, now - 60)) == 2
    seen = await site.visit()
    assert sorted(seen) == [f"{A}/1", f"{A}/2"]


async def test_a_liar_is_not_believed(ledger: Ledger) -> None:
    site = await Site(ledger).open()
    await site.live(7, lying)
    assert await site.due_after(told(1, ledger.clock.time + 60)) == 0


async def test_honesty_is_a_matter_of_the_host(ledger: Ledger) -> None:
    site = await Site(ledger).open()
    other = "https://b.example"
    await site.worker.frontier.add(site.job, [told(1, None, other)])
    await site.visit()
    await site.live(7, honest)
    assert await site.due_after(told(1, ledger.clock.time + 60, other)) == 0


async def test_what_will_change_has_not_changed(ledger: Ledger) -> None:
    site = await Site(ledger).open()
    await site.live(7, honest)
    assert await site.due_after(told(1, ledger.clock.time + DAY)) == 0


async def test_a_sitemap_that_calls_everything_new_is_tried_out_first(ledger: Ledger) -> None:
    site = await Site(ledger, 30).open(RecrawlPolicy(sample=4))
    await site.live(7, honest)
    now = ledger.clock.time
    assert await site.due_after(*(told(n, now + 60) for n in range(30))) == 4
    await site.visit()
    few = [told(n, now + 60 if n < 10 else START) for n in range(30)]
    assert await site.due_after(*few) <= 10


async def test_a_sitemap_is_read_again_at_least_daily(ledger: Ledger) -> None:
    site = await Site(ledger).open()
    found = [await site.read_sitemap(told(1, START - DAY)) for _ in range(3)]
    assert found == [DAY] * 3


async def test_a_sitemap_with_new_urls_is_read_again_sooner(ledger: Ledger) -> None:
    site = await Site(ledger).open()
    assert await site.read_sitemap() == DAY
    assert await site.read_sitemap(told(100, None)) == DAY / 2
    assert await site.read_sitemap(told(100, None)) == 0.75 * DAY, "it is known by now"


async def test_lists_in_several_parts_count_as_one(ledger: Ledger) -> None:
    """Long ones reach the ledger in parts, the last of them with the visit itself."""
    site = await Site(ledger).open()
    await site.read_sitemap()
    await site.worker.frontier.add(site.job, [replace(told(100, None), found_on=1)])
    assert await site.read_sitemap(told(1, None)) == DAY / 2


async def test_a_sitemap_with_newer_dates_is_read_again_sooner_unless_it_lies(
    ledger: Ledger,
) -> None:
    site = await Site(ledger).open()
    await site.read_sitemap()
    ledger.clock.time += DAY
    assert await site.read_sitemap(told(1, ledger.clock.time)) == DAY / 2
    await site.live(7, lying)
    ledger.clock.time += DAY
    assert await site.read_sitemap(told(1, ledger.clock.time)) == DAY


# Scheduled runs


async def test_a_run_brings_back_all_that_was_visited(ledger: Ledger) -> None:
    worker, job = await ledger.worker(UNPACED), await a_job(ledger, None, schedule="every 6h")
    await worker.frontier.add(job, [target(f"{A}/{n}") for n in range(5)])
    await visit(ledger, worker, job, FAILED, read())
    await ledger.jobs.set_state(job, JobState.DONE)
    ledger.clock.time += 6 * HOUR
    assert await worker.frontier.next_revisit([job]) is None
    assert await ledger.jobs.begin_run(job, START + 6 * HOUR, START + 12 * HOUR)
    assert await worker.frontier.next_revisit([job]) == ledger.clock.time
    assert await worker.frontier.revive([job]) == 4
    assert await worker.frontier.next_revisit([job]) is None
    assert len(await visit(ledger, worker, job, UNCHANGED)) == 4


async def test_a_run_goes_on_where_a_crash_left_it_and_visits_nothing_twice(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sql_frontier, "_MOST_STEPS", 1)
    monkeypatch.setattr(requeue, "_candidates", requeue._candidates.limit(3))
    worker, job = await ledger.worker(UNPACED), await a_job(ledger, None, schedule="every 6h")
    await worker.frontier.add(job, [target(f"{A}/{n}") for n in range(8)])
    await visit(ledger, worker, job, read())
    ledger.clock.time += 6 * HOUR
    assert await ledger.jobs.begin_run(job, START + 6 * HOUR, START + 12 * HOUR)
    assert await worker.frontier.revive([job]) == 3
    seen = await visit(ledger, worker, job, read("new"))
    await worker.frontier.add(job, [target(f"{A}/late")])
    seen += await visit(ledger, worker, job, read())
    worker.die()
    other = await ledger.worker(UNPACED)
    while await other.frontier.next_revisit([job]) is not None:
        await other.frontier.revive([job])
    seen += await visit(ledger, other, job, UNCHANGED)
    assert sorted(seen) == sorted([*(f"{A}/{n}" for n in range(8)), f"{A}/late"])


async def test_two_who_look_at_once_take_each_step_of_a_run_once(ledger: Ledger) -> None:
    one, job = await ledger.worker(UNPACED), await a_job(ledger, None, schedule="every 6h")
    two = await ledger.worker(UNPACED)
    await one.frontier.add(job, [target(f"{A}/{n}") for n in range(8)])
    await visit(ledger, one, job, read())
    ledger.clock.time += 6 * HOUR
    assert await ledger.jobs.begin_run(job, START + 6 * HOUR, START + 12 * HOUR)
    found = await asyncio.gather(one.frontier.inner.revive([job]), two.frontier.inner.revive([job]))
    assert sum(found) == 8
    assert await ledger.auditor.audit() == []


async def test_a_step_that_somebody_else_has_taken_is_not_taken_again(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long it took to get at the ledger: what was visited meanwhile stays so."""
    monkeypatch.setattr(sql_frontier, "_MOST_STEPS", 1)
    monkeypatch.setattr(requeue, "_candidates", requeue._candidates.limit(3))
    worker, job = await ledger.worker(UNPACED), await a_job(ledger, None, schedule="every 6h")
    await worker.frontier.add(job, [target(f"{A}/{n}") for n in range(6)])
    await visit(ledger, worker, job, read())
    ledger.clock.time += 6 * HOUR
    assert await ledger.jobs.begin_run(job, START + 6 * HOUR, START + 12 * HOUR)

    def look(connection: sa.Connection) -> due_visits.PassStep | None:
        return due_visits.next_step(connection, [job], ledger.clock.time, START)

    step = await worker.database.read(look)
    assert step is not None
    assert len(step.ids) == 3
    assert await worker.frontier.revive([job]) == 3
    assert len(await visit(ledger, worker, job, UNCHANGED)) == 3

    def late(connection: sa.Connection) -> int:
        tx = LedgerTransaction(connection, HostPolicies(pace=UNPACED), LEASES, ledger.clock)
        return due_visits.take(tx, step, Recrawling())

    assert await worker.database.write(late) == 0
    assert await visit(ledger, worker, job, UNCHANGED) == []


# What it costs, and whether it is whole


async def test_looking_for_what_is_due_is_one_step_into_an_index(sqlite_ledger: Ledger) -> None:
    """FR-9: whatever the number of plans."""
    worker = await sqlite_ledger.worker()

    def plans(connection: sa.Connection) -> list[str]:
        found = []
        for query in (due_visits._due, due_visits._first_due._build(connection)):
            text = str(query.compile(connection))
            marks = tuple(range(text.count("?")))
            rows = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", marks)
            found.append("; ".join(row[3] for row in rows))
        return found

    for steps in await worker.database.read(plans):
        assert "revisits_due" in steps
        assert "SCAN" not in steps
        assert "TEMP" not in steps


@pytest.mark.parametrize(
    ("damage", "promise"),
    [
        ("UPDATE targets SET state = 'leased'", "only what is finished is planned"),
        ("UPDATE revisits SET job_id = 7", "only what is finished is planned"),
        ("UPDATE revisits SET target_id = 99", "every plan to visit again is about a target"),
    ],
)
async def test_the_audit_notices(ledger: Ledger, damage: str, promise: str) -> None:
    worker, _ = await a_page(ledger)
    await worker.database.write(lambda c: c.exec_driver_sql(damage))
    assert [f.promise for f in await ledger.auditor.audit() if promise in f.promise]


async def test_with_a_job_go_its_plans(ledger: Ledger) -> None:
    worker, job = await a_page(ledger, schedule="every 6h")
    ledger.clock.time += 6 * HOUR
    assert await ledger.jobs.begin_run(job, START + 6 * HOUR, START + 12 * HOUR)
    while not (await ledger.jobs.delete(job)).is_gone:
        pass
    assert await worker.frontier.next_revisit([job]) is None
    assert await ledger.auditor.audit() == []
