"""Settings → a running App. The only module that imports adapters, each inside its opener."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from tenax.crawl.admit import Admission
from tenax.crawl.gate import Gate
from tenax.crawl.guesser import Guesser
from tenax.crawl.neighbours import Neighbours
from tenax.crawl.recrawl import Recrawling
from tenax.crawl.roster import Roster
from tenax.crawl.run import CrawlRun, Parts, Policies
from tenax.crawl.scout import Scout
from tenax.fetch.fetcher import Fetcher
from tenax.fetch.fetcher import Parts as FetchParts
from tenax.fetch.proxy_pool import ProxyPool
from tenax.fetch.robots import RobotsBook
from tenax.fetch.signatures import BotSignatures, SignedTransport
from tenax.hosts.pace import PoliteTo
from tenax.model import Client, Job
from tenax.ops.doctor import Facts
from tenax.outcome import Settlement
from tenax.page.signatures import Signatures
from tenax.page.table import SignatureError, shipped
from tenax.page.table import load as load_signatures
from tenax.ports import (
    Auditor,
    Clock,
    ContentStore,
    DeadLetters,
    Frontier,
    HostBook,
    Names,
    Pages,
    Proxies,
    RobotsStore,
    Rules,
    Transport,
)
from tenax.settings import Settings, SettingsError
from tenax.urls.addresses import AddressRules, literal_address
from tenax.urls.decide import Door
from tenax.urls.normalise import hostname_of, resolve, seed_url
from tenax.version import VERSION

if TYPE_CHECKING:
    from tenax.adapters.keys import KeyFile


@dataclass(frozen=True, slots=True)
class App:
    """Everything opened and connected, on one ledger."""

    settings: Settings
    parts: Parts
    pages: Pages
    hosts: HostBook
    robots: RobotsStore
    rules: Rules
    content: ContentStore
    auditor: Auditor
    addresses: AddressRules
    proxies: Proxies
    dead: DeadLetters

    def admission(self, job: Job) -> Admission:
        try:
            door = Door(job.spec, self.addresses, self.parts.clock.now())
        except ValueError as error:
            raise SettingsError(f"job {job.name!r}: {error}") from error
        return Admission(job, door, self.settings.yields)

    def run(
        self, job: Job, heard: Callable[[Sequence[Settlement]], None] = lambda _: None
    ) -> CrawlRun:
        """Work on this job until it ends."""
        return CrawlRun(self.parts, Roster(self.parts.jobs, self.admission, [job]), heard)

    def serve_jobs(self, *, until_done: bool = False) -> CrawlRun:
        """Work on every job there is and will be, until stopped, or until none has work left."""
        roster = Roster(self.parts.jobs, self.admission)
        return CrawlRun(self.parts, roster, stays=not until_done)


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
    from tenax.adapters.clock import SharedClock
    from tenax.adapters.files import FileContentStore
    from tenax.adapters.sql.audit import SqlAuditor
    from tenax.adapters.sql.database import Database
    from tenax.adapters.sql.dead import SqlDeadLetters
    from tenax.adapters.sql.frontier import SqlFrontier
    from tenax.adapters.sql.hosts import SqlHostBook, SqlRobotsStore
    from tenax.adapters.sql.jobs import SqlJobs
    from tenax.adapters.sql.pages import SqlPages
    from tenax.adapters.sql.proxies import SqlProxies
    from tenax.adapters.sql.rules import SqlRules
    from tenax.adapters.sql.workers import Membership
    from tenax.adapters.vault import Vault

    try:
        addresses = AddressRules(settings.allow_private)
    except ValueError as error:
        raise SettingsError(str(error)) from error
    async with AsyncExitStack() as stack:
        threads = _has_cores_to_spare(settings) if threads is None else threads
        # A thread of its own would take the interpreter's lock at every row it writes, and wait
        # for it as often: a broad crawl took a fifth more processor time by that.
        database = await Database.open(
            _ledger_path(settings), create=create, threads=False, busy=settings.busy
        )
        stack.push_async_callback(database.close)
        workers = _ledger_path(settings).parent / "workers"
        if clock is None:
            clock = shared = SharedClock(workers / "clock")
            stack.callback(shared.close)
        membership = Membership(database, clock, workers, settings.lease.silence)
        stack.callback(membership.let_go)
        stack.push_async_exit(membership.depart)
        content = FileContentStore(_content_path(settings), threads=threads)
        stack.push_async_callback(content.close)
        clients = _clients(settings, addresses, clock, web, fallbacks)
        for client in clients.values():
            stack.push_async_callback(client.close)
        rng = rng or Random()
        vault = Vault(Path(settings.data), settings.secret_key)
        proxies = SqlProxies(database, vault, settings.proxies)
        pool = await _proxy_pool(settings, proxies, clock, rng)
        if pool is not None:
            stack.push_async_callback(pool.close)

        robots_store = SqlRobotsStore(database)
        host_book = SqlHostBook(database, clock, settings.treatment, settings.lease)
        agent = user_agent(settings)
        policy = replace(settings.fetch, user_agent=agent)
        try:
            fetcher = Fetcher(
                FetchParts(clients, clock, _signatures(settings), pool),
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
            membership,
            Recrawling(settings.recrawl, settings.sites, settings.freshness.gone),
            settings.similar,
        )
        jobs = SqlJobs(database, clock)
        rules = SqlRules(database, clock, settings.guess)
        gate = Gate(robots, fetcher, clock, settings.robots, settings.token)
        parts = Parts(
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
            policies=Policies(
                settings.treatment,
                settings.retry,
                settings.commit,
                settings.feed,
                settings.freshness,
            ),
            neighbours=_neighbours(settings, names, frontier, stack),
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
        )


def _neighbours(
    settings: Settings, names: Names | None, frontier: Frontier, stack: AsyncExitStack
) -> Neighbours | None:
    if settings.pace.key is not PoliteTo.IP:
        return None
    if names is None:
        from tenax.adapters.names import Names as SystemNames

        names = system = SystemNames()
        stack.callback(system.close)
    return Neighbours(names, frontier)


def _has_cores_to_spare(settings: Settings) -> bool:
    """Whether threads could run beside the crawl. Where not, they only cost: handing work from
    one to the other took a twelfth of a crawl pinned to one core."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return (cores or 1) > settings.processes


