"""Through which proxy does this request go, and through which next when that fails?

One pool per process. It keeps what it learns in memory and trades it with the other processes
by the ledger every few seconds. It never goes direct in place of a proxy: it waits.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections import Counter
from collections.abc import Awaitable, Callable, Collection
from random import Random
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from tenax.fetch.proxies.choice import (
    Answer,
    ProxyPolicy,
    ProxyTry,
    Remark,
    after,
    believed,
    choose,
    remark,
    trouble,
    usable_from,
    verdicts,
)
from tenax.model import (
    Failure,
    Fault,
    Forbidden,
    Proxy,
    ProxyEvent,
    ProxyReport,
    Request,
)
from tenax.outcome import UNSENT, Waiting
from tenax.ports import Clock, Proxies, Unavailable

log = logging.getLogger(__name__)

Ask: TypeAlias = Callable[[Request], Awaitable[Answer]]
"""One exchange, in the host's turn; called once for each proxy tried."""

_MOST_REPORTS = 10_000
"""Kept while the ledger cannot be written; older ones are forgotten."""
_MOST_PAIRS = 50_000
_LOOK_AGAIN = 300.0
"""Seconds to wait for proxies that only a person can bring back."""


class Sent(Struct, frozen=True):
    """What came back, and the name of the proxy that decided it; empty when there was none."""

    answer: Answer | Waiting
    proxy: str = ""


