"""What serves a thousand hosts and remembers when each of them was asked?

python bench/broad_server.py HOSTS PAGES LOG

One socket on all of 127.0.0.0/8; the address that was connected to is the host. Prints the port.
When told to end it writes LOG, `<seconds since the epoch> <host> <status> <path>` a request, and
prints the CPU seconds it took.

The moments are the kernel's: when a request arrived, not when this program came round to reading
it. On a busy machine the two lie milliseconds apart, which would make early ones of punctual
requests, and punctual ones of early.
"""

from __future__ import annotations

import itertools
import json
import random
import resource
import select
import signal
import socket
import struct
import sys
import time
from dataclasses import dataclass
from pathlib import Path

LINKS = 12
PARAGRAPHS = 4_096
SO_TIMESTAMPNS = 35
_TIME = struct.Struct("@ll")
_ANCILLARY = socket.CMSG_SPACE(_TIME.size)


def address(number: int) -> str:
    """The host of this number."""
    return f"127.{1 + number // 62_500}.{number // 250 % 250}.{number % 250 + 1}"


class Pages:
    """Some 4 kB each, all different: what is stored, compressed and compared is never the same."""

    def __init__(self, pages: int) -> None:
        dice = random.Random(7)
        letters = "aeioubdfgklmnprst"
        words = ["".join(dice.choices(letters, k=dice.randint(3, 9))) for _ in range(3_000)]
        self._paragraphs = [
            f"<p>{' '.join(dice.choices(words, k=80))}.</p>\n" for _ in range(PARAGRAPHS)
        ]
        # As articles are called nearly everywhere, not by number: /notes/some-four-odd-words.
        self._paths = ["/", *(f"/notes/{'-'.join(dice.choices(words, k=4))}" for _ in range(pages))]
        self._numbers = {path: number for number, path in enumerate(self._paths)}

    def answer(self, host: int, path: str) -> bytes:
        if path == "/robots.txt":
            return answer("200 OK", "User-agent: *\nDisallow: /private/\n", "text/plain")
        number = self._numbers.get(path)
        if number is None:
            return answer("404 Not Found", "<title>Not here</title><p>There is no such note.</p>")
        return answer("200 OK", self._page(host, number))

    def _page(self, host: int, number: int) -> str:
        # Chosen by number, so that a page is the same whenever it is asked for.
        text = "".join(random.Random(host << 20 | number).choices(self._paragraphs, k=6))
        # Each leads to the next dozen, so that a host always has some waiting, and to a few before.
        near = range(max(0, number - 3), min(len(self._paths), number + LINKS))
        links = " ".join(f'<a href="{self._paths[n]}">Note {n}</a>' for n in near)
        title = f"Note {number} of {address(host)}"
        return f"<!doctype html><title>{title}</title><h1>{title}</h1>{text}<p>{links}</p>"


def answer(status: str, body: str, kind: str = "text/html") -> bytes:
    content = body.encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(content)}\r\n\r\n"
    return head.encode() + content


@dataclass(slots=True)
class Connection:
    socket: socket.socket
    host: int
    pending: bytes = b""


class BroadServer:
    def __init__(self, hosts: int, pages: int) -> None:
        self._pages = Pages(pages)
        self._numbers = {address(number): number for number in range(hosts)}
        self._connections: dict[int, Connection] = {}
        self._epoll = select.epoll()
        self._listener = socket.create_server(("0.0.0.0", 0), backlog=4_096)
        self._listener.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self._listener.setblocking(False)
        self._epoll.register(self._listener, select.EPOLLIN)
        self.port = self._listener.getsockname()[1]
        self.log: list[tuple[float, int, str, str]] = []
        self.is_over = False

    def run(self) -> None:
        listening = self._listener.fileno()
        while not self.is_over:
            for number, _ in self._epoll.poll(0.5):
                if number == listening:
                    self._accept()
                else:
                    self._serve(self._connections[number])

    def _accept(self) -> None:
        for _ in itertools.repeat(None, 256):
            try:
                made, _ = self._listener.accept()
            except BlockingIOError:
                return
            host = self._numbers.get(made.getsockname()[0])
            if host is None:
                made.close()
                continue
            made.setblocking(False)
            made.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._connections[made.fileno()] = Connection(made, host)
            self._epoll.register(made, select.EPOLLIN)

    def _serve(self, connection: Connection) -> None:
        try:
            data, extra, _, _ = connection.socket.recvmsg(65_536, _ANCILLARY)
            if data:
                connection.pending += data
                self._answer(connection, _arrival(extra))
                return
        except (ConnectionError, BlockingIOError):
            pass
        del self._connections[connection.socket.fileno()]
        self._epoll.unregister(connection.socket)
        connection.socket.close()

    def _answer(self, connection: Connection, moment: float) -> None:
        while b"\r\n\r\n" in connection.pending:
            head, _, connection.pending = connection.pending.partition(b"\r\n\r\n")
            path = head.split(b" ", 2)[1].decode("ascii", "replace")
            answered = self._pages.answer(connection.host, path)
            self.log.append((moment, connection.host, answered[9:12].decode(), path))
            # A page fits the socket's buffer: whoever does not read it loses the rest.
            connection.socket.send(answered)


def _arrival(extra: list[tuple[int, int, bytes]]) -> float:
    for level, kind, data in extra:
        if level == socket.SOL_SOCKET and kind == SO_TIMESTAMPNS:
            seconds, nanoseconds = _TIME.unpack(data[: _TIME.size])
            return float(seconds + nanoseconds / 1e9)
    return time.time()


def main(hosts: str, pages: str, log: str) -> None:
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    server = BroadServer(int(hosts), int(pages))

    def end(*_: object) -> None:
        server.is_over = True

    signal.signal(signal.SIGTERM, end)
    print(json.dumps(server.port), flush=True)
    server.run()
    with Path(log).open("w") as lines:
        for at, host, status, path in server.log:
            lines.write(f"{at:.6f} {host} {status} {path}\n")
    print(json.dumps(time.process_time()), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