def user_agent(settings: Settings) -> str:
    """Who we say we are (ROB-6); a custom one in the settings is taken as it is."""
    if settings.fetch.user_agent:
        return settings.fetch.user_agent
    contact = f" (+{settings.contact})" if settings.contact else ""
    return f"{settings.token}/{VERSION}{contact}"


def _clients(
    settings: Settings,
    addresses: AddressRules,
    clock: Clock,
    web: Transport | None,
    fallbacks: Mapping[Client, Transport] | None,
) -> dict[Client, Transport]:
    """Whoever can ask for a page: the main client, and the others where they are installed."""
    if web is not None:
        return {Client.HTTP: _signed(web, settings, clock), **(fallbacks or {})}
    from tenax.adapters.browser import chromium
    from tenax.adapters.lazily import Lazily

    judge = _judge(settings, addresses)

    def second() -> Transport:
        from tenax.adapters.curl import CurlTransport

        at_once = settings.fetch.concurrency
        return _signed(CurlTransport(judge=judge, at_once=at_once), settings, clock)

    def browser() -> Transport:
        from tenax.adapters.browser.transport import BrowserTransport

        return BrowserTransport(judge=judge, policy=settings.browser, clock=clock)

    clients = {Client.HTTP: _signed(_main_client(settings, judge), settings, clock)}
    wanted = settings.fetch.ways.fallbacks
    # Looking for a module is a hundred times cheaper than loading it, which few crawls need.
    if Client.CURL in wanted and find_spec("curl_cffi"):
        clients[Client.CURL] = Lazily(Client.CURL, second)
    has_browser = find_spec("playwright") and chromium.find(settings.browser.executable)
    if Client.BROWSER in wanted and has_browser:
        clients[Client.BROWSER] = Lazily(Client.BROWSER, browser)
    return clients


def _main_client(settings: Settings, judge: Callable[[str], str | None]) -> Transport:
    from tenax.adapters.http import HttpTransport

    concurrency = settings.fetch.concurrency
    return HttpTransport(
        judge=judge,
        connections_per_host=max(concurrency, settings.pace.slots_unpaced),
        max_connections=max(1024, 2 * concurrency),
    )


def _judge(settings: Settings, addresses: AddressRules) -> Callable[[str], str | None]:
    """Why an address may not be connected to; None when it may."""
    public = AddressRules()

    def judge(address: str) -> str | None:
        if not settings.contact and public.judge(address) is None:
            return "a public address, and no contact is set (--contact)"
        return addresses.judge(address)

    return judge


def _signatures(settings: Settings) -> Signatures:
    try:
        path = settings.fetch.signatures
        return load_signatures(Path(path)) if path else shipped()
    except SignatureError as error:
        raise SettingsError(str(error)) from error


