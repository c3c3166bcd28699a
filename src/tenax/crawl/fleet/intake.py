"""The consumer of URLs that others push: from their queue into the ledger, then acknowledged.

An item leaves the list for good only when the ledger has it. Whatever is interrupted before that is
done again: a URL may be visited twice for it, and never not at all.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
from msgspec import Meta, Struct, field
from msgspec.structs import replace

from tenax.model import (
    Candidate,
    Job,
    JobSpec,
    JobState,
    Reason,
    Rejected,
    ScopeKind,
    Sends,
    Target,
)
from tenax.model.knobs import SECONDS, AtLeastOne, Count, Name, OutOfBounds, Seconds
from tenax.model.work import sends_of
from tenax.ports import Clock, Frontier, IntakeQueue, Jobs, Unavailable, Unwanted
from tenax.ports.intake import LONGEST_ITEM
from tenax.urls.normalise import seed_url

if TYPE_CHECKING:
    from tenax.urls.decide import Door

log = logging.getLogger(__name__)

_LONGEST_NAME = 200


class Busy(Struct, frozen=True):
    """The frontier is full: propose again then. Nothing was taken, nothing was lost."""

    retry_at: float
    waiting: int


class IntakePolicy(Struct, frozen=True):
    on: bool = True
    """Take in what others push, where `redis` is set."""
    queue: Name = "crawler_queue"
    """The list in Redis that they push to."""
    again: Seconds = 0.0
    """Seconds after it was fetched for which a URL that is pushed again is left as it is."""
    job: Annotated[str, Meta(min_length=1, max_length=_LONGEST_NAME)] = "intake"
    """The job of URLs that come without one."""
    max_depth: Count = 0
    """Links away from a pushed URL, at most, in jobs that are made for them; 0 for itself only."""
    at_once: AtLeastOne = 500
    """URLs taken in together."""
    poll: Annotated[float, Meta(ge=0.01), SECONDS] = 0.5
    """Seconds between two looks while nothing comes, or the ledger is full."""
    recover: Annotated[float, Meta(ge=1), SECONDS] = 15.0
    """Seconds between two looks for what dead takers have left behind."""


class PushedUrl(msgspec.Struct, frozen=True):
    """A URL as somebody pushed it. Other fields are theirs, and not looked at."""

    url: str
    job: str = ""
    priority: int | None = None
    depth: int = 0
    method: Literal["GET", "POST"] = "GET"
    body: str | None = None
    content_type: str | None = None

    @property
    def sends(self) -> Sends | None:
        """What is sent there. Raises `OutOfBounds`."""
        return sends_of(self.url, self.method, self.body, self.content_type)


_decode = msgspec.json.Decoder(PushedUrl).decode


def read_item(raw: bytes, policy: IntakePolicy) -> PushedUrl | Unwanted:
    """Plain text is a URL; what begins with a brace is JSON."""
    if len(raw) > LONGEST_ITEM:
        return Unwanted(raw, "malformed", f"longer than {LONGEST_ITEM:,} bytes")
    text = raw.strip()
    try:
        item = _decode(text) if text.startswith(b"{") else PushedUrl(text.decode())
        item.sends  # noqa: B018 - asked here, where it can be refused
    except (msgspec.MsgspecError, OutOfBounds, UnicodeDecodeError, RecursionError) as error:
        return Unwanted(raw, "malformed", str(error))
    if not item.url.strip():
        return Unwanted(raw, "malformed", "no URL")
    name = item.job.strip() or policy.job
    if len(name) > _LONGEST_NAME or not name.isprintable():
        return Unwanted(raw, "malformed", "not a name for a job")
    if item.depth < 0:
        return Unwanted(raw, "malformed", "a depth below 0")
    return replace(item, job=name)


class _Batch(Struct):
    """What becomes of the items taken together."""

    unwanted: list[Unwanted] = field(default_factory=list)
    back: list[bytes] = field(default_factory=list)


class Reception:
    """Takes in what others push, until it is cancelled."""

    def __init__(
        self,
        queue: IntakeQueue,
        jobs: Jobs,
        frontier: Frontier,
        clock: Clock,
        policy: IntakePolicy,
        door: Callable[[Job], Door],
        frontier_limit: int,
    ) -> None:
        self._queue = queue
        self._jobs = jobs
        self._frontier = frontier
        self._clock = clock
        self._policy = policy
        self._door = door
        self._limit = frontier_limit
        self._doors: dict[str, tuple[JobSpec, Door]] = {}
        self._is_lost = False

    async def run(self, more_found: Callable[[], None] = lambda: None) -> None:
        """`more_found` is called when there is something new in the ledger."""
        recovered_at = 0.0
        try:
            while True:
                try:
                    if self._clock.now() - recovered_at >= self._policy.recover:
                        await self._recover()
                        recovered_at = self._clock.now()
                    outcome = await self.take_in()
                    self._found_again()
                except Unavailable as error:
                    self._lost(error)
                    outcome = 0
                if outcome and not isinstance(outcome, Busy):
                    more_found()
                    continue
                await self._clock.sleep(self._policy.poll)
        finally:
            await self._leave()

    async def take_in(self) -> int | Busy:
        """Move the next items to the ledger; how many were taken, or that some have to wait."""
        taken = await self._queue.take(self._policy.at_once)
        if not taken:
            return 0
        batch = _Batch()
        for name, items in self._by_job(taken, batch).items():
            await self._add(name, items, batch)
        # A crash up to here leaves all of it on record as ours, to be done again.
        await self._queue.settle(batch.unwanted, batch.back)
        if batch.back:
            return Busy(self._clock.now() + self._policy.poll, len(batch.back))
        return len(taken)

    def _by_job(
        self, taken: list[bytes], batch: _Batch
    ) -> dict[str, list[tuple[bytes, PushedUrl]]]:
        grouped: dict[str, list[tuple[bytes, PushedUrl]]] = {}
        for raw in taken:
            item = read_item(raw, self._policy)
            if isinstance(item, Unwanted):
                batch.unwanted.append(item)
            else:
                grouped.setdefault(item.job, []).append((raw, item))
        return grouped

    async def _add(self, name: str, items: list[tuple[bytes, PushedUrl]], batch: _Batch) -> None:
        job = await self._jobs.get(name) or await self._jobs.save(name, self._spec())
        waiting = (await self._jobs.counts(job.id)).unfinished
        room = max(0, self._limit - waiting)
        batch.back += [raw for raw, _ in items[room:]]
        door = self._door_of(job)
        targets: dict[bytes, tuple[bytes, Target]] = {}
        for raw, item in items[:room]:
            verdict = _decide(door, item)
            if isinstance(verdict, Rejected):
                batch.unwanted.append(Unwanted(raw, verdict.reason, verdict.detail))
            else:
                targets.setdefault(verdict.key, (raw, verdict))
        if not targets:
            return
        pushed = [target for _, target in targets.values()]
        added = await self._frontier.push(job.id, pushed, self._fetched_before())
        # Of several that are sent to one URL those that came last are too many.
        by_url: dict[str, list[bytes]] = {}
        for raw, target in targets.values():
            by_url.setdefault(target.url, []).append(raw)
        for url, reason in added.over_limit:
            if raws := by_url.get(url):
                batch.unwanted.append(Unwanted(raws.pop(), reason, "a limit of the job"))
        if added.new or added.again:
            await self._wake(job)

    def _fetched_before(self) -> float:
        """Without a limit no clock is asked: those of other machines may be ahead of ours."""
        again = self._policy.again
        return self._clock.now() - again if again else math.inf

    async def _wake(self, job: Job) -> None:
        """A job that was done has work again; one that a person stopped or paused waits for them.

        Asked after the adding: whoever finds the job done in between looks whether more came.
        """
        if (await self._jobs.states()).get(job.id) is JobState.DONE:
            await self._jobs.set_state(job.id, JobState.RUNNING)

    def _spec(self) -> JobSpec:
        """Only what was pushed is wanted: nothing is looked for besides it."""
        return JobSpec(scope=ScopeKind.ANY, max_depth=self._policy.max_depth, discover=())

    def _door_of(self, job: Job) -> Door:
        known = self._doors.get(job.name)
        if known is None or known[0] != job.spec:
            known = self._doors[job.name] = (job.spec, self._door(job))
        return known[1]

    async def _recover(self) -> None:
        if count := await self._queue.recover():
            log.warning("%d URLs that a dead worker had taken are back in the queue", count)

    def _lost(self, error: Unavailable) -> None:
        if not self._is_lost:
            log.warning("nothing is taken in for now: %s", error)
        self._is_lost = True

    def _found_again(self) -> None:
        if self._is_lost:
            log.warning("what others push is taken in again")
        self._is_lost = False

    async def _leave(self) -> None:
        try:
            await self._queue.leave()
        except Unavailable as error:
            log.debug("what was taken is put back by others: %s", error)


def _decide(door: Door, item: PushedUrl) -> Target | Rejected:
    candidate = Candidate(
        seed_url(item.url), depth=item.depth, priority=item.priority, sends=item.sends
    )
    try:
        return door.decide(candidate)
    except Exception as error:
        # Left in the queue it would stop everybody behind it, for ever.
        log.exception("a pushed URL cannot be decided on: %r", item.url)
        return Rejected(item.url, Reason.MALFORMED, f"{type(error).__name__}: {error}")
