"""Where may a site keep what its front page no longer names? (DISC-2)

Archives filed by date look alike within a site: /2025/12/ suggests /2025/11/. What has
succeeded there gives the shapes, also the path of a dated article, and each shape is followed
back in time for as long as it brings something. Single days are never guessed: a year of them
would cost 365 requests, and the months lead to them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import NamedTuple

import msgspec

from tenax.discover.guesses import GuessPolicy, Tally
from tenax.model import Role

NAMES = ("/archive", "/archives", "/sitemap")
SITEMAP = "/sitemap.xml"
NAMED = "names"
"""The kind of guess that well-known paths are."""


class Dated(NamedTuple):
    """The date in a path, and the paths of the archives it suggests."""

    year: int
    month: int
    """0 when only the year is told."""
    is_archive: bool
    """The path ends with the date: it is a page for that time, not something from it."""
    is_day: bool
    family: str
    """What stays when the date is taken out: one for all archives filed alike."""
    yearly: str
    """Path of the year's page, with {Y} for it."""
    monthly: str
    """With {M} for the month, {m} where it has no leading zero."""

    @property
    def period(self) -> int:
        return self.year * 100 + self.month


@dataclass(frozen=True, slots=True)
class Level:
    """The pages of one shape, for years or for months."""

    template: str
    found: tuple[int, ...] = ()
    """Periods that have a page: 202500 for a year, 202512 for a month. In order."""
    missing: tuple[int, ...] = ()
    tally: Tally = field(default_factory=Tally)
    """Of the guesses among them."""

    def path(self, period: int) -> str:
        year, month = divmod(period, 100)
        values = {"{Y}": str(year), "{M}": f"{month:02d}", "{m}": str(month)}
        return re.sub(r"\{[YMm]\}", lambda match: values[match[0]], self.template)

    def knows(self, period: int) -> bool:
        return period in self.found or period in self.missing


@dataclass(frozen=True, slots=True)
class Family:
    """Archives filed alike: pages of years, of months, and what is dated in the same way."""

    years: Level
    months: Level
    dated: tuple[int, ...] = ()
    """Months that have something with their date in its path."""
    listed: tuple[int, ...] = ()
    """Years whose page names its months: there is nothing to guess in them."""
    fruitful: tuple[int, ...] = ()
    """Years in which something was found."""


@dataclass(frozen=True, slots=True)
class ArchiveState:
    """What is known of a host's archives."""

    families: dict[str, Family] = field(default_factory=dict)
    names: dict[str, bool] = field(default_factory=dict)
    """Well-known paths that were asked for, and whether they brought anything."""
    tallies: dict[str, Tally] = field(default_factory=dict)
    """How the other kinds of guesses have turned out."""

    @property
    def wasted(self) -> int:
        """Guesses that brought nothing, of all kinds."""
        levels = (f.years.tally.misses + f.months.tally.misses for f in self.families.values())
        return sum(tally.misses for tally in self.tallies.values()) + sum(levels)

    def tally(self, kind: str) -> Tally:
        """By the template of a level, or the name of another kind."""
        for family in self.families.values():
            for level in (family.years, family.months):
                if level.template == kind:
                    return level.tally
        return self.tallies.get(kind, Tally())

    def credited(self, kind: str, is_hit: bool) -> ArchiveState:
        """One more guess of a kind that has no level."""
        return replace(self, tallies={**self.tallies, kind: self.tally(kind).with_one(is_hit)})


class Guess(NamedTuple):
    path: str
    kind: str
    """Whose tally it counts in; empty when it is known to be there."""
    why: str
    role: Role = Role.ARCHIVE


class Sight(NamedTuple):
    """What a visit to an archive, or to something dated, showed."""

    is_there: bool
    """It was read, under its own URL, and is no copy of another page."""
    content: int = 0
    """URLs named there for the first time that are no archives themselves."""
    months: int = 0
    """Pages of the months of its year that it names."""
    is_guess: bool = False


