"""Who may ask this process how it is? Nobody, unless the settings name a port."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial

from tenax.compose.ledger import Ledger
from tenax.compose.places import is_store
from tenax.compose.redis import make_server
from tenax.crawl.outages.patient_store import PatientStore
from tenax.ops.events.relay import Relay
from tenax.ops.health.pulse import HealthPart, Pulse
from tenax.ports import Unavailable, WorkQueue


@asynccontextmanager
async def telling_health(
    ledger: Ledger, queue: WorkQueue | None, relays: Sequence[Relay] = ()
) -> AsyncIterator[None]:
    """Answer probes while the work goes on."""
    policy = ledger.settings.health
    if not policy.port:
        yield
        return
    from tenax.adapters.local.health_http import HealthServer

    async with AsyncExitStack() as stack:
        server = HealthServer(make_pulse(ledger, queue, relays, stack), policy.host, policy.port)
        await server.open()
        stack.push_async_callback(server.close)
        yield


def make_pulse(
    ledger: Ledger, queue: WorkQueue | None, relays: Sequence[Relay], stack: AsyncExitStack
) -> Pulse:
    """Who knows how the parts are that this process works with; what it opens, the stack closes."""
    parts = {"ledger": HealthPart(ledger.jobs.states, lambda: ledger.database.trouble)}
    if queue is not None:
        parts["queue"] = HealthPart(queue.size)
    if ledger.settings.redis:
        parts["redis"] = _redis(ledger, stack)
    if isinstance(content := ledger.content, PatientStore):
        parts["content"] = _told(lambda: content.trouble)
    for relay in relays:
        parts[relay.name] = _told(partial(getattr, relay, "trouble"))
    return Pulse(parts, ledger.clock, ledger.settings.health, ledger.steps.culprit)


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
