"""Where may a site keep what its front page no longer names? (DISC-2)

Archives filed by date look alike within a site: /2025/12/ suggests /2025/11/. What has succeeded
there gives the paths, also that of a dated article, and each is followed back in time for as long
as it brings something. Single days are never guessed: a year of them would cost 365 requests.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from msgspec.structs import replace

from tenax.discover.guess_policy import GuessPolicy
from tenax.discover.sights import Result, Sight
from tenax.model import DateArchive, PathAnswer, Role
from tenax.urls.paging import place_of

SITEMAP = "/sitemap.xml"
SITEMAPS = (SITEMAP, "/sitemap_index.xml", "/wp-sitemap.xml")
"""Where sitemaps often are: one of them lists the others, so that the first is enough."""
NAMES = (*SITEMAPS, "/archive", "/archives", "/sitemap")
"""Where archives often are."""
MARKS = ("/20", "/199", "/archive", "/sitemap", "/wp-sitemap")
"""A URL that has a date, or one of the names, has one of these in it."""
_LONGEST = 500


class Dated(NamedTuple):
    """The date in a path, and the paths of the archives it suggests."""

    key: str
    """The path up to its year: the same for all archives filed alike."""
    period: int
    """202503 for a month, 2025 where only the year is told."""
    is_page: bool
    """The path ends with the year or month: it is the page of that time, not something from it."""
    yearly: str
    monthly: str

    @property
    def year(self) -> int:
        return year_of(self.period)


def dated(path: str) -> Dated | None:
    """The date a path is filed under; None when there is none, or none to count with."""
    if len(path) > _LONGEST or "{" in path or not ("/20" in path or "/199" in path):
        return None
    match = _DATE.fullmatch(path)
    if match is None or _NO_ARCHIVE.search(match["prefix"]):
        return None
    prefix, mark, month, rest = match["prefix"], match["mark"] or "/", match["month"], match["rest"]
    if rest and mark == "-":
        return None
    # What is filed under a date does not tell how the pages of dates end; most have a slash.
    end = "/" if rest or match["day"] else match["end"]
    numeral = "{m}" if month and len(month) == 1 else "{M}"
    year = int(match["year"])
    return Dated(
        key=f"{prefix}/{{Y}}{mark if mark == '-' else ''}",
        period=year * 100 + int(month) if month else year,
        is_page=not rest and not match["day"],
        yearly=f"{prefix}/{{Y}}{end}",
        monthly=f"{prefix}/{{Y}}{mark}{numeral}{end}",
    )


def may_be_id(url: str) -> bool:
    """Whether its last segment may be a number."""
    return url[url.rfind("/", 0, -1) + 1 :][:1].isdigit()


def month_of(now: float) -> int:
    date = datetime.fromtimestamp(now, UTC)
    return date.year * 100 + date.month


def year_of(period: int) -> int:
    return period if period < _MONTHS_FROM else period // 100


def is_month(period: int) -> bool:
    return period >= _MONTHS_FROM


def path_at(archive: DateArchive, period: int) -> str:
    if period < _MONTHS_FROM:
        return archive.yearly.replace("{Y}", str(period))
    year, month = divmod(period, 100)
    path = archive.monthly.replace("{Y}", str(year))
    return path.replace("{M}", f"{month:02d}").replace("{m}", str(month))


def learn(
    archives: dict[str, DateArchive], sight: Sight, now: float, policy: GuessPolicy
) -> dict[str, DateArchive]:
    """What a visit teaches; the same mapping again when nothing."""
    # Clocks differ, and what is announced for next year may be filed there already.
    last_year = year_of(month_of(now)) + 1
    date = dated(sight.path)
    if date is None or date.year > last_year:
        key = _beside_ids(sight.path, last_year) if sight.result is Result.READ else ""
        before = archives.get(key)
        begun = before or DateArchive(f"{key}/", f"{key}/{{M}}/")
        after = replace(begun, has_ids=True) if key else None
    else:
        key = date.key
        before = archives.get(key)
        after = _visited(before, date, sight)
    changed = {key: after} if after is not None and after != before else {}
    for other in filter(None, map(dated, sight.found)):
        known = changed.get(other.key) or archives.get(other.key)
        named = _named(known, other)
        if named is not known and other.year <= last_year:
            changed[other.key] = named
    return trimmed({**archives, **changed}, policy) if changed else archives


def learn_names(names: dict[str, PathAnswer], sight: Sight) -> dict[str, PathAnswer]:
    """The same for the `NAMES`; only the first answer counts."""
    name = sight.path.removesuffix("/")
    named = (path.removesuffix("/") for path in sight.found)
    learned = {path: PathAnswer.UNASKED for path in named if path in NAMES and path not in names}
    is_open = (
        names.get(name, PathAnswer.UNASKED) is PathAnswer.UNASKED and sight.role is not Role.PAGE
    )
    if name in NAMES and (is_open or name not in names):
        learned[name] = _answer(sight)
    return {**names, **learned} if learned else names


def trimmed(archives: dict[str, DateArchive], policy: GuessPolicy) -> dict[str, DateArchive]:
    """As many as are remembered: those go first that hold the least."""
    surplus = max(len(archives) - policy.most_archives, 0)
    for key in sorted(archives, key=lambda key: weight(archives[key]))[:surplus]:
        del archives[key]
    return archives


def weight(archive: DateArchive) -> int:
    """How much is known of it."""
    return len(archive.there) + len(archive.dated) + len(archive.missing)


def is_answered(archive: DateArchive, period: int) -> bool:
    return period in archive.there or period in archive.missing


def months(archive: DateArchive, now: float, policy: GuessPolicy) -> list[int]:
    """The months worth asking for, best first."""
    if not archive.has_succeeded:
        return []
    filed = [period for period in archive.dated if is_month(period)]
    there = [period for period in archive.there if is_month(period)]
    if not there or not filed:
        wanted = _samples(archive, filed, most=2)
    else:
        good = map(_ordinal, set(filed).intersection(there))
        latest = max(_ordinal(month_of(now - _FORTNIGHT)), _ordinal(filed[-1]))
        beside = _beside(good, policy.gap_months, policy.earliest_year * 12, latest)
        wanted = _best_first(archive, {_period(ordinal) for ordinal in beside}, filed)
    return [period for period in wanted if not _is_left_to_year(archive, year_of(period))]


def years(archive: DateArchive, now: float, policy: GuessPolicy) -> list[int]:
    """The years worth asking for, best first."""
    by_month = any(map(is_month, archive.there))
    filed = sorted({year_of(period) for period in archive.dated})
    is_ids = archive.has_ids and not by_month and not any(map(is_month, archive.dated))
    if is_ids or not archive.has_succeeded:
        return []
    there = [period for period in archive.there if not is_month(period)]
    if there and filed:
        # A calendar has a page for every year there ever was: from one with nothing in it we go
        # no further.
        good = set(filed).intersection(there)
        latest = max(year_of(month_of(now - _FORTNIGHT)), filed[-1])
        beside = _beside(good, policy.gap_years, policy.earliest_year, latest)
        return _best_first(archive, beside, filed)
    # Where months have pages, or may have, those of years would only repeat them.
    if there or by_month or months(archive, now, policy):
        return []
    return _samples(archive, filed, most=1)


def may_go_on(archive: DateArchive, now: float, policy: GuessPolicy) -> bool:
    """Whether there is something to guess, now or when something filed there has been read."""
    if not archive.has_succeeded:
        return bool(archive.dated)
    return bool(months(archive, now, policy) or years(archive, now, policy))


def merged(mine: DateArchive, theirs: DateArchive) -> DateArchive:
    """What two views know together, whichever comes first."""
    there = _union(mine.there, theirs.there)
    missing = _union(mine.missing, theirs.missing)
    return DateArchive(
        has_succeeded=mine.has_succeeded or theirs.has_succeeded,
        yearly=max(_yearly(mine), _yearly(theirs))[-1],
        monthly=max(_monthly(mine), _monthly(theirs))[-1],
        dated=_union(mine.dated, theirs.dated),
        there=there,
        missing=tuple(period for period in missing if period not in there),
        named=_union(mine.named, theirs.named),
        listed=_union(mine.listed, theirs.listed),
        hits=_union(mine.hits, theirs.hits),
        misses=_union(mine.misses, theirs.misses),
        has_ids=mine.has_ids or theirs.has_ids,
    )


_MONTHS_FROM = 10_000
_FIRST_YEAR = 1_990
_FORTNIGHT = 14 * 86_400.0
"""A month or year that has only begun may have no page yet, and would be taken to have none."""
_DATE = re.compile(
    r"(?P<prefix>(?:/[^/?]+){0,2})/(?P<year>199\d|20\d\d)"
    r"(?:(?P<mark>[/-])(?P<month>0?[1-9]|1[0-2])(?:(?P=mark)(?P<day>0?[1-9]|[12]\d|3[01]))?)?"
    # Behind a date stands its name: letters, or the number of an article.
    r"(?:(?P<end>/?|\.html?|/index\.[a-z]{3,5})|(?P<rest>/(?:[^/?]*[^\W\d]|\d{3})[^?]*))",
    re.ASCII,
)
_LAST_NUMBER = re.compile(
    r"(?P<prefix>(?:/[^/?]+){0,2})/(?P<number>\d{1,9})(?:/|\.html?)?", re.ASCII
)
# Files are kept by date too, lists of pages are counted, and calendars never end.
_NO_ARCHIVE = re.compile(
    r"/(?:uploads?|images?|img|media|static|assets|files?|css|js|downloads?|pages?|seite|p|tags?"
    r"|calendars?|events?|agenda)(?:/|$)|/\d+(?:/|$)",
    re.ASCII | re.IGNORECASE,
)


def _beside_ids(path: str, last_year: int) -> str:
    """The key of the archives that a number in this path stands in the place of; empty for none.

    Where /item/731 is, /item/2025 is no year.
    """
    match = _LAST_NUMBER.fullmatch(path) if len(path) <= _LONGEST and "{" not in path else None
    if match is None or _FIRST_YEAR <= int(match["number"]) <= last_year:
        return ""
    return f"{match['prefix']}/{{Y}}"


def _answer(sight: Sight) -> PathAnswer:
    if sight.result in (Result.KNOWN, Result.REFUSED):
        return PathAnswer.UNASKED
    if not sight.was_asked and sight.role is Role.PAGE:
        return PathAnswer.UNASKED
    # A redirect is no harm: such a path often leads to the real one.
    is_there = sight.result in (Result.READ, Result.REPEATED)
    return PathAnswer.HIT if is_there and sight.brought else PathAnswer.MISS


def _named(archive: DateArchive | None, date: Dated) -> DateArchive:
    """A page names something of this date."""
    known = archive or DateArchive(date.yearly, date.monthly)
    if date.is_page:
        periods = _with(known.named, date.period)
        return known if periods is known.named else replace(known, named=periods)
    periods = _with(known.dated, date.period)
    return known if periods is known.dated else replace(known, dated=periods)


def _visited(archive: DateArchive | None, date: Dated, sight: Sight) -> DateArchive | None:
    is_known = archive is not None and is_answered(archive, date.period)
    is_guess = date.is_page and (sight.was_asked or (sight.role is Role.ARCHIVE and not is_known))
    match sight.result:
        case Result.READ if not date.is_page:
            known = _spelled(archive or DateArchive(date.yearly, date.monthly), date)
            return replace(known, dated=_with(known.dated, date.period), has_succeeded=True)
        case Result.READ:
            known = _there(archive or DateArchive(date.yearly, date.monthly), date, sight)
        case Result.KNOWN if archive is not None:
            return replace(archive, there=_with(archive.there, date.period))
        case Result.REFUSED if archive is not None and is_guess:
            return _missing(archive, date.period)
        case Result.GONE if archive is not None and not is_guess:
            return _missing(archive, date.period)
        case Result.GONE | Result.REPEATED if is_guess:
            known = _missing(archive or DateArchive(date.yearly, date.monthly), date.period)
        case _:
            return archive
    if not is_guess:
        return known
    if sight.is_hit:
        return replace(known, hits=_with(known.hits, date.period))
    return replace(known, misses=_with(known.misses, date.period))


def _there(archive: DateArchive, date: Dated, sight: Sight) -> DateArchive:
    """The page of a period was read."""
    period, content, names_months = date.period, False, False
    for path in sight.found:
        other = dated(path)
        if other is not None and other.is_page:
            is_own = other.key == date.key and other.year == period
            names_months = names_months or (is_own and is_month(other.period))
        elif place_of(path) is None:
            content = True
    archive = _spelled(archive, date)
    return replace(
        archive,
        has_succeeded=True,
        there=_with(archive.there, period),
        missing=tuple(each for each in archive.missing if each != period),
        dated=_with(archive.dated, period) if content else archive.dated,
        listed=_with(archive.listed, period) if names_months else archive.listed,
    )


def _missing(archive: DateArchive, period: int) -> DateArchive:
    """One that was there once stays known as such."""
    if period in archive.there:
        return archive
    return replace(archive, missing=_with(archive.missing, period))


def _ordinal(month: int) -> int:
    return month // 100 * 12 + month % 100 - 1


def _period(ordinal: int) -> int:
    return ordinal // 12 * 100 + ordinal % 12 + 1


def _samples(archive: DateArchive, filed: Sequence[int], most: int) -> list[int]:
    """Pages that only dated things suggest, one at a time: the oldest brings something sooner
    than the newest, of which most is on the front; but the site may have been rebuilt since."""
    if not filed:
        return []
    tried = [each for each in archive.missing if is_month(each) == is_month(filed[0])]
    ends = [each for each in (filed[0], filed[-1]) if not _is_known(archive, each)]
    return ends[:1] if len(tried) < most else []


def _beside(good: Iterable[int], gap: int, earliest: int, latest: int) -> set[int]:
    """The front leads to what is newest: so the search goes back in time."""
    near = {each + by for each in good for by in range(-gap, 2)}
    return {each for each in near if earliest <= each <= latest}


def _best_first(archive: DateArchive, beside: set[int], filed: Sequence[int]) -> list[int]:
    """Those that stand between others, and of which nothing is known yet; a first step back in
    time; those that something is known of, which may be all there is; and then what is doubtful."""
    known = {*archive.there, *archive.missing, *archive.named}
    unseen = sorted(beside.difference(filed, known), reverse=True)
    certain = [each for each in filed if each not in known]
    oldest, newest = filed[0], filed[-1]
    between = [each for each in unseen if oldest < each < newest]
    back = [each for each in unseen if each < oldest]
    ahead = [each for each in unseen if each > newest]
    return [*between, *back[:1], *certain, *back[1:], *ahead]


def _is_known(archive: DateArchive, period: int) -> bool:
    return is_answered(archive, period) or period in archive.named


def _is_left_to_year(archive: DateArchive, year: int) -> bool:
    """Where pages of years name their months, there are none besides."""
    return bool(archive.listed) and (year in archive.listed or year not in archive.there)


def _spelled(archive: DateArchive, date: Dated) -> DateArchive:
    """Until a page was seen its spelling is a guess itself; and 2025/12/ does not tell whether
    January would be 1 or 01."""
    is_first = all(is_month(each) != is_month(date.period) for each in archive.there)
    if is_first and date.is_page:
        archive = (
            replace(archive, monthly=date.monthly)
            if is_month(date.period)
            else replace(archive, yearly=date.yearly)
        )
    if "{m}" in date.monthly:
        archive = replace(archive, monthly=archive.monthly.replace("{M}", "{m}"))
    return archive


def _yearly(archive: DateArchive) -> tuple[bool, str]:
    return any(not is_month(period) for period in archive.there), archive.yearly


def _monthly(archive: DateArchive) -> tuple[bool, bool, str]:
    is_seen = any(is_month(period) for period in archive.there)
    return is_seen, "{m}" in archive.monthly, archive.monthly


def _with(periods: tuple[int, ...], period: int) -> tuple[int, ...]:
    return periods if period in periods else tuple(sorted((*periods, period)))


def _union(mine: tuple[int, ...], theirs: tuple[int, ...]) -> tuple[int, ...]:
    return mine if mine == theirs else tuple(sorted({*mine, *theirs}))
