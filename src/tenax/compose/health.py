"""Who may ask this process how it is? Nobody, unless the settings name a port."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from tenax.compose.app import App
from tenax.crawl.pulse import Pulse
from tenax.ports import WorkQueue


@asynccontextmanager
async def telling_health(app: App, queue: WorkQueue | None) -> AsyncIterator[None]:
    """Answer probes while the work goes on."""
    policy = app.settings.health
    if not policy.port:
        yield
        return
    from tenax.adapters.health_http import HealthServer

    checks: dict[str, Callable[[], Awaitable[object]]] = {"ledger": app.parts.jobs.states}
    if queue is not None:
        checks["queue"] = queue.size
    pulse = Pulse(checks, app.parts.clock, policy)
    server = HealthServer(pulse, policy)
    await server.open()
    try:
        yield
    finally:
        await server.close()
