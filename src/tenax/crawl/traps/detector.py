"""Crawler trap detection: what does a visit say of its kind of URL, and does its like wait? (URL-6)

A visit brings something when its page says anything that no page of the host has said, or names a
new URL of another kind that is worth a visit itself. What it says is judged here; whether a URL is
new, the ledger knows. `judgement.py` says what follows from the counts.
"""

from __future__ import annotations

import re
from collections import Counter, OrderedDict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from zlib import crc32

from msgspec import Struct, field
from msgspec.structs import replace

from tenax.crawl.settle import Admitted
from tenax.crawl.traps.judgement import TrapPolicy, TrapStanding
from tenax.crawl.traps.kin import Kin
from tenax.crawl.traps.seen_words import SeenWords
from tenax.model import Page, Reason, Role, Target
from tenax.model.record import HandledRecord
from tenax.outcome import Evidence
from tenax.page.sketch import EACH, figures, pack, prose, sketch, unpack, word_hash
from tenax.ports import ShapeBook, ShapeCounts
from tenax.urls.normalise import path_of
from tenax.urls.shapes import HASH, NUMBER, family_of, kind_of

_HOSTS = 4_096
_LOOK = 60.0
"""Seconds after which the ledger is asked what other processes have counted."""
_LOOK_AFTER = 64
"""Visits after which it is asked before that."""
_SHARE = 20
"""A page that asks for more says something when one in so many of its wordings is new; of one that
asks for nothing a single one will do."""
_LEADS = 8
"""URLs of other kinds that a page names that are looked up."""
_AT_LENGTH, _KNOWN = 6, 8
"""Pieces of prose that are no phrase any more; of a copy at most one in so many is new."""
_WORDS = re.compile(r"(?:[^\W_]|\.)+")
_LONGEST_KNOWN = 250
"""Folders of longer URLs are not remembered: no hostile site fills the memory with them."""


class _LateVisits(Struct):
    """Visits of what is deferred that this process has begun and the ledger has not counted yet:
    else as many as are begun at once would go beyond the budget."""

    begun: set[int] = field(default_factory=set)
    """By target."""
    ended: int = 0

    def __len__(self) -> int:
        return len(self.begun) + self.ended


