"""HTTP heads at the guard's proxy: what a request asks for, and how heads are rewritten."""

from __future__ import annotations

import re

from msgspec import Struct

from tenax.adapters.browser.detour import login
from tenax.model import ProxyAddress

_PLAIN = re.compile(r"http://([^/?#@\s]+)(/\S*|\?\S*)?", re.IGNORECASE)
_PLACE = re.compile(r"(\[[0-9a-fA-F:.]+\]|[^:\[\]/@\s]+)(?::(\d{1,5}))?")
_BETWEEN_NEIGHBOURS = ("connection", "keep-alive", "proxy-authorization", "proxy-connection")
_END = re.compile(rb"\r?\n\r?\n")


class Malformed(Exception):
    """Somebody does not speak HTTP as a proxy or a browser must."""


class Ask(Struct, frozen=True):
    """One request to the proxy: a tunnel to a place, or an exchange in plain http with it."""

    method: str
    place: tuple[str, int]
    target: str
    """The request target for the origin server; empty for a tunnel."""
    fields: tuple[str, ...]
    credentials: str
    body_bytes: int

    @property
    def is_tunnel(self) -> bool:
        return self.method == "CONNECT"

    def forwarded(self, proxy: ProxyAddress | None = None) -> bytes:
        """The head for the origin server, which is told that this exchange is the last one; for
        a proxy that forwards it, with all that one has to know."""
        target, known = self.target, login(proxy) if proxy is not None else ""
        if proxy is not None:
            host, port = self.place
            target = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
            target += self.target
        fields = (*self.fields, f"Proxy-Authorization: {known}") if known else self.fields
        lines = (f"{self.method} {target} HTTP/1.1", *fields, "Connection: close")
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def read_ask(head: bytes) -> Ask:
    """Raises Malformed for what no browser sends to a proxy of http and https."""
    line, *fields = head.decode("latin-1").removesuffix("\r\n\r\n").split("\r\n")
    named = {name.strip().lower(): value.strip()
             for name, _, value in (field.partition(":") for field in fields)}  # fmt: skip
    words = line.split(" ")
    if len(words) != 3 or not words[2].startswith("HTTP/1.") or "transfer-encoding" in named:
        raise Malformed(line[:80])
    method, target, _ = words
    plain = None if method == "CONNECT" else _PLAIN.fullmatch(target)
    if method != "CONNECT" and plain is None:
        raise Malformed(line[:80])
    length = named.get("content-length", "0")
    if not length.isdecimal() or len(length) > 15:
        raise Malformed("Content-Length")
    path = (plain[2] or "/") if plain else ""
    return Ask(
        method,
        _place(plain[1] if plain else target, 80 if plain else 443),
        path if path.startswith("/") or not path else f"/{path}",
        tuple(f for f in fields if f.partition(":")[0].strip().lower() not in _BETWEEN_NEIGHBOURS),
        named.get("proxy-authorization", ""),
        int(length) if plain else 0,
    )


def end_of_head(data: bytes | bytearray) -> int:
    """Where the body begins; 0 while the head is not complete."""
    found = _END.search(data)
    return found.end() if found else 0


def is_interim(head: bytes | bytearray) -> bool:
    """100 Continue, 103 Early Hints: another head follows. Not so after 101."""
    status = head.split(None, 2)[1:2]
    return bool(status) and len(status[0]) == 3 and status[0][:1] == b"1" and status[0] != b"101"


def as_last(head: bytes | bytearray) -> bytes:
    """The same answer, with the news that its connection ends with it."""
    first, _, rest = bytes(head).partition(b"\n")
    kept = [line for line in rest.split(b"\n") if not _is_between_neighbours(line)]
    return b"\n".join((first, b"Connection: close\r", *kept))


def _is_between_neighbours(line: bytes) -> bool:
    return line.partition(b":")[0].decode("latin-1").strip().lower() in _BETWEEN_NEIGHBOURS


def _place(text: str, default: int) -> tuple[str, int]:
    found = _PLACE.fullmatch(text)
    port = int(found[2] or default) if found else 0
    if found is None or not 0 < port < 65_536:
        raise Malformed(text[:80])
    return found[1].strip("[]").lower(), port
