"""Near-duplicates: what a ledger promises of pages that say nearly the same (PAGE-2).

After each commit the ledger is audited: duplicates name originals, fingerprints belong to them.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from random import Random

import pytest
from msgspec.structs import replace

from tenax.fetch.fetch_policy import SimilarPolicy
from tenax.model import Page, State
from tenax.outcome import Attempt, End, Kept
from tenax.ports import Committed, PageRecord
from tests.ledgers import START, UNPACED, Ledger, Worker, get_to_know, page, settlement, target

A = "https://a.example"
TEXT = 0x0123_4567_89AB_CDEF
OTHER = TEXT ^ 0xFFFF_0000_0000_FFFF


def apart(hashed: int, *bits: int) -> int:
    """The same hash with these bits turned over."""
    for bit in bits:
        hashed ^= 1 << bit
    return hashed


def saying(url: str, hashed: int | None) -> Page:
    return replace(page(url), simhash=hashed)


async def a_worker(ledger: Ledger, job: str = "job") -> tuple[Worker, int]:
    worker, job_id = await ledger.worker(UNPACED), await ledger.job(job)
    await get_to_know(ledger, worker, job_id, "a.example")
    return worker, job_id


async def visit(
    ledger: Ledger,
    worker: Worker,
    job: int,
    said: Mapping[str, int | None],
    gone: tuple[str, ...] = (),
) -> Committed:
    """Visit all these paths in one batch: what each page says, and which ask not to be kept."""
    paths = [*said, *gone]
    await worker.frontier.add(job, [target(f"{A}{path}") for path in paths])
    ledger.clock.time += 30
    (held,) = await worker.frontier.claim([job])
    leased = {t.url.removeprefix(A): t for t in held.targets}
    while len(leased) < len(paths):
        more = await worker.frontier.refill(held, 100, 1)
        leased |= {t.url.removeprefix(A): t for t in more.targets}
    batch = [
        replace(settlement(held, leased[path], stored=True), page=saying(f"{A}{path}", hashed))
        for path, hashed in said.items()
    ]
    batch += [replace(settlement(held, leased[path]), kept=Kept.DROPPED, stale="") for path in gone]
    return await worker.frontier.commit(batch, [held.id])


async def again(ledger: Ledger, worker: Worker, job: int, *paths: str) -> None:
    """Make all pages due, and leave those that are not named as they are."""
    ledger.clock.time += 100
    await worker.frontier.revisit(job, ledger.clock.time)
    (held,) = await worker.frontier.claim([job])
    spare = [t for t in held.targets if t.url.removeprefix(A) not in paths]
    kept = [
        replace(settlement(held, t, End(State.DONE, "unchanged: 304")), kept=Kept.CHECKED, stale="")
        for t in spare
    ]
    await worker.frontier.commit(kept, [held.id])


async def record(ledger: Ledger, path: str, job: str = "job") -> PageRecord | None:
    wanted = target(f"{A}{path}")
    found = await ledger.pages.targets(wanted.identity, wanted.host)
    (id,) = [t.id for t in found if t.job == job]
    return await ledger.pages.page(id)


async def originals(ledger: Ledger, *paths: str, job: str = "job") -> list[str | None]:
    """Of each page, the path of what it is a near-duplicate of; None where there is no page."""
    records = [await record(ledger, path, job) for path in paths]
    return [r.duplicate_of.removeprefix(A) if r else None for r in records]


async def test_a_page_three_bits_away_is_a_near_duplicate_of_the_earlier_one(
    ledger: Ledger,
) -> None:
    worker, job = await a_worker(ledger)
    first = await visit(ledger, worker, job, {"/1": TEXT})
    second = await visit(ledger, worker, job, {"/2": apart(TEXT, 0, 20, 63)})
    assert await originals(ledger, "/1", "/2") == ["", "/1"]
    assert (len(first.duplicates), len(second.duplicates)) == (0, 1)
    assert (await ledger.jobs.counts(job)).duplicates == 1


async def test_a_page_four_bits_away_is_a_page_of_its_own(ledger: Ledger) -> None:
    worker, job = await a_worker(ledger)
    await visit(ledger, worker, job, {"/1": TEXT, "/2": apart(TEXT, 0, 1, 2, 3)})
    await visit(ledger, worker, job, {"/3": apart(TEXT, 0, 20, 40, 60)})
    assert await originals(ledger, "/1", "/2", "/3") == ["", "", ""]
    assert (await ledger.jobs.counts(job)).duplicates == 0


async def test_pages_of_one_batch_are_compared_with_each_other(ledger: Ledger) -> None:
    worker, job = await a_worker(ledger)
    said = {"/1": TEXT, "/2": TEXT, "/3": OTHER, "/4": apart(TEXT, 9), "/5": OTHER}
    committed = await visit(ledger, worker, job, said)
    assert await originals(ledger, *said) == ["", "/1", "", "/1", "/3"]
    assert len(committed.duplicates) == 3


async def test_a_near_duplicate_names_the_original_and_never_another_near_duplicate(
    ledger: Ledger,
) -> None:
    worker, job = await a_worker(ledger)
    near, far = apart(TEXT, 1, 2), apart(TEXT, 1, 2, 30, 31)
    await visit(ledger, worker, job, {"/1": TEXT})
    await visit(ledger, worker, job, {"/2": near})
    await visit(ledger, worker, job, {"/3": apart(TEXT, 2)})
    # Two bits from a near-duplicate, four from its original: an original itself.
    await visit(ledger, worker, job, {"/4": far})
    assert await originals(ledger, "/1", "/2", "/3", "/4") == ["", "/1", "/1", ""]
    # Of two originals near enough, the nearer.
    await visit(ledger, worker, job, {"/5": apart(TEXT, 1, 2, 30)})
    assert await originals(ledger, "/5") == ["/4"]


async def test_the_smallest_distance_allowed_is_what_the_settings_say(ledger: Ledger) -> None:
    worker, job = await a_worker(ledger)
    worker.frontier.inner._likeness = SimilarPolicy(distance=0)  # type: ignore[attr-defined]
    await visit(ledger, worker, job, {"/1": TEXT, "/2": apart(TEXT, 5), "/3": TEXT})
    assert await originals(ledger, "/1", "/2", "/3") == ["", "", "/1"]


async def test_pages_with_too_little_text_are_like_no_other(ledger: Ledger) -> None:
    worker, job = await a_worker(ledger)
    await visit(ledger, worker, job, {"/1": None, "/2": None})
    assert await originals(ledger, "/1", "/2") == ["", ""]


async def test_jobs_do_not_know_each_others_pages(ledger: Ledger) -> None:
    worker, one = await a_worker(ledger)
    await visit(ledger, worker, one, {"/1": TEXT})
    two = await ledger.job("two")
    await visit(ledger, worker, two, {"/2": TEXT})
    assert await originals(ledger, "/2", job="two") == [""]
    assert (await ledger.jobs.counts(two)).duplicates == 0


async def test_pages_of_two_jobs_in_one_batch_are_not_compared(ledger: Ledger) -> None:
    worker = await ledger.worker()
    batch, held = [], []
    for name in ("one", "two"):
        job = await ledger.job(name)
        url = f"https://{name}.example/"
        await worker.frontier.add(job, [target(url)])
        (assignment,) = await worker.frontier.claim([job])
        held.append(assignment.id)
        visited = settlement(assignment, assignment.targets[0], stored=True)
        batch.append(replace(visited, page=saying(url, TEXT)))
    assert (await worker.frontier.commit(batch, held)).duplicates == frozenset()


async def test_a_near_duplicate_is_stored_and_its_attempt_and_target_say_what_it_is(
    ledger: Ledger,
) -> None:
    worker, job = await a_worker(ledger)
    await visit(ledger, worker, job, {"/1": TEXT, "/2": TEXT})
    found = await record(ledger, "/2")
    assert found is not None
    (attempt,) = await ledger.pages.attempts(found.target_id)
    (told,) = await ledger.pages.targets(target(f"{A}/2").identity, "a.example")
    assert (found.digest, attempt.outcome, told.reason) == (
        (b"d" * 32).hex(), "duplicate", "duplicate",
    )  # fmt: skip
    assert (told.state, (await ledger.jobs.counts(job)).pages) == (State.DONE, 2)
    original = await record(ledger, "/1")
    assert original is not None
    assert [a.outcome for a in await ledger.pages.attempts(original.target_id)] == ["read"]
    assert original.simhash == f"{TEXT:016x}"


async def test_an_original_read_again_with_the_same_text_stays_the_original(
    ledger: Ledger,
) -> None:
    worker, job = await a_worker(ledger)
    await visit(ledger, worker, job, {"/1": TEXT, "/2": TEXT})
    await again(ledger, worker, job, "/1")
    await visit(ledger, worker, job, {"/1": TEXT})
    assert await originals(ledger, "/1", "/2") == ["", "/1"]
    assert (await ledger.jobs.counts(job)).duplicates == 1


async def test_of_an_original_that_changed_the_last_of_its_like_takes_the_place(
    ledger: Ledger,
) -> None:
    worker, job = await a_worker(ledger)
    await visit(ledger, worker, job, {"/1": TEXT, "/2": TEXT, "/3": apart(TEXT, 7), "/4": TEXT})
    await again(ledger, worker, job, "/1")
    await visit(ledger, worker, job, {"/1": OTHER})
    assert await originals(ledger, "/1", "/2", "/3", "/4") == ["", "/4", "/4", ""]
    assert (await ledger.jobs.counts(job)).duplicates == 2
    # It can be found by what it says, and the one that changed by what it says now.
    await visit(ledger, worker, job, {"/5": TEXT, "/6": OTHER})
    assert await originals(ledger, "/5", "/6") == ["/4", "/1"]


async def test_an_original_that_changed_little_becomes_like_its_heir(ledger: Ledger) -> None:
    worker, job = await a_worker(ledger)
    await visit(ledger, worker, job, {"/1": TEXT, "/2": TEXT})
    await again(ledger, worker, job, "/1")
    await visit(ledger, worker, job, {"/1": apart(TEXT, 3)})
    assert await originals(ledger, "/1", "/2") == ["/2", ""]
    assert (await ledger.jobs.counts(job)).duplicates == 1


async def test_a_near_duplicate_that_changed_is_looked_at_anew(ledger: Ledger) -> None:
    worker, job = await a_worker(ledger)
    await visit(ledger, worker, job, {"/1": TEXT, "/2": TEXT, "/3": OTHER})
    await again(ledger, worker, job, "/2")
    await visit(ledger, worker, job, {"/2": OTHER})
    assert await originals(ledger, "/1", "/2", "/3") == ["", "/3", ""]
    await again(ledger, worker, job, "/2")
    await visit(ledger, worker, job, {"/2": None})
    assert await originals(ledger, "/1", "/2", "/3") == ["", "", ""]
    assert (await ledger.jobs.counts(job)).duplicates == 0


async def test_when_a_whole_cluster_changes_at_once_it_is_a_cluster_again(ledger: Ledger) -> None:
    worker, job = await a_worker(ledger)
    paths = ("/1", "/2", "/3")
    await visit(ledger, worker, job, dict.fromkeys(paths, TEXT))
    await again(ledger, worker, job, *paths)
    await visit(ledger, worker, job, dict.fromkeys(paths, OTHER))
    assert await originals(ledger, *paths) == ["", "/1", "/1"]
    assert (await ledger.jobs.counts(job)).duplicates == 2


async def test_a_dropped_original_has_an_heir_and_a_dropped_near_duplicate_leaves_no_trace(
    ledger: Ledger,
) -> None:
    worker, job = await a_worker(ledger)
    await visit(ledger, worker, job, {"/1": TEXT, "/2": TEXT, "/3": TEXT})
    await again(ledger, worker, job, "/1")
    await visit(ledger, worker, job, {}, gone=("/1",))
    assert await originals(ledger, "/1", "/2", "/3") == [None, "/3", ""]
    await again(ledger, worker, job, "/2")
    await visit(ledger, worker, job, {}, gone=("/2",))
    assert await originals(ledger, "/2", "/3") == [None, ""]
    assert (await ledger.jobs.counts(job)).duplicates == 0


async def test_a_text_is_found_however_many_pages_share_each_band_with_it(ledger: Ledger) -> None:
    """Pages made of one template: many agree in every band, and none is like another."""
    worker, job = await a_worker(ledger)
    parts = (0x0000, 0x000F, 0x00F0, 0x0F00, 0xF000)
    crowd = [a << 48 | b << 32 | c << 16 | d for a, b, c, d in product(parts, repeat=4)]
    Random(3).shuffle(crowd)
    for start in range(0, 625, 125):
        said = {f"/{n}": crowd[n] for n in range(start, start + 125)}
        assert (await visit(ledger, worker, job, said)).duplicates == frozenset()
    picked = Random(4).sample(range(625), 40)
    await visit(ledger, worker, job, {f"/same/{n}": crowd[n] for n in picked})
    assert await originals(ledger, *(f"/same/{n}" for n in picked)) == [f"/{n}" for n in picked]


async def test_pages_are_listed_with_near_duplicates_only_or_without_them(ledger: Ledger) -> None:
    worker, job = await a_worker(ledger)
    await visit(ledger, worker, job, {"/1": TEXT, "/2": TEXT, "/3": OTHER})
    doubled = await ledger.pages.find(duplicates=True)
    unique = await ledger.pages.find(duplicates=False)
    assert [(p.url, p.duplicate_of) for p in doubled] == [(f"{A}/2", f"{A}/1")]
    assert [p.url for p in unique] == [f"{A}/1", f"{A}/3"]


async def test_the_like_of_a_page_is_told_the_original_first(ledger: Ledger) -> None:
    worker, job = await a_worker(ledger)
    await visit(ledger, worker, job, {"/9": TEXT})
    await visit(ledger, worker, job, {"/1": TEXT, "/2": TEXT, "/3": OTHER})
    ids = {}
    for path in ("/9", "/1", "/2", "/3"):
        found = await record(ledger, path)
        assert found is not None
        ids[path] = found.target_id
    told = {
        path: [p.url.removeprefix(A) for p in await ledger.pages.similar(id)]
        for path, id in ids.items()
    }
    assert told == {"/9": ["/1", "/2"], "/1": ["/9", "/2"], "/2": ["/9", "/1"], "/3": []}
    assert [p.url for p in await ledger.pages.similar(ids["/1"], limit=1)] == [f"{A}/9"]
    assert await ledger.pages.similar(987_654) == []


async def test_a_settlement_without_an_attempt_can_bring_a_near_duplicate(ledger: Ledger) -> None:
    worker, job = await a_worker(ledger)
    await visit(ledger, worker, job, {"/1": TEXT})
    await worker.frontier.add(job, [target(f"{A}/2")])
    (held,) = await worker.frontier.claim([job])
    bare = replace(settlement(held, held.targets[0], stored=True), attempt=None)
    earlier = (Attempt(START, "garbage", 200, client="http"),)
    bringing = replace(bare, page=saying(f"{A}/2", TEXT), earlier=earlier)
    assert (await worker.frontier.commit([bringing], [held.id])).duplicates
    assert [a.outcome for a in await ledger.pages.attempts(held.targets[0].id)] == ["garbage"]


# Broken promises are found.


@pytest.mark.parametrize(
    ("damage", "promise"),
    [
        (
            "UPDATE pages SET duplicate_of = 999 WHERE duplicate_of IS NOT NULL",
            "every near-duplicate names an original of its job",
        ),
        (
            "UPDATE pages SET duplicate_of = target_id WHERE duplicate_of IS NOT NULL",
            "every near-duplicate names an original of its job",
        ),
        (
            "UPDATE pages SET job_id = 7 WHERE duplicate_of IS NOT NULL",
            "every near-duplicate names an original of its job",
        ),
        (
            "UPDATE fingerprints SET target_id = 999 WHERE band = 3",
            "every fingerprint belongs to an original",
        ),
        (
            "UPDATE fingerprints SET bits = bits + 1 WHERE band = 0",
            "every fingerprint belongs to an original",
        ),
        ("UPDATE pages SET simhash = NULL", "every fingerprint belongs to an original"),
        (
            "DELETE FROM fingerprints WHERE band = 0",
            "every original can be found by its fingerprints",
        ),
        (
            "UPDATE pages SET duplicate_of = NULL",
            "every original can be found by its fingerprints",
        ),
        (
            "UPDATE tallies SET count = 5 WHERE name = 'duplicates'",
            "totals equal the rows they count",
        ),
    ],
)
async def test_the_audit_finds_what_is_wrong_with_near_duplicates(
    ledger: Ledger, damage: str, promise: str
) -> None:
    worker, job = await a_worker(ledger)
    await visit(ledger, worker, job, {"/1": TEXT, "/2": apart(TEXT, 1), "/3": OTHER})
    assert await ledger.auditor.audit() == []
    await ledger.sql(damage)
    assert promise in [finding.promise for finding in await ledger.auditor.audit()]
