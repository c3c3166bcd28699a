"""The commit of many visits: all they changed, in one transaction, where their leases hold."""

from __future__ import annotations

import logging
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any, assert_never

from msgspec.structs import replace

from tenax.adapters.sql.engine import codec, locks
from tenax.adapters.sql.frontier import commit_sql as sql
from tenax.adapters.sql.frontier import (
    crashes,
    holding,
    near_duplicates,
    page_writes,
    product_writes,
    shapes,
)
from tenax.adapters.sql.frontier.limits import LISTING_ROLES, binding, is_limited, within_budget
from tenax.adapters.sql.frontier.transaction import LedgerTransaction
from tenax.adapters.sql.handover import enrol
from tenax.adapters.sql.posts import sent
from tenax.adapters.sql.records import outbox, rejections, rules
from tenax.adapters.sql.recrawl.plans import Recrawls
from tenax.adapters.sql.recrawl.pushed import AGAIN
from tenax.adapters.sql.reports import stats
from tenax.adapters.sql.schema.tables import RARE
from tenax.crawl.event import Telling
from tenax.discover.gathered import ListingPolicy
from tenax.discover.guess_policy import GuessPolicy
from tenax.fetch.fetch_policy import SimilarPolicy
from tenax.jobs.revisit_policy import Recrawling
from tenax.model import FOR_A_BROWSER, HostRules, JobSpec, OutcomeWord, Reason, State, Target
from tenax.outcome import NEVER, Attempt, End, Kept, Later, Settlement
from tenax.ports import Added, Committed, ShapeCounts

if TYPE_CHECKING:
    from tenax.adapters.sql.frontier.product_notes import ProductsNoted

log = logging.getLogger(__name__)

_LIKENESS = SimilarPolicy()
_GUESSING = GuessPolicy()
_LISTINGS = ListingPolicy()
_KEPT_LISTINGS = 100
"""Sitemaps and feeds over their budget that are kept at once: there may be fifty thousand."""

_Spent = dict[tuple[int, int], int]
"""Attempts spent so far, by lease."""
_Counted = dict[tuple[int, str], dict[str, ShapeCounts]]


