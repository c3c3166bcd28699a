"""How is a job deleted from a terminal? Asked for twice, once nobody works on it, step by step."""

from __future__ import annotations

import asyncio
import shlex
import sys

from tenax.cli.crawl.progress import LiveLine
from tenax.cli.look.show_pages import chosen_jobs
from tenax.cli.terminal.say import (
    EXIT_BAD_INPUT,
    EXIT_NOTHING,
    EXIT_WORK_LEFT,
    as_json,
    fail,
    note,
    plural,
    printable,
)
from tenax.cli.terminal.stalls import sightings, told_visit
from tenax.compose import App, open_app
from tenax.compose.overview import open_overview
from tenax.model import Job, JobState, State
from tenax.settings import Settings

_GRACE = 5.0
"""Seconds more than a request may take."""
_LOOK = 0.1


async def delete_job(settings: Settings, name: str, yes: bool, json: bool) -> int:
    async with open_app(settings, create=False) as app:
        found = await chosen_jobs(app, name)
        if found is None:
            return EXIT_BAD_INPUT
        (job,) = found
        counts = await app.parts.jobs.counts(job.id)
        what = f"{plural(counts.known, 'URL')} and {plural(counts.pages, 'page')}"
        if not yes:
            if not is_terminal():
                return fail(f"jobs delete: this deletes {printable(name)} with {what} for good."
                            " Say --yes to do it.", EXIT_BAD_INPUT)  # fmt: skip
            if not _agreed(f"Delete {printable(name)} with {what} for good? [y/N] "):
                note("Nothing is deleted.")
                return EXIT_NOTHING
        await app.parts.jobs.set_state(job.id, JobState.STOPPED)
        held = await _until_let_go(app, job, settings.fetch.limits.total + _GRACE)
        if held:
            oldest = await _oldest(app, job)
            return fail(
                f"{printable(name)} is stopped, but {plural(held, 'URL')} of it are still under way"
                f" in other processes{oldest}. Nothing is deleted yet: try again in a moment.",
                EXIT_WORK_LEFT,
            )
        deleted = await _delete(app, job, counts.known)
    if json:
        as_json({"job": name, "deleted": deleted})
    else:
        note(f"Deleted {printable(name)}: {plural(deleted, 'URL')} with all pages and history.")
        folder = f"{settings.data}/content" if not settings.content else settings.content
        note(f"  Bodies stay in {shlex.quote(folder)}: pages of other jobs may have the same.")
    return 0


def is_terminal() -> bool:
    """Whether there is somebody to ask."""
    return sys.stdin.isatty()


def _agreed(question: str) -> bool:
    print(question, end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


async def _until_let_go(app: App, job: Job, patience: float) -> int:
    """Wait for requests under way; how many targets are still in somebody's hands."""
    clock = app.parts.clock
    deadline = clock.now() + patience
    line = LiveLine()
    while True:
        await app.parts.frontier.reclaim()
        held = (await app.parts.jobs.counts(job.id)).of(State.LEASED)
        if not held or clock.now() >= deadline:
            line.clear()
            return held
        if line.is_due:
            urls = plural(held, "URL")
            oldest = await _oldest(app, job)
            line.show(f"Waiting for {urls} under way in other processes{oldest}")
        await clock.sleep(_LOOK)


async def _oldest(app: App, job: Job) -> str:
    """The visit that is waited for longest, where it is known."""
    workers = await open_overview(app).workers()
    visits = sightings(workers, lambda visit: visit.job_id == job.id)
    return "".join(f" ({told_visit(each.visit, each.at)})" for each in visits[:1])


async def _delete(app: App, job: Job, known: int) -> int:
    """Step by step; how many URLs."""
    line = LiveLine()
    deleted = 0
    try:
        while not (step := await app.parts.jobs.delete(job.id)).is_gone:
            deleted += step.targets
            if line.is_due:
                line.show(f"{deleted:,} of {known:,} URLs deleted")
            if step.held and not step.targets:
                await _until_let_go(app, job, _GRACE)
    except asyncio.CancelledError:
        note(f"\nInterrupted: {deleted:,} URLs are deleted. Run it again to delete the rest.")
        raise
    finally:
        line.clear()
    return deleted + step.targets
