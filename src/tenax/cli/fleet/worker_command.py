"""`tenax worker`: work on every job that is running, now and later."""

from __future__ import annotations

from typing import Annotated

import typer

from tenax.cli.terminal import options


def worker(
    processes: Annotated[
        int | None, typer.Option("--processes", help="Processes to work with [1].")
    ] = None,
    until_done: Annotated[
        bool, typer.Option("--until-done", help="End when no job has anything left to do.")
    ] = False,
    delay: options.Delay = None,
    concurrency: options.Concurrency = None,
    per_host: options.PerHost = None,
    allow_private: options.AllowPrivate = None,
    contact: options.Contact = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
    verbose: options.Verbose = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object on stdout at the end.")
    ] = False,
    data: options.Data = None,
    config: options.Config = None,
) -> None:
    """Work on every running job, and on those started later, until it is stopped.

    Ctrl-C once finishes politely, twice stops at once. The jobs stay as they are: the next
    worker goes on with them.
    """
    from tenax.cli.fleet.work import Shift, work

    loaded = options.working_settings(
        config,
        verbose=verbose,
        data=data,
        contact=contact,
        processes=processes,
        allow_private=allow_private or None,
        pace__delay=delay,
        pace__slots_unpaced=options.slots(per_host, concurrency, delay),
        fetch__concurrency=concurrency,
    )
    order = Shift(loaded.settings, until_done, quiet, as_json)
    raise typer.Exit(options.run(work(order)))
