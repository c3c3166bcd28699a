"""What did a visit say about its host? From the outcome to the one sign that policy learns from.

A sign knows when its request started: an answer to a request sent before a change of heart
belongs to the time before it.
"""

from __future__ import annotations

from typing import TypeAlias, assert_never

from msgspec import Struct

from tenax.model import Fault
from tenax.outcome import (
    SITE_WIDE,
    Duplicate,
    Failed,
    Garbage,
    Gone,
    Moved,
    Outcome,
    Priced,
    Read,
    Refused,
    Stale,
    Throttled,
    Unchanged,
    Unrendered,
    Waiting,
)

AMBIGUOUS = frozenset({Fault.SERVER_ERROR, Fault.RESET, Fault.READ_TIMEOUT, Fault.PROTOCOL})
"""May be the site's fault or the URL's: one is an accident, a row of them is not (FE-6)."""
OURS = frozenset({Fault.INTERNAL, Fault.PROXY})
"""Say nothing about the host: a bug, or a proxy, which answers for itself (FE-11)."""
URL_SPECIFIC = frozenset(Fault) - SITE_WIDE - AMBIGUOUS - OURS
"""The server is there and answered; the trouble is with this URL."""


class Answered(Struct, frozen=True):
    """An answer of the server's own, a 404 included."""

    started: float


class ToldToWait(Struct, frozen=True):
    """429, or 503 with Retry-After."""

    started: float
    retry_after: float | None = None
    """Seconds it asked for; None when it named nothing usable."""
    status: int = 429


class TurnedAway(Struct, frozen=True):
    """403."""

    started: float


class WalledOff(Struct, frozen=True):
    """A hard garbage verdict: a block page, whatever its status says (VAL-1)."""

    started: float


class FailedWith(Struct, frozen=True):
    started: float
    fault: Fault


class Probed(Struct, frozen=True):
    """The breaker's own question was answered, or failed with `fault`. No visit of anything."""

    started: float
    fault: Fault | None = None


class Unreached(Struct, frozen=True):
    """Its robots.txt could not be had for want of a connection, so nothing else may be asked."""

    started: float
    fault: Fault


Sign: TypeAlias = Answered | ToldToWait | TurnedAway | WalledOff | FailedWith | Probed | Unreached


def sign_of(outcome: Outcome, started: float) -> Sign | None:
    """What the outcome of a visit says; None when the host was not asked or is not to blame."""
    match outcome:
        case Read() | Unchanged() | Duplicate() | Moved() | Gone() | Priced():
            return Answered(started)
        case Garbage(is_hard=True):
            return WalledOff(started)
        case Garbage(status=403) | Unrendered(status=403):
            return TurnedAway(started)
        case Garbage() | Unrendered():
            return Answered(started)
        case Throttled(status=status, retry_after=wait):
            return ToldToWait(started, wait, status)
        case Failed(status=403) | Stale(status=403):
            return TurnedAway(started)
        case Failed(fault=fault) | Stale(fault=fault):
            return None if fault in OURS else FailedWith(started, fault)
        case Refused() | Waiting():
            return None
        case never:
            assert_never(never)


def sign_of_probe(outcome: Outcome, started: float) -> Sign | None:
    """What came of asking whether the host is back.

    A 500 passes: servers that cannot do HEAD answer so, and would never be asked again. The
    request let through next tells whether it is more than that.
    """
    match outcome:
        case Failed(fault=Fault.SERVER_ERROR, status=int()):
            return Probed(started)
        case Failed(fault=fault) if fault in SITE_WIDE or fault in AMBIGUOUS:
            return Probed(started, fault)
        case Throttled(status=status, retry_after=wait):
            return ToldToWait(started, wait, status)
        case _:
            return None if sign_of(outcome, started) is None else Probed(started)
