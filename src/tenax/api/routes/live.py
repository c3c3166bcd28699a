"""`/api/stats`, `/api/live`, `/api/visits`: how much there is, what is going on, what went on."""

from __future__ import annotations

from typing import Annotated
from zlib import crc32

import msgspec
from fastapi import Query, Request
from fastapi.responses import StreamingResponse
from msgspec import Struct

from tenax.api import cursors
from tenax.api.callers import Caller, caller_of
from tenax.api.guard import Doors, unknown
from tenax.api.listing import Cursor, Limit, ListPart, Name, checked_job, listed, the_job
from tenax.api.live import Figures, LiveHub, LiveTopic
from tenax.api.problems import Problem
from tenax.compose.api import Opened
from tenax.hosts.standing import HostStanding, standing
from tenax.model import Job, JobState, State
from tenax.ops.accounts.users import lapsed
from tenax.ops.dates import iso
from tenax.ops.health.metrics import SILENT
from tenax.ops.health.timeseries import MOST_MINUTES, StepTooShort, Timeseries, timeseries
from tenax.ops.health.totals import LedgerTotals
from tenax.ops.jobs.facts import JobFacts, job_facts, job_outlook, job_summary
from tenax.ops.plain import plain
from tenax.ports.accounts import ApiRole
from tenax.ports.overview import DoneSums, HostSieve, HostSight, SeenAttempt, VisitSieve

_EVENTS = "text/event-stream"
_MINUTE = 60
_MOST_MINUTES = 10
_STALE = 5.0
"""Seconds after which the last look says nothing of how fast it goes now."""
_MOST_JOBS = 12
"""Jobs that run and are looked at twice a second, for those who want to know of all."""
_ASIDE_EVERY = 2.0
"""Seconds between looks at what takes longer: queues, what waits for whom, what is wrong."""
_MOST_LETTERS = 10_000
_MOST_ALERTS = 100
_MOST_TROUBLED = 20
_RATES = ("visits", "pages", "failures", "bytes")
SeriesMinutes = Annotated[int, Query(ge=1, le=MOST_MINUTES, description="Minutes.")]
Status = Annotated[int | None, Query(ge=100, le=599)]
Word = Annotated[str | None, Query(max_length=40)]


class Lately(Struct, frozen=True):
    """What was done in the last minutes."""

    seconds: float
    visits: int
    pages: int
    failures: int
    bytes: int


class Stats(Struct, frozen=True):
    """Totals. No names, hosts or URLs."""

    pages: int
    known: int
    """URLs; the sum over `states`."""
    states: dict[State, int]
    statuses: dict[str, int]
    """Answers by their status, `none` where none came; all that there ever were."""
    jobs: dict[JobState, int]
    workers: int
    """Processes that work now."""
    lately: Lately


def add(doors: Doors, opened: Opened) -> None:
    live = _Live(opened)
    doors.keep("live", live.hub)
    doors.get("/api/stats", live.stats, ApiRole.ANONYMOUS)
    doors.get(
        "/api/live",
        live.stream,
        ApiRole.ANONYMOUS,
        streams=True,
        problems=(403, 404),
        media=(_EVENTS,),
    )
    doors.get("/api/stats/timeseries", live.timeseries, ApiRole.USER, problems=(404,))
    doors.get("/api/visits", live.visits, ApiRole.USER, problems=(404,))


class _Seen(Struct):
    """What was done until the last look, to tell how much it is a second."""

    at: float
    since: int
    """The minute from which on `sums` are counted."""
    sums: DoneSums


