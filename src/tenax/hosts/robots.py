"""May this crawler ask for this path, according to a robots.txt? (RFC 9309; ROB-1, ROB-2)

Where the RFC leaves room, this is what we do:

- Frequent misspellings of the keys, and a missing colon between two words ("disallow /x"),
  are read as meant: the owner's wish is plain, and reading it costs nobody anything.
- Only allow and disallow end a run of user-agent lines; other records never do
  (section 2.2.4). A rule whose path can match nothing still counts as a rule.
- A byte that is not UTF-8 is kept as its escape, which is how a URL spells it.
- HTML served as robots.txt is read like any other text: it consists of bad lines.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterable
from math import isfinite
from typing import NamedTuple

from msgspec import Struct, field

from tenax.hosts.robots_lines import RobotsLine, lines_of
from tenax.hosts.robots_paths import Path, Pattern, rule_pattern, url_path
from tenax.hosts.robots_rules import GroupRules

MAX_BYTES = 524_288
"""What we read of a file; RFC 9309 section 2.5 asks for 500 KiB at least."""
MAX_SITEMAPS = 1_000
# What is kept with every page has to stay small, whatever the file holds.
_MAX_PREFERENCES = 1_000
_MAX_VALUES = 16
_MAX_VALUE_LENGTH = 1_000
_MAX_RULE_LENGTH = 300
_MAX_SITEMAP_LENGTH = 2_083  # no longer URL passes the door
_AT_LEAST = 2_500  # bytes that an empty file takes, with its record
_PER_WISH = 1_000  # and a preference, besides its texts
_MAX_COMPILED = 16  # tokens remembered; a crawl asks for one, an operator for a few


class RobotsVerdict(Struct, frozen=True):
    """Whether a path may be asked for, and the line that says so."""

    allowed: bool
    line: int
    """1-based; 0 when no rule matched."""
    rule: str
    """The rule as written, without its comment; a very long one is cut."""
    group: str
    """The product token of the group that applied, "*", or "" when none did."""


class GroupPlace(Struct, frozen=True):
    """Where a run of user-agent lines begins, and with it what is said to them."""

    line: int
    """1-based."""
    applies: bool
    """Whether it is said to the crawler that asks."""


class Preference(NamedTuple):
    """A wish about use rather than access: a Content-Usage or Content-Signal line."""

    path: str
    """The path it is about; "/" when the line names none."""
    value: str
    line: int


class Robots:
    """A parsed robots.txt. Immutable but for the groups compiled on first use."""

    __slots__ = (
        "_agents", "_compiled", "_only", "_outside",
        "content_signal", "content_usage", "is_empty", "licenses", "looks_like_html", "sha256",
        "sitemaps", "size",
    )  # fmt: skip

    def __init__(self, draft: _Draft) -> None:
        self.sitemaps = tuple(draft.sitemaps)
        """As written, in order; a relative one is the reader's to resolve."""
        self.licenses = tuple(draft.licenses)
        self.content_usage = tuple(draft.usage)
        self.content_signal = tuple(draft.signals)
        self.looks_like_html = draft.looks_like_html
        self.is_empty = draft.is_empty
        self.size = 0
        """Bytes that it takes, about; known once it is for one crawler."""
        self.sha256 = draft.sha256
        """Of the text we keep, in hex: a clean UTF-8 file's own. Kept with each page (ROB-4)."""
        self._agents = draft.agents
        self._outside = draft.outside
        self._compiled: dict[str, _Group] = {}
        self._only: str | None = None

    def decide(self, path_and_query: str, token: str) -> RobotsVerdict:
        """The longest match wins, Allow wins ties; with no match the path is allowed."""
        return self._group(token).decide(url_path(path_and_query))

    def groups(self, token: str) -> tuple[GroupPlace, ...]:
        """All of them, in the order of the file."""
        name = self._group(token).name
        ours = {section.line for section in self._agents.get(name, [])}
        lines = {section.line for sections in self._agents.values() for section in sections}
        return tuple(GroupPlace(line, line in ours) for line in sorted(lines))

    def crawl_delay(self, token: str) -> float | None:
        """Seconds between requests asked of us; of several values, the longest."""
        return self._group(token).delay

    def rights(self, path_and_query: str, token: str) -> tuple[tuple[str, str], ...]:
        """What the file says about using this path: (where it stood, what it said)."""
        group = self._group(token)
        path = url_path(path_and_query)
        found = [("robots Content-Usage", value) for value in _most_specific(group.usage, path)]
        found += [("robots Content-Signal", value) for value in _most_specific(group.signals, path)]
        # RSL licences speak to every crawler about every path, wherever the line stands.
        found += [("robots License", value) for value in self.licenses]
        return tuple(found)

    def only_for(self, token: str) -> Robots:
        """The same for one crawler that asks for long: what is said to others is let go of."""
        group = self._group(token)
        self._agents, self._compiled = {}, {token: group}
        self.content_usage = self.content_signal = ()
        self._outside = _Section()
        self._only = token
        named = sum(map(sys.getsizeof, (*self.sitemaps, *self.licenses)))
        self.size = _AT_LEAST + named + group.size
        return self

    def _group(self, token: str) -> _Group:
        group = self._compiled.get(token)
        if group is None:
            assert self._only is None, f"what is said to {token} was let go of"
            name = token.lower()
            if name not in self._agents:
                name = "*" if "*" in self._agents else ""
            group = _Group(name, self._agents.get(name, []), self._outside)
            if len(self._compiled) >= _MAX_COMPILED:
                self._compiled.clear()
            self._compiled[token] = group
        return group


