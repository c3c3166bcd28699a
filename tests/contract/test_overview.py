"""The promises of `Overview`: lists are complete and each step is short, totals add up."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from tenax.adapters.sql.reports import host_lists, overview, url_lists
from tenax.adapters.sql.reports.overview import SqlOverview
from tenax.model import JobState, Reason, State, Step, UnderWay, VisitUnderWay
from tenax.outcome import Attempt, End
from tenax.ports.overview import (
    HostSieve,
    HostSort,
    JobSieve,
    ListOrder,
    Sieve,
    TooMany,
    UrlRecord,
    VisitSieve,
)
from tenax.version import VERSION
from tests.ledgers import (
    LEDGERS,
    START,
    UNPACED,
    Ledger,
    get_to_know,
    settlement,
    settlements,
    target,
)

HOSTS = ("a.example", "b.example", "c.example")


@pytest.fixture(params=LEDGERS)
async def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Ledger]:
    async with LEDGERS[request.param](tmp_path) as made:
        yield made


@pytest.fixture
def seen(ledger: Ledger) -> SqlOverview:
    return SqlOverview(ledger.database, ledger.clock)


async def fill(ledger: Ledger) -> None:
    """Two jobs; of the first, each host has a page and some URLs that wait."""
    worker = await ledger.worker()
    for name in ("one", "two"):
        job = await ledger.job(name)
        found = [target(f"https://{host}/{n}") for host in HOSTS for n in range(4)]
        await worker.frontier.add(job, found)
    one = (await ledger.jobs.all())[0]
    for assignment in await worker.frontier.claim([one.id]):
        await worker.frontier.commit(settlements(assignment, stored=True), [assignment.id])


async def walked(seen: SqlOverview, sieve: Sieve, limit: int) -> list[UrlRecord]:
    found: list[UrlRecord] = []
    after: int | None = 0
    while after is not None:
        rows, after = await seen.urls(sieve, after, limit)
        found += rows
    return found


@pytest.mark.parametrize("window", [3, 5_000])
async def test_every_url_comes_once_however_short_the_steps(
    ledger: Ledger, seen: SqlOverview, monkeypatch: pytest.MonkeyPatch, window: int
) -> None:
    monkeypatch.setattr(url_lists, "WINDOW", window)
    await fill(ledger)
    everything = await walked(seen, Sieve(), 5)
    assert len(everything) == 24
    assert len({each.id for each in everything}) == 24
    for sieve, count in (
        (Sieve(job="two"), 12),
        (Sieve(host="b.example"), 8),
        (Sieve(job="one", host="b.example", state=State.DONE), 1),
        (Sieve(job="one", state=State.PENDING), 9),
        (Sieve(job="nobody"), 0),
    ):
        assert len(await walked(seen, sieve, 2)) == count, sieve


async def test_a_step_looks_at_so_many_rows_and_no_more(
    ledger: Ledger, seen: SqlOverview, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(url_lists, "WINDOW", 6)
    await fill(ledger)
    rows, after = await seen.urls(Sieve(job="two"), 0, 100)
    assert rows == []
    assert after is not None, "there is more behind them"


async def test_pages_come_in_steps_and_by_their_hash(ledger: Ledger, seen: SqlOverview) -> None:
    await fill(ledger)
    first, after = await seen.pages(Sieve(), 0, 2)
    assert after is not None
    rest, end = await seen.pages(Sieve(), after, 2)
    assert (len(first), len(rest), end) == (2, 1, None)
    page = rest[0]
    key = bytes.fromhex(page.url_hash)
    host = page.url.split("/")[2]
    for name in (host, None):
        assert [each.url for each in await seen.pages_at(key, name) or []] == [page.url]
    assert await seen.pages_at(key, "elsewhere.example") == []
    assert await seen.pages_at(b"\0" * 32, None) == []


async def test_among_very_many_hosts_a_page_is_not_looked_for_without_its_host(
    ledger: Ledger, seen: SqlOverview, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(ledger)
    monkeypatch.setattr(overview, "MOST_LANES", 2)
    assert await seen.pages_at(b"\0" * 32, None) is None
    assert await seen.pages_at(b"\0" * 32, "a.example") == []


async def test_totals_are_those_of_all_jobs(ledger: Ledger, seen: SqlOverview) -> None:
    assert (await seen.totals()).known == 0
    await fill(ledger)
    totals = await seen.totals()
    assert (totals.known, totals.pages, totals.of(State.DONE)) == (24, 3, 3)
    assert totals.unfinished == 21


async def test_hosts_come_by_name_with_what_is_known_there(
    ledger: Ledger, seen: SqlOverview
) -> None:
    await fill(ledger)
    first, place = await seen.hosts(HostSieve(), "", 2)
    assert [sight.host.name for sight in first] == ["a.example", "b.example"]
    assert place == "b.example"
    rest, end = await seen.hosts(HostSieve(), place, 2)
    assert ([sight.host.name for sight in rest], end) == (["c.example"], None)
    assert (first[0].known, first[0].pages, first[0].waiting) == (8, 1, 7)
    assert first[0].host.visits == 1
    assert await seen.host("c.example") is not None
    assert await seen.host("d.example") is None


async def test_workers_are_seen_with_what_they_hold(ledger: Ledger, seen: SqlOverview) -> None:
    assert await seen.workers() == []
    worker = await ledger.worker()
    job = await ledger.job()
    await get_to_know(ledger, worker, job, "a.example")
    await worker.frontier.add(job, [target("https://a.example/2")])
    ledger.clock.time += 10
    await worker.frontier.claim([job])
    (found,) = await seen.workers()
    assert (found.hosts, found.started_at) == (1, START)
    sight = await seen.host("a.example")
    assert sight is not None
    assert sight.holders == 1


async def test_visits_are_read_once_each(ledger: Ledger, seen: SqlOverview) -> None:
    assert await seen.visits(None, 10) == []
    await fill(ledger)
    (last,) = await seen.visits(None, 10)
    visits = await seen.visits(0, 10)
    assert [(visit.outcome, visit.status) for visit in visits] == [("read", 200)] * 3
    assert visits[-1] == last
    assert await seen.visits(last.id, 10) == []


async def test_what_was_done_lately_is_that_of_running_jobs(
    ledger: Ledger, seen: SqlOverview
) -> None:
    assert (await seen.lately()).visits == 0
    await fill(ledger)
    lately = await seen.lately()
    assert (lately.visits, lately.pages, lately.failures) == (3, 3, 0)
    assert lately.seconds > 0
    ledger.clock.time += 3_600
    assert (await seen.lately()).visits == 0


async def test_what_a_worker_does_is_seen_as_it_last_told(
    ledger: Ledger, seen: SqlOverview
) -> None:
    first, second = await ledger.worker(), await ledger.worker()
    await first.frontier.show(under_way(Step.TURN))
    told = under_way(Step.REQUEST, Step.COMMIT)
    await first.frontier.show(told)
    await first.frontier.renew()
    await second.frontier.renew()
    assert [each.under_way for each in await seen.workers()] == [told, None]
    assert first.membership is not None
    await first.membership.leave()
    assert [each.under_way for each in await seen.workers()] == [None]


def under_way(*steps: Step) -> UnderWay:
    visits = [VisitUnderWay("https://ä.example/?\x00", "a.example", 1, s, 7.5, 3.0) for s in steps]
    return UnderWay(9.25, dict.fromkeys(steps, 1), tuple(visits))


ENDS = (State.DONE, State.FAILED, State.BLOCKED, State.REJECTED, State.GONE)


async def end_variously(ledger: Ledger) -> None:
    """A job of ten hosts, each with six URLs: one in each end state, and one that waits."""
    worker = await ledger.worker(UNPACED)
    job = await ledger.job("many")
    for n in range(10):
        host = f"h{n}.example"
        await get_to_know(ledger, worker, job, host)
        await worker.frontier.add(job, [target(f"https://{host}/{end}") for end in ENDS[1:]])
        (held,) = [a for a in await worker.frontier.claim([job]) if a.host.name == host]
        ended = {end.value: End(end, f"because {end}") for end in ENDS}
        told = [settlement(held, each, ended[each.url.rpartition("/")[2]]) for each in held.targets]
        await worker.frontier.commit(told, [held.id])
    await worker.frontier.add(job, [target(f"https://h{n}.example/waits") for n in range(10)])


async def test_rare_states_come_in_one_step_by_job_host_and_all(
    ledger: Ledger, seen: SqlOverview, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many others there are: the step that looks at seven rows finds all of them."""
    await end_variously(ledger)
    monkeypatch.setattr(url_lists, "WINDOW", 11)
    for state in ENDS[1:]:
        for sieve, count in (
            (Sieve(state=state), 10),
            (Sieve(job="many", state=state), 10),
            (Sieve(host="h7.example", state=state), 1),
            (Sieve(job="many", host="h7.example", state=state), 1),
            (Sieve(state=state, reason=f"because {state}"), 10),
            (Sieve(state=state, reason="because of nothing"), 0),
            (Sieve(state=state, contains="H3.EXAMPLE/"), 1),
        ):
            found, place = await seen.urls(sieve, 0, 11)
            assert (len(found), place) == (count, None), sieve
            assert {each.state for each in found} <= {state}
    newest, place = await seen.urls(Sieve(state=State.GONE, order=ListOrder.NEWEST), 0, 3)
    assert [each.host for each in newest] == ["h9.example", "h8.example", "h7.example"]
    assert place is not None
    more, _ = await seen.urls(Sieve(state=State.GONE, order=ListOrder.NEWEST), place, 3)
    assert [each.host for each in more] == ["h6.example", "h5.example", "h4.example"]


