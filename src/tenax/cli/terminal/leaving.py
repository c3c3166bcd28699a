"""Process exit: output flushed, exit code kept, and no time spent on freeing memory.

Python frees every object before it ends, a tenth of a second for a crawl, though the system frees
the memory anyway. By then the ledger is closed and nothing is left that could be lost.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
from collections.abc import Callable
from typing import NoReturn

from tenax.cli.terminal.say import EXIT_INFRASTRUCTURE, fail


def run_and_leave(command: Callable[[], object]) -> NoReturn:
    """Run the command and end the process with its exit code; bugs raise as they would."""
    code: object = 0
    try:
        command()
    except SystemExit as end:
        code = end.code
    if threading.active_count() > 1 or not (code is None or isinstance(code, int)):
        # A thread may still be writing something down; a sentence in place of a code is printed.
        sys.exit(code)  # type: ignore[arg-type]  # whatever SystemExit was given
    # Python has no public name for this: what libraries asked to be told at the end.
    atexit._run_exitfuncs()
    os._exit(_flush(code or 0))


def _flush(code: int) -> int:
    """Everything printed is out, or the exit code says that it is not."""
    try:
        if not sys.stdout.closed:
            sys.stdout.flush()
    except BrokenPipeError:
        pass  # the reader went away (`tenax pages | head`): nothing to complain about
    except OSError as error:
        code = fail(f"the output could not be written: {error.strerror}", EXIT_INFRASTRUCTURE)
    if not sys.stderr.closed:
        sys.stderr.flush()
    return code
