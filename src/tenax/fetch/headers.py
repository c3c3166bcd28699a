"""How do we introduce ourselves to a host? The default headers, and what its site rules add."""

from __future__ import annotations

from typing import Literal

from tenax.fetch.cookies.jar import Jar
from tenax.fetch.decode import ACCEPT_ENCODING
from tenax.fetch.fetch_policy import FetchPolicy
from tenax.model import Request, Sends, SiteRules
from tenax.urls.normalise import host_of, origin_of
from tenax.urls.sites import Sites

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
    """The headers for every host, and whatever else the rules of its site say of asking it."""

    def __init__(self, user_agent: str, accept_language: str, sites: Sites) -> None:
        self._default: Pairs = (
            ("User-Agent", user_agent),
            ("Accept", ACCEPT),
            ("Accept-Language", accept_language),
            ("Accept-Encoding", ACCEPT_ENCODING),
        )
        self._sites = sites
        self._known: dict[str, Pairs] = {}
        self._obeyed = sites.changes

    def headers(self, url: str, jar: Jar | None = None) -> Pairs:
        """With what the host has set, where there is any."""
        found = self._known_headers(url)
        return found if not jar else _with_cookies(found, jar.pairs(url), is_member=bool(jar.login))

    def _known_headers(self, url: str) -> Pairs:
        if not self._sites:
            return self._default
        if self._obeyed != self._sites.changes or len(self._known) > _REMEMBERED:
            self._known.clear()
            self._obeyed = self._sites.changes
        host = host_of(url)
        found = self._known.get(host)
        if found is None:
            found = self._known[host] = self._introduce(self._sites.of(host).rules)
        return found

    def headers_to_log_in(self, url: str, jar: Jar) -> Pairs:
        """The same for whoever is not logged in yet, and has these cookies so far."""
        plain = self._introduce(self._sites.of(host_of(url)).rules)
        return _with_cookies(plain, jar.pairs(url), is_member=True)

    def sending(self, url: str, sends: Sends, jar: Jar | None, policy: FetchPolicy) -> Request:
        """A request with what is sent there, its type, and whose form it is, as browsers tell that.
        Over a connection of its own: of one that was kept, and ended of age, nobody could tell
        whether it had been received."""
        said = (("Content-Type", sends.content_type), ("Origin", origin_of(url)))
        named = {name.lower() for name, _ in said}
        rest = (pair for pair in self.headers(url, jar) if pair[0].lower() not in named)
        body = sends.body.encode()
        return Request(
            url, "POST", (*rest, *said), policy.limits, pdf=policy.pdf, fresh=True, body=body
        )

    def headers_for_listing(self, url: str, jar: Jar | None = None) -> Pairs:
        """For a sitemap or feed: some servers have a page at the same URL for those who accept
        that. What the site's rules accept stays."""
        default = ("Accept", ACCEPT)
        return tuple(
            ("Accept", ACCEPT_LISTING) if pair == default else pair
            for pair in self.headers(url, jar)
        )

    def preferred(self, url: str) -> str:
        """The URL to ask for: https where the site's rules insist on it."""
        if not url.startswith("http:") or not self._rules(url).force_https:
            return url
        # Only the scheme's own port has a secure twin.
        is_default = ":" not in host_of(url).rpartition("]")[2]
        return f"https{url[4:]}" if is_default else url

    def render(self, url: str) -> Literal["auto", "always", "never"]:
        """Whether a browser should read this site's pages."""
        return self._rules(url).render or "auto"

    def proxy(self, url: str) -> str:
        """The group of proxies this site is asked through; empty where its rules name none."""
        return self._rules(url).proxy or ""

    def parser(self, url: str) -> str:
        """The parser that its rules name for its products; empty for whichever is its own."""
        return self._rules(url).parser or ""

    def _rules(self, url: str) -> SiteRules:
        return self._sites.of(host_of(url)).rules if self._sites else _NONE

    def _introduce(self, site: SiteRules) -> Pairs:
        wanted = {name.lower(): (name, value) for name, value in self._default}
        if site.profile == "browser":
            wanted |= {name.lower(): (name, value) for name, value in _LIKE_A_BROWSER}
        wanted |= {name.lower(): (name, value) for name, value in (site.headers or {}).items()}
        if site.cookies:
            crumbs = "; ".join(f"{name}={value}" for name, value in site.cookies.items())
            wanted["cookie"] = ("Cookie", crumbs)
        return tuple(wanted.values())


def _with_cookies(headers: Pairs, cookies: list[tuple[str, str]], *, is_member: bool) -> Pairs:
    """Besides those that rules name. Of one name it is the session's where we have logged in, else
    that of the rules: a site that no longer knows it sets one of a stranger in its place."""
    if not cookies:
        return headers
    rest = [(name, value) for name, value in headers if name.lower() != "cookie"]
    ruled = [
        each for name, value in headers if name.lower() == "cookie" for each in value.split("; ")
    ]
    jarred = [f"{name}={value}" for name, value in cookies]
    first, second = (jarred, ruled) if is_member else (ruled, jarred)
    taken = {each.partition("=")[0] for each in first}
    crumbs = first + [each for each in second if each.partition("=")[0] not in taken]
    return (*rest, ("Cookie", "; ".join(crumbs)))


_REMEMBERED = 4_096
_NONE = SiteRules("")