async def test_urls_of_a_small_job_or_host_or_state_come_in_one_step(
    ledger: Ledger, seen: SqlOverview, monkeypatch: pytest.MonkeyPatch
) -> None:
    await end_variously(ledger)
    small = await ledger.job("small")
    worker = await ledger.worker()
    await worker.frontier.add(small, [target(f"https://h{n}.example/small") for n in range(5)])
    await worker.frontier.add(small, [target("https://only.example/")])
    monkeypatch.setattr(url_lists, "WINDOW", 20)
    for sieve, count in (
        (Sieve(job="small"), 6),
        (Sieve(host="only.example"), 1),
        (Sieve(job="small", host="h3.example"), 1),
        (Sieve(state=State.PENDING), 16),
        (Sieve(state=State.LEASED), 0),
        (Sieve(job="small", contains="only"), 1),
    ):
        found, place = await seen.urls(sieve, 0, 20)
        assert (len(found), place) == (count, None), sieve
        ids = [each.id for each in found]
        assert ids == sorted(ids)
        backwards, _ = await seen.urls(replace(sieve, order=ListOrder.NEWEST), 0, 20)
        assert [each.id for each in backwards] == ids[::-1]


async def test_what_comes_next_is_told_in_the_order_of_its_line(
    ledger: Ledger, seen: SqlOverview
) -> None:
    worker = await ledger.worker()
    job = await ledger.job("one")
    waiting = [target(f"https://{h}/{p}", priority=p) for h in HOSTS for p in (7, 3, 5)]
    await worker.frontier.add(job, waiting)
    whole: list[str] = []
    place: int | None = 0
    while place is not None:
        found, place = await seen.urls(Sieve(job="one", order=ListOrder.NEXT), place, 4)
        whole += [each.url for each in found]
    assert len(whole) == len(set(whole)) == 9
    assert {url.rpartition("/")[2] for url in whole[:3]} == {"3"}
    alone, _ = await seen.urls(Sieve(host="b.example", order=ListOrder.NEXT), 0, 10)
    assert [each.priority for each in alone] == [3, 5, 7]
    assert alone[0].found_at == START
    assert alone[0].due_at is None


