"""What would a job take and refuse? A line for each URL, with the check that decides."""

from __future__ import annotations

from tenax.cli.jobs.work import starting
from tenax.cli.terminal.say import EXIT_BAD_INPUT, EXIT_NOTHING, as_json, fail, note, printable
from tenax.compose import open_ledger
from tenax.model import Sends
from tenax.ops.jobs.create import JobInvalid
from tenax.ops.jobs.preview import MOST, PreviewedUrl, job_preview, preview_job
from tenax.settings import Settings


async def preview_wishes(
    settings: Settings,
    seeds: tuple[str, ...],
    links: tuple[str, ...],
    json: bool,
    sends: Sends | None = None,
) -> int:
    spec = starting(settings.job, seeds, sends)
    if not spec.starts:
        return fail("jobs preview: where would it start? Name a URL.", EXIT_BAD_INPUT)
    if len(seeds) + len(links) > MOST:
        return fail(f"jobs preview: use {MOST} URLs at most.", EXIT_BAD_INPUT)
    async with open_ledger(settings, create=False) as ledger:
        await ledger.know_sites()
        found = await preview_job(ledger.job_context, spec, links)
    if isinstance(found, JobInvalid):
        return fail(f"{found.field}: {found.why}.", EXIT_BAD_INPUT)
    told = job_preview(found)
    if json:
        as_json(told)
    else:
        for each in told.items:
            print(_line(each))
        note(f"{told.taken:,} of {len(told.items):,} would be taken.")
    return 0 if told.taken else EXIT_NOTHING


def _line(each: PreviewedUrl) -> str:
    if each.taken:
        return f"taken    {printable(each.url)}  (priority {each.priority})"
    why = f"{each.reason}: {printable(each.detail)}" if each.detail else each.reason
    return f"refused  {printable(each.url)}  ({why})"