def dated(path_and_query: str) -> Dated | None:
    """The date a path is filed under; None when it has none, or none we can count with."""
    if len(path_and_query) > _LONGEST or "<" in path_and_query or "{" in path_and_query:
        return None
    match = _IN_PATH.match(path_and_query)
    if match is not None:
        return _dated_in_path(match)
    return _dated_in_query(path_and_query) if "year=" in path_and_query else None


def learn(
    state: ArchiveState, path_and_query: str, sight: Sight, policy: GuessPolicy
) -> ArchiveState:
    """What a visit tells of the archives. The same state again where it tells nothing new."""
    if path_and_query in (*NAMES, SITEMAP):
        return _learn_name(state, path_and_query, sight)
    date = dated(path_and_query)
    if date is None or (not sight.is_there and not date.is_archive):
        return state
    family = state.families.get(date.family)
    if family is None:
        if not sight.is_there or len(state.families) >= policy.most_shapes:
            return state
        family = Family(Level(date.yearly), Level(date.monthly))
    learned = _learn_dated(family, date, sight)
    if learned == family:
        return state
    return replace(state, families={**state.families, date.family: learned})


def candidates(
    state: ArchiveState, now: float, policy: GuessPolicy, *, has_sitemap: bool = False
) -> Iterator[Guess]:
    """What is worth asking for, best first; whether each may be asked for is another question.

    `has_sitemap` when the site itself names one. A path may come that was proposed before.
    """
    date = datetime.fromtimestamp(now, UTC)
    this_month = date.year * 100 + date.month
    families = sorted(state.families.values(), key=_evidence, reverse=True)
    for family in families:
        yield from _there_already(family)
    for name, is_there in state.names.items():
        if is_there:
            yield Guess(name, "", "it was there before", _role(name))
    for family in families:
        if family.years.found:
            yield from _years(family, this_month, policy)
        if family.months.found:
            yield from _months(family, this_month, policy)
    if not has_sitemap and SITEMAP not in state.names:
        yield Guess(SITEMAP, NAMED, "where sitemaps usually are", Role.SITEMAP)
    for family in families:
        yield from _probes(family, this_month)
    for name in NAMES:
        if name not in state.names:
            yield Guess(name, NAMED, "where archives usually are")


def merged(mine: ArchiveState, theirs: ArchiveState) -> ArchiveState:
    """What two views of one host know together."""
    families = dict(theirs.families)
    for key, family in mine.families.items():
        families[key] = _merged_family(family, families[key]) if key in families else family
    names = dict(theirs.names)
    for name, is_there in mine.names.items():
        names[name] = is_there or names.get(name, False)
    tallies = dict(theirs.tallies)
    for kind, tally in mine.tallies.items():
        tallies[kind] = tally.merged(tallies.get(kind, Tally()))
    return ArchiveState(families, names, tallies)


def to_json(state: ArchiveState) -> str:
    return msgspec.json.encode(state).decode()


def from_json(text: str) -> ArchiveState | None:
    """The state as it was written; None for what no version of us has written."""
    try:
        return _decoder.decode(text)
    except msgspec.MsgspecError:
        return None


_decoder = msgspec.json.Decoder(ArchiveState)

_LONGEST = 500
_YEAR = r"(?P<year>199\d|20\d\d)"
_IN_PATH = re.compile(
    rf"(?P<prefix>(?:/[^/?]+){{0,2}})/{_YEAR}"
    r"(?:(?P<between>[/-])(?P<month>0?[1-9]|1[0-2])(?:(?P=between)(?P<day>0?[1-9]|[12]\d|3[01]))?)?"
    r"(?P<end>/?|\.html?|/index\.[a-z]{3,5})(?P<rest>/[^/?]*[^\W\d][^?]*)?$",
    re.ASCII,
)
_YEAR_PARAMETER = re.compile(rf"[?&]year={_YEAR}(?=&|$)", re.ASCII)
_MONTH_PARAMETER = re.compile(r"&(?:month|monthnum|mon)=(?P<month>0?[1-9]|1[0-2])(?=&|$)", re.ASCII)
# Files are kept by date too, and lists of pages are counted, not dated.
_NO_ARCHIVE = re.compile(
    r"/(?:uploads?|images?|img|media|static|assets|files?|css|js|downloads?|page|seite|p|tags?)(?:/|$)"
    r"|/\d+(?:/|$)",
    re.ASCII | re.IGNORECASE,
)


