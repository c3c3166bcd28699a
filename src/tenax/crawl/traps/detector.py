"""Crawler trap detection: what does a visit say of its kind of URL, and does its like wait? (URL-6)

A visit brings something when its page says anything that no page of the host has said, or names a
new URL of another kind that is worth a visit itself. What it says is judged here; whether a URL is
new, the ledger knows. `judgement.py` says what follows from the counts.
"""

from __future__ import annotations

import re
from collections import Counter, OrderedDict
from collections.abc import Mapping
from typing import NamedTuple
from zlib import crc32

from tenax.crawl.settle import Admitted
from tenax.crawl.traps.judgement import TrapPolicy, TrapStanding
from tenax.crawl.traps.seen_words import SeenWords
from tenax.model import Page, Reason, Role, Target
from tenax.outcome import Evidence
from tenax.page.sketch import pack, sketch, word_hash
from tenax.ports import ShapeBook, ShapeCounts
from tenax.urls.normalise import path_of
from tenax.urls.shapes import HASH, NUMBER, family_of, kind_of

_HOSTS = 4_096
_LOOK = 60.0
"""Seconds after which the ledger is asked what other processes have counted."""
_LOOK_AFTER = 64
"""Visits after which it is asked before that."""
_SAMPLED = 8
"""Of what has proved good one visit in so many is judged."""
_SHARE = 20
"""A page that asks for more says something when one in so many of its wordings is new; of one that
asks for nothing a single one will do."""
_LEADS, KIN = 8, 16
"""URLs that a page names that are looked up, of other kinds and of its own."""
_WORDS = re.compile(r"[\w.]+")


class Kin(NamedTuple):
    """What a page names of its own kind."""

    keys: tuple[bytes, ...] = ()
    more: int = 0
    """How many more, than are looked up."""


