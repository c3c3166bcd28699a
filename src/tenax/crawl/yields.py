"""Which URLs of a host bring nothing new, however many are visited? (URL-6)

A trap is not known by a URL but by what its like have brought. Visits are counted by the shape of
their URL; one is fruitless when its page had nothing to say that was not there before and named
nothing but more of its own kind. A shape of which nearly all visits were fruitless gets a small
share of its host's visits from then on. Whatever brings text, or leads to what does, is never
counted as fruitless, however much of it there is: see decision 0014.
"""

from __future__ import annotations

from array import array
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from tenax.model import Page, Role, Target
from tenax.ports import ShapeCounts
from tenax.urls.shapes import any_query, family_of

REST = "*"
"""The shape of all URLs of a host beyond the first so many shapes."""
_SHAPES = 500
_HOSTS = 4_096
_SLOTS = 1 << 17
_CONSIDERED = 64
"""New URLs of a page that are looked at; more of them say no more about it."""
_FEW = 5
"""Visits after which a shape's pages can be called alike."""


@dataclass(frozen=True, slots=True)
class YieldPolicy:
    enough: int = 20
    """Visits of one shape before anything is concluded from them."""
    fruitless: float = 0.8
    """The share of fruitless visits from which on a shape is held to be a trap."""
    share: float = 0.05
    """The share of its host's visits such a shape may still take."""
    new_text: float = 0.2
    """A page of whose wordings fewer than this share are new says nothing new."""
    endless: int = 60
    """Visits before a shape that only leads to itself, and never twice to the same, is endless."""
    known: float = 0.02
    """The share of links to known pages of its own shape that shows that it is not."""
    fed: float = 0.2
    """So many of its URLs for each visit, named by pages of other kinds, show the same."""
    look: float = 60.0
    """Seconds after which the ledger is asked what other processes have counted."""


@dataclass(frozen=True, slots=True)
class Record:
    """What visits of one shape at one host have brought."""

    visits: int = 0
    fruitless: int = 0
    repeating: int = 0
    """Visits of this process whose page said nothing new."""
    judged: int = 0
    """Visits of this process."""
    named: int = 0
    """New URLs of the shape that its own pages named."""
    known: int = 0
    """Known URLs of the shape that its own pages named, on the pages that were looked at."""
    fed: int = 0
    """New URLs of the shape that pages of other kinds named."""

    @property
    def is_repetitive(self) -> bool:
        return self.judged >= _FEW and self.repeating >= 0.8 * self.judged

    def is_barren(self, policy: YieldPolicy) -> bool:
        return self.visits >= policy.enough and self.fruitless >= policy.fruitless * self.visits

    def is_growing(self, policy: YieldPolicy) -> bool:
        """Every visit names more of the same, and hardly anybody else does."""
        return self.named >= 2 * self.judged and self.fed <= policy.fed * self.judged

    def is_endless(self, policy: YieldPolicy) -> bool:
        """As a maze of made-up pages is: in a site that ends, links meet."""
        return (
            self.judged >= policy.endless
            and self.is_growing(policy)
            and self.known <= policy.known * self.named
        )


@dataclass(slots=True)
class _AtHost:
    """What this process knows of one host; what others have counted is added when it looks."""

    visits: int = 0
    shapes: dict[str, Record] = field(default_factory=dict)
    families: dict[str, Record] = field(default_factory=dict)
    leads: dict[str, set[str]] = field(default_factory=dict)
    """Which families the repetitive pages of a family named new URLs of."""
    parameters: dict[str, Record] = field(default_factory=dict)
    """By shape without its query, and by each parameter of it."""
    looked_at: float | None = None


