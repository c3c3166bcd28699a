"""What has the process that goes on with a crawl to know of those that died before it?

When the crawl began, and the figures of then: what it brought in all is told at the end.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from tenax.cli.terminal.supervisor import carried, carry
from tenax.ports import Counts


class Begun(Struct, frozen=True):
    at: float
    before: Counts


def hand_on(begun: Begun) -> None:
    """From now on the crawl is started again should this process be killed."""
    carry("begun", msgspec.json.encode(begun).decode())


def go_on() -> Begun | None:
    """What the process before us left; None when we are the first."""
    left = carried("begun")
    return None if left is None else msgspec.json.decode(left, type=Begun)
