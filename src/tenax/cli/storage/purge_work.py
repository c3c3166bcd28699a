"""What does `tenax purge` do? Count the pages that are meant, or forget them."""

from __future__ import annotations

import math

from msgspec import Struct

from tenax.cli.look.show_pages import chosen_jobs
from tenax.cli.terminal.say import EXIT_BAD_INPUT, as_json, fail, note, plural
from tenax.compose import open_ledger
from tenax.ops.lifecycle.purge_pages import PurgeNamesNothing, purge_pages
from tenax.ops.products.wanted import UnclearQuestion, since
from tenax.ports import PageChoice
from tenax.settings import Settings


class WantedPurge(Struct, frozen=True):
    job: str | None
    host: str | None
    older_than: str | None
    contains: str
    everything: bool
    yes: bool


async def purge_stored(settings: Settings, wanted: WantedPurge, json: bool) -> int:
    async with open_ledger(settings, create=False) as ledger:
        if await chosen_jobs(ledger, wanted.job) is None:
            return EXIT_BAD_INPUT
        try:
            before = since(wanted.older_than, ledger.clock.now())
        except UnclearQuestion as error:
            return fail(f"--older-than: {error}", EXIT_BAD_INPUT)
        done = await purge_pages(
            ledger.pages,
            ledger.clock,
            PageChoice(wanted.job, wanted.host, before, wanted.contains),
            everything=wanted.everything,
            dry=not wanted.yes,
            seconds=math.inf,
        )
    if isinstance(done, PurgeNamesNothing):
        return fail(
            "purge: which ones? Choose by --job, --host, --older-than or --contains, or say --all"
            " for every one.",
            EXIT_BAD_INPUT,
        )
    if json:
        as_json({"pages": done.pages, "dry_run": not wanted.yes, "is_whole": done.is_whole})
    elif wanted.yes:
        note(f"{plural(done.pages, 'page')} forgotten. URLs, products, prices and bodies stay.")
    else:
        note(f"{plural(done.pages, 'page')} would be forgotten. Say --yes to do it.")
    return 0
