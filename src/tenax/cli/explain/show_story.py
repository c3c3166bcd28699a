"""How does the story of a URL read? The short answer first, then everything behind it."""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterator
from textwrap import wrap

from tenax.cli.look.show_hosts import host_lines, robots_lines, site_lines, some_names
from tenax.cli.look.show_pages import chosen_jobs
from tenax.cli.terminal.say import EXIT_BAD_INPUT, as_json, moment, plain, plural, printable, size
from tenax.compose import has_ledger, open_ledger
from tenax.compose.why import books_of, house_of
from tenax.model import Sends
from tenax.ops.search.near_duplicates import Likeness
from tenax.ops.why.next_visit import Prospect
from tenax.ops.why.robots_advice import RobotsAdvice
from tenax.ops.why.story import DoorVerdict, JobStory, Normal, Story, tell
from tenax.outcome import Attempt
from tenax.ports import PageRecord, TargetRecord
from tenax.settings import Settings

_MOST_BODY = 300
_MOST_ATTEMPTS = 20
_MOST_POSTED = 5


async def tell_why(
    settings: Settings, url: str, job: str | None, json: bool, sends: Sends | None = None
) -> int:
    now = time.time()
    if not has_ledger(settings):
        house = house_of(settings)
        story = await tell(url, None, house, now, sends=sends)
    else:
        async with open_ledger(settings, create=False) as ledger:
            await ledger.know_sites()
            if await chosen_jobs(ledger, job) is None:
                return EXIT_BAD_INPUT
            books = books_of(ledger)
            house = house_of(settings, ledger.sites)
            story = await tell(url, books, house, now, job, sends)
    if story.host is not None:
        settings = settings.at(house.sites.of(story.host.host.name))
    if json:
        as_json(plain(story))
    else:
        for line in lines(story, settings, now):
            print(line)
    return 0


def lines(story: Story, settings: Settings, now: float) -> Iterator[str]:
    """The story for people."""
    yield printable(story.asked)
    if story.problem:
        yield f"  cannot be crawled: {printable(story.problem)}"
        return
    knowing = (t for t in story.jobs if t.target or t.kept_rejections or t.posted)
    jobs = tuple(knowing) or story.jobs
    for told in jobs:
        yield f"  {_where(told)}: {printable(told.answer)}"
    if others := len(story.jobs) - len(jobs):
        yield f"  {plural(others, 'other job knows', 'other jobs know')} nothing of it"
    first = jobs[0].normal
    yield "URL"
    yield _item("requested", story.url or "")
    yield from _normal(first)
    for told in jobs:
        yield from _job(told, story.url, is_other=told.normal != first)
    yield from site_lines(story.site)
    if story.robots is not None:
        yield from _robots(story.robots, now)
    if story.host is not None:
        yield from host_lines(story.host, settings, now)


def _where(told: JobStory) -> str:
    return "No crawl yet" if told.job is None else f"In job {printable(told.job)}"


def _normal(normal: Normal) -> Iterator[str]:
    yield _item("normal", normal.form)
    yield from (_item("", printable(change)) for change in normal.changes)
    yield _item("url_hash", normal.url_hash)


def _job(told: JobStory, url: str | None, *, is_other: bool) -> Iterator[str]:
    if told.job is None:
        yield "A crawl started here"
    else:
        yield f"Job {printable(told.job)} ({told.job_state})"
    if is_other:
        yield from _normal(told.normal)
    yield from _door(told.door, is_known=told.target is not None)
    for kept in told.kept_rejections[-3:]:
        yield _item("refused", f"{kept.reason} at {moment(kept.at)}")
    if told.target is not None:
        yield from _target(told.target)
        if told.target.url != url:
            yield _item("fetched as", told.target.url)
    if (letter := told.dead_letter) is not None:
        again = f"tenax dead return {shlex.quote(letter.url)}"
        yield _item("dead", f"a dead letter since {moment(letter.at)}; to try again: {again}")
    yield from attempt_lines(told.attempts)
    yield from _posted(told)
    if told.cookies:
        yield _item("cookies", f"the host has set {some_names(told.cookies)}")
    if told.meaning:
        yield _item("follows", told.meaning)
    if told.page is not None:
        yield from _page(told.page)
    if told.similar is not None:
        yield from _similar(told.similar)
    yield _item("next", _next(told.next))


def _posted(told: JobStory) -> Iterator[str]:
    label = "sent there"
    for each in told.posted[:_MOST_POSTED]:
        yield _item(label, f"{each.state}  --post {shlex.quote(printable(each.body[:200]))}")
        label = ""
    if len(told.posted) > _MOST_POSTED:
        yield _item("", f"and {len(told.posted) - _MOST_POSTED:,} more")


