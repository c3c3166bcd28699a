"""What does the log say of a visit, and of a host that is treated otherwise? Facts, one line each
(OBS-2). How lines are written is for whoever owns the terminal."""

from __future__ import annotations

import logging
from typing import Any, assert_never

from tenax.hosts.changes import HostChange, TreatmentChange
from tenax.model.dates import iso_time
from tenax.outcome import End, Settlement

VISITS = logging.getLogger("tenax.visits")
HOSTS = logging.getLogger("tenax.hosts")


FACTS = "facts"
"""The attribute of a log record that has them."""


def log_event(log: logging.Logger, level: int, event: str, **facts: Any) -> None:
    """A line with these facts; those that are nothing are left out."""
    told = {name: value for name, value in facts.items() if value not in (None, "", ())}
    log.log(level, event, extra={FACTS: told})


def log_visit(settlement: Settlement, job: str) -> None:
    """Call only where `VISITS` is enabled: most crawls have nobody who reads this."""
    attempt, next, page = settlement.attempt, settlement.next, settlement.page
    ended = isinstance(next, End)
    facts: dict[str, Any] = {
        "url": settlement.url,
        "host": settlement.host.name if settlement.host else "",
        "job": job,
        "role": settlement.role.value,
        "outcome": settlement.outcome,
        "cause": settlement.cause,
        "state": next.state.value if isinstance(next, End) else "pending",
        "why": next.reason,
        "due": "" if isinstance(next, End) else iso_time(next.at),
        "spent": None if ended else next.counts,  # type: ignore[union-attr]  # it is a Later
        "found": len(settlement.found) or None,
        "rejected": sum(settlement.rejected.values()) or None,
        "size": page.size if page is not None else None,
        "product": page.product is not None or None if page is not None else None,
        "earlier": len(settlement.earlier) or None,
    }
    if attempt is not None:
        facts |= {
            "status": attempt.status,
            "ms": round(attempt.total_ms),
            "ttfb_ms": round(attempt.ttfb_ms),
            "bytes": attempt.bytes,
            "client": attempt.client,
            "proxy": attempt.proxy,
            "address": attempt.address,
            "redirects": len(attempt.chain) - 1 if attempt.chain else None,
            "error": attempt.error,
        }
    log_event(VISITS, logging.INFO, "visit", **facts)


def log_change(change: HostChange) -> None:
    until = iso_time(change.until) if change.until else ""
    log_event(
        HOSTS, logging.INFO, change.what.value, host=change.host, until=until,
        failures=change.failures or None, fault=change.fault, then=_what_then(change.what),
    )  # fmt: skip


def _what_then(what: TreatmentChange) -> str:
    match what:
        case TreatmentChange.BREAKER_OPENED:
            return "nothing is asked until then; then one probe"
        case TreatmentChange.BREAKER_HALF_OPEN:
            return "it answered: one request at a time until the breaker closes"
        case TreatmentChange.BREAKER_CLOSED:
            return "it is asked as before"
        case TreatmentChange.BUDGET_SPENT:
            return "it failed too often lately: left alone until then"
        case TreatmentChange.COOLDOWN_BEGUN:
            return "it turned us away: left alone until then"
        case TreatmentChange.THROTTLED:
            return "nothing is asked until then, and less often afterwards"
        case TreatmentChange.ROBOTS_AWAY:
            return "nothing is asked until then, as its rules are not known"
        case never:
            assert_never(never)
