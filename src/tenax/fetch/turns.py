"""When may a request leave? What a fetch asks of whoever holds the host: its turn, each time."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Protocol

from tenax.fetch.cookies.jar import Jar
from tenax.hosts.signs import Sign
from tenax.model import Habit, HostTrouble, Step


class LeaseExpired(Exception):
    """We were away for longer than the lease: the host may be somebody else's by now."""


class HostClosed(LeaseExpired):
    """Others who hold the host were told to leave it alone."""


class NotOurTurn(LeaseExpired):
    """Of a host that is not ours: it cannot be asked before `until`, and why."""

    def __init__(self, until: float, why: str) -> None:
        super().__init__(why)
        self.until = until
        self.why = why


class Turn(Protocol):
    """The right to make one request."""

    def may_leave(self) -> bool:
        """Whether the host is still ours to ask; for requests that had more to wait for."""

    def sent(self, at: float, status: int | None = None, ms: float = 0.0) -> None:
        """The request left at this moment; this was answered, and took so long."""

    def over(self) -> None:
        """It was answered, or given up."""


class Turns(Protocol):
    """A host's patience: asked before every request that goes to it."""

    async def take(self) -> Turn:
        """Wait until a request may start. Raises LeaseExpired when the host is not ours then."""

    def enter(self, step: Step) -> None:
        """What whoever asks is doing from now on."""


class VisitedHost(Turns, Protocol):
    """What is known of a host by whoever visits it."""

    habit: Habit
    """Which client gets its pages."""
    jar: Jar | None
    """What it has set in the job of the visit; None where nothing is kept."""

    @property
    def delay(self) -> float: ...

    @property
    def is_silenced(self) -> bool:
        """Whether it is to be left alone now, beyond its usual delay."""


class HostAtGate(VisitedHost, Protocol):
    """A host of which it is asked whether it may be visited."""

    @property
    def trouble(self) -> HostTrouble | None:
        """What its failures still mean."""

    def learn(self, sign: Sign | None) -> None:
        """What asking for its robots.txt said about it."""


class TurnsElsewhere(Protocol):
    """The patience of hosts that a visit was not for, and that something there leads to."""

    def at(
        self, url: str, crawl_delay: float | None = None
    ) -> AbstractAsyncContextManager[HostAtGate]:
        """The host of this URL, for as long as it takes to ask it; what it is found to be like is
        kept then. Where there is no turn, who takes one is told by `NotOurTurn`. `crawl_delay` is
        what its robots.txt asks for, where that is known."""
