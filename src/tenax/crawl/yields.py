"""Which URLs of a host bring nothing new, however many are visited? (URL-6)

A trap is not known by a URL but by what its like have brought. Visits are counted by the shape of
their URL; one is fruitless when its page had nothing to say that was not there before and named
nothing but more of its own kind. A shape of which nearly all visits were fruitless gets a small
share of its host's visits from then on. Whatever brings text, or leads to what does, is never
counted as fruitless, however much of it there is: see decision 0014.
"""

from __future__ import annotations

from array import array
from collections import Counter, OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

from tenax.model import Page, Role, Target
from tenax.ports import ShapeCounts
from tenax.urls.shapes import family_of

REST = "*"
"""The shape of all URLs of a host beyond its first so many shapes."""
_SHAPES = 500
_HOSTS = 4_096
_SLOTS = 1 << 17
_CONSIDERED = 64
"""New URLs of a page that are looked at; more of them say no more about it."""
_FEW = 5
"""Visits after which there is something to be said about a shape, though nothing to conclude."""


_NEARLY_ALL = 0.8
_CHANCE = 2
"""Wordings that may be new on a page that says nothing new: a heading tells what was asked for."""


@dataclass(frozen=True, slots=True)
class YieldPolicy:
    enough: int = 20
    """Visits of one shape before anything is concluded from them."""
    fruitless: float = 0.8
    """The share of fruitless visits from which on a shape is held to be a trap."""
    share: float = 0.05
    """The share of a host's visits that may be fruitless before its traps get none."""
    new_text: float = 0.03
    """A page of whose wordings no more than this share is new says nothing new."""
    endless: int = 100
    """Visits before a shape that leads to itself alone, and never twice to the same, is endless."""
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


@dataclass(frozen=True, slots=True)
class Record:
    """What visits of one shape, or of one family of shapes, have brought."""

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
        is_poor = self.judged >= _FEW and self.repeating >= _NEARLY_ALL * self.judged
        return is_poor or self.repeating_in_a_row >= _FEW

    def is_fruitless(self, policy: YieldPolicy) -> bool:
        """Nearly all visits were, and the latest."""
        return (
            self.visits >= policy.enough
            and self.fruitless >= policy.fruitless * self.visits
            and self.is_exhausted(policy)
        )

    def is_exhausted(self, policy: YieldPolicy) -> bool:
        """The latest visits were fruitless: it was tried, and not for nothing."""
        if not self.judged:
            return self.visits >= _FEW and self.fruitless >= policy.fruitless * self.visits
        return self.in_a_row >= _FEW

    def is_growing(self, policy: YieldPolicy) -> bool:
        """Its visits name more of the same than they take, and never twice the same."""
        return (
            self.judged >= _FEW
            and self.named >= 2 * self.judged
            and self.known <= policy.known * (self.looked + self.known)
        )

    def is_endless(self, policy: YieldPolicy) -> bool:
        """As a maze of made-up pages is. In a site that has an end links meet, and something else
        leads into it: a list, a sitemap."""
        return (
            self.judged >= policy.endless
            and self.looked >= policy.endless
            and self.is_growing(policy)
            and self.fed <= policy.fed * self.judged
        )

    def after(self, brought: Brought, *, repeating: bool, named: int) -> Record:
        """One visit later."""
        is_fruitless = brought is Brought.NOTHING
        in_a_row = self.in_a_row + is_fruitless
        return replace(
            self,
            visits=self.visits + (brought is not Brought.NO_HARM),
            fruitless=self.fruitless + is_fruitless,
            in_a_row=0 if brought is Brought.SOMETHING else in_a_row,
            judged=self.judged + 1,
            repeating=self.repeating + repeating,
            repeating_in_a_row=self.repeating_in_a_row + 1 if repeating else 0,
            named=self.named + named,
        )

    def with_others(self, visits: int, fruitless: int) -> Record:
        """With visits that others have made."""
        return replace(self, visits=self.visits + visits, fruitless=self.fruitless + fruitless)