class Yields:
    """One job's visits by shape, as this process remembers them."""

    def __init__(self, policy: YieldPolicy) -> None:
        self.policy = policy
        self._hosts: OrderedDict[str, _AtHost] = OrderedDict()
        self._wordings = array("I")
        self._texts = array("Q")

    def refusal(self, host: str, shape: str) -> str:
        """Why no more URLs of this shape are visited; empty when they may be."""
        at = self._hosts.get(host)
        if at is None or at.visits < self.policy.enough:
            return ""
        shape = self._named(at, shape)
        policy, record = self.policy, at.shapes.get(shape, _NOTHING)
        budget = policy.share * at.visits
        if record.is_barren(policy):
            return _told(shape, record) if record.visits >= budget else ""
        if record.is_endless(policy):
            return f"{shape}: endless, {_growth(record)}" if record.visits >= budget else ""
        if "?" not in shape or record.judged >= policy.enough:
            return ""
        together = at.parameters.get(any_query(shape), _NOTHING)
        if not together.is_barren(policy) or together.visits < budget:
            return ""
        # A parameter never met may be the one that leads on.
        parts = [at.parameters.get(part, _NOTHING) for part in _parameters(shape)]
        fruitless = all(
            part.visits >= _FEW and part.fruitless >= policy.fruitless * part.visits
            for part in parts
        )
        return _told(any_query(shape), together) if fruitless else ""

    def judge(self, host: str, shape: str, page: Page, found: Iterable[Target]) -> tuple[str, bool]:
        """Count a visit that read a page and found these new URLs: for which shape, and whether it
        was fruitless."""
        at = self._at(host)
        shape = self._named(at, shape)
        is_same = self._is_same(page)
        says_nothing = is_same or not self._is_new(page.sketch)
        family = family_of(shape)
        own, worth = self._weigh(at, shape, family, host, found, says_nothing)
        is_variant = says_nothing and bool(page.canonical) and page.canonical != page.url
        fruitless = says_nothing and not worth and (is_same or is_variant or own.more)
        self._count(at, shape, family, says_nothing, fruitless, own.named)
        return shape, fruitless

    def judge_fake(self, host: str, shape: str) -> tuple[str, bool]:
        """Count a visit that found an error dressed as success."""
        at = self._at(host)
        shape = self._named(at, shape)
        self._count(at, shape, family_of(shape), True, True, 0)
        return shape, True

    def suspects(self, host: str, shape: str) -> bool:
        """Whether it would help to know how many links of its pages lead to known ones."""
        at = self._hosts.get(host)
        record = at.shapes.get(shape, _NOTHING) if at else _NOTHING
        return (
            record.judged >= _FEW
            and record.is_growing(self.policy)
            and record.known <= self.policy.known * record.named
        )

    def meet(self, host: str, shape: str, known: int) -> None:
        """A page of this shape named so many pages of its shape that were known already."""
        at = self._at(host)
        record = at.shapes.get(shape, _NOTHING)
        at.shapes[shape] = replace(record, known=record.known + known)

    def vouch(self, host: str, shape: str, count: int = 1) -> None:
        """A page of another kind, or a sitemap, names new URLs of this shape."""
        at = self._at(host)
        shape = self._named(at, shape)
        record = at.shapes.get(shape, _NOTHING)
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
            record = at.shapes.get(shape, _NOTHING)
            if counted.fed > record.fed:
                at.shapes[shape] = record = replace(record, fed=counted.fed)
            if counted.visits <= record.visits:
                continue
            more = ShapeCounts(
                counted.visits - record.visits, max(0, counted.fruitless - record.fruitless)
            )
            at.visits += more.visits
            at.shapes[shape] = _with(record, more)
            for part in _parts(shape):
                at.parameters[part] = _with(at.parameters.get(part, _NOTHING), more)

    def _weigh(
        self,
        at: _AtHost,
        shape: str,
        family: str,
        host: str,
        found: Iterable[Target],
        says_nothing: bool,
    ) -> tuple[_Own, bool]:
        """What of the new URLs is more of the page's own kind, and whether any is worth more."""
        own, worth = _Own(), False
        for target in [*found][:_CONSIDERED]:
            if target.role is not Role.PAGE:
                continue
            if target.host != host:
                worth = True
                continue
            other = self._named(at, target.shape)
            kin = family_of(other)
            own.more = True
            if other == shape:
                own.named += 1
                continue
            if kin != family:
                self.vouch(host, other)
                if says_nothing:
                    at.leads.setdefault(family, set()).add(kin)
            record = at.shapes.get(other, _NOTHING)
            if record.judged < _FEW:
                record = at.families.get(kin, _NOTHING)
            # Pages that say nothing and lead back here are no news; anything else may be.
            if not (record.is_repetitive and (kin == family or _leads(at, kin, family))):
                worth = True
        return own, worth

    def _count(
        self, at: _AtHost, shape: str, family: str, repeating: bool, fruitless: bool, named: int
    ) -> None:
        at.visits += 1
        record = at.shapes.get(shape, _NOTHING)
        at.shapes[shape] = replace(
            record,
            visits=record.visits + 1,
            fruitless=record.fruitless + fruitless,
            judged=record.judged + 1,
            repeating=record.repeating + repeating,
            named=record.named + named,
        )
        kin = at.families.get(family, _NOTHING)
        at.families[family] = replace(
            kin, judged=kin.judged + 1, repeating=kin.repeating + repeating
        )
        for part in _parts(shape):
            known = at.parameters.get(part, _NOTHING)
            at.parameters[part] = _with(known, ShapeCounts(1, int(fruitless)))

    def _at(self, host: str) -> _AtHost:
        at = self._hosts.get(host)
        if at is None:
            at = self._hosts[host] = _AtHost()
            if len(self._hosts) > _HOSTS:
                self._hosts.popitem(last=False)
        return at

    def _named(self, at: _AtHost, shape: str) -> str:
        """The shape it is counted by: a host has so many, and the rest together."""
        return shape if shape in at.shapes or len(at.shapes) < _SHAPES else REST

    def _is_same(self, page: Page) -> bool:
        """Whether a page with this text and title was there; from now on it was."""
        if not page.content_hash:
            return False
        if not self._texts:
            self._texts = array("Q", bytes(8 * _SLOTS))
        title = hash(page.title).to_bytes(8, "little", signed=True)
        mark = int.from_bytes(page.content_hash[:8], "little") ^ int.from_bytes(title, "little")
        known = self._texts[mark % _SLOTS] == mark
        self._texts[mark % _SLOTS] = mark
        return known

    def _is_new(self, sketch: tuple[int, ...]) -> bool:
        """Whether enough of these wordings are new; from now on they are not."""
        if not sketch:
            return True
        if not self._wordings:
            self._wordings = array("I", bytes(4 * _SLOTS))
        wordings = self._wordings
        fresh = [wording for wording in sketch if wordings[wording % _SLOTS] != wording]
        for wording in fresh:
            wordings[wording % _SLOTS] = wording
        return len(fresh) >= self.policy.new_text * len(sketch)


