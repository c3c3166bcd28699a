"""May we ask for a URL that nobody has named? What guesses have brought, and which come next.

A pattern that brings something buys what it may waste; all that is wasted besides at a host draws
on one budget, a small share of its visits. A kind goes before another where it has succeeded more
often. Pure: (rules, event) → rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from tenax.discover import archives, pagination
from tenax.discover.guess_policy import GuessPolicy
from tenax.discover.sights import Result, Sight
from tenax.model import HostRules, PathAnswer, Role, UrlSource
from tenax.urls.normalise import parts_of
from tenax.urls.paging import MARKS, place_of


class Guess(NamedTuple):
    url: str
    role: Role


class GuessKind(StrEnum):
    """What is guessed; while nothing is known of a host, in this order."""

    BETWEEN = "pages between"
    BEYOND = "pages beyond"
    MONTHS = "months"
    YEARS = "years"
    NAMES = "names"


class GuessTally(Struct, frozen=True):
    """How guesses have turned out."""

    hits: int = 0
    """Those that brought a URL that was new."""
    misses: int = 0

    @property
    def asked(self) -> int:
        return self.hits + self.misses

    @property
    def promise(self) -> float:
        """The share of hits to expect of the next ones: a half while nothing is known."""
        return (self.hits + 1) / (self.asked + 2)


def observe(
    rules: HostRules,
    url: str,
    role: Role,
    result: Result,
    found: Sequence[str],
    now: float,
    policy: GuessPolicy,
) -> HostRules:
    """What a visit teaches; `found` are the URLs it was the first to name.

    The same object again when it teaches nothing. Guesses that are not new to the job, or that it
    does not let in, are told by the results `KNOWN` and `REFUSED`.
    """
    if result is Result.FAILED or not _is_whole(url):
        return rules
    origin, host, path = parts_of(url)
    was_asked = path in rules.asked
    # https comes after http: where there are both, it stays with the safer.
    is_safer = result is Result.READ and origin > rules.origin
    if not (was_asked or is_safer or _may_teach(url, result, found)):
        return rules
    sight = Sight(
        path,
        role,
        result,
        brought=bool(found),
        found=() if role in _LISTINGS else _paths_at(host, found),
        was_asked=was_asked and role is not Role.PAGE,
    )
    known = rules
    if was_asked:
        known = replace(known, asked={p: at for p, at in known.asked.items() if p != path})
    if is_safer:
        known = replace(known, origin=origin, looked_at=known.looked_at or now)
    names = archives.learn_names(known.names, sight)
    if names is not known.names:
        known = replace(known, names=names)
    if role in _LISTINGS:
        return known
    series = pagination.learn(known.series, sight, policy)
    dates = archives.learn(known.archives, sight, now, policy)
    if series is known.series and dates is known.archives:
        return known
    return replace(known, series=series, archives=dates)


def propose(
    rules: HostRules,
    visits: int,
    now: float,
    policy: GuessPolicy,
    *,
    waiting: int = 0,
    sources: Collection[UrlSource] = tuple(UrlSource),
    has_sitemap: bool = False,
) -> tuple[HostRules, tuple[Guess, ...]]:
    """What to ask for next, and the rules that remember that it was.

    `visits` are all of the host's, `waiting` its URLs of high priority that the job has left,
    `has_sitemap` tells that robots.txt names one of those that would be guessed. What the job
    knows already, or does not let in, has to be told to `observe`: else it counts as waiting for
    an answer, for a day.
    """
    asked = {path: at for path, at in rules.asked.items() if now - at < policy.look_again}
    known = rules if len(asked) == len(rules.asked) else replace(rules, asked=asked)
    if not known.origin:
        return known, ()
    is_due = now - known.looked_at >= policy.look_again
    if is_due:
        known = replace(known, looked_at=now)
    done = tallies(known)
    purse = _purse(known, visits, policy)
    if purse.is_empty or len(asked) >= policy.at_once:
        return known, ()
    looks = is_due or waiting < policy.few
    search = _GuessSearch(now, policy, frozenset(sources), looks, has_sitemap)
    paths = search.chosen(known, done, purse)
    guesses = tuple(Guess(f"{known.origin}{path}", _role(path, paths[path])) for path in paths)
    return _asking(known, paths, now), guesses


def remembered(rules: HostRules, sources: Collection[UrlSource] = tuple(UrlSource)) -> list[Guess]:
    """Guesses that were good before: for a job that has not met them they are none any more."""
    paths: dict[str, GuessKind] = {}
    if UrlSource.PAGINATION in sources:
        for key, series in rules.series.items():
            by = pagination.step(series)
            first = series.high - (series.beyond - 1) * by
            beyond = range(first, series.high + 1, by) if series.beyond else ()
            paths.update((pagination.path_at(key, number), GuessKind.BEYOND) for number in beyond)
    if UrlSource.ARCHIVES in sources:
        for archive in rules.archives.values():
            paths.update((archives.path_at(archive, p), GuessKind.MONTHS) for p in archive.hits)
    for name, answer in rules.names.items():
        if answer is PathAnswer.HIT and _source_of(name) in sources:
            paths[name] = GuessKind.NAMES
    return [Guess(f"{rules.origin}{path}", _role(path, kind)) for path, kind in paths.items()]


def tallies(rules: HostRules) -> dict[GuessKind, GuessTally]:
    """How each kind of guess has turned out at a host."""
    series, dates = rules.series.values(), rules.archives.values()
    misses = [number < each.high for each in series for number in each.missed]
    answers = list(rules.names.values())
    hits = [archives.is_month(period) for archive in dates for period in archive.hits]
    wasted = [archives.is_month(period) for archive in dates for period in archive.misses]
    return {
        GuessKind.BETWEEN: GuessTally(sum(each.between for each in series), misses.count(True)),
        GuessKind.BEYOND: GuessTally(sum(each.beyond for each in series), misses.count(False)),
        GuessKind.MONTHS: GuessTally(hits.count(True), wasted.count(True)),
        GuessKind.YEARS: GuessTally(hits.count(False), wasted.count(False)),
        GuessKind.NAMES: GuessTally(answers.count(PathAnswer.HIT), answers.count(PathAnswer.MISS)),
    }


def total(rules: HostRules) -> GuessTally:
    """How all guesses at a host have turned out."""
    done = tallies(rules).values()
    return GuessTally(sum(tally.hits for tally in done), sum(tally.misses for tally in done))


def merged(mine: HostRules, theirs: HostRules, policy: GuessPolicy) -> HostRules:
    """What two processes know together, whichever comes first: nothing that ended goes on."""
    if mine == theirs:
        return mine
    series = dict(theirs.series)
    for key, each in mine.series.items():
        other = series.get(key, each)
        series[key] = each if other == each else pagination.merged(each, other)
    dates = dict(theirs.archives)
    for key, archive in mine.archives.items():
        before = dates.get(key, archive)
        dates[key] = archive if before == archive else archives.merged(archive, before)
    names = dict(theirs.names)
    for name, answer in mine.names.items():
        names[name] = min(answer, names.get(name, answer), key=list(PathAnswer).index)
    together = HostRules(
        max(mine.origin, theirs.origin),
        pagination.trimmed(series, policy),
        archives.trimmed(dates, policy),
        names,
        looked_at=max(mine.looked_at, theirs.looked_at),
    )
    asked = {path: at for path, at in theirs.asked.items() if not _is_answered(together, path)}
    for path, at in mine.asked.items():
        # Of pages between others only their asker knows which have been answered.
        if place_of(path) or not _is_answered(together, path):
            asked[path] = at
    return replace(together, asked=asked)


_LISTINGS = (Role.SITEMAP, Role.FEED)
_TRIED = 2
"""Kinds of date paths tried on their own account: a host can show any number of them."""
_MARKS = (*MARKS, *archives.MARKS)
_SOURCES = {
    GuessKind.BETWEEN: UrlSource.PAGINATION,
    GuessKind.BEYOND: UrlSource.PAGINATION,
    GuessKind.MONTHS: UrlSource.ARCHIVES,
    GuessKind.YEARS: UrlSource.ARCHIVES,
}


def _is_whole(url: str) -> bool:
    """Whether it is a URL as the door makes them: with a host and a path."""
    start = 8 if url.startswith("https://") else 7 if url.startswith("http://") else len(url)
    return url.find("/", start) > start


def _may_teach(url: str, result: Result, found: Sequence[str]) -> bool:
    """Whether any of these is numbered, dated or named like an archive. Of a hundred visits one
    teaches something: the others are told by a glance at all of their URLs at once."""
    text = "\n".join((url, *found)).lower() if found else url.lower()
    if any(map(text.__contains__, _MARKS)):
        return True
    # Where /item/731 is, /item/2025 is no year.
    return result is Result.READ and archives.may_be_id(url)


def _paths_at(host: str, urls: Sequence[str]) -> tuple[str, ...]:
    parts = (parts_of(url) for url in urls if _is_whole(url))
    return tuple(path for _, its_host, path in parts if its_host == host)


def _source_of(name: str) -> UrlSource:
    return UrlSource.SITEMAPS if name in archives.SITEMAPS else UrlSource.ARCHIVES


class _Purse(Struct):
    """What may still be wasted at a host: by each pattern on its own account, by all on the
    common one. What waits for an answer may be wasted as well."""

    common: int
    own: dict[str, int]

    @property
    def is_empty(self) -> bool:
        return self.common <= 0 and not any(self.own.values())

    def has(self, pattern: str) -> bool:
        return bool(self.own.get(pattern))

    def spend(self, pattern: str) -> None:
        if self.has(pattern):
            self.own[pattern] -= 1
        else:
            self.common -= 1


def _purse(rules: HostRules, visits: int, policy: GuessPolicy) -> _Purse:
    spent = Counter(_pattern_of(path) for path in rules.asked)
    earned: dict[str, int] = {}
    for key, series in rules.series.items():
        spent[key] += len(series.missed)
        earned[key] = policy.earned * (series.between + series.beyond)
    tried = sorted(rules.archives, key=lambda key: -archives.weight(rules.archives[key]))
    for rank, key in enumerate(tried):
        archive = rules.archives[key]
        spent[key] += len(archive.misses)
        earned[key] = policy.earned * len(archive.hits)
        if archive.has_succeeded and rank < _TRIED:
            earned[key] += policy.trial
    spent[""] += sum(answer is PathAnswer.MISS for answer in rules.names.values())
    own = {key: max(0, earned[key] - spent[key]) for key in earned}
    wasted = sum(max(0, count - earned.get(key, 0)) for key, count in spent.items())
    return _Purse(int(max(policy.allowance, policy.share * visits)) - wasted, own)


def _pattern_of(path: str) -> str:
    """On whose account it is guessed: a listing's, an archive's, or nobody's."""
    if (place := place_of(path)) is not None:
        return place.key
    date = archives.dated(path)
    return date.key if date is not None else ""