_NOTHING = Record()


@dataclass(slots=True)
class _AtHost:
    """What this process knows of one host."""

    visits: int = 0
    fruitless: int = 0
    shapes: dict[str, Record] = field(default_factory=dict)
    families: dict[str, Record] = field(default_factory=dict)
    """And, of those with a query, each of their parameters."""
    leads: dict[str, set[str]] = field(default_factory=dict)
    """Which families the pages of a family that said nothing named new URLs of."""
    probes: Counter[str] = field(default_factory=Counter)
    looked_at: float | None = None

    def shape(self, shape: str) -> Record:
        return self.shapes.get(shape, _NOTHING)

    def family(self, family: str) -> Record:
        return self.families.get(family, _NOTHING)

    def name(self, shape: str) -> str:
        """What a shape is counted by: a host has so many of its own, and the rest together."""
        return shape if shape in self.shapes or len(self.shapes) < _SHAPES else REST

    def is_repetitive(self, shape: str, family: str) -> bool | None:
        """Whether its pages say nothing new; None when that is not known. A combination that was
        not met yet is as good as its parameters."""
        record = self.shape(shape)
        if record.judged >= _FEW:
            return record.is_repetitive()
        parts = _parameters(shape, family)
        is_known = parts and all(self.family(part).is_repetitive() for part in parts)
        return True if is_known else None

    def is_led(self, family: str, to: str) -> bool:
        """Whether pages that say nothing lead from one family to the other."""
        ahead, seen = [family], {family}
        while ahead:
            further = self.leads.get(ahead.pop(), set())
            if to in further:
                return True
            ahead += further - seen
            seen |= further
        return False


