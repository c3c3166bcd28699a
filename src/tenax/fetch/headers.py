"""How do we introduce ourselves to a host? The default headers, and what its site rules add."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Literal

from tenax.fetch.decode import ACCEPT_ENCODING
from tenax.model import SiteRules
from tenax.urls.normalise import host_of
from tenax.urls.patterns import HostPatterns

Pairs = tuple[tuple[str, str], ...]

ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,text/*;q=0.8,*/*;q=0.5"
ACCEPT_LISTING = (
    "application/xml,text/xml,application/rss+xml,application/atom+xml,application/feed+json,"
    "text/plain;q=0.9,*/*;q=0.5"
)
_LIKE_A_BROWSER = (
    ("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8"),
    ("Upgrade-Insecure-Requests", "1"),
    ("Sec-Fetch-Dest", "document"),
    ("Sec-Fetch-Mode", "navigate"),
    ("Sec-Fetch-Site", "none"),
    ("Sec-Fetch-User", "?1"),
)


class Introductions:
    """The headers for every host. The first matching site rules count."""

    def __init__(self, user_agent: str, accept_language: str, sites: tuple[SiteRules, ...]) -> None:
        self._default: Pairs = (
            ("User-Agent", user_agent),
            ("Accept", ACCEPT),
            ("Accept-Language", accept_language),
            ("Accept-Encoding", ACCEPT_ENCODING),
        )
        self._sites = [(HostPatterns("sites.host", (site.host,)), site) for site in sites]
        self._of_host: Callable[[str], Pairs] = lru_cache(maxsize=4096)(self._introduce)

    def headers(self, url: str) -> Pairs:
        return self._of_host(host_of(url)) if self._sites else self._default

    def headers_for_listing(self, url: str) -> Pairs:
        """For a sitemap or feed: some servers have a page at the same URL for those who accept
        that. What the site's rules accept stays."""
        default = ("Accept", ACCEPT)
        return tuple(
            ("Accept", ACCEPT_LISTING) if pair == default else pair for pair in self.headers(url)
        )

    def preferred(self, url: str) -> str:
        """The URL to ask for: https where the site's rules insist on it."""
        if not self._sites or not url.startswith("http:"):
            return url
        site = self._rules(host_of(url))
        # Only the scheme's own port has a secure twin.
        is_default = site is not None and ":" not in host_of(url).rpartition("]")[2]
        return f"https{url[4:]}" if site and site.force_https and is_default else url

    def render(self, url: str) -> Literal["auto", "always", "never"]:
        """Whether a browser should read this site's pages."""
        site = self._rules(host_of(url)) if self._sites else None
        return site.render if site else "auto"

    def proxy(self, url: str) -> str:
        """The group of proxies this site is asked through; empty where its rules name none."""
        site = self._rules(host_of(url)) if self._sites else None
        return site.proxy if site else ""

    def _rules(self, host: str) -> SiteRules | None:
        return next((site for pattern, site in self._sites if pattern.first_match(host)), None)

    def _introduce(self, host: str) -> Pairs:
        site = self._rules(host)
        if site is None:
            return self._default
        wanted = {name.lower(): (name, value) for name, value in self._default}
        if site.profile == "browser":
            wanted |= {name.lower(): (name, value) for name, value in _LIKE_A_BROWSER}
        wanted |= {name.lower(): (name, value) for name, value in site.headers.items()}
        if site.cookies:
            crumbs = "; ".join(f"{name}={value}" for name, value in site.cookies.items())
            wanted["cookie"] = ("Cookie", crumbs)
        return tuple(wanted.values())
