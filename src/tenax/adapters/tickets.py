"""Tickets as text: short, no two alike, the priority in front so that a queue sorts by it."""

from __future__ import annotations

from tenax.ports import Ticket


def written(ticket: Ticket) -> str:
    """The priority first: a script sorts by it without reading the rest."""
    return f"{ticket.priority}:{ticket.assignment_id}:{ticket.holder}"


def read(text: str) -> Ticket:
    """Raises ValueError for what is no ticket."""
    priority, assignment_id, holder = text.split(":", 2)
    return Ticket(int(assignment_id), holder, int(priority))
