"""Whatever the ledger, visits are added up by shape, whoever made them, and what is deferred is
kept until it is recalled or asked for. (URL-6)"""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from tenax.adapters.sql.reports import shape_lists
from tenax.adapters.sql.reports.overview import SqlOverview
from tenax.model import Assignment, JobState, State, Target
from tenax.outcome import NEVER, Evidence, Later, Settlement
from tenax.ports import Counts, ShapeBook, ShapeCounts, ShapeRecord
from tenax.ports.overview import JobShape
from tenax.urls.priority import ASKED, LAST, deferred
from tests.ledgers import UNPACED, Ledger, Worker, get_to_know, page, settlement, target

A = "https://a.example"
CAL, DAY = "/cal/N", "/day/N"
WHY = "deferred: /cal/N: lately 16 visits brought nothing new"


async def start(ledger: Ledger) -> tuple[Worker, int]:
    worker, job = await ledger.worker(pace=UNPACED), await ledger.job()
    await get_to_know(ledger, worker, job, "a.example")
    return worker, job


async def claim(worker: Worker, job: int, count: int, first: int = 0) -> Assignment:
    named = [target(f"{A}/cal/{n}") for n in range(first, first + count)]
    await worker.frontier.add(job, named)
    (assignment,) = await worker.frontier.claim([job])
    assert len(assignment.targets) == count
    return assignment


def visits(assignment: Assignment, *brought: Evidence) -> list[Settlement]:
    """The last one is what all others have brought, too."""
    evidence = [*brought, *[brought[-1]] * (len(assignment.targets) - len(brought))]
    pairs = zip(assignment.targets, evidence, strict=True)
    return [replace(settlement(assignment, leased), evidence=each) for leased, each in pairs]


async def settle(worker: Worker, settlements: Sequence[Settlement]) -> None:
    await worker.frontier.commit(settlements, [settlements[0].assignment_id])


async def counted(ledger: Ledger, worker: Worker, job: int) -> ShapeCounts:
    (host_id,) = (await ledger.sql("SELECT id FROM hosts WHERE name = 'a.example'"))[0]
    return (await worker.frontier.shapes(job, host_id)).counts[CAL]


SAYS = Evidence(CAL, judged=True, says=True, worded=True)
SILENT = Evidence(CAL, judged=True)


async def test_visits_are_added_up(ledger: Ledger) -> None:
    worker, job = await start(ledger)
    assignment = await claim(worker, job, 7)
    unasked = Evidence(CAL)
    batch = visits(assignment, SAYS, SAYS, unasked, SILENT, replace(SILENT, late=True))
    told = await worker.frontier.commit(batch[:2])
    assert told.shapes[job, "a.example"][CAL].fruitful == 2
    told = await worker.frontier.commit(batch[2:], [assignment.id])
    counts = ShapeCounts(
        visits=7, good=3, late=3, wordless=4, judged=6, fruitful=2, worded=2, idle=4
    )
    assert told.shapes == {(job, "a.example"): {CAL: counts}}
    assert (await worker.frontier.shapes(job, assignment.host.id)).counts == {CAL: counts}
    overview = SqlOverview(ledger.database, ledger.clock)
    assert await overview.fruitless("a.example") == [ShapeRecord("job", CAL, 7, 4)]
    assert await overview.fruitless("b.example") == []


async def test_what_brings_something_takes_half_away_of_what_was_in_vain(ledger: Ledger) -> None:
    worker, job = await start(ledger)
    vain = [SILENT] * 9
    batch = visits(await claim(worker, job, 13), *vain, SAYS, SILENT, SAYS, Evidence(CAL))
    told = [
        (await worker.frontier.commit(some)).shapes[job, "a.example"][CAL].idle
        for some in (batch[:4], batch[4:9], batch[9:11], batch[11:12], batch[12:])
    ]
    assert told == [4, 9, 4 + 1, 2, 2], "what was not judged says nothing"


