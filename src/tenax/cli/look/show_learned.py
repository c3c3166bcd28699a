"""How is it shown what a host has taught? Its listings, its archives, and what guesses brought."""

from __future__ import annotations

from collections.abc import Iterator

from tenax.cli.terminal.say import plural, printable
from tenax.discover.archives import is_month
from tenax.discover.guesses import total
from tenax.discover.pagination import names_its_last
from tenax.jobs.revisit_policy import Honesty, RecrawlPolicy, is_disproved, is_trusted
from tenax.model import DateArchive, HostRules, PageSeries, PathAnswer
from tenax.ops.why.learned import Lessons, archives_of, listings_of

_MOST = 10
"""Of each kind, those that teach the most; `--json` has them all."""


def learned_lines(lessons: Lessons, policy: RecrawlPolicy) -> list[str]:
    """What `hosts` tells a person; nothing of a host that has taught nothing."""
    rules = lessons.rules
    lines = [
        *_section("listings", [_told_listing(key, each) for key, each in listings_of(rules)]),
        *_section(
            "archives", [line for each in archives_of(rules) for line in _told_archive(each)]
        ),
        *_section("names", [", ".join(_told_names(rules))] if rules.names else []),
        *_section("lastmod", _told_honesty(lessons.honesty, policy)),
        *_section("guesses", _told_guesses(lessons)),
    ]
    return ["Learned here", *lines] if lines else []


def _section(name: str, told: list[str]) -> Iterator[str]:
    shown = told[:_MOST]
    if len(told) > _MOST:
        shown.append(f"and {len(told) - _MOST:,} more")
    for number, line in enumerate(shown):
        yield f"  {name if not number else '':<12}{printable(line)}"


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
