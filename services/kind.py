"""What must be known of a kind of server to run one?"""

from __future__ import annotations

import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Place:
    """Where one instance lives: its folder, its ports, its password."""

    folder: Path
    ports: tuple[int, ...]
    secret: str
    options: Mapping[str, str] = field(default_factory=dict)
    """Settings of the server itself, over those that we choose."""

    @property
    def port(self) -> int:
        return self.ports[0]

    @property
    def data(self) -> Path:
        return self.folder / "data"


@dataclass(frozen=True, slots=True)
class Launch:
    command: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)


class Kind(Protocol):
    """One file of this folder each."""

    name: str
    ports: int
    """How many ports an instance needs; clients are given the first."""
    farewell: signal.Signals
    """The signal that asks it to end in good order."""
    patience: float
    """Seconds that its start may take on a busy machine."""

    def obtain(self) -> None:
        """Find or fetch the server; raises `Missing`."""

    def prepare(self, place: Place) -> None:
        """Write what it reads; at the first start also its data."""

    def launch(self, place: Place) -> Launch: ...

    def is_ready(self, place: Place) -> bool: ...

    def furnish(self, place: Place) -> None:
        """Make what clients expect to find, such as a bucket; again harmless."""

    def url(self, place: Place) -> str: ...

    def exports(self, place: Place) -> dict[str, str]:
        """The environment that points Tenax to it."""