def _dated_in_path(match: re.Match[str]) -> Dated | None:
    prefix, end, rest = match["prefix"], match["end"], match["rest"]
    if _NO_ARCHIVE.search(prefix):
        return None
    month, between = match["month"], match["between"] or "/"
    if rest is not None and between == "-":
        return None
    # Something filed under a date does not tell how the pages of dates end; most have a slash.
    ending = "/" if rest is not None or match["day"] else end
    numeral = "{m}" if month and len(month) == 1 else "{M}"
    return Dated(
        year=int(match["year"]),
        month=int(month or 0),
        is_archive=rest is None,
        is_day=match["day"] is not None,
        family=f"{prefix}/{{Y}}{between}" if between == "-" else f"{prefix}/{{Y}}",
        yearly=f"{prefix}/{{Y}}{ending}",
        monthly=f"{prefix}/{{Y}}{between}{numeral}{ending}",
    )


def _dated_in_query(path_and_query: str) -> Dated | None:
    year = _YEAR_PARAMETER.search(path_and_query)
    if year is None:
        return None
    before, after = path_and_query[: year.start("year")], path_and_query[year.end("year") :]
    month = _MONTH_PARAMETER.search(after)
    yearly = f"{before}{{Y}}{after}"
    if month is None:
        return Dated(int(year["year"]), 0, True, False, yearly, yearly, f"{yearly}&month={{M}}")
    digits = month["month"]
    numeral = "{m}" if len(digits) == 1 else "{M}"
    without = f"{before}{{Y}}{after[: month.start()]}{after[month.end() :]}"
    within = f"{after[: month.start('month')]}{numeral}{after[month.end('month') :]}"
    return Dated(
        int(year["year"]), int(digits), True, False, without, without, f"{before}{{Y}}{within}"
    )


def _learn_name(state: ArchiveState, name: str, sight: Sight) -> ArchiveState:
    is_hit = sight.is_there and (sight.content > 0 or not sight.is_guess)
    if sight.is_guess:
        state = state.credited(NAMED, is_hit)
    return replace(state, names={**state.names, name: is_hit or state.names.get(name, False)})


def _learn_dated(family: Family, date: Dated, sight: Sight) -> Family:
    year, period = date.year * 100, date.period
    if date.is_archive and not date.is_day:
        if date.month:
            family = replace(
                family, months=_learn_level(family.months, date.monthly, period, sight)
            )
        else:
            family = replace(family, years=_learn_level(family.years, date.yearly, period, sight))
            if sight.months:
                family = replace(family, listed=_with(family.listed, year))
    elif sight.is_there:
        family = replace(family, dated=_with(family.dated, period))
    if sight.is_there and (sight.content or not date.is_archive):
        family = replace(family, fruitful=_with(family.fruitful, year))
    return family


def _learn_level(level: Level, template: str, period: int, sight: Sight) -> Level:
    if sight.is_guess:
        is_hit = sight.is_there and (sight.content > 0 or sight.months > 0)
        level = replace(level, tally=level.tally.with_one(is_hit))
    if not sight.is_there:
        found = tuple(each for each in level.found if each != period)
        return replace(level, found=found, missing=_with(level.missing, period))
    # Until one was seen the template is a guess itself; and 2025/12/ does not tell whether
    # January would be 1 or 01.
    if not level.found or ("{m}" in template and "{M}" in level.template):
        level = replace(level, template=template)
    missing = tuple(each for each in level.missing if each != period)
    return replace(level, found=_with(level.found, period), missing=missing)


def _with(periods: tuple[int, ...], period: int) -> tuple[int, ...]:
    return periods if period in periods else tuple(sorted((*periods, period)))


def _evidence(family: Family) -> tuple[int, int]:
    return len(family.years.found) + len(family.months.found), len(family.dated)


def _role(name: str) -> Role:
    return Role.SITEMAP if name == SITEMAP else Role.ARCHIVE


def _there_already(family: Family) -> Iterator[Guess]:
    """For jobs that have not met them: the ledger passes over what a job knows."""
    for level in (family.years, family.months):
        for period in reversed(level.found):
            yield Guess(level.path(period), "", "it was there before")


