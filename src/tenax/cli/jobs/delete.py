"""How is a job deleted from a terminal? Asked for twice, once nobody works on it, step by step."""

from __future__ import annotations

import asyncio
import math
import shlex

from tenax.cli.crawl.progress import LiveLine
from tenax.cli.look.show_pages import chosen_jobs
from tenax.cli.terminal.consent import refused
from tenax.cli.terminal.say import (
    EXIT_BAD_INPUT,
    EXIT_WORK_LEFT,
    as_json,
    fail,
    note,
    plural,
    printable,
)
from tenax.cli.terminal.stalls import sightings, told_visit
from tenax.compose import Ledger, open_ledger
from tenax.model import Job
from tenax.ops.jobs.orders import Deletion, delete_job
from tenax.settings import Settings

_GRACE = 5.0
"""Seconds more than a request may take."""


async def delete(settings: Settings, name: str, yes: bool, json: bool) -> int:
    async with open_ledger(settings, create=False) as ledger:
        found = await chosen_jobs(ledger, name)
        if found is None:
            return EXIT_BAD_INPUT
        (job,) = found
        counts = await ledger.jobs.counts(job.id)
        what = f"{plural(counts.known, 'URL')} and {plural(counts.pages, 'page')}"
        if not yes:
            all_of_it = f"{printable(name)} with {what} for good"
            code = refused("jobs delete", f"deletes {all_of_it}", f"Delete {all_of_it}")
            if code is not None:
                return code
        done = await _delete(ledger, job, counts.known)
        if not done.is_gone:
            return fail(
                f"{printable(name)} is stopped, but {plural(done.held, 'URL')} of it are still"
                f" under way in other processes{await _oldest(ledger, job)}. Nothing is deleted"
                " yet: try again in a moment.",
                EXIT_WORK_LEFT,
            )
        deleted = done.deleted
    if json:
        as_json({"job": name, "deleted": deleted})
    else:
        note(f"Deleted {printable(name)}: {plural(deleted, 'URL')} with all pages and history.")
        folder = f"{settings.data}/content" if not settings.content else settings.content
        note(f"  Bodies stay in {shlex.quote(folder)}: pages of other jobs may have the same.")
    return 0


async def _delete(ledger: Ledger, job: Job, known: int) -> Deletion:
    line = LiveLine()
    done = Deletion()

    async def tell(so_far: Deletion) -> None:
        nonlocal done
        done = so_far
        if not line.is_due:
            return
        if so_far.held and not so_far.deleted:
            urls, oldest = plural(so_far.held, "URL"), await _oldest(ledger, job)
            line.show(f"Waiting for {urls} under way in other processes{oldest}")
        else:
            line.show(f"{so_far.deleted:,} of {known:,} URLs deleted")

    patience = ledger.settings.fetch.limits.total + _GRACE
    try:
        return await delete_job(
            ledger.job_context, job, patience=patience, seconds=math.inf, tell=tell
        )
    except asyncio.CancelledError:
        note(f"\nInterrupted: {done.deleted:,} URLs are deleted. Run it again to delete the rest.")
        raise
    finally:
        line.clear()


async def _oldest(ledger: Ledger, job: Job) -> str:
    """The visit that is waited for longest, where it is known."""
    workers = await ledger.overview.workers()
    visits = sightings(workers, lambda visit: visit.job_id == job.id)
    return "".join(f" ({told_visit(each.visit, each.at)})" for each in visits[:1])
