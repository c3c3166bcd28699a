"""Does a page have one of these phrases, in the place where it would mean something?"""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct

from tenax.page.verdict.features import Features, plain

LONGEST_PHRASE = 200
REGEX = "re:"
"""What stands before a phrase that is a regular expression."""
# In how many ways a pattern may be tried at one place, all its repetitions together.
_MOST_WAYS = 5_000
_SHOWN = 80


class PhrasePlace(StrEnum):
    """Where a phrase has to stand. In the order in which it costs to look."""

    HEADER = "header"
    """A header line, `name: value`, begins with it."""
    TITLE = "title"
    """The title, or one part of it, is it."""
    HEADING = "heading"
    """The first heading, or one part of it, is it."""
    TOP = "top"
    """The title or the first heading is it."""
    NOSCRIPT = "noscript"
    """What is told to those without JavaScript has it."""
    TEXT = "text"
    """The main text has it, as whole words."""
    HTML = "html"
    """The source has it: marks that vendors leave."""


IN_TITLES = frozenset({PhrasePlace.TITLE, PhrasePlace.TOP})
_WHOLE = IN_TITLES | {PhrasePlace.HEADING}
_VERBATIM = frozenset({PhrasePlace.HEADER, PhrasePlace.HTML})


class WallPhrases(Struct, frozen=True):
    """The phrases for one place; any of them will do."""

    place: PhrasePlace
    exact: tuple[str, ...]
    """As they are compared: see `of`."""
    patterns: tuple[re.Pattern[str], ...]
    whole: frozenset[str]
    """The same as `exact`, where being one of them is the question."""
    clues: frozenset[str]
    """A word of each phrase: a title without any of them is none of the phrases."""

    @classmethod
    def of(cls, place: PhrasePlace, phrases: Sequence[str]) -> WallPhrases:
        """ValueError says which phrase cannot be used, and what to do about it."""
        exact = tuple(dict.fromkeys(_prepared(p, place) for p in phrases if not _is_regex(p)))
        patterns = [safe_pattern(p.removeprefix(REGEX)) for p in phrases if _is_regex(p)]
        if patterns and place is PhrasePlace.HEADER:
            raise ValueError("a header is no regular expression. Write how the line begins.")
        clues = frozenset(map(_clue, phrases if place in IN_TITLES else ()))
        return cls(place, exact, tuple(patterns), frozenset(exact), clues)

    def found_in(self, features: Features, headers: Sequence[str] = ()) -> str:
        """What matched, after the name of its place; empty when nothing did."""
        match self.place:
            case PhrasePlace.HEADER:
                return _named(PhrasePlace.HEADER, self.beginning(headers))
            case PhrasePlace.TITLE:
                return _named(PhrasePlace.TITLE, self.among(features.title))
            case PhrasePlace.HEADING:
                return _named(PhrasePlace.HEADING, self.among(features.heading))
            case PhrasePlace.TOP:
                title = _named(PhrasePlace.TITLE, self.among(features.title))
                return title or _named(PhrasePlace.HEADING, self.among(features.heading))
            case PhrasePlace.NOSCRIPT:
                return _named(PhrasePlace.NOSCRIPT, self.within(features.noscript))
            case PhrasePlace.TEXT:
                return _named(PhrasePlace.TEXT, self.within(features.text))
            case PhrasePlace.HTML:
                return _named(PhrasePlace.HTML, self.within(features.html))

    def beginning(self, lines: Sequence[str]) -> str:
        """The first line that begins with one of the phrases."""
        return next((line for line in lines if line.startswith(self.exact)), "")

    def among(self, parts: Sequence[str]) -> str:
        """The first part of a title that is one of the phrases."""
        for part in parts:
            if part in self.whole or any(pattern.fullmatch(part) for pattern in self.patterns):
                return part
        return ""

    def within(self, text: str) -> str:
        """The first phrase that the text has."""
        for phrase in self.exact:
            if phrase in text:
                return phrase.strip()
        for pattern in self.patterns:
            if found := pattern.search(text):
                return found[0].strip()
        return ""


def safe_pattern(source: str) -> re.Pattern[str]:
    """Compiled; ValueError when matching it could take longer than reading the page.

    Patterns see what phrases see: lower-case words without punctuation, or lower-case source.
    """
    bare = _ESCAPES_AND_CLASSES.sub("x", source)
    if _UNBOUNDED.search(bare):
        raise ValueError(f"{source!r} repeats without a bound. Use {{0,20}} instead of * and +.")
    if "){" in bare:
        raise ValueError(f"{source!r} repeats a group. Write out what it repeats.")
    if _ways(bare) > _MOST_WAYS:
        raise ValueError(f"{source!r} can be tried in too many ways. Use less in {{m,n}}.")
    try:
        with warnings.catch_warnings():
            # What Python warns of today means something else tomorrow: [[ is one such.
            warnings.simplefilter("error")
            return re.compile(source, re.DOTALL)
    except (re.error, Warning) as error:
        raise ValueError(f"{source!r} is no regular expression: {error}.") from None


_ESCAPES_AND_CLASSES = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]")
_UNBOUNDED = re.compile(r"[*+]|\{\d*,\}|\{,")
_COUNTED = re.compile(r"\{(\d+),(\d+)\}")
_WORD = re.compile(r"\w+")
_FIRST_WORD = re.compile(r"[a-z]+(?= [a-z])")
_UNSPACED = re.compile("[\u2e80-\u9fff\uac00-\ud7af]")
_OPTIONAL = re.compile(r"(?<![(}?])\?")


def _ways(bare: str) -> int:
    """In how many ways the repetitions can be divided at one place, at most."""
    ways = 1 << min(64, len(_OPTIONAL.findall(bare)))
    for low, high in _COUNTED.findall(bare):
        ways *= max(1, int(high) - int(low) + 1)
    return ways


def is_unspaced(phrase: str) -> bool:
    """Scripts without spaces, where a phrase stands inside what looks like one long word."""
    return _UNSPACED.search(phrase) is not None


def words_of(text: str) -> list[str]:
    return _WORD.findall(text)


def _is_regex(phrase: str) -> bool:
    return phrase.startswith(REGEX)


def _clue(phrase: str) -> str:
    """The longest word: quicker to look for than a whole title is to compare."""
    if _is_regex(phrase):
        first = _FIRST_WORD.match(phrase, len(REGEX))
        if first is None:
            raise ValueError(f"{phrase!r} begins with no word. In titles, begin with two of them.")
        return first[0]
    return max(words_of(phrase.lower()), key=len, default="")


def _prepared(phrase: str, place: PhrasePlace) -> str:
    ready = phrase.lower().strip() if place in _VERBATIM else plain(phrase)
    if not ready or len(phrase) > LONGEST_PHRASE:
        raise ValueError(f"{phrase!r} is no phrase. Use 1 to {LONGEST_PHRASE} letters and digits.")
    if place is PhrasePlace.HEADER and ":" not in ready:
        raise ValueError(f"{phrase!r} is no header. Write it as name: value.")
    if place in _WHOLE or place in _VERBATIM or is_unspaced(ready):
        return ready
    return f" {ready} "


def _named(place: PhrasePlace, found: str) -> str:
    return f"{place} {found[:_SHOWN]!r}" if found else ""
