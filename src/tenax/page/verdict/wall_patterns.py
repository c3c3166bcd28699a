"""What does a wall look like? A signature: phrases, where they have to stand, and what else holds.

The table itself is data: `wall_patterns.toml`, read by `tenax.page.verdict.pattern_table`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from msgspec import Struct

from tenax.page.verdict.features import Features, PageMark, parts_of
from tenax.page.verdict.phrases import IN_TITLES, PhrasePlace, WallPhrases, is_unspaced, words_of

MOST_WORDS = 1_000
"""Longer pages are never looked at closely, so no signature may ask for it."""


class WallKind(StrEnum):
    """What an answer is when it is not the page it claims to be (VAL-1)."""

    CHALLENGE = "challenge"
    CAPTCHA = "captcha"
    ACCESS_DENIED = "access_denied"
    IP_BLOCKED = "ip_blocked"
    NEEDS_JAVASCRIPT = "needs_javascript"
    EMPTY_SHELL = "empty_shell"
    LOGIN_WALL = "login_wall"
    SOFT_404 = "soft_404"
    PARKED = "parked"
    TRUNCATED = "truncated"
    TOO_SHORT = "too_short"
    NO_TEXT = "no_text"


class Signature(Struct, frozen=True):
    """One row of the table."""

    id: str
    kind: WallKind
    places: tuple[WallPhrases, ...]
    """In the order of `PhrasePlace`: what is cheapest to look for comes first."""
    has: frozenset[PageMark] = frozenset()
    """What the page has to be built of, all of it."""
    lacks: frozenset[PageMark] = frozenset()
    """What the page must not be built of, any of it."""
    agree: int = 0
    """How many of the places have to have one of their phrases; 0 for all of them."""
    alone: int = 0
    """On pages with at most this many words, the first of the places is enough."""
    max_words: int = 60
    """Pages with more words cannot match: who explains a wall needs words, a wall does not."""
    max_links: int | None = None
    """Pages with more links cannot match; None for any number."""
    of_success: bool = False
    """Asked of answers that claim to be a success only: under a 403 the word "forbidden" says
    nothing that the status does not say."""
    unless: WallPhrases | None = None
    """Phrases in the text that say: this page talks about it."""
    match: tuple[str, ...] = ()
    """Samples that have to be judged by this signature."""
    counter: tuple[str, ...] = ()
    """Samples that have to pass."""

    def evidence(self, features: Features, headers: Sequence[str]) -> str:
        """What matched and where; empty when the signature does not match."""
        if not self._could_match(features):
            return ""
        found = [phrases.found_in(features, headers) for phrases in self.places]
        said = [each for each in found if each]
        is_enough = len(said) >= (self.agree or len(self.places))
        if not is_enough and not (found[0] and 0 < self.alone >= features.words):
            return ""
        if self.unless is not None and self.unless.found_in(features):
            return ""
        said += [f"has {mark}" for mark in sorted(self.has)]
        return f"{'; '.join(said)} ({features.words} words, {features.anchors} links)"

    def _could_match(self, features: Features) -> bool:
        return (
            features.words <= self.max_words
            and (self.max_links is None or features.anchors <= self.max_links)
            and self.has <= features.marks
            and self.lacks.isdisjoint(features.marks)
        )

    @property
    def keys(self) -> tuple[WallPhrases, ...]:
        """Places of which at least one has matched when the row does; as few as possible."""
        return self.places if self.agree else self.places[:1]


@dataclass(frozen=True, slots=True)
class Signatures:
    """The table in the order it is asked: the first that matches gives the verdict."""

    rows: tuple[Signature, ...] = ()
    by_headers: tuple[Signature, ...] = field(init=False)
    """The rows that need nothing but headers."""
    header_names: frozenset[str] = field(init=False)
    """Lower-case names of the headers any row asks for."""
    longest: int = field(init=False)
    """Pages with more words cannot match any row."""
    titles: Lexicon = field(init=False)
    """What any row looks for in titles: such a page is worth a closer look."""
    clues: frozenset[str] = field(init=False)
    """Words of which every such title has one; without spaces, pieces of it."""
    lexicons: tuple[Lexicon, ...] = field(init=False)

    def __post_init__(self) -> None:
        def set_once(name: str, value: object) -> None:
            object.__setattr__(self, name, value)

        alone = [row for row in self.rows if {p.place for p in row.places} == {PhrasePlace.HEADER}]
        every = [p for row in self.rows for p in row.places]
        lines = [line for p in every if p.place is PhrasePlace.HEADER for line in p.exact]
        set_once("by_headers", tuple(alone))
        set_once("header_names", frozenset(line.partition(":")[0].rstrip() for line in lines))
        set_once("longest", max((row.max_words for row in self.rows), default=0))
        titles = Lexicon(PhrasePlace.TITLE)
        lexicons = {place: Lexicon(place) for place in PhrasePlace}
        for number, row in enumerate(self.rows):
            for phrases in row.places:
                if phrases.place in IN_TITLES:
                    titles.add(phrases, number, row.max_words)
            for phrases in row.keys:
                lexicons[phrases.place].add(phrases, number, row.max_words)
        in_titles = [p for p in every if p.place in IN_TITLES]
        set_once("clues", frozenset(clue for p in in_titles for clue in p.clues))
        set_once("titles", titles)
        set_once("lexicons", tuple(lexicons.values()))

    def is_suspicious(self, title: str) -> bool:
        """Whether the title is one that walls have."""
        lower = title.lower()
        if self.clues.isdisjoint(words_of(lower)) and (
            lower.isascii() or not any(clue in lower for clue in self.clues if is_unspaced(clue))
        ):
            return False
        return any(True for _ in self.titles.among(parts_of(title)))

    def likely(self, features: Features, headers: Sequence[str]) -> list[Signature]:
        """The rows worth comparing with the page, in their order: nearly always none."""
        numbers = {
            number
            for lexicon in self.lexicons
            for number in lexicon.rows_for(features, headers)
        }  # fmt: skip
        return [self.rows[number] for number in sorted(numbers)]


class Lexicon:
    """All phrases for one place and the rows they belong to.

    Asking each of fifty rows for its thirty phrases would cost more than parsing the page did.
    """

    def __init__(self, place: PhrasePlace) -> None:
        self._place = place
        self._whole: dict[str, list[int]] = {}
        self._by_word: dict[str, list[tuple[str, int]]] = {}
        self._anywhere: list[tuple[str, int, int]] = []
        self._patterns: list[tuple[re.Pattern[str], int, int]] = []

    def add(self, phrases: WallPhrases, row: int, max_words: int) -> None:
        for phrase in phrases.exact:
            self._whole.setdefault(phrase, []).append(row)
            if phrases.place is PhrasePlace.HTML or is_unspaced(phrase):
                self._anywhere.append((phrase, row, max_words))
            else:
                first = phrase.split(maxsplit=1)[0]
                self._by_word.setdefault(first, []).append((phrase, row))
        self._patterns += [(pattern, row, max_words) for pattern in phrases.patterns]

    def rows_for(self, features: Features, headers: Sequence[str]) -> Iterator[int]:
        match self._place:
            case PhrasePlace.HEADER:
                for line, rows in self._whole.items():
                    if _begins(headers, line):
                        yield from rows
            case PhrasePlace.TITLE:
                yield from self.among(features.title)
            case PhrasePlace.HEADING:
                yield from self.among(features.heading)
            case PhrasePlace.TOP:
                yield from self.among(features.title)
                yield from self.among(features.heading)
            case PhrasePlace.NOSCRIPT:
                yield from self._within(features.noscript, features.words)
            case PhrasePlace.TEXT:
                yield from self._within(features.text, features.words)
            case PhrasePlace.HTML:
                yield from self._within(features.html, features.words)

    def among(self, parts: Sequence[str]) -> Iterator[int]:
        for part in parts:
            yield from self._whole.get(part, ())
            for pattern, row, _ in self._patterns:
                if pattern.fullmatch(part):
                    yield row

    def _within(self, text: str, words: int) -> Iterator[int]:
        if not text.strip():
            return
        if self._by_word:
            for first in self._by_word.keys() & set(text.split()):
                yield from (row for phrase, row in self._by_word[first] if phrase in text)
        if self._place is PhrasePlace.HTML or not text.isascii():
            for phrase, row, max_words in self._anywhere:
                if words <= max_words and phrase in text:
                    yield row
        for pattern, row, max_words in self._patterns:
            if words <= max_words and pattern.search(text):
                yield row


def _begins(lines: Sequence[str], start: str) -> bool:
    return any(line.startswith(start) for line in lines)
