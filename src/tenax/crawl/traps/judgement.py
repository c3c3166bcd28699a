"""Which kinds of URLs may wait until all else was visited? Pure: from counts in the ledger (URL-6).

Two questions are asked of the visits of a shape of URL, and of those lately: did they bring
anything, and do they ever come to an end? What fails one is deferred, not refused; and whatever it
brings while it is deferred counts as before, so a wrong judgement corrects itself: decision 0031.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import NamedTuple

from msgspec import Struct, field

from tenax.model.knobs import AtLeastOne, Count, Share
from tenax.ports import ShapeCounts
from tenax.urls.shapes import family_of, loosened

_FEW = 3
"""Visits in vain after which a shape goes with its folder, where many others were in vain."""
_SOME = 6
"""Visits in vain after which there is something to be said about a shape."""
_MANY = 16
"""Folders from which on a site may be making them up."""
_NEARLY = 8
"""Visits for each that was in vain, where nearly all brought something."""
_GROWS = 0.75
"""Of an endless kind, so many pages name more of it; of a tree, walked in depth, half."""
_MEETS = 0.01
"""Of a finite kind's pages, however large it is, so many name one that another has named as well;
of a maze's none do."""
_SURELY = 0.1
"""And of those of which it need not be asked each time, more."""
_RUNS_OUT = 0.9
"""New URLs for each visit, below which what waits comes to an end by itself."""
_CLOSES = 0.7
"""Those beyond the first of each that named several, for each visit, below which it has ends."""
_TRIED, _PAYS = 28, 6
"""Visits beyond the budget by which it is tried whether fewer will wait, and for each that does."""
_AT_ONCE = 50
"""URLs of a kind that are let go at once, or half as many as were visited before."""
_FIGURES = 110
"""Visits at a host that brought figures at best, after which they are deferred if any leads on."""
_SAMPLED, _OFTEN = 16, 2
"""Of what has proved good one visit in so many is judged, and where it leads on: it may have few
words, which seem new as long as hardly anybody listens."""
_FAMILIES = 64
"""Folders told apart at a host. A site that makes up folders makes up any number of them."""


class TrapPolicy(Struct, frozen=True):
    budget: Count = 200
    """Requests that a job spends at a host on URLs that are deferred, at least."""
    share: Share = 0.1
    """And for each visit there that brought something."""
    patience: AtLeastOne = 14
    """Visits of one kind of URL in a row that brought nothing new before the rest is deferred."""
    endless: AtLeastOne = 45
    """Visits of one kind that name ever more of it, and never twice the same, before it is."""


class _Sums(Struct):
    """What was counted of all shapes of a folder, lately."""

    judged: int = 0
    worded: int = 0
    idle: int = 0
    looked: int = 0
    grew: int = 0
    met: int = 0

    def add(self, other: ShapeCounts | _Sums, times: int = 1) -> None:
        """With -1 for `times` it is taken away."""
        self.judged += times * other.judged
        self.worded += times * other.worded
        self.idle += times * other.idle
        self.looked += times * other.looked
        self.grew += times * other.grew
        self.met += times * other.met

    def names_more(self) -> bool:
        return self.grew >= _GROWS * self.looked

    def meets(self, by_chance: int = 0) -> bool:
        return self.met > by_chance and self.met >= _MEETS * self.looked

    def grows(self) -> bool:
        return self.names_more() and not self.meets()


class _Choices(Struct, frozen=True):
    """Parameters of a query that were chosen in vain, one way or the other."""

    names: frozenset[str]
    why: str


class Rate(NamedTuple):
    """Of how many visits one is asked what it names, and what it says."""

    names: int
    says: int