class TrapDetector:
    """One job's shapes of URLs, as this process knows them."""

    def __init__(self, policy: TrapPolicy) -> None:
        self.policy = policy
        self._hosts: OrderedDict[str, TrapStanding] = OrderedDict()
        self._asked: dict[str, tuple[float, int]] = {}
        self._visits: Counter[str] = Counter()
        """Since the ledger was asked."""
        self._doubted: set[tuple[str, str]] = set()
        """Shapes whose last visit brought nothing: each of the next is judged."""
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
        return found

    def is_due(self, host: str, now: float) -> bool:
        """Whether the ledger is to be asked what is known of a host."""
        asked = self._asked.get(host)
        return asked is None or now >= asked[0] + _LOOK or self._visits[host] >= _LOOK_AFTER

    def last_heard(self, host: str) -> int:
        """Up to where what its pages have said was read from the ledger."""
        return self._asked[host][1] if host in self._asked else 0

    def learn(self, host: str, book: ShapeBook, now: float) -> None:
        """What the ledger has."""
        self.standing(host).hear(book.counts)
        self._seen.recall(host, book.said)
        self._asked[host] = (now, book.last)
        self._visits.pop(host, None)

    def hear(self, host: str, counts: Mapping[str, ShapeCounts]) -> None:
        """What a commit has counted."""
        self.standing(host).hear(counts)

    def why_deferred(self, host: str, shape: str, named_by: str | None = None) -> str:
        """Why a URL waits until all else was visited; empty when it does not. What has no end leads
        to itself: what a page of another shape names may be something else of the kind."""
        found = self._hosts.get(host)
        if found is None:
            return ""
        why = found.why_deferred(shape)
        if not why or named_by is None or found.leads_on(named_by):
            return why
        return "" if why == found.why_endless(shape) else why

    def is_endless(self, host: str, shape: str) -> bool:
        """Whether it waits only because its like never come to an end."""
        found = self._hosts.get(host)
        if found is None:
            return False
        why = found.why_endless(shape)
        return bool(why) and why == found.why_deferred(shape)

    def looks_for_kin(self, host: str, shape: str, url: str) -> bool:
        """Whether it has to be known which URLs of its own kind this page names."""
        standing = self.standing(host)
        return not standing.is_known_to_meet(standing.name(shape)) or _is_sampled(url)

    def judge(
        self, host: str, shape: str, page: Page, offer: Admitted, kin: Kin | None
    ) -> Evidence:
        """What a visit that read a page is evidence for; without `kin` when nobody looked."""
        standing = self.standing(host)
        self._visits[host] += 1
        name = standing.name(shape)
        deeper = offer.rejected.get(Reason.TOO_DEEP, 0)
        is_judged = (
            not standing.is_proved(name) or (host, name) in self._doubted or _is_sampled(page.url)
        )
        keys, more = kin or Kin()
        if not is_judged:
            return Evidence(name, looked=kin is not None, kin=keys, deeper=deeper, more=more)
        says, copy, fresh = self._says(host, page, asks=bool(offer.found or deeper))
        leads = () if says else tuple(self._leads(standing, host, name, offer.found))
        if says or leads:
            self._doubted.discard((host, name))
        elif len(self._doubted) < _HOSTS:
            self._doubted.add((host, name))
        return Evidence(
            name,
            judged=True,
            says=says,
            leads=leads,
            looked=kin is not None,
            kin=keys,
            deeper=deeper,
            more=more,
            copy=copy,
            said=pack(fresh),
        )

    def _says(self, host: str, page: Page, *, asks: bool) -> tuple[bool, bool, list[int]]:
        """Whether it says anything new, whether it is a copy, and what is new: by its wordings, by
        what it sells, or, of what is no text, by its bytes. What its own URL says is no news: of a
        page that asks for nothing that is what it chose from; its number may be all that it has to
        say."""
        if not page.sample:
            hashes: tuple[int, ...] = (crc32(page.digest),) if page.digest else ()
        elif asks:
            hashes = sketch(_without_its_path(page), _own_words(page.url))
        else:
            hashes = sketch(page.sample, _own_words(page.url, figures=False))
        fresh = self._seen.fresh(host, hashes)
        # Known words in another order may be a page that is wanted: the same text never is.
        whole = self._seen.fresh(host, (_whole(page),))
        if page.product is not None:
            sold = page.product
            offered = f"{sold.sku or sold.name} {sold.price} {sold.currency}"
            if self._seen.fresh(host, (word_hash(offered),)):
                return True, False, [*fresh, word_hash(offered)]
        says = bool(fresh) and (not asks or len(fresh) * _SHARE >= len(hashes))
        return says, not (says or whole), [*fresh, *whole]

    def _leads(
        self, standing: TrapStanding, host: str, shape: str, found: tuple[Target, ...]
    ) -> list[Target]:
        """Some URLs of other kinds that it names, as far as they may be worth a visit."""
        family = family_of(shape)
        leads: list[Target] = []
        for target in found:
            if target.role is not Role.PAGE:
                continue
            if target.host == host:
                named = standing.name(target.shape)
                if family_of(named) == family or standing.is_poor(named):
                    continue
                if standing.why_deferred(named):
                    continue
            leads.append(target)
            if len(leads) == _LEADS:
                break
        return leads


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


def _is_sampled(url: str) -> bool:
    """The same ones whoever visits them, and in whatever order."""
    return crc32(url.encode("utf-8", "replace")) % _SAMPLED == 0


def _own_words(url: str, *, figures: bool = True) -> set[int]:
    """The words of a URL as a sketch has them: a page that repeats them says nothing by that. What
    has figures and is no number is a name that somebody gave, `img_1234`, and says something."""
    words = _WORDS.findall(url)
    plain = [word for word in words if word.isalpha()]
    if figures:
        plain += [word for word in words if kind_of(word) in (NUMBER, HASH)]
        plain += [word.lstrip("0") for word in words if word.isdecimal()]
    return {word_hash(word) for word in plain}
