"""What is asked of a ledger that is to be copied whole, or made of such a copy?"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from msgspec import Struct, field

from tenax.ports.checks import Finding


class TableCopy(Struct, frozen=True):
    """One table in a backup."""

    rows: int
    size: int
    """Of its file, in bytes."""
    sha256: str


class LedgerCopy(Struct, frozen=True):
    """A ledger as it was at one moment, written down."""

    schema: str
    tables: dict[str, TableCopy] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    """The highest id that each table has ever given: none is given twice, here or elsewhere."""
    findings: tuple[str, ...] = ()
    """What an audit of that moment found: nothing, where all is well."""


class LedgerCopies(Protocol):
    """The ledger in files: the same files whichever database it is in."""

    async def write(self, folder: Path, digests: Path, heard: Callable[[str], None]) -> LedgerCopy:
        """All tables at one moment, a file each, while others go on writing; and the SHA-256 of
        every body that they refer to, one behind the other. `heard` of each table."""

    async def load(self, folder: Path, copy: LedgerCopy, heard: Callable[[str], None]) -> None:
        """All of it into an empty ledger, or nothing; `heard` of each table. A ledger of an older
        schema is brought up to date."""

    async def audit(self) -> list[Finding]:
        """What is wrong with the ledger that was loaded."""


class KeptLists(Protocol):
    """Lists on a server that nothing else could bring back: URLs that others have pushed."""

    async def read(self) -> dict[str, list[bytes]]: ...

    async def fill(self, lists: dict[str, list[bytes]]) -> list[str]:
        """Bring them back, where they are empty; the names of those that were not."""