async def test_in_one_commit_it_is_the_same(ledger: Ledger) -> None:
    worker, job = await start(ledger)
    vain = [SILENT] * 9
    await settle(worker, visits(await claim(worker, job, 4), SILENT))
    await settle(worker, visits(await claim(worker, job, 12, 20), *vain, SAYS, SILENT, SAYS))
    assert (await counted(ledger, worker, job)).idle == (4 >> 2) + 2


async def test_a_visit_adds_what_it_names_of_whatever_kind(ledger: Ledger) -> None:
    worker, job = await start(ledger)
    known, one, two = (target(f"{A}/cal/{n}") for n in (1, 901, 902))
    names = silent(kin=(known, one))
    batch = visits(
        await claim(worker, job, 5),
        names,
        replace(names, others=(two.key, known.key)),
        replace(names, more=7),
        replace(names, looked=False),
        silent(deeper=3),
    )
    found = [
        (await worker.frontier.commit([visit])).shapes[job, "a.example"][CAL] for visit in batch
    ]
    assert [now.added for now in found] == [1, 3, 11, 11, 14]
    assert [now.cut for now in found] == [0, 0, 0, 0, 1]
    assert [now.looked for now in found] == [1, 2, 3, 3, 4]


async def test_one_visit_may_speak_for_many(ledger: Ledger) -> None:
    worker, job = await start(ledger)
    kin = [target(f"{A}/cal/{n}") for n in (901, 902)]
    visit = replace(silent(kin=kin), says=True, worded=True, times=16)
    await settle(worker, visits(await claim(worker, job, 1), visit))
    now = await counted(ledger, worker, job)
    assert (now.visits, now.good, now.judged, now.worded) == (16, 16, 1, 1)
    assert (now.looked, now.grew, now.added) == (16, 16, 32)


async def test_figures_bring_something_and_no_words(ledger: Ledger) -> None:
    worker, job = await start(ledger)
    news = [target(f"{A}/day/{n}") for n in (1, 2)]
    figures, leads = replace(SAYS, worded=False), silent(news)
    batch = visits(await claim(worker, job, 4), figures, replace(leads, figures=2), leads, SILENT)
    found = []
    for visit in batch:
        told = await worker.frontier.commit([visit])
        found.append(told.shapes[job, "a.example"][CAL])
    assert [now.fruitful for now in found] == [1, 2, 3, 3]
    assert [now.worded for now in found] == [0, 0, 1, 1]
    assert found[-1].wordless == 3


async def test_a_copy_that_adds_a_line_was_not_in_vain_and_takes_nothing_away(
    ledger: Ledger,
) -> None:
    """A view of a page says when it was made; one of documentation has a word of its own."""
    worker, job = await start(ledger)
    news = [target(f"{A}/day/{n}") for n in (1, 2)]
    line = replace(SAYS, copy=True)
    leads = replace(silent(news), copy=True)
    for visit in visits(await claim(worker, job, 12), *[SILENT] * 8, line, line, leads, line):
        await worker.frontier.commit([visit])
    now = await counted(ledger, worker, job)
    assert (now.judged, now.fruitful, now.idle) == (12, 1, 4), "whoever leads to more has its due"
    assert (now.good, now.worded) == (4, 4)


def alike(visit: Settlement, text: bytes, path: str = "/cal/0") -> Settlement:
    """All of these are near-duplicates of the first."""
    return replace(visit, page=replace(page(A + path), simhash=77, content_hash=text * 32))


async def test_word_for_word_the_same_at_its_host_is_a_copy(ledger: Ledger) -> None:
    """Though nobody has told so, and though its words were not heard before."""
    worker, job = await start(ledger)
    one, two, three, other = visits(await claim(worker, job, 4), SAYS)
    await worker.frontier.commit([alike(one, b"a"), alike(two, b"a")])
    now = await counted(ledger, worker, job)
    assert (now.judged, now.fruitful) == (2, 1), "in one commit"
    await settle(worker, [alike(three, b"a"), alike(other, b"b")])
    now = await counted(ledger, worker, job)
    assert (now.judged, now.fruitful) == (4, 2)


