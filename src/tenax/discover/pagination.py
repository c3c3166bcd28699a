"""Which page of a sequence is a URL, and which of its other pages are worth asking for? (DISC-3)

A listing that names its pages 2 and 37 names those between them too: they are proposed at once.
Beyond the last one known a single page is guessed, and the next only when that one was good. A
page that is gone, empty or repeats another ends the guessing for good.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

import msgspec

from tenax.discover.guesses import GuessPolicy

NUMBER = "<n>"
"""Stands for the number in a rule's key. The URL standard escapes < and >, so no URL has it."""
_LONGEST = 2_083


class Kind(StrEnum):
    PAGE = "page"
    """Counts pages: 1, 2, 3."""
    OFFSET = "offset"
    """Counts what the pages list: 0, 20, 40."""


class Result(StrEnum):
    """What a visit to a page of a sequence brought."""

    SUCCESS = "success"
    GONE = "gone"
    EMPTY = "empty"
    """A page, and nothing on it that was not known."""
    REPEATED = "repeated"
    """The content of another page, or a redirect to one."""
    FAILED = "failed"
    """No answer that says anything about the page."""


class Place(NamedTuple):
    """Where a URL stands in a sequence."""

    key: str
    """The URL with `NUMBER` for its number: the same for every page of the sequence."""
    number: int
    kind: Kind
    is_sure: bool
    """False where such a URL may well be something else: a neighbour has to be seen first."""

    @property
    def host(self) -> str:
        return _authority(self.key)


@dataclass(frozen=True, slots=True)
class Rule:
    """What is known of one sequence. `begun` gives what a new crawl takes over of it."""

    key: str
    kind: Kind = Kind.PAGE
    is_sure: bool = False
    low: int | None = None
    """The lowest page that was named or read; None when none was in this crawl."""
    high: int | None = None
    """The highest one."""
    fetched: int | None = None
    """The highest one read, and good."""
    common: int = 0
    """The greatest common divisor of the numbers seen."""
    apart: int = 0
    """That of their distances."""
    filled: tuple[int, int] | None = None
    """Those between these two are known or proposed."""
    guessed: int | None = None
    """The one guess that has no answer yet."""
    hits: int = 0
    misses: int = 0
    holes: int = 0
    """Pages between two named ones that were not there after all."""
    steps: int = 0
    """Times one of its pages was the first to name a later one."""
    has_next: bool = False
    """One of its pages named the next one by rel=next."""
    dead: str = ""
    """Why it is guessed no more; empty while it is."""
    dead_at: float = 0.0

    @property
    def step(self) -> int:
        """From one page to the next; 0 while that is not known."""
        if self.kind is Kind.PAGE:
            return 1
        # 11, 21, 31 count from 1; 20 and 740 count from 0 in steps of 20, not of 720.
        return self.common if self.common > 1 else self.apart

    @property
    def is_trusted(self) -> bool:
        """Whether it is a sequence for certain, with a step."""
        return self.is_sure and self.step > 0 and self.high is not None

    @property
    def has_ended(self) -> bool:
        """Its pages name the one that follows, and the last of them names none."""
        names_next = self.has_next or self.steps >= _ENOUGH_STEPS
        return names_next and self.fetched is not None and self.fetched == self.high

    def url(self, number: int) -> str:
        return self.key.replace(NUMBER, str(number), 1)


_ENOUGH_STEPS = 2
_MOST_HOLES = 3


def sequence_of(url: str) -> Place | None:
    """Where a resolved URL stands in a sequence; None when in none. Never raises."""
    if len(url) > _LONGEST or "<" in url or not url.startswith(("http://", "https://")):
        return None
    if "=" in url:
        found = list(_PARAMETER.finditer(url))
        if found:
            # Two numbers that count: which one leads on cannot be told.
            return _place_in_query(url, found[0]) if len(found) == 1 else None
    match = _SEGMENT.search(url)
    return None if match is None else _place(url, match, Kind.PAGE, bool(match["word"]))


def learn_from_page(
    rules: Mapping[str, Rule], page_url: str, links: Iterable[str], next_href: str | None = None
) -> dict[str, Rule]:
    """What a page that was read, and is good, tells of the sequences of its host.

    Links are resolved URLs; `next_href` is the one it calls rel=next.
    """
    learned = dict(rules)
    own = sequence_of(page_url)
    named: dict[str, list[Place]] = {}
    host = _authority(page_url)
    for url in (*links, *([next_href] if next_href else ())):
        place = sequence_of(url)
        if place is not None and place.host == host:
            named.setdefault(place.key, []).append(place)
    if own is not None:
        rule = learned.get(own.key) or Rule(own.key, own.kind)
        learned[own.key] = _read(rule, own, named.get(own.key, []))
    for key, places in named.items():
        rule = learned.get(key) or Rule(key, places[0].kind)
        learned[key] = _named(rule, places)
    if next_href and (place := sequence_of(next_href)) and place.host == host:
        learned[place.key] = replace(learned[place.key], has_next=True)
    return learned


