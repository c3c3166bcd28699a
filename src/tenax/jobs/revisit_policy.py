"""When is a page visited again, and is a sitemap to be believed about it? Pure arithmetic (FR-6).

A page that changed is visited sooner next time, one that did not later. What a site's sitemap
says of its pages counts only once it has proved true.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from tenax.model import State
from tenax.model.knobs import SECONDS, AtLeastOne, Share
from tenax.outcome import End, Settlement, Stale, Unchanged

if TYPE_CHECKING:
    from tenax.urls.sites import Sites


class RecrawlPolicy(Struct, frozen=True):
    interval: Annotated[float, Meta(ge=1), SECONDS] = 86_400.0
    """Seconds until a page is visited again at first, where neither its job nor its site says."""
    shortest: Annotated[float, Meta(ge=1), SECONDS] = 3_600.0
    """However often a page changes, it is not visited more often than this."""
    longest: Annotated[float, Meta(ge=1), SECONDS] = 2_592_000.0
    """However seldom it changes, it is visited this often."""
    longest_listing: Annotated[float, Meta(ge=1), SECONDS] = 86_400.0
    """The same for sitemaps and feeds: one request there tells of thousands of pages."""
    longest_entry: Annotated[float, Meta(ge=1), SECONDS] = 86_400.0
    """The same for seeds and front pages, in jobs that look for URLs besides links: with such a
    visit the sitemaps, lists and archives of a host are looked at again, however idle it is. Not
    less than the interval that its job, or its site, asks for."""
    shrink: Annotated[float, Meta(ge=0.001, le=1)] = 0.5
    """What the interval is multiplied by when the page has changed."""
    grow: Annotated[float, Meta(ge=1)] = 1.5
    """The same when it has not."""
    evidence: Annotated[float, Meta(ge=1)] = 5.0
    """Visits that have to bear a host's sitemaps out before their lastmod is believed."""
    honest: Share = 0.8
    """The share of their claims that have to be true for that."""
    fading: Share = 0.98
    """The weight that earlier visits keep at each new one: sites mend their ways, or lose them."""
    sweeping: Share = 0.5
    """The share of a sitemap's URLs above which "all of this is new" is tried out first."""
    sample: AtLeastOne = 10
    """On how many of them."""


def contradiction(policy: RecrawlPolicy) -> str:
    """What is wrong with `longest` beside `shortest`; empty when nothing is."""
    if policy.longest < policy.shortest:
        return f"must not be less than recrawl.shortest ({policy.shortest:g} seconds)."
    return ""


def wrong_interval(interval: float, policy: RecrawlPolicy) -> str:
    """Why a page cannot be visited again after so many seconds at first; empty when it can."""
    if policy.shortest <= interval <= policy.longest:
        return ""
    return (
        f"use recrawl.shortest ({policy.shortest:g}) to recrawl.longest ({policy.longest:g}), or"
        " change these."
    )


class VisitFinding(StrEnum):
    """What a visit found, as far as the next one is concerned."""

    CHANGED = "changed"
    SAME = "same"
    ABSENT = "absent"
    """No page: gone, moved, blocked, refused or not worth the name."""
    UNKNOWN = "unknown"
    """The host was in trouble, or nobody was asked: the visit says nothing of the page."""


class Honesty(Struct, frozen=True):
    """How a host's lastmods have compared with its pages, earlier visits fading."""

    honest: float = 0.0
    """It told of a change, and there was one."""
    lied: float = 0.0
    """It told of a change, and there was none."""
    silent: float = 0.0
    """There was a change, and it told of none."""
    calm: float = 0.0
    """It told of no change, and there was none. One that never does says nothing."""