async def test_pages_come_newest_first_by_when_they_were_fetched(
    ledger: Ledger, seen: SqlOverview, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = await ledger.worker(UNPACED)
    job = await ledger.job("one")
    urls = [f"https://a.example/{n}" for n in range(4)]
    await worker.frontier.add(job, [target(url, priority=9 - n) for n, url in enumerate(urls)])
    for _ in urls:
        (held,) = await worker.frontier.claim([job])
        first = settlement(held, held.targets[0], stored=True)
        await worker.frontier.commit([first], [held.id])
        ledger.clock.time += 10
    order = Sieve(order=ListOrder.NEWEST)
    for window in (2, 5_000):
        monkeypatch.setattr(url_lists, "WINDOW", window)
        found: list[str] = []
        place: int | None = 0
        while place is not None:
            some, place = await seen.pages(order, place, 3)
            found += [each.url for each in some]
        assert found == urls, "the last in line was visited last"
    told, _ = await seen.latest_visits(VisitSieve(), None, 3)
    assert [(each.url, each.title) for each in told] == [(url, "hello") for url in urls[:3]]
    (one,), _ = await seen.pages(Sieve(contains="EXAMPLE/2"), 0, 10)
    assert one.url == urls[2]
    assert (await seen.pages(Sieve(duplicates=True), 0, 10))[0] == []
    assert len((await seen.pages(Sieve(job="one", duplicates=False), 0, 10))[0]) == 4


async def test_hosts_are_found_by_a_part_of_their_name_by_trouble_and_by_size(
    ledger: Ledger, seen: SqlOverview, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(ledger)
    worker = await ledger.worker()
    await worker.frontier.add(1, [target(f"https://c.example/more{n}") for n in range(3)])
    await ledger.hosts.pause("b.example")

    async def names(sieve: HostSieve) -> list[str]:
        found, _ = await seen.hosts(sieve, "", 10)
        return [sight.host.name for sight in found]

    assert await names(HostSieve(contains="B.EX")) == ["b.example"]
    assert await names(HostSieve(troubled=True)) == ["b.example"]
    assert await names(HostSieve("a.", troubled=True)) == []
    await ledger.hosts.resume("b.example")
    assert await names(HostSieve(troubled=True)) == []
    largest = await seen.largest_hosts(HostSieve(), HostSort.KNOWN, 0, 2)
    assert not isinstance(largest, TooMany)
    assert [sight.host.name for sight in largest] == ["c.example", "a.example"]
    monkeypatch.setattr(host_lists, "MOST_SORTED", 5)
    assert await seen.largest_hosts(HostSieve(), HostSort.PAGES, 0, 2) == TooMany(5)


async def test_jobs_come_in_steps_by_state_and_name(ledger: Ledger, seen: SqlOverview) -> None:
    for name in ("shop-a", "Shop-b", "news"):
        await ledger.job(name)
    await ledger.jobs.set_state(2, JobState.PAUSED)
    some, place = await seen.jobs(JobSieve(), 0, 2)
    assert ([job.name for job in some], place) == (["shop-a", "Shop-b"], 2)
    rest, end = await seen.jobs(JobSieve(), 2, 2)
    assert ([job.name for job in rest], end) == (["news"], None)
    for sieve, names in (
        (JobSieve(contains="shop"), ["shop-a", "Shop-b"]),
        (JobSieve(JobState.PAUSED), ["Shop-b"]),
        (JobSieve(JobState.RUNNING, "shop"), ["shop-a"]),
    ):
        found, _ = await seen.jobs(sieve, 0, 10)
        assert [job.name for job in found] == names
    running, _ = await seen.running_totals()
    assert running == {1, 3}


async def test_the_way_to_a_url_leads_to_its_seed(ledger: Ledger, seen: SqlOverview) -> None:
    worker = await ledger.worker()
    job = await ledger.job()
    for n in range(4):
        url = target(f"https://a.example/{n}", depth=n, found_on=n or None)
        await worker.frontier.add(job, [url])
    way = await seen.way_to(4, 10)
    assert [step.url[-1] for step in way] == ["3", "2", "1", "0"]
    assert [step.depth for step in way] == [3, 2, 1, 0]
    assert len(await seen.way_to(4, 2)) == 2
    assert await seen.way_to(99, 10) == []


async def test_of_each_reason_some_examples_are_kept_and_no_secrets(
    ledger: Ledger, seen: SqlOverview
) -> None:
    worker = await ledger.worker(UNPACED)
    job = await ledger.job()
    await get_to_know(ledger, worker, job, "a.example")
    await worker.frontier.add(job, [target(f"https://a.example/{n}") for n in range(3)])
    (held,) = await worker.frontier.claim([job])
    for first, each in enumerate(held.targets):
        # Ten of them are links of the pages before, too.
        urls = [f"https://b.example/{n}" for n in range(5 * first, 5 * first + 15)]
        refused = [(url, Reason.OUT_OF_SCOPE) for url in urls]
        refused += [("https://me:secret@b.example/\0\udcff", Reason.CREDENTIALS_IN_URL)]
        told = replace(settlement(held, each), kept_rejections=tuple(refused))
        await worker.frontier.commit([told])
    kept = await seen.rejected(job, Reason.OUT_OF_SCOPE, None, 100)
    assert [url for _, url, _ in reversed(kept)] == [f"https://b.example/{n}" for n in range(20)]
    some = await seen.rejected(job, Reason.OUT_OF_SCOPE, kept[4][0], 5)
    assert some == kept[5:10]
    secrets = await seen.rejected(job, Reason.CREDENTIALS_IN_URL, None, 100)
    assert [url for _, url, _ in secrets] == ["https://***@b.example/\ufffd?"], "each once"
    assert await seen.rejected(job, Reason.TRAP, None, 100) == []
    assert await ledger.pages.rejection("https://b.example/1") == [], "the door tells that"


async def test_what_was_done_is_told_by_status_and_by_the_hour(
    ledger: Ledger, seen: SqlOverview
) -> None:
    worker = await ledger.worker(UNPACED)
    job = await ledger.job()
    await get_to_know(ledger, worker, job, "a.example")
    await worker.frontier.add(job, [target(f"https://a.example/{n}") for n in range(6)])
    (held,) = await worker.frontier.claim([job])
    statuses = (200, 301, 404, 404, 503, None)
    told = [
        replace(settlement(held, each), attempt=Attempt(START, "read", status))
        for each, status in zip(held.targets, statuses, strict=True)
    ]
    await worker.frontier.commit(told, [held.id])
    by_status = {"200": 2, "301": 1, "404": 2, "503": 1, "none": 1}
    assert (await seen.totals()).statuses == by_status
    assert (await ledger.jobs.counts(job)).statuses == by_status
    hour, minute = int(START // 3600), int(START // 60)
    for found in (
        await seen.done_by_hours(job, hour, 1),
        await seen.done_by_step(None, minute - 1, minute),
    ):
        (sums,) = found.values()
        assert (sums.visits, sums.s2, sums.s3, sums.s4, sums.s5) == (7, 2, 1, 2, 1)
    assert await seen.done_by_hours(job, hour + 1, 1) == {}


async def test_a_worker_says_where_and_as_what_it_works(ledger: Ledger, seen: SqlOverview) -> None:
    worker = await ledger.worker()
    job = await ledger.job()
    assert worker.membership is not None
    worker.membership.role = "scheduler"
    await get_to_know(ledger, worker, job, "a.example")
    await worker.frontier.add(job, [target("https://a.example/2")])
    ledger.clock.time += 10
    await worker.frontier.claim([job])
    (found,) = await seen.workers(held=5)
    assert (found.role, found.version) == ("scheduler", VERSION)
    assert found.machine
    (held,) = found.held
    assert (held.host, held.lease_ends_at) == ("a.example", ledger.clock.now() + 300)


async def test_what_is_known_adds_up(ledger: Ledger, seen: SqlOverview) -> None:
    await fill(ledger)
    sums = await seen.conserved()
    assert (sums.by_states, sums.by_hosts) == (24, 24)
    await ledger.sql("UPDATE lanes SET known = known + 1 WHERE host_id = 1 AND job_id = 1")
    assert (await seen.conserved()).by_hosts == 25