def fill(rule: Rule, policy: GuessPolicy) -> tuple[Rule, list[int]]:
    """The pages between those the site names that were not proposed yet, and the rule then."""
    if not rule.is_trusted or rule.holes >= _MOST_HOLES:
        return rule, []
    assert rule.low is not None
    assert rule.high is not None
    start, end = rule.filled or (rule.low, rule.low)
    above = range(end + rule.step, rule.high + 1, rule.step)[: policy.fan_out]
    room = policy.fan_out - len(above)
    below = range(start - rule.step, rule.low - 1, -rule.step)[:room]
    filled = (below[-1] if below else start, above[-1] if above else end)
    # Its ends are named themselves, and so need no proposal.
    numbers = [n for n in (*above, *below) if n not in (rule.low, rule.high)]
    return (rule if filled == rule.filled else replace(rule, filled=filled)), numbers


def guess(rule: Rule, policy: GuessPolicy) -> tuple[Rule, int | None]:
    """The one page beyond the last that is known, if it may be guessed now, and the rule then.

    Only once the last one was read: it may name what follows, or say that nothing does.
    """
    if not may_go_on(rule, policy):
        return rule, None
    assert rule.high is not None
    number = rule.high + rule.step
    return replace(rule, guessed=number), number


def may_go_on(rule: Rule, policy: GuessPolicy) -> bool:
    return (
        rule.is_trusted
        and not rule.dead
        and rule.guessed is None
        and rule.fetched == rule.high
        and not rule.has_ended
        and rule.hits < policy.most_beyond
    )


def feedback(rule: Rule, url: str, result: Result, now: float = 0.0) -> Rule:
    """What became of a page of the sequence, named or guessed.

    A guess that failed to be answered stays the one guess: nothing is asked in its place.
    """
    place = sequence_of(url)
    if place is None or place.key != rule.key or result is Result.FAILED:
        return rule
    number = place.number
    is_guess = number == rule.guessed
    if result is Result.SUCCESS:
        read = _read(rule, place, [])
        return replace(read, guessed=None, hits=rule.hits + 1) if is_guess else read
    if is_guess:
        ended = replace(rule, guessed=None, misses=rule.misses + 1)
        return _died(ended, _WHY[result].format(number), now)
    if rule.high is not None and number >= rule.high:
        return _died(rule, _WHY[result].format(number), now)
    return replace(rule, holes=rule.holes + 1)


def begun(rule: Rule) -> Rule:
    """The rule for a new crawl: which pages there are is for the site to say again.

    What was named months ago may be gone, and asking for all of it would be a waste; a sequence
    that turned out to be none, or to end, is not tried a second time.
    """
    return replace(rule, low=None, high=None, fetched=None, filled=None, guessed=None)


def merged(mine: Rule, theirs: Rule) -> Rule:
    """What two views of one sequence know together, whichever comes first."""
    first, second = sorted((mine, theirs), key=lambda rule: (rule.dead_at or math.inf, rule.dead))
    return replace(
        mine,
        is_sure=mine.is_sure or theirs.is_sure,
        low=_least(mine.low, theirs.low),
        high=_most(mine.high, theirs.high),
        fetched=_most(mine.fetched, theirs.fetched),
        common=math.gcd(mine.common, theirs.common),
        apart=math.gcd(mine.apart, theirs.apart),
        filled=None,
        guessed=_most(mine.guessed, theirs.guessed),
        hits=max(mine.hits, theirs.hits),
        misses=max(mine.misses, theirs.misses),
        holes=max(mine.holes, theirs.holes),
        steps=max(mine.steps, theirs.steps),
        has_next=mine.has_next or theirs.has_next,
        dead=first.dead or second.dead,
        dead_at=first.dead_at or second.dead_at,
    )


def worth_keeping(rules: Mapping[str, Rule], most: int) -> list[str]:
    """The keys of those to forget, so that `most` are left: the oldest that taught nothing
    first. One that died is a lesson; forgotten, it would be paid for again. Oldest are first."""
    surplus = len(rules) - most
    if surplus <= 0:
        return []
    taught = {key for key, rule in rules.items() if rule.dead or rule.hits or rule.guessed}
    return sorted(rules, key=taught.__contains__)[:surplus]