class ProxyPool:
    def __init__(self, store: Proxies, clock: Clock, rng: Random, policy: ProxyPolicy) -> None:
        self.policy = policy
        self._store = store
        self._clock = clock
        self._rng = rng
        self._proxies: dict[int, Proxy] = {}
        self._reports: list[ProxyReport] = []
        self._under_way: Counter[int] = Counter()
        self._last: dict[str, int] = {}
        self._pairs: dict[tuple[str, int], float] = {}
        self._synced_at = -math.inf
        self._syncing = asyncio.Lock()

    async def send(
        self, request: Request, host: str, group: str, ask: Ask, delay: float = 0.0
    ) -> Sent:
        """Ask through proxies of the group until one delivers; directly when there is no group.

        `delay` is the host's own: each pair of host and proxy keeps it too.
        """
        if not group:
            return Sent(await ask(request))
        tries: list[ProxyTry] = []
        try:
            waiting = await self._try_in_turn(tries, request, host, group, ask, delay)
            in_service = sum(not proxy.health.disabled for proxy in self._of(group))
        finally:
            self._judge(tries)
        if not tries and waiting is not None:
            return Sent(waiting)
        if _is_over(request, tries[-1].answer):
            return Sent(tries[-1].answer, tries[-1].proxy.name)
        if (ending := believed(tries, in_service)) is not None:
            return Sent(ending.answer, ending.proxy.name)
        return Sent(Failure(Fault.PROXY, trouble(tries)[:300]), tries[-1].proxy.name)

    def pick(
        self, group: str, host: str, delay: float = 0.0, without: Collection[int] = ()
    ) -> Proxy | Waiting:
        """The proxy to use now, its turn taken; or until when there is none, and why."""
        now = self._clock.now()
        members = [proxy for proxy in self._of(group) if proxy.id not in without]
        usable = [p for p in members if (at := self._ready_at(p, host)) is not None and at <= now]
        if not usable:
            return self._waiting(group, host, members, now)
        chosen = choose(
            usable,
            self.policy.strategy,
            last=self._last.get(group, 0),
            under_way=self._under_way,
            rng=self._rng,
        )
        self._last[group] = chosen.id
        self._keep_pair(host, chosen.id, now, max(delay, self.policy.pair_delay))
        return chosen

    def report(self, proxy: Proxy, event: ProxyEvent, ms: float = 0.0) -> None:
        """Something happened to a proxy: it counts here at once, elsewhere after the next sync."""
        report = ProxyReport(proxy.id, event, self._clock.now(), ms)
        self._reports.append(report)
        del self._reports[:-_MOST_REPORTS]
        self._apply(report)

    async def sync(self) -> None:
        """Trade what was learned with the ledger. A ledger that fails later on is no hurry."""
        async with self._syncing:
            sending, self._reports = self._reports, []
            try:
                found = await self._store.sync(sending)
            except BaseException as error:
                self._reports = (sending + self._reports)[-_MOST_REPORTS:]
                if not isinstance(error, Unavailable) or self._synced_at == -math.inf:
                    raise
                log.warning("what was learned of proxies is kept for later: %s", error)
            else:
                self._proxies = {proxy.id: proxy for proxy in found}
                for report in self._reports:  # of while the ledger was asked
                    self._apply(report)
            self._synced_at = self._clock.now()

    async def close(self) -> None:
        """Write what was learned since the last sync."""
        if self._reports:
            await self.sync()

    async def _try_in_turn(
        self,
        tries: list[ProxyTry],
        request: Request,
        host: str,
        group: str,
        ask: Ask,
        delay: float,
    ) -> Waiting | None:
        """Fills `tries` until one is good; a Waiting when no further proxy can be used."""
        while len(tries) < self.policy.tries:
            tried = {each.proxy.id for each in tries}
            chosen = await self._pick_patiently(group, host, delay, tried)
            if isinstance(chosen, Waiting):
                return chosen
            answer = await self._ask_through(chosen, request, ask)
            tries.append(ProxyTry(chosen, answer, remark(answer, self.policy)))
            if tries[-1].remark in (Remark.DELIVERED, Remark.OURS) or _is_over(request, answer):
                return None
        return None

    async def _pick_patiently(
        self, group: str, host: str, delay: float, without: Collection[int]
    ) -> Proxy | Waiting:
        deadline = self._clock.now() + self.policy.patience
        while True:
            if self._clock.now() >= self._synced_at + self.policy.sync:
                await self.sync()
            chosen = self.pick(group, host, delay, without)
            if isinstance(chosen, Proxy) or chosen.until > deadline:
                return chosen
            await self._clock.sleep(max(chosen.until - self._clock.now(), 0.0))

    async def _ask_through(self, proxy: Proxy, request: Request, ask: Ask) -> Answer:
        address = replace(proxy.address, pinned=self.policy.pin)
        self._under_way[proxy.id] += 1
        try:
            return await ask(replace(request, proxy=address))
        finally:
            self._under_way[proxy.id] -= 1

    def _judge(self, tries: list[ProxyTry]) -> None:
        for tried, event in verdicts(tries):
            answer = tried.answer
            ms = 0.0 if isinstance(answer, Forbidden) else answer.timing.total_ms
            self.report(tried.proxy, event, ms)

    def _apply(self, report: ProxyReport) -> None:
        proxy = self._proxies.get(report.proxy_id)
        if proxy is None:  # removed meanwhile
            return
        health = after(proxy.health, report, self.policy)
        self._proxies[proxy.id] = replace(proxy, health=health)
        if health.bans > proxy.health.bans:
            self._synced_at = min(self._synced_at, 0.0)  # others should know at once
            then = f"out of service {health.disabled}" if health.disabled else "banned"
            log.warning("proxy %s is %s (%s)", proxy.name, then, report.event)

    def _of(self, group: str) -> list[Proxy]:
        return [proxy for proxy in self._proxies.values() if proxy.group == group]

    def _ready_at(self, proxy: Proxy, host: str) -> float | None:
        at = usable_from(proxy.health)
        return None if at is None else max(at, self._pairs.get((host, proxy.id), 0.0))

    def _waiting(self, group: str, host: str, members: list[Proxy], now: float) -> Waiting:
        times = [at for proxy in members if (at := self._ready_at(proxy, host)) is not None]
        if times:
            return Waiting(min(times), f"every proxy of group {group!r} is banned or resting")
        which = "in service" if self._of(group) else "known"
        why = f"no proxy of group {group!r} is {which}: see `tenax proxies list`"
        return Waiting(now + _LOOK_AGAIN, why)

    def _keep_pair(self, host: str, proxy_id: int, now: float, delay: float) -> None:
        if delay <= 0:
            return
        if len(self._pairs) >= _MOST_PAIRS:
            self._pairs = {pair: at for pair, at in self._pairs.items() if at > now}
        self._pairs[host, proxy_id] = now + delay


def _is_over(request: Request, answer: Answer) -> bool:
    """What sends something is not sent by another proxy, once it may have left by this one."""
    return request.method == "POST" and not (isinstance(answer, Failure) and answer.fault in UNSENT)
