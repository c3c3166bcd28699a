"""What have visits of one shape of URL brought, and what follows from it? (URL-6)"""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from msgspec import Meta, Struct

from tenax.model.knobs import AtLeastOne, Seconds, Share
from tenax.urls.priority import DOUBTFUL, LAST, LEAST

FEW = 5
"""Visits after which there is something to be said about a shape, though nothing to conclude."""
SOME = 3
"""Visits after which its like may as well wait."""
_NEARLY_ALL = 0.8
_HOSTILE = 0.2
"""Fruitless visits at a host for each that was made without any doubt: from so many on, ten at
least, it has lost all credit."""
_MIXED = 1 / 3
"""Choices that multiply say something new now and then. What grows without end is known in a fifth
of the time where so many of its visits were fruitless besides."""


class YieldPolicy(Struct, frozen=True):
    enough: AtLeastOne = 20
    """Visits of one shape before anything is concluded from them; and fruitless ones at a host
    before its shapes are tried less often, since traps come in company."""
    fruitless: Annotated[float, Meta(ge=0)] = 0.8
    """The share of fruitless visits from which on a shape is held to be a trap."""
    share: Share = 0.05
    """The share of a host's visits that may be fruitless before its traps get none."""
    new_text: Share = 0.03
    """A page of whose wordings no more than this share is new says nothing new."""
    endless: AtLeastOne = 60
    """Visits before a shape that leads to itself alone, and never twice to the same, is endless."""
    known: Share = 0.02
    """The share of links to known pages of its own shape that shows that it is not."""
    fed: Annotated[float, Meta(ge=0)] = 0.2
    """So many of its URLs for each visit, named by pages of other kinds, show the same."""
    look: Seconds = 60.0
    """Seconds after which the ledger is asked what other processes have counted."""


class TrapPatience(Struct, frozen=True):
    """How often a shape is tried before it is left."""

    visits: int
    """Those that were fruitless or fruitful."""
    echoes: int
    """Those in a row that brought a page that was there, word for word, and asked for more."""
    growth: int
    """Those that named more like it, and nothing twice."""


