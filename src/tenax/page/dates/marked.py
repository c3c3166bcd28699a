"""Which dates are marked as such: in JSON-LD, as properties of elements, as times?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from tenax.page.dates.written import normalise_date
from tenax.page.jsonld import json_values
from tenax.page.markings import Markings, Tagged
from tenax.page.rules import MOST_SCRIPTS, MOST_TIMES, SCRIPTS_TOLD

FIRST = ("datePublished", "dateCreated", "uploadDate")
LATER = "dateModified"

_LONGEST_JSON = 500_000
_MOST_INSIDE = 2
_FEW_EARLIER = 10  # one of so many
_NAMED_AS_PUBLISHED = re.compile(
    r"(?i)publish|pub[-_]?date|(?:entry|post|article|story)[-_]?(?:date|time)"
)
_NAMED_AS_MODIFIED = re.compile(r"(?i)updat|modif|changed|edited")

Said = tuple[str, str]
"""A property, and what it is said to be."""


def said_in_scripts(page: Markings, _is_known: bool) -> Iterator[Said]:
    for script in islice(filter(_holds_data, page.found["script"]), MOST_SCRIPTS):
        text = script.text
        if len(text) <= _LONGEST_JSON and ("date" in text or "uploadDate" in text):
            for value in json_values(text):
                yield from _dates_of(value)


def _holds_data(script: Tagged) -> bool:
    return (script.attr("type") or "").strip().lower() == SCRIPTS_TOLD


def _dates_of(value: Any, inside: int = 0) -> Iterator[Said]:
    """Dates of the page's own things; those of others in them (comments, reviews) are theirs."""
    for thing in islice(value if isinstance(value, list) else [value], MOST_TIMES):
        if not isinstance(thing, dict):
            continue
        for name in (*FIRST, LATER):
            if isinstance(said := thing.get(name), str):
                yield name, said
        if inside < _MOST_INSIDE:
            yield from _dates_of(thing.get("@graph"), inside + 1)
            # What the page is about; of several, each is one of many.
            if isinstance(about := thing.get("mainEntity"), dict):
                yield from _dates_of(about, inside + 1)


def said_by_elements(page: Markings, is_known: bool) -> Iterator[Said]:
    """Of properties of elements, the first of each kind is the page's: what others wrote on it
    comes behind. `abbr` is how they were marked before there were times. Where the day is known
    and only that of a change is looked for, times are enough: to ask a tree for more takes long."""
    for element in islice(page.found["time"] if is_known else page.dated, MOST_TIMES):
        if element.tag == "abbr":
            named = element.attr("class") or ""
            if _NAMED_AS_PUBLISHED.search(named):
                yield FIRST[0], _time_of(element)
            elif _NAMED_AS_MODIFIED.search(named):
                yield LATER, _time_of(element)
        name = element.attr("itemprop")
        if name is not None and name in (*FIRST, LATER):
            # Which of these two comes first is the page's own; an upload is that of a film on it.
            yield FIRST[0] if name == FIRST[1] else name, _time_of(element)


def times_of_the_article(page: Markings) -> Iterator[str]:
    if len(page.found["article"]) == 1:
        article = page.found["article"][0]
        for element in islice(page.found["time"], MOST_TIMES):
            if article in islice(element.ancestors, MOST_TIMES) and not _is_of_a_change(element):
                yield _time_of(element)


def times_named(page: Markings) -> Iterator[str]:
    """Times that are named as the date of the text."""
    # Where there are several articles, a time is that of one of them.
    if len(page.found["article"]) <= 1:
        for element in islice(page.found["time"], MOST_TIMES):
            named = element.attr("pubdate") is not None
            if named or _NAMED_AS_PUBLISHED.search(element.attr("class") or ""):
                yield _time_of(element)


def earliest_time(page: Markings) -> Iterator[str]:
    """The first time, if none is earlier: what was written under a text is younger than it is,
    while lists begin with what is new."""
    texts = [_time_of(element) for element in islice(page.found["time"], MOST_TIMES)]
    dates = [date for text in texts if text and (date := normalise_date(text))]
    # Where all are of one day, nothing tells the text's from that of its last change.
    is_whole = bool(dates) and len(dates) == len([text for text in texts if text])
    if is_whole and dates[0][:10] < max(dates)[:10]:
        # That of somebody who wrote, or of the forum, may be among many.
        earlier = sum(date[:10] < dates[0][:10] for date in dates)
        if _FEW_EARLIER * earlier <= len(dates):
            yield dates[0]


def _is_of_a_change(element: Tagged) -> bool:
    named = f"{element.attr('class') or ''} {element.attr('itemprop') or ''}"
    return bool(_NAMED_AS_MODIFIED.search(named)) and not _NAMED_AS_PUBLISHED.search(named)


def _time_of(element: Tagged) -> str:
    if element.tag == "abbr":
        return element.attr("title") or ""
    return element.attr("datetime") or element.attr("content") or ""
