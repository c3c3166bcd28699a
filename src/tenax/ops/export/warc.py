"""How does an exchange look in a WARC file? Records of WARC 1.1, one gzip member each. Pure.

The ledger keeps the body, decompressed, and those header fields that mean something to a crawl, not
the bytes that went over the wire. So heads are made anew from what is known, and `warcinfo`, the
first record, says so. The payload and its digest are exact.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from hashlib import sha256
from http import HTTPStatus
from uuid import NAMESPACE_URL, uuid5

from msgspec import Struct

from tenax.model import Sends
from tenax.model.dates import iso_time
from tenax.urls.normalise import host_of, path_of

IDENTICAL = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
RECONSTRUCTED = (
    "Request heads and response heads are reconstructed from what the crawler keeps, and 302 stands"
    " for every redirect; bodies are exact, decoded of transfer and content encodings."
)
_HTTP_RESPONSE = "application/http; msgtype=response"
_HTTP_REQUEST = "application/http; msgtype=request"
_LEVEL = 6
Fields = Sequence[tuple[str, str]]


class Exchange(Struct, frozen=True):
    """One request and its answer, as far as it is known."""

    url: str
    at: float
    status: int
    headers: Fields
    body: bytes
    digest: str
    """SHA-256 of the body, in hex."""
    name: str
    """What no other exchange of the file is called: its records get their ids from it."""
    address: str = ""
    agent: str = ""
    sends: Sends | None = None
    """What was sent with the request, by POST."""
    is_cut: bool = False
    """There was a body that nobody kept."""


class Original(Struct, frozen=True):
    """The exchange that brought the same body before."""

    url: str
    at: float


def warcinfo(file: str, at: float, software: str, fields: Fields = ()) -> bytes:
    """What made this file, and what can be expected of it."""
    said = [("software", software), ("format", "WARC file version 1.1"), *fields]
    said.append(("description", RECONSTRUCTED))
    block = _lines(said)
    head = [
        ("WARC-Type", "warcinfo"),
        ("WARC-Record-ID", record_id(f"{file} {at:.3f} warcinfo")),
        ("WARC-Date", iso_time(at)),
        ("WARC-Filename", file),
        ("Content-Type", "application/warc-fields"),
    ]
    return _record([field for field in head if field[1]], block)


def response(exchange: Exchange) -> bytes:
    head = [
        *_about("response", exchange),
        ("WARC-Payload-Digest", f"sha256:{exchange.digest}"),
    ]
    if exchange.is_cut:
        head.append(("WARC-Truncated", "unspecified"))
    head.append(("Content-Type", _HTTP_RESPONSE))
    return _record(head, _response_head(exchange) + exchange.body)


def revisit(exchange: Exchange, original: Original) -> bytes:
    """The same body was brought before, and stands there."""
    head = [
        *_about("revisit", exchange),
        ("WARC-Profile", IDENTICAL),
        ("WARC-Refers-To-Target-URI", original.url),
        ("WARC-Refers-To-Date", iso_time(original.at)),
        ("WARC-Payload-Digest", f"sha256:{exchange.digest}"),
        ("Content-Type", _HTTP_RESPONSE),
    ]
    return _record(head, _response_head(exchange))


def request(exchange: Exchange, kind: str = "response") -> bytes:
    """What was asked, to stand behind its answer, which is of this kind."""
    asked = [("Host", host_of(exchange.url)), ("User-Agent", exchange.agent), ("Accept", "*/*")]
    method, body = "GET", b""
    if exchange.sends is not None:
        method, body = "POST", exchange.sends.body.encode()
        asked.append(("Content-Type", exchange.sends.content_type))
        asked.append(("Content-Length", str(len(body))))
    line = f"{method} {path_of(exchange.url)} HTTP/1.1\r\n".encode()
    block = line + _lines(asked) + b"\r\n" + body
    head = [
        *_about("request", exchange),
        ("WARC-Concurrent-To", record_id(f"{exchange.name} {kind}")),
        ("Content-Type", _HTTP_REQUEST),
    ]
    return _record(head, block)


def member(record: bytes) -> bytes:
    """A gzip member of its own, so that readers can begin at any record."""
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, 31)
    return packer.compress(record) + packer.flush()


def record_id(name: str) -> str:
    """The same whenever the same thing is exported: what was cut off goes on as it began."""
    return f"<urn:uuid:{uuid5(NAMESPACE_URL, f'urn:tenax:warc:{name}')}>"


def _about(kind: str, exchange: Exchange) -> list[tuple[str, str]]:
    head = [
        ("WARC-Type", kind),
        ("WARC-Record-ID", record_id(f"{exchange.name} {kind}")),
        ("WARC-Date", iso_time(exchange.at)),
        ("WARC-Target-URI", exchange.url),
    ]
    if exchange.address:
        head.append(("WARC-IP-Address", exchange.address))
    return head


def _response_head(exchange: Exchange) -> bytes:
    status = exchange.status
    try:
        phrase = HTTPStatus(status).phrase
    except ValueError:
        phrase = ""
    return f"HTTP/1.1 {status} {phrase}\r\n".encode() + _lines(exchange.headers) + b"\r\n"


def _record(head: Fields, block: bytes) -> bytes:
    fields = [
        *head,
        ("WARC-Block-Digest", f"sha256:{sha256(block).hexdigest()}"),
        ("Content-Length", str(len(block))),
    ]
    return b"WARC/1.1\r\n" + _lines(fields) + b"\r\n" + block + b"\r\n\r\n"


def _lines(fields: Iterable[tuple[str, str]]) -> bytes:
    return b"".join(f"{name}: {_one_line(value)}\r\n".encode() for name, value in fields)


def _one_line(value: str) -> str:
    """What came from the web must not become a header of its own."""
    return " ".join(value.splitlines()) if not value.isprintable() else value
