"""What every command opens: the ledger, the page bodies, the settings. Who crawls opens more.

A book is made, and its module loaded, when it is first asked for: most commands ask for two.
"""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from tenax.compose.content import Around, open_content
from tenax.compose.database import OpenDatabase, as_shared, open_database
from tenax.compose.places import names_redis
from tenax.fetch.fetch_policy import PagePolicy
from tenax.fetch.tally import Tallies
from tenax.ports import (
    Auditor,
    Clock,
    ContentStore,
    DeadLetters,
    EventSink,
    Frontier,
    HostBook,
    Jobs,
    Outbox,
    Pages,
    Proxies,
    RobotsStore,
    Rules,
    SiteStore,
)
from tenax.settings import Settings, SettingsError
from tenax.urls.addresses import AddressRules
from tenax.version import pip_install

if TYPE_CHECKING:
    from tenax.adapters.local.traces import VisitTraces
    from tenax.adapters.local.vault import Vault
    from tenax.adapters.sql.engine.transactions import Transactions
    from tenax.compose.redis import Shared
    from tenax.crawl.admit import Admission
    from tenax.crawl.fleet.site_news import SiteNews
    from tenax.crawl.observe.observer import Observer
    from tenax.crawl.outages.self_care import SelfCare
    from tenax.crawl.steps import Steps
    from tenax.model import Job
    from tenax.ops.jobs.context import JobContext
    from tenax.ops.sites.change import SiteContext
    from tenax.ports.accounts import Acts, ApiKeys, Repeats, RequestCounts, Users
    from tenax.ports.checks import AlertBook
    from tenax.ports.graph import LinkGraph
    from tenax.ports.handled import OwnRecords
    from tenax.ports.overview import Overview
    from tenax.ports.products import Products
    from tenax.ports.programs.handover import Handovers
    from tenax.ports.replayed import Rereads
    from tenax.urls.sites import Sites


