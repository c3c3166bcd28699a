"""Events by signed requests to an address that a setting names (API-1, SEC-1).

One event at a time, in order, until each was answered with a 2xx. Signed as Standard Webhooks has
it: `webhook-id`, `webhook-timestamp`, and `webhook-signature`, an HMAC-SHA256 over both and the
body. The address that is connected to is the one that was judged, and redirects are not followed.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import hmac
import ssl
from collections.abc import Sequence
from contextlib import suppress
from urllib.parse import urlsplit

import msgspec

from tenax.model import Event, Webhook
from tenax.ports import Clock, Unavailable
from tenax.ports.events import ToldPartly
from tenax.urls.addresses import AddressRules
from tenax.version import VERSION

_SECONDS = 5.0
"""For one request, from the name to the answer. With those below, less than a relay's lease."""
_AT_ONCE = 3.0
"""Seconds after which what was told is written down, before more is."""
_LONGEST_HEAD = 8_192
_NOT_WANTED = (400, 413, 415, 422)
"""What a receiver answers who will never take this event: it must not hold up those behind it."""


class _HookHead(msgspec.Struct):
    event_id: str
    type: str


_head = msgspec.json.Decoder(_HookHead).decode


class WebhookSink:
    """Tells one receiver."""

    def __init__(
        self, hook: Webhook, rules: AddressRules, clock: Clock, roots: str | None = None
    ) -> None:
        self._hook = hook
        self._rules = rules
        self._clock = clock
        self._tls = (
            ssl.create_default_context(cafile=roots) if hook.url.startswith("https:") else None
        )

    async def send(self, events: Sequence[Event]) -> None:
        begun, last = self._clock.now(), None
        for event in events:
            if event.kind.value in self._hook.events:
                if last is not None and self._clock.now() - begun >= _AT_ONCE:
                    raise ToldPartly(last)
                try:
                    await send(self._hook, event.value, self._clock.now(), self._rules, self._tls)
                except Unavailable:
                    if last is not None:
                        raise ToldPartly(last) from None
                    raise
            last = event.place

    async def close(self) -> None:
        """Every request has a connection of its own."""


async def send(
    hook: Webhook, event: bytes, now: float, rules: AddressRules, tls: ssl.SSLContext | None
) -> None:
    """One event, a line of JSON with `type` and `event_id`. Raises `Unavailable` when it is to be
    sent again."""
    where = _where(hook)
    try:
        async with asyncio.timeout(_SECONDS):
            status = await _post(hook.url, event, _signed(hook, event, now), rules, tls)
    except TimeoutError as error:
        raise Unavailable(f"{where}: no answer in {_SECONDS:g} seconds.") from error
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or error
        raise Unavailable(f"{where}: cannot be told ({said}).") from error
    if not 200 <= status < 300 and status not in _NOT_WANTED:
        raise Unavailable(f"{where}: answers {status}, not 2xx.")


def _signed(hook: Webhook, event: bytes, now: float) -> dict[str, str]:
    head = _head(event)
    moment = str(int(now))
    signed = b".".join((head.event_id.encode(), moment.encode(), event))
    mac = hmac.digest(_key(hook.secret), signed, "sha256")
    return {
        "webhook-id": head.event_id,
        "webhook-timestamp": moment,
        "webhook-signature": f"v1,{base64.b64encode(mac).decode()}",
    }


def _key(secret: str) -> bytes:
    """`whsec_` stands before Base64, as receivers' libraries write it."""
    if secret.startswith("whsec_"):
        with suppress(binascii.Error):
            return base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    return secret.encode()


async def _post(
    url: str,
    body: bytes,
    headers: dict[str, str],
    rules: AddressRules,
    tls: ssl.SSLContext | None,
) -> int:
    parts = urlsplit(url)
    host = parts.hostname or ""
    port = parts.port or (443 if tls else 80)
    address = await _address(host, port, rules)
    named = host if tls else None
    reader, writer = await asyncio.open_connection(
        address, port, ssl=tls, server_hostname=named, limit=_LONGEST_HEAD
    )
    try:
        lines = [
            f"POST {parts.path or '/'}{'?' + parts.query if parts.query else ''} HTTP/1.1",
            f"host: {parts.netloc}",
            f"user-agent: tenax/{VERSION}",
            "content-type: application/json",
            f"content-length: {len(body)}",
            "connection: close",
            *(f"{name}: {value}" for name, value in headers.items()),
        ]
        writer.write("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body)
        await writer.drain()
        return _status(await reader.readline())
    finally:
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()


async def _address(host: str, port: int, rules: AddressRules) -> str:
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=1)
    why: str | None = "it has no address"
    for *_, place in found:
        address = str(place[0])
        why = rules.judge(address)
        if why is None:
            return address
    raise ValueError(f"its address may not be connected to: {why}. allow_private can name it")


def _status(line: bytes) -> int:
    words = line.split(None, 2)
    if len(words) < 2 or not words[0].startswith(b"HTTP/1.") or not words[1].isdigit():
        raise ValueError("that is no HTTP answer")
    return int(words[1])


def _where(hook: Webhook) -> str:
    """Without its path, by which many receivers know their senders."""
    return f"webhook {urlsplit(hook.url).hostname}"