class Recrawling:
    """What decides when pages are visited again: the policy, and sites with rules of their own."""

    def __init__(
        self,
        policy: RecrawlPolicy | None = None,
        sites: Sites | None = None,
        gone: float = 86_400.0,
    ) -> None:
        """`gone` is for how many seconds a 404 is remembered, however often others are visited."""
        self.policy = policy or RecrawlPolicy()
        self.gone = gone
        self._sites = sites

    def first_interval(self, host: str, wanted: float) -> float:
        """How long a page waits for its second visit: by the rules of its site, else as the job
        `wanted`, which is 0 where it leaves that to the settings."""
        own = self._sites.of(host).rules.interval if self._sites is not None else None
        return _bounded(own or wanted or self.policy.interval, self.policy)


def seen(
    settlement: Settlement, before: tuple[bytes, bytes] | None, *, is_listing: bool
) -> VisitFinding:
    """What the visit says of the page; `before` is its earlier content hash and digest.

    A page has changed when its text has: advertisements and nonces differ at every visit. Of a
    sitemap or a feed every byte counts.
    """
    assert isinstance(settlement.next, End)
    if settlement.next.state is not State.DONE:
        return VisitFinding.ABSENT
    word = settlement.attempt.outcome if settlement.attempt else Stale.word
    if word == Stale.word:
        return VisitFinding.UNKNOWN
    if word == Unchanged.word:
        return VisitFinding.SAME
    page = settlement.page
    if page is None:
        return VisitFinding.CHANGED if is_listing else VisitFinding.ABSENT
    if before is None:
        return VisitFinding.CHANGED
    by_text = page.content_hash and not is_listing
    is_same = before[0] == page.content_hash if by_text else before[1] == page.digest
    return VisitFinding.SAME if is_same else VisitFinding.CHANGED


def next_interval(
    interval: float,
    seen: VisitFinding,
    policy: RecrawlPolicy,
    *,
    is_listing: bool = False,
    entry: float | None = None,
) -> float:
    """How long until the next visit; `interval` is how long it was until this one. `entry` is what
    was asked for at first, of a page by which its host is looked at again (DISC-2)."""
    match seen:
        case VisitFinding.CHANGED:
            interval *= policy.shrink
        case VisitFinding.SAME | VisitFinding.ABSENT:
            interval *= policy.grow
        case VisitFinding.UNKNOWN:
            pass
    longest = policy.longest_listing if is_listing else policy.longest
    if entry is not None:
        longest = min(longest, max(policy.longest_entry, entry))
    return min(_bounded(interval, policy), max(longest, policy.shortest))


def judge(
    honesty: Honesty, lastmod: float, last_visit: float, changed: bool, policy: RecrawlPolicy
) -> Honesty:
    """What a visit says of the lastmod that its page had, and of the sitemap behind it."""
    # Claims fade by claims, and calm by calm: a page visited hourly has many more of the latter.
    if lastmod > last_visit:
        return replace(
            honesty,
            honest=honesty.honest * policy.fading + changed,
            lied=honesty.lied * policy.fading + (not changed),
        )
    return replace(
        honesty,
        silent=honesty.silent * policy.fading + changed,
        calm=honesty.calm * policy.fading + (not changed),
    )


def is_trusted(honesty: Honesty, policy: RecrawlPolicy) -> bool:
    """Whether a newer lastmod is reason enough for a visit."""
    claims = honesty.honest + honesty.lied
    has_proved = honesty.honest >= policy.evidence and honesty.honest >= policy.honest * claims
    return has_proved and honesty.calm >= 1.0


def is_disproved(honesty: Honesty, policy: RecrawlPolicy) -> bool:
    """Whether enough is known of a host's lastmods not to believe them."""
    claims = honesty.honest + honesty.lied
    return claims >= policy.evidence and honesty.honest < policy.honest * claims


def believed(newer: int, known: int, policy: RecrawlPolicy) -> int:
    """How many of the `newer` URLs of a trusted sitemap are visited at once, of all it lists.

    One that calls most of them new was generated anew, more often than not.
    """
    is_sweeping = newer > policy.sample and newer > policy.sweeping * known
    return policy.sample if is_sweeping else newer


def _bounded(interval: float, policy: RecrawlPolicy) -> float:
    return min(max(interval, policy.shortest), policy.longest)
