"""Which cookies go along with a request? A jar for one job at one host, by RFC 6265. Bounded.

Kept are those that the host itself sets and would get back; nothing is sent to anybody else, not
even to other hosts of its domain.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from email.utils import parsedate_to_datetime

from tenax.model.cookie import JarContent, SetCookie
from tenax.ports import Clock
from tenax.urls.addresses import literal_address
from tenax.urls.normalise import host_of, name_of, path_of

MOST = 50
"""Cookies that one host gets, at most (RFC 6265, section 6.1); more would fill every request."""
MOST_BYTES = 4_096
"""Of the name and value of one (the same section)."""
MOST_TOGETHER = 8_000
"""Bytes of all of them in one header: servers refuse requests with more than 8 KB of it."""
_MOST_HEADERS = 100
"""Set-Cookie headers of one answer that are looked at."""


_EMPTY = JarContent()


class Jar:
    """The cookies of one job at one host."""

    def __init__(self, clock: Clock, content: JarContent = _EMPTY) -> None:
        self._clock = clock
        self._kept = {(each.name, each.path): each for each in content.cookies}
        self.login = content.login
        self.number = 0
        """Grows when it is replaced as a whole: what is answered to a request from before then
        belongs to what was replaced."""
        self._written: dict[tuple[str, str], SetCookie] | None = dict(self._kept)
        """As the ledger has them; None when that is another session."""
        self._is_touched = False

    def __bool__(self) -> bool:
        return bool(self._kept)

    @property
    def names(self) -> set[str]:
        now = self._clock.now()
        return {each.name for each in self._kept.values() if not _is_over(each, now)}

    def take(self, url: str, headers: Sequence[str]) -> None:
        """What an answer from this URL sets; one that has ended takes away what was there."""
        if not headers and not self._is_touched:
            return
        now = self._clock.now()
        for header in headers[:_MOST_HEADERS]:
            cookie = read_set_cookie(header, url, now)
            if cookie is None:
                continue
            self._is_touched = True
            key = cookie.name, cookie.path
            self._kept.pop(key, None)
            if not _is_over(cookie, now):
                self._kept[key] = cookie
        if self._is_touched:
            self._make_room(now)

    def become(self, other: Jar, login: bytes) -> None:
        """Another session altogether: of a member from now on, or of a stranger again."""
        self._kept = dict(other._kept)
        self.login = login
        self.number += 1
        self._is_touched = True
        self._written = None

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

    def take_changes(self) -> JarContent | None:
        """All that is in it, where that is worth writing down anew; None where it is as it was.
        That every page puts off the end of a cookie by a moment is worth it once a minute."""
        if not self._is_touched:
            return None
        self._is_touched = False
        written = self._written
        if (
            written is not None
            and written.keys() == self._kept.keys()
            and all(_is_as_good(written[key], each) for key, each in self._kept.items())
        ):
            return None
        self._written = dict(self._kept)
        return JarContent(tuple(self._kept.values()), self.login)

    def _make_room(self, now: float) -> None:
        """What was set longest ago goes first, after what has ended."""
        self._kept = {key: each for key, each in self._kept.items() if not _is_over(each, now)}
        size = sum(map(_size, self._kept.values()))
        while len(self._kept) > MOST or size > MOST_TOGETHER:
            oldest = next(iter(self._kept))
            size -= _size(self._kept.pop(oldest))


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
    if not _keeps_its_promise(name, told, path, is_secure):
        return None
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


def _keeps_its_promise(name: str, told: dict[str, str], path: str, is_secure: bool) -> bool:
    """Names that begin so say how they were set (RFC 6265bis, section 4.1.3)."""
    lower = name.lower()
    if lower.startswith("__host-"):
        return is_secure and path == "/" and not told.get("domain")
    return is_secure or not lower.startswith("__secure-")


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
    if _AGE.fullmatch(age):
        return now + min(int(age[:12]), _LONGEST)
    try:
        return min(parsedate_to_datetime(told.get("expires", "")).timestamp(), now + _LONGEST)
    except (ValueError, TypeError, OverflowError):
        return None


def _is_over(cookie: SetCookie, now: float) -> bool:
    return cookie.expires is not None and cookie.expires <= now


def _is_plain(text: str) -> bool:
    return text.isprintable()


def _is_as_good(written: SetCookie, new: SetCookie) -> bool:
    if (written.value, written.secure) != (new.value, new.secure):
        return False
    if written.expires is None or new.expires is None:
        return written.expires is new.expires
    return abs(new.expires - written.expires) < _A_MOMENT


def _size(cookie: SetCookie) -> int:
    return len(cookie.name) + len(cookie.value) + len("=; ")


_AGE = re.compile(r"-?[0-9]+")
"""RFC 6265, section 5.2.2: anything else is as if it were not there."""
_LONGEST = 400 * 86_400
"""Seconds that a cookie lasts, at most (RFC 6265bis, section 5.5)."""
_A_MOMENT = 60.0
