"""What do a page and its headers ask of robots, and what do they say about use?

Directives decide what the crawl does (ROB-3); rights are kept with the page as they were
written, for whoever uses it later (ROB-4).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import NamedTuple

from tenax.model import Directives

_NOINDEX = frozenset({"noindex", "none"})
_NOFOLLOW = frozenset({"nofollow", "none"})
_KNOWN = _NOINDEX | _NOFOLLOW | {
    "all", "follow", "index", "indexifembedded", "noai", "noarchive", "nocache", "noimageai",
    "noimageindex", "noodp", "nosnippet", "notranslate", "noydir",
}  # fmt: skip
_VALUED = frozenset({"max-image-preview", "max-snippet", "max-video-preview", "unavailable_after"})
# A product token (RFC 9309). Dates have colons too, but not after a single word.
_ROBOT = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*")
_LINK = re.compile(r"<([^<>]*)>([^<]*)")
_REL = re.compile(r"""(?:^|;)\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))""", re.IGNORECASE)

_MOST_RIGHTS = 50
_LONGEST_STATEMENT = 10_000
_LONGEST_VALUE = 1_000
_LONGEST_SOURCE = 200


class RobotsDirectives(NamedTuple):
    noindex: bool = False
    nofollow: bool = False


def decide_directives(
    headers: Sequence[str], metas: Sequence[tuple[str, str]], token: str, now: float
) -> Directives:
    """The most restrictive of everything said to all robots and to ours, and where it stood.

    `headers` are X-Robots-Tag values, `metas` the (name, content) of robots meta tags.
    """
    if not headers and not metas:
        return _NOTHING_ASKED
    noindex = nofollow = False
    sources: list[str] = []
    for where, value in _statements(headers, metas, token):
        asked = read_directives(value, token, now)
        if asked.noindex or asked.nofollow:
            noindex, nofollow = noindex or asked.noindex, nofollow or asked.nofollow
            sources.append(f"{where}: {value.strip()}"[:_LONGEST_SOURCE])
    return Directives(noindex, nofollow, "; ".join(dict.fromkeys(sources))[:_LONGEST_VALUE])


def read_directives(value: str, token: str, now: float) -> RobotsDirectives:
    """One list of directives, `robot:` prefixes and dates included, as it applies to `token`.

    A prefix holds until the next one: proxies join several headers with commas.
    """
    noindex = nofollow = False
    ours = True
    words = [part.strip() for part in value[:_LONGEST_STATEMENT].lower().split(",")]
    for position, part in enumerate(words):
        name, colon, rest = part.partition(":")
        name = name.strip()
        if colon and name == "unavailable_after":
            until = [rest, *_continued(words[position + 1 : position + 3])]
            noindex = noindex or (ours and _is_past(",".join(until), now))
            continue
        if colon and name in _VALUED:
            continue
        if colon and _ROBOT.fullmatch(name):
            ours = name == token.lower()
            part = rest
        if ours:
            # Separated by spaces or semicolons instead of commas: wrong, common, and clear.
            asked = part.replace(";", " ").split()
            noindex = noindex or not _NOINDEX.isdisjoint(asked)
            nofollow = nofollow or not _NOFOLLOW.isdisjoint(asked)
    return RobotsDirectives(noindex, nofollow)


def linked(headers: Iterable[str], relation: str) -> Iterator[str]:
    """The targets of Link headers with this relation (RFC 8288)."""
    for header in headers:
        for target, parameters in _LINK.findall(header):
            rel = _REL.search(parameters)
            if rel is not None and relation in (rel[1] or rel[2]).lower().split():
                yield target.strip()


def bounded_rights(pairs: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Each signal once, in order; a page cannot make its own record endless."""
    kept: dict[tuple[str, str], None] = {}
    for where, value in pairs:
        if len(kept) == _MOST_RIGHTS:
            break
        if value := value.strip()[:_LONGEST_VALUE]:
            kept[where, value] = None
    return tuple(kept)


_NOTHING_ASKED = Directives()


def _statements(
    headers: Sequence[str], metas: Sequence[tuple[str, str]], token: str
) -> Iterator[tuple[str, str]]:
    for value in headers:
        yield "X-Robots-Tag", value
    for name, content in metas:
        if name in ("robots", token.lower()):
            yield f"meta {name}", content


def _continued(words: Sequence[str]) -> Iterator[str]:
    """The rest of a date that has commas in it: whatever comes before the next directive."""
    for word in words:
        name, colon, _ = word.partition(":")
        if word in _KNOWN or (colon and _ROBOT.fullmatch(name.strip())):
            return
        yield word


def _is_past(text: str, now: float) -> bool:
    text = text.strip()
    try:
        moment = datetime.fromisoformat(text.upper())
    except ValueError:
        try:
            moment = parsedate_to_datetime(text)
        except (ValueError, TypeError, IndexError, OverflowError):
            return False
    try:
        return moment.replace(tzinfo=moment.tzinfo or UTC).timestamp() < now
    except (OverflowError, ValueError):
        return False
