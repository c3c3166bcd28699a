"""What a ledger promises of the link graph: it says what the bodies say, and goes with the job."""

from __future__ import annotations

from msgspec.structs import replace

from tenax.adapters.sql.reports.link_graph import SqlLinkGraph
from tenax.ports.graph import Degrees, Linked, LinkSource
from tests.ledgers import Ledger, settlements, target

A, B = "https://a.example/", "https://b.example/"


def key(url: str) -> bytes:
    return target(url).key


def said(id: int, *urls: str, digest: bytes = b"d" * 32) -> LinkSource:
    return LinkSource(id, digest, tuple((key(url), url) for url in urls))


async def filled(ledger: Ledger) -> tuple[SqlLinkGraph, int, dict[str, int]]:
    """Two pages, and nothing known of their links."""
    worker, job_id = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job_id, [target(A), target(B)])
    for assignment in await worker.frontier.claim([job_id]):
        await worker.frontier.commit(settlements(assignment, stored=True), [assignment.id])
    ids = {record.url: record.target_id for record in await ledger.pages.find()}
    return SqlLinkGraph(ledger.database), job_id, ids


async def test_pages_are_read_once_and_again_when_they_change(ledger: Ledger) -> None:
    graph, job, ids = await filled(ledger)
    assert {p.url for p in await graph.unread(job, 0, 10)} == {A, B}
    assert len(await graph.unread(job, 0, 1)) == 1
    await graph.note(job, [said(ids[A], B), said(ids[B])])
    assert await graph.unread(job, 0, 10) == []
    await ledger.sql("UPDATE pages SET digest = :new WHERE target_id = :id", new=b"n", id=ids[A])
    assert [p.url for p in await graph.unread(job, 0, 10)] == [A]
    assert await graph.unread(job + 1, 0, 10) == []


async def test_links_are_counted_and_listed_both_ways(ledger: Ledger) -> None:
    graph, job, ids = await filled(ledger)
    outside = "https://elsewhere.example/x"
    await graph.note(job, [said(ids[A], A, B, outside), said(ids[B], B)])
    assert await graph.degrees(job, ids[A], key(A)) == Degrees(incoming=1, outgoing=3)
    assert await graph.degrees(job, ids[B], key(B)) == Degrees(incoming=2, outgoing=1)
    assert set(await graph.incoming(job, key(B), 10)) == {A, B}
    assert await graph.outgoing(ids[A], 10) == sorted([A, B, outside])
    assert await graph.outgoing(ids[A], 1) == [A]
    assert await graph.most_linked(job, 2) == [Linked(B, 2), Linked(A, 1)]


async def test_links_that_are_gone_from_a_page_are_gone(ledger: Ledger) -> None:
    graph, job, ids = await filled(ledger)
    await graph.note(job, [said(ids[A], A, B)])
    await graph.note(job, [replace(said(ids[A], B), digest=b"e" * 32)])
    assert await graph.outgoing(ids[A], 10) == [B]


async def test_they_go_with_their_job(ledger: Ledger) -> None:
    graph, job, ids = await filled(ledger)
    await graph.note(job, [said(ids[A], A, B), said(ids[B], A)])
    while not (await ledger.jobs.delete(job)).is_gone:
        pass
    assert await ledger.sql("SELECT count(*) FROM links") == [(0,)]
    assert await ledger.sql("SELECT count(*) FROM link_sources") == [(0,)]


async def test_a_crawl_writes_nothing_of_it(ledger: Ledger) -> None:
    await filled(ledger)
    assert await ledger.sql("SELECT count(*) FROM links") == [(0,)]
