"""Which URLs of a host bring nothing new, however many are visited? (URL-6)

A trap is not known by a URL but by what its like have brought. Visits are counted by the shape of
their URL; one is fruitless when its page had nothing to say that was not there before and named
nothing but more of its own kind. A shape of which nearly all visits were fruitless gets a small
share of its host's visits from then on. Whatever brings text, or leads to what does, is never
counted as fruitless, however much of it there is: see decision 0014.
"""

from __future__ import annotations

import re
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from tenax.crawl.harvest import FEW, Brought, Record, YieldPolicy
from tenax.crawl.novelty import Originals, Seen
from tenax.crawl.views import Views
from tenax.model import Page, Role, Target
from tenax.ports import ShapeCounts
from tenax.urls.normalise import path_of
from tenax.urls.shapes import family_of

REST = "*"
"""The shape of all URLs of a host beyond its first so many shapes."""
_SHAPES = 500
_HOSTS = 4_096
_CONSIDERED = 64
"""New URLs of a page that are looked at; more of them say no more about it."""
_NOTHING = Record()
_DAY = re.compile(r"/(?:19|20)\d\d[/-](?:0?[1-9]|1[0-2])[/-](?:0?[1-9]|[12]\d|3[01])(?:[/?]|$)")


class _AtHost(Struct):
    """What this process knows of one host."""

    visits: int = 0
    fruitless: int = 0
    barren: int = 0
    """Views that showed what was known."""
    shapes: defaultdict[str, Record] = field(default_factory=lambda: defaultdict(Record))
    families: defaultdict[str, Record] = field(default_factory=lambda: defaultdict(Record))
    """And, of those with a query, each of their parameters."""
    leads: dict[str, set[str]] = field(default_factory=dict)
    """Which families the pages of a family that said nothing named new URLs of."""
    probes: Counter[str] = field(default_factory=Counter)
    told: dict[str, str] = field(default_factory=dict)
    looked_at: float | None = None

    def shape(self, shape: str) -> Record:
        return self.shapes.get(shape, _NOTHING)

    def family(self, family: str) -> Record:
        return self.families.get(family, _NOTHING)

    def name(self, shape: str) -> str:
        """What a shape is counted by: a host has so many of its own, and the rest together."""
        return shape if shape in self.shapes or len(self.shapes) < _SHAPES else REST

    def tell(self, shape: str, why: str) -> str:
        """The figures as they were at first: one reason for all that are refused for it."""
        return self.told.setdefault(shape, f"{shape}: {why}")

    def is_repetitive(self, shape: str, family: str) -> bool | None:
        """Whether its pages say nothing new; None when that is not known. A combination that was
        not met yet is as good as its parameters."""
        record = self.shape(shape)
        if record.judged >= FEW:
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
        self._seen = Seen(policy.new_text)
        self._views = Views(policy)
        self._originals = Originals()

    def refusal(self, host: str, shape: str, url: str = "") -> str:
        """Why no more URLs of this shape are visited, or this one, by its path and query; empty
        when they may be."""
        at = self._hosts.get(host)
        policy = self.policy
        if at is None or at.visits < policy.enough:
            return ""
        if at.barren >= policy.share * at.visits and (why := self._views.refusal(host, url)):
            return why
        shape = at.name(shape)
        record = at.shape(shape)
        is_wary = at.fruitless >= policy.enough
        if record.is_endless(policy, policy.endless // 2 if is_wary else policy.endless):
            is_over = record.visits >= policy.share * at.visits
            return at.tell(shape, _growth(record)) if is_over else ""
        if at.fruitless < policy.share * at.visits:
            return ""
        enough = FEW if is_wary else policy.enough
        if record.is_fruitless(policy, enough):
            return at.tell(shape, _waste(record))
        family = family_of(shape)
        kin = at.family(family)
        # What parameters combine to may have been new at first, and end all the same.
        is_used_up = "?" in shape and kin.in_a_row >= 2 * enough
        if not (is_used_up or kin.is_fruitless(policy, enough)):
            return ""
        # Its family has proved barren. But a kind never tried may be the one that leads on.
        parts = [at.family(part) for part in _parameters(shape, family)]
        if record.visits >= FEW:
            is_tried = record.is_exhausted(policy)
        elif _DAY.search(url):
            # The days of an endless calendar: nothing is said there, and nothing asked for.
            is_tried = record.repeating_in_a_row >= FEW
        else:
            is_tried = bool(parts) and all(part.is_exhausted(policy) for part in parts)
        return at.tell(family, _waste(kin)) if is_tried else ""

    def is_doubtful(self, host: str, shape: str) -> bool:
        """Whether its like should wait until all else was visited."""
        at = self._hosts.get(host)
        record = at.shapes.get(shape) if at else None
        return record is not None and (
            record.is_exhausted(self.policy)
            or record.is_growing(self.policy)
            or record.repeating_in_a_row >= FEW
        )

    def is_probe(self, host: str, shape: str, named_by: str) -> bool:
        """Whether this is one of the first of a shape that pages of another shape name, which say
        nothing themselves: what it is good for decides about both, and has to be known soon."""
        at = self._hosts.get(host)
        if at is None or shape == named_by or not at.shape(named_by).is_repetitive():
            return False
        if at.shape(shape).judged >= FEW or at.probes[shape] >= FEW:
            return False
        at.probes[shape] += 1
        return True

    def judge(
        self, host: str, shape: str, page: Page, found: Sequence[Target], refused: int = 0
    ) -> tuple[str, bool]:
        """Count a visit that read a page, found these new URLs and had so many refused as traps:
        for which shape it counts, if for any, and whether it was fruitless."""
        at = self._at(host)
        shape = at.name(shape)
        is_same = self._seen.page(host, page)
        says_nothing = self._seen.wordings(host, page) or is_same
        named = _Named(shape, family_of(shape), kin=refused)
        for target in found[:_CONSIDERED]:
            self._weigh(at, host, named, target, says_nothing)
        path = path_of(page.url)
        at.barren += self._views.judge(host, path, found, says_nothing=says_nothing)
        if not says_nothing:
            self._originals.remember(host, path)
        elif self._originals.has(host, path):
            at.visits += 1
            return "", False
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
        at.shapes[at.name(shape)].count_closed()

    def suspects(self, host: str, shape: str) -> bool:
        """Whether it would help to know how many links of its pages lead to known ones."""
        at = self._hosts.get(host)
        return at is not None and at.shape(shape).is_growing(self.policy)

    def meet(self, host: str, shape: str, new: int, known: int) -> None:
        """A page of this shape named so many new and known pages of its own shape."""
        record = self._at(host).shapes[shape]
        record.looked += new
        record.known += known

    def vouch(self, host: str, shape: str, count: int = 1) -> None:
        """A page of another kind, or a sitemap, names so many new URLs of this shape."""
        at = self._at(host)
        at.shapes[at.name(shape)].fed += count

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
            record = at.shapes[shape]
            record.fed = max(record.fed, counted.fed)
            visits = counted.visits - record.visits
            if visits <= 0:
                continue
            fruitless = min(max(0, counted.fruitless - record.fruitless), visits)
            at.visits += visits
            at.fruitless += fruitless
            record.count_others(visits, fruitless)
            for family in _families(shape):
                at.families[family].count_others(visits, fruitless)

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
            at.shapes[shape].fed += 1
        if not says_nothing:
            named.worth = True  # whatever it is: the page is worth its visit already
            return
        if family != named.family:
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
        at.shapes[shape].count(brought, repeating=repeating, named=named)
        for family in _families(shape):
            at.families[family].count(brought, repeating=repeating)

    def _at(self, host: str) -> _AtHost:
        at = self._hosts.get(host)
        if at is None:
            at = self._hosts[host] = _AtHost()
            if len(self._hosts) > _HOSTS:
                self._hosts.popitem(last=False)
        return at


class _Named(Struct):
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


def _waste(record: Record) -> str:
    return f"{record.fruitless:,} of {record.visits:,} visits brought nothing new"


def _growth(record: Record) -> str:
    visits, named = f"{record.judged:,} visits", f"{record.named:,} more like it"
    return f"without end: {visits} named {named}, hardly one twice"
