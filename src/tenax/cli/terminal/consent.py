"""Is it really meant? Asked in a terminal; who types nowhere has to have said --yes."""

from __future__ import annotations

import sys

from tenax.cli.terminal.say import EXIT_BAD_INPUT, EXIT_NOTHING, fail, note


def refused(command: str, does: str, question: str) -> int | None:
    """The exit code when it is not to be done. `does` ends "this …", `question` has no mark."""
    if not is_terminal():
        return fail(f"{command}: this {does}. Say --yes to do it.", EXIT_BAD_INPUT)
    print(f"{question}? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() in ("y", "yes"):
        return None
    note("Nothing is changed.")
    return EXIT_NOTHING


def is_terminal() -> bool:
    """Whether there is somebody to ask."""
    return sys.stdin.isatty()