def to_json(rule: Rule) -> str:
    return msgspec.json.encode(rule).decode()


def from_json(text: str) -> Rule | None:
    """The rule as it was written; None for what no version of us has written."""
    try:
        return _decoder.decode(text)
    except msgspec.MsgspecError:
        return None


_decoder = msgspec.json.Decoder(Rule)

_WHY = {
    Result.GONE: "page {} is not there",
    Result.EMPTY: "page {} brought nothing new",
    Result.REPEATED: "page {} repeats another",
}

_PAGES = (
    r"page|paged|pg|page_?no|page_?num|page_?number|current_?page|cur_?page|seite|pagina|strona"
)
_OFFSETS = r"offset|start|skip|from|start_?index"
_PARAMETER = re.compile(
    rf"[?&](?:(?P<page>{_PAGES})|(?P<p>p)|(?P<offset>{_OFFSETS}))=(?P<number>\d{{1,7}})(?=&|$)",
    re.ASCII | re.IGNORECASE,
)
_SEGMENT = re.compile(
    r"/(?:(?P<word>page|seite|pagina|strona)[/_-]?|p)(?P<number>\d{1,6})"
    r"(?=/?(?:\?[^/]*)?$|\.[a-z]{3,5}(?:\?[^/]*)?$)",
    re.ASCII | re.IGNORECASE,
)
_MOST_P = 1_000
_YEARS = range(1_900, 2_101)


def _place_in_query(url: str, match: re.Match[str]) -> Place | None:
    if match["offset"]:
        return _place(url, match, Kind.OFFSET, is_sure=False)
    if match["p"]:
        path = url[url.find("/", 8) : match.start()]
        is_only = "?" not in path and match.end() == len(url)
        # /?p=123 is how WordPress names a post by its number.
        if (is_only and path in ("", "/", "/index.php")) or int(match["number"]) > _MOST_P:
            return None
    return _place(url, match, Kind.PAGE, is_sure=bool(match["page"]))


def _place(url: str, match: re.Match[str], kind: Kind, is_sure: bool) -> Place | None:
    digits = match["number"]
    if digits[0] == "0" and len(digits) > 1:
        return None
    number = int(digits)
    key = f"{url[: match.start('number')]}{NUMBER}{url[match.end('number') :]}"
    return Place(key, number, kind, is_sure and number not in _YEARS)


def _authority(url: str) -> str:
    match = _AUTHORITY.match(url)
    return match[1].lower() if match else ""


_AUTHORITY = re.compile(r"https?://([^/?#]*)", re.IGNORECASE)


def _read(rule: Rule, place: Place, named: list[Place]) -> Rule:
    """The page at this place was read; these of its own sequence it names."""
    known = max(place.number, -1 if rule.high is None else rule.high)
    leads_on = any(other.number > known for other in named)
    read = _named(rule, [place])
    return replace(
        read, fetched=_most(rule.fetched, place.number), steps=rule.steps + (1 if leads_on else 0)
    )


def _named(rule: Rule, places: list[Place]) -> Rule:
    """The site itself knows these pages."""
    numbers = sorted({place.number for place in places})
    apart = rule.apart
    for number in numbers:
        for other in (rule.low, rule.high, numbers[0]):
            if other is not None:
                apart = math.gcd(apart, abs(number - other))
    known = replace(
        rule,
        low=_least(rule.low, numbers[0]),
        high=_most(rule.high, numbers[-1]),
        common=math.gcd(rule.common, *numbers),
        apart=apart,
    )
    if known.step != rule.step:
        known = replace(known, filled=None)
    if known.is_sure:
        return known
    edges = [edge for edge in (rule.low, rule.high) if edge is not None]
    is_sure = any(place.is_sure for place in places) or _has_neighbours(
        sorted({*numbers, *edges}), known
    )
    return replace(known, is_sure=True) if is_sure else known


def _has_neighbours(numbers: list[int], rule: Rule) -> bool:
    """Two numbers of which one follows the other: ids of unlike things seldom do that."""
    if rule.kind is Kind.OFFSET:
        # A step of 1 would be an id; a multiple of its step, 0 included, is a place in a list.
        return len(numbers) > 1 and rule.step > 1
    return any(b - a == 1 for a, b in itertools.pairwise(numbers))


def _died(rule: Rule, why: str, now: float) -> Rule:
    return rule if rule.dead else replace(rule, dead=why, dead_at=now)


def _least(a: int | None, b: int | None) -> int | None:
    return b if a is None else a if b is None else min(a, b)


def _most(a: int | None, b: int | None) -> int | None:
    return b if a is None else a if b is None else max(a, b)
