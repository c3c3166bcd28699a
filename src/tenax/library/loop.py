"""The queue behind a program's loop: at least once each, and a slow reader holds the crawl (REC-4).

A page is confirmed when the next one is asked for. Confirmations are written together, so a program
that is killed is given the pages of its last moment once more.
"""

from __future__ import annotations

from collections import deque

from tenax.library.pages import stored_page
from tenax.page.handlers.crawled_page import CrawledPage
from tenax.ports import Clock, ContentStore
from tenax.ports.programs.handover import Handover, Handovers, PageConsumer

MOST_AHEAD = 100
"""Pages that are stored and not read, from which the crawl waits."""
_AT_ONCE = 50
_MOMENT = 0.05
"""Seconds that a confirmation may wait for others."""


class PageQueue:
    """What waits for one consumer."""

    def __init__(
        self, handovers: Handovers, content: ContentStore, consumer: PageConsumer, clock: Clock
    ) -> None:
        self._handovers = handovers
        self._content = content
        self._consumer = consumer
        self._clock = clock
        self._batch: deque[Handover] = deque()
        self._read: Handover | None = None
        self._arrived: list[Handover] = []
        self._since = 0.0
        self.ahead = MOST_AHEAD
        """Pages that wait, as far as is known; until somebody has looked, too many."""

    async def next(self) -> CrawledPage | None:
        """The next page, which confirms the one before; None while there is none."""
        self._confirm_read()
        while True:
            if not self._batch:
                await self._look()
                if not self._batch:
                    return None
            elif self._arrived and self._clock.now() - self._since >= _MOMENT:
                await self.flush()
            handed = self._batch.popleft()
            page = handed.page
            if page is None:
                self._arrive(handed)
                continue
            self._read = handed
            body = await self._content.get(bytes.fromhex(page.digest)) if page.digest else None
            return stored_page(page, body)

    async def flush(self) -> None:
        """Write down what has arrived."""
        arrived, self._arrived = self._arrived, []
        await self._handovers.confirm(self._consumer, arrived)

    async def _look(self) -> None:
        await self.flush()
        self._batch.extend(await self._handovers.next(self._consumer, _AT_ONCE))
        is_all = len(self._batch) < _AT_ONCE
        self.ahead = (
            len(self._batch)
            if is_all and self._batch and self._batch[0].ticket
            else await self._handovers.ahead(self._consumer, MOST_AHEAD)
        )

    def _confirm_read(self) -> None:
        if self._read is not None:
            self._arrive(self._read)
            self._read = None

    def _arrive(self, handed: Handover) -> None:
        if not self._arrived:
            self._since = self._clock.now()
        self._arrived.append(handed)
        self.ahead = max(0, self.ahead - 1)
