"""The user's handlers over one page: what they tell, held to its bounds; what they raise, noted.

It is the visit that waits for them, so a slow handler slows the crawl down and fills no memory.
What one of them raises costs what it had not told yet, and nothing else.
"""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any

from msgspec import Struct

from tenax.crawl.handling.policy import HandlingPolicy
from tenax.crawl.handling.thread import HandlerOverdue, HandlerStuck, HandlerThread
from tenax.fetch.reading import Died, Rehearsal
from tenax.model import Page, Product
from tenax.model.record import Handled, HandledRecord, HandlerReport
from tenax.page.handlers.crawled_page import CrawledPage
from tenax.page.handlers.registry import Handler
from tenax.page.handlers.storable import RecordInvalid, as_json
from tenax.page.handlers.told import Follow, OwnProduct, Record

log = logging.getLogger(__name__)
_MOST_FOLLOWED = 1_000
"""As many as are taken of the links of a page (URL-7)."""
_MOST_STUCK = 3
"""So often may a handler hang before it is not asked any more."""
_LONGEST_ERROR = 4_000


class HandledPage(Struct, frozen=True):
    """What came of one page."""

    handled: Handled
    follows: tuple[Follow, ...] = ()
    product: Product | None = None
    """What is for sale there, where a handler knew."""


class Handlers:
    """All that are loaded in this process."""

    def __init__(
        self, handlers: Sequence[Handler], policy: HandlingPolicy, *, threads: bool = True
    ) -> None:
        """Without `threads` all run on the event loop: in simulations, whose time is not ours."""
        self._handlers = tuple(handlers)
        self._policy = policy
        self._thread = HandlerThread() if threads else None
        self._stuck: Counter[str] = Counter()

    def read(self, url: str) -> list[Handler]:
        """Those that are for a page of this URL."""
        return [handler for handler in self._handlers if handler.reads(url)]

    async def run(
        self,
        page: CrawledPage,
        handlers: Sequence[Handler],
        begins: Callable[[], None] = lambda: None,
    ) -> HandledPage:
        """Never raises, whatever they do. `begins` is called as each of them begins."""
        records: list[HandledRecord] = []
        reports: list[HandlerReport] = []
        follows: list[Follow] = []
        product: Product | None = None
        for handler in handlers:
            told = _TellingOf(handler, self._policy)
            error = await self._ask(handler, page, told, begins)
            product = told.product(page.facts) or product
            records += told.records
            follows += told.follows
            reports.append(
                HandlerReport(handler.name, handler.version, len(told.records), error or told.error)
            )
        handled = Handled(tuple(records), tuple(reports))
        return HandledPage(handled, tuple(follows[:_MOST_FOLLOWED]), product)

    async def rehearsed(
        self, page: CrawledPage, handlers: Sequence[Handler], rehearsal: Rehearsal
    ) -> Died | None:
        """Whether a process dies of asking them. What they tell there is not kept."""
        alone = Handlers(handlers, self._policy, threads=False)
        seconds = self._policy.seconds * len(handlers)
        return await rehearsal.died(lambda: alone.run(page, handlers), seconds)

    def close(self) -> None:
        if self._thread is not None:
            self._thread.close()

    async def _ask(
        self, handler: Handler, page: CrawledPage, told: _TellingOf, begins: Callable[[], None]
    ) -> str:
        """What it raised, as a traceback; empty for nothing."""
        seconds, limit = self._policy.seconds, None
        if self._stuck[handler.name] >= _MOST_STUCK:
            return f"It hung {_MOST_STUCK} times, and is not asked any more by this process."

        def hear() -> None:
            begins()
            _hear(handler, page, told)

        try:
            if handler.is_async:
                begins()
                async with asyncio.timeout(seconds) as limit:
                    await _hear_async(handler, page, told)
            elif self._thread is None:
                hear()
            else:
                await self._thread.call(hear, seconds)
        except HandlerStuck:
            self._stuck[handler.name] += 1
            log.error(
                "handler %s hangs at %s: it took longer than %g s and could not be ended.",
                handler.name, page.url, seconds,
            )  # fmt: skip
            return f"It took longer than {seconds:g} s and hangs. handling.seconds bounds it."
        except (Exception, HandlerOverdue, SystemExit) as error:
            told_where = _traceback(error)
            if isinstance(error, HandlerOverdue) or (limit is not None and limit.expired()):
                told_where += f"It took longer than {seconds:g} s. handling.seconds bounds it."
            return told_where[-_LONGEST_ERROR:]
        return ""


