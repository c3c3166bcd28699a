"""Who asks the web? The clients, their proxies, and what walls look like to them."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from tenax.compose.identity import bot_keys
from tenax.fetch.bot_auth.signatures import BotSignatures, SignedTransport
from tenax.fetch.proxies.pool import ProxyPool
from tenax.model import Client
from tenax.page.verdict.pattern_table import SignatureError, shipped
from tenax.page.verdict.pattern_table import load as load_signatures
from tenax.page.verdict.wall_patterns import Signatures
from tenax.ports import (
    Clock,
    Proxies,
    Transport,
)
from tenax.settings import Settings, SettingsError
from tenax.urls.addresses import AddressRules, literal_address
from tenax.urls.normalise import hostname_of, resolve
from tenax.urls.sites import Sites

if TYPE_CHECKING:
    from tenax.compose.ledger import Ledger

_MOST_NAMES = 20
"""Hosts that are looked up before a crawl begins: what a person types."""


def make_clients(
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
    from tenax.adapters.libcurl.lazily import Lazily

    judge = _judge(settings, addresses)

    def second() -> Transport:
        from tenax.adapters.libcurl.second_client import CurlTransport

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
    from tenax.adapters.libcurl.http import HttpTransport

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


def read_signatures(settings: Settings) -> Signatures:
    try:
        path = settings.fetch.signatures
        return load_signatures(Path(path)) if path else shipped()
    except SignatureError as error:
        raise SettingsError(str(error)) from error


async def open_proxy_pool(
    settings: Settings, proxies: Proxies, clock: Clock, rng: Random, sites: Sites
) -> ProxyPool:
    """Most crawls never use it; but the rules of a site may name a group at any time."""
    pool = ProxyPool(proxies, clock, rng, settings.proxies)
    if settings.proxies.group or sites.has_proxies:
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


async def misspelled(ledger: Ledger, urls: Sequence[str]) -> tuple[list[str], list[str], bool]:
    """Hosts of these URLs that there are none of, those that cannot be looked up now, and whether
    it is all of them that there are none of. Where proxies are used, they look up names."""
    from tenax.adapters.local.reachable import unknown_names

    if await ledger.proxies.all():
        return [], [], False
    hrefs = [href for url in urls[:_MOST_NAMES] if (href := resolve(url)) is not None]
    hosts = {hostname_of(href) for href in hrefs if href.startswith(("http://", "https://"))}
    names = sorted(host for host in hosts if literal_address(host) is None)
    nobody, unsure = await unknown_names(names)
    return nobody, unsure, bool(nobody) and len(nobody) == len(hosts)


async def login_by_hand(
    settings: Settings, url: str, until: Callable[[], Awaitable[None]]
) -> list[dict[str, Any]]:
    """The cookies of a browser that a person has logged in with."""
    try:
        from tenax.adapters.browser.by_hand import cookies_by_hand
    except ImportError as error:
        raise SettingsError(
            "tenax login needs more libraries, or bring the cookies: --cookies FILE."
        ) from error
    return await cookies_by_hand(url, settings.browser.executable, until)
