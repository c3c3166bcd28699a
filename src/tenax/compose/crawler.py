"""What those open that crawl: a ledger, and all that asks the web and works through its jobs."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from random import Random
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from tenax.compose.clients import make_clients, open_proxy_pool, read_signatures
from tenax.compose.handlers import make_handlers
from tenax.compose.identity import user_agent
from tenax.compose.ledger import Ledger, open_ledger
from tenax.crawl.explore.guesser import Guesser
from tenax.crawl.explore.scout import Scout
from tenax.crawl.fleet.abroad import TurnsAbroad
from tenax.crawl.fleet.shared_address import Neighbours
from tenax.crawl.gate import Gate
from tenax.crawl.outages.bodies import Bodies
from tenax.crawl.roster import Roster
from tenax.crawl.run import CrawlParts, CrawlPolicies, CrawlRun
from tenax.crawl.source import Queued, WorkSource
from tenax.fetch.cookies.keeper import CookieKeeper
from tenax.fetch.fetcher import Fetcher
from tenax.fetch.fetcher import FetcherParts as FetchParts
from tenax.fetch.logins.sessions import Logins
from tenax.fetch.request_rate import RequestRate
from tenax.fetch.robots import RobotsBook
from tenax.hosts.pace import PoliteTo
from tenax.model import Client, Job
from tenax.ops.sites.wishes import unknown_parser
from tenax.outcome import Settlement
from tenax.page import pdf
from tenax.ports import Clock, Frontier, Names, Transport, WorkQueue
from tenax.settings import Settings, SettingsError
from tenax.version import pip_install

if TYPE_CHECKING:
    from tenax.crawl.fleet.dispatch import Dispatch
    from tenax.crawl.handling.handle import Handling
    from tenax.crawl.handling.runner import Handlers
    from tenax.ops.fetch.fetch_now import FetchContext
    from tenax.page.handlers.registry import Handler


log = logging.getLogger(__name__)

IGNORING_TROUBLE = (
    'robots.on_error = "allow": hosts whose robots.txt cannot be had are crawled as if it allowed'
    " everything. RFC 9309 says to leave them alone."
)


class Crawler(Struct, frozen=True):
    """A ledger, and everything that crawls into it."""

    ledger: Ledger
    parts: CrawlParts

    def run(
        self, job: Job, heard: Callable[[Sequence[Settlement]], None] = lambda _: None
    ) -> CrawlRun:
        """Work on this job until it ends."""
        roster = self._roster([job])
        return CrawlRun(self.parts, roster, heard)

    def serve_jobs(self, *, until_done: bool = False, source: WorkSource | None = None) -> CrawlRun:
        """Work on every job there is and will be, until stopped, or until none has work left."""
        roster = self._roster()
        return CrawlRun(self.parts, roster, stays=not until_done, source=source)

    @property
    def fetch_context(self) -> FetchContext:
        """What the verb of `ops/fetch` works with."""
        from tenax.ops.fetch.fetch_now import FetchContext

        ledger = self.ledger
        return FetchContext(self.parts, ledger.job_context, ledger.pages, ledger.settings.job)

    def queued(self, queue: WorkQueue | None) -> WorkSource | None:
        """Work as it comes out of this queue; None for as the ledger has it."""
        if queue is None:
            return None
        return Queued(queue, self.parts.frontier, self.parts.clock, self.ledger.settings.dispatch)

    def dispatch(self, queue: WorkQueue) -> Dispatch:
        """Hand out the work of every job there is and will be, until stopped."""
        from tenax.crawl.fleet.dispatch import Dispatch

        return Dispatch(self.parts, self._roster(), queue, self.ledger.settings.dispatch)

    def _roster(self, only: Sequence[Job] | None = None) -> Roster:
        return Roster(self.parts.jobs, self.ledger.admission, only, self.ledger.site_news)


def preload() -> None:
    """Load what takes longest to load and every crawler needs: for those who know that they will
    open one, and wait to be told which."""
    import tenax.adapters.sql.frontier.frontier  # noqa: F401


@asynccontextmanager
async def open_crawler(
    settings: Settings,
    *,
    create: bool = True,
    clock: Clock | None = None,
    rng: Random | None = None,
    web: Transport | None = None,
    fallbacks: Mapping[Client, Transport] | None = None,
    names: Names | None = None,
    threads: bool | None = None,
    probe: Callable[[], Awaitable[bool]] | None = None,
    handlers: Sequence[Handler] = (),
) -> AsyncIterator[Crawler]:
    """Open the ledger and everything around it; closed again in reverse order.

    `web`, `fallbacks`, `names` and `probe` stand in for the network: the main client, the others,
    who is asked for addresses, and who says whether there is a network. `handlers` are those of
    the program that opens it, besides those that the settings name.
    """
    # Before anything starts: a file of the user's may be wrong.
    read_by = make_handlers(settings, handlers, threads=threads is not False)
    async with (
        open_ledger(settings, create=create, clock=clock, threads=threads) as ledger,
        AsyncExitStack() as stack,
    ):
        settings = ledger.settings
        _check_parsers(settings)
        rng = rng or Random()
        await ledger.site_news.open_secrets()
        _take_care(ledger, web, probe)
        fetcher = await _make_fetcher(ledger, rng, web, fallbacks, stack)
        agent = user_agent(settings)
        if settings.robots.on_error == "allow":
            log.warning(IGNORING_TROUBLE)
        abroad = TurnsAbroad(ledger.hosts, ledger.clock, settings.treatment, rng)
        robots = RobotsBook(
            fetcher, ledger.robots, ledger.clock, settings.robots, agent, abroad, settings.token
        )
        observer = ledger.observer
        gate = Gate(
            robots, fetcher, ledger.clock, settings.robots, settings.token, ledger.sites, observer
        )
        parts = CrawlParts(
            clock=ledger.clock,
            rng=rng,
            frontier=ledger.frontier,
            jobs=ledger.jobs,
            hosts=ledger.hosts,
            bodies=Bodies(ledger.content),
            fetcher=fetcher,
            gate=gate,
            guesser=Guesser(ledger.frontier, ledger.rules, gate, ledger.clock, settings.guess),
            scout=Scout(
                ledger.jobs,
                ledger.hosts,
                gate,
                ledger.clock,
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
            steps=ledger.steps,
            observer=observer,
            care=ledger.care,
            sites=ledger.sites,
            abroad=abroad,
            neighbours=_neighbours(settings, names, ledger.frontier, stack),
            handling=_handling(read_by, fetcher, stack),
            logins=Logins(fetcher, ledger.sites),
            cookies=CookieKeeper(
                ledger.clock, ledger.sites, ledger.vault, is_wanted=settings.fetch.cookies
            ),
            renders=fetcher.has_browser,
        )
        if ledger.shared is not None:
            door = lambda job: ledger.admission(job).door  # noqa: E731 - said once, here
            parts = replace(
                parts,
                watch=ledger.shared.watch(stack, ledger.sites),
                intake=ledger.shared.reception(ledger.jobs, ledger.frontier, door),
                bodies=ledger.shared.bodies(ledger.content),
            )
        yield Crawler(ledger, parts)


def _handling(
    handlers: Handlers | None, fetcher: Fetcher, stack: AsyncExitStack
) -> Handling | None:
    if handlers is None:
        return None
    from tenax.crawl.handling.handle import Handling

    stack.callback(handlers.close)
    return Handling(handlers, fetcher.note, fetcher.rehearsal)


def _take_care(
    ledger: Ledger, web: Transport | None, probe: Callable[[], Awaitable[bool]] | None
) -> None:
    """In a simulation this machine's network and disk have no say."""
    from tenax.adapters.local.reachable import is_reachable
    from tenax.adapters.local.resources import Machine
    from tenax.crawl.outages.own_network import OwnNetwork

    care, policy = ledger.care, ledger.settings.care
    if probe is None and web is None:
        probe = partial(is_reachable, policy.probe)
    if probe is not None:
        care.network = OwnNetwork(probe, ledger.clock, policy.again)
    if web is None:
        care.resources = Machine(ledger.settings.data)