async def _proxy_pool(
    settings: Settings, proxies: Proxies, clock: Clock, rng: Random
) -> ProxyPool | None:
    """None where nothing goes through proxies: most crawls."""
    if not settings.proxies.group and not any(site.proxy for site in settings.sites):
        return None
    pool = ProxyPool(proxies, clock, rng, settings.proxies)
    await pool.sync()  # now, so that a wrong key is told before anything is asked
    return pool


def _signed(transport: Transport, settings: Settings, clock: Clock) -> Transport:
    """With the signatures of Web Bot Auth, where a key is named (ROB-6)."""
    policy = settings.bot_auth
    if not policy.key:
        return transport
    ring = bot_keys(settings).ring
    try:
        signatures = BotSignatures(ring, policy, secrets.token_bytes)
    except ValueError as error:
        raise SettingsError(f"bot_auth.agent: {error}") from error
    return SignedTransport(transport, signatures, clock)


def bot_keys(settings: Settings, *, create: bool = False, rotate: bool = False) -> KeyFile:
    """The keys that sign our requests; `create` makes them where there are none."""
    from tenax.adapters import keys
    from tenax.adapters.clock import SystemClock

    path = Path(settings.bot_auth.key or Path(settings.data) / "bot-key.pem")
    now = SystemClock().now()
    try:
        if create and not path.exists():
            return keys.create(path, now)
        return keys.rotate(path, now, settings.bot_auth) if rotate else keys.load(path)
    except keys.KeyFileError as error:
        raise SettingsError(str(error)) from error


def require_contact(settings: Settings, seeds: Sequence[str]) -> None:
    """Site owners must be able to reach whoever crawls them (ROB-6): told before anything starts.

    What a name leads to is not known yet, so the connection is judged by its address again.
    """
    if settings.contact:
        return
    for url in seeds:
        href = resolve(seed_url(url))
        if href is None or not href.startswith(("http://", "https://")):
            continue
        name = hostname_of(href)
        if _is_public(name):
            raise SettingsError(
                f"{name} is a public host, and no contact is set. Say how its owner can reach"
                " you: --contact mailto:you@example.org (or a URL), TENAX_CONTACT, or `contact`"
                " in tenax.toml."
            )


# Names that are never public: special use by RFC 6761, 6762, 8375 and ICANN's .internal.
_PRIVATE_NAMES = (".localhost", ".local", ".internal", ".home.arpa", ".test", ".invalid")


def _is_public(name: str) -> bool:
    address = literal_address(name)
    if address is not None:
        return AddressRules().judge(address) is None
    return "." in name and not name.endswith(_PRIVATE_NAMES)


def _ledger_path(settings: Settings) -> Path:
    return _local(settings.database, "database", "sqlite") or Path(settings.data) / "ledger.db"


def _content_path(settings: Settings) -> Path:
    return _local(settings.content, "content", "file") or Path(settings.data) / "content"


def _local(url: str, setting: str, scheme: str) -> Path | None:
    """The path in a URL of the one scheme this setting knows today."""
    if not url:
        return None
    parts = urlsplit(url)
    if parts.scheme != scheme or not parts.path.startswith("/"):
        raise SettingsError(
            f"{setting} = {url!r}: unknown scheme {parts.scheme!r}. Use {scheme}:///PATH."
        )
    # Three slashes are a path relative to here, four an absolute one, as in SQLAlchemy.
    return Path(unquote(parts.path[1:]))


def has_ledger(settings: Settings) -> bool:
    return _ledger_path(settings).exists()


def examine(settings: Settings) -> Facts:
    """What `tenax doctor` judges. Opens nothing for writing, and works where parts are broken."""
    from tenax.adapters import checkup
    from tenax.adapters.clock import SystemClock

    client, has_tls = checkup.http_client()
    roots, root_count = checkup.trusted()
    data_error, free_bytes = checkup.folder(Path(settings.data))
    browser, browser_error = checkup.browser(settings.browser.executable)
    return Facts(
        python=sys.version_info[:3],
        libraries=checkup.libraries(),
        client=client,
        has_tls=has_tls,
        sqlite=checkup.sqlite_version(),
        roots=roots,
        root_count=root_count,
        data=settings.data,
        data_error=data_error,
        free_bytes=free_bytes,
        ledger=checkup.ledger(_ledger_path(settings)),
        open_files=checkup.open_files(),
        concurrency=settings.fetch.concurrency,
        contact=settings.contact,
        now=SystemClock().now(),
        playwright=checkup.playwright(),
        browser=browser,
        browser_error=browser_error,
    )
