"""The rate limit that hosts of one server share: looked up before anything is sent (FR-5)."""

from __future__ import annotations

from tenax.model import Assignment, Host
from tenax.ports import Frontier, Names
from tenax.urls.normalise import name_of


class Neighbours:
    """Tells the frontier where hosts live, so that those at one address take turns."""

    def __init__(self, names: Names, frontier: Frontier) -> None:
        self._names = names
        self._frontier = frontier

    async def join(self, assignment: Assignment) -> tuple[Host, str] | None:
        """The host as it may be asked, and the address it shares with others; None when it has to
        wait for a neighbour."""
        address = await self._names.address(name_of(assignment.host.name))
        if address is None or address == assignment.unit:
            # One without an address will tell so when it is visited.
            return assignment.host, assignment.unit
        host = await self._frontier.join(assignment, address)
        return None if host is None else (host, address)
