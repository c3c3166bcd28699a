"""What serves a neighbourhood? One port a host: the healthy answer at once, the rest misbehave.

python bench/neighbours_server.py HEALTHY HOSTILE PAGES LOG

Prints the ports as JSON, the healthy ones first. Every host has a robots.txt and a front page;
a hostile one turns when it is asked for more, each in its own way.
"""

from __future__ import annotations

import asyncio
import functools
import json
import sys
import time
from collections.abc import Callable
from typing import TextIO, cast

import uvloop

WORDS = ("tide", "harbour", "lantern", "ferry", "bridge", "market", "council", "winter", "rope")
LINKS = 25
SLOW_SECONDS = 3.0
DRIP_SECONDS = 0.5


def status(code: str, body: bytes = b"", kind: str = "text/html") -> bytes:
    head = f"HTTP/1.1 {code}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


ROBOTS = status("200 OK", b"User-agent: *\nDisallow:\n", "text/plain")
MISSING = status("404 Not Found")


@functools.cache
def page(number: int, pages: int) -> bytes:
    """Some 4 kB of text and links; the front page, number 0, leads to all others."""
    others = range(1, pages) if not number else (n % pages for n in range(number, number + LINKS))
    links = " ".join(f'<a href="/{n or ""}">Page {n}</a>' for n in others)
    text = " ".join(WORDS[n * (number + 7) % len(WORDS)] for n in range(300))
    return status("200 OK", f"<title>{number}</title><p>{text}</p><p>{links}</p>".encode())


Misdeed = Callable[["Host"], None]


class Host(asyncio.Protocol):
    """One connection to one host."""

    def __init__(self, pages: int, misdeed: Misdeed | None, log: TextIO) -> None:
        self.pages, self.misdeed, self.log, self.pending = pages, misdeed, log, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.port = transport.get_extra_info("sockname")[1]

    def data_received(self, data: bytes) -> None:
        self.pending += data
        while b"\r\n\r\n" in self.pending:
            head, _, self.pending = self.pending.partition(b"\r\n\r\n")
            self.answer(head.split(b" ", 2)[1].decode("ascii", "replace"))

    def answer(self, path: str) -> None:
        self.log.write(f"{time.time():.4f} {self.port} {path}\n")
        number = path[1:] or "0"
        if path == "/robots.txt":
            self.transport.write(ROBOTS)
        elif number != "0" and self.misdeed is not None:
            self.misdeed(self)
        elif number.isdecimal() and int(number) < self.pages:
            self.transport.write(page(int(number), self.pages))
        else:
            self.transport.write(MISSING)

    def later(self, seconds: float, action: Callable[[], None]) -> None:
        loop = asyncio.get_running_loop()
        loop.call_later(seconds, self._do, action)

    def _do(self, action: Callable[[], None]) -> None:
        if not self.transport.is_closing():
            action()


def hang(host: Host) -> None:
    """Not a byte."""


def reset(host: Host) -> None:
    host.transport.abort()


def complain(host: Host) -> None:
    host.transport.write(status("429 Too Many Requests"))


def fail(host: Host) -> None:
    host.transport.write(status("503 Service Unavailable"))


def drip(host: Host) -> None:
    host.transport.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>")

    def drop() -> None:
        host.transport.write(b".")
        host.later(DRIP_SECONDS, drop)

    drop()


def refuse(host: Host) -> None:
    host.transport.write(status("403 Forbidden"))


def dawdle(host: Host) -> None:
    host.later(SLOW_SECONDS, lambda: host.transport.write(MISSING))


MISDEEDS: tuple[Misdeed, ...] = (hang, reset, complain, fail, drip, refuse, dawdle)


async def serve(healthy: int, hostile: int, pages: int, log: TextIO) -> None:
    loop = asyncio.get_running_loop()
    misdeeds: list[Misdeed | None] = [None] * healthy
    misdeeds += [MISDEEDS[n % len(MISDEEDS)] for n in range(hostile)]
    ports = []
    for misdeed in misdeeds:
        make = functools.partial(Host, pages, misdeed, log)
        server = await loop.create_server(make, "127.0.0.1", 0, backlog=1024)
        ports.append(server.sockets[0].getsockname()[1])
    print(json.dumps(ports), flush=True)
    await asyncio.Event().wait()


def main(healthy: str, hostile: str, pages: str, log: str) -> None:
    with open(log, "w", buffering=1) as lines:
        uvloop.run(serve(int(healthy), int(hostile), int(pages), lines))


if __name__ == "__main__":
    main(*sys.argv[1:])
