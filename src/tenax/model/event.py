"""What is told to others: one event for every page, one for every URL given up, and one for every
product whose price, availability or status changed."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class EventKind(StrEnum):
    FETCHED = "webpage_fetched"
    """A visit brought a page, and its body is stored (STORE-2)."""
    FAILED = "webpage_failed"
    """A URL was given up: it is a dead letter now (FE-8)."""
    PRODUCT = "product_changed"
    """A product costs something else, can be had or not any more, is gone or back (PROD-3)."""


class Event(Struct, frozen=True):
    """An event as it waits to be told."""

    place: int
    """Where it stands among all events of the ledger; later ones have greater numbers."""
    kind: EventKind
    key: bytes
    """The SHA-256 of the URL's identity: events of one URL have the same, and keep their order."""
    value: bytes
    """One line of JSON, described by the schema of its kind."""
    at: float
    """When it happened."""