async def test_what_tells_that_it_is_a_copy_and_is_like_another_is_one(ledger: Ledger) -> None:
    """Neither is enough by itself."""
    worker, job = await start(ledger)
    told = replace(SAYS, elsewhere=True)
    first, both, like, unlike = visits(await claim(worker, job, 4), SAYS, told, SAYS, told)
    await settle(worker, [alike(first, b"a"), alike(both, b"b"), alike(like, b"c"), unlike])
    now = await counted(ledger, worker, job)
    assert (now.judged, now.fruitful) == (4, 3)


async def test_what_is_like_a_page_of_another_kind_is_a_view_of_it(ledger: Ledger) -> None:
    """Unless so many are that it is their frame that is the same."""
    worker, job = await start(ledger)
    first, *others = visits(await claim(worker, job, 60), SAYS)
    await worker.frontier.commit([alike(first, b"a")])
    for n, view in enumerate(others):
        await worker.frontier.commit([alike(view, b"%d" % (n % 10), "/print/1")])
    await worker.frontier.commit([], [first.assignment_id])
    now = await counted(ledger, worker, job)
    assert (now.judged, now.fruitful, now.copied) == (60, 1, 59)
    more = visits(await claim(worker, job, 40, 100), SAYS)
    for view in more:
        await worker.frontier.commit([alike(view, b"z", "/print/1")])
    later = await counted(ledger, worker, job)
    assert later.good - now.good == 100 - 64 - 1


async def test_a_visit_whose_lease_was_lost_counts_for_nothing(ledger: Ledger) -> None:
    worker, job = await start(ledger)
    assignment = await claim(worker, job, 2)
    batch = visits(assignment, replace(SAYS, said=b"word"))
    await worker.frontier.commit([replace(s, assignment_id=s.assignment_id + 7) for s in batch])
    assert await worker.frontier.shapes(job, assignment.host.id) == ShapeBook()


async def test_jobs_count_for_themselves(ledger: Ledger) -> None:
    worker, job = await start(ledger)
    other = await ledger.job("other")
    assignment = await claim(worker, job, 2)
    await settle(worker, visits(assignment, replace(SAYS, said=b"word")))
    assert await worker.frontier.shapes(other, assignment.host.id) == ShapeBook()


async def test_of_what_was_counted_lately_the_older_half_fades(ledger: Ledger) -> None:
    """What was good for long, and has ended, is soon known; the sums of all visits stay."""
    worker, job = await start(ledger)
    good = replace(SAYS, looked=True)
    for first in (0, 50):
        await settle(worker, visits(await claim(worker, job, 50, first), good))
    now = await counted(ledger, worker, job)
    assert (now.visits, now.good) == (100, 100)
    assert (now.judged, now.fruitful) == (50, 50), "100 were more than 64"
    assert now.looked == 50, "and 100 were more than 96"
    await settle(worker, visits(await claim(worker, job, 50, 100), replace(SILENT, looked=True)))
    now = await counted(ledger, worker, job)
    assert (now.visits, now.good, now.judged, now.fruitful) == (150, 100, 50, 25)


def silent(leads: Sequence[Target] = (), kin: Sequence[Target] = (), deeper: int = 0) -> Evidence:
    keys = tuple(each.key for each in kin)
    return Evidence(CAL, judged=True, leads=tuple(leads), looked=True, kin=keys, deeper=deeper)


