"""What does a line of a robots.txt say? Its key, as meant, and its value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_KEYS = {
    "user-agent": "user-agent", "useragent": "user-agent", "user agent": "user-agent",
    "allow": "allow",
    "disallow": "disallow", "dissallow": "disallow", "dissalow": "disallow",
    "disalow": "disallow", "diasllow": "disallow", "disallaw": "disallow",
    "sitemap": "sitemap", "site-map": "sitemap", "sitemaps": "sitemap",
    "crawl-delay": "crawl-delay", "crawl delay": "crawl-delay", "crawldelay": "crawl-delay",
    "content-usage": "content-usage",
    "content-signal": "content-signal", "content-signals": "content-signal",
    "license": "license",
}  # fmt: skip
_LINE_END = re.compile(r"\r\n|\r|\n")


class RobotsLine(NamedTuple):
    number: int
    """1-based."""
    key: str
    value: str
    text: str
    """As written, without comment and the space around it."""


def lines_of(text: str) -> Iterator[RobotsLine]:
    """Those that say something, in order."""
    for number, line in enumerate(_LINE_END.split(text), start=1):
        content = line.partition("#")[0].strip()
        if content and (read := read_line(number, content)):
            yield read


def read_line(number: int, content: str) -> RobotsLine | None:
    """None for a line that says nothing we know of."""
    name, _, value = content.partition(":")
    key = _KEYS.get(name.rstrip().lower())
    if key is None:
        words = content.split()
        key = _KEYS.get(words[0].lower()) if len(words) == 2 else None
        value = words[-1]
    return None if key is None else RobotsLine(number, key, value.strip(), content)
