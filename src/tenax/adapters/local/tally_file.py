"""Tallies between processes of one machine: a small file for each, replaced as a whole.

Not a pipe: a parent that is stopped would stop its children with it, once the pipe is full.
"""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from tenax.fetch.tally import Tally


def write_tally(path: Path, tally: Tally) -> None:
    """Best effort: figures are not worth a crawl."""
    beside = path.with_suffix(".new")
    try:
        beside.write_bytes(msgspec.msgpack.encode(tally))
        os.replace(beside, path)
    except OSError:
        beside.unlink(missing_ok=True)


def read_tally(path: Path) -> Tally | None:
    """What stands there; None when nothing does."""
    try:
        return msgspec.msgpack.decode(path.read_bytes(), type=Tally)
    except (OSError, msgspec.DecodeError):
        return None
