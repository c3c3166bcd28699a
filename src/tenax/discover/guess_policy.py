"""What may be guessed at a host, and how much of it may go wrong?"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from tenax.model.knobs import SECONDS, AtLeastOne, Count, Share


class GuessPolicy(Struct, frozen=True):
    """Guesses that bring nothing are requests the site's owner pays for and nobody gains by."""

    share: Share = 0.04
    """Of a host's visits, how many may be guesses that bring nothing."""
    allowance: Count = 4
    """Such guesses at a host whose visits do not allow more by their number."""
    earned: Count = 2
    """Guesses of one pattern that may bring nothing for each that brought something: a pattern
    that finds one in three pays for itself, whatever else was wasted at its host."""
    trial: Count = 6
    """The same before it has brought anything, for the two kinds of date paths of which a host
    has shown most."""
    promise: Share = 0.1
    """A kind of guess that succeeds less often than this at a host is given up there."""
    at_once: AtLeastOne = 32
    """Guesses at a host that may wait for their answers."""
    few: Count = 10
    """URLs of high priority waiting at a host below which its archives are looked for."""
    look_again: Annotated[float, Meta(ge=60), SECONDS] = 86_400.0
    """Seconds after which they are looked for in any case, and a guess unanswered is forgotten."""
    gap_months: Count = 3
    """How many months from one that brought something others are looked for."""
    gap_years: Count = 1
    """The same in years, where years have pages of their own."""
    earliest_year: Annotated[int, Meta(ge=1, le=9_999)] = 1990
    """No older year is guessed."""
    most_beyond: Count = 1_000
    """Pages of one listing guessed beyond those it names, however well it goes."""
    most_series: AtLeastOne = 500
    """Listings in numbered pages remembered of a host."""
    most_archives: AtLeastOne = 32
    """Kinds of date paths remembered of a host."""
