"""Where in a WARC file is a page? The lines of a CDXJ index, and how very many are sorted."""

from __future__ import annotations

import heapq
import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from itertools import islice
from typing import IO, BinaryIO
from urllib.parse import urlsplit

import orjson
from msgspec import Struct

_WWW = re.compile(r"^www\d*\.")
_DEFAULT_PORT = {"http": 80, "https": 443}
_IN_MEMORY = 50_000
"""Lines sorted at once; of more, sorted runs are merged."""


class IndexEntry(Struct, frozen=True):
    """A record that a player of archives may be asked for."""

    url: str
    at: float
    mime: str
    status: int
    digest: str
    offset: int
    length: int
    file: str


def line(entry: IndexEntry) -> bytes:
    """Key, timestamp, and the rest as JSON; figures as text, as other indexers write them."""
    stamp = datetime.fromtimestamp(entry.at, UTC).strftime("%Y%m%d%H%M%S")
    rest = {
        "url": entry.url,
        "mime": entry.mime or "unk",
        "status": str(entry.status),
        "digest": f"sha256:{entry.digest}",
        "length": str(entry.length),
        "offset": str(entry.offset),
        "filename": entry.file,
    }
    return f"{surt(entry.url)} {stamp} ".encode() + orjson.dumps(rest) + b"\n"


def surt(url: str) -> str:
    """The URL with its host turned round, so that neighbours stand together:
    com,example)/path?query"""
    parts = urlsplit(url)
    host = _WWW.sub("", (parts.hostname or "").lower())
    is_address = ":" in host or host.replace(".", "").isdecimal()
    key = host if is_address else ",".join(reversed(host.split(".")))
    if parts.port and parts.port != _DEFAULT_PORT.get(parts.scheme):
        key += f":{parts.port}"
    path = parts.path.lower()
    if len(path) > 1:
        path = path.rstrip("/")
    query = "&".join(sorted(parts.query.lower().split("&"))) if parts.query else ""
    return f"{key}){path or '/'}{f'?{query}' if query else ''}".replace(" ", "%20")


def sort_lines(lines: Iterable[bytes], to: BinaryIO) -> None:
    """Write them in order, however many there are."""
    rest = iter(lines)
    with ExitStack() as stack:
        runs: list[IO[bytes]] = []
        while run := sorted(islice(rest, _IN_MEMORY)):
            file = stack.enter_context(tempfile.TemporaryFile())
            file.writelines(run)
            file.seek(0)
            runs.append(file)
        to.writelines(_merged(runs))


def _merged(runs: list[IO[bytes]]) -> Iterator[bytes]:
    return heapq.merge(*runs)