def parse(data: bytes | str) -> Robots:
    """Read a robots.txt. Never raises, and a bad line never voids a good one."""
    text = decode(data)
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    is_html = _HTML.match(text) is not None
    draft = _Draft(looks_like_html=is_html, sha256=sha256, is_empty=not text)
    for record in lines_of(text):
        draft.add(record)
    return Robots(draft)


def decode(data: bytes | str) -> str:
    """The text we read and keep: whole lines within `MAX_BYTES`, without BOM and controls.

    Any database can store it, its line numbers are the file's, and decoding it again changes
    nothing.
    """
    raw = _whole_lines(data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data)
    text = _BROKEN_BOM.sub(b"", raw).decode("utf-8", "surrogateescape")
    text = text.translate(_CONTROLS).lstrip("\ufeff")
    text, escapes = _NOT_UTF8.subn(lambda byte: f"%{ord(byte[0]) - 0xDC00:02X}", text)
    return _whole_lines(text.encode()).decode() if escapes else text


# Part of a UTF-8 mark is seen in the wild. Those of UTF-16 are here because the ASCII in such
# a file becomes readable once its NULs are gone.
_BROKEN_BOM = re.compile(rb"\A(?:\xef\xbb?(?=[\x00-\x7f])|\xff\xfe|\xfe\xff)")
_NOT_UTF8 = re.compile("[\udc80-\udcff]")
_CONTROLS = {code: None for code in (*range(32), 127) if chr(code) not in "\t\n\r"}
_HTML = re.compile(r"\s*<(?:!doctype|html|head|body|script|meta|title|\?xml|!--)", re.IGNORECASE)
_PRODUCT = re.compile(r"[A-Za-z_-]*")
_FIRST_WORD = re.compile(r"[^\s/;,(]*")
_SECONDS = re.compile(r"[0-9]+(?:\.[0-9]*)?|\.[0-9]+")


def _whole_lines(raw: bytes) -> bytes:
    if len(raw) <= MAX_BYTES:
        return raw
    # One byte further than the limit: a line end there completes the line before it.
    end = max(raw.rfind(b"\n", 0, MAX_BYTES + 1), raw.rfind(b"\r", 0, MAX_BYTES + 1))
    return raw[: max(end, 0)]


class _Section(Struct):
    """What stands under one run of user-agent lines; shared by all agents of the run."""

    rules: list[RobotsLine] = field(default_factory=list)
    usage: list[Preference] = field(default_factory=list)
    signals: list[Preference] = field(default_factory=list)
    delay: float | None = None
    line: int = 0
    """Where it begins."""


