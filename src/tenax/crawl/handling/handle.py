"""When is a page handed to the user's handlers? Once it was read and judged good, in its visit.

Never a wall, a listing, a page that asks not to be kept, or one that is what it was. Handlers call
the same C as readers do, so a page that somebody died of is handed over once in a process of its
own first: only where that dies, too, nobody is asked (decision 0029).
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from tenax.crawl.admit import Admission
from tenax.crawl.handling.runner import HandledPage, Handlers, not_asked
from tenax.crawl.settle import Admitted
from tenax.fetch.reading import Died, NoNote, Note, Rehearsal
from tenax.model import Candidate, LeasedTarget, Page, Role, Sends
from tenax.model.record import Handled
from tenax.outcome import Outcome, Read, Unchanged
from tenax.page.handlers.crawled_page import CrawledPage
from tenax.page.handlers.registry import Handler

_INNOCENT = 2
"""So many deaths say little of a page where it is not clear whether it kills: whoever kills a
process again and again kills it while it reads something."""


class HandledVisit(Struct, frozen=True):
    """What came of a visit by its handlers."""

    handled: Handled
    followed: Admitted = Admitted()
    is_deadly: bool = False
    """Nobody was asked, because a process dies of that."""


class Handling:
    def __init__(self, handlers: Handlers, note: Note, rehearsal: Rehearsal | None = None) -> None:
        """`note` is told whose page is read, for whoever finds this process dead."""
        self._handlers = handlers
        self._note = note
        self.rehearsal = rehearsal

    async def handle(
        self, outcome: Outcome, target: LeasedTarget, admission: Admission
    ) -> tuple[Outcome, HandledVisit | None]:
        """The outcome, with what a handler knew of its product; and what all of them told. None
        where none is for the page."""
        match outcome:
            case Unchanged() if target.copy is not None and self._handlers.read(target.url):
                return outcome, HandledVisit(Handled(is_same=True))
            case Read(page=page) if target.role is not Role.IMAGE and _is_kept(page):
                found = self._handlers.read(page.url)
                if not found:
                    return outcome, None
                crawled = CrawledPage(page, target.depth, admission.job.name)
                died = await self._died(crawled, found) if target.crashes else None
                if died is not None and (died.is_sure or target.crashes > _INNOCENT):
                    return outcome, HandledVisit(not_asked(found, died), is_deadly=True)
                # What was survived elsewhere is survived here, so a death now is not its fault.
                note = NoNote() if target.crashes and died is None else self._note

                def begins() -> None:
                    note.begin(target.id, target.url, goes_on=True)

                try:
                    told = await self._handlers.run(crawled, found, begins)
                finally:
                    note.end()
                if told.product is not None:
                    outcome = Read(replace(page, product=told.product))
                return outcome, HandledVisit(told.handled, _offered(told, page, target, admission))
            case _:
                return outcome, None

    async def _died(self, page: CrawledPage, found: list[Handler]) -> Died | None:
        """Of asking them about a page that somebody has died of."""
        if self.rehearsal is None:
            return Died("nobody was there to rehearse it", is_sure=False)
        return await self._handlers.rehearsed(page, found, self.rehearsal)


def _offered(told: HandledPage, page: Page, target: LeasedTarget, admission: Admission) -> Admitted:
    """What the door says of the URLs that they want to follow, as of the page's links."""
    return admission.offer_each(
        Candidate(
            follow.href,
            page.base or page.url,
            target.depth + 1,
            nofollow=page.directives.nofollow,
            found_on=target.id,
            priority=follow.priority,
            sends=None if follow.post is None else Sends(follow.post, follow.content_type),
        )
        for follow in told.follows
    )


def _is_kept(page: Page) -> bool:
    return page.listing is None and not page.directives.noindex and page.body is not None
