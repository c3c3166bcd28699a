"""What becomes of a proposed URL? The door's verdicts, with a bounded memory of what it knows.

A page names a hundred URLs of which one is new. Two memories spare the rest their work: exact
spellings seen lately, and hashes of targets offered already. Both forget; the ledger decides in
the end.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from tenax.crawl.settle import Offer
from tenax.model import Candidate, Job, Link, Page, Reason, Rejected, ScopeKind, Target
from tenax.urls.decide import Door
from tenax.urls.normalise import host_of, normalise, path_of, resolve, url_hash

_SPELLINGS = 32_768
_LONGEST = 2_100
"""Longer hrefs are refused for their length anyway, and not worth remembering."""
_TEMPLATES = 16_384
_CROWDS = ((150, 10), (50, 9))
"""After so many URLs of one shape at one host, the next ones wait at this priority."""
_SLOTS = 1 << 20
_MOMENTARY = frozenset({Reason.TRAP, Reason.HOST_LIMIT, Reason.JOB_LIMIT})
_DEPTH_BOUND = frozenset({Reason.TOO_DEEP, Reason.NOFOLLOW})


class Admission:
    """One job's door, as this process remembers it."""

    def __init__(self, job: Job, door: Door) -> None:
        self.job = job
        self.door = door
        self._spellings = _Spellings()
        self._known = array("Q", bytes(8 * _SLOTS))
        self._crowds: Counter[tuple[str, str]] = Counter()
        self._intakes: dict[str, Intake] = {}

    def offer_page(self, page: Page, depth: int, found_on: int) -> Offer:
        """Decide on every link of a page. Where any host is in scope, a source of very many
        new URLs has to wait for the rest to be visited: later, not never (FR-8)."""
        offer = self._offer_links(page, depth, found_on)
        if self.job.spec.scope is not ScopeKind.ANY or not offer.found:
            return offer
        source = host_of(page.url)
        intake = self._intakes.get(source, Intake())
        if len(self._intakes) >= _TEMPLATES:
            self._intakes.clear()
        self._intakes[source], waits = intake.take(len(offer.found), page.fetched_at)
        due = [
            replace(target, due_at=page.fetched_at + wait) if wait else target
            for target, wait in zip(offer.found, waits, strict=True)
        ]
        return replace(offer, found=tuple(due))

    def _offer_links(self, page: Page, depth: int, found_on: int) -> Offer:
        if page.directives.nofollow:
            return Offer(rejected={Reason.NOFOLLOW: len(page.links)} if page.links else {})
        base = page.base or page.url
        folder = base[: base.rfind("/", 8) + 1]
        found: dict[bytes, Target] = {}
        rejected: Counter[Reason] = Counter()
        kept: list[tuple[str, Reason]] = []
        spellings = self._spellings
        for link in page.links:
            if link.nofollow:
                rejected[Reason.NOFOLLOW] += 1
                continue
            spelling = _spelling(link, folder)
            reason = spellings.get(spelling) if spelling else None
            if reason is None:
                verdict = self._decide(link, base, depth + 1, found_on)
                if isinstance(verdict, Target):
                    found.setdefault(verdict.key, verdict)
                    continue
                reason = verdict.reason
                if spelling and reason not in _DEPTH_BOUND:
                    spellings.put(spelling, reason)
                    spellings.put(verdict.url, reason)
                if reason in _MOMENTARY:
                    kept.append((verdict.url, reason))
            rejected[reason] += 1
        self._remember(found.values())
        return Offer(tuple(found.values()), dict(rejected), tuple(kept))

    def offer(self, candidate: Candidate) -> Offer:
        """Decide on one URL that is not a link of a page: a seed, or where a page moved to."""
        verdict = self.door.decide(candidate)
        if isinstance(verdict, Target):
            return Offer(found=(verdict,))
        kept = ((verdict.url, verdict.reason),) if verdict.reason in _MOMENTARY else ()
        return Offer(rejected={verdict.reason: 1}, kept=kept)

    def hash_of(self, url: str) -> bytes:
        """The public name of a target: the hash of its identity in this job."""
        return bytes.fromhex(url_hash(normalise(url, self.door.rules)))

    def _decide(self, link: Link, base: str, depth: int, found_on: int) -> Target | Rejected:
        href = resolve(link.href, base)
        if href is not None:
            # The same URL under another relative spelling: resolving costs a tenth of deciding.
            reason = self._spellings.get(href)
            if reason is not None:
                return Rejected(href, reason)
        verdict = self.door.decide(Candidate(link.href, base, depth, found_on=found_on), href)
        if isinstance(verdict, Target):
            mark = int.from_bytes(verdict.key[:8], "little") or 1
            if self._known[mark % _SLOTS] == mark:
                return Rejected(verdict.url, Reason.KNOWN)
            return self._in_turn(verdict)
        return verdict

    def _remember(self, targets: Iterable[Target]) -> None:
        """These need not be offered again by the pages that follow.

        Sound, because their settlement is queued before any other page is read: whatever is
        committed behind it is committed with or after it. Should it lose its lease, the
        committer adds what it found all the same.
        """
        for target in targets:
            mark = int.from_bytes(target.key[:8], "little") or 1
            self._known[mark % _SLOTS] = mark
            self._spellings.put(target.url, Reason.KNOWN)

    def _in_turn(self, target: Target) -> Target:
        """Let rare shapes go before common ones, so that endless ones cannot starve the rest."""
        template = (target.host, _template(path_of(target.url)))
        if len(self._crowds) >= _TEMPLATES and template not in self._crowds:
            self._crowds.clear()
        self._crowds[template] += 1
        crowd = self._crowds[template]
        sunk = next((priority for size, priority in _CROWDS if crowd > size), 0)
        if sunk <= target.priority:
            return target
        # Spelled out, because `replace` takes as long as everything else here together.
        return Target(target.url, target.identity, target.key, target.host, target.origin,
                      target.depth, sunk, target.found_on)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Intake:
    """How many new URLs a source host may still name at once: a bucket that fills by itself."""

    level: float = 1_000.0
    at: float = 0.0
    rate: float = 100.0
    burst: float = 1_000.0

    def take(self, count: int, now: float) -> tuple[Intake, list[float]]:
        """Take room for so many URLs; how long each of them has to wait, 0 for not at all."""
        level = min(self.burst, self.level + max(0.0, now - self.at) * self.rate)
        waits = [max(0.0, (n - level) / self.rate) for n in range(1, count + 1)]
        return replace(self, level=level - count, at=now), waits


class _Spellings:
    """What became of URLs as spelled lately. Two generations: the older one goes as a whole."""

    def __init__(self) -> None:
        self._young: dict[str, Reason] = {}
        self._old: dict[str, Reason] = {}

    def get(self, spelling: str) -> Reason | None:
        reason = self._young.get(spelling)
        if reason is None and (reason := self._old.get(spelling)) is not None:
            self.put(spelling, reason)
        return reason

    def put(self, spelling: str, reason: Reason) -> None:
        if len(self._young) >= _SPELLINGS:
            self._old, self._young = self._young, {}
        self._young[spelling] = reason


def _template(path_and_query: str) -> str:
    """The shape of a URL: its first folder, and whether it has a query."""
    path, mark, _ = path_and_query.partition("?")
    return path.split("/", 2)[1] + mark


def _spelling(link: Link, folder: str) -> str:
    """What decides the meaning of a link besides itself; empty when that is the whole base URL."""
    href = link.href
    if not href or href[0] == "?" or len(href) > _LONGEST:
        return ""
    if href.startswith(("http://", "https://")):
        return href
    # Marked and parted, or "/y" in /x/ would be taken for the URL of /x//y.
    return f">{folder} {href}"