async def _make_fetcher(
    ledger: Ledger,
    rng: Random,
    web: Transport | None,
    fallbacks: Mapping[Client, Transport] | None,
    stack: AsyncExitStack,
) -> Fetcher:
    from tenax.adapters.local.read_alone import ChildReader
    from tenax.adapters.local.rehearsal import ForkedRehearsal

    settings, clock = ledger.settings, ledger.clock
    if settings.fetch.pdf and not pdf.is_installed():
        raise SettingsError(f"fetch.pdf needs another library: {pip_install(pdf.EXTRA)}.")
    clients = make_clients(settings, ledger.addresses, clock, web, fallbacks)
    for client in clients.values():
        stack.push_async_callback(client.close)
    pool = await open_proxy_pool(settings, ledger.proxies, clock, rng, ledger.sites)
    stack.push_async_callback(pool.close)
    try:
        return Fetcher(
            FetchParts(
                clients,
                clock,
                read_signatures(settings),
                pool,
                ledger.reading_note,
                _request_rate(ledger),
                ChildReader(settings.reading, settings.fetch.signatures, settings.page),
                ForkedRehearsal(settings.reading),
                ledger.tallies.own,
                ledger.care.network,
            ),
            replace(settings.fetch, user_agent=user_agent(settings)),
            token=settings.token,
            sites=ledger.sites,
            freshness=settings.freshness,
            listings=settings.listing,
        )
    except ValueError as error:
        raise SettingsError(str(error)) from error


def _check_parsers(settings: Settings) -> None:
    """Those that [[sites]] tables name; loading them is for whoever crawls."""
    for site in settings.sites:
        problem = None if site.parser is None else unknown_parser(site.parser)
        if problem is not None:
            raise SettingsError(f"[[sites]] {site.host}: {problem.told}")


def _request_rate(ledger: Ledger) -> RequestRate | None:
    """None where nobody bounds it."""
    settings, clock = ledger.settings, ledger.clock
    if not settings.fetch.rate:
        return None

    async def sharers() -> int:
        since = clock.now() - settings.lease.silence
        heard = [worker for worker in await ledger.overview.workers() if worker.seen_at > since]
        # Those of a crew that is only just starting count, too.
        return max(len(heard), settings.processes)

    return RequestRate(clock, settings.fetch.rate, sharers)


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
