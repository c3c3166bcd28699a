"""Who asks? A user by their cookie, a program by its key, or an address."""

from __future__ import annotations

import hmac
import ipaddress
from contextlib import suppress

from fastapi import Request
from msgspec import Struct

from tenax.ops.accounts.users import csrf_token
from tenax.ports.accounts import ApiRole, User

COOKIE = "tenax_session"
CSRF = "x-csrf-token"
_PREFIX_6 = 64
"""Bits of an IPv6 address that belong to one customer."""


class Caller(Struct, frozen=True):
    """Who asks, as far as is known."""

    name: str
    """`user NAME`, `key NAME` or `address ADDRESS`: whom requests are counted for, and in whose
    name acts are kept."""
    role: ApiRole
    jobs: tuple[str, ...] | None = None
    """The only jobs that they may see and change; None for all."""
    user: User | None = None
    token: str = ""
    """Of their session."""
    digest: bytes = b""
    """Of their key, or of that token: by it a right that has ended is known."""


def caller_of(request: Request) -> Caller:
    found: Caller = request.scope["tenax.caller"]
    return found


def address_of(request: Request) -> str:
    """Whom to count, of those who do not say who they are."""
    given = request.client.host if request.client else ""
    with suppress(ValueError):
        address = ipaddress.ip_address(given)
        if address.version == 6:
            return f"address {ipaddress.ip_network((int(address), _PREFIX_6), strict=False)}"
    return f"address {given}"


def is_ours(request: Request, token: str) -> bool:
    """Whether a request with a cookie was sent by a page of ours (API-2): the browser says so, or
    it carries what only our pages can read."""
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    return hmac.compare_digest(request.headers.get(CSRF, "").encode(), csrf_token(token).encode())
