"""Is everything as it was after a restore or an outage? A checklist; each line says what to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from tenax.jobs.durations import tell_duration
from tenax.ops.health.bodies import Inspection
from tenax.ops.health.doctor import Check, CheckVerdict, Facts, diagnose
from tenax.ports import Finding
from tenax.ports.checks import AlertRecord
from tenax.ports.overview import WorkerRecord

_FIRST = ("data folder", "disk", "clock", "network", "Redis", "queue", "content", "Kafka", "search")
"""What `doctor` looks at that a ledger has to have around it."""
_NAMED = 3


class LedgerStanding(Struct, frozen=True):
    """What is in a ledger that was away, or came back."""

    findings: tuple[Finding, ...]
    """Of the audit."""
    bodies: Inspection | None
    """None where their store cannot be had."""
    has_all_bodies: bool
    """Each was read, not only some of those found last."""
    workers: tuple[WorkerRecord, ...]
    running: int
    """Jobs."""
    has_own_index: bool
    """A file of ours, which every search brings up to date."""
    unindexed: int | None
    """Pages that the search index has not, or has otherwise; None where it cannot be had."""
    letters: int
    alerts: tuple[AlertRecord, ...]
    """Raised ones that are not over."""


def is_openable(facts: Facts) -> bool:
    """Whether there is a ledger to look into, without changing it."""
    ledger = facts.ledger
    is_there = ledger.exists or ledger.on_server
    return is_there and not ledger.error and ledger.revision == ledger.known_revision


def checklist(facts: Facts, inside: LedgerStanding | None, silence: float) -> list[Check]:
    """Every step, in the order in which one would take them. Whoever was not heard of for more
    than `silence` seconds counts as dead."""
    around = diagnose(facts)
    first = [check for name in _FIRST for check in around if check.name == name]
    (ledger,) = (check for check in around if check.name == "ledger")
    if inside is None:
        return [*first, _no_ledger(facts, ledger)]
    return [
        *first,
        ledger,
        *_audit(inside.findings),
        _bodies(inside),
        _leases(inside.workers, facts.now, silence),
        *(check for check in around if check.name == "events"),
        _index(inside),
        _letters(inside.letters),
        *_alerts(inside.alerts),
        _workers(inside, facts.now, silence),
    ]


def _no_ledger(facts: Facts, found: Check) -> Check:
    """Without one there is nothing to go on with."""
    if found.verdict is CheckVerdict.FAIL:
        return found
    if not facts.ledger.exists:
        advice = "Name its folder with --data, or bring it back: tenax restore BACKUP"
        return Check("ledger", CheckVerdict.FAIL, f"none at {facts.ledger.path}", advice)
    advice = "Run `tenax db upgrade`; a newer schema than ours needs a newer Tenax."
    return Check("ledger", CheckVerdict.FAIL, found.says, advice)


def _audit(findings: Sequence[Finding]) -> Iterator[Check]:
    if not findings:
        yield Check("audit", CheckVerdict.OK, "every URL is in exactly one state")
    for finding in findings:
        says = f"broken: {finding.promise} ({finding.count:,})"
        advice = "Keep a copy of the ledger; `tenax audit` shows the rows. Or restore a backup."
        yield Check("audit", CheckVerdict.FAIL, says, advice)


def _bodies(inside: LedgerStanding) -> Check:
    found = inside.bodies
    if found is None:
        advice = "Repair the store first, then look again."
        return Check("bodies", CheckVerdict.FAIL, "not looked at: their store is away", advice)
    read = f"{found.checked:,} read"
    if not inside.has_all_bodies:
        read += ", of the pages found last; all of them with --bodies"
    if not found.findings:
        return Check("bodies", CheckVerdict.OK, read)
    wrong = "; ".join(f"not so: {each.promise} ({each.count:,})" for each in found.findings)
    advice = "`tenax audit --bodies` names the pages. Bring bodies back from a backup's folder"
    advice += " `content`, or fetch the pages again."
    return Check("bodies", CheckVerdict.FAIL, f"{wrong}. {read}", advice)


def _leases(workers: Sequence[WorkerRecord], now: float, silence: float) -> Check:
    dead = [each for each in workers if each.hosts and now - each.seen_at > silence]
    if not dead:
        held = sum(each.hosts for each in workers)
        says = f"hosts in the hands of workers that were heard of: {held:,}"
        return Check("leases", CheckVerdict.OK, says)
    named = ", ".join(f"{each.name} ({_silence(each, now)})" for each in dead[:_NAMED])
    count = sum(each.hosts for each in dead)
    says = f"hosts in the hands of dead workers: {count:,}, held by {named}"
    advice = "The next worker takes them back. At once: tenax frontier recover"
    return Check("leases", CheckVerdict.WARN, says, advice)


def _silence(worker: WorkerRecord, now: float) -> str:
    if not worker.seen_at:
        return "of before a restore"
    return f"silent for {tell_duration(round(now - worker.seen_at))}"


def _index(inside: LedgerStanding) -> Check:
    unindexed = inside.unindexed
    if inside.has_own_index:
        return Check("search index", CheckVerdict.OK, "every search brings it up to date")
    if unindexed is None:
        says = "not looked at: it is away"
        return Check("search index", CheckVerdict.FAIL, says, "Repair it, then: tenax reindex")
    if not unindexed:
        return Check("search index", CheckVerdict.OK, "says what the ledger says")
    says = f"{unindexed:,} pages are to be put or removed"
    return Check("search index", CheckVerdict.WARN, says, "Run `tenax reindex`.")


def _letters(letters: int) -> Check:
    if not letters:
        return Check("dead letters", CheckVerdict.OK, "none")
    advice = "`tenax dead` tells why. What an outage of ours gave up: tenax dead return"
    says = f"URLs that were given up: {letters:,}"
    return Check("dead letters", CheckVerdict.WARN, says, advice)


def _alerts(alerts: Sequence[AlertRecord]) -> Iterator[Check]:
    if not alerts:
        yield Check("alerts", CheckVerdict.OK, "none is open")
    for alert in alerts:
        advice = "docs/howto/operate.md says what to do; what is over is cleared once work goes on."
        yield Check("alerts", CheckVerdict.WARN, f"{alert.what}: {alert.told}", advice)


def _workers(inside: LedgerStanding, now: float, silence: float) -> Check:
    alive = sum(now - each.seen_at <= silence for each in inside.workers)
    says = f"jobs running: {inside.running:,}, processes at work: {alive:,}"
    if inside.running and not alive:
        return Check("workers", CheckVerdict.WARN, says, "Start them: tenax worker")
    return Check("workers", CheckVerdict.OK, says)
