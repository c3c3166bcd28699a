"""The processor priority (nice) of browsers: the crawl goes first, they take what is left.

One page costs a browser as much as hundreds cost us, and hosts that turn away every client cause
visits by the dozen that bring nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress


def stand_back(pids: Iterable[int], nice: int) -> None:
    """Lower the priority of these processes; those they start from now on inherit it."""
    ours = os.getsid(0)
    groups = set()
    for pid in sorted(pids):
        with suppress(OSError):  # gone already, or more modest than that
            if os.getpriority(os.PRIO_PROCESS, pid) < nice:
                os.setpriority(os.PRIO_PROCESS, pid, nice)
            groups.add(os.getsid(pid))
    # Where Linux shares the processor between sessions first (autogroup), being nice counts only
    # within one, and Chromium has a session of its own.
    for leader in sorted(groups - {ours}):
        with suppress(OSError), open(f"/proc/{leader}/autogroup", "w") as file:
            file.write(str(nice))
