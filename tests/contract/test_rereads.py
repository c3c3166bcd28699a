"""What a ledger promises when stored pages are read again: written whole, or left alone."""

from __future__ import annotations

from msgspec.structs import replace

from tenax.adapters.sql.records.replayed import SqlRereads
from tenax.fetch.fetch_policy import SimilarPolicy
from tenax.ports.replayed import PageFilter, Reread
from tests.ledgers import START, Ledger, page, settlements, target

A, B = "https://a.example/", "https://b.example/"
TEXT = 0x0123_4567_89AB_CDEF


async def filled(ledger: Ledger) -> SqlRereads:
    """Two pages on two hosts, with the same words."""
    worker, job_id = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job_id, [target(A), target(B)])
    for assignment in await worker.frontier.claim([job_id]):
        (made,) = settlements(assignment, stored=True)
        assert made.page is not None
        said = replace(made.page, simhash=TEXT)
        await worker.frontier.commit([replace(made, page=said)], [assignment.id])
    return SqlRereads(ledger.database, SimilarPolicy())


async def ids(ledger: Ledger) -> dict[str, int]:
    return {record.url: record.target_id for record in await ledger.pages.find()}


async def test_pages_are_found_by_job_host_and_date(ledger: Ledger) -> None:
    rereads = await filled(ledger)
    last = await rereads.last()
    wishes = {
        PageFilter(): 2, PageFilter(job="job"): 2, PageFilter(job="other"): 0,
        PageFilter(host="b.example"): 1, PageFilter(since=START): 2,
        PageFilter(since=START + 1): 0, PageFilter("job", "a.example", START): 1,
    }  # fmt: skip
    for which, count in wishes.items():
        assert await rereads.count(which) == count
        assert len(await rereads.between(which, 0, last)) == count


async def test_a_stretch_has_its_last_target_and_not_its_first(ledger: Ledger) -> None:
    rereads = await filled(ledger)
    first, second = [
        r.target_id for r in await rereads.between(PageFilter(), 0, await rereads.last())
    ]
    assert [r.target_id for r in await rereads.between(PageFilter(), first, second)] == [second]
    assert await rereads.between(PageFilter(), second, second + 1_000) == []


async def test_what_a_page_says_now_is_written(ledger: Ledger) -> None:
    rereads = await filled(ledger)
    now = replace(
        page(A), title="new", language="de", words=7, rights=(("meta robots", "noai"),),
        canonical="https://a.example/c", content_hash=b"h" * 32, links=("/x", "/y"),
    )  # fmt: skip
    assert await rereads.rewrite([Reread((await ids(ledger))[A], now, False)]) == 1
    record = next(r for r in await ledger.pages.find() if r.url == A)
    assert (record.title, record.language, record.words, record.link_count) == ("new", "de", 7, 2)
    assert record.canonical == "https://a.example/c"
    assert record.rights == (("meta robots", "noai"),)
    assert record.content_hash == (b"h" * 32).hex()
    assert record.simhash == f"{TEXT:016x}"
    assert await ledger.auditor.audit() == []


async def test_a_page_with_another_body_is_left_alone(ledger: Ledger) -> None:
    rereads = await filled(ledger)
    other = replace(page(A), title="new", digest=b"o" * 32)
    known = await ids(ledger)
    assert await rereads.rewrite([Reread(known[A], other, False), Reread(999, other, False)]) == 0
    assert [record.title for record in await ledger.pages.find()] == ["hello", "hello"]


async def test_another_simhash_ends_a_likeness_and_begins_one(ledger: Ledger) -> None:
    rereads = await filled(ledger)
    (double,) = await ledger.pages.find(duplicates=True)
    original = B if double.url == A else A
    known = await ids(ledger)
    apart = replace(page(original), simhash=~TEXT & (1 << 64) - 1)
    assert await rereads.rewrite([Reread(known[original], apart, True)]) == 1
    assert await ledger.pages.find(duplicates=True) == []
    assert await ledger.auditor.audit() == []
    again = replace(page(original), simhash=TEXT)
    assert await rereads.rewrite([Reread(known[original], again, True)]) == 1
    (like,) = await ledger.pages.find(duplicates=True)
    assert (like.url, like.duplicate_of) == (original, double.url)
    assert await ledger.auditor.audit() == []


async def test_nothing_read_is_nothing_written(ledger: Ledger) -> None:
    assert await SqlRereads(ledger.database, SimilarPolicy()).rewrite([]) == 0