class Yields:
    """One job's visits by shape, as this process remembers them."""

    def __init__(self, policy: YieldPolicy) -> None:
        self.policy = policy
        self._hosts: OrderedDict[str, _AtHost] = OrderedDict()
        self._seen = _Seen(policy)

    def refusal(self, host: str, shape: str) -> str:
        """Why no more URLs of this shape are visited; empty when they may be."""
        at = self._hosts.get(host)
        policy = self.policy
        if at is None or at.visits < policy.enough:
            return ""
        shape = at.name(shape)
        record = at.shape(shape)
        if record.is_endless(policy):
            return _told_growth(shape, record) if record.visits >= policy.share * at.visits else ""
        if at.fruitless < policy.share * at.visits:
            return ""
        if record.is_fruitless(policy):
            return _told(shape, record)
        family = family_of(shape)
        kin = at.family(family)
        # What parameters combine to may have been new at first, and end all the same.
        is_used_up = "?" in shape and kin.in_a_row >= 2 * policy.enough
        if not (is_used_up or kin.is_fruitless(policy)):
            return ""
        # Its family has proved barren. But a kind never tried may be the one that leads on.
        parts = [at.family(part) for part in _parameters(shape, family)]
        if record.visits < _FEW:
            is_tried = bool(parts) and all(part.is_exhausted(policy) for part in parts)
        else:
            is_tried = record.is_exhausted(policy)
        return _told(family, kin) if is_tried else ""

    def is_doubtful(self, host: str, shape: str) -> bool:
        """Whether its like should wait until all else was visited."""
        at = self._hosts.get(host)
        record = at.shapes.get(shape) if at else None
        return record is not None and (
            record.is_exhausted(self.policy) or record.is_growing(self.policy)
        )

    def is_probe(self, host: str, shape: str, named_by: str) -> bool:
        """Whether this is one of the first of a shape that pages of another shape name, which say
        nothing themselves: what it is good for decides about both, and has to be known soon."""
        at = self._hosts.get(host)
        if at is None or shape == named_by or not at.shape(named_by).is_repetitive():
            return False
        if at.shape(shape).judged >= _FEW or at.probes[shape] >= _FEW:
            return False
        at.probes[shape] += 1
        return True

    def judge(
        self, host: str, shape: str, page: Page, found: Iterable[Target], refused: int = 0
    ) -> tuple[str, bool]:
        """Count a visit that read a page, found these new URLs and had so many refused as traps:
        for which shape it counts, if for any, and whether it was fruitless."""
        at = self._at(host)
        shape = at.name(shape)
        is_same = self._seen.page(page)
        says_nothing = self._seen.wordings(host, page) or is_same
        named = _Named(shape, family_of(shape), kin=refused)
        for target in [*found][:_CONSIDERED]:
            self._weigh(at, host, named, target, says_nothing)
        if not says_nothing or named.worth:
            brought = Brought.SOMETHING
        elif is_same or _is_variant(page):
            brought = Brought.NOTHING
        elif named.unknown:
            brought = Brought.NO_HARM
        elif named.own or named.kin:
            brought = Brought.NOTHING
        else:
            brought = Brought.NO_HARM
        self._count(at, shape, brought, repeating=says_nothing, named=named.own)
        return "" if brought is Brought.NO_HARM else shape, brought is Brought.NOTHING

    def judge_fake(self, host: str, shape: str) -> tuple[str, bool]:
        """Count a visit that found an error dressed as success."""
        at = self._at(host)
        shape = at.name(shape)
        self._count(at, shape, Brought.NOTHING, repeating=True)
        return shape, True

    def judge_closed(self, host: str, shape: str) -> None:
        """A URL of this shape could not be had: robots.txt closes it, or it is gone."""
        at = self._at(host)
        shape = at.name(shape)
        record = at.shape(shape)
        at.shapes[shape] = replace(
            record,
            in_a_row=record.in_a_row + 1,
            judged=record.judged + 1,
            repeating=record.repeating + 1,
            repeating_in_a_row=record.repeating_in_a_row + 1,
        )

    def suspects(self, host: str, shape: str) -> bool:
        """Whether it would help to know how many links of its pages lead to known ones."""
        at = self._hosts.get(host)
        return at is not None and at.shape(shape).is_growing(self.policy)

    def meet(self, host: str, shape: str, new: int, known: int) -> None:
        """A page of this shape named so many new and known pages of its own shape."""
        at = self._at(host)
        record = at.shape(shape)
        at.shapes[shape] = replace(record, looked=record.looked + new, known=record.known + known)

    def vouch(self, host: str, shape: str, count: int = 1) -> None:
        """A page of another kind, or a sitemap, names so many new URLs of this shape."""
        at = self._at(host)
        shape = at.name(shape)
        record = at.shape(shape)
        at.shapes[shape] = replace(record, fed=record.fed + count)

    def is_due(self, host: str, now: float) -> bool:
        """Whether the ledger is to be asked what others have counted; from now on it was."""
        at = self._at(host)
        if at.looked_at is not None and now < at.looked_at + self.policy.look:
            return False
        at.looked_at = now
        return True

    def learn(self, host: str, counts: Mapping[str, ShapeCounts]) -> None:
        """What the ledger has, wherever that is more than we know."""
        at = self._at(host)
        for shape, counted in counts.items():
            record = at.shape(shape)
            at.shapes[shape] = replace(record, fed=max(record.fed, counted.fed))
            visits = counted.visits - record.visits
            if visits <= 0:
                continue
            fruitless = min(max(0, counted.fruitless - record.fruitless), visits)
            at.visits += visits
            at.fruitless += fruitless
            at.shapes[shape] = at.shapes[shape].with_others(visits, fruitless)
            for family in _families(shape):
                at.families[family] = at.family(family).with_others(visits, fruitless)

    def _weigh(
        self, at: _AtHost, host: str, named: _Named, target: Target, says_nothing: bool
    ) -> None:
        """Whether a new URL is more of the page's own kind, or may be worth more."""
        if target.role is not Role.PAGE:
            return
        if target.host != host:
            named.worth = True
            return
        shape = at.name(target.shape)
        if shape == named.shape:
            named.own += 1
            return
        family = family_of(shape)
        if family != named.family:
            self.vouch(host, shape)
            if says_nothing:
                at.leads.setdefault(named.family, set()).add(family)
        # Pages that say nothing and lead back here are no news; anything else is, or may be.
        is_kin = family == named.family or at.is_led(family, named.family)
        repeats = at.is_repetitive(shape, family)
        if at.shape(shape).is_exhausted(self.policy) or (is_kin and repeats):
            named.kin += 1
        elif repeats is None:
            named.unknown = True
        else:
            named.worth = True

    def _count(
        self, at: _AtHost, shape: str, brought: Brought, *, repeating: bool, named: int = 0
    ) -> None:
        at.visits += 1
        at.fruitless += brought is Brought.NOTHING
        at.shapes[shape] = at.shape(shape).after(brought, repeating=repeating, named=named)
        for family in _families(shape):
            at.families[family] = at.family(family).after(brought, repeating=repeating, named=0)

    def _at(self, host: str) -> _AtHost:
        at = self._hosts.get(host)
        if at is None:
            at = self._hosts[host] = _AtHost()
            if len(self._hosts) > _HOSTS:
                self._hosts.popitem(last=False)
        return at


