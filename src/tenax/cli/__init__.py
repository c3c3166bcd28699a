"""The `tenax` command: one small file per family of commands, no logic of its own."""

from __future__ import annotations

import gc
import os
import signal
import sys


def main() -> None:
    """The entry of the installed script."""
    # What is being loaded is no garbage, and looking for some among it takes an eighth of the time
    # of loading it. Whatever runs for long sets a pace of its own: `terminal.options.run`.
    gc.set_threshold(10_000_000)
    if sys.argv[1:2] in (["crawl"], ["worker"]):
        from tenax.cli.terminal.supervisor import supervise

        supervise()
    elif sys.argv[1:2] == ["serve"]:
        # Libraries swallow a KeyboardInterrupt that hits them while they are imported, and the
        # crawl would go on. Until it can stop in order, Ctrl-C ends it on the spot: nothing is
        # at stake yet that the ledger would not survive.
        signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    from tenax.cli.commands import run
    from tenax.cli.terminal.leaving import run_and_leave

    run_and_leave(run)
