"""The HTTP endpoint of liveness and readiness probes, and of metrics: a few lines, for machines and
people."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress

from tenax.ports import HealthCheck, Unavailable

log = logging.getLogger(__name__)
_LONGEST = 8_192
_PATIENCE = 5.0
"""Seconds a prober has to say what it wants: sockets that never do would pile up."""
_FAREWELL = 1.0
_TEXT = "text/plain; version=0.0.4; charset=utf-8"
_REASONS = {200: "OK", 404: "Not Found", 405: "Method Not Allowed", 503: "Service Unavailable"}


class HealthServer:
    """Answers GET /health/live and /health/ready in JSON and /metrics as Prometheus reads it, one
    request to a connection."""

    def __init__(
        self,
        pulse: HealthCheck,
        host: str,
        port: int,
        metrics: Callable[[], Awaitable[bytes]] | None = None,
    ) -> None:
        self._metrics = metrics
        self._pulse = pulse
        self._address = (host, port)
        self._server: asyncio.Server | None = None
        self._beating: asyncio.Task[None] | None = None

    @property
    def port(self) -> int:
        assert self._server is not None
        return int(self._server.sockets[0].getsockname()[1])

    async def open(self) -> None:
        host, port = self._address
        try:
            self._server = await asyncio.start_server(self._serve, host, port, limit=_LONGEST)
        except OSError as error:
            raise Unavailable(
                f"health: {host}:{port} cannot be listened on ({error.strerror}). Set"
                " health.port to another one."
            ) from error
        self._beating = asyncio.create_task(self._pulse.beat())

    async def close(self) -> None:
        if self._beating is not None:
            self._beating.cancel()
        if self._server is not None:
            self._server.close()
            # From Python 3.12 on this waits for probers, too, who may take their time.
            with suppress(TimeoutError):
                await asyncio.wait_for(self._server.wait_closed(), _FAREWELL)
        await self._pulse.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(_PATIENCE):
                head = await reader.readuntil(b"\r\n\r\n")
            writer.write(await self._answer(head))
            await writer.drain()
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError, OSError):
            log.debug("a prober said nothing that could be read", exc_info=True)
        except asyncio.CancelledError:
            # Nobody waits for this task. Passed on, asyncio of Python 3.11 would log a traceback
            # for each prober that asks a process which is ending.
            log.debug("a prober was not answered: this process ends")
        finally:
            writer.close()

    async def _answer(self, head: bytes) -> bytes:
        method, _, rest = head.decode("latin-1").partition(" ")
        path = rest.partition(" ")[0].partition("?")[0]
        if path not in ("/health/live", "/health/ready", "/metrics"):
            return _response(404, {"error": "see /health/live, /health/ready and /metrics"})
        if method not in ("GET", "HEAD"):
            return _response(405, {"error": "use GET"})
        if path == "/metrics" and self._metrics is not None:
            return _answer(200, _TEXT, await self._metrics())
        if path == "/health/live":
            return _response(200, {"status": "alive"})
        health = await self._pulse.health()
        told = {name: wrong or "ok" for name, wrong in health.parts.items()}
        status = "degraded" if health.is_ready else "not ready"
        status = "ready" if health.is_whole else status
        return _response(200 if health.is_ready else 503, {"status": status, "parts": told})


def _response(code: int, told: dict[str, object]) -> bytes:
    return _answer(code, "application/json", json.dumps(told).encode() + b"\n")


def _answer(code: int, kind: str, body: bytes) -> bytes:
    head = (
        f"HTTP/1.1 {code} {_REASONS[code]}\r\nContent-Type: {kind}\r\n"
        f"Content-Length: {len(body)}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + body
