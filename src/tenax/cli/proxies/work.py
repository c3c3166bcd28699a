"""What do the commands of `tenax proxies` do? Ask the ledger, change a row, try a proxy."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from tenax.cli.terminal.say import (
    EXIT_BAD_INPUT,
    EXIT_NOTHING,
    as_json,
    fail,
    moment,
    note,
    plural,
    printable,
)
from tenax.cli.terminal.table import TableColumn, table, terminal_width
from tenax.compose import Ledger, has_ledger, open_ledger, user_agent
from tenax.model import Proxy, ProxyHealth, Request, Step
from tenax.ops.proxies import facts, free_name, standing, success_rate, told
from tenax.ops.why.lookup import as_asked
from tenax.outcome import Waiting
from tenax.settings import Settings

if TYPE_CHECKING:
    from tenax.compose.crawler import Crawler


async def list_proxies(settings: Settings, group: str | None, json: bool) -> int:
    found: list[Proxy] = []
    now = 0.0
    if has_ledger(settings):
        async with open_ledger(settings, create=False) as ledger:
            now = ledger.clock.now()
            everyone = await ledger.proxies.all()
            found = [proxy for proxy in everyone if group in (None, proxy.group)]
    if json:
        for proxy in found:
            as_json(facts(proxy, now))
        return 0
    if not found:
        note("No proxies. Add one: tenax proxies add http://HOST:PORT")
        return 0
    columns = (
        TableColumn("name", yields=True), TableColumn("group"), TableColumn("kind"),
        TableColumn("priority", right=True), TableColumn("state", yields=True),
        TableColumn("worked", right=True), TableColumn("tries", right=True),
        TableColumn("average", right=True), TableColumn("last used"),
    )  # fmt: skip
    print("\n".join(table(columns, [_row(proxy, now) for proxy in found], terminal_width())))
    _tell_use(settings, found)
    return 0


async def add_proxy(settings: Settings, proxy: Proxy, json: bool) -> int:
    async with open_ledger(settings) as ledger:
        taken = {each.name for each in await ledger.proxies.all()}
        named = replace(proxy, name=proxy.name or free_name(proxy.address, taken))
        if not named.name.isprintable() or not await ledger.proxies.add(named):
            return fail(
                f"{printable(named.name)}: there is a proxy of this name already, or it is no"
                " name. Give it another with --name.",
                EXIT_BAD_INPUT,
            )
        now = ledger.clock.now()
    if json:
        as_json(facts(named, now))
    else:
        note(f"Added {named.name} to group {named.group!r}.")
        _tell_use(settings, [named])
    return 0


async def remove_proxy(settings: Settings, name: str, json: bool) -> int:
    async with open_ledger(settings, create=False) as ledger:
        if not await ledger.proxies.remove(name):
            return await _unknown(ledger, name)
    if json:
        as_json({"name": name, "removed": True})
    else:
        note(f"Removed {printable(name)}.")
    return 0


async def change_proxy(
    settings: Settings, name: str, change: Callable[[ProxyHealth], ProxyHealth], json: bool
) -> int:
    async with open_ledger(settings, create=False) as ledger:
        changed = await ledger.proxies.change(
            name, lambda proxy: replace(proxy, health=change(proxy.health))
        )
        if changed is None:
            return await _unknown(ledger, name)
        now = ledger.clock.now()
    if json:
        as_json(facts(changed, now))
    else:
        note(f"{changed.name} is {standing(changed, now)} now.")
    return 0


async def try_proxies(settings: Settings, url: str, names: Sequence[str], json: bool) -> int:
    href = as_asked(url)
    if href is None or not href.startswith(("http://", "https://")):
        return fail(f"{printable(url)}: not a URL that can be asked for.", EXIT_BAD_INPUT)
    has_failed = False
    from tenax.compose.crawler import open_crawler

    async with open_crawler(settings, create=False) as crawler:
        ledger = crawler.ledger
        everyone = sorted(await ledger.proxies.sync(()), key=lambda proxy: proxy.name)
        for name in names:
            if name not in {proxy.name for proxy in everyone}:
                return await _unknown(ledger, name)
        chosen = [proxy for proxy in everyone if not names or proxy.name in names]
        if not chosen:
            return fail("no proxies. Add one: tenax proxies add http://HOST:PORT", EXIT_NOTHING)
        for proxy in chosen:
            works, says = await _try(crawler, settings, href, proxy)
            has_failed = has_failed or not works
            if json:
                as_json({"name": proxy.name, "url": href, "works": works, "says": says})
            else:
                print(f"{'ok' if works else 'fail':<4}  {proxy.name}  {printable(says)}")
    return EXIT_NOTHING if has_failed else 0


class _AtOnce:
    """Turns of a host that is asked because a person said so."""

    async def take(self) -> _AtOnce:
        return self

    def enter(self, step: Step) -> None:
        return

    def may_leave(self) -> bool:
        return True

    def sent(self, at: float, status: int | None = None, ms: float = 0.0) -> None:
        return

    def over(self) -> None:
        return


async def _try(crawler: Crawler, settings: Settings, href: str, proxy: Proxy) -> tuple[bool, str]:
    request = Request(
        href,
        headers=(("User-Agent", user_agent(settings)), ("Accept", "*/*")),
        limits=settings.fetch.limits,
        proxy=replace(proxy.address, pinned=settings.proxies.pin),
    )
    answer, _ = await crawler.parts.fetcher.send(request, _AtOnce())
    assert not isinstance(answer, Waiting), "only the pool waits, and the proxy is chosen already"
    return told(answer)


def _row(proxy: Proxy, now: float) -> tuple[str, ...]:
    health, rate = proxy.health, success_rate(proxy)
    return (
        proxy.name,
        proxy.group,
        proxy.address.scheme + (" with login" if proxy.has_login else ""),
        str(proxy.priority),
        _state(proxy, now),
        "-" if rate is None else f"{rate:.0%}",
        f"{health.successes + health.failures:,}",
        f"{health.average_ms:.0f} ms" if health.successes else "-",
        moment(health.last_used_at),
    )


def _state(proxy: Proxy, now: float) -> str:
    match standing(proxy, now):
        case "banned":
            return f"banned until {moment(proxy.health.banned_until)}"
        case "disabled":
            return f"disabled {proxy.health.disabled}"
        case word:
            return word


def _tell_use(settings: Settings, shown: Sequence[Proxy]) -> None:
    """What is listed may still not be what is used."""
    used = settings.proxies.group
    if not used:
        note(
            f"{plural(len(shown), 'proxy', 'proxies')}. Requests go directly: set proxies.group to"
            f" {shown[0].group!r} to send them all through a proxy."
        )
        return
    note(f"{plural(len(shown), 'proxy', 'proxies')}. Requests go through group {used!r}.")


async def _unknown(ledger: Ledger, name: str) -> int:
    names = [proxy.name for proxy in await ledger.proxies.all()]
    close = difflib.get_close_matches(name, names, n=1)
    hint = f"Did you mean {close[0]}?" if close else "`tenax proxies list` shows them."
    return fail(f"{printable(name)}: no such proxy. {hint}", EXIT_NOTHING)
