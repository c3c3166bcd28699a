"""The HTTP server: one socket on the workers' event loop, timeouts for slow clients, shutdown."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import socket
from collections.abc import Iterator

import h11
import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from tenax.api.problems import MEDIA_TYPE, Problem, document
from tenax.ports import Unavailable

HEAD_SECONDS = 10.0
"""Within which a request has to say what it wants."""
_HEAD_BYTES = 16_384
_IDLE_SECONDS = 15
_FAREWELL = 5
"""Seconds that requests under way have once we are to end: it is ten for all."""
_CONNECTIONS = 500


class Server(uvicorn.Server):
    """Listens until it is told to stop. Signals are the business of whoever runs it."""

    def __init__(self, api: FastAPI, listener: socket.socket) -> None:
        super().__init__(
            uvicorn.Config(
                api,
                http=_Impatient,
                ws="none",
                lifespan="off",
                loop="none",
                log_config=None,
                log_level="error",
                access_log=False,
                server_header=False,
                proxy_headers=False,
                limit_concurrency=_CONNECTIONS,
                timeout_keep_alive=_IDLE_SECONDS,
                timeout_graceful_shutdown=_FAREWELL,
                h11_max_incomplete_event_size=_HEAD_BYTES,
            )
        )
        self._api = api
        self._listener = listener

    def stop(self) -> None:
        # First, or they would use up the time that others have to finish.
        if (live := getattr(self._api.state, "live", None)) is not None:
            live.close()
        self.should_exit = True

    async def run_here(self) -> None:
        await self.serve(sockets=[self._listener])

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def listen(host: str, port: int) -> socket.socket:
    """A socket at this address, or an error that says what to do."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, address = found[0]
        listener = socket.socket(family, kind, protocol)
    except OSError as error:
        raise _deaf(host, port, error) from error
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(1024)
        listener.setblocking(False)
    except OSError as error:
        listener.close()
        raise _deaf(host, port, error) from error
    return listener


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach what listens there."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _deaf(host: str, port: int, error: OSError) -> Unavailable:
    return Unavailable(
        f"serve: {host}:{port} cannot be listened on ({error.strerror or error}). Name another"
        " port with --port, or an address of this machine with --host."
    )


class _Impatient(H11Protocol):
    """A connection that is closed when it does not say in time what it wants: those that send a
    byte a minute would pile up."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:
            self._wait()
        else:
            self._relax()

    def connection_lost(self, exc: Exception | None) -> None:
        self._relax()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """What cannot even be read is answered like everything else."""
        if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.close()
            return
        body = document(
            Problem(400, "This is no HTTP request that can be read, or a very long one.")
        )
        headers = [
            ("content-type", MEDIA_TYPE),
            ("content-length", str(len(body))),
            ("connection", "close"),
        ]
        for event in (
            h11.Response(status_code=400, headers=headers, reason="Bad Request"),
            h11.Data(data=body),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def _wait(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def _relax(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        self._deadline = None
        if not self.transport.is_closing() and self.conn.their_state is h11.IDLE:
            self.transport.close()