_NOTHING = Record()


@dataclass(slots=True)
class _Own:
    named: int = 0
    """New URLs of the page's own shape."""
    more: bool = False
    """It named new URLs at all."""


def _with(record: Record, counted: ShapeCounts) -> Record:
    return replace(
        record,
        visits=record.visits + counted.visits,
        fruitless=record.fruitless + counted.fruitless,
    )


def _parts(shape: str) -> list[str]:
    """What a shape with a query is counted by besides itself."""
    return [any_query(shape), *_parameters(shape)] if "?" in shape else []


def _parameters(shape: str) -> list[str]:
    path, _, names = shape.partition("?")
    return [f"{path}?{name}=" for name in names.split(",")]


def _leads(at: _AtHost, family: str, to: str) -> bool:
    """Whether repetitive pages lead from one family to the other."""
    ahead, seen = [family], {family}
    while ahead:
        further = at.leads.get(ahead.pop(), set())
        if to in further:
            return True
        ahead += further - seen
        seen |= further
    return False


def _told(shape: str, record: Record) -> str:
    return f"{shape}: {record.fruitless:,} of {record.visits:,} visits brought nothing new"


def _growth(record: Record) -> str:
    return (
        f"{record.judged:,} visits named {record.named:,} more of the kind, hardly one of them"
        " twice"
    )
