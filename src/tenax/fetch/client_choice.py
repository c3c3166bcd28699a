"""By which client is a host asked, and by which next when that one cannot have the page? (FE-9)

The main client is the cheapest by far, so a host has to prove that it needs another one: three
pages in a row that only another client could get teach us to start there for a day. Meanwhile
the main client is tried again now and then. What is no page (robots.txt, the question whether a
host is back) goes by the same clients.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec import Struct
from msgspec.structs import replace

from tenax.model import Client, Fault, Habit
from tenax.model.knobs import AtLeastOne, Seconds
from tenax.outcome import Failed, Outcome

UNLIKED = frozenset({Fault.RESET, Fault.TLS, Fault.PROTOCOL})
"""What servers do to clients they don't like: another TLS stack may get an answer."""


class WayPolicy(Struct, frozen=True):
    fallbacks: tuple[Client, ...] = (Client.CURL, Client.BROWSER)
    """Clients tried when the main one cannot have the page, where they are installed."""
    wins: AtLeastOne = 3
    """Pages in a row that only another client could get, after which it is asked first."""
    remember: Seconds = 86_400.0
    """Seconds for which that is believed."""
    recheck: AtLeastOne = 20
    """Pages by the other client after which the main one gets another chance meanwhile."""
    losses: AtLeastOne = 3
    """Pages in a row that no client could get, after which only the main one is tried, where no
    other has ever got anything."""
    respite: Seconds = 3_600.0
    """Seconds until they are tried again."""


class ClientTry(Struct, frozen=True):
    """How one client fared: whether the page was had, and who might do better."""

    client: Client
    is_good: bool


def first(habit: Habit, now: float, always: Client | None) -> Client:
    """The client to begin with; `always` is the one a person wants."""
    if always is not None:
        return always
    if now < habit.until and not habit.is_recheck_due:
        return habit.client
    return Client.HTTP


def after(
    client: Client,
    outcome: Outcome | None,
    wants_browser: bool,
    clients: Collection[Client],
    habit: Habit,
    now: float,
) -> Client | None:
    """The client to try next; None when what we have is what there is to be had."""
    if now < habit.respite_until and now >= habit.until:
        return None
    if wants_browser:
        wanted: tuple[Client, ...] = (Client.BROWSER,)
    elif isinstance(outcome, Failed) and outcome.fault in UNLIKED:
        wanted = (Client.CURL, Client.BROWSER)
    else:
        return None
    order = list(Client)
    later = [way for way in wanted if order.index(way) > order.index(client)]
    return next((way for way in later if way in clients), None)


def learn(habit: Habit, tries: Sequence[ClientTry], now: float, policy: WayPolicy) -> Habit:
    """What the clients' luck with one page teaches about the host."""
    best = tries[-1]
    if best.client is Client.HTTP:
        # It works without help, or nobody else could be asked: a page of no lesson.
        return _NOTHING if best.is_good and habit != _NOTHING else habit
    by_main = tries[0].client is Client.HTTP
    if not best.is_good:
        losses = habit.losses + 1
        until = habit.respite_until
        if losses >= policy.losses and habit.client is Client.HTTP:
            until = now + policy.respite
        # Asked first and in vain: perhaps the main one is welcome by now.
        is_recheck_due = habit.is_recheck_due or not by_main
        return replace(
            habit, wins=0, losses=losses, respite_until=until, is_recheck_due=is_recheck_due
        )
    if not by_main:
        visits = habit.visits + 1
        return replace(habit, visits=visits, is_recheck_due=visits % policy.recheck == 0)
    wins = habit.wins + 1 if habit.client is best.client else 1
    # A page that nobody could get ends the row, not what was learned before it.
    until = habit.until if habit.client is best.client else 0.0
    until = now + policy.remember if wins >= policy.wins else until
    return Habit(best.client, min(wins, policy.wins), until)


_NOTHING = Habit()