class Commits:
    """What one transaction writes of visits and of new targets."""

    def __init__(
        self,
        tx: LedgerTransaction,
        recrawling: Recrawling,
        likeness: SimilarPolicy = _LIKENESS,
        telling: Telling | None = None,
        guessing: GuessPolicy = _GUESSING,
        listings: ListingPolicy = _LISTINGS,
    ) -> None:
        self._tx = tx
        self._connection = tx.connection
        self._likeness = likeness
        self._telling = telling
        self._guessing = guessing
        self._listings = listings
        self._specs: dict[int, JobSpec] = {}
        self._opened: list[tuple[int, int, int]] = []
        """(host, job, new targets) of lanes that got some."""
        self._refused: dict[int, list[tuple[str, Reason]]] = defaultdict(list)
        self._stored: Counter[tuple[int, int]] = Counter()
        """Pages that (host, job) has more than before."""
        self._host_of: dict[int, int] = {}
        """The hosts of the visited targets."""
        self._recrawls = Recrawls(tx, recrawling, self._spec)

    def commit(self, settlements: Sequence[Settlement], released: Sequence[int]) -> Committed:
        self._lock_limits({s.job_id for s in settlements})
        held = {*released, *(s.assignment_id for s in settlements)}
        self._tx.lock_assignments(held, {s.host.id for s in settlements if s.host})
        spent, pushed = self._still_held(settlements)
        kept = [s for s in settlements if s.lease in spent]
        if pushed:
            kept = [_once_more(s, spent, pushed) for s in kept]
        lost = [s for s in settlements if s.lease not in spent]
        self._heard = holding.heed_lost(self._tx, lost)
        new, doubled, known, counted = self._write(kept, spent, released)
        gone = frozenset(s.lease for s in lost)
        return Committed(lost=gone, new=new, duplicates=doubled, rules=known, shapes=counted)

    def _write(
        self, kept: list[Settlement], spent: _Spent, released: Sequence[int]
    ) -> tuple[int, frozenset[int], dict[int, HostRules], _Counted]:
        """The ten writes of a commit; how many targets were new, which pages are doubles, what is
        known of the hosts that taught something, and what was counted of these kinds of URLs.

        Jobs with limits and the hosts of the visits are locked by now. Of what is not, all
        transactions take the rows in this one order, or two of them would wait for each other
        (decision 0018): what few others want first, what all want last, and not for long.
        """
        # 1. Near-duplicates. It reads what the pages were until now, so before 4 replaces them,
        #    and changes what the visits are called, so before 3 and 4 write that.
        kept = near_duplicates.recognise(self._connection, kept, self._likeness, self._tx.tally)
        visits = self._recrawls.look(kept)
        # 2. What was found: hosts by name, targets by key. Before 3: who inserts a row that
        #    another is just settling waits for it, and pages link to each other.
        #    What the visits brought is weighed by what is known until now.
        weighed = shapes.weigh(self._connection, kept)
        new = self._add_found(kept)
        told = self._telling
        gone = outbox.look_for_gone(self._connection, kept, told) if told is not None else ()
        # 3. The visited targets, and dead letters of those given up. Nobody else writes them: their
        #    hosts are ours.
        self._settle(kept, spent)
        # 4. What is kept of the visits: attempts, pages, products, shapes, rejections, the hosts.
        #    After 3, as what a page hangs on comes before it; ours alone, like that.
        noted, counted = self._store(kept, weighed)
        # 5. What the hosts have taught. Ours alone, as their rows are.
        known = self._learn(kept)
        # 6. What others are told. After 3 and 4, of which it tells; inserts alone.
        if self._telling is not None:
            changes = noted.changes if noted else ()
            outbox.write(self._connection, kept, spent, self._tx.now, self._telling, changes, gone)
        # 7. When they are visited again. After 2, by whose news a listing is judged, and 4, which
        #    knows whether an offer has changed.
        self._recrawls.plan(visits, noted.offer_at if noted else {})
        # 8. Lanes, where everybody meets who finds links to a host: those with new targets and
        #    those given back at once, by id. After 2 and 3, as a lane is ready by what waits in it.
        self._open_lanes(kept, released)
        holding.refresh(self._tx, *self._heard)
        holding.release(self._tx, released)
        # 9. Deaths of those who read these targets. After 8, as whoever finds a process dead gives
        #    its hosts back before it counts. Then records of the user's own, which may belong to
        #    pages of any host: those of a job are noted by one at a time.
        crashes.settle(self._connection, kept)
        self._note_records(kept)
        # 10. The minute's figures, then the totals, of which each job has one row for all of us.
        stats.record(self._connection, kept, self._tx.now)
        self._tx.write_totals()
        doubled = frozenset(s.target_id for s in kept if s.duplicate_of is not None)
        return new, doubled, known, counted

    def add(self, job_id: int, proposals: Sequence[Target]) -> Added:
        """Insert what is new, by host; say what was known and what was over a limit."""
        self._lock_limits([job_id])
        added = self._add(job_id, proposals, self._host_ids(proposals))
        self._write_refused()
        self._open_lanes()
        return added

    def _add_found(self, kept: Sequence[Settlement]) -> int:
        found: dict[int, list[Target]] = defaultdict(list)
        for settlement in kept:
            found[settlement.job_id] += settlement.found
        ids = self._host_ids([target for proposals in found.values() for target in proposals])
        return sum(self._add(job_id, found[job_id], ids).new for job_id in sorted(found))

    def _add(
        self, job_id: int, proposals: Sequence[Target], ids: dict[str, tuple[int, str]]
    ) -> Added:
        by_host: dict[str, dict[bytes, Target]] = defaultdict(dict)
        for target in proposals:
            by_host[target.host].setdefault(target.key, target)
        limits = binding(
            self._connection, job_id, self._spec(job_id), self._tx.sites, len(proposals)
        )
        over: list[tuple[str, Reason]] = []
        rows: dict[int, list[tuple[Any, ...]]] = {}
        posted: dict[int, list[Target]] = {}
        for name, by_key in by_host.items():
            host_id, origin = ids[name]
            wanted = list(by_key.values())
            if limits is not None:
                wanted, beyond = limits.within(self._connection, host_id, job_id, wanted)
                over += beyond
            roles = {target.role for target in wanted}
            if not roles.isdisjoint(LISTING_ROLES):
                wanted, beyond = self._within_budget(job_id, host_id, name, wanted)
                over += beyond
            if sent.ROLE in roles:
                posted[host_id] = wanted
            rows[host_id] = sql.target_rows(job_id, host_id, origin, wanted, int(self._tx.now))
        listed = self._recrawls.listed(job_id, proposals)
        new = self._insert(job_id, rows)
        for host_id in sorted(posted):
            sent.write(self._connection, host_id, job_id, posted[host_id])
        self._tx.tally.found(job_id, new)
        known = len(proposals) - new - len(over)
        if known:
            self._tx.tally.rejected(job_id, Reason.KNOWN, known)
        for reason, count in Counter(reason for _, reason in over).items():
            self._tx.tally.rejected(job_id, reason, count)
        self._refused[job_id] += _worth_keeping(over)
        if listed is not None:
            self._recrawls.heed(listed, {ids[name][0]: by_host[name] for name in by_host})
        return Added(new=new, known=known, over_limit=tuple(over))

    def _within_budget(
        self, job_id: int, host_id: int, name: str, wanted: list[Target]
    ) -> tuple[list[Target], list[tuple[str, Reason]]]:
        """Without the sitemaps and feeds beyond what is asked for; the first time that is told."""
        policy, place = self._listings, (host_id, job_id)
        wanted, beyond, news = within_budget(self._connection, place, wanted, policy)
        for role in news:
            log.warning(
                "%s names more than %d %ss: the others are not asked for. listing.budget says how"
                " many are; `tenax hosts %s` shows them.",
                name, policy.budget, role, name,
            )  # fmt: skip
        return wanted, [(target.url, Reason.LISTING_LIMIT) for target in beyond]

    def _still_held(
        self, settlements: Sequence[Settlement]
    ) -> tuple[_Spent, dict[tuple[int, int], float]]:
        """Leases that are still the ones the worker was given, with the target's attempts so far,
        and of those that were pushed meanwhile, when.

        One that was stopped may bring two visits to a target at once: of a lease lost meanwhile,
        and of the one it has now.
        """
        if not settlements:
            return {}, {}
        rows = sql.leases.run(self._connection, [s.target_id for s in settlements])
        held = {(id, lease): spent for id, lease, spent, _, _ in rows}
        pushed = {(id, lease): at for id, lease, _, at, _ in rows if at is not None}
        self._host_of = {row[0]: row[4] for row in rows}
        leases = [s.lease for s in settlements]
        return {lease: held[lease] for lease in leases if lease in held}, pushed

    def _settle(self, kept: list[Settlement], spent: _Spent) -> None:
        rows: list[tuple[Any, ...]] = []
        became: Counter[tuple[int, State]] = Counter()
        for s in kept:
            ended = (s.outcome and s.outcome.value, s.cause or None, s.target_id)
            match s.next:
                case End(state=state, reason=reason):
                    rare = state.value if state in RARE else None
                    rows.append((state.value, 0, 0, 0, reason or None, rare, *ended))
                    became[s.job_id, state] += 1
                    if s.renews:
                        self._tx.tally.renewing(s.job_id, -1)
                case Later(at=at, counts=spends, reason=reason, sinks=sinks):
                    tries = spent[s.lease] + spends
                    at = at or self._tx.now  # never 0: that is for targets not visited yet
                    # What failed before lets others go first (FR-3).
                    sunk = spends + sinks
                    why = reason or None
                    rows.append((State.PENDING.value, sunk, at, tries, why, None, *ended))
                    became[s.job_id, State.PENDING] += 1
                    self._tx.tally.renewing(s.job_id, _has_page(s) - s.renews)
                    if at >= FOR_A_BROWSER:
                        self._tx.tally.unrendered(s.job_id, 1)
                    elif at == NEVER:
                        self._tx.tally.deferred(s.job_id, 1)
                case never:
                    assert_never(never)
            for refusal, count in s.rejected.items():
                self._tx.tally.rejected(s.job_id, refusal, count)
            for attempt in (*s.earlier, s.attempt):
                if attempt is not None:
                    self._tx.tally.answered(s.job_id, attempt.status)
            if s.kept_rejections:
                self._refused[s.job_id] += s.kept_rejections
        for (job_id, state), count in became.items():
            self._tx.tally.move(job_id, State.LEASED, state, count)
        sql.settle_targets.run(self._connection, rows)
        self._bury(kept, spent)

    def _bury(self, kept: list[Settlement], spent: _Spent) -> None:
        """What was given up becomes a dead letter (FE-8)."""
        rows: list[tuple[Any, ...]] = []
        for s in kept:
            if isinstance(s.next, End) and s.next.state is State.FAILED:
                word = s.attempt.outcome if s.attempt else State.FAILED
                tries = spent[s.lease] + (s.attempt is not None)
                fault, detail = str(s.next.fault or word), s.next.detail or None
                rows.append((self._tx.now, fault, tries, detail, s.target_id))
        sql.insert_letters.run(self._connection, rows)

    def _store(
        self, kept: list[Settlement], weighed: shapes.Weighed
    ) -> tuple[ProductsNoted | None, _Counted]:
        tried = [_attempt_row(s.target_id, a) for s in kept for a in (*s.earlier, s.attempt) if a]
        sql.insert_attempts.run(self._connection, tried)
        more = page_writes.write(self._connection, kept, self._tx.tally)
        enrol.write(self._connection, kept)
        if more:
            for s in kept:
                self._stored[self._host_of[s.target_id], s.job_id] += more.get(s.target_id, 0)
        noted = product_writes.write(
            self._connection, kept, lambda job_id: self._spec(job_id).products, self._tx.now
        )
        counted = shapes.count(self._connection, weighed)
        self._write_refused()
        holding.save_visited(self._tx, kept)
        return noted, counted

    def _note_records(self, kept: list[Settlement]) -> None:
        """What the user's handlers told (REC-1). Of visits that none was asked about there is
        something to note only where a page is gone that was there."""
        handled = [s for s in kept if s.handled is not None]
        gone = [s.target_id for s in kept if s.renews and s.outcome is OutcomeWord.GONE]
        dropped = [s.target_id for s in kept if s.kept is Kept.DROPPED]
        if handled or gone or dropped:
            from tenax.adapters.sql.handled.writes import write  # most crawls have none

            write(self._connection, kept, gone, dropped, self._tx.now, self._telling)

    def _learn(self, kept: list[Settlement]) -> dict[int, HostRules]:
        """What the hosts have taught, whose rows are ours. Each visit knows what those before it
        have learned, so the last one speaks for all."""
        learned = {s.host.id: s.learned for s in kept if s.host and s.learned is not None}
        return rules.write(self._connection, learned, self._tx.now, self._guessing)

    def _host_ids(self, proposals: Iterable[Target]) -> dict[str, tuple[int, str]]:
        """The hosts' ids and origins, making rows for those not met before."""
        first = {target.host: target.origin for target in reversed(list(proposals))}
        if not first:
            return {}
        known = self._find_hosts(first)
        missing = sorted(name for name in first if name not in known)
        if missing:
            sql.insert_hosts.run(self._connection, [(name, first[name], "{}") for name in missing])
            known |= self._find_hosts(missing)
        return known

    def _find_hosts(self, names: Iterable[str]) -> dict[str, tuple[int, str]]:
        rows = sql.hosts_by_name.run(self._connection, names)
        return {name: (id, origin) for name, id, origin in rows}

    def _held_until(self, host_ids: Iterable[int]) -> dict[int, float]:
        """Hosts somebody holds alone: their new work waits for the release."""
        rows = sql.held_alone.run(self._connection, host_ids)
        return {host_id: float(expires_at) for host_id, expires_at in rows}

    def _learn_specs(self, job_ids: Iterable[int]) -> None:
        new = {id for id in job_ids if id not in self._specs}
        if new:
            rows = sql.specs.run(self._connection, new)
            self._specs |= {id: codec.spec(text) for id, text in rows}

    def _lock_limits(self, job_ids: Collection[int]) -> None:
        """Whoever adds to a job with limits counts against them, one after the other."""
        self._learn_specs(job_ids)
        specs, sites = self._specs, self._tx.sites
        limited = [id for id in job_ids if id in specs and is_limited(specs[id], sites)]
        locks.lock_jobs(self._connection, limited)

    def _spec(self, job_id: int) -> JobSpec:
        """Without its seeds; read once in a transaction."""
        return self._specs[job_id] if self.knows(job_id) else JobSpec()

    def knows(self, job_id: int) -> bool:
        """Whether the job is there; others may delete it."""
        self._learn_specs([job_id])
        return job_id in self._specs

    def _insert(self, job_id: int, rows: dict[int, list[tuple[Any, ...]]]) -> int:
        """Insert the rows, which come by host; how many were new."""
        # In the order of the indexes: neighbours are written while their page is at hand.
        order = sorted(rows)
        new = sql.insert_targets.run_each(self._connection, [rows[host_id] for host_id in order])
        self._opened += [
            (host_id, job_id, count) for host_id, count in zip(order, new, strict=True) if count
        ]
        return sum(new)

    def _open_lanes(self, kept: Sequence[Settlement] = (), released: Sequence[int] = ()) -> None:
        """Count what is new in them, and let it be handed out."""
        looked: list[tuple[Any, ...]] = [
            (self._tx.now, s.host.id, s.job_id) for s in kept if s.looked and s.host
        ]
        stored = [(more, *place) for place, more in sorted(self._stored.items()) if more]
        self._stored.clear()
        hosts = {host_id for host_id, _, _ in self._opened} | {host for _, host, _ in looked}
        hosts |= {host for _, host, _ in stored}
        if locks.are_needed(self._connection):
            # With those of the hosts given back, or they would be locked in another order.
            self._tx.lock_lanes(hosts | locks.hosts_of(self._connection, released))
        sql.note_look.run(self._connection, looked)
        if self._opened:
            self._let_out()
        sql.count_pages.run(self._connection, stored)

    def _let_out(self) -> None:
        held = self._held_until([host_id for host_id, _, _ in self._opened])
        opened: list[tuple[Any, ...]] = [
            (host_id, job_id, count, held.get(host_id, self._tx.now))
            for host_id, job_id, count in sorted(self._opened)
        ]
        self._opened.clear()
        sql.count_lanes.run(self._connection, opened)
        sql.open_lanes.run(self._connection, [(opens, host, job) for host, job, _, opens in opened])

    def _write_refused(self) -> None:
        """Some of what was refused is kept, so that it can be explained."""
        rejections.keep(self._connection, self._refused, self._tx.now)
        self._refused.clear()


