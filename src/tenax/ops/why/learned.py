"""What has a host taught? Its listings, its archives, and what guesses brought, as data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from tenax.discover.archives import weight
from tenax.discover.guesses import total
from tenax.discover.pagination import has_lesson, is_listing, step
from tenax.jobs.revisit_policy import Honesty
from tenax.model import DateArchive, HostRules, PageSeries
from tenax.ops.plain import plain


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


def learned_facts(lessons: Lessons) -> dict[str, Any]:
    """The same for `--json`, and all of it."""
    rules, done = lessons.rules, total(lessons.rules)
    return {
        "listings": [
            {"path": key, "step": step(each), **plain(each)} for key, each in listings_of(rules)
        ],
        "archives": [plain(archive) for archive in archives_of(rules)],
        "names": plain(rules.names),
        "lastmod": plain(lessons.honesty) if lessons.honesty else None,
        "guesses": {
            "asked": done.asked,
            "hits": done.hits,
            "wasted": done.misses,
            "wasted_share": done.misses / lessons.visits if lessons.visits else 0.0,
            "waiting": len(rules.asked),
        },
    }


def listings_of(rules: HostRules) -> list[tuple[str, PageSeries]]:
    """Those of which guesses have shown something first, then the longest."""
    known = [(key, each) for key, each in rules.series.items() if is_listing(each)]
    return sorted(known, key=lambda item: (not has_lesson(item[1]), -item[1].high, item[0]))


def archives_of(rules: HostRules) -> list[DateArchive]:
    known = [each for each in rules.archives.values() if each.there or each.missing]
    return sorted(known, key=weight, reverse=True)