class _Draft(Struct):
    """A robots.txt being read, record by record."""

    looks_like_html: bool
    sha256: str
    is_empty: bool
    agents: dict[str, list[_Section]] = field(default_factory=dict)
    outside: _Section = field(default_factory=_Section)
    """What stands before any user-agent line. Its rules bind nobody, its preferences everybody."""
    current: _Section | None = None
    in_agents: bool = False
    sitemaps: dict[str, None] = field(default_factory=dict)
    licenses: dict[str, None] = field(default_factory=dict)
    usage: list[Preference] = field(default_factory=list)
    signals: list[Preference] = field(default_factory=list)

    def add(self, record: RobotsLine) -> None:
        section = self.current or self.outside
        match record.key:
            case "user-agent":
                self._add_agent(record)
            case "allow" | "disallow":
                self.in_agents = False
                section.rules.append(record)
            case "crawl-delay":
                section.delay = _longer(section.delay, record.value)
            case "content-usage":
                _add_preference(record, self.usage, section.usage)
            case "content-signal":
                _add_preference(record, self.signals, section.signals)
            case "sitemap":
                is_usable = 0 < len(record.value) <= _MAX_SITEMAP_LENGTH
                if is_usable and len(self.sitemaps) < MAX_SITEMAPS:
                    self.sitemaps[record.value] = None
            case "license":
                if _is_worth_keeping(record.value) and len(self.licenses) < _MAX_VALUES:
                    self.licenses[record.value] = None

    def _add_agent(self, record: RobotsLine) -> None:
        if not self.in_agents or self.current is None:
            self.current = _Section(line=record.number)
            self.in_agents = True
        for name in _agent_names(record.value):
            sections = self.agents.setdefault(name, [])
            if not sections or sections[-1] is not self.current:
                sections.append(self.current)


def _agent_names(value: str) -> set[str]:
    """The product token a line names, and its first word: a token set by a user may have digits."""
    if value.split(maxsplit=1)[:1] == ["*"]:
        return {"*"}
    names = {found[0].lower() for p in (_PRODUCT, _FIRST_WORD) if (found := p.match(value))}
    return names - {"", "*"}


def _longer(delay: float | None, value: str) -> float | None:
    if not _SECONDS.fullmatch(value) or not isfinite(seconds := float(value)):
        return delay
    return max(delay or 0.0, seconds)


def _add_preference(record: RobotsLine, everyones: list[Preference], own: list[Preference]) -> None:
    path, value = "/", record.value
    if value.startswith(("/", "*")):
        path, value = (*value.split(maxsplit=1), "")[:2]
    if _is_worth_keeping(value) and len(everyones) < _MAX_PREFERENCES:
        preference = Preference(path, value, record.number)
        everyones.append(preference)
        own.append(preference)


def _is_worth_keeping(value: str) -> bool:
    """Not cut when too long: half a preference would misquote it."""
    return 0 < len(value) <= _MAX_VALUE_LENGTH


class _Group:
    """Everything the file says to one crawler: all sections of its token, merged."""

    __slots__ = ("_no_rule", "_rules", "delay", "name", "signals", "usage")

    def __init__(self, name: str, sections: list[_Section], outside: _Section) -> None:
        self.name = name
        self._no_rule = RobotsVerdict(allowed=True, line=0, rule="", group=name)
        self.delay = max((s.delay for s in sections if s.delay is not None), default=None)
        self.usage = _patterns(p for s in (outside, *sections) for p in s.usage)
        self.signals = _patterns(p for s in (outside, *sections) for p in s.signals)
        self._rules = GroupRules(line for s in sections for line in s.rules)

    def decide(self, path: Path) -> RobotsVerdict:
        best = self._rules.strongest(path)
        if best is None or path.written == "/robots.txt":
            return self._no_rule
        rule = best.text[:_MAX_RULE_LENGTH]
        return RobotsVerdict(best.key == "allow", best.number, rule, self.name)

    @property
    def size(self) -> int:
        """Bytes that it takes, about."""
        wishes = (*self.usage, *self.signals)
        return self._rules.size + sum(_PER_WISH + 4 * p.octets + len(v) for p, v in wishes)


def _patterns(preferences: Iterable[Preference]) -> list[tuple[Pattern, str]]:
    return [(pattern, line.value) for line in preferences if (pattern := rule_pattern(line.path))]


def _most_specific(preferences: list[tuple[Pattern, str]], path: Path) -> list[str]:
    """The values of the longest matching path. Of contradicting ones none may be left out."""
    if not preferences:
        return []
    matching = [(pattern.octets, value) for pattern, value in preferences if pattern.matches(path)]
    longest = max((octets for octets, _ in matching), default=0)
    values = dict.fromkeys(value for octets, value in matching if octets == longest)
    return list(values)[:_MAX_VALUES]
