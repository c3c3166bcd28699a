"""What does somebody look for? The query language, parsed; the same for every index. Pure.

    kettle "stainless steel" -plastic title:review host:shop.example price:10..50 since:2026-01-01

Words have to be there, all of them; phrases in quotes; a minus before anything excludes it. A field
that there is not is an error: taken for a word, it would find nothing and not say why.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from msgspec import Struct, field

from tenax.page.wording import words_of
from tenax.ports.search import EQUAL, FIELDS, Query, Span, Words

_TOKEN = re.compile(r'(-?)(?:([A-Za-z_]+):)?(?:"([^"]*)"?|(\S+))')
_NAMES = {"lang": "language", "site": "host"}
_KNOWN = (*FIELDS, *EQUAL, "price", "rating", "date", "since", "before", *_NAMES)
_WORDED = ("availability", "status")
_GTIN_LENGTHS = (8, 12, 13, 14)
_Reader = Callable[[str], float]
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


class QueryError(ValueError):
    """A query that means nothing: what is wrong with it, and what to write."""


def parse(text: str) -> Query:
    """Raises `QueryError`."""
    reading = _Reading()
    for minus, name, phrase, word in _TOKEN.findall(text):
        value = phrase or word
        if word.endswith(":") and word[:-1].lower() in _KNOWN:
            raise QueryError(f"{word} has nothing behind it.")
        field_name = _NAMES.get(name.lower(), name.lower())
        if field_name and field_name not in _KNOWN:
            if phrase or not value.startswith("//"):
                raise QueryError(_no_field(name, value))
            field_name, value = "", f"{name}:{value}"  # a URL
        if not value.strip():
            if field_name:
                raise QueryError(f"{name}: has nothing behind it.")
            continue
        reading.take(field_name, value, is_excluded=bool(minus))
    return reading.query()


class _Reading(Struct):
    """A query while it is read."""

    all_of: list[Words] = field(default_factory=list)
    none_of: list[Words] = field(default_factory=list)
    equal: dict[str, tuple[str, ...]] = field(default_factory=dict)
    unequal: dict[str, tuple[str, ...]] = field(default_factory=dict)
    price: Span = field(default_factory=Span)
    at: Span = field(default_factory=Span)
    rating: Span = field(default_factory=Span)

    def take(self, name: str, value: str, *, is_excluded: bool) -> None:
        if name in EQUAL:
            into = self.unequal if is_excluded else self.equal
            into[name] = (*into.get(name, ()), *_values(name, value))
        elif name in ("", *FIELDS):
            if words := words_of(value):
                (self.none_of if is_excluded else self.all_of).append(Words(tuple(words), name))
        elif is_excluded:
            raise QueryError(f"-{name}: a span cannot be excluded. Name the span that is wanted.")
        elif name == "price":
            self.price = _span(value, _number)
        elif name == "rating":
            self.rating = _span(value, _number)
        elif name == "date":
            self.at = _span(value, _day, _end_of_day)
        elif name == "since":
            self.at = Span(_day(value), self.at.high)
        else:
            self.at = Span(self.at.low, _day(value) - 0.001)

    def query(self) -> Query:
        return Query(
            tuple(self.all_of),
            tuple(self.none_of),
            self.equal,
            self.unequal,
            self.price,
            self.at,
            self.rating,
        )


def _no_field(name: str, value: str) -> str:
    known = ", ".join(sorted(_KNOWN))
    return f'{name}: is no field. There are {known}. To look for the words, write "{name} {value}".'


def _values(name: str, value: str) -> tuple[str, ...]:
    """What a field may say to mean this."""
    value = value.lower()
    if name == "gtin" and value.isdigit():
        bare = value.lstrip("0")
        return tuple(dict.fromkeys((value, *(bare.zfill(length) for length in _GTIN_LENGTHS))))
    if name in _WORDED:
        return (re.sub(r"[\s_-]+", "", value),)
    return (value,)


def _span(value: str, low: _Reader, high: _Reader | None = None) -> Span:
    """10..20, 10.., ..20, >10, <20, or one value."""
    high = high or low
    if ".." in value:
        first, _, last = value.partition("..")
        return Span(low(first) if first else None, high(last) if last else None)
    if value[0] in "<>":
        bare = value.lstrip("<>=")
        return Span(low(bare), None) if value[0] == ">" else Span(None, high(bare))
    return Span(low(value), high(value))


def _number(text: str) -> float:
    if not _NUMBER.fullmatch(text):
        raise QueryError(f"{text}: no number. Use price:10..20, price:>10 or rating:>4.")
    return float(text)


def _day(text: str) -> float:
    try:
        day = datetime.fromisoformat(text)
    except ValueError:
        raise QueryError(f"{text}: no date. Use date:2026-01-01..2026-01-31.") from None
    return (day if day.tzinfo else day.replace(tzinfo=UTC)).timestamp()


def _end_of_day(text: str) -> float:
    day = _day(text)
    return day + timedelta(days=1).total_seconds() - 0.001 if len(text) == 10 else day
