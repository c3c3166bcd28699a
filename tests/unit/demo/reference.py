"""How would a plain, careful crawl walk a demo site? In process, without a network or a clock.

Deliberately independent of Tenax: the truth is checked against the pages, not against us.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import parse_qsl, quote, unquote, urlencode, urljoin, urlsplit

from tenax.demo import Site, SiteRequest, Truth

TRACKING = re.compile(r"utm_.*|ref|sid")
FOLLOWED_RELS = {"canonical", "alternate", "next", "prev"}
MAX_DEPTH, MAX_REDIRECTS, MAX_BODY = 10, 5, 10_000_000


@dataclass
class Walk:
    """What a walk met, by URL in normal form."""

    stored: set[str] = field(default_factory=set)
    unstored: set[str] = field(default_factory=set)
    files: set[str] = field(default_factory=set)
    gone: dict[str, int] = field(default_factory=dict)
    failures: set[str] = field(default_factory=set)
    redirects: dict[str, str] = field(default_factory=dict)
    requested: set[str] = field(default_factory=set)
    trapped: set[str] = field(default_factory=set)
    outside: set[str] = field(default_factory=set)


def walk(site: Site, truth: Truth) -> Walk:
    """Everything links lead to; the mouth of each trap is noted and not entered."""
    result, rules = Walk(), Rules(site)
    queue = deque([(site.url, 0)])
    seen = {normal(site.url)}
    while queue:
        url, depth = queue.popleft()
        for link in _visit(site, rules, url, result):
            identity = normal(link)
            if identity in seen or depth == MAX_DEPTH:
                continue
            seen.add(identity)
            if not identity.startswith(site.url):
                result.outside.add(identity)
            elif truth.trap_of(identity):
                result.trapped.add(identity)
            else:
                queue.append((link, depth + 1))
    return result


def normal(url: str) -> str:
    parts = urlsplit(url)
    path = quote(unquote(re.sub(r";jsessionid=\w+", "", parts.path)), safe="/;,") or "/"
    pairs = [pair for pair in parse_qsl(parts.query) if not TRACKING.fullmatch(pair[0])]
    query = urlencode(sorted(pairs), safe=",")
    return f"{parts.scheme}://{parts.netloc}{path}" + (f"?{query}" if query else "")


class Rules:
    """The robots.txt of a site for `tenax`: one group per agent, longest match, Allow on ties."""

    def __init__(self, site: Site) -> None:
        reply = site.answer(SiteRequest("GET", "/robots.txt", {}))
        self.closed = reply.status >= 500
        groups = _groups(reply.body.decode() if reply.status == 200 else "")
        self.lines = groups.get("tenax", groups.get("*", []))

    def allow(self, target: str) -> bool:
        matches = [
            (len(pattern), allow)
            for allow, pattern in self.lines
            if re.match(re.escape(pattern).replace(r"\*", ".*").replace(r"\$", "$"), target)
        ]
        return not self.closed and max(matches, default=(0, True))[1]


def _groups(text: str) -> dict[str, list[tuple[bool, str]]]:
    groups: dict[str, list[tuple[bool, str]]] = {}
    agent = ""
    for line in text.splitlines():
        name, _, value = (part.strip() for part in line.partition(":"))
        if name == "User-agent":
            agent = value.lower()
        elif name in {"Allow", "Disallow"} and value:
            groups.setdefault(agent, []).append((name == "Allow", value))
    return groups


def _visit(site: Site, rules: Rules, url: str, result: Walk) -> list[str]:
    start = normal(url)
    for _ in range(MAX_REDIRECTS + 1):
        target = url.removeprefix(site.origin)
        if not rules.allow(target):
            return []
        result.requested.add(normal(url))
        reply = site.answer(SiteRequest("GET", target, {}))
        if not 300 <= reply.status < 400:
            break
        url = urljoin(url, dict(reply.headers)["Location"]).partition("#")[0]
        if not url.startswith(site.url):
            result.redirects[start] = url
            return []
    else:
        result.failures.add(start)
        return []
    here = normal(url)
    if here != start:
        result.redirects[start] = here
    if reply.status in {404, 410}:
        result.gone[here] = reply.status
    elif reply.status != 200 or len(reply.body) > MAX_BODY:
        result.failures.add(here)
    elif not reply.kind.startswith("text/html"):
        result.files.add(here)
    else:
        return _read(url, reply.body, reply.headers, result)
    return []


def _read(url: str, body: bytes, headers: tuple[tuple[str, str], ...], result: Walk) -> list[str]:
    reader = Reader()
    reader.feed(body.decode("utf-16" if body[:2] == b"\xff\xfe" else "utf-8", "replace"))
    for name, value in headers:
        agent, colon, said = value.partition(":")
        if name == "X-Robots-Tag" and (not colon or agent == "tenax"):
            reader.directives += said if colon else value
    (result.unstored if "noindex" in reader.directives else result.stored).add(normal(url))
    if "nofollow" in reader.directives:
        return []
    return [link for href in reader.links if (link := _join(url, reader.base, href))]


def _join(url: str, base: str, href: str) -> str | None:
    try:
        link = urljoin(urljoin(url, base), href.strip()).partition("#")[0]
        return link if urlsplit(link).scheme == "http" and urlsplit(link).netloc else None
    except ValueError:
        return None


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.base = self.directives = ""
        self.text: list[str] = []
        self._typed = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        got = {name: value or "" for name, value in attrs}
        rels = set(got.get("rel", "").split())
        self._typed = self._typed or tag == "textarea"
        if tag == "base":
            self.base = got["href"]
        elif tag == "meta" and got.get("name") in {"robots", "tenax"}:
            self.directives += got["content"]
        elif self._typed or "href" not in got or rels & {"nofollow", "ugc", "sponsored"}:
            return
        elif tag in {"a", "area"} or (tag == "link" and rels & FOLLOWED_RELS):
            self.links.append(got["href"])

    def handle_endtag(self, tag: str) -> None:
        self._typed = self._typed and tag != "textarea"

    def handle_data(self, data: str) -> None:
        self.text.append(data)