async def test_a_url_that_is_in_the_ledger_is_no_news(ledger: Ledger) -> None:
    worker, job = await start(ledger)
    assignment = await claim(worker, job, 4)
    known, new = target(f"{A}/cal/1"), target(f"{A}/new")
    elsewhere = target("https://b.example/new")
    one, two, three, four = visits(
        assignment, silent([known]), silent([known, new]), silent([elsewhere]), silent([new])
    )
    await worker.frontier.commit([one])
    assert (await counted(ledger, worker, job)).fruitful == 0
    await worker.frontier.commit([replace(two, found=(new,)), three])
    assert (await counted(ledger, worker, job)).fruitful == 2
    await worker.frontier.commit([four], [assignment.id])
    assert (await counted(ledger, worker, job)).fruitful == 2, "the second has added it"


async def test_of_two_visits_in_a_commit_that_name_the_same_the_first_named_it(
    ledger: Ledger,
) -> None:
    worker, job = await start(ledger)
    new = target(f"{A}/new")
    batch = visits(await claim(worker, job, 2), silent([new]))
    await settle(worker, [replace(s, found=(new,)) for s in batch])
    assert (await counted(ledger, worker, job)).fruitful == 1


async def test_a_kind_grows_by_two_at_a_time_and_meets_what_waits(ledger: Ledger) -> None:
    worker, job = await start(ledger)
    await worker.frontier.add(job, [target(f"{A}/seen")])
    (assignment,) = await worker.frontier.claim([job])
    await worker.frontier.commit([settlement(assignment, assignment.targets[0])], [assignment.id])
    assignment = await claim(worker, job, 5)
    fresh = [target(f"{A}/cal/{n}") for n in range(100, 102)]
    await worker.frontier.add(job, [target(f"{A}/waits")])
    waits, seen = target(f"{A}/waits"), target(f"{A}/seen")
    await settle(worker, visits(
        assignment,
        silent(kin=fresh),
        silent(kin=fresh[:1]),
        silent(deeper=2),
        silent(kin=[waits]),
        silent(kin=[seen]),
    ))  # fmt: skip
    now = await counted(ledger, worker, job)
    assert now.looked == 5
    assert now.grew == 2, "two that are new, or too deep"
    assert now.met == 1, "what is under way or was visited shows nothing"


async def test_of_what_is_deferred_the_nearest_and_the_deepest_are_claimed_first(
    ledger: Ledger,
) -> None:
    worker, job = await start(ledger)
    depths = [*[2] * 9, *[4] * 9, *[7] * 9]
    await worker.frontier.add(job, [
        target(f"{A}/cal/{n}", depth=depth, priority=deferred(depth))
        for n, depth in enumerate(depths)
    ])  # fmt: skip
    (assignment,) = await worker.frontier.claim([job])
    assert [leased.depth for leased in assignment.targets] == [2, 2, 2, 2, 7, 7, 7, 7]


async def test_what_pages_said_first_is_kept_in_order_and_read_from_where_one_was(
    ledger: Ledger,
) -> None:
    worker, job = await start(ledger)
    assignment = await claim(worker, job, 3)
    one, two, three = visits(
        assignment, *(replace(SAYS, said=word) for word in (b"1111", b"22223333", b"4444"))
    )
    await worker.frontier.commit([one])
    first = await worker.frontier.shapes(job, assignment.host.id)
    assert first.said == b"1111"
    await worker.frontier.commit([two, three], [assignment.id])
    rest = await worker.frontier.shapes(job, assignment.host.id, first.last)
    assert rest.said == b"222233334444"
    assert (await worker.frontier.shapes(job, assignment.host.id)).said == first.said + rest.said
    again = await worker.frontier.shapes(job, assignment.host.id, rest.last)
    assert (again.said, again.last) == (b"", rest.last)


