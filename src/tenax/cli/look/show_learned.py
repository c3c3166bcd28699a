"""How is it shown what a host has taught? Its listings, its archives, and what guesses brought."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from tenax.cli.terminal.say import plain, plural, printable
from tenax.discover.archives import is_month, weight
from tenax.discover.guesses import total
from tenax.discover.pagination import has_lesson, is_listing, names_its_last, step
from tenax.jobs.revisit_policy import Honesty, RecrawlPolicy, is_disproved, is_trusted
from tenax.model import DateArchive, HostRules, PageSeries, PathAnswer

_MOST = 10
"""Of each kind, those that teach the most; `--json` has them all."""


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


def learned_lines(lessons: Lessons, policy: RecrawlPolicy) -> list[str]:
    """What `hosts` tells a person; nothing of a host that has taught nothing."""
    rules = lessons.rules
    lines = [
        *_section("listings", [_told_listing(key, each) for key, each in _listings(rules)]),
        *_section("archives", [line for each in _archives(rules) for line in _told_archive(each)]),
        *_section("names", [", ".join(_told_names(rules))] if rules.names else []),
        *_section("lastmod", _told_honesty(lessons.honesty, policy)),
        *_section("guesses", _told_guesses(lessons)),
    ]
    return ["Learned here", *lines] if lines else []


def learned_facts(lessons: Lessons) -> dict[str, Any]:
    """The same for `--json`, and all of it."""
    rules, done = lessons.rules, total(lessons.rules)
    return {
        "listings": [
            {"path": key, "step": step(each), **plain(each)} for key, each in _listings(rules)
        ],
        "archives": [plain(archive) for archive in _archives(rules)],
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


def _section(name: str, told: list[str]) -> Iterator[str]:
    shown = told[:_MOST]
    if len(told) > _MOST:
        shown.append(f"and {len(told) - _MOST:,} more")
    for number, line in enumerate(shown):
        yield f"  {name if not number else '':<12}{printable(line)}"


def _listings(rules: HostRules) -> list[tuple[str, PageSeries]]:
    """Those of which guesses have shown something first, then the longest."""
    known = [(key, each) for key, each in rules.series.items() if is_listing(each)]
    return sorted(known, key=lambda item: (not has_lesson(item[1]), -item[1].high, item[0]))


def _archives(rules: HostRules) -> list[DateArchive]:
    known = [each for each in rules.archives.values() if each.there or each.missing]
    return sorted(known, key=weight, reverse=True)


def _told_listing(key: str, series: PageSeries) -> str:
    unit = "offsets" if series.is_offset else "pages"
    facts = [f"{key}  {unit} {series.low:,} … {series.high:,}"]
    if series.between:
        facts.append(f"{series.between:,} guessed between")
    if series.beyond:
        facts.append(f"{series.beyond:,} guessed beyond")
    told = ", ".join(facts)
    if series.ended:
        return f"{told}; ended: {series.ended}"
    return f"{told}; its last page names no next" if names_its_last(series) else told


def _told_archive(archive: DateArchive) -> Iterator[str]:
    for template, wanted in ((archive.yearly, False), (archive.monthly, True)):
        there = [period for period in archive.there if is_month(period) is wanted]
        missing = [period for period in archive.missing if is_month(period) is wanted]
        if there:
            within = sum(there[0] < period < there[-1] for period in missing)
            told = f"{template}  {_period(there[0])} … {_period(there[-1])}"
            yield f"{told}, {within:,} missing" if within else told
        elif missing:
            yield f"{template}  none: {_period(missing[-1])} was tried"


def _period(period: int) -> str:
    return f"{period // 100}-{period % 100:02d}" if is_month(period) else str(period)


def _told_names(rules: HostRules) -> Iterator[str]:
    says = {
        PathAnswer.HIT: "brought something",
        PathAnswer.MISS: "brought nothing",
        PathAnswer.UNASKED: "not guessed",
    }
    for name, answer in sorted(rules.names.items()):
        yield f"{name} {says[answer]}"


def _told_honesty(honesty: Honesty | None, policy: RecrawlPolicy) -> list[str]:
    if honesty is None:
        return []
    claims = honesty.honest + honesty.lied
    verdict = "not known yet whether it can be believed"
    if is_trusted(honesty, policy):
        verdict = "believed"
    elif is_disproved(honesty, policy):
        verdict = "not believed"
    if not claims:
        return [verdict]
    return [f"{verdict}: of the changes it told of, {honesty.honest / claims:.0%} were true"]


def _told_guesses(lessons: Lessons) -> list[str]:
    done, waiting = total(lessons.rules), len(lessons.rules.asked)
    if not done.asked and not waiting:
        return []
    told = f"{done.asked:,} asked, {done.hits:,} brought something new"
    if lessons.visits:
        share = f"{done.misses / lessons.visits:.1%} of {plural(lessons.visits, 'visit')}"
        told = f"{told}, {done.misses:,} wasted ({share})"
    return [f"{told}; {waiting:,} waiting" if waiting else told]