class TrapStanding(Struct):
    """How the shapes of one host stand in a job, by what was counted of each.

    A site may make up folders, too. So those with few visits are also judged together.
    """

    policy: TrapPolicy
    counts: dict[str, ShapeCounts] = field(default_factory=dict)
    families: dict[str, set[str]] = field(default_factory=dict)
    sums: dict[str, _Sums] = field(default_factory=dict)
    """By family."""
    barren: dict[str, str] = field(default_factory=dict)
    """Shapes that bring hardly anything, and the figures."""
    choices: dict[str, _Choices] = field(default_factory=dict)
    """Paths of which hardly any combination of choices brings anything: others are not tried."""
    endless: dict[str, str] = field(default_factory=dict)
    """Folders without end, and the figures."""
    small: str = ""
    """The same of all folders with few visits together; empty when they have one."""
    few: _Sums = field(default_factory=_Sums)
    """Of all folders with few visits together."""
    more: _Sums = field(default_factory=_Sums)
    """Of those of them that name more of their own."""
    is_made_up: bool = False
    """Whether there are many such folders, of which many visits were in vain."""
    growing: set[str] = field(default_factory=set)
    """Folders of which half of the pages name more."""
    figures: dict[str, int] = field(default_factory=dict)
    """Shapes that bring figures at best: how many visits that was."""
    rates: dict[tuple[str, bool], Rate] = field(default_factory=dict)
    """Of how many visits of a shape one is asked, as far as that was reckoned."""
    good: int = 0
    late: int = 0
    """Visits that brought something, and those of what was deferred, in all."""

    def name(self, shape: str) -> str:
        """What a shape is counted as: the first folder counts as long as there are few of them."""
        if len(self.families) < _FAMILIES or family_of(shape) in self.families:
            return shape
        return loosened(shape)

    def family(self, shape: str) -> str:
        """The folder that a shape is counted in."""
        return family_of(self.name(shape))

    def defers(self) -> bool:
        """Whether any kind may have to wait."""
        return bool(self.barren or self.endless or self.small or self.figures)

    def why_deferred(self, shape: str) -> str:
        """Why URLs of this shape wait until all else was visited; empty when they don't."""
        if not self.defers():
            return ""
        name = self.name(shape)
        return self._why_barren(name) or self._why_figures(name) or self.why_endless(shape)

    def _why_figures(self, name: str) -> str:
        if name not in self.figures:
            return ""
        visits = sum(self.figures.values())
        if visits < max(_FIGURES, self.policy.endless):
            return ""
        if not any(map(self.leads_on, self.figures)):
            return ""
        return f"{name}: {visits:,} visits led on and brought nothing new but figures"

    def _why_barren(self, name: str) -> str:
        if why := self.barren.get(name, ""):
            return why
        choices = None if name in self.counts else self.choices.get(_path(name))
        return choices.why if choices and _names(name) <= choices.names else ""

    def why_endless(self, shape: str) -> str:
        """Why what its pages lead to has no end; empty when it has one, as far as is known."""
        if not self.endless and not self.small:
            return ""
        family = self.family(shape)
        if why := self.endless.get(family, ""):
            return why
        if not self.small:
            return ""
        sums = self.sums.get(family)
        if sums is None or (self._is_small(sums) and sums.names_more()):
            return self.small
        return ""

    def is_of_the_maze(self, shape: str) -> bool:
        """Whether pages of this shape are what has no end, and not a few others of its folder."""
        if not self.why_endless(shape):
            return False
        counts = self.counts.get(self.name(shape), _NOTHING)
        is_few = counts.looked < self.policy.patience
        return not is_few or self._is_small(self.sums.get(self.family(shape), _Sums()))

    def may_still_visit(self, under_way: int = 0) -> int:
        """How many requests are left for what is deferred, while so many others are `under_way`."""
        return max(0, self.budget() - self.late - under_way)

    def budget(self) -> int:
        return max(self.policy.budget, int(self.policy.share * self.good))

    def bought(self, most: int, waiting: int, spent: int, *, closes: bool) -> int:
        """How many visits beyond the budget are paid for, of which so many are `spent`. By how many
        fewer wait than did at most, up to half a budget, if what waits can be paid by that or has
        ends. Where no ends were seen some come first: a net may be as wide as ever when the budget
        is spent. Of what has ends all that is left, once a quarter is gone: what has none grows."""
        half = self.budget() // 2
        if closes and 4 * waiting <= 3 * most:
            return max(_AT_ONCE, spent // 2) if half else 0
        if not closes and waiting > half:
            return 0
        paid = _PAYS * (most - waiting) + (0 if closes else _TRIED)
        return min(self.policy.patience, max(0, min(half, paid) - spent))

    def may_visit(self, shape: str, under_way: int = 0) -> bool:
        """Whether a deferred URL is visited now, while all else is done. The budget is for what
        leads on, or may, as far as is known: what does not waits until nothing leads to it any more
        (`is_open`)."""
        if not self.leads_on(shape) or self.copies(shape):
            return False
        return bool(self.may_still_visit(under_way))

    def may_buy(self, shape: str) -> bool:
        """Whether visits beyond the budget are for its like: for what leads on and is no copy, but
        not for what a query chooses. Combinations have ends as well."""
        return "?" not in shape and self.leads_on(shape) and not self.copies(shape)

    def closes(self, shape: str) -> bool:
        """Whether there are ends below it: of a tree or a net as many as there are branches, of
        what goes on by one, or by more, for ever none."""
        counts = self.counts.get(self.name(shape), _NOTHING)
        if counts.looked < self.policy.patience:
            return False
        return counts.added - counts.grew < _CLOSES * counts.looked

    def leads_on(self, shape: str) -> bool:
        """Whether its visits name as many new URLs as they take; so does what is unknown."""
        counts = self.counts.get(self.name(shape), _NOTHING)
        return counts.looked < _SOME or counts.added >= _RUNS_OUT * counts.looked

    def copies(self, shape: str) -> bool:
        """Whether its pages are other views of pages that are there."""
        counts = self.counts.get(self.name(shape), _NOTHING)
        return counts.judged >= _SOME and 2 * counts.copied >= counts.judged

    def at_once(self, shape: str) -> int:
        """How many of a kind are let go at once, when nothing adds to it any more: by then it may
        turn out to be something else."""
        return max(_AT_ONCE, self.counts.get(self.name(shape), _NOTHING).visits // 2)

    def is_open(self, shape: str, waiting: Collection[str]) -> bool:
        """Whether there may be more of what this shape leads to: it leads on, and something in its
        folder is `waiting` that does, or it was only cut by the depth of the job."""
        if not self.leads_on(shape):
            return False
        counts = self.counts.get(self.name(shape), _NOTHING)
        return counts.cut > 0 or self.family(shape) in waiting

    def is_poor(self, shape: str) -> bool:
        """Whether hardly one of its visits brought anything, as far as that is known."""
        counts = self.counts.get(self.name(shape))
        return counts is not None and counts.idle >= _SOME

    def is_proved(self, shape: str) -> bool:
        """Whether nearly all of its visits brought more than figures, and enough of them were
        judged, or of those of its folder, or of all folders with few visits."""
        counts: ShapeCounts | _Sums = self.counts.get(shape, _NOTHING)
        for more in (self.sums.get(family_of(shape), _NOTHING), self.few):
            if counts.judged < self.policy.patience and counts.judged == counts.worded:
                counts = more
        return (
            counts.judged >= self.policy.patience
            and _NEARLY * (counts.judged - counts.worded) <= counts.judged
        )

    def rate(self, shape: str, *, grows: bool) -> Rate:
        """Of how many visits one is asked, of those that name more of their kind or of the others:
        reckoned once after each commit. What leads on may be without end: until pages of its folder
        were seen to name the same ones each that names more is asked, and of the others, which are
        its ends, one in two."""
        known = self.rates.get((shape, grows))
        if known is None:
            name = self.name(shape)
            every = _SAMPLED if self.is_proved(name) else 1
            often = min(every, _OFTEN) if self.leads_on(name) else every
            meets = self.is_known_to_meet(name)
            others = every if meets else often
            known = Rate(often if meets else 1, often) if grows else Rate(others, others)
            self.rates[shape, grows] = known
        return known

    def is_worded(self, shape: str) -> bool:
        """Whether half of its visits brought more than figures, as far as that is known."""
        counts = self.counts.get(self.name(shape), _NOTHING)
        return 0 < counts.judged <= 2 * counts.worded

    def is_thin(self, shape: str) -> bool:
        """Whether hardly one of its visits brought more than figures."""
        counts = self.counts.get(self.name(shape), _NOTHING)
        return counts.judged >= self.policy.patience and _NEARLY * counts.worded <= counts.judged

    def is_akin(self, shape: str, other: str) -> bool:
        """Whether they are judged together when it is asked what leads to more of the same: those
        of a folder are, those of small folders, and those of folders that grow, if they are within
        one or made alike. What each article has, to share it or to log in, is no more articles."""
        one, two = self.family(shape), self.family(other)
        if one == two:
            return True
        pair = (self.sums.get(one, _Sums()), self.sums.get(two, _Sums()))
        if _has_query(one) is not _has_query(two):
            return False
        if all(map(self._is_small, pair)):
            return True
        is_alike = self.name(shape)[len(one) :] == self.name(other)[len(two) :]
        is_within_one = one.split("/")[1] == two.split("/")[1]
        return (is_alike or is_within_one) and all(
            self._is_small(sums) or sums.grows() for sums in pair
        )

    def may_grow(self, shape: str) -> bool:
        """Whether half of the pages of its folder, lately, have named more of it."""
        return self.family(shape) in self.growing

    def is_known_to_meet(self, shape: str) -> bool:
        """Whether pages of its folder were seen to name the same ones."""
        sums = self.sums.get(family_of(shape))
        return (
            sums is not None
            and sums.looked >= self.policy.patience
            and sums.met > _SURELY * sums.looked
        )

    def hear(self, counts: Mapping[str, ShapeCounts]) -> None:
        """What the ledger has counted by now of these shapes."""
        self.rates.clear()
        changed = {family_of(shape) for shape in counts}
        for family in changed:
            self._count_small(family, -1)
        for shape, counted in counts.items():
            self._put(shape, counted)
        for family in changed:
            self._count_small(family)
            sums = self.sums[family]
            if 2 * sums.grew >= sums.looked > 0:
                self.growing.add(family)
            else:
                self.growing.discard(family)
        is_made_up = len(self.families) >= _MANY and self.few.idle >= 4 * self.policy.patience
        judged = self.families if is_made_up is not self.is_made_up else changed
        self.is_made_up = is_made_up
        for family in judged:
            self._judge(family)
        # One of them may meet another by chance.
        meets = self.more.meets(by_chance=1)
        is_endless = self.more.looked >= self.policy.endless and not meets
        self.small = _growth("folders with few visits", self.more) if is_endless else ""

    def _put(self, shape: str, counted: ShapeCounts) -> None:
        before, family = self.counts.get(shape, _NOTHING), family_of(shape)
        self.counts[shape] = counted
        self.good += counted.good - before.good
        self.late += counted.late - before.late
        self.families.setdefault(family, set()).add(shape)
        sums = self.sums.setdefault(family, _Sums())
        sums.add(before, -1)
        sums.add(counted)
        if self.is_thin(shape):
            self.figures[shape] = counted.wordless
        else:
            self.figures.pop(shape, None)

    def _count_small(self, family: str, times: int = 1) -> None:
        sums = self.sums.get(family)
        if sums is not None and self._is_small(sums):
            self.few.add(sums, times)
            if sums.names_more():
                self.more.add(sums, times)

    def _judge(self, family: str) -> None:
        sums, patience = self.sums[family], self.policy.patience
        # Choices multiply: of a dozen combinations of filters each has a shape of its own.
        idle: Counter[str] = Counter()
        for shape in self.families[family]:
            idle[_path(shape)] += self.counts[shape].idle
        for shape in self.families[family]:
            goes_together = self.is_made_up or idle[_path(shape)] >= 2 * patience
            tries = min(_FEW, patience) if goes_together else patience
            if self.counts[shape].idle >= tries:
                self.barren[shape] = _waste(shape, self.counts[shape])
            else:
                self.barren.pop(shape, None)
        for path, in_vain in idle.items():
            if path[-1:] == "?" and in_vain >= 4 * patience:
                told = f"{path}: lately {in_vain:,} visits brought nothing new"
                poor = [s for s in self.families[family] if s in self.barren and _path(s) == path]
                self.choices[path] = _Choices(frozenset().union(*map(_names, poor)), told)
            else:
                self.choices.pop(path, None)
        if sums.looked >= self.policy.endless and sums.grows():
            self.endless[family] = _growth(family, sums)
        else:
            self.endless.pop(family, None)

    def _is_small(self, sums: _Sums) -> bool:
        return sums.looked < self.policy.endless


_NOTHING = ShapeCounts()


def _has_query(family: str) -> bool:
    return family[-1:] == "?"


def _path(shape: str) -> str:
    """What a shape is a choice of: with a query its path, else anything in its folder."""
    path, mark, _ = shape.partition("?")
    return path + mark if mark else family_of(shape)


def _names(shape: str) -> frozenset[str]:
    """What is chosen by a query; more than four are not told apart."""
    return frozenset(shape.partition("?")[2].split(",")) - {"*"}


def _waste(shape: str, counts: ShapeCounts) -> str:
    return f"{shape}: lately {counts.idle:,} visits brought nothing new"


def _growth(kind: str, sums: _Sums) -> str:
    return (
        f"{kind}: of the last {sums.looked:,} visits {sums.grew:,} named more like it, and"
        f" {sums.met:,} any that another had named"
    )
