"""May we ask for a URL that nobody has named? What guesses have brought, and what they may cost.

A guess that brings nothing is a request the site's owner pays for and nobody gains by. So all
kinds of guesses at a host draw on one budget, a small share of its visits, and a kind that has
shown its worth goes on a little longer than one that has not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class GuessPolicy:
    """What may be guessed at a host, and how much of it may go wrong (DISC-2, DISC-3)."""

    share: float = 0.04
    """Of a host's visits, how many may be guesses that brought nothing."""
    allowance: int = 4
    """Such guesses at a host just met, while its visits do not allow more by their number."""
    hit_rate: float = 0.5
    """Of a kind's guesses, those that brought something: from here on it has twice the allowance,
    and below it no sequence is filled up at once."""
    patience: int = 8
    """Guesses of one kind that may fail before a tenth must have succeeded."""
    at_once: int = 12
    """Archive pages asked for at a time, before their answers are known."""
    fan_out: int = 200
    """Pages proposed at once between two that a listing names."""
    most_beyond: int = 1_000
    """Pages of one sequence that are guessed beyond those named, however well it goes."""
    most_rules: int = 500
    """Sequences remembered of a host."""
    most_shapes: int = 32
    """Kinds of date paths remembered of a host."""
    earliest_year: int = 1990
    """No older year is guessed."""
    years_back: int = 3
    """How many years before the earliest known one are thought possible."""
    gap_years: int = 1
    """Years in a row that may be missing before the archive is taken to end there."""
    gap_months: int = 6
    """Months in a row that may be missing before the archive is taken to end there."""
    few: int = 10
    """Waiting URLs of high priority below which a host's archives are looked for."""
    look_again: float = 86_400.0
    """Seconds after which they are looked for in any case."""


@dataclass(frozen=True, slots=True)
class Tally:
    """How the guesses of one kind have turned out: only something new counts as a hit."""

    hits: int = 0
    misses: int = 0

    @property
    def rate(self) -> float:
        """The share of hits; 0 while there was no guess."""
        tries = self.hits + self.misses
        return self.hits / tries if tries else 0.0

    def with_one(self, is_hit: bool) -> Tally:
        if is_hit:
            return replace(self, hits=self.hits + 1)
        return replace(self, misses=self.misses + 1)

    def merged(self, other: Tally) -> Tally:
        """The fuller of two views of one tally."""
        return Tally(max(self.hits, other.hits), max(self.misses, other.misses))


def may_guess(visits: int, wasted: float, tally: Tally, policy: GuessPolicy) -> bool:
    """Whether the host can be asked for one more guess of this kind.

    `wasted` are the guesses of all kinds that brought nothing, and what those under way put at
    risk. The larger of share and allowance binds, not their sum: so from some hundred visits
    on the share holds exactly.
    """
    if is_spent(tally, policy):
        return False
    allowance = policy.allowance * 2 if is_proven(tally, policy) else policy.allowance
    return wasted + _risk(tally) <= max(allowance, policy.share * visits)


def may_fill(tally: Tally, policy: GuessPolicy) -> bool:
    """Whether pages between two that a site names may be asked for, all of them at once."""
    return tally.hits + tally.misses < policy.allowance or tally.rate >= policy.hit_rate


def at_risk(under_way: int, tally: Tally) -> float:
    """What guesses without an answer yet may be expected to waste."""
    return under_way * _risk(tally)


def is_proven(tally: Tally, policy: GuessPolicy) -> bool:
    return tally.hits > 0 and tally.rate >= policy.hit_rate


def is_spent(tally: Tally, policy: GuessPolicy) -> bool:
    """Nine in ten of them fail: what this kind of guess assumes is not so at this host."""
    return tally.misses >= policy.patience and tally.rate < _HOPELESS


_HOPELESS = 0.1


def _risk(tally: Tally) -> float:
    return 1.0 - tally.rate
