"""Which cookies go along with a request? A jar for one host's session, by RFC 6265. Bounded.

Kept are those that the host itself sets and would get back; nothing is sent to anybody else.
"""

from __future__ import annotations

from collections.abc import Iterable
from email.utils import parsedate_to_datetime

from msgspec import Struct

from tenax.ports import Clock
from tenax.urls.addresses import literal_address
from tenax.urls.normalise import host_of, name_of, path_of

MOST = 50
"""Cookies that one host gets, at most (RFC 6265, section 6.1); more would fill every request."""
MOST_BYTES = 4_096
"""Of the name and value of one (the same section)."""


class SetCookie(Struct, frozen=True):
    """One as a server sets it."""

    name: str
    value: str
    path: str = "/"
    expires: float | None = None
    """None for as long as the session lasts."""
    secure: bool = False


class Jar:
    """The cookies of a session at one host."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._kept: dict[tuple[str, str], SetCookie] = {}

    @property
    def names(self) -> set[str]:
        now = self._clock.now()
        return {each.name for each in self._kept.values() if not _is_over(each, now)}

    def take(self, url: str, headers: Iterable[str]) -> None:
        """What an answer from this URL sets; one that has ended takes away what was there."""
        now = self._clock.now()
        for header in headers:
            cookie = read_set_cookie(header, url, now)
            if cookie is None:
                continue
            key = cookie.name, cookie.path
            known = self._kept.pop(key, None)
            if _is_over(cookie, now):
                continue
            if known is None and len(self._kept) >= MOST:
                del self._kept[next(iter(self._kept))]
            self._kept[key] = cookie

    def pairs(self, url: str) -> list[tuple[str, str]]:
        """Those for this URL, the longest path first (section 5.4)."""
        now, path = self._clock.now(), path_of(url).partition("?")[0]
        is_safe = url.startswith("https:")
        fitting = [
            each
            for each in self._kept.values()
            if not _is_over(each, now) and (is_safe or not each.secure) and _covers(each.path, path)
        ]
        fitting.sort(key=lambda each: -len(each.path))
        return [(each.name, each.value) for each in fitting]


def read_set_cookie(header: str, url: str, now: float) -> SetCookie | None:
    """One Set-Cookie header of an answer from this URL; None where it is none, is for somebody
    else, or is too large (section 5.2)."""
    pair, *rest = header.split(";")
    name, mark, value = (part.strip() for part in pair.partition("="))
    if not mark or not name or len(name) + len(value) > MOST_BYTES or not _is_plain(name + value):
        return None
    told: dict[str, str] = {}
    for attribute in rest:
        key, _, said = attribute.partition("=")
        told[key.strip().lower()] = said.strip()
    if not _is_for(told.get("domain", "").lstrip(".").lower(), url):
        return None
    path = told.get("path", "")
    path = path if path.startswith("/") else _default_path(url)
    is_secure = "secure" in told
    if is_secure and not url.startswith("https:"):
        return None  # RFC 6265bis, section 5.7: what came in the open is no secret
    return SetCookie(name, value, path, _ends(told, now), is_secure)


def is_within(domain: str, name: str) -> bool:
    """Whether a cookie for a domain and its subdomains is for this name (section 5.1.3): an address
    has no subdomains, and a public suffix is nobody's."""
    if domain == name:
        return True
    if not name.endswith(f".{domain}"):
        return False
    from tenax.urls.domains import registrable_domain  # a list that takes a moment to load

    is_one_site = registrable_domain(name) == registrable_domain(domain)
    return is_one_site and literal_address(name) is None


def _is_for(domain: str, url: str) -> bool:
    return not domain or is_within(domain, name_of(host_of(url)).lower())


def _default_path(url: str) -> str:
    path = path_of(url).partition("?")[0]
    return path[: path.rindex("/")] or "/"


def _covers(cookie_path: str, path: str) -> bool:
    """RFC 6265, section 5.1.4."""
    if not path.startswith(cookie_path):
        return False
    return cookie_path.endswith("/") or path[len(cookie_path) :][:1] in ("", "/")


def _ends(told: dict[str, str], now: float) -> float | None:
    age = told.get("max-age", "")
    if age.lstrip("-").isdecimal():
        return now + min(int(age[:12]), _A_YEAR)
    try:
        return parsedate_to_datetime(told.get("expires", "")).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None


def _is_over(cookie: SetCookie, now: float) -> bool:
    return cookie.expires is not None and cookie.expires <= now


def _is_plain(text: str) -> bool:
    return text.isprintable()


_A_YEAR = 400 * 86_400
