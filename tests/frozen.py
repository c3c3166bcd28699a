"""How does a server stand still? Like a machine that swaps, or a disk that is gone."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import services
from tests.e2e.command import children


@contextmanager
def frozen(server: services.Service) -> Iterator[None]:
    """No process of it moves: it accepts connections, and says nothing."""
    pid = server._read().pid
    # The parent first, or it would have children that we do not know.
    os.kill(pid, signal.SIGSTOP)
    pids = [pid, *children(pid)]
    for each in pids:
        with suppress(ProcessLookupError):
            os.kill(each, signal.SIGSTOP)
    try:
        yield
    finally:
        for each in pids:
            with suppress(ProcessLookupError):
                os.kill(each, signal.SIGCONT)