@dataclass(slots=True)
class _Named:
    """What a page named that was new."""

    shape: str
    family: str
    """The page's own."""
    own: int = 0
    kin: int = 0
    """Of other shapes that say nothing either, and lead back."""
    unknown: bool = False
    """Something of which nobody can say yet what it is good for."""
    worth: bool = False
    """Something else."""


class _Seen:
    """Texts and wordings that were there before. Bounded: what is forgotten is new again."""

    def __init__(self, policy: YieldPolicy) -> None:
        self._policy = policy
        self._pages = array("Q")
        self._wordings = array("I")

    def page(self, page: Page) -> bool:
        """Whether this text was there under this title; from now on it was."""
        if not page.content_hash:
            return False
        if not self._pages:
            self._pages = array("Q", bytes(8 * _SLOTS))
        title = hash(page.title) & (1 << 64) - 1
        mark = int.from_bytes(page.content_hash[:8], "little") ^ title
        was_there = self._pages[mark % _SLOTS] == mark
        self._pages[mark % _SLOTS] = mark
        return was_there

    def wordings(self, host: str, page: Page) -> bool:
        """Whether hardly a wording of the page is new at its host; from now on none is."""
        if not page.sketch:
            return False
        if not self._wordings:
            self._wordings = array("I", bytes(4 * _SLOTS))
        known, salt = self._wordings, hash(host) & 0xFFFFFFFF
        here = [wording ^ salt for wording in page.sketch]
        fresh = [wording for wording in here if known[wording % _SLOTS] != wording]
        for wording in fresh:
            known[wording % _SLOTS] = wording
        return len(fresh) <= max(_CHANCE, self._policy.new_text * len(page.sketch))


def _is_variant(page: Page) -> bool:
    """Whether it says itself that another URL is the one to know it by."""
    return bool(page.canonical) and page.canonical != page.url


def _families(shape: str) -> list[str]:
    """What a visit counts for besides its shape."""
    family = family_of(shape)
    return [family, *_parameters(shape, family)]


def _parameters(shape: str, family: str) -> list[str]:
    names = shape.partition("?")[2]
    return [f"{family}{name}=" for name in names.split(",") if name != "*"] if names else []


def _told(shape: str, record: Record) -> str:
    return f"{shape}: {record.fruitless:,} of {record.visits:,} visits brought nothing new"


def _told_growth(shape: str, record: Record) -> str:
    return (
        f"{shape}: without end, {record.judged:,} visits named {record.named:,} more of the kind"
        " and hardly one of them twice"
    )
