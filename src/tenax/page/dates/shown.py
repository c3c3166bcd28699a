"""Which day does a page show beside its headline?

Only what stands alone counts, or with a few words around it, as dates of publication do: a day in
a sentence is what the sentence is about. And only near the headline: elsewhere it is the date of
something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime
from itertools import chain, islice
from typing import NamedTuple

from tenax.page import native
from tenax.page.dates import labels
from tenax.page.dates.written import WrittenDay, days_in, is_plausible
from tenax.page.reading.headline import SEPARATOR, alike, own_title

_LOOKED_AT = 10_000
_BEFORE = 200
_BEHIND = 600
_MOST_HEADLINES = 3
_PROBED = 24
_MOST_YEARS = 200
_MOST_LABELS = 20
_FEWEST_WORDS = 3
_MOST_BESIDE = 8  # words
_LONGEST_LINE = 160
_LONGEST_LABEL = 40
_WORD = re.compile(r"\w+")
_TIME = re.compile(r"[Tt]\d\d:")
_YEAR = re.compile(r"(?:19|20)\d\d")
_DIGITS = len("2026")
_YEAR_IN_BYTES = re.compile(rb"(?:19|20)\d\d")
# A report begins with where and when it was written: "Cologne, 31 May 2024 - What happened".
_PLACE = re.compile(r"(?:[^\W\d_][\w.\-]*[\s,/]+){0,3}[(\[]?")
_DASH = re.compile(r"[)\]]|\.?:?\s*[-\u2013\u2014|]\s")
# 14. - 20. January 2022, but not 18:58 - 20 January 2022
_SPAN = re.compile(r"(?<![\d:])\d\d?\.?\s?[\-\u2013]\s?\d\d?\.?\s+[^\W\d_]")
_LONGEST_BEGINNING = 6
_MONTH_IN_URL = re.compile(r"/(20[0-3]\d)/([01]\d)(?:/|$)")


class ShownDates(NamedTuple):
    published: str
    modified: str


def shown_dates(
    lines: bytes,
    title: str,
    fetched_at: float | None,
    *,
    url: str = "",
    shared: str = "",
    site: str = "",
    language: str = "",
) -> ShownDates:
    """What the beginning of a main text, a node a line, shows around the page's headline: what
    its title says, or what others are to call it (`shared`)."""
    if not _names_year(lines):
        return ShownDates("", "")
    titles = filter(None, dict.fromkeys((title, shared)))
    headlines = dict.fromkeys(filter(None, (own_title(each, site, url) for each in titles)))
    if not headlines:
        return ShownDates("", "")
    text = lines[:_LOOKED_AT].decode("utf-8", "ignore")
    text = "\n".join(filter(None, map(str.strip, text.split("\n"))))
    later = ""
    years = _years_in(text)
    places = chain.from_iterable(_headlines_in(text, years, headline) for headline in headlines)
    for start, end in islice(places, _MOST_HEADLINES):
        behind = _days(text[end : end + _BEHIND], fetched_at, language)
        before = _days(text[max(0, start - _BEFORE) : start], fetched_at, language)
        found = [*behind, *reversed([*before])]
        later = later or _first(day for day, is_later in found if is_later)
        if day := _first(day for day, is_later in found if not is_later and _fits(day, url)):
            return ShownDates(day, later)
    day = _in_title(title, fetched_at, language)
    if not day and (words := labels.first_words_in(lines[:_LOOKED_AT])):
        day = _labelled(text, words, fetched_at, language)
    return ShownDates(day, later)


def _in_title(title: str, fetched_at: float | None, language: str) -> str:
    """The day that is a part of the title by itself, as newspapers have it there."""
    if _SPAN.search(title):
        return ""
    parts = (part for part in SEPARATOR.split(title) if len(part) <= _LONGEST_LABEL)
    days = (said for part in parts for said in _labelled_days(part, fetched_at, language))
    return _first(day for day, label in days if not _WORD.search(label))


def _labelled(text: str, words: list[str], fetched_at: float | None, language: str) -> str:
    """The day of which one of these words says that it is the first, if they say it of no other."""
    found: set[date] = set()
    lower = text.lower()
    places = chain.from_iterable(_places_of(word, lower) for word in words)
    for place in islice(places, _MOST_LABELS):
        if any(word in lower[max(0, place - _BEFORE) : place] for word in labels.OF_READERS):
            continue
        near = lower[lower.rfind("\n", 0, place) + 1 : place + _LONGEST_LINE]
        found.update(
            day for day, label in _labelled_days(near, fetched_at, language)
            if any(word in label for word in words) and not labels.LATER.search(label)
        )  # fmt: skip
    return found.pop().isoformat() if len(found) == 1 else ""


def _places_of(word: str, text: str) -> Iterator[int]:
    place = text.find(word)
    while place >= 0:
        yield place
        place = text.find(word, place + 1)


def _names_year(lines: bytes) -> bool:
    """Whether there is anything to look for: asked of nearly every page."""
    if native.NATIVE is not None:
        return native.NATIVE.names_year(lines, _LOOKED_AT)
    return _YEAR_IN_BYTES.search(lines, 0, _LOOKED_AT) is not None


def _first(days: Iterator[date]) -> str:
    day = next(days, None)
    return "" if day is None else day.isoformat()


def _headlines_in(text: str, years: list[int], headline: str) -> Iterator[tuple[int, int]]:
    """Where the lines stand that say what the headline does, or much of it: a line may be the
    beginning of a heading, and a title may say more than that. Only those near a year count."""
    lower = headline.lower()
    wanted, words = alike(headline), set(_WORD.findall(lower))
    shortest, longest = len(headline) // 3, 2 * len(headline)
    for start, end in _near(years, text, longest):
        place = start
        for line in text[start:end].split("\n"):
            if shortest <= len(line) <= longest and _begins_alike(line, lower):
                said = alike(line)
                if said and (said in wanted or _is_reworded(line, words)):
                    yield place, place + len(line)
            place += len(line) + 1


def _years_in(text: str) -> list[int]:
    """Where the first years stand. To look for two digits is ten times as fast as for a pattern."""
    places = [place for century in ("19", "20") for place in _places_of(century, text)]
    return [place for place in sorted(places) if _YEAR.match(text, place)][:_MOST_YEARS]


def _near(years: list[int], text: str, longest: int) -> list[tuple[int, int]]:
    """The whole lines among which a headline would be that has one of these years beside it."""
    spans: list[tuple[int, int]] = []
    for at in years:
        is_early = at < _LONGEST_LABEL or text.find("\n", at - _LONGEST_LABEL, at) >= 0
        latest = at + _LONGEST_LINE
        if not is_early and latest < len(text) and text.find("\n", at, latest) < 0:
            continue
        start = text.rfind("\n", 0, max(0, at - _BEHIND - longest)) + 1
        end = text.find("\n", at + _DIGITS + _BEFORE)
        end = len(text) if end < 0 else end
        if spans and start <= spans[-1][1]:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return spans


def _begins_alike(line: str, lower: str) -> bool:
    """Whether one of the first two words is in the headline: what most lines fail, quickly."""
    words = line[:_PROBED].lower().split(None, 2)
    return bool(words) and (words[0] in lower or (len(words) > 1 and words[1] in lower))


def _is_reworded(line: str, words: set[str]) -> bool:
    """Whether most of the words are the same, of both."""
    said = set(_WORD.findall(line.lower()))
    both = len(said & words)
    return both >= _FEWEST_WORDS and 4 * both >= 3 * max(len(said), len(words))


def _days(text: str, fetched_at: float | None, language: str) -> Iterator[tuple[date, bool]]:
    """The days that stand alone, and whether each is said to be of a change."""
    if _YEAR.search(text):
        for day, label in _labelled_days(text, fetched_at, language):
            yield day, labels.LATER.search(label) is not None


def _labelled_days(
    text: str, fetched_at: float | None, language: str
) -> Iterator[tuple[date, str]]:
    """The days that stand alone, and what is said of each. Not those between which something
    lasts, nor what is written as machines read it: people are not shown that."""
    days = days_in(text, language)
    ends, starts = [0, *(each.end for each in days)], [*(each.start for each in days), len(text)]
    for at, found in enumerate(days):
        earliest, latest = ends[at], starts[at + 1]
        begins = labels.SPAN.fullmatch(text, found.end, latest) and at + 1 < len(days)
        ends_it = labels.SPAN.fullmatch(text, earliest, found.start) and at
        beginning = max(0, found.start - _LONGEST_BEGINNING)
        if (
            begins
            or ends_it
            or _SPAN.search(text, beginning, found.end)
            or _TIME.match(text, found.end)
        ):
            continue
        label = _label(text, found, earliest, latest)
        moment = datetime.combine(found.day, datetime.min.time())
        if (
            label is not None
            and is_plausible(moment, fetched_at)
            and not labels.OTHERS.search(label)
        ):
            yield found.day, label


def _label(text: str, found: WrittenDay, earliest: int, latest: int) -> str | None:
    """What is said of a day, between the one before it and the next: before it on its line or the
    one above, or else behind it. None when the day is part of a sentence."""
    start = text.rfind("\n", 0, found.start) + 1
    end = text.find("\n", found.end)
    end = len(text) if end < 0 else end
    before, behind = text[max(start, earliest) : found.start], text[found.end : min(end, latest)]
    if end - start > _LONGEST_LINE or len(_WORD.findall(f"{before} {behind}")) > _MOST_BESIDE:
        begins = earliest <= start and _PLACE.fullmatch(before)
        return "" if begins and _DASH.match(behind) else None
    if earliest > start:
        return before
    if _WORD.search(before) and not labels.WEEKDAY.fullmatch(before):
        return before
    above = text[earliest:start].rstrip().rpartition("\n")[2]
    above = above if len(above) <= _LONGEST_LABEL else ""
    return f"{above} {before} {'' if latest < end else behind}"


def _fits(day: date, url: str) -> bool:
    """Whether it is not of another month than the one in the page's address."""
    named = _MONTH_IN_URL.search(url)
    return named is None or (day.year, day.month) == (int(named[1]), int(named[2]))