def _door(door: DoorVerdict, *, is_known: bool) -> Iterator[str]:
    if door.taken:
        yield _item("door", f"taken as {door.seen_as}, priority {door.priority}")
        return
    if is_known:
        yield _item("door", f"taken as {door.seen_as}; with these settings it would be refused:")
    else:
        yield _item("door", f"refused as {door.seen_as}")
    for check in door.checks:
        name, _, said = check.partition(": refused, ")
        if said:
            yield _item("", f"{name}: {printable(said)}")


def _target(target: TargetRecord) -> Iterator[str]:
    reason = f": {printable(target.reason)}" if target.reason else ""
    yield _item("state", f"{target.state}{reason}")
    yield _item("", f"priority {target.priority}, depth {target.depth}")
    if target.sends is not None:
        sent = printable(target.sends.body[:_MOST_BODY])
        yield _item("sends", f"{sent}  ({printable(target.sends.content_type)})")
    yield _item("found on", target.found_on or "nothing: it is a seed")


def attempt_lines(attempts: tuple[Attempt, ...]) -> Iterator[str]:
    """The history of a URL, for `why` and `dead`."""
    if len(attempts) > _MOST_ATTEMPTS:
        yield _item("attempts", f"{len(attempts):,}, the last {_MOST_ATTEMPTS}:")
    label = "" if len(attempts) > _MOST_ATTEMPTS else "attempts"
    for attempt in attempts[-_MOST_ATTEMPTS:]:
        told = f"{moment(attempt.at)}  {attempt.outcome:<9}  {attempt.status or '-':>3}"
        told += f"  {attempt.total_ms:>6,.0f} ms  {size(attempt.bytes):>8}"
        told += f" at {attempt.kbps:,} kbit/s" if attempt.kbps else ""
        through = f" through {printable(attempt.proxy)}" if attempt.proxy else ""
        yield _item(label, f"{told}  {attempt.client} {attempt.address}".rstrip() + through)
        if attempt.error:
            yield _item("", f"  {printable(attempt.error)}")
        yield from (_item("", f"  | {line}") for line in _quoted(attempt.body))
        yield from (_item("", f"  via {printable(hop)}") for hop in attempt.chain)
        label = ""


def _quoted(body: str) -> list[str]:
    """The beginning of what an error answered; all of it is in the JSON."""
    lines = wrap(printable(body[:_MOST_BODY]), 76)
    if len(body) > _MOST_BODY:
        lines.append(f"… ({len(body):,} characters are kept: --json has them)")
    return lines


def _page(page: PageRecord) -> Iterator[str]:
    yield _item("page", printable(page.title) or "(no title)")
    kind = ", ".join(filter(None, (page.content_type, page.charset, page.language)))
    yield _item("", f"{kind}, {size(page.length)}, {plural(page.words, 'word')},"
                    f" {plural(page.link_count, 'link')}")  # fmt: skip
    yield _item("fetched", moment(page.fetched_at))
    if page.checked_at is not None:
        yield _item("checked", f"{moment(page.checked_at)}: unchanged")
    if page.stale:
        yield _item("stale", f"the last visit could not confirm it: {printable(page.stale)}")
    if page.final_url != page.url:
        yield _item("came from", printable(page.final_url))
    if page.canonical:
        yield _item("canonical", printable(page.canonical))
    if page.digest:
        yield _item("body", f"sha256 {page.digest}")
    for where, what in page.rights:
        yield _item("rights", f"{printable(where)}: {printable(what)}")


def _similar(similar: Likeness) -> Iterator[str]:
    if similar.original:
        yield _item("duplicate", printable(similar.told))
    label = "like it"
    for url in similar.others:
        yield _item(label, printable(url))
        label = ""


def _robots(advice: RobotsAdvice, now: float) -> Iterator[str]:
    head, *rest = robots_lines(advice, now)
    yield head
    if advice.allowed is not None:
        word = "allowed" if advice.allowed else "forbidden"
        yield _item("this URL", f"{word}: {printable(advice.why)}")
    yield from rest
    for where, what in advice.rights:
        yield _item("says", f"{printable(where)}: {printable(what)}")


def _next(next: Prospect) -> str:
    at = f", not before {moment(next.not_before)}" if next.not_before else ""
    because = f": {next.because}" if next.because else ""
    return f"{next.what}{at}{because}"


def _item(name: str, text: str) -> str:
    return f"  {name:<10}  {text}"
