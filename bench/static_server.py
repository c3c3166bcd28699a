"""What serves the site where there is no nginx? Files from memory over asyncio.

python bench/static_server.py ROOT PORT [LOG CHAIN KEY]    (empty: none)
"""

from __future__ import annotations

import asyncio
import functools
import os
import ssl
import sys
import time
from pathlib import Path
from typing import TextIO, cast

import uvloop


class Answers(asyncio.Protocol):
    def __init__(self, root: Path, log: TextIO | None) -> None:
        self.root, self.log, self.pending = root, log, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self.pending += data
        while b"\r\n\r\n" in self.pending:
            head, _, self.pending = self.pending.partition(b"\r\n\r\n")
            path = head.split(b" ", 2)[1].decode("ascii", "replace").partition("?")[0]
            self.transport.write(answer(self.root, path))
            if self.log:
                self.log.write(f"{time.time():.3f} {path}\n")


def answer(root: Path, path: str) -> bytes:
    is_known = path.startswith("/known/")
    return _file(root, f"items/{path.rpartition('-')[2]}" if is_known else path.lstrip("/"))


@functools.lru_cache(10_000)
def _file(root: Path, name: str) -> bytes:
    file = (root / name).resolve()
    if not file.is_file() or root not in file.parents:
        return b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
    body = file.read_bytes()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


async def serve(root: Path, port: int, log: TextIO | None, context: ssl.SSLContext | None) -> None:
    answers = functools.partial(Answers, root, log)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(answers, "127.0.0.1", port, ssl=context, backlog=1024)
    await server.serve_forever()


def main(root: str, port: str, log: str = "", chain: str = "", key: str = "") -> None:
    context = None
    if chain:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(chain, key)
    with open(log or os.devnull, "w", buffering=1) as lines:
        serving = serve(Path(root).resolve(), int(port), lines if log else None, context)
        uvloop.run(serving)


if __name__ == "__main__":
    main(*sys.argv[1:])