def _years(family: Family, this_month: int, policy: GuessPolicy) -> Iterator[Guess]:
    level, now = family.years, this_month // 100
    known = [period // 100 for period in level.found]
    missing = {period // 100 for period in level.missing}
    first, last = known[0], known[-1]
    later = _next_year(range(last + 1, now + 1), missing, policy)
    between = [y for y in range(last, first, -1) if y not in known and y not in missing]
    earlier = None
    # A calendar has a page for every year there ever was: go no further than there is content.
    if first * 100 in family.fruitful:
        floor = max(policy.earliest_year, first - policy.years_back)
        earlier = _next_year(range(first - 1, floor - 1, -1), missing, policy)
    for year in (later, *between, earlier):
        if year is not None and year <= now:
            yield Guess(level.path(year * 100), level.template, "years beside it have a page")


def _next_year(years: range, missing: set[int], policy: GuessPolicy) -> int | None:
    """The nearest one not asked for yet; None when so many before it are missing that the
    archive seems to end there."""
    nearest = years[: policy.gap_years + 1]
    return next((year for year in nearest if year not in missing), None)


def _months(family: Family, this_month: int, policy: GuessPolicy) -> Iterator[Guess]:
    level = family.months
    years = {period // 100 for period in (*family.years.found, *level.found, *family.dated)}
    years -= {period // 100 for period in family.listed}
    hopeless = _hopeless_years(level, policy)
    wanted = [
        year * 100 + month
        for year in sorted(years - hopeless, reverse=True)
        for month in range(12, 0, -1)
    ]
    # What has its date in its path shows that something is in that month.
    wanted.sort(key=lambda period: period not in family.dated)
    if not family.years.found:
        wanted += _months_before(level, policy)
    for period in wanted:
        if period <= this_month and not level.knows(period):
            yield Guess(level.path(period), level.template, "months beside it have a page")


def _hopeless_years(level: Level, policy: GuessPolicy) -> set[int]:
    """Years that many months are missing of, and none was found."""
    missing = [period // 100 for period in level.missing]
    found = {period // 100 for period in level.found}
    return {y for y in missing if y not in found and missing.count(y) >= policy.gap_months}


def _months_before(level: Level, policy: GuessPolicy) -> list[int]:
    """Where no page of a year leads back in time, months have to."""
    before: list[int] = []
    period = level.found[0]
    for _ in range(policy.gap_months):
        year, month = divmod(period, 100)
        period = (year - 1) * 100 + 12 if month == 1 else period - 1
        if period // 100 < policy.earliest_year:
            break
        before.append(period)
    return before


def _probes(family: Family, this_month: int) -> Iterator[Guess]:
    """Of shapes that only dated things suggest: one year, and one month where that is no help."""
    newest = max((period for period in family.dated if period <= this_month), default=0)
    newest = newest or max(family.months.found, default=0) or max(family.years.found, default=0)
    years, months = family.years, family.months
    year = newest // 100 * 100
    if newest and not years.found and not years.missing:
        yield Guess(years.path(year), years.template, "something is filed under this year")
    elif newest % 100 and not months.found and not months.missing and year not in family.listed:
        yield Guess(months.path(newest), months.template, "something is filed under this month")


def _merged_family(mine: Family, theirs: Family) -> Family:
    return Family(
        _merged_level(mine.years, theirs.years),
        _merged_level(mine.months, theirs.months),
        _union(mine.dated, theirs.dated),
        _union(mine.listed, theirs.listed),
        _union(mine.fruitful, theirs.fruitful),
    )


def _merged_level(mine: Level, theirs: Level) -> Level:
    found = _union(mine.found, theirs.found)
    missing = tuple(each for each in _union(mine.missing, theirs.missing) if each not in found)
    template = mine.template if mine.found or not theirs.found else theirs.template
    return Level(template, found, missing, mine.tally.merged(theirs.tally))


def _union(mine: tuple[int, ...], theirs: tuple[int, ...]) -> tuple[int, ...]:
    return mine if mine == theirs else tuple(sorted({*mine, *theirs}))
