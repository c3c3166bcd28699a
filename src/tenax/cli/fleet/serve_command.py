"""`tenax serve`: the API, and workers beside it."""

from __future__ import annotations

from typing import Annotated

import typer

from tenax.cli.terminal import options


def serve(
    host: Annotated[str, typer.Option("--host", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", min=0, max=65_535, help="The port; 0 for any that is free.")
    ] = 8080,
    no_workers: Annotated[
        bool, typer.Option("--no-workers", help="The API alone: others do the work.")
    ] = False,
    processes: Annotated[
        int | None, typer.Option("--processes", help="Processes to work with [1].")
    ] = None,
    opens: Annotated[bool, typer.Option("--open", help="Open the console in a browser.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Say only what goes wrong.")] = False,
    verbose: options.Verbose = False,
    allow_private: options.AllowPrivate = None,
    contact: options.Contact = None,
    data: options.Data = None,
    config: options.Config = None,
) -> None:
    """Answer the API and show the console, and work on every running job as `tenax worker` does,
    until it is stopped.

    Many may run on one ledger. Keys are made by `tenax key api add`. Ctrl-C once finishes
    politely, twice stops at once.
    """
    from tenax.cli.fleet.serve import Service, serve_api

    loaded = options.working_settings(
        config,
        verbose=verbose,
        data=data,
        contact=contact,
        processes=processes,
        allow_private=allow_private or None,
    )
    order = Service(loaded.settings, host, port, not no_workers, quiet, opens, loaded.sources)
    raise typer.Exit(options.run(serve_api(order)))