class _Live:
    def __init__(self, opened: Opened) -> None:
        self._ledger = opened.ledger
        self._overview = opened.overview
        self._keys = opened.keys
        self._users = opened.users
        self._totals = LedgerTotals(opened.overview, opened.ledger.clock)
        self.hub = LiveHub(self._look, opened.ledger.clock, self._look_at, self._lapsed)
        self._seen: _Seen | None = None
        self._names: dict[int, str] = {}
        self._looked_at: dict[int, tuple[float, JobFacts]] = {}
        """When queues and waits of jobs were looked at, and what was seen."""
        self._trouble: tuple[float, Figures] | None = None

    async def stats(self) -> Stats:
        """Totals, and what was done in the last minutes. No names, hosts or URLs."""
        overview, ledger = self._overview, self._ledger
        totals, lately = await self._totals.now(), await overview.lately()
        jobs = await overview.job_states()
        now = ledger.clock.now()
        return Stats(
            pages=totals.pages,
            known=totals.known,
            states={state: totals.of(state) for state in State},
            statuses=totals.statuses,
            jobs=dict(sorted(jobs.items())),
            workers=sum(now - each.seen_at < SILENT for each in await overview.workers()),
            lately=Lately(
                seconds=round(lately.seconds, 1),
                visits=lately.visits,
                pages=lately.pages,
                failures=lately.failures,
                bytes=lately.bytes,
            ),
        )

    async def stream(
        self, request: Request, job: Name = None, host: Name = None, jobs: bool = False
    ) -> StreamingResponse:
        """Figures as server-sent events: `full` first, with the last five minutes, then `tick` when
        something changed, at most twice a second. No names, hosts or URLs; of a job or a host that
        is named, its part besides, for users. With `jobs`, the jobs that run, as far as whoever
        asks may see them: nobody who is anonymous sees any."""
        caller = caller_of(request)
        if job is not None or host is not None:
            _check_part(caller, job, host)
            await checked_job(self._ledger, job)
        is_known = caller.role is not ApiRole.ANONYMOUS
        among = None if caller.jobs is None or not jobs else tuple(sorted(caller.jobs))
        topic = LiveTopic(job, None if host is None else host.lower(), jobs and is_known, among)
        if self.hub.is_full(stranger=not is_known) or self.hub.is_too_much(topic):
            raise Problem(503, "As many listen as may.", {"Retry-After": "10"})
        events = self.hub.listen(topic, stranger=not is_known, digest=caller.digest)
        return StreamingResponse(events, media_type=_EVENTS)

    async def timeseries(
        self, job: Name = None, minutes: SeriesMinutes = 60, step: SeriesMinutes = 1
    ) -> Timeseries:
        """What was done in each step of the last minutes: visits, pages, failures, bytes, and
        answers by the first digit of their status. It is kept by the minute for a week, and by the
        hour for two years: steps of whole hours reach further back."""
        id = None if job is None else (await the_job(self._ledger, job)).id
        now = self._ledger.clock.now()
        found = await timeseries(self._overview, id, minutes, step, now)
        if isinstance(found, StepTooShort):
            raise Problem(422, f"step: {found.why}.")
        return found

    async def visits(
        self,
        job: Name = None,
        host: Name = None,
        outcome: Word = None,
        status: Status = None,
        limit: Limit = 50,
        cursor: Cursor = None,
    ) -> ListPart[SeenAttempt]:
        """The latest visits, newest first. Of a rare kind an answer may be short, or empty,
        although there is more."""
        sieve = VisitSieve(await checked_job(self._ledger, job), host, outcome, status)
        before = cursors.number(cursor) or None
        found, place = await self._overview.latest_visits(sieve, before, limit)
        return listed(found, place)

    async def _lapsed(self, digests: set[bytes]) -> set[bytes]:
        return await lapsed(self._keys, self._users, digests)

    async def _look(self) -> Figures:
        now = self._ledger.clock.now()
        totals = await self._totals.now()
        workers = await self._overview.workers()
        return {
            "at": iso(now),
            "pages": totals.pages,
            "known": totals.known,
            "states": {state.value: totals.of(state) for state in State},
            "statuses": totals.statuses,
            "workers": sum(now - each.seen_at < SILENT for each in workers),
            "a_second": await self._rates(now),
        }

    async def _look_at(self, topic: LiveTopic) -> Figures:
        """The part of a job, or of a host; null where there is none of this name any more."""
        part: Figures = {}
        ledger = self._ledger
        if topic.job is not None:
            job = await ledger.jobs.get(topic.job)
            facts = None if job is None else await job_facts(ledger.jobs, job, ledger.settings.pace)
            part["job"] = None if facts is None else plain(job_summary(facts))
        if topic.jobs:
            part["jobs"] = await self._running(topic.among)
            if topic.among is None:
                part |= await self._what_is_wrong()
        if topic.host is not None:
            part["host"] = None
            sight = await self._overview.host(topic.host)
            if sight is not None:
                now = ledger.clock.now()
                starts = await ledger.hosts.requests(sight.host.id, now - _MINUTE)
                stands = plain(self._standing(sight, now))
                times = [iso(each.at) for each in starts]
                part["host"] = {**plain(sight), "standing": stands, "requests": times}
        return part

    async def _running(self, among: tuple[str, ...] | None) -> list[Figures]:
        ledger, found = self._ledger, []
        states = await ledger.jobs.states()
        running = [id for id, state in states.items() if state is JobState.RUNNING]
        if any(id not in self._names for id in running):
            self._names = {job.id: job.name for job in await ledger.jobs.all()}
        named = [self._names[id] for id in sorted(running) if id in self._names]
        for name in [each for each in named if among is None or each in among][:_MOST_JOBS]:
            job = await ledger.jobs.get(name)
            if job is not None and job.state is JobState.RUNNING:
                facts = await self._facts(job)
                found.append({**plain(job_outlook(facts)), "spec_mark": _mark(job.spec)})
        self._looked_at = {id: self._looked_at[id] for id in running if id in self._looked_at}
        return found

    async def _facts(self, job: Job) -> JobFacts:
        ledger, now = self._ledger, self._ledger.clock.now()
        at, before = self._looked_at.get(job.id, (0.0, None))
        if not 0 <= now - at < _ASIDE_EVERY:
            before = None
        facts = await job_facts(ledger.jobs, job, ledger.settings.pace, ledger.hosts, before)
        if before is None:
            self._looked_at[job.id] = now, facts
        return facts

    async def _what_is_wrong(self) -> Figures:
        """How many dead letters and open alerts there are, and a mark of how hosts in trouble
        stand: nobody has to ask for what did not change."""
        ledger, now = self._ledger, self._ledger.clock.now()
        if self._trouble is not None and 0 <= now - self._trouble[0] < _ASIDE_EVERY:
            return self._trouble[1]
        alerts = await ledger.alerts.latest(None, _MOST_ALERTS, open_only=True)
        hosts, _ = await self._overview.hosts(HostSieve("", troubled=True), "", _MOST_TROUBLED)
        found: Figures = {
            "dead_letters": await ledger.dead.count(_MOST_LETTERS),
            "alerts": len(alerts),
            "hosts_mark": _mark([(each.host.name, self._standing(each, now)) for each in hosts]),
        }
        self._trouble = now, found
        return found

    def _standing(self, sight: HostSight, now: float) -> HostStanding:
        ledger = self._ledger
        treatment = ledger.settings.at(ledger.sites.of(sight.host.name)).treatment
        return standing(sight.host, now, treatment)

    async def _rates(self, now: float) -> dict[str, float]:
        """By the difference of exact sums between two looks."""
        before, minute = self._seen, int(now // _MINUTE)
        if before is not None and not before.at < now <= before.at + _STALE:
            before = None
        since = minute - 1 if before is None else before.since
        sums = await self._overview.done_since(since)
        rates = dict.fromkeys(_RATES, 0.0)
        if before is not None:
            passed = now - before.at
            rates = {
                name: round((getattr(sums, name) - getattr(before.sums, name)) / passed, 1)
                for name in _RATES
            }
        if minute - since > _MOST_MINUTES:
            # Nobody counts an hour of minutes twice a second.
            since = minute - 1
            sums = await self._overview.done_since(since)
        self._seen = _Seen(now, since, sums)
        return rates


def _mark(told: object) -> str:
    """Another one when this is not the same any more."""
    return f"{crc32(msgspec.json.encode(told)):08x}"


def _check_part(caller: Caller, job: str | None, host: str | None) -> None:
    """The figures are for everybody; what has a name is for those who may see it."""
    if caller.role is ApiRole.ANONYMOUS:
        raise unknown("Parts of jobs and hosts need a key or a login.")
    if caller.jobs is not None and (host is not None or job not in caller.jobs):
        raise Problem(403, f"Your key is for {', '.join(caller.jobs)}: name one of these jobs.")
