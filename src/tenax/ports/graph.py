"""What do we ask of the link graph? Which pages are to be read for it, and who links to whom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from tenax.ports.records import PageRecord


class LinkSource(Struct, frozen=True):
    """A page whose links are known now."""

    target_id: int
    digest: bytes
    """Of the body they were read from."""
    links: tuple[tuple[bytes, str], ...]
    """(key of its identity in the job, URL), each once."""


class Linked(Struct, frozen=True):
    """A URL and how many pages of the job link to it."""

    url: str
    count: int


class Degrees(Struct, frozen=True):
    incoming: int
    outgoing: int


class LinkGraph(Protocol):
    """Links between the pages of a job, read from their bodies when somebody asks."""

    async def unread(self, job_id: int, after: int, limit: int) -> list[PageRecord]:
        """Pages behind this target whose links are not known, or of another body than theirs."""

    async def note(self, job_id: int, sources: Sequence[LinkSource]) -> None:
        """Replace what was known of these pages' links, in one transaction."""

    async def degrees(self, job_id: int, target_id: int, key: bytes) -> Degrees: ...

    async def most_linked(self, job_id: int, limit: int) -> list[Linked]:
        """The URLs with most pages that link to them, most first."""

    async def incoming(self, job_id: int, key: bytes, limit: int) -> list[str]:
        """Pages that link to it, in the order in which they were found."""

    async def outgoing(self, target_id: int, limit: int) -> list[str]: ...
