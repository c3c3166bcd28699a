"""Which of the cookies that a browser has are for this host? Files of them, as browsers and curl
write them: Netscape's `cookies.txt`, or a JSON list. Pure.

Which go along is RFC 6265's question (section 5.4): by domain, by expiry. Of several with one name
the one of the narrowest domain counts, and what is only for a deeper path is left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import orjson
from msgspec import Struct

from tenax.fetch.cookies.jar import MOST, is_within
from tenax.urls.normalise import name_of

_HTTP_ONLY = "#HttpOnly_"


class BrowserCookie(Struct, frozen=True):
    domain: str
    """Without its leading dot."""
    name: str
    value: str
    path: str = "/"
    expires: float | None = None
    """None for as long as the session lasts."""
    for_subdomains: bool = True


class CookieFileError(ValueError):
    """Not such a file; the text says why."""


def read_cookies(text: str) -> list[BrowserCookie]:
    """All of a file, in its order. Raises `CookieFileError`."""
    if text.lstrip().startswith(("[", "{")):
        try:
            told = orjson.loads(text)
        except orjson.JSONDecodeError as error:
            raise CookieFileError(f"not valid JSON: {error}") from error
        # What Playwright keeps of a session has them under a name.
        listed = told.get("cookies") if isinstance(told, dict) else told
        if not isinstance(listed, list):
            raise CookieFileError("a JSON list of cookies was expected")
        return [cookie for each in listed if (cookie := from_browser(each)) is not None]
    found = [_from_line(line) for line in text.splitlines()]
    cookies = [cookie for cookie in found if cookie is not None]
    if not cookies and text.strip():
        raise CookieFileError("neither a cookies.txt (tabs between fields) nor JSON")
    return cookies


def from_browser(told: Any) -> BrowserCookie | None:
    """One as browsers tell it: name, value, domain, path, expires or expirationDate."""
    if not isinstance(told, dict):
        return None
    name, value, domain = (told.get(key) for key in ("name", "value", "domain"))
    if not (isinstance(name, str) and isinstance(value, str) and isinstance(domain, str)):
        return None
    expires = told.get("expires", told.get("expirationDate"))
    ends = float(expires) if isinstance(expires, int | float) and expires > 0 else None
    is_wide = domain.startswith(".") or told.get("hostOnly") is False
    path = told["path"] if isinstance(told.get("path"), str) else "/"
    return BrowserCookie(
        domain.lstrip(".").lower(),
        name,
        value,
        path if isinstance(path, str) else "/",
        ends,
        is_wide,
    )


def for_host(cookies: Iterable[BrowserCookie], host: str, now: float) -> list[BrowserCookie]:
    """Those that its front page would get, one of each name."""
    name = name_of(host).lower()
    chosen: dict[str, BrowserCookie] = {}
    for cookie in sorted(cookies, key=lambda each: len(each.domain)):
        is_old = cookie.expires is not None and cookie.expires <= now
        if not is_old and cookie.path == "/" and _matches(cookie, name):
            chosen[cookie.name] = cookie
    return list(chosen.values())[-MOST:]


def _matches(cookie: BrowserCookie, name: str) -> bool:
    return cookie.domain == name or (cookie.for_subdomains and is_within(cookie.domain, name))


def _from_line(line: str) -> BrowserCookie | None:
    line = line.removeprefix(_HTTP_ONLY)
    fields = line.rstrip("\r\n").split("\t")
    if line.startswith("#") or len(fields) != 7:
        return None
    domain, wide, path, _, expires, name, value = fields
    ends = float(expires) if expires.isdigit() and int(expires) > 0 else None
    return BrowserCookie(domain.lstrip(".").lower(), name, value, path, ends, wide == "TRUE")