class Credit:
    """What patience a host has earned: the more it cost, the less."""

    def __init__(self, policy: YieldPolicy) -> None:
        self._enough = policy.enough
        self._usual = TrapPatience(policy.enough, policy.enough // 2, policy.endless)
        self._wary = TrapPatience(FEW, FEW, policy.endless // 3)
        self._none = TrapPatience(FEW, SOME, policy.endless // 5)

    def patience(self, visits: int, fruitless: int, barren: int) -> TrapPatience:
        """After so many visits before there was any doubt, so many fruitless ones, and so many
        kinds of URLs that have brought nothing lately."""
        if fruitless < 2 * FEW:
            return self._usual
        if fruitless >= _HOSTILE * visits:
            return self._none
        return self._wary if fruitless >= self._enough or barren > 1 else self._usual


class Brought(Enum):
    """What one visit was good for."""

    SOMETHING = "something"
    NOTHING = "nothing"
    NO_HARM = "no harm"


class ShapeYield(Struct):
    """What visits of one shape, or of one family of shapes, have brought: a running count."""

    visits: int = 0
    """Those that were fruitless or fruitful. A page that has nothing to say and asks for nothing
    is neither, and harms nobody."""
    fruitless: int = 0
    in_a_row: int = 0
    """Fruitless visits of this process since the last fruitful one."""
    echoes: int = 0
    """Those in a row whose page was the same as an earlier one, word for word, and asked for more
    all the same."""
    undecided: int = 0
    """Visits that named what nobody knew then, and nothing else, since the last fruitful one."""
    judged: int = 0
    """All visits of this process; what follows is of these."""
    repeating: int = 0
    """Visits whose page said nothing new."""
    repeating_in_a_row: int = 0
    """Those since the last one whose page did."""
    named: int = 0
    """New URLs of the shape that its own pages named."""
    branching: int = 0
    """Visits that named several of them. Of a manual's chapters the first names all others."""
    looked: int = 0
    """Those of them on pages that were looked through for known ones, too."""
    known: int = 0
    """Known URLs of the shape on the same pages."""
    fed: int = 0
    """New URLs of the shape that pages of other kinds named."""
    rank: int = 0
    """The priority at which its like wait as long as they are in doubt."""

    def is_repetitive(self) -> bool:
        """Its pages say nothing new; or not any more."""
        is_poor = self.judged >= FEW and self.repeating >= _NEARLY_ALL * self.judged
        return is_poor or self.repeating_in_a_row >= FEW

    def is_fruitless(self, policy: YieldPolicy, tries: TrapPatience) -> bool:
        """Nearly all visits were, of so many at least, and the latest."""
        if self.fruitless < policy.fruitless * self.visits:
            return False
        is_tried = self.visits >= tries.visits and self.is_exhausted(policy)
        return is_tried or self.echoes >= tries.echoes

    def is_echo(self, policy: YieldPolicy) -> bool:
        """Every visit of it was one. A share above 1 is never reached: whoever asks for that wants
        no shape to be left."""
        return 0 < self.echoes == self.judged and policy.fruitless <= 1

    def is_exhausted(self, policy: YieldPolicy) -> bool:
        """The latest visits were fruitless: it was tried, and not for nothing."""
        if not self.judged:
            return self.visits >= FEW and self.fruitless >= policy.fruitless * self.visits
        return self.in_a_row >= FEW

    def doubt(self, policy: YieldPolicy) -> None:
        """Say where its like wait from now on. What it brings may as well come last: nothing is
        lost by that, and more is known by then of what seems to have no end, or to say nothing
        and to ask for nothing. What was good so far waits only where it is found from now on."""
        if self.is_repetitive():
            self.rank = LAST if self.is_good() else DOUBTFUL if self.visits else LEAST
        elif self.is_growing(policy):
            self.rank = LEAST
        else:
            self.rank = DOUBTFUL if self.echoes >= SOME or self.is_exhausted(policy) else 0

    def is_good(self) -> bool:
        """Most of its visits were worth it."""
        return self.visits >= 2 * FEW and 2 * self.fruitless < self.visits

    def is_wasteful(self, policy: YieldPolicy) -> bool:
        """One visit more would be one of those that nobody has to make."""
        return self.rank > 0 and (self.is_exhausted(policy) or self.is_growing(policy))

    def is_growing(self, policy: YieldPolicy) -> bool:
        """Its visits name more of the same than they take, and never twice the same."""
        return (
            self.judged >= FEW
            and self.named >= 2 * self.judged
            and self.branching >= self.judged / 2
            and self.known <= policy.known * (self.looked + self.known)
        )

    def is_endless(self, policy: YieldPolicy, tries: TrapPatience) -> bool:
        """As a maze of made-up pages is, known after so many. In a site that has an end links
        meet, and something else leads into it: a list, a sitemap."""
        if self.fed > policy.fed * self.judged or not self.is_growing(policy):
            return False
        is_mixed = self.fruitless >= _MIXED * self.visits
        enough = policy.endless // 5 if is_mixed else tries.growth
        return self.judged >= enough and self.looked >= enough

    def count(
        self, brought: Brought, *, repeating: bool, named: int = 0, echoes: bool = False
    ) -> None:
        """One visit more."""
        match brought:
            case Brought.SOMETHING:
                self.visits += 1
                self.in_a_row = self.undecided = 0
            case Brought.NOTHING:
                self.visits += 1
                self.fruitless += 1
                self.in_a_row += 1
            case Brought.NO_HARM:
                pass
        self.echoes = self.echoes + 1 if echoes else 0
        self.judged += 1
        self.repeating += repeating
        self.repeating_in_a_row = self.repeating_in_a_row + 1 if repeating else 0
        self.named += named
        self.branching += named > 1

    def decide(self) -> int:
        """What was named is known by now, and no better: how many visits were fruitless, too. Of
        no more than a few that can be said after the event."""
        late, self.undecided = min(self.undecided, FEW), 0
        return late

    def count_late(self, fruitless: int) -> None:
        """Visits of which is known by now that they were fruitless."""
        self.visits += fruitless
        self.fruitless += fruitless
        self.in_a_row += fruitless

    def count_closed(self) -> None:
        """One that could not be had: no visit, and nothing that would be worth naming."""
        self.in_a_row += 1
        self.judged += 1
        self.repeating += 1
        self.repeating_in_a_row += 1

    def count_others(self, visits: int, fruitless: int) -> None:
        """Visits that others have made."""
        self.visits += visits
        self.fruitless += fruitless