def _once_more(s: Settlement, spent: _Spent, pushed: dict[tuple[int, int], float]) -> Settlement:
    """A target that was pushed after this visit had asked for it is due again, as if it had not
    been visited before; what the visit brought is kept (STORE-3)."""
    at = pushed.get(s.lease)
    if at is None or not isinstance(s.next, End) or s.attempt is None or s.attempt.at >= at:
        return s
    spent[s.lease] = 0
    return replace(s, next=Later(at, counts=False, reason=AGAIN))


def _has_page(s: Settlement) -> bool:
    """Whether the target has a page once this is written."""
    return s.page is not None or (s.renews and s.kept is not Kept.DROPPED)


def _worth_keeping(over: list[tuple[str, Reason]]) -> list[tuple[str, Reason]]:
    listings = [each for each in over if each[1] is Reason.LISTING_LIMIT]
    if len(listings) <= _KEPT_LISTINGS:
        return over
    others = [each for each in over if each[1] is not Reason.LISTING_LIMIT]
    return others + listings[:_KEPT_LISTINGS]


def _attempt_row(target_id: int, attempt: Attempt) -> tuple[Any, ...]:
    """In the order of the table's columns."""
    return (
        target_id,
        round(attempt.at, 3),
        attempt.outcome,
        attempt.status,
        round(attempt.ttfb_ms),
        round(attempt.total_ms),
        attempt.bytes,
        attempt.client,
        attempt.address or None,
        codec.chain_text(attempt.chain),
        attempt.error or None,
        attempt.proxy or None,
        attempt.cause or None,
        round(attempt.download_ms),
        attempt.kbps,
        attempt.body or None,
    )
