"""How does a fetch look in a terminal? The page on stdout, what became of it on stderr."""

from __future__ import annotations

import math
import sys

from tenax.cli.terminal import say
from tenax.compose import require_contact
from tenax.compose.crawler import open_crawler
from tenax.ops.fetch.answer import FetchEnd, FetchForm, content, end_of, fetch_answer, sentence
from tenax.ops.fetch.fetch_now import Fetched, FetchOrder, fetch_now
from tenax.ops.jobs.create import JobInvalid
from tenax.settings import Settings

_CODES = {
    FetchEnd.GOT: 0,
    FetchEnd.NO_PAGE: say.EXIT_NOTHING,
    FetchEnd.NOT_NOW: say.EXIT_WORK_LEFT,
    FetchEnd.REFUSED: say.EXIT_REFUSED,
}


async def fetch_and_print(
    settings: Settings, order: FetchOrder, form: FetchForm, quiet: bool
) -> int:
    require_contact(settings, [order.url])
    async with open_crawler(settings) as crawler, crawler.ledger.telling(say.note):
        fetched = await fetch_now(crawler.fetch_context, order)
    if isinstance(fetched, JobInvalid):
        return say.fail(f"{fetched.field}: {fetched.why}.", say.EXIT_BAD_INPUT)
    _show(fetched, form, quiet)
    return _CODES[end_of(fetched)]


def _show(fetched: Fetched, form: FetchForm, quiet: bool) -> None:
    if form is FetchForm.JSON:
        say.as_json(fetch_answer(fetched))
        return
    is_got = end_of(fetched) is FetchEnd.GOT
    if not (quiet and is_got):
        say.note(
            f"{say.printable(fetched.url)}: {say.printable(sentence(fetched))}.{_later(fetched)}"
        )
    page = content(fetched, form)
    if isinstance(page, bytes):
        sys.stdout.buffer.write(page)
        sys.stdout.buffer.flush()
    elif page is not None:
        print(say.printable_lines(page))


def _later(fetched: Fetched) -> str:
    told = (
        " This is an earlier copy." if fetched.page and end_of(fetched) is not FetchEnd.GOT else ""
    )
    at = fetched.again_at
    if at is None or math.isinf(at):
        return told
    return f"{told} Worth another try after {say.moment(at)}."