def not_asked(handlers: Sequence[Handler], died: Died) -> Handled:
    """What they have told of a page that a process dies of: nothing, and why."""
    error = f"It was not asked: the page has killed the processes that read it: {died.how}."
    reports = tuple(HandlerReport(each.name, each.version, 0, error) for each in handlers)
    return Handled(reports=reports)


class _Enough(Exception):
    """It has told all it may."""


class _TellingOf:
    """What one handler tells of one page."""

    def __init__(self, handler: Handler, policy: HandlingPolicy) -> None:
        self._handler = handler
        self._policy = policy
        self._places: Counter[str] = Counter()
        self._product: OwnProduct | None = None
        self.records: list[HandledRecord] = []
        self.follows: list[Follow] = []
        self.error = ""

    def take(self, told: object) -> None:
        match told:
            case None:
                return
            case Record():
                self._keep(told)
            case Follow(href=href):
                if href and len(self.follows) < _MOST_FOLLOWED:
                    self.follows.append(told)
            case OwnProduct():
                self._product = told
            case Mapping() if self._handler.is_product:
                self._product = OwnProduct({str(k): str(v) for k, v in told.items() if v})
            case _:
                raise RecordInvalid(
                    f"a handler yields page.record(…), page.follow(…) or page.product(…), not a"
                    f" {type(told).__name__}."
                )

    def product(self, page: Page) -> Product | None:
        if self._product is None:
            return None
        from tenax.page.product import product_told

        return product_told(page, self._product.fields, self._handler.name, self._handler.version)

    def _keep(self, record: Record) -> None:
        handler, policy = self._handler, self._policy
        if len(self.records) >= policy.records:
            self.error = (
                f"It told more than {policy.records:,} records of one page: the rest was left out."
                " handling.records says how many may be."
            )
            raise _Enough
        data, digest = as_json(record.fields)
        if len(data) > policy.record_bytes:
            self.error = (
                f"record {record.name!r} has {len(data):,} bytes, more than"
                f" {policy.record_bytes:,}: it was left out. handling.record_bytes says how many"
                " may be."
            )
            return
        place = 0
        if not record.key:
            place = self._places[record.name]
            self._places[record.name] += 1
        self.records.append(
            HandledRecord(
                record.name, record.key, handler.name, handler.version, place, data, digest
            )
        )


def _hear(handler: Handler, page: CrawledPage, told: _TellingOf) -> None:
    answered = handler.function(page)
    try:
        for each in _each(answered):
            told.take(each)
    except _Enough:
        pass
    finally:
        if isinstance(answered, Iterator) and hasattr(answered, "close"):
            answered.close()


async def _hear_async(handler: Handler, page: CrawledPage, told: _TellingOf) -> None:
    answered = handler.function(page)
    try:
        if isinstance(answered, AsyncIterator):
            async for each in answered:
                told.take(each)
        else:
            for each in _each(await answered):
                told.take(each)
    except _Enough:
        pass
    finally:
        if isinstance(answered, AsyncIterator) and hasattr(answered, "aclose"):
            await answered.aclose()


def _each(answered: Any) -> Iterable[object]:
    """What was yielded, or returned: several, one, or nothing."""
    if isinstance(answered, Iterator | list | tuple):
        return answered
    return (answered,)


def _traceback(error: BaseException) -> str:
    """As Python prints it, without what is ours above the handler; its end, where it is long."""
    begin: TracebackType | None = error.__traceback__
    while begin is not None and begin.tb_next is not None and _is_ours(begin):
        begin = begin.tb_next
    lines = traceback.format_exception(type(error), error, begin)
    return "".join(lines)[-_LONGEST_ERROR:]


def _is_ours(frame: TracebackType) -> bool:
    return str(frame.tb_frame.f_globals.get("__name__")).startswith(("tenax.crawl.", "asyncio."))