async def test_what_was_only_heard_counts_for_nothing(ledger: Ledger) -> None:
    worker, job = await start(ledger)
    assignment = await claim(worker, job, 2)
    one, two = visits(assignment, SAYS, Evidence(SAYS.shape, times=0, said=b"word"))
    await settle(worker, [one, replace(two, duplicate_of=one.target_id)])
    heard = await worker.frontier.shapes(job, assignment.host.id)
    assert heard.said == b"word"
    assert (await counted(ledger, worker, job)).visits == 1
    third = visits(await claim(worker, job, 1, 2), Evidence("/other/N", times=0, said=b"more"))
    await settle(worker, third)
    book = await worker.frontier.shapes(job, assignment.host.id)
    assert (book.said, [*book.counts]) == (b"wordmore", [SAYS.shape])


# What is deferred.


async def defer(worker: Worker, job: int, first: int, count: int, shape: str = CAL) -> None:
    never = Later(NEVER, counts=False, reason=WHY)
    for start in range(0, count, 60):
        assignment = await claim(worker, job, min(60, count - start), first + start)
        waiting = [settlement(assignment, leased, never) for leased in assignment.targets]
        await settle(worker, [replace(s, cause=shape) for s in waiting])


async def counts_of(ledger: Ledger, job: int) -> Counts:
    return await ledger.jobs.counts(job)


async def test_what_is_deferred_is_counted_and_not_claimed(ledger: Ledger) -> None:
    """That the count is true is audited after every call."""
    worker, job = await start(ledger)
    before = (await counts_of(ledger, job)).unfinished
    await defer(worker, job, 0, 3)
    counts = await counts_of(ledger, job)
    assert (counts.deferred, counts.of(State.PENDING)) == (3, 3)
    assert counts.unfinished == before == 0, "nothing is left to do"
    assert await worker.frontier.claim([job]) == []
    (host,) = await ledger.hosts.all()
    assert host.ready_at is None, "no time brings it"


