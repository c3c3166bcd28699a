"""What did the user's own code take from a page? Records, and how its handlers did (REC-1)."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct


class AsTold(dict[str, Any]):
    """The fields of a record: whatever they are called, they are shown as they were told."""


class HandledRecord(Struct, frozen=True):
    """A record as a handler told it; the page it was told of makes it whole."""

    name: str
    """What kind of thing it is: `quote`."""
    key: str
    """What makes it the same one when it is told again; empty where only its place does."""
    handler: str
    version: str
    """Of the handler."""
    position: int
    """The how many-eth of its name the handler told of this page, from 0."""
    data: str
    """Its fields, as JSON."""
    digest: bytes
    """Of the fields, whatever their order."""


class HandlerReport(Struct, frozen=True):
    """How one handler did on one page."""

    handler: str
    version: str
    records: int = 0
    error: str = ""
    """The traceback of what it raised, or what was wrong with what it told; empty when nothing
    was. What it told before counts."""


class Handled(Struct, frozen=True):
    """What all handlers made of one page."""

    records: tuple[HandledRecord, ...] = ()
    reports: tuple[HandlerReport, ...] = ()
    is_same: bool = False
    """Nobody was asked: the page is what it was when they last were."""


FieldKind = Literal["text", "number", "whole", "date", "url", "texts", "html"]


class FieldRule(Struct, frozen=True, forbid_unknown_fields=True):
    """Where one field of a record stands (REC-2)."""

    css: str = ""
    """A CSS selector; empty for the page, or what `each` found, itself."""
    attr: str = ""
    """The attribute to take; empty for the text."""
    type: FieldKind = "text"
    """text, number, whole, date, url, html, or texts for all that the selector finds."""
    required: bool = False
    """Without it there is no record."""


class RecordRule(Struct, frozen=True, forbid_unknown_fields=True):
    """Records without a program: which pages, and a selector for each field (REC-2)."""

    name: str
    """What the records are called."""
    pattern: tuple[str, ...] | str
    """Which pages: a URL pattern, or several."""
    fields: dict[str, Any]
    """A CSS selector for each field, or a table: css, attr, type, required."""
    each: str = ""
    """A CSS selector that finds each record of a page; empty for one record a page."""
    key: str = ""
    """The field that makes a record the same one wherever it is found; empty for its place."""