class Ledger:
    """An open ledger with its books, and the content store beside it."""

    def __init__(
        self,
        settings: Settings,
        opened: OpenDatabase,
        addresses: AddressRules,
        shared: Shared | None,
        stack: AsyncExitStack,
        *,
        threads: bool,
    ) -> None:
        self.settings = settings
        from tenax.adapters.sql.engine.transactions import timed

        self.tallies = Tallies()
        """What this process and those that it started have counted."""
        self.database: Transactions = timed(opened.database, self.tallies.own.database)
        self.clock: Clock = opened.clock
        self.addresses = addresses
        self.shared = shared
        """The Redis that workers share, where there is one."""
        self.reading_note = opened.note
        """Of what this process is reading, for whoever finds it dead."""
        self._membership = opened.membership
        self._stack = stack
        self._threads = threads

    @cached_property
    def sites(self) -> Sites:
        """The rules of sites, by the settings and, once they are known, by the ledger."""
        from tenax.urls.sites import Sites

        return Sites(self.settings.sites)

    def works_as(self, role: str) -> None:
        """What this process is there for, as others see it among the workers."""
        self._membership.role = role

    async def know_sites(self) -> None:
        """Read the ledger's rules of sites: for whoever decides about URLs or hosts."""
        await self.site_news.look()

    @cached_property
    def content(self) -> ContentStore:
        around = Around(self.settings, self.shared, threads=self._threads, clock=self.clock)
        return open_content(around, self._stack)

    @cached_property
    def observer(self) -> Observer:
        """Who hears of what happens in this process."""
        from tenax.crawl.observe.observer import Observer

        return Observer(self.tallies.own)

    @cached_property
    def care(self) -> SelfCare:
        """Who looks after this process, where it crawls."""
        from tenax.crawl.outages.self_care import SelfCare

        parts = {"database": self.jobs.states}
        return SelfCare(self.clock, self.settings.care, self.steps, self.tallies.own, parts=parts)

    @cached_property
    def steps(self) -> Steps:
        """Which step each visit of this process is in; none, where nobody crawls."""
        from tenax.crawl.steps import Steps

        if not self.settings.log.traces:
            return Steps(self.clock)
        traces = _make_traces(self.settings.log.traces)
        self._stack.push_async_callback(traces.close)
        return Steps(self.clock, traces.visited)

    @cached_property
    def jobs(self) -> Jobs:
        from tenax.adapters.sql.records.jobs import SqlJobs

        told = None
        if self.settings.webhooks:  # nobody else is told that a job has ended
            from tenax.compose.events import telling

            told = telling(self.settings)
        return SqlJobs(self.database, self.clock, told)

    @cached_property
    def frontier(self) -> Frontier:
        from tenax.adapters.sql.frontier.frontier import SqlFrontier
        from tenax.compose.events import telling
        from tenax.jobs.revisit_policy import Recrawling

        settings = self.settings
        return SqlFrontier(
            self.database,
            self.clock,
            settings.treatment,
            settings.lease,
            self._membership,
            Recrawling(settings.recrawl, self.sites, settings.freshness.gone),
            settings.similar,
            telling(settings),
            settings.guess,
            self.sites,
            settings.traps,
            settings.listing,
        )

    @cached_property
    def pages(self) -> Pages:
        from tenax.adapters.sql.records.pages import SqlPages

        return SqlPages(self.database)

    @cached_property
    def handovers(self) -> Handovers:
        from tenax.adapters.sql.handover.consumers import SqlHandovers

        return SqlHandovers(self.database, self.clock)

    @cached_property
    def hosts(self) -> HostBook:
        if self.shared is not None:
            return self.shared.host_book(self.database, self.sites)
        from tenax.adapters.sql.records.hosts import SqlHostBook

        settings = self.settings
        return SqlHostBook(
            self.database, self.clock, settings.treatment, settings.lease, self.sites
        )

    @cached_property
    def vault(self) -> Vault:
        from tenax.adapters.local.vault import Vault

        return Vault(Path(self.settings.data), self.settings.secret_key)

    @cached_property
    def site_store(self) -> SiteStore:
        from tenax.adapters.sql.records.sites import SqlSites

        return SqlSites(self.database, self.clock, self.vault)

    @cached_property
    def site_news(self) -> SiteNews:
        """Who sees when the rules of sites have changed."""
        from tenax.crawl.fleet.site_news import SiteNews

        return SiteNews(self.site_store, self.sites)

    @cached_property
    def site_context(self) -> SiteContext:
        """What the verbs of `ops/sites` work with."""
        from tenax.ops.sites.change import SiteContext

        return SiteContext(self.site_store, self.site_news, self.settings.recrawl)

    @cached_property
    def robots(self) -> RobotsStore:
        from tenax.adapters.sql.records.hosts import SqlRobotsStore

        store = SqlRobotsStore(self.database)
        return store if self.shared is None else self.shared.robots(store)

    @cached_property
    def rules(self) -> Rules:
        from tenax.adapters.sql.records.rules import SqlRules

        return SqlRules(self.database)

    @cached_property
    def products(self) -> Products:
        from tenax.adapters.sql.records.products import SqlProducts

        return SqlProducts(self.database)

    @cached_property
    def records(self) -> OwnRecords:
        from tenax.adapters.sql.handled.book import SqlOwnRecords

        return SqlOwnRecords(self.database, self.clock)

    @cached_property
    def graph(self) -> LinkGraph:
        from tenax.adapters.sql.reports.link_graph import SqlLinkGraph

        return SqlLinkGraph(self.database)

    @cached_property
    def rereads(self) -> Rereads:
        from tenax.adapters.sql.records.replayed import SqlRereads

        return SqlRereads(self.database, self.settings.similar)

    @cached_property
    def dead(self) -> DeadLetters:
        from tenax.adapters.sql.records.dead_letters import SqlDeadLetters

        settings = self.settings
        return SqlDeadLetters(
            self.database, self.clock, settings.treatment, settings.lease, self.sites
        )

    @cached_property
    def proxies(self) -> Proxies:
        from tenax.adapters.sql.records.proxies import SqlProxies

        return SqlProxies(self.database, self.vault, self.settings.proxies)

    @cached_property
    def outbox(self) -> Outbox:
        from tenax.adapters.sql.records.outbox import SqlOutbox
        from tenax.compose.events import sink_names

        return SqlOutbox(self.database, self.clock, sink_names(self.settings))

    @cached_property
    def alerts(self) -> AlertBook:
        from tenax.adapters.sql.reports.alerts import SqlAlerts

        return SqlAlerts(self.database, self.clock)

    @cached_property
    def auditor(self) -> Auditor:
        from tenax.adapters.sql.reports.audit import SqlAuditor

        return SqlAuditor(self.database)

    @cached_property
    def overview(self) -> Overview:
        from tenax.adapters.sql.reports.overview import SqlOverview

        return SqlOverview(self.database, self.clock)

    @cached_property
    def api_keys(self) -> ApiKeys:
        from tenax.adapters.sql.records.api_keys import SqlApiKeys

        return SqlApiKeys(self.database, self.clock)

    @cached_property
    def users(self) -> Users:
        from tenax.adapters.sql.records.users import SqlUsers

        return SqlUsers(self.database, self.clock)

    @cached_property
    def acts(self) -> Acts:
        from tenax.adapters.sql.records.acts import SqlActs

        return SqlActs(self.database, self.clock)

    @cached_property
    def repeats(self) -> Repeats:
        from tenax.adapters.sql.records.acts import SqlRepeats

        return SqlRepeats(self.database, self.clock)

    @cached_property
    def request_counts(self) -> RequestCounts:
        from tenax.adapters.sql.records.acts import SqlRequestCounts

        counts = SqlRequestCounts(self.database)
        return counts if self.shared is None else self.shared.request_counts(counts)

    @cached_property
    def job_context(self) -> JobContext:
        """What the verbs of `ops/jobs` work with."""
        from tenax.ops.jobs.context import JobContext

        settings = self.settings
        return JobContext(
            jobs=self.jobs,
            frontier=self.frontier,
            clock=self.clock,
            addresses=self.addresses,
            traps=settings.traps,
            feed=settings.feed,
            recrawl=settings.recrawl,
            gone=settings.freshness.gone,
            pace=settings.pace,
            sites=self.sites,
            pdf=settings.fetch.pdf,
        )

    def admission(self, job: Job) -> Admission:
        try:
            return self.job_context.admission(job)
        except ValueError as error:
            raise SettingsError(f"job {job.name!r}: {error}") from error

    def hasten(self) -> None:
        """We are to end: servers that are away are not waited for much longer."""
        from tenax.crawl.outages.outage import FAREWELL
        from tenax.crawl.outages.patient_store import PatientStore

        self.database.hasten(FAREWELL)
        # As far as it was opened: this is no time to open it.
        content = vars(self).get("content")
        if isinstance(content, PatientStore):
            content.hasten(FAREWELL)

    def telling(self, say: Callable[[str], None]) -> AbstractAsyncContextManager[None]:
        """Tell others of pages meanwhile, if anybody is to be told; `say` is told of trouble."""
        from tenax.compose.events import telling_meanwhile

        own, tally = self.own_sinks(), self.tallies.own
        return telling_meanwhile(self.settings, self.outbox, self.clock, say, own, tally)

    def telling_dead(self, say: Callable[[str], None]) -> AbstractAsyncContextManager[None]:
        """Tell Redis meanwhile of what was given up, where there is one, and webhooks."""
        from tenax.compose.events import telling_meanwhile

        settings = replace(self.settings, events="", search="")
        tally = self.tallies.own
        return telling_meanwhile(settings, self.outbox, self.clock, say, tally=tally)

    def own_sinks(self) -> dict[str, EventSink]:
        """Who is told of pages and has to look them up: the search index, where one is set."""
        if not self.settings.search:
            return {}
        from tenax.compose.search import SEARCH, make_search_sink

        return {SEARCH: make_search_sink(self)}


