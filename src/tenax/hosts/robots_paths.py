"""Does the path of a robots.txt rule match the path of a URL? (RFC 9309 sections 2.2.2, 2.2.3)

Both sides are brought to one spelling first: escapes of unreserved characters undone, all
others in upper case, everything a URL may not hold escaped. "%2F" and "/" stay different in
the path. Inside a query they are equal, as in the second row of the table in section 2.2.2:
there ":", "/", "?" and "@" delimit nothing.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Path(NamedTuple):
    """The path and query of a URL, in the two spellings rules are compared with."""

    written: str
    spelled: str
    """With the delimiters in the query escaped; equal to `written` where there are none."""


class Glob:
    """A rule path in one spelling: literal segments with anything between them."""

    __slots__ = ("anchored", "first", "last", "middle")

    def __init__(self, text: str, *, anchored: bool) -> None:
        self.first, *rest = text.split("*")
        self.last = rest.pop() if rest else None
        self.middle = tuple(filter(None, rest))
        self.anchored = anchored

    def is_plain(self) -> bool:
        """Whether it is nothing but a prefix."""
        return self.last is None and not self.anchored

    def longest_literal(self) -> str:
        """What a text must contain to match."""
        return max((self.first, *self.middle, self.last or ""), key=len)

    def matches(self, text: str) -> bool:
        """Leftmost finds suffice: one pass over the text, however many wildcards there are."""
        if not text.startswith(self.first):
            return False
        at = len(self.first)
        if self.last is None:
            return not self.anchored or len(text) == at
        for segment in self.middle:
            at = text.find(segment, at)
            if at < 0:
                return False
            at += len(segment)
        if self.anchored:
            return len(text) - at >= len(self.last) and text.endswith(self.last)
        return text.find(self.last, at) >= 0


class Pattern(NamedTuple):
    """A rule path in both spellings; where they agree, `spelled` is the same object."""

    written: Glob
    spelled: Glob
    octets: int
    """How specific it is: its length, wildcards included, in the longer spelling."""

    def matches(self, path: Path) -> bool:
        return self.written.matches(path.written) or self.spelled.matches(path.spelled)


def url_path(path_and_query: str) -> Path:
    """A fragment is dropped and a missing first slash added."""
    text = path_and_query.partition("#")[0]
    written = _ODD_IN_URL.sub(_normal, text if text.startswith("/") else f"/{text}")
    return Path(written, _spelled(written))


def rule_pattern(text: str) -> Pattern | None:
    """None when it starts with neither "/" nor "*": such a path matches nothing, as at Google."""
    if not text.startswith(("/", "*")):
        return None
    anchored = text.endswith("$")
    written = _ODD_IN_RULE.sub(_normal, text[:-1] if anchored else text)
    spelled = _spelled(written)
    glob = Glob(written, anchored=anchored)
    other = glob if spelled == written else Glob(spelled, anchored=anchored)
    return Pattern(glob, other, len(spelled) + anchored)


_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
# A lone "%" is kept as well: a rule like "/*%" means any escape.
_KEPT = r"A-Za-z0-9\-._~!&'()+,;=:@/?\[\]%"
# In a URL "*" and "$" are literal, and a literal one is spelled as its escape (section 2.2.3).
_ODD_IN_URL = re.compile(rf"%[0-9A-Fa-f]{{2}}|[^{_KEPT}]+")
_ODD_IN_RULE = re.compile(rf"%[0-9A-Fa-f]{{2}}|[^{_KEPT}*]+")
# "'" too, because the URL parser our URLs come from escapes it in queries, as browsers do.
_DELIMITER = re.compile(r"[:/?@\[\]']")


def _normal(found: re.Match[str]) -> str:
    piece = found[0]
    if piece[0] != "%":
        return _escaped(piece)
    character = chr(int(piece[1:], 16))
    return character if character in _UNRESERVED else piece.upper()


def _escaped(text: str) -> str:
    return "".join(f"%{octet:02X}" for octet in text.encode("utf-8", "surrogatepass"))


def _spelled(path: str) -> str:
    start = path.find("?") + 1
    if start == 0:
        return path
    return path[:start] + _DELIMITER.sub(lambda found: _escaped(found[0]), path[start:])
