"""Has a host failed too often lately? Counts failures in a moving window (HOST-2).

Successes between them change nothing: a host that fails every other time is in trouble and no
breaker sees it. Time empties the window, and a lock that was served.
"""

from __future__ import annotations

from msgspec import Struct

from tenax.hosts.signs import OURS, URL_SPECIFIC
from tenax.model import Fault
from tenax.model.knobs import AtLeastOne, Seconds


class BudgetPolicy(Struct, frozen=True):
    failures: AtLeastOne = 6
    """Failures that lock the host."""
    window: Seconds = 300.0
    """Seconds within which they have to fall."""
    lock: Seconds = 120.0
    """Seconds the host is left alone then."""
    url_faults: bool = True
    """Whether failures of single URLs count too: client errors but 404 and 410, too large …"""


def counts(fault: Fault, policy: BudgetPolicy) -> bool:
    return fault not in OURS and (policy.url_faults or fault not in URL_SPECIFIC)


def spent(failed_at: tuple[float, ...], now: float, policy: BudgetPolicy) -> tuple[float, ...]:
    """One more failure. While locked none is counted: it was sent before we knew better.

    A served lock has paid for its failures: else each further one would cost two minutes, and
    a site where one page in fifty needs a login would never be finished.
    """
    until = locked_until(failed_at, policy)
    if now < until:
        return failed_at
    return (now,) if until else _latest((*failed_at, now), policy)


def locked_until(failed_at: tuple[float, ...], policy: BudgetPolicy) -> float:
    """When the lock ends that these failures mean; 0 when they mean none."""
    if len(failed_at) < policy.failures:
        return 0.0
    latest = failed_at[-policy.failures :]
    return latest[-1] + policy.lock if latest[-1] - latest[0] <= policy.window else 0.0


def since(failed_at: tuple[float, ...], paid_until: float) -> tuple[float, ...]:
    """Without those that a served lock has paid for: a view that knows them still is an old one."""
    return tuple(at for at in failed_at if at >= paid_until)


def heed(
    mine: tuple[float, ...], theirs: tuple[float, ...], policy: BudgetPolicy
) -> tuple[float, ...]:
    """The failures of both views, those known to both counted once."""
    if mine == theirs or not theirs:
        return mine
    merged = [t for t in {*mine, *theirs} for _ in range(max(mine.count(t), theirs.count(t)))]
    return _latest(tuple(merged), policy)


def _latest(failed_at: tuple[float, ...], policy: BudgetPolicy) -> tuple[float, ...]:
    return tuple(sorted(failed_at)[-policy.failures :])
