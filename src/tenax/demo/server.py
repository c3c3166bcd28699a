"""Where does the demo web run? Every site on its own port of 127.0.0.1, every request logged."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import TracebackType

from tenax.demo.chronicle import ChronicleSite
from tenax.demo.docs import DocsSite
from tenax.demo.flaky import FlakySite
from tenax.demo.news import NewsSite
from tenax.demo.private import BrokenRobotsSite, PrivateSite
from tenax.demo.script import ScriptSite
from tenax.demo.shop import ShopSite
from tenax.demo.site import Cut, LoggedRequest, Reply, Site, SiteRequest
from tenax.demo.slow import SlowSite
from tenax.demo.traps import TrapsSite
from tenax.demo.wall import WallSite
from tenax.demo.wire import Connection

ADDRESS = "127.0.0.1"
LOG_LENGTH = 200_000
SITES: dict[str, type[Site]] = {
    "shop": ShopSite,
    "news": NewsSite,
    "chronicle": ChronicleSite,
    "docs": DocsSite,
    "traps": TrapsSite,
    "slow": SlowSite,
    "flaky": FlakySite,
    "script": ScriptSite,
    "wall": WallSite,
    "private": PrivateSite,
    "brokenrobots": BrokenRobotsSite,
}


class DemoWeb:
    """A family of sites, served while the context is open.

    `hosts` are names of `SITES` or sites of your own making (`TreeSite(pages=5000)`).
    """

    def __init__(self, hosts: Iterable[str | Site] = tuple(SITES), *, port_base: int = 0) -> None:
        made = [_make(host) for host in hosts]
        self.sites: dict[str, Site] = {site.name: site for site in made}
        if len(self.sites) != len(made):
            names = ", ".join(site.name for site in made)
            raise ValueError(f"two sites of one name in DemoWeb({names}). Name each differently.")
        self.log: deque[LoggedRequest] = deque(maxlen=LOG_LENGTH)
        """Every request in order of arrival; the oldest are forgotten after 200,000."""
        self._port_base = port_base
        self._servers: list[asyncio.Server] = []
        self._connections: set[Connection] = set()
        self._under_way = dict.fromkeys(self.sites, 0)
        self._outages: dict[str, Cut | None] = {}

    @property
    def seeds(self) -> list[str]:
        """The front pages."""
        return [site.url for site in self.sites.values()]

    def asked(self, site: str) -> list[LoggedRequest]:
        """The log of one site."""
        return [visit for visit in tuple(self.log) if visit.site == site]

    def outage(self, site: str, on: bool = True, how: Cut | None = None) -> None:
        """Take a site down or bring it back: 503 to everything, or every connection cut."""
        if site not in self.sites:
            raise KeyError(f"no site {site!r} here. There are: {', '.join(self.sites)}.")
        if on:
            self._outages[site] = how
        else:
            self._outages.pop(site, None)

    async def __aenter__(self) -> DemoWeb:
        try:
            ports = [
                await self._listen(index, site) for index, site in enumerate(self.sites.values())
            ]
        except BaseException:
            await self._close()
            raise
        origins = {
            name: f"http://{ADDRESS}:{port}" for name, port in zip(self.sites, ports, strict=True)
        }
        for site in self.sites.values():
            site.place(origins)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        await self._close()

    async def _listen(self, index: int, site: Site) -> int:
        port = self._port_base + index if self._port_base else 0
        loop = asyncio.get_running_loop()

        def connect() -> Connection:
            return Connection(
                lambda request: self._answer(site, request),
                lambda: self._finished(site),
                self._connections,
            )

        try:
            server = await loop.create_server(connect, ADDRESS, port, backlog=1024)
        except OSError as error:
            raise OSError(
                error.errno,
                f"port {port} of {ADDRESS} for the demo site {site.name!r}: {error.strerror}. "
                "Choose another --port-base, or none for free ports.",
            ) from error
        self._servers.append(server)
        return int(server.sockets[0].getsockname()[1])

    async def _close(self) -> None:
        for server in self._servers:
            server.close()
        for connection in tuple(self._connections):
            connection.abort()
        for server in self._servers:
            await server.wait_closed()
        self._servers.clear()

    def _answer(self, site: Site, request: SiteRequest) -> Reply:
        at = time.monotonic()
        self._under_way[site.name] += 1
        reply = self._decide(site, request)
        headers = request.headers
        self.log.append(
            LoggedRequest(
                at=at,
                site=site.name,
                host=headers.get("host", ""),
                method=request.method,
                path=request.target,
                agent=headers.get("user-agent", ""),
                status=0 if reply.cut in {Cut.RESET, Cut.SILENT} else reply.status,
                under_way=self._under_way[site.name],
            )
        )
        return reply

    def _decide(self, site: Site, request: SiteRequest) -> Reply:
        if site.name in self._outages:
            return Reply(
                b"<h1>Service unavailable</h1>",
                status=503,
                modified="",
                cut=self._outages[site.name],
            )
        if request.method not in {"GET", "HEAD"}:
            return Reply(status=405, headers=(("Allow", "GET, HEAD"),), modified="")
        return site.answer(request)

    def _finished(self, site: Site) -> None:
        self._under_way[site.name] -= 1


@contextmanager
def serving(hosts: Iterable[str | Site] = tuple(SITES), *, port_base: int = 0) -> Iterator[DemoWeb]:
    """The demo web from a thread of its own, for programs without an event loop."""
    web = DemoWeb(hosts, port_base=port_base)
    ready = threading.Event()
    problems: list[BaseException] = []
    loop = asyncio.new_event_loop()
    stop = asyncio.Event()

    async def serve() -> None:
        try:
            async with web:
                ready.set()
                await stop.wait()
        except BaseException as error:
            problems.append(error)
        finally:
            ready.set()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),), daemon=True)
    thread.start()
    ready.wait()
    try:
        if problems:
            raise problems[0]
        yield web
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()


def _make(host: str | Site) -> Site:
    if isinstance(host, Site):
        return host
    if host not in SITES:
        raise ValueError(f"no demo site {host!r}. There are: {', '.join(SITES)}.")
    return SITES[host]()
