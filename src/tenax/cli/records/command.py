"""`tenax records`: what handlers of one's own told, what it was before, and how they do."""

from __future__ import annotations

from typing import Annotated

import typer

from tenax.cli.terminal import options


def records(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="Only records of this name.")
    ] = None,
    job: options.JobName = None,
    host: Annotated[str | None, typer.Option("--host", help="Only of this host.")] = None,
    url: Annotated[
        str | None, typer.Option("--url", help="Only those that the page at URL told.")
    ] = None,
    handler: Annotated[
        str | None, typer.Option("--handler", help="Only those that this handler told.")
    ] = None,
    key: Annotated[
        str | None, typer.Option("--key", help="The one your code knows by this.")
    ] = None,
    status: Annotated[str | None, typer.Option("--status", help="there or gone.")] = None,
    text: Annotated[str, typer.Option("--text", help="Only with this in their fields.")] = "",
    changed_since: Annotated[
        str | None,
        typer.Option("--changed-since", metavar="WHEN", help="Other since then: a date, or 12h."),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, help="At most this many.")] = 20,
    history: Annotated[
        int | None,
        typer.Option("--history", metavar="ID", min=1, help="One record, and all it was."),
    ] = None,
    rates: Annotated[
        bool, typer.Option("--rates", help="How each handler does, and how it failed last.")
    ] = False,
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """List what your handlers told of pages, or tell what one record was before.

    With --json: one object per line, with all its fields and the page that it came from.
    """
    from tenax.cli.records.work import list_records, show_rates, show_record
    from tenax.ops.records.wanted import RecordQuestion

    settings = options.settings(config, data=data).settings
    if rates and history is not None:
        raise options.bad_input("--rates and --history are different things to show: use one.")
    if rates:
        raise typer.Exit(options.run(show_rates(settings, job, as_json)))
    if history is not None:
        raise typer.Exit(options.run(show_record(settings, history, as_json)))
    asked = RecordQuestion(
        name=name,
        job=job,
        host=host,
        url=url,
        handler=handler,
        key=key,
        status=status,
        text=text,
        changed_since=changed_since,
    )
    raise typer.Exit(options.run(list_records(settings, asked, limit, as_json)))
