"""What may be guessed at a host, and how much of it may go wrong?"""

from __future__ import annotations

from msgspec import Struct


class GuessPolicy(Struct, frozen=True):
    """Guesses that bring nothing are requests the site's owner pays for and nobody gains by."""

    share: float = 0.04
    """Of a host's visits, how many may be guesses that bring nothing."""
    allowance: int = 4
    """Such guesses at a host whose visits do not allow more by their number."""
    promise: float = 0.1
    """A kind of guess that succeeds less often than this at a host is given up there."""
    at_once: int = 32
    """Guesses at a host that may wait for their answers."""
    few: int = 10
    """URLs of high priority waiting at a host below which its archives are looked for."""
    look_again: float = 86_400.0
    """Seconds after which they are looked for in any case, and a guess unanswered is forgotten."""
    gap_months: int = 3
    """How many months from one that brought something others are looked for."""
    gap_years: int = 1
    """The same in years, where years have pages of their own."""
    earliest_year: int = 1990
    """No older year is guessed."""
    most_beyond: int = 1_000
    """Pages of one listing guessed beyond those it names, however well it goes."""
    most_series: int = 500
    """Listings in numbered pages remembered of a host."""
    most_archives: int = 32
    """Kinds of date paths remembered of a host."""
