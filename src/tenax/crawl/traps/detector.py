"""Crawler trap detection: which URLs of a host bring nothing new, however many are visited? (URL-6)

A trap is not known by a URL but by what its like have brought. Visits are counted by the shape of
their URL; one is fruitless when its page had nothing to say that was not there before and named
nothing but more of its own kind. A shape of which nearly all visits were fruitless gets a small
share of its host's visits from then on. Whatever brings text, or leads to what does, is never
counted as fruitless, however much of it there is: see decision 0014.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence

from msgspec import Struct

from tenax.crawl.traps.host_record import AtHost, families_of, parameters_of
from tenax.crawl.traps.seen_text import Originals, SeenTexts
from tenax.crawl.traps.shape_record import FEW, SOME, Brought, Credit, ShapeYield, YieldPolicy
from tenax.crawl.traps.views import Views
from tenax.model import Page, Role, Target
from tenax.ports import ShapeCounts
from tenax.urls.normalise import path_of
from tenax.urls.priority import DOUBTFUL, LAST
from tenax.urls.shapes import family_of

_HOSTS = 4_096
_CONSIDERED = 64
"""New URLs of a page that are looked at; more of them say no more about it."""
_PUT_OFF = 250
_DAY = re.compile(r"/(?:19|20)\d\d[/-](?:0?[1-9]|1[0-2])[/-](?:0?[1-9]|[12]\d|3[01])(?:[/?]|$)")


class Yields:
    """One job's visits by shape, as this process remembers them."""

    def __init__(self, policy: YieldPolicy) -> None:
        self.policy = policy
        self._hosts: OrderedDict[str, AtHost] = OrderedDict()
        self._credit = Credit(policy)
        self._seen = SeenTexts(policy.new_text)
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
        # What all traps of a host may take together, known ones and those that seem to be.
        budget = policy.share * at.visits
        if at.fruitless < budget and not record.is_growing(policy):
            return ""
        tries = self._credit.patience(at.visits - at.doubted, at.fruitless, len(at.exhausted))
        if at.fruitless + record.visits >= budget and record.is_endless(policy, tries):
            return at.tell(shape, _growth(record))
        if at.fruitless < budget:
            return ""
        if record.is_fruitless(policy, tries):
            return at.tell(shape, _waste(record))
        family = family_of(shape)
        kin = at.family(family)
        if record.is_echo(policy) and kin.echoes >= tries.echoes:
            return at.tell(family, _echoes(kin))
        # What parameters combine to may have been new at first, and end all the same.
        is_used_up = "?" in shape and kin.in_a_row >= 2 * tries.visits
        if not (is_used_up or kin.is_fruitless(policy, tries)):
            return ""
        # Its family has proved barren. But a kind never tried may be the one that leads on.
        parts = [at.family(part) for part in parameters_of(shape, family)]
        if record.visits >= FEW:
            is_tried = record.is_exhausted(policy)
        elif _DAY.search(url):
            # The days of an endless calendar: nothing is said there, and nothing asked for.
            is_tried = record.repeating_in_a_row >= FEW
        else:
            is_tried = bool(parts) and all(part.is_exhausted(policy) for part in parts)
        return at.tell(family, _waste(kin)) if is_tried else ""

    def rank(self, host: str, shape: str, url: str) -> int:
        """The priority of URLs whose like are in doubt, or of this one, by its path and query:
        they wait until all else was visited. 0 for all others."""
        at = self._hosts.get(host)
        if at is None:
            return 0
        rank = at.shape(shape).rank
        if rank or not at.barren + at.fruitless:
            return rank
        if at.family(family_of(shape)).echoes >= FEW:
            return DOUBTFUL
        return DOUBTFUL if "?" in shape and self._views.is_doubtful(host, url) else 0

    def puts_off(self, host: str, shape: str, url: str, priority: int) -> int:
        """The lower priority of a URL that was found before its like were in doubt; 0 when it is
        visited now. Only so many of a host are put off: each costs a step at the ledger."""
        at = self._hosts.get(host)
        if at is None or at.put_off >= _PUT_OFF:
            return 0
        rank = self.rank(host, shape, url)
        if rank <= max(priority, LAST):
            return 0
        at.put_off += 1
        return rank

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
        elif _is_variant(page):
            brought = Brought.NOTHING
        elif named.unknown and not (is_same and named.stays()):
            brought = Brought.NO_HARM
            at.wait(shape, named.unknown)
        elif is_same or named.own or named.kin:
            brought = Brought.NOTHING
        elif named.family in at.exhausted and _DAY.search(path):
            # It asks for nothing; but of a calendar that has nothing there is no last day.
            brought = Brought.NOTHING
        else:
            brought = Brought.NO_HARM
        echoes = is_same and brought is Brought.NOTHING and named.asks()
        self._count(at, shape, brought, repeating=says_nothing, named=named.own, echoes=echoes)
        if brought is Brought.NOTHING and shape in at.waiting:
            at.decide(shape, named.family)
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
        record = at.shapes[at.name(shape)]
        record.count_closed()
        record.doubt(self.policy)

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
            record.doubt(self.policy)
            for family in families_of(shape):
                at.families[family].count_others(visits, fruitless)

    def _weigh(
        self, at: AtHost, host: str, named: _Named, target: Target, says_nothing: bool
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
            named.unknown += (shape,)
        else:
            named.worth = True

    def _count(
        self,
        at: AtHost,
        shape: str,
        brought: Brought,
        *,
        repeating: bool,
        named: int = 0,
        echoes: bool = False,
    ) -> None:
        at.visits += 1
        at.fruitless += brought is Brought.NOTHING
        record = at.shapes[shape]
        at.doubted += record.is_wasteful(self.policy)
        record.count(brought, repeating=repeating, named=named, echoes=echoes)
        record.doubt(self.policy)
        if record.in_a_row == FEW or record.echoes == SOME:
            at.exhausted.add(family_of(shape))
        elif at.exhausted and brought is Brought.SOMETHING:
            at.exhausted.discard(family_of(shape))
        for family in families_of(shape):
            at.families[family].count(brought, repeating=repeating, echoes=echoes)

    def _at(self, host: str) -> AtHost:
        at = self._hosts.get(host)
        if at is None:
            at = self._hosts[host] = AtHost()
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
    unknown: tuple[str, ...] = ()
    """Those of which nobody can say yet what they are good for."""
    worth: bool = False
    """Something else."""

    def asks(self) -> bool:
        """Whether there is any."""
        return bool(self.own or self.kin or self.unknown)

    def stays(self) -> bool:
        """Whether what nobody knows yet is in the page's own folder."""
        return all(family_of(shape) == self.family for shape in self.unknown)


def _is_variant(page: Page) -> bool:
    """Whether it says itself that another URL is the one to know it by."""
    return bool(page.canonical) and page.canonical != page.url


def _waste(record: ShapeYield) -> str:
    return f"{record.fruitless:,} of {record.visits:,} visits brought nothing new"


def _echoes(record: ShapeYield) -> str:
    return f"the last {record.echoes:,} visits brought nothing new: pages known word for word"


def _growth(record: ShapeYield) -> str:
    visits, named = f"{record.judged:,} visits", f"{record.named:,} more like it"
    return f"without end: {visits} named {named}, hardly one twice"
