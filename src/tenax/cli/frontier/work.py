"""What do the commands of `tenax frontier` do? Show known URLs, add some, take back, forget."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence

from tenax.cli.look.show_pages import chosen_jobs
from tenax.cli.terminal.consent import refused
from tenax.cli.terminal.say import (
    EXIT_BAD_INPUT,
    EXIT_NOTHING,
    as_json,
    fail,
    moment,
    note,
    plural,
    printable,
)
from tenax.cli.terminal.table import TableColumn, table, terminal_width
from tenax.compose import Ledger, open_ledger
from tenax.jobs.states import Refusal
from tenax.model import Job, State
from tenax.ops.jobs.create import JobInvalid
from tenax.ops.jobs.url_list import SieveUnclear, first_urls, unclear
from tenax.ops.jobs.urls import add_urls, clear_frontier
from tenax.ports.overview import Sieve, UrlRecord
from tenax.settings import Settings

_MOST_TOLD = 10


async def list_urls(settings: Settings, sieve: Sieve, limit: int, json: bool) -> int:
    wrong = unclear(sieve)
    if isinstance(wrong, SieveUnclear):
        return fail(f"--{wrong.field}: {wrong.why}", EXIT_BAD_INPUT)
    async with open_ledger(settings, create=False) as ledger:
        jobs = await chosen_jobs(ledger, sieve.job)
        if jobs is None:
            return EXIT_BAD_INPUT
        found = await first_urls(ledger.overview, sieve, limit)
        counts = [await ledger.jobs.counts(job.id) for job in jobs]
    if json:
        for record in found.urls:
            as_json(record)
        return 0
    if found.urls:
        columns = (
            TableColumn("state"), TableColumn("depth", right=True),
            TableColumn("attempts", right=True), TableColumn("due"),
            TableColumn("reason", most=40, yields=True), TableColumn("URL", yields=True),
        )  # fmt: skip
        print("\n".join(table(columns, [_row(each) for each in found.urls], terminal_width())))
    known = sum(each.known for each in counts)
    states = {state: sum(each.of(state) for each in counts) for state in State}
    told = ", ".join(f"{count:,} {state}" for state, count in states.items() if count)
    more = "" if found.is_whole else ", and there are more: --limit"
    shown = plural(len(found.urls), "URL")
    note(f"{shown}{more}. Known in all: {known:,}{f' = {told}' if told else ''}.")
    return 0


async def add_to_job(settings: Settings, name: str, urls: Sequence[str], json: bool) -> int:
    async with open_ledger(settings, create=False) as ledger:
        await ledger.know_sites()
        job = await _job(ledger, name)
        if job is None:
            return EXIT_BAD_INPUT
        done = await add_urls(ledger.job_context, job, urls)
    if isinstance(done, JobInvalid):
        return fail(f"{printable(name)}: {done.field}: {done.why}.", EXIT_BAD_INPUT)
    if json:
        refused = [{"url": url, "reason": reason} for url, reason in done.refused]
        as_json({"job": name, "new": done.new, "known": done.known, "refused": refused})
    else:
        note(
            f"{printable(name)}: {plural(done.new, 'new URL')}, {done.known:,} known already,"
            f" {len(done.refused):,} refused."
        )
        for url, reason in done.refused[:_MOST_TOLD]:
            note(f"  {reason}: {printable(url)}")
        if len(done.refused) > _MOST_TOLD:
            note(f"  and {len(done.refused) - _MOST_TOLD:,} more.")
    return 0 if done.new or done.known else EXIT_NOTHING


async def take_back(settings: Settings, json: bool) -> int:
    async with open_ledger(settings, create=False) as ledger:
        recovered = await ledger.frontier.reclaim()
    if json:
        as_json({"recovered": recovered})
    else:
        note(f"{plural(recovered, 'URL')} of dead processes taken back.")
    return 0


async def clear_job(settings: Settings, name: str, yes: bool, json: bool) -> int:
    async with open_ledger(settings, create=False) as ledger:
        job = await _job(ledger, name)
        if job is None:
            return EXIT_BAD_INPUT
        if not yes:
            what = f"the URLs of {printable(name)} that wait and were never visited"
            code = refused("frontier clear", f"forgets {what}", f"Forget {what}")
            if code is not None:
                return code
        done = await clear_frontier(ledger.job_context, job, seconds=math.inf)
    if isinstance(done, Refusal):
        quoted = shlex.quote(name)
        ways = ", or ".join(f"tenax jobs {word} {quoted}" for word in done.instead)
        return fail(f"cannot clear {printable(name)}: {done.why}. First: {ways}", EXIT_BAD_INPUT)
    if json:
        as_json({"job": name, "cleared": done.urls, "is_whole": done.is_whole})
    else:
        note(f"{printable(name)}: {plural(done.urls, 'URL')} forgotten.")
    return 0


async def _job(ledger: Ledger, name: str) -> Job | None:
    found = await chosen_jobs(ledger, name)
    return found[0] if found else None


def _row(record: UrlRecord) -> tuple[str, ...]:
    return (
        record.state,
        str(record.depth),
        str(record.attempts),
        moment(record.due_at or record.next_crawl_at),
        printable(record.reason) or "-",
        printable(record.url),
    )
