"""What is told to others: one event for every page, every page that is gone, every URL given up,
every product whose price, availability or status changed, every record of the user's that did,
every job that is done, every alert."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from msgspec import Struct


class EventKind(StrEnum):
    FETCHED = "webpage_fetched"
    """A visit brought a page, and its body is stored (STORE-2)."""
    FAILED = "webpage_failed"
    """A URL was given up: it is a dead letter now (FE-8)."""
    PRODUCT = "product_changed"
    """A product costs something else, can be had or not any more, is gone or back (PROD-3)."""
    RECORD = "record_changed"
    """A record of the user's own is new, another than before, or gone (REC-1)."""
    GONE = "page_gone"
    """A page that is stored is not there any more: 404 or 410."""
    JOB = "job_ended"
    """A job is done."""
    ALERT = "alert"
    """Something is wrong that a person should look at, or is not any more (OBS-4)."""


class Webhook(Struct, frozen=True, forbid_unknown_fields=True):
    """Somebody who is told by requests to an address of theirs (API-1)."""

    url: str
    """Where events are sent by POST; https outside your own network."""
    secret: str
    """What they are signed with: a text of 24 characters or more."""
    events: tuple[
        Literal["job_ended", "alert", "product_changed", "record_changed", "page_gone"], ...
    ] = (
        "job_ended", "alert", "product_changed", "record_changed", "page_gone",
    )  # fmt: skip
    """Which ones."""


class Event(Struct, frozen=True):
    """An event as it waits to be told."""

    place: int
    """Where it stands among all events of the ledger; later ones have greater numbers."""
    kind: EventKind
    key: bytes
    """The SHA-256 of the URL's identity, or of a name: events of one have the same, and keep their
    order."""
    value: bytes
    """One line of JSON, described by the schema of its kind."""
    at: float
    """When it happened."""
