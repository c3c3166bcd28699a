"""When does a page say it was published and changed?

What it tells machines comes first, in the order in which that can be relied on; then the day in
its address, what its times agree on, and last what it shows beside its headline (`shown`), which
is looked for only where nothing else was said, or nothing but a date that may be of anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from tenax.page.dates import marked
from tenax.page.dates.shown import shown_dates
from tenax.page.dates.there import UTC, as_told_there
from tenax.page.dates.written import normalise_date
from tenax.page.markings import Markings

__all__ = ["Dates", "find_dates", "normalise_date", "with_shown"]

PUBLISHED = (
    "article:published_time", "og:article:published_time", "article:published", "datepublished",
    "dc.date.issued", "dcterms.issued", "dc.date.created", "dcterms.created",
    "citation_publication_date", "citation_date", "citation_online_date", "parsely-pub-date",
    "sailthru.date", "og:published_time", "publish-date", "publish_date", "publishdate",
    "publication_date", "published_time", "pubdate", "pub_date", "published", "ms.date",
)  # fmt: skip
# Of what, these do not say: it is as often that of the last change.
VAGUE = ("dc.date", "dcterms.date", "date")
MODIFIED = (
    "article:modified_time", "og:article:modified_time", "og:updated_time", "article:modified",
    "article:updated_time", "datemodified", "dcterms.modified", "dc.date.modified",
    "last-modified", "lastmod", "last_updated", "revised",
)  # fmt: skip
_DATED = frozenset(PUBLISHED + VAGUE + MODIFIED)
# Systems put something of their own before these: `w-published-date`.
_ALSO_PUBLISHED = re.compile(
    r"(?:^|[-_.:])(?:(?:first|original)?[-_.]?(?:publish(?:ed)?|publication|pub|post(?:ed)?)[-_.:]?(?:date|time|at|on)"
    r"|date[-_.:]?(?:published|posted|created)|created|displaydate)$"
)
_DAY_IN_URL = re.compile(
    r"[/=_-](20[0-3]\d)[/-]([01]\d|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[/-]([0-3]\d)(?!\d)"
)
_FIGURES_IN_URL = re.compile(r"[/_-](20[0-3]\d[01]\d[0-3]\d)(?=[/_.-]|$)")


class Dates(NamedTuple):
    published: str
    modified: str
    doubtful: str = ""
    """When it may have been published, where it does not show a later day beside its headline."""
    vague: str = ""
    """When something happened to it, where it shows no day there at all."""


def find_dates(
    page: Markings,
    metas: Mapping[str, str],
    fetched_at: float | None,
    url: str = "",
    body: bytes = b"",
) -> Dates:
    """ISO 8601 texts, empty where the page names nothing plausible at the time it was fetched."""
    published = modified = vague = ""
    if not _DATED.isdisjoint(metas):
        published = _first(_named(metas, PUBLISHED), fetched_at)
        vague = "" if published else _first(_named(metas, VAGUE), fetched_at)
        modified = _first(_named(metas, MODIFIED), fetched_at)
    if not published and not vague:
        also = (said for name, said in metas.items() if _ALSO_PUBLISHED.search(name))
        published = _first(also, fetched_at)
    for source in (marked.said_in_scripts, marked.said_by_elements):
        is_known = bool(published or vague)
        if is_known and modified:
            break
        if said := list(source(page, is_known)):
            if not is_known:
                published = _first(_of_kinds(said, marked.FIRST), fetched_at)
            modified = modified or _first(_of_kinds(said, (marked.LATER,)), fetched_at)
    if published.endswith(UTC):
        published = as_told_there(published, _day_in(url, fetched_at), body)
    elif not published and not vague:
        published = _undeclared(page, fetched_at, url)
    if published or vague:
        return Dates(published, modified, vague=vague)
    return Dates("", modified, _first(marked.earliest_time(page), fetched_at))


def with_shown(
    dates: Dates,
    lines: bytes,
    title: str,
    fetched_at: float | None,
    *,
    shared: str,
    url: str,
    site: str,
    language: str,
) -> Dates:
    """The same, with what the main text (a node a line) shows where nothing was declared."""
    if dates.published:
        return dates
    shown = shown_dates(
        lines, title, fetched_at, shared=shared, url=url, site=site, language=language
    )
    published = max(shown.published, dates.doubtful) or dates.vague
    return Dates(published, dates.modified or shown.modified)


def _undeclared(page: Markings, fetched_at: float | None, url: str) -> str:
    times = page.found["time"]
    found = _first(marked.times_of_the_article(page), fetched_at) if times else ""
    found = found or _day_in(url, fetched_at)
    if not found and times:
        found = _first(marked.times_named(page), fetched_at)
    return found


def _day_in(url: str, fetched_at: float | None) -> str:
    if day := _DAY_IN_URL.search(url):
        return normalise_date("-".join(day.groups()), fetched_at)
    figures = _FIGURES_IN_URL.search(url)
    return normalise_date(figures[1], fetched_at) if figures else ""


def _first(texts: Iterable[str], fetched_at: float | None) -> str:
    return next((date for text in texts if (date := normalise_date(text, fetched_at))), "")


def _named(metas: Mapping[str, str], names: tuple[str, ...]) -> Iterator[str]:
    return (metas[name] for name in names if name in metas)


def _of_kinds(said: list[marked.Said], kinds: tuple[str, ...]) -> Iterator[str]:
    return (text for kind in kinds for name, text in said if name == kind)
