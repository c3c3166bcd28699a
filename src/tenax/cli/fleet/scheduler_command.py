"""`tenax scheduler`: hand out the work of every running job to workers, through a queue."""

from __future__ import annotations

from typing import Annotated

import typer

from tenax.cli.terminal import options


def scheduler(
    quiet: Annotated[bool, typer.Option("--quiet", help="Say only what goes wrong.")] = False,
    verbose: options.Verbose = False,
    data: options.Data = None,
    config: options.Config = None,
) -> None:
    """Hand out the work of every running job, now and later, until it is stopped.

    It fills the queue (`queue`), takes back what dead workers held, begins scheduled runs and
    recrawls, and writes down which jobs are done. Many may run.
    """
    from tenax.cli.fleet.schedule import schedule

    settings = options.working_settings(config, verbose=verbose, data=data).settings
    raise typer.Exit(options.run(schedule(settings, quiet=quiet)))
