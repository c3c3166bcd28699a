"""Which pages of a numbered listing are worth asking for besides those that are named? (DISC-3)

A listing that names its pages 2, 3 and 37 names those between them too. Beyond the last one known
a single page is guessed, and the next only when that one was good. A page that is gone, brings
nothing or repeats another ends the guessing for good. Numbers are often ids: only those count
that begin near 1 and follow each other, or a single page 2.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from itertools import pairwise

from msgspec.structs import replace

from tenax.discover.guess_policy import GuessPolicy
from tenax.discover.sights import Result, Sight
from tenax.model import PageSeries, Role
from tenax.urls.paging import NUMBER, ListingPlace, place_of

_FIRST = 3
"""A listing whose lowest known page is higher than this is none: its numbers are ids or years."""
_SECOND = 2
"""One page of this number is a listing already: nobody counts anything else from 2 on."""
_PAGE_SIZES = range(5, 201)
"""The same of an offset: the second page begins where the first one ends."""
_LEAST_STEP = 5
"""Offsets that have no greater divisor in common are ids, or sizes, or prices."""


def path_at(key: str, number: int) -> str:
    return key.replace(NUMBER, str(number))


def has_lesson(series: PageSeries) -> bool:
    """Whether guesses, or a page of its own, have shown something of it."""
    return bool(series.ended or series.beyond or series.between)


def names_its_last(series: PageSeries) -> bool:
    """Its pages name the one that follows, and the last of them names none."""
    return series.leads_on and series.read == series.high


def step(series: PageSeries) -> int:
    """From one page to the next; 0 while that is not known."""
    if not series.is_offset:
        return 1
    # 20 and 740 count from 0 in steps of 20; 11, 21 and 31 count from 1 in steps of 10.
    return next((unit for unit in series.units if unit >= _LEAST_STEP), 0)


def is_listing(series: PageSeries) -> bool:
    """Whether its numbers are those of pages, as far as can be told by now."""
    if series.is_offset:
        is_second = series.low == series.high and series.low in _PAGE_SIZES
        return is_second or (series.low < series.high and series.low <= step(series) + 1)
    is_second = series.low == series.high == _SECOND
    return is_second or (series.has_neighbours and series.low <= _FIRST)


def learn(
    series: dict[str, PageSeries], sight: Sight, policy: GuessPolicy
) -> dict[str, PageSeries]:
    """What a visit teaches; the same mapping again when nothing."""
    learned: dict[str, PageSeries] = {}
    named_by_key: dict[str, list[int]] = {}
    own = place_of(sight.path)
    for place in filter(None, map(place_of, sight.found)):
        known = learned.get(place.key) or series.get(place.key)
        learned[place.key] = known or _begun(place)
        named_by_key.setdefault(place.key, []).append(place.number)
    if own is not None:
        begun = learned.get(own.key) or series.get(own.key)
        if begun is None and sight.result is Result.READ:
            begun = _begun(own)
        if begun is not None:
            learned[own.key] = _visited(begun, own, sight, named_by_key.get(own.key, []))
    for key, numbers in named_by_key.items():
        learned[key] = _named(learned[key], numbers)
    changed = {key: each for key, each in learned.items() if each != series.get(key)}
    return trimmed({**series, **changed}, policy) if changed else series


def between(series: PageSeries) -> range:
    """The pages between two known ones that nobody has asked for."""
    by = step(series)
    if series.ended or not by or not is_listing(series):
        return range(0)
    return range(max(series.filled, series.low) + by, series.high, by)


def asked_between(series: PageSeries, number: int) -> PageSeries:
    """The pages up to this one have been asked for."""
    return replace(series, filled=max(series.filled, number))


def beyond(series: PageSeries, policy: GuessPolicy) -> int | None:
    """The one page beyond the last that is known; only once that one was read and was good: it
    may name what follows, or say that nothing does."""
    is_good = series.read == series.high and series.beyond < policy.most_beyond
    if is_good and may_go_on(series):
        return series.high + step(series)
    return None


def may_go_on(series: PageSeries) -> bool:
    """Whether pages may be guessed beyond its last, now or when that has been read."""
    return is_listing(series) and not series.leads_on and not series.ended


def is_answered(series: PageSeries, number: int) -> bool:
    return bool(series.ended) or number <= series.high


def trimmed(series: dict[str, PageSeries], policy: GuessPolicy) -> dict[str, PageSeries]:
    """As many as are remembered: those that taught nothing go first, and of them the oldest."""
    surplus = max(len(series) - policy.most_series, 0)
    for key in sorted(series, key=lambda key: has_lesson(series[key]))[:surplus]:
        del series[key]
    return series


def merged(mine: PageSeries, theirs: PageSeries) -> PageSeries:
    """What two views of one listing know together, whichever comes first."""
    first, second = sorted((mine, theirs), key=lambda series: (not series.ended, series.ended))
    return replace(
        mine,
        low=min(mine.low, theirs.low),
        high=max(mine.high, theirs.high),
        units=(math.gcd(mine.units[0], theirs.units[0]), math.gcd(mine.units[1], theirs.units[1])),
        has_neighbours=mine.has_neighbours
        or theirs.has_neighbours
        or _follow_each_other(sorted({mine.low, mine.high, theirs.low, theirs.high})),
        leads_on=mine.leads_on or theirs.leads_on,
        read=max(mine.read, theirs.read),
        filled=max(mine.filled, theirs.filled),
        between=max(mine.between, theirs.between),
        beyond=max(mine.beyond, theirs.beyond),
        missed=tuple(sorted({*mine.missed, *theirs.missed})),
        ended=first.ended or second.ended,
    )


def _begun(place: ListingPlace) -> PageSeries:
    number = place.number
    return PageSeries(number, number, place.is_offset, units=(number, abs(number - 1)))


def _named(series: PageSeries, numbers: Iterable[int]) -> PageSeries:
    """The site itself knows pages of these numbers."""
    seen = sorted({*numbers, series.low, series.high})
    known = replace(
        series,
        low=seen[0],
        high=seen[-1],
        units=(math.gcd(series.units[0], *seen), math.gcd(series.units[1], *(n - 1 for n in seen))),
        has_neighbours=series.has_neighbours or _follow_each_other(seen),
    )
    by, filled = step(known), max(known.filled, known.low)
    while by and filled + by in seen:
        filled += by
    return replace(known, filled=filled)


def _visited(
    series: PageSeries, place: ListingPlace, sight: Sight, later: Collection[int]
) -> PageSeries:
    """What a visit to one of its pages, the first to name these `later` ones, says of it."""
    number = place.number
    is_guess = sight.was_asked or (
        sight.role is Role.PAGINATION and not is_answered(series, number)
    )
    match sight.result:
        case Result.KNOWN:
            return _read(series, number)
        case Result.REFUSED if is_guess:
            return _ended(series, number, sight)
        case Result.READ if sight.brought or not is_guess:
            # The first page of a listing may name all there are, or the first few; one that
            # names its next is followed by others that do.
            leads_on = number > 1 and any(n > max(series.high, number) for n in later)
            known = _hit(series, number) if is_guess else series
            known = _read(known, number) if sight.brought else _named(known, [number])
            return replace(known, leads_on=known.leads_on or leads_on)
        case Result.READ | Result.GONE | Result.REPEATED if is_guess:
            missed = tuple(sorted({*series.missed, number}))
            return replace(_ended(series, number, sight), missed=missed)
        case Result.GONE:
            return _ended(series, number, sight)
        case Result.REPEATED if series.low < number and number >= series.high:
            # The first page has a twin without a number; the last may stand in for any behind it.
            return _ended(series, number, sight)
        case _:
            return series


def _read(series: PageSeries, number: int) -> PageSeries:
    known = _named(series, [number])
    return replace(known, read=max(known.read, number))


def _hit(series: PageSeries, number: int) -> PageSeries:
    if number > series.high:
        return replace(series, beyond=series.beyond + 1)
    return replace(series, between=series.between + 1)


def _ended(series: PageSeries, number: int, sight: Sight) -> PageSeries:
    if series.ended:
        return series
    return replace(series, ended=f"page {number} {sight.why_not}")


def _follow_each_other(numbers: list[int]) -> bool:
    """Whether there are two of which one is the next: ids of unlike things seldom are."""
    return any(b - a == 1 for a, b in pairwise(numbers))