class TrapDetector:
    """One job's shapes of URLs, as this process knows them."""

    def __init__(self, policy: TrapPolicy) -> None:
        self.policy = policy
        self.deferring: set[str] = set()
        """Hosts of which anything may have to wait."""
        self.growing: set[str] = set()
        """Hosts of which any folder was seen to grow."""
        self._hosts: OrderedDict[str, TrapStanding] = OrderedDict()
        self._under_way: dict[str, _LateVisits] = {}
        self._asked: dict[str, tuple[float, int]] = {}
        self._visits: Counter[str] = Counter()
        """Since the ledger was asked."""
        self._doubted: set[tuple[str, str]] = set()
        """Shapes whose last visit brought nothing: each of the next is judged."""
        self._last: dict[tuple[str, str], tuple[int, frozenset[int]]] = {}
        """What the last page of a shape said, if nothing new, and the prose that all have."""
        self._seen = SeenWords()

    def standing(self, host: str) -> TrapStanding:
        found = self._hosts.get(host)
        if found is None:
            found = self._hosts[host] = TrapStanding(self.policy)
            if len(self._hosts) > _HOSTS:
                # The ledger is asked again, should we come back.
                gone, _ = self._hosts.popitem(last=False)
                self._asked.pop(gone, None)
                self._visits.pop(gone, None)
                self._under_way.pop(gone, None)
                self.deferring.discard(gone)
                self.growing.discard(gone)
        return found

    def is_due(self, host: str, now: float) -> bool:
        """Whether the ledger is to be asked what is known of a host."""
        asked = self._asked.get(host)
        return asked is None or now >= asked[0] + _LOOK or self._visits[host] >= _LOOK_AFTER

    def doubt(self, host: str) -> None:
        """What was let go comes back: the ledger may know better by now."""
        self._visits[host] += 1

    def last_heard(self, host: str) -> int:
        """Up to where what its pages have said was read from the ledger."""
        return self._asked[host][1] if host in self._asked else 0

    def learn(self, host: str, book: ShapeBook, now: float) -> None:
        """What the ledger has."""
        self.hear(host, book.counts)
        self._seen.recall(host, book.said)
        self._asked[host] = (now, book.last)
        self._visits.pop(host, None)

    def hear(self, host: str, counts: Mapping[str, ShapeCounts]) -> None:
        """What a commit has counted."""
        standing = self.standing(host)
        before = standing.late
        standing.hear(counts)
        if (under_way := self._under_way.get(host)) is not None:
            under_way.ended = max(0, under_way.ended - max(0, standing.late - before))
        for hosts, is_so in (
            (self.deferring, standing.defers()),
            (self.growing, bool(standing.growing)),
        ):
            if is_so:
                hosts.add(host)
            else:
                hosts.discard(host)

    def begins(self, host: str, shape: str, target_id: int, *, is_granted: bool) -> bool:
        """Whether a deferred target is visited now: when it is its turn, or when something was left
        of the budget at the end (`is_granted`)."""
        standing, under_way = self.standing(host), self._under_way.setdefault(host, _LateVisits())
        under_way.begun.discard(target_id)
        others = len(under_way)
        may = standing.may_still_visit(others) if is_granted else standing.may_visit(shape, others)
        if may:
            under_way.begun.add(target_id)
        return bool(may)

    def ends(self, host: str, target_id: int, *, is_counted: bool) -> None:
        """A visit is over; `is_counted` if the ledger will know of it as one that was deferred."""
        if (under_way := self._under_way.get(host)) is not None:
            under_way.begun.discard(target_id)
            under_way.ended += is_counted

    def why_deferred(self, host: str, shape: str, named_by: str | None = None) -> str:
        """Why a URL waits until all else was visited; empty when it does not. What has no end leads
        to itself: what a page of another shape names may be something else of the kind."""
        found = self._hosts.get(host)
        if found is None:
            return ""
        why = found.why_deferred(shape)
        if not why or named_by is None or found.is_of_the_maze(named_by):
            return why
        return "" if why == found.why_endless(shape) else why

    def is_endless(self, host: str, shape: str) -> bool:
        """Whether it waits only because its like never come to an end."""
        found = self._hosts.get(host)
        if found is None:
            return False
        why = found.why_endless(shape)
        return bool(why) and why == found.why_deferred(shape)

    def speaks_for(self, host: str, shape: str, url: str, *, grows: bool) -> int:
        """How many visits this one is asked for; none when its like have proved good, nobody asks.
        One that `grows` names more of its own kind: it is asked as long as that may be a trap. The
        same ones whoever visits them, and in whatever order."""
        rate = self.standing(host).rate(shape, grows=grows)
        return self._asks(host, shape, url, rate.names)

    def _asks(self, host: str, shape: str, url: str, every: int) -> int:
        if every == 1:
            return 1
        if self._doubted and (host, self.standing(host).name(shape)) in self._doubted:
            return 1
        return 0 if crc32(url.encode("utf-8", "replace")) % every else every

    def judge(
        self,
        host: str,
        shape: str,
        page: Page,
        offer: Admitted,
        kin: Kin,
        *,
        times: int = 1,
        late: bool = False,
    ) -> Evidence:
        """What a visit that read a page, and speaks for so many, is evidence for."""
        standing = self.standing(host)
        self._visits[host] += 1
        name = standing.name(shape)
        deeper = offer.rejected.get(Reason.TOO_DEEP, 0)
        grows = len(offer.found) + deeper > 1
        sold = self._seen.fresh(host, _sold(page)) if page.product is not None else b""
        if not self._asks(host, shape, page.url, standing.rate(shape, grows=grows).says):
            evidence = Evidence(
                name,
                looked=True,
                kin=kin.keys,
                deeper=deeper,
                more=kin.more,
                times=times,
                said=self._heard(host, page),
            )
            return _credited(evidence, sold, late=late) if sold else evidence
        says, worded, copy, fresh = self._says(host, name, page, bool(offer.found or deeper))
        is_news = bool(sold) or (worded and not copy)
        leads, thin = ([], []) if is_news else self._leads(standing, host, name, offer.found)
        if is_news or worded or leads:
            self._doubted.discard((host, name))
        elif len(self._doubted) < _HOSTS:
            self._doubted.add((host, name))
        evidence = Evidence(
            name,
            judged=True,
            says=says,
            worded=worded,
            leads=(*leads, *thin)[:_LEADS],
            figures=min(len(thin), _LEADS - len(leads)),
            looked=True,
            kin=kin.keys,
            deeper=deeper,
            more=kin.more,
            others=kin.others,
            times=times,
            copy=copy,
            said=fresh,
        )
        return _credited(evidence, sold, late=late) if sold else evidence

    def credit(self, host: str, evidence: Evidence, records: Iterable[HandledRecord]) -> Evidence:
        """What somebody's own code takes from a page, and from no other, is worth its visit."""
        first = self._seen.fresh(host, pack([crc32(record.digest) for record in records]))
        return _credited(evidence, first, late=evidence.late) if first else evidence

    def listen(self, host: str, shape: str, page: Page) -> Evidence | None:
        """What others speak for, and names new URLs, is heard all the same: its own views are among
        them, and say nothing."""
        self._visits[host] += 1
        said = self._heard(host, page)
        return Evidence(self.standing(host).name(shape), times=0, said=said) if said else None

    def _heard(self, host: str, page: Page) -> bytes:
        return self._seen.fresh(host, _all_of(page))

    def _says(self, host: str, name: str, page: Page, asks: bool) -> tuple[bool, bool, bool, bytes]:
        """Whether it says anything new, more than figures, or only what others say at length, and
        what is new: by its wordings, or, of what is no text, by its bytes. What
        its own URL says is no news: of a page that asks for nothing that is what it chose from;
        its number may be all that it has to say."""
        if asks and page.sample:
            hashes = sketch(_without_its_path(page), _own_words(page.url))
        else:
            hashes = _all_of(page)
        fresh = self._seen.fresh(host, hashes)
        if not page.sample:
            return bool(fresh), bool(fresh), bool(hashes) and not fresh, fresh
        least = max(1, len(hashes) // EACH // _SHARE) if asks else 1
        said, count = prose(hashes), len(fresh) // EACH
        first = len(said if len(fresh) == len(hashes) else prose(fresh)) // EACH
        worded = first >= least or count - figures(fresh) >= least
        is_copy = self._is_copy(host, name, page, said, first, any_fresh=bool(fresh))
        return count >= least, worded, is_copy, fresh

    def _is_copy(
        self, host: str, name: str, page: Page, said: bytes, first: int, *, any_fresh: bool
    ) -> bool:
        """Whether nearly all of its prose is known and not what all of its kind say, or its text
        is that of the one before it, whatever was chosen by its query. A copy that adds a line of
        words may be a page of documentation, made of a template."""
        whole = 0 if any_fresh else _whole(page)
        last = self._last.get((host, name))
        before, frame = last or (0, frozenset(unpack(said)))
        if last and frame:
            frame = frame.intersection(unpack(said))
        if len(self._last) >= _HOSTS:
            self._last.clear()
        self._last[host, name] = (whole, frame)
        if whole and whole == before:
            return True
        pieces = len(said) // EACH
        return pieces - len(frame) >= _AT_LENGTH and first * _KNOWN <= pieces

    def _leads(
        self, standing: TrapStanding, host: str, shape: str, found: tuple[Target, ...]
    ) -> tuple[list[Target], list[Target]]:
        """Some URLs of other kinds that it names: those that are worth a visit, and those that may
        be, for figures at least."""
        family = family_of(shape)
        leads: list[Target] = []
        thin: list[Target] = []
        for target in found:
            if target.role is not Role.PAGE:
                continue
            if target.host == host:
                named = standing.name(target.shape)
                if family_of(named) == family or standing.is_poor(named):
                    continue
                if not standing.is_worded(named):
                    thin.append(target)
                    continue
                if standing.why_deferred(named):
                    continue
            leads.append(target)
            if len(leads) == _LEADS:
                break
        return leads, thin


def _credited(evidence: Evidence, first: bytes, *, late: bool) -> Evidence:
    """Of a visit that brings a product or record which is new it is not asked what it leads to: a
    shop may be as large as it likes. Where its like are deferred it is an end."""
    return replace(
        evidence, says=True, worded=True, copy=False, said=evidence.said + first,
        looked=late, kin=(), deeper=0, more=0, others=(),
    )  # fmt: skip


def _sold(page: Page) -> bytes:
    """What it sells, and for how much."""
    if page.product is None:
        return b""
    it = page.product
    return pack((word_hash(f"{it.sku or it.name} {it.price} {it.currency}"),))


def _all_of(page: Page) -> bytes:
    """What it says, its own number included."""
    if page.sample:
        return sketch(page.sample, _own_words(page.url, figures=False))
    return pack((crc32(page.digest),)) if page.digest else b""


def _without_its_path(page: Page) -> bytes:
    """What it says besides where it stands, which is what errors say."""
    path = path_of(page.url).encode()
    return page.sample.replace(path, b"") if len(path) > 1 else page.sample


def _whole(page: Page) -> int:
    """All that it says, but for what was chosen by its query."""
    query = page.url.partition("?")[2]
    if not query:
        return crc32(page.sample)
    chosen = {word.lower() for word in _WORDS.findall(query)}
    words = page.sample.decode("utf-8", "replace").lower().split()
    return word_hash(" ".join([word for word in words if word not in chosen]))


def _own_words(url: str, *, figures: bool = True) -> bytes:
    """The words of a URL as a sketch has them: a page that repeats them says nothing by that. What
    has figures and is no number is a name that somebody gave, `img_1234`, and says something."""
    folder, _, name = url.rpartition("/")
    if len(folder) > _LONGEST_KNOWN:
        return _hashed(url, figures)
    return _hashed_folder(folder, figures) + _hashed(name, figures)


@lru_cache(maxsize=1024)
def _hashed_folder(folder: str, figures: bool) -> bytes:
    """Of a site's pages many stand in one folder."""
    return _hashed(folder, figures)


def _hashed(part: str, figures: bool) -> bytes:
    words = _WORDS.findall(part)
    plain = [*filter(str.isalpha, words)]
    if figures:
        plain += [word for word in words if kind_of(word) in (NUMBER, HASH)]
        plain += [word.lstrip("0") for word in words if word.isdecimal()]
    return pack([word_hash(word) for word in plain])
