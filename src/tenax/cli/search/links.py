"""How is it shown who links to whom?"""

from __future__ import annotations

from msgspec import Struct

from tenax.cli.look.show_pages import chosen_jobs
from tenax.cli.terminal.bar import Bar
from tenax.cli.terminal.say import (
    EXIT_BAD_INPUT,
    EXIT_NOTHING,
    as_json,
    fail,
    note,
    plural,
    printable,
)
from tenax.compose import Ledger, open_ledger
from tenax.model import Job
from tenax.ops.search.link_graph import freshen
from tenax.ops.why.lookup import as_asked, rules_of, target_in
from tenax.ports.graph import LinkGraph
from tenax.settings import Settings
from tenax.urls.normalise import normalise, url_key


class LinksOrder(Struct, frozen=True):
    """One `tenax links` as the user asked for it."""

    settings: Settings
    url: str | None
    job: str | None
    limit: int
    as_is: bool
    as_json: bool


async def run_links(order: LinksOrder) -> int:
    async with open_ledger(order.settings, create=False) as ledger:
        jobs = await chosen_jobs(ledger, order.job)
        if jobs is None:
            return EXIT_BAD_INPUT
        if len(jobs) != 1:
            names = ", ".join(printable(job.name) for job in jobs)
            return fail(
                f"which job? Name it with --job: {names or 'there is none'}.", EXIT_BAD_INPUT
            )
        graph = ledger.graph
        if not order.as_is:
            total = (await ledger.jobs.counts(jobs[0].id)).pages
            with Bar(total, quiet=order.as_json) as bar:
                await freshen(graph, ledger.content, jobs[0], bar.tick)
        if order.url is None:
            return await _most_linked(graph, jobs[0], order)
        return await _about(graph, ledger, jobs[0], order.url, order)


async def _most_linked(graph: LinkGraph, job: Job, order: LinksOrder) -> int:
    found = await graph.most_linked(job.id, order.limit)
    for linked in found:
        if order.as_json:
            as_json({"url": linked.url, "incoming": linked.count})
        else:
            print(f"{linked.count:>8,}  {printable(linked.url)}")
    return 0 if found else EXIT_NOTHING


async def _about(graph: LinkGraph, ledger: Ledger, job: Job, text: str, order: LinksOrder) -> int:
    href = as_asked(text)
    if href is None:
        return fail(f"{text}: no URL of a page.", EXIT_BAD_INPUT)
    target = await target_in(job, href, ledger.pages)
    key = url_key(normalise(href, rules_of(job.spec)))
    id = target.id if target else 0
    degrees = await graph.degrees(job.id, id, key)
    incoming = await graph.incoming(job.id, key, order.limit)
    outgoing = await graph.outgoing(id, order.limit)
    if order.as_json:
        as_json({
            "url": href, "incoming": degrees.incoming, "outgoing": degrees.outgoing,
            "linked_by": incoming, "links_to": outgoing,
        })  # fmt: skip
        return 0
    for title, count, urls in (
        ("linked by", degrees.incoming, incoming),
        ("links to", degrees.outgoing, outgoing),
    ):
        print(f"{title} {plural(count, 'page' if title == 'linked by' else 'URL')}")
        for url in urls:
            print(f"  {printable(url)}")
        if count > len(urls):
            note(f"  and {count - len(urls):,} more; --limit for more.")
    return 0
