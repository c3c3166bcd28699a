"""What systemd is told of a service (sd_notify): that it is ready, that it is alive."""

from __future__ import annotations

import os
import socket
from contextlib import suppress


def is_watched() -> bool:
    """Whether anybody wants to be told."""
    return bool(os.environ.get("NOTIFY_SOCKET"))


def interval() -> float:
    """Seconds between two signs of life: a third of what is allowed; 20 where nobody says."""
    try:
        return max(0.1, int(os.environ["WATCHDOG_USEC"]) / 3_000_000)
    except (KeyError, ValueError):
        return 20.0


def notify(state: str) -> None:
    """`READY=1`, `WATCHDOG=1` or `STATUS=…`. One that does not listen, or not fast enough, is no
    trouble of ours: nobody is waited for."""
    place = os.environ.get("NOTIFY_SOCKET", "")
    if not place:
        return
    # A name in the abstract namespace begins with @, which stands for a zero byte.
    address = "\0" + place[1:] if place.startswith("@") else place
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as one:
        one.setblocking(False)
        one.sendto(state.encode(), address)
