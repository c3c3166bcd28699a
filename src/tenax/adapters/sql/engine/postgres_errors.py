"""SQLSTATEs sorted by what to do: retry (deadlock), wait (outage), tell a person, or a bug."""

from __future__ import annotations

from asyncio import CancelledError
from enum import Enum

import sqlalchemy as sa


class PostgresTrouble(Enum):
    COLLISION = "collision"
    """Two transactions got in each other's way: this one was undone, and may be run again."""
    AWAY = "away"
    """The server does not answer, or cannot for now."""
    REFUSED = "refused"
    """It answered, and a person has to change something."""
    NONE = "none"
    """Not the database's."""


# Deadlock, serialization failure, and a plan that a migration has made invalid.
_COLLISIONS = ("40P01", "40001", "0A000")
# Connection exceptions, too few resources, shutting down or starting, a standby in its stead, and
# somebody who holds what we want for longer than we wait.
_AWAY = ("08", "53", "57P", "25006", "55P03")

_ADVICE = (
    ("28", "the server does not let us in. Check user and password in `database`."),
    ("3D000", "there is no such database. Create it, or let `tenax db upgrade` do so as a user"
     " who may."),
    ("42P01", "tables are missing. Run `tenax db upgrade`."),
    ("42703", "columns are missing. Run `tenax db upgrade`."),
    ("42501", "the user may not do that. Grant it the rights to the tables of Tenax."),
    ("53100", "the server's disk is full. Nothing stored so far is lost: free some space."),
    ("53300", "the server takes no more connections. Allow more in max_connections, or run fewer"
     " workers: each process uses up to six."),
    ("25006", "the server takes no writes: it is a standby. Name the primary in `database`."),
)  # fmt: skip


def trouble(error: BaseException) -> PostgresTrouble:
    state = _state(error)
    if state:
        if state in _COLLISIONS:
            return PostgresTrouble.COLLISION
        return PostgresTrouble.AWAY if state.startswith(_AWAY) else PostgresTrouble.REFUSED
    found = _innermost(error)
    # The last is how asyncpg calls it when a connection breaks while it is being used.
    if isinstance(found, OSError | EOFError) or type(found).__name__ == "InternalClientError":
        return PostgresTrouble.AWAY
    text = str(error).lower()
    if isinstance(error, sa.exc.InterfaceError | sa.exc.TimeoutError) or "connection" in text:
        return PostgresTrouble.AWAY
    return PostgresTrouble.REFUSED if isinstance(error, sa.exc.DBAPIError) else PostgresTrouble.NONE


def explain(error: BaseException, place: str) -> str:
    """What it means, where, and what to do: for people, not for programmers."""
    state = _state(error)
    for code, advice in _ADVICE:
        if state.startswith(code):
            return f"{place}: {advice}"
    found = _innermost(error)
    if trouble(error) is PostgresTrouble.AWAY:
        why = str(found).strip() or type(found).__name__
        return f"{place}: the database does not answer ({why}). Check that it runs and is reached."
    return f"{place}: the ledger failed: {found}"


def place_of(url: str) -> str:
    """The database without user and password: those are never shown."""
    scheme, _, rest = url.partition("://")
    # Up to the last @: whoever forgot to escape a slash keeps their secret too.
    return f"{scheme}://{rest.rpartition('@')[2].partition('?')[0]}"


def _state(error: BaseException) -> str:
    """The SQLSTATE, where the server has given one."""
    for each in _chain(error):
        state = getattr(each, "sqlstate", None)
        if isinstance(state, str):
            return state
    return ""


def _innermost(error: BaseException) -> BaseException:
    """A time-out hides what it cut off: that was cancelled, which says nothing."""
    told = (each for each in reversed(_chain(error)) if not isinstance(each, CancelledError))
    return next(told, error)


def _chain(error: BaseException) -> list[BaseException]:
    """The error, and those that it wraps."""
    found = [error]
    while len(found) < 10:
        inner = getattr(found[-1], "orig", None) or found[-1].__cause__
        if not isinstance(inner, BaseException) or inner in found:
            break
        found.append(inner)
    return found
