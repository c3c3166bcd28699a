"""Does a URL or a host match what a user wrote down?

URL patterns (`include`, `exclude`) are compared with the whole URL as it will be requested. In
them `*` stands for any run of characters and everything else for itself, `?` too, since URLs
are full of them: `https://shop.example/*`, `*/tag/*`, `*?sort=*`. After `re:` comes a regular
expression that has to be found somewhere in the URL: `re:/\\d{4}/\\d{2}/`.

Host patterns (`allowed_hosts`, `blocked_hosts`) are names with the same `*`, on any port unless
one is given: `*.example.com`, `ads.*`, `example.com:8080`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tenax.urls.addresses import literal_address
from tenax.urls.normalise import host_of, name_of, resolve

Matches = Callable[[str], bool]


class UrlPatterns:
    """The patterns of one setting; the first that matches is named."""

    __slots__ = ("_patterns",)

    def __init__(self, setting: str, patterns: tuple[str, ...]) -> None:
        self._patterns = tuple((text, _url_pattern(setting, text)) for text in patterns)

    def __bool__(self) -> bool:
        return bool(self._patterns)

    def first_match(self, href: str) -> str | None:
        for text, matches in self._patterns:
            if matches(href):
                return text
        return None


class HostPatterns:
    """Host patterns of one setting; with subdomains, `example.com` covers `a.example.com`."""

    __slots__ = ("_patterns",)

    def __init__(self, setting: str, patterns: tuple[str, ...], subdomains: bool = False) -> None:
        self._patterns = tuple((text, _HostPattern(setting, text, subdomains)) for text in patterns)

    def first_match(self, host: str) -> str | None:
        """The pattern that matches a host key."""
        for text, pattern in self._patterns:
            if pattern.matches(host):
                return text
        return None


def glob(pattern: str) -> Matches:
    """A matcher of whole strings; `*` is any run of characters.

    Taking the first place where each piece fits is always right when `*` is the only wild
    card, so there is no backtracking and nothing a hostile URL could make slow.
    """
    first, *rest = re.sub(r"\*+", "*", pattern).split("*")
    if not rest:
        return lambda text: text == pattern
    *middle, last = rest

    def matches(text: str) -> bool:
        if not text.startswith(first) or not text.endswith(last):
            return False
        at, end = len(first), len(text) - len(last)
        for piece in middle:
            at = text.find(piece, at, end)
            if at < 0:
                return False
            at += len(piece)
        return at <= end

    return matches


def _url_pattern(setting: str, text: str) -> Matches:
    if not text.startswith("re:"):
        return glob(text)
    try:
        search = re.compile(text[3:]).search
    except re.error as error:
        raise ValueError(
            f"{setting}: {text!r} is not a regular expression: {error}. "
            "Correct it, or leave out re: and use * for any run of characters."
        ) from None
    return lambda href: search(href) is not None


class _HostPattern:
    __slots__ = ("_globs", "_has_port")

    def __init__(self, setting: str, text: str, subdomains: bool) -> None:
        host = host_spelling(setting, text)
        name = name_of(host)
        self._has_port = ":" in host.rpartition("]")[2]
        wanted = host if self._has_port else name
        self._globs = [glob(wanted)]
        if subdomains and not literal_address(name):
            self._globs.append(glob(f"*.{wanted}"))

    def matches(self, host: str) -> bool:
        subject = host if self._has_port else name_of(host)
        return any(matches(subject) for matches in self._globs)


def host_spelling(setting: str, text: str) -> str:
    """A pattern spelled like the hosts it is compared with: lower case, punycode, one form of
    address. The URL parser takes a * in a name, so it can be asked.
    """
    href = None if re.search(r"[/\\?#@]", text) else resolve(f"http://{text}")
    if href is None:
        raise ValueError(
            f"{setting}: {text!r} is not a host name. "
            "Write it without scheme and path, such as example.com, *.example.com or [::1]."
        )
    return host_of(href)
