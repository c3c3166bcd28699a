"""Who may ask this process how it is? Nobody, unless the settings name a port."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tenax.compose.ledger import Ledger
from tenax.compose.places import is_store
from tenax.compose.redis import make_server
from tenax.crawl.outages.patient_store import PatientStore
from tenax.model import EventKind
from tenax.ops.events.relay import Relay
from tenax.ops.health.pulse import HealthPart, Pulse
from tenax.ports import ProcessHealth, Unavailable, WorkQueue

if TYPE_CHECKING:
    from tenax.crawl.outages.self_care import SelfCare
    from tenax.ops.alerts.watch import AlertWatch

log = logging.getLogger(__name__)
_REPORT = 1.0
"""Seconds between two reports of one process to another: a small file each."""


@asynccontextmanager
async def telling_health(
    ledger: Ledger, queue: WorkQueue | None, relays: Sequence[Relay] = ()
) -> AsyncIterator[None]:
    """Answer probes while the work goes on, and give systemd signs of life where it wants some."""
    from tenax.adapters.local.systemd import is_watched

    policy = ledger.settings.health
    async with AsyncExitStack() as stack:
        if is_watched():
            living = asyncio.create_task(_live(ledger))
            stack.callback(living.cancel)
        if not policy.port:
            yield
            return
        from tenax.adapters.local.health_http import HealthServer

        pulse = make_pulse(ledger, queue, relays, stack)
        metrics = make_metrics(ledger, queue, pulse, stack)
        server = HealthServer(pulse, policy.host, policy.port, metrics)
        await server.open()
        stack.push_async_callback(server.close)
        yield


@asynccontextmanager
async def telling_together(ledger: Ledger, folder: Path) -> AsyncIterator[None]:
    """Answer probes as one of several processes that have one port: whoever has it tells what all
    of them count, and another takes it when that one ends. `folder` is theirs."""
    if not ledger.settings.health.port:
        yield
        return
    own = folder / f"{os.getpid()}-{uuid.uuid4().hex[:8]}.tally"
    beside = [
        asyncio.create_task(report_tally(ledger, str(own))),
        asyncio.create_task(_tell_for_all(ledger, own)),
    ]
    try:
        yield
    finally:
        for task in beside:
            task.cancel()
        await asyncio.gather(*beside, return_exceptions=True)


async def _tell_for_all(ledger: Ledger, own: Path) -> None:
    while True:
        try:
            async with telling_health(ledger, None):
                while True:
                    for other in set(own.parent.glob("*.tally")) - {own}:
                        hear_tally(ledger, other.stem, str(other))
                    await ledger.clock.sleep(_REPORT)
        except Unavailable as error:
            is_alone = not set(own.parent.glob("*.tally")) - {own}
            log.log(logging.WARNING if is_alone else logging.DEBUG, "%s", error)
            await ledger.clock.sleep(5 * _REPORT)


async def report_tally(ledger: Ledger, path: str) -> None:
    """Let whoever started this process know what it counts; to be run beside the work."""
    from tenax.adapters.local.tally_file import write_tally

    try:
        while True:
            await ledger.clock.sleep(_REPORT)
            write_tally(Path(path), ledger.tallies.own)
    finally:
        write_tally(Path(path), ledger.tallies.own)


def hear_tally(ledger: Ledger, who: int | str, path: str) -> None:
    """What a process that we have started counts so far."""
    from tenax.adapters.local.tally_file import read_tally

    if (tally := read_tally(Path(path))) is not None:
        ledger.tallies.heard(who, tally)


@asynccontextmanager
async def watching_alerts(ledger: Ledger, queue: WorkQueue | None = None) -> AsyncIterator[None]:
    """Look meanwhile whether somebody has to be told that something is wrong (OBS-4)."""
    async with AsyncExitStack() as stack:
        pulse = make_pulse(ledger, queue, (), stack, servers_only=True)
        stack.push_async_callback(pulse.close)
        watching = asyncio.create_task(_watch(ledger, pulse.health))
        try:
            yield
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)


async def _watch(ledger: Ledger, health: Callable[[], Awaitable[ProcessHealth]]) -> None:
    # Most crawls are over before anything could have lasted, and load nothing of this.
    await ledger.clock.sleep(ledger.settings.alerting.look)
    await make_alert_watch(ledger, health).run()


def make_alert_watch(
    ledger: Ledger, health: Callable[[], Awaitable[ProcessHealth]] | None = None
) -> AlertWatch:
    from tenax.compose.events import telling
    from tenax.ops.alerts.offers import Offers
    from tenax.ops.alerts.rules import limits, product_rules
    from tenax.ops.alerts.symptoms import Symptoms
    from tenax.ops.alerts.watch import AlertEvents, AlertLog, AlertSink, AlertWatch

    policy = ledger.settings.alerting
    sinks: dict[str, AlertSink] = {"log": AlertLog()}
    told = telling(ledger.settings)
    if told is not None and told.wants(EventKind.ALERT):
        sinks["webhooks"] = AlertEvents(ledger.outbox)
    if policy.mail:
        from tenax.adapters.alerts.mail import AlertMail

        sinks["mail"] = AlertMail(policy.smtp, policy.sender, policy.mail)
    of_products = product_rules(ledger.settings.alerts)
    symptoms = Symptoms(
        ledger.overview,
        ledger.dead,
        ledger.outbox,
        ledger.products,
        ledger.clock,
        partial(_free, ledger.settings.data),
        Offers(ledger.products, of_products) if of_products else None,
        health,
    )
    holder = f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
    rules = limits(ledger.settings.alerts)
    return AlertWatch(ledger.alerts, symptoms, rules, sinks, ledger.clock, policy, holder)


async def _live(ledger: Ledger) -> None:
    """Signs of life for systemd: none while nothing happens, so that it starts us anew."""
    from tenax.adapters.local.systemd import interval, notify

    notify("READY=1")
    while True:
        care = _care(ledger)
        if care is None or care.stalled is None:
            notify("WATCHDOG=1")
        await ledger.clock.sleep(interval())


def make_pulse(
    ledger: Ledger,
    queue: WorkQueue | None,
    relays: Sequence[Relay],
    stack: AsyncExitStack,
    *,
    servers_only: bool = False,
) -> Pulse:
    """Who knows how the parts are that this process works with; what it opens, the stack closes.
    Whoever asks the ledger anyhow wants to know of the others only."""
    parts = {}
    if not servers_only:
        parts["ledger"] = HealthPart(ledger.jobs.states, lambda: ledger.database.trouble)
    if queue is not None:
        parts["queue"] = HealthPart(queue.size)
    if ledger.settings.redis:
        parts["redis"] = _redis(ledger, stack)
    if isinstance(content := ledger.content, PatientStore):
        parts["content"] = _told(lambda: content.trouble)
    if (care := _care(ledger)) is not None:
        parts["network"] = _told(lambda: care.network_trouble)
        parts["disk"] = _told(lambda: care.disk_trouble)
        parts["visits"] = _told(lambda: care.stall_trouble)
    for relay in relays:
        parts[relay.name] = _told(partial(getattr, relay, "trouble"))
    return Pulse(parts, ledger.clock, ledger.settings.health, ledger.steps.culprit)


def make_metrics(
    ledger: Ledger, queue: WorkQueue | None, pulse: Pulse, stack: AsyncExitStack
) -> Callable[[], Awaitable[bytes]]:
    """What Prometheus is told of this process, and of the ledger."""
    from tenax.adapters.local.prometheus import Exposition
    from tenax.ops.health.scrape import Scrape

    pushed = None
    if ledger.settings.redis:
        server = make_server(ledger.settings, ledger.clock)
        stack.push_async_callback(server.close)

        async def pushed() -> int:
            return int(await server.ask(lambda redis: redis.llen(ledger.settings.intake.queue)))

    scrape = Scrape(
        ledger.overview,
        ledger.dead,
        ledger.outbox,
        ledger.clock,
        ledger.tallies,
        ledger.observer,
        ledger.steps,
        pulse,
        partial(_free, ledger.settings.data),
        pushed,
        queue.size if queue is not None else None,
        _care(ledger),
    )
    exposition = Exposition()

    async def tell() -> bytes:
        return exposition.text(await scrape.series())

    return tell


def _care(ledger: Ledger) -> SelfCare | None:
    """Who looks after this process; None where it does not crawl."""
    found: SelfCare | None = vars(ledger).get("care")
    return found


def _free(folder: str) -> float | None:
    """The share of its disk that may be written."""
    from tenax.adapters.local.resources import free_share

    return free_share(folder)


def _redis(ledger: Ledger, stack: AsyncExitStack) -> HealthPart:
    """Needed where the bodies are there and nowhere else; otherwise the ledger does without it."""
    server = make_server(ledger.settings, ledger.clock)
    stack.push_async_callback(server.close)

    async def ping() -> None:
        await server.ask(lambda redis: redis.exists(ledger.settings.intake.queue))

    return HealthPart(ping, is_needed=is_store(ledger.settings))


def _told(trouble: Callable[[], str]) -> HealthPart:
    """A part that is not asked: whoever works with it knows how it is."""

    async def ask() -> None:
        if why := trouble():
            raise Unavailable(why)

    return HealthPart(ask)
