"""What have visits of one shape of URL brought, and what follows from it? (URL-6)"""

from __future__ import annotations

from enum import Enum

from msgspec import Struct

FEW = 5
"""Visits after which there is something to be said about a shape, though nothing to conclude."""
_NEARLY_ALL = 0.8


class YieldPolicy(Struct, frozen=True):
    enough: int = 20
    """Visits of one shape before anything is concluded from them; and fruitless ones at a host
    before its other shapes are tried five times only, since traps come in company."""
    fruitless: float = 0.8
    """The share of fruitless visits from which on a shape is held to be a trap."""
    share: float = 0.05
    """The share of a host's visits that may be fruitless before its traps get none."""
    new_text: float = 0.03
    """A page of whose wordings no more than this share is new says nothing new."""
    endless: int = 60
    """Visits before a shape that leads to itself alone, and never twice to the same, is endless;
    half as many at a host with other traps."""
    known: float = 0.02
    """The share of links to known pages of its own shape that shows that it is not."""
    fed: float = 0.2
    """So many of its URLs for each visit, named by pages of other kinds, show the same."""
    look: float = 60.0
    """Seconds after which the ledger is asked what other processes have counted."""


class Brought(Enum):
    """What one visit was good for."""

    SOMETHING = "something"
    NOTHING = "nothing"
    NO_HARM = "no harm"


class Record(Struct):
    """What visits of one shape, or of one family of shapes, have brought: a running count."""

    visits: int = 0
    """Those that were fruitless or fruitful. A page that has nothing to say and asks for nothing
    is neither, and harms nobody."""
    fruitless: int = 0
    in_a_row: int = 0
    """Fruitless visits of this process since the last fruitful one."""
    judged: int = 0
    """All visits of this process; what follows is of these."""
    repeating: int = 0
    """Visits whose page said nothing new."""
    repeating_in_a_row: int = 0
    """Those since the last one whose page did."""
    named: int = 0
    """New URLs of the shape that its own pages named."""
    looked: int = 0
    """Those of them on pages that were looked through for known ones, too."""
    known: int = 0
    """Known URLs of the shape on the same pages."""
    fed: int = 0
    """New URLs of the shape that pages of other kinds named."""

    def is_repetitive(self) -> bool:
        """Its pages say nothing new; or not any more."""
        is_poor = self.judged >= FEW and self.repeating >= _NEARLY_ALL * self.judged
        return is_poor or self.repeating_in_a_row >= FEW

    def is_fruitless(self, policy: YieldPolicy, enough: int) -> bool:
        """Nearly all visits were, of so many at least, and the latest."""
        return (
            self.visits >= enough
            and self.fruitless >= policy.fruitless * self.visits
            and self.is_exhausted(policy)
        )

    def is_exhausted(self, policy: YieldPolicy) -> bool:
        """The latest visits were fruitless: it was tried, and not for nothing."""
        if not self.judged:
            return self.visits >= FEW and self.fruitless >= policy.fruitless * self.visits
        return self.in_a_row >= FEW

    def is_growing(self, policy: YieldPolicy) -> bool:
        """Its visits name more of the same than they take, and never twice the same."""
        return (
            self.judged >= FEW
            and self.named >= 2 * self.judged
            and self.known <= policy.known * (self.looked + self.known)
        )

    def is_endless(self, policy: YieldPolicy, enough: int) -> bool:
        """As a maze of made-up pages is, known after so many. In a site that has an end links
        meet, and something else leads into it: a list, a sitemap."""
        return (
            self.judged >= enough
            and self.looked >= enough
            and self.is_growing(policy)
            and self.fed <= policy.fed * self.judged
        )

    def count(self, brought: Brought, *, repeating: bool, named: int = 0) -> None:
        """One visit more."""
        match brought:
            case Brought.SOMETHING:
                self.visits += 1
                self.in_a_row = 0
            case Brought.NOTHING:
                self.visits += 1
                self.fruitless += 1
                self.in_a_row += 1
            case Brought.NO_HARM:
                pass
        self.judged += 1
        self.repeating += repeating
        self.repeating_in_a_row = self.repeating_in_a_row + 1 if repeating else 0
        self.named += named

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
