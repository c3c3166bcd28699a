"""How is a search shown at a terminal, and an index made?"""

from __future__ import annotations

import os
import sys

from msgspec import Struct

from tenax.cli.look.run_export import page_count
from tenax.cli.terminal.bar import Bar
from tenax.cli.terminal.interrupts import interruptible
from tenax.cli.terminal.say import (
    EXIT_BAD_INPUT,
    EXIT_INTERRUPTED,
    EXIT_NOTHING,
    as_json,
    fail,
    moment,
    note,
    plural,
    printable,
)
from tenax.compose import Ledger, open_ledger
from tenax.compose.search import is_embedded, open_search
from tenax.ops.search.hits import hit_facts
from tenax.ops.search.indexing import Indexer
from tenax.ops.search.query import QueryError, parse
from tenax.ops.search.snippets import SnippetPiece, snippet
from tenax.ports.handled import RecordFilter
from tenax.ports.search import Query, SearchResults
from tenax.settings import Settings


class SearchOrder(Struct, frozen=True):
    """One `tenax search` as the user asked for it."""

    settings: Settings
    query: str
    limit: int
    skip: int
    as_is: bool
    as_json: bool


async def run_search(order: SearchOrder) -> int:
    try:
        query = parse(order.query)
    except QueryError as error:
        return fail(f"{error}", EXIT_BAD_INPUT)
    async with (
        open_ledger(order.settings, create=False) as ledger,
        open_search(ledger) as (index, indexer),
    ):
        if is_embedded(order.settings) and not order.as_is:
            await _freshen(ledger, indexer, quiet=order.as_json)
        found = await index.search(query, order.limit, order.skip)
    if order.as_json:
        for hit in found.hits:
            as_json(hit_facts(hit, query))
    else:
        _show(found, query, order)
    return 0 if found.hits else EXIT_NOTHING


async def run_reindex(settings: Settings, anew: bool, quiet: bool, wants_json: bool) -> int:
    async with (
        open_ledger(settings, create=False) as ledger,
        open_search(ledger) as (index, indexer),
    ):
        if anew:
            await index.clear()
        async with interruptible(indexer) as interruption:
            await _freshen(ledger, indexer, quiet=quiet or wants_json)
    tally = indexer.tally
    if wants_json:
        as_json({"put": tally.put, "removed": tally.removed, "same": tally.same})
    else:
        put = plural(tally.put, "document")
        note(f"{put} put, {tally.removed:,} removed, {tally.same:,} the same.")
    if interruption.count:
        note("Cut off. The same command goes on.")
        return EXIT_INTERRUPTED
    return 0


async def _freshen(ledger: Ledger, indexer: Indexer, *, quiet: bool) -> None:
    there = await ledger.records.count(RecordFilter(status="there"))
    with Bar(await page_count(ledger, None) + there, quiet=quiet) as bar:
        await indexer.freshen(bar.tick)


def _amount(price: float) -> str:
    return f"{price:,.2f}".removesuffix(".00")


def _show(found: SearchResults, query: Query, order: SearchOrder) -> None:
    # https://no-color.org: whoever sets it wants plain text.
    is_terminal = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    for number, hit in enumerate(found.hits, order.skip + 1):
        doc = hit.doc
        title = _marked(snippet(doc.title or doc.url, query, 120), is_terminal)
        price = f" · {_amount(doc.price)} {doc.currency}" if doc.price is not None else ""
        kind = f"{printable(doc.record)}: " if doc.record else ""
        print(f"{number}. {kind}{title}{price}\n   {printable(doc.url)} · {moment(doc.at)}")
        if doc.text:
            print(f"   {_marked(snippet(doc.text, query), is_terminal)}")
    is_mixed = any(hit.doc.record for hit in found.hits)
    note(f"{plural(found.total, 'hit' if is_mixed else 'page')} found.")


def _marked(pieces: tuple[SnippetPiece, ...], is_terminal: bool) -> str:
    """Bold where somebody looks, plain where a program reads."""
    bold, plain = ("\x1b[1m", "\x1b[0m") if is_terminal else ("", "")
    return "".join(
        f"{bold}{printable(p.text)}{plain}" if p.is_match else printable(p.text) for p in pieces
    )