async def test_examples_of_each_kind_are_told(ledger: Ledger) -> None:
    worker, job = await start(ledger)
    await defer(worker, job, 0, 3)
    await defer(worker, job, 10, 3, DAY)
    some = await worker.frontier.deferred(job, 2)
    assert {int(url.rpartition("/")[2]) // 10 for url, _ in some} == {0, 1}, "one of each kind"
    assert {why for _, why in some} == {WHY}
    assert len(await worker.frontier.deferred(job, 10)) == 6
    assert await worker.frontier.deferred(job + 1, 10) == []


async def test_as_many_are_recalled_as_there_is_budget_for(ledger: Ledger) -> None:
    """200 requests for each host, or a tenth of the visits that brought something."""
    worker, job = await start(ledger)
    spent = replace(SILENT, late=True, copy=True)
    await settle(worker, visits(await claim(worker, job, 30), spent))
    await ledger.sql("UPDATE shapes SET late = 196")
    await defer(worker, job, 500, 10)
    assert await worker.frontier.recall_deferred(job) == 4
    assert (await counts_of(ledger, job)).deferred == 6
    (assignment,) = await worker.frontier.claim([job])
    assert len(assignment.targets) == 4
    await settle(worker, visits(assignment, spent))
    assert await worker.frontier.recall_deferred(job) == 0
    assert (await counts_of(ledger, job)).deferred == 6


async def test_what_waits_no_longer_is_recalled_whatever_the_budget(ledger: Ledger) -> None:
    worker, job = await start(ledger)
    await settle(worker, visits(await claim(worker, job, 30), replace(SILENT, copy=True)))
    await ledger.sql("UPDATE shapes SET late = 300")
    await defer(worker, job, 500, 4)
    await defer(worker, job, 600, 3, DAY)
    assert await worker.frontier.recall_deferred(job) == 3, "of the days nothing is known"
    (assignment,) = await worker.frontier.claim([job])
    assert {int(leased.url.rpartition("/")[2]) for leased in assignment.targets} == {600, 601, 602}
    await settle(worker, visits(assignment, replace(SAYS, shape=DAY)))
    left = {url for url, _ in await worker.frontier.deferred(job, 10)}
    assert left == {f"{A}/cal/{n}" for n in range(500, 504)}


async def barren(ledger: Ledger, worker: Worker, job: int, first: int, **counts: int) -> list[int]:
    """Thirty visits of a kind in vain, with this budget spent; the ids of what was visited."""
    assignment = await claim(worker, job, 30, first)
    await settle(worker, visits(assignment, replace(silent(), shape=CAL)))
    fields = ", ".join(f"{name} = {value}" for name, value in counts.items())
    await ledger.sql(f"UPDATE shapes SET late = 300, {fields}")
    return [leased.id for leased in assignment.targets]


async def name(ledger: Ledger, ids: list[int], first: int, count: int) -> None:
    """Let these deferred ones have been named by those that were visited, in turn."""
    for n in range(count):
        await ledger.sql(
            f"UPDATE targets SET found_on = {ids[n % len(ids)]} WHERE url = '/cal/{first + n}'"
        )


async def test_what_nothing_adds_to_any_more_is_let_go_beyond_the_budget(ledger: Ledger) -> None:
    """Of a kind that does not lead on, and was named by such."""
    worker, job = await start(ledger)
    ids = await barren(ledger, worker, job, 0, added=0)
    await defer(worker, job, 500, 60)
    await name(ledger, ids, 500, 60)
    assert await worker.frontier.recall_deferred(job) == 50, "at once"
    (assignment,) = await worker.frontier.claim([job])
    assert {leased.priority for leased in assignment.targets} == {ASKED}
    await settle(worker, visits(assignment, SILENT))
    assert await worker.frontier.recall_deferred(job) == 10


async def test_what_leads_on_and_waits_holds_back_what_it_names(ledger: Ledger) -> None:
    """A month names days, and the next month; the first days were named by the first page."""
    worker, job = await start(ledger)
    ids = await barren(ledger, worker, job, 0, added=60)
    await defer(worker, job, 500, 101)
    await name(ledger, ids, 500, 101)
    await ledger.sql(f"UPDATE targets SET priority = {LAST + 1} WHERE url LIKE '/cal/%'")
    assert await worker.frontier.recall_deferred(job) == 0, "it leads on, to itself"
    assert (await counts_of(ledger, job)).deferred == 101
    await ledger.sql("UPDATE shapes SET added = 0, cut = 1")
    assert await worker.frontier.recall_deferred(job) == 50, "it comes to an end"


async def test_what_was_cut_by_the_depth_of_a_job_is_no_end(ledger: Ledger) -> None:
    worker, job = await start(ledger)
    ids = await barren(ledger, worker, job, 0, added=60, cut=1)
    await ledger.sql(
        "INSERT INTO shapes (job_id, host_id, shape, visits, good, late, judged, fruitful, idle,"
        " looked, grew, met) SELECT job_id, host_id, '/day/N', 30, 0, 0, 30, 0, 30, 30, 0, 0"
        " FROM shapes"
    )
    await defer(worker, job, 500, 4, DAY)
    await name(ledger, ids, 500, 4)
    assert await worker.frontier.recall_deferred(job) == 0
    await ledger.sql("UPDATE shapes SET cut = 0")
    assert await worker.frontier.recall_deferred(job) == 4, "no month waits any more"


async def test_other_views_of_what_is_there_are_not_let_go(ledger: Ledger) -> None:
    worker, job = await start(ledger)
    ids = await barren(ledger, worker, job, 0, added=0, copied=15)
    await defer(worker, job, 500, 4)
    await name(ledger, ids, 500, 4)
    assert await worker.frontier.recall_deferred(job) == 0


async def walked(ledger: Ledger, worker: Worker, job: int, waiting: int) -> None:
    """Thirty deferred ones were waiting, and visited one by one; so many that these named wait."""
    assignment = await claim(worker, job, 30)
    ids = [leased.id for leased in assignment.targets]
    await settle(worker, [
        replace(settlement(assignment, leased, stored=True), evidence=silent())
        for leased in assignment.targets
    ])  # fmt: skip
    await ledger.sql("UPDATE shapes SET late = 300, added = 60, grew = 30")
    listed = ", ".join(map(str, ids))
    await ledger.sql(f"UPDATE pages SET fetched_at = target_id WHERE target_id IN ({listed})")
    await defer(worker, job, 500, waiting)
    await name(ledger, ids, 500, waiting)
    await ledger.sql(f"UPDATE targets SET priority = {LAST + 1} WHERE url LIKE '/cal/%'")


async def test_what_runs_out_is_visited_beyond_the_budget_a_few_at_a_time(ledger: Ledger) -> None:
    """Of thirty that were waiting twenty are left."""
    worker, job = await start(ledger)
    await walked(ledger, worker, job, 20)
    assert await worker.frontier.recall_deferred(job) == 14
    (assignment,) = await worker.frontier.claim([job])
    assert {leased.priority for leased in assignment.targets} == {ASKED}
    assert (await counts_of(ledger, job)).deferred == 6


async def test_what_waits_and_is_more_than_could_be_paid_for_is_left(ledger: Ledger) -> None:
    worker, job = await start(ledger)
    await walked(ledger, worker, job, 101)
    assert await worker.frontier.recall_deferred(job) == 0
    assert (await counts_of(ledger, job)).deferred == 101


async def test_whatever_was_deferred_is_visited_when_somebody_asks(ledger: Ledger) -> None:
    worker, job = await start(ledger)
    await defer(worker, job, 0, 3)
    await ledger.jobs.set_state(job, JobState.DONE)
    assert await worker.frontier.visit_deferred(job, "b.example") == 0
    assert await worker.frontier.visit_deferred(job, "a.example") == 3
    assert (await counts_of(ledger, job)).deferred == 0
    (found,) = [each for each in await ledger.jobs.all() if each.id == job]
    assert found.state is JobState.RUNNING
    (assignment,) = await worker.frontier.claim([job])
    assert [leased.priority for leased in assignment.targets] == [ASKED] * 3
    assert await worker.frontier.visit_deferred(job) == 0


async def test_what_a_host_has_of_each_job_is_told_with_urls_to_show(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker, job = await start(ledger)
    overview = SqlOverview(ledger.database, ledger.clock)
    await settle(worker, visits(await claim(worker, job, 5), SAYS, SILENT))
    await defer(worker, job, 5, 3)
    other = await ledger.job("other")
    await worker.frontier.add(other, [target(f"{A}/x")])
    (host_id,) = (await ledger.sql("SELECT id FROM hosts WHERE name = 'a.example'"))[0]
    (latest, first), is_whole = await overview.shapes_at(host_id, None)
    assert (latest.job, latest.counts, is_whole) == ("other", {}, True)
    assert [(each.url, each.shape) for each in latest.urls] == [(f"{A}/x", "/W")]
    assert first.counts[CAL] == await counted(ledger, worker, job)
    waiting = [each for each in first.urls if each.deferred]
    assert {each.url for each in waiting} == {f"{A}/cal/{n}" for n in (5, 6, 7)}
    assert {(each.shape, each.why) for each in waiting} == {(CAL, WHY)}
    assert {each.url for each in first.urls} == {
        f"{A}/known",
        *(f"{A}/cal/{n}" for n in range(8)),
    }
    assert [each.job for each in (await overview.shapes_at(host_id, job))[0]] == ["job"]
    assert await overview.shapes_at(host_id + 1, None) == ([], True)
    assert await overview.shapes(job, 10) == [JobShape("a.example", CAL, 5, 4)]

    monkeypatch.setattr(shape_lists, "PLACES", 1)
    found, is_whole = await overview.shapes_at(host_id, None)
    assert ([each.job for each in found], is_whole) == (["other"], False)
    monkeypatch.setattr(shape_lists, "WINDOW", 0)
    _, is_whole = await overview.shapes_at(host_id, job)
    assert not is_whole, "there are kinds that were not looked at"
