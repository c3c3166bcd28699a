"""Settings → a running App, opened in straight lines and closed in reverse order."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from tenax.compose.clients import make_clients, open_proxy_pool, read_signatures, user_agent
from tenax.compose.content import Around, open_content
from tenax.compose.events import sink_names, telling, telling_meanwhile
from tenax.compose.ledger import as_shared, open_ledger
from tenax.compose.redis import open_shared
from tenax.crawl.admit import Admission
from tenax.crawl.explore.guesser import Guesser
from tenax.crawl.explore.scout import Scout
from tenax.crawl.fleet.shared_address import Neighbours
from tenax.crawl.gate import Gate
from tenax.crawl.outages.outage import FAREWELL
from tenax.crawl.outages.patient_store import PatientStore
from tenax.crawl.roster import Roster
from tenax.crawl.run import CrawlParts, CrawlPolicies, CrawlRun
from tenax.crawl.source import Queued, WorkSource
from tenax.fetch.fetcher import Fetcher
from tenax.fetch.fetcher import FetcherParts as FetchParts
from tenax.fetch.robots import RobotsBook
from tenax.hosts.pace import PoliteTo
from tenax.jobs.revisit_policy import Recrawling
from tenax.model import Client, Job
from tenax.outcome import Settlement
from tenax.ports import (
    Auditor,
    Clock,
    ContentStore,
    DeadLetters,
    EventSink,
    Frontier,
    HostBook,
    Names,
    Outbox,
    Pages,
    Proxies,
    RobotsStore,
    Rules,
    Transport,
    WorkQueue,
)
from tenax.settings import Settings, SettingsError
from tenax.urls.addresses import AddressRules
from tenax.urls.decide import Door

if TYPE_CHECKING:
    from tenax.adapters.sql.engine.transactions import Transactions
    from tenax.crawl.fleet.dispatch import Dispatch


class App(Struct, frozen=True):
    """Everything opened and connected, on one ledger."""

    settings: Settings
    parts: CrawlParts
    pages: Pages
    hosts: HostBook
    robots: RobotsStore
    rules: Rules
    content: ContentStore
    auditor: Auditor
    addresses: AddressRules
    proxies: Proxies
    dead: DeadLetters
    outbox: Outbox
    database: Transactions
    """For what few commands ask of the ledger, and is loaded when they do."""

    def admission(self, job: Job) -> Admission:
        door = _door(self.addresses, self.parts.clock, job)
        return Admission(job, door, self.settings.yields)

    def run(
        self, job: Job, heard: Callable[[Sequence[Settlement]], None] = lambda _: None
    ) -> CrawlRun:
        """Work on this job until it ends."""
        return CrawlRun(self.parts, Roster(self.parts.jobs, self.admission, [job]), heard)

    def serve_jobs(self, *, until_done: bool = False, source: WorkSource | None = None) -> CrawlRun:
        """Work on every job there is and will be, until stopped, or until none has work left."""
        roster = Roster(self.parts.jobs, self.admission)
        return CrawlRun(self.parts, roster, stays=not until_done, source=source)

    def queued(self, queue: WorkQueue | None) -> WorkSource | None:
        """Work as it comes out of this queue; None for as the ledger has it."""
        if queue is None:
            return None
        return Queued(queue, self.parts.frontier, self.parts.clock, self.settings.dispatch)

    def dispatch(self, queue: WorkQueue) -> Dispatch:
        """Hand out the work of every job there is and will be, until stopped."""
        from tenax.crawl.fleet.dispatch import Dispatch

        roster = Roster(self.parts.jobs, self.admission)
        return Dispatch(self.parts, roster, queue, self.settings.dispatch)

    def hasten(self) -> None:
        """We are to end: servers that are away are not waited for much longer."""
        self.database.hasten(FAREWELL)
        if isinstance(self.content, PatientStore):
            self.content.hasten(FAREWELL)

    def telling(self, say: Callable[[str], None]) -> AbstractAsyncContextManager[None]:
        """Tell others of pages meanwhile, if anybody is to be told; `say` is told of trouble."""
        clock = self.parts.clock
        return telling_meanwhile(self.settings, self.outbox, clock, say, self.own_sinks())

    def own_sinks(self) -> dict[str, EventSink]:
        """Who is told of pages and has to look them up: the search index, where one is set."""
        if not self.settings.search:
            return {}
        from tenax.compose.search import SEARCH, make_search_sink

        return {SEARCH: make_search_sink(self)}

    def telling_dead(self, say: Callable[[str], None]) -> AbstractAsyncContextManager[None]:
        """Tell Redis meanwhile of what was given up, where there is one."""
        settings = replace(self.settings, events="", search="")
        return telling_meanwhile(settings, self.outbox, self.parts.clock, say)


def preload() -> None:
    """Load what takes longest to load and every App needs: for those who know that they will open
    one, and wait to be told which."""
    import tenax.adapters.sql.frontier.frontier  # noqa: F401


@asynccontextmanager
async def open_app(
    settings: Settings,
    *,
    create: bool = True,
    clock: Clock | None = None,
    rng: Random | None = None,
    web: Transport | None = None,
    fallbacks: Mapping[Client, Transport] | None = None,
    names: Names | None = None,
    threads: bool | None = None,
) -> AsyncIterator[App]:
    """Open the ledger and everything around it; closed again in reverse order.

    `web`, `fallbacks` and `names` stand in for the network: the main client, the others, and who
    is asked for addresses. A thread for the bodies is used where there is a core for it.
    """
    from tenax.adapters.local.read_alone import ChildReader
    from tenax.adapters.local.vault import Vault
    from tenax.adapters.sql.frontier.frontier import SqlFrontier
    from tenax.adapters.sql.records.dead_letters import SqlDeadLetters
    from tenax.adapters.sql.records.hosts import SqlHostBook, SqlRobotsStore
    from tenax.adapters.sql.records.jobs import SqlJobs
    from tenax.adapters.sql.records.outbox import SqlOutbox
    from tenax.adapters.sql.records.pages import SqlPages
    from tenax.adapters.sql.records.proxies import SqlProxies
    from tenax.adapters.sql.records.rules import SqlRules
    from tenax.adapters.sql.reports.audit import SqlAuditor

    try:
        addresses = AddressRules(settings.allow_private)
    except ValueError as error:
        raise SettingsError(str(error)) from error
    async with AsyncExitStack() as stack:
        threads = _has_cores_to_spare(settings) if threads is None else threads
        settings = as_shared(settings)
        ledger = await open_ledger(settings, stack, clock, create=create)
        database, clock = ledger.database, ledger.clock
        redis = open_shared(settings, clock, stack)
        content = open_content(Around(settings, redis, threads=threads, clock=clock), stack)
        clients = make_clients(settings, addresses, clock, web, fallbacks)
        for client in clients.values():
            stack.push_async_callback(client.close)
        rng = rng or Random()
        vault = Vault(Path(settings.data), settings.secret_key)
        proxies = SqlProxies(database, vault, settings.proxies)
        pool = await open_proxy_pool(settings, proxies, clock, rng)
        if pool is not None:
            stack.push_async_callback(pool.close)

        robots_store: RobotsStore = SqlRobotsStore(database)
        host_book: HostBook = SqlHostBook(database, clock, settings.treatment, settings.lease)
        if redis is not None:
            robots_store, host_book = redis.robots(robots_store), redis.host_book(database)
        agent = user_agent(settings)
        policy = replace(settings.fetch, user_agent=agent)
        try:
            fetcher = Fetcher(
                FetchParts(
                    clients,
                    clock,
                    read_signatures(settings),
                    pool,
                    ledger.note,
                    ChildReader(settings.reading, settings.fetch.signatures),
                ),
                policy,
                token=settings.token,
                sites=settings.sites,
                freshness=settings.freshness,
                listings=settings.listing,
            )
        except ValueError as error:
            raise SettingsError(str(error)) from error
        robots = RobotsBook(fetcher, robots_store, clock, settings.robots, agent)
        frontier = SqlFrontier(
            database,
            clock,
            settings.treatment,
            settings.lease,
            ledger.membership,
            Recrawling(settings.recrawl, settings.sites, settings.freshness.gone),
            settings.similar,
            telling(settings),
        )
        jobs = SqlJobs(database, clock)
        rules = SqlRules(database, clock, settings.guess)
        gate = Gate(robots, fetcher, clock, settings.robots, settings.token)
        parts = CrawlParts(
            clock=clock,
            rng=rng,
            frontier=frontier,
            jobs=jobs,
            hosts=host_book,
            content=content,
            fetcher=fetcher,
            gate=gate,
            guesser=Guesser(frontier, rules, gate, clock, settings.guess),
            scout=Scout(
                frontier,
                jobs,
                host_book,
                gate,
                clock,
                settings.listing,
                settings.feed.frontier_limit,
            ),
            policies=CrawlPolicies(
                settings.treatment,
                settings.retry,
                settings.commit,
                settings.feed,
                settings.freshness,
            ),
            neighbours=_neighbours(settings, names, frontier, stack),
        )
        if redis is not None:
            parts = replace(
                parts,
                watch=redis.watch(stack),
                intake=redis.reception(jobs, frontier, partial(_door, addresses, clock)),
                shelf=redis.shelf(),
            )
        yield App(
            settings=settings,
            parts=parts,
            pages=SqlPages(database),
            hosts=host_book,
            robots=robots_store,
            rules=rules,
            content=content,
            auditor=SqlAuditor(database),
            addresses=addresses,
            proxies=proxies,
            dead=SqlDeadLetters(database, clock, settings.treatment, settings.lease),
            outbox=SqlOutbox(database, clock, sink_names(settings)),
            database=database,
        )


def _door(addresses: AddressRules, clock: Clock, job: Job) -> Door:
    try:
        return Door(job.spec, addresses, clock.now())
    except ValueError as error:
        raise SettingsError(f"job {job.name!r}: {error}") from error


def _neighbours(
    settings: Settings, names: Names | None, frontier: Frontier, stack: AsyncExitStack
) -> Neighbours | None:
    if settings.pace.key is not PoliteTo.IP:
        return None
    if names is None:
        from tenax.adapters.libcurl.names import CachedNames as SystemNames

        names = system = SystemNames()
        stack.callback(system.close)
    return Neighbours(names, frontier)


def _has_cores_to_spare(settings: Settings) -> bool:
    """Whether threads could run beside the crawl. Where not, they only cost: handing work from
    one to the other took a twelfth of a crawl pinned to one core."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return (cores or 1) > settings.processes
