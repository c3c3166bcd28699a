"""What has a host taught? Its listings, its archives, and what guesses brought, as data."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec import Struct

from tenax.discover.archives import weight
from tenax.discover.guesses import total
from tenax.discover.pagination import has_lesson, is_listing, step
from tenax.jobs.revisit_policy import Honesty
from tenax.model import DateArchive, HostRules, PageSeries, PathAnswer
from tenax.ops.plain import extended


class Lessons(Struct, frozen=True):
    """What the ledger has of one host."""

    rules: HostRules
    honesty: Honesty | None
    """What its sitemaps say of its pages; None when they never said anything."""
    visits: int

    @classmethod
    def of(cls, rules: HostRules | None, notes: Mapping[str, str], visits: int) -> Lessons:
        told = notes.get("lastmod")
        honesty = msgspec.json.decode(told, type=Honesty) if told else None
        return cls(rules or HostRules(), honesty, visits)


class LearnedListing(PageSeries, frozen=True, kw_only=True):
    path: str
    """Of its pages, with {n} for the number."""
    step: int
    """From one page's number to the next one's."""


class GuessFacts(Struct, frozen=True):
    """What guesses at a host brought."""

    asked: int
    hits: int
    wasted: int
    wasted_share: float
    """Of all visits."""
    waiting: int


class LearnedFacts(Struct, frozen=True):
    """What a host has taught."""

    listings: list[LearnedListing]
    archives: list[DateArchive]
    names: dict[str, PathAnswer]
    """What became of well-known paths."""
    lastmod: Honesty | None
    """What its sitemaps say of its pages; null when they never said anything."""
    guesses: GuessFacts


def learned_facts(lessons: Lessons) -> LearnedFacts:
    """The same for `--json`, and all of it."""
    rules, done = lessons.rules, total(lessons.rules)
    return LearnedFacts(
        listings=[
            extended(LearnedListing, each, path=key, step=step(each))
            for key, each in listings_of(rules)
        ],
        archives=archives_of(rules),
        names=rules.names,
        lastmod=lessons.honesty,
        guesses=GuessFacts(
            asked=done.asked,
            hits=done.hits,
            wasted=done.misses,
            wasted_share=done.misses / lessons.visits if lessons.visits else 0.0,
            waiting=len(rules.asked),
        ),
    )


def listings_of(rules: HostRules) -> list[tuple[str, PageSeries]]:
    """Those of which guesses have shown something first, then the longest."""
    known = [(key, each) for key, each in rules.series.items() if is_listing(each)]
    return sorted(known, key=lambda item: (not has_lesson(item[1]), -item[1].high, item[0]))


def archives_of(rules: HostRules) -> list[DateArchive]:
    known = [each for each in rules.archives.values() if each.there or each.missing]
    return sorted(known, key=weight, reverse=True)
