"""When does a page say it was published and changed?"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from itertools import islice
from typing import NamedTuple

from tenax.page.markings import Markings, Tagged
from tenax.page.rules import MOST_SCRIPTS, MOST_TIMES

PUBLISHED = (
    "article:published_time", "og:article:published_time", "datepublished", "dc.date.issued",
    "dcterms.issued", "dcterms.created", "dc.date", "citation_publication_date",
    "parsely-pub-date", "sailthru.date", "publish-date", "publishdate", "pubdate", "date",
)  # fmt: skip
MODIFIED = (
    "article:modified_time", "og:article:modified_time", "og:updated_time", "datemodified",
    "dcterms.modified", "dc.date.modified", "last-modified", "revised",
)  # fmt: skip
_DATED = frozenset(PUBLISHED + MODIFIED)

# The web is younger than this; a clock ahead of ours by a day is a time zone.
_EARLIEST = 1990
_AHEAD = timedelta(days=2)
_LONGEST_DATE = 64
_LONGEST_JSON = 500_000

_NAMES_A_YEAR = re.compile(r"(?:19|20)\d\d")
_COMPACT = re.compile(r"\d{8}")
_DAY_IN_URL = re.compile(r"[/=_-](20[0-3]\d)[/-]([01]\d)[/-]([0-3]\d)(?!\d)")
_NAMED_AS_PUBLISHED = re.compile(r"(?i)publish|(?:entry|post|article|story)[-_]?(?:date|time)")
_SLASHED = re.compile(r"(\d{4})/(\d\d?)/(\d\d?)")


class Dates(NamedTuple):
    published: str
    modified: str


def find_dates(
    page: Markings, metas: Mapping[str, str], fetched_at: float | None, url: str = ""
) -> Dates:
    """ISO 8601 texts, empty where the page names nothing plausible at the time it was fetched.

    Where the page declares no date, the day in its URL counts, then what its times agree on.
    """
    published = modified = ""
    if not _DATED.isdisjoint(metas):
        published = _first(_named(metas, PUBLISHED), fetched_at)
        modified = _first(_named(metas, MODIFIED), fetched_at)
    found = page.found
    if (
        not (published and modified)
        and (found["script"] or found["time"])
        and (data := list(_structured(page)))
    ):
        published = published or _first((v for k, v in data if k == "datePublished"), fetched_at)
        modified = modified or _first((v for k, v in data if k == "dateModified"), fetched_at)
    if not published and len(page.found["article"]) == 1:
        published = _first(_times_of_the_article(page), fetched_at)
    if not published and (day := _DAY_IN_URL.search(url)):
        published = normalise_date("-".join(day.groups()), fetched_at)
    # Where there are several articles, a time is that of one of them.
    if not published and page.found["time"] and len(page.found["article"]) <= 1:
        published = _first(_undeclared(page), fetched_at)
    return Dates(published, modified)


def normalise_date(text: str, fetched_at: float | None = None) -> str:
    """YYYY-MM-DD, with time and offset where given; empty when unreadable or implausible."""
    text = text.strip()
    if len(text) > _LONGEST_DATE or not _NAMES_A_YEAR.search(text):
        return ""
    moment, has_time = _parsed(text)
    if moment is None or not _is_plausible(moment, fetched_at):
        return ""
    if not has_time:
        return moment.date().isoformat()
    return moment.isoformat(timespec="seconds")


def _parsed(text: str) -> tuple[datetime | None, bool]:
    if slashed := _SLASHED.fullmatch(text):
        text = f"{slashed[1]}-{slashed[2]:0>2}-{slashed[3]:0>2}"
    try:
        return datetime.fromisoformat(text), len(text) > 10 and not _COMPACT.fullmatch(text)
    except ValueError:
        pass
    try:
        return parsedate_to_datetime(text), True
    except (ValueError, TypeError, IndexError, OverflowError):
        return None, False


def _is_plausible(moment: datetime, fetched_at: float | None) -> bool:
    if moment.year < _EARLIEST:
        return False
    if fetched_at is None:
        return True
    try:
        latest = datetime.fromtimestamp(fetched_at, UTC) + _AHEAD
        return moment.replace(tzinfo=moment.tzinfo or UTC) <= latest
    except (OverflowError, ValueError, OSError):
        return False


def _first(texts: Iterator[str], fetched_at: float | None) -> str:
    return next((date for text in texts if (date := normalise_date(text, fetched_at))), "")


def _named(metas: Mapping[str, str], names: tuple[str, ...]) -> Iterator[str]:
    return (metas[name] for name in names if name in metas)


def _structured(page: Markings) -> Iterator[tuple[str, str]]:
    for script in islice(page.found["script"], MOST_SCRIPTS):
        if (script.attr("type") or "").strip().lower() == "application/ld+json":
            text = script.text
            if len(text) <= _LONGEST_JSON and ("datePublished" in text or "dateModified" in text):
                yield from _json_ld_dates(text)
    for element in islice(page.found["time"], MOST_TIMES):
        if (name := element.attr("itemprop")) in ("datePublished", "dateModified"):
            yield name, _time_of(element)


def _json_ld_dates(text: str) -> Iterator[tuple[str, str]]:
    """Dates of the page's own things; those of nested ones (comments, reviews) are theirs."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return
    things = data if isinstance(data, list) else [data]
    for thing in islice(things, MOST_TIMES):
        if not isinstance(thing, dict):
            continue
        graph = thing.get("@graph")
        for item in [thing, *(graph[:MOST_TIMES] if isinstance(graph, list) else ())]:
            if isinstance(item, dict):
                for name in ("datePublished", "dateModified"):
                    if isinstance(value := item.get(name), str):
                        yield name, value


def _times_of_the_article(page: Markings) -> Iterator[str]:
    article = page.found["article"][0]
    for element in islice(page.found["time"], MOST_TIMES):
        if article in islice(element.ancestors, MOST_TIMES):
            yield _time_of(element)


def _undeclared(page: Markings) -> Iterator[str]:
    """Times that are named as the date of the text; without such, the one all times agree on."""
    times = [(e, _time_of(e)) for e in islice(page.found["time"], MOST_TIMES)]
    for element, text in times:
        named = element.attr("pubdate") is not None
        if named or _NAMED_AS_PUBLISHED.search(element.attr("class") or ""):
            yield text
    days = {text[:10] for _, text in times if text}
    if len(days) == 1:
        yield days.pop()


def _time_of(element: Tagged) -> str:
    return element.attr("datetime") or element.attr("content") or ""