def _make_traces(endpoint: str) -> VisitTraces:
    try:
        from tenax.adapters.local.traces import VisitTraces
    except ImportError as error:
        raise SettingsError(f"log.traces needs more libraries: {pip_install('otel')}.") from error
    return VisitTraces(endpoint)


def _use_compiled(policy: PagePolicy) -> None:
    """Pages of this process are read as the policy says. Whoever only looks reads none: what would
    be as it is anyway is not loaded for them."""
    if policy != PagePolicy() or "tenax.page.native" in sys.modules:
        from tenax.page import native

        native.use(compiled=policy.compiled, verify=policy.verify)


@asynccontextmanager
async def open_ledger(
    settings: Settings,
    *,
    create: bool = True,
    clock: Clock | None = None,
    threads: bool | None = None,
) -> AsyncIterator[Ledger]:
    """Open the ledger; closed again with all that was opened on it, in reverse order.

    A thread for the bodies is used where there is a core for it.
    """
    try:
        addresses = AddressRules(settings.allow_private)
    except ValueError as error:
        raise SettingsError(str(error)) from error
    async with AsyncExitStack() as stack:
        threads = _has_cores_to_spare(settings) if threads is None else threads
        settings = as_shared(settings)
        _use_compiled(settings.page)
        opened = await open_database(settings, stack, clock, create=create)
        shared = None
        if names_redis(settings):
            from tenax.compose.redis import open_shared

            shared = open_shared(settings, opened.clock, stack)
        yield Ledger(settings, opened, addresses, shared, stack, threads=threads)


def _has_cores_to_spare(settings: Settings) -> bool:
    """Whether threads could run beside the crawl. Where not, they only cost: handing work from
    one to the other took a twelfth of a crawl pinned to one core."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return (cores or 1) > settings.processes