class _GuessSearch(Struct, frozen=True):
    """What is looked for this time."""

    now: float
    policy: GuessPolicy
    sources: frozenset[UrlSource]
    looks: bool
    """For archives as well; pages of listings always."""
    has_sitemap: bool

    def chosen(
        self, rules: HostRules, done: Mapping[GuessKind, GuessTally], purse: _Purse
    ) -> dict[str, GuessKind]:
        """The paths to ask for, as many as there is room for."""
        room = self.policy.at_once - len(rules.asked)
        # Where there is plenty nothing has to be kept.
        hopes = self._hopes(rules) if purse.common <= self.policy.allowance else set()
        kinds = [kind for kind in GuessKind if done[kind].promise > self.policy.promise]
        kinds.sort(key=lambda kind: -done[kind].promise)
        paths: dict[str, GuessKind] = {}
        for rank, kind in enumerate(kinds):
            better = hopes.intersection(map(_SOURCES.get, kinds[:rank]))
            kept = better.difference(map(_SOURCES.get, (kind, *paths.values())))
            fresh = (path for path in self._candidates(rules, kind) if path not in rules.asked)
            for path in fresh:
                pattern = _pattern_of(path)
                if len(paths) >= room:
                    return paths
                if purse.has(pattern) or purse.common > len(kept):
                    purse.spend(pattern)
                    paths[path] = kind
                elif not any(purse.own.values()):
                    break
        return paths

    def _hopes(self, rules: HostRules) -> set[UrlSource]:
        """What one guess is kept for, where it promises more than others: it may have its turn
        later, and must not find all of them spent. Those that succeed give it back."""
        hopes = set()
        if any(map(pagination.may_go_on, rules.series.values())):
            hopes.add(UrlSource.PAGINATION)
        dates = rules.archives.values()
        if any(archives.may_go_on(archive, self.now, self.policy) for archive in dates):
            hopes.add(UrlSource.ARCHIVES)
        for path in rules.asked:
            hopes.discard(UrlSource.PAGINATION if place_of(path) else UrlSource.ARCHIVES)
        return hopes & self.sources

    def _candidates(self, rules: HostRules, kind: GuessKind) -> Iterator[str]:
        """Paths of this kind that are worth asking for, best first."""
        source = _SOURCES.get(kind)
        if source is not None and source not in self.sources:
            return
        if source is not UrlSource.PAGINATION and not self.looks:
            return
        match kind:
            case GuessKind.BETWEEN:
                yield from self._between(rules)
            case GuessKind.BEYOND:
                for key, series in rules.series.items():
                    number = pagination.beyond(series, self.policy)
                    if number is not None:
                        yield pagination.path_at(key, number)
            case GuessKind.MONTHS | GuessKind.YEARS:
                worth = archives.months if kind is GuessKind.MONTHS else archives.years
                for archive in sorted(rules.archives.values(), key=archives.weight, reverse=True):
                    periods = worth(archive, self.now, self.policy)
                    yield from (archives.path_at(archive, period) for period in periods)
            case GuessKind.NAMES:
                yield from self._names(rules)

    def _between(self, rules: HostRules) -> Iterator[str]:
        tried = {place.key for place in map(place_of, rules.asked) if place}
        for key, series in rules.series.items():
            pages = pagination.between(series)
            # One first, and when it was good as many as may be asked for: a gap has any number.
            most = self.policy.at_once if series.between else int(key not in tried)
            yield from (pagination.path_at(key, number) for number in pages[:most])

    def _names(self, rules: HostRules) -> Sequence[str]:
        """One after the other: what is learned meanwhile may promise more than the next one."""
        if any(name in rules.asked for name in archives.NAMES):
            return ()
        names = [name for name in archives.NAMES if name not in rules.names]
        known = (rules.names.get(name, PathAnswer.MISS) for name in archives.SITEMAPS)
        if self.has_sitemap or any(answer is not PathAnswer.MISS for answer in known):
            names = [name for name in names if name not in archives.SITEMAPS]
        return [name for name in names if _source_of(name) in self.sources][:1]


def _role(path: str, kind: GuessKind) -> Role:
    if kind in (GuessKind.BETWEEN, GuessKind.BEYOND):
        return Role.PAGINATION
    return Role.SITEMAP if path in archives.SITEMAPS else Role.ARCHIVE


def _asking(rules: HostRules, paths: Mapping[str, GuessKind], now: float) -> HostRules:
    """The rules once these have been asked for."""
    if not paths:
        return rules
    series = dict(rules.series)
    for path, kind in paths.items():
        place = place_of(path) if kind is GuessKind.BETWEEN else None
        if place is not None:
            series[place.key] = pagination.asked_between(series[place.key], place.number)
    return replace(rules, series=series, asked={**rules.asked, **dict.fromkeys(paths, now)})


def _is_answered(rules: HostRules, path: str) -> bool:
    place, date = place_of(path), archives.dated(path)
    if place is not None and place.key in rules.series:
        return pagination.is_answered(rules.series[place.key], place.number)
    if date is not None and date.key in rules.archives:
        return archives.is_answered(rules.archives[date.key], date.period)
    return path in rules.names
