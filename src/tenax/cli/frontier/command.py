"""`tenax frontier`: known URLs. Look at them, add some, take back what is held, forget the rest."""

from __future__ import annotations

from typing import Annotated

import typer

from tenax.cli.terminal import options, say
from tenax.model import State
from tenax.ports.overview import ListOrder

app = typer.Typer(
    name="frontier",
    cls=options.ListsByItself,
    help="Known URLs: list, add, recover, clear.",
    rich_markup_mode=None,
)

JobArgument = Annotated[str, typer.Argument(metavar="JOB", help="As `tenax jobs` shows it.")]


@app.callback()
def _frontier() -> None:
    """Known URLs and where they stand. Without a command: list them."""


@app.command("list")
def list_(
    job: options.JobName = None,
    host: Annotated[str | None, typer.Option("--host", help="Only those of this host.")] = None,
    state: Annotated[State | None, typer.Option("--state", help="Only those in it.")] = None,
    reason: Annotated[
        str | None,
        typer.Option("--reason", help="Only those whose last visit ended so: failed, dns, …"),
    ] = None,
    contains: Annotated[
        str, typer.Option("--contains", metavar="TEXT", help="Only those with this in the URL.")
    ] = "",
    order: Annotated[
        ListOrder,
        typer.Option("--order", help="As found, newest first, or as they will be visited next."),
    ] = ListOrder.FOUND,
    limit: Annotated[int, typer.Option("--limit", min=1, help="At most this many.")] = 20,
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """List known URLs, and count them by state.

    With --json: one object per line.
    """
    from tenax.cli.frontier.work import list_urls
    from tenax.ports.overview import Sieve

    settings = options.settings(config, data=data).settings
    given = say.well_formed(contains)
    sieve = Sieve(job, host and host.lower(), state, reason, given, order=order)
    raise typer.Exit(options.run(list_urls(settings, sieve, limit, as_json)))


@app.command()
def add(
    job: JobArgument,
    urls: Annotated[list[str], typer.Argument(metavar="URL...", help="What to add.")],
    allow_private: options.AllowPrivate = None,
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Add URLs to a job, by the same rules as links. `tenax jobs change` adds seeds.

    Nothing is fetched here: whoever works on the job visits them.
    """
    from tenax.cli.frontier.work import add_to_job

    settings = options.settings(config, data=data, allow_private=allow_private or None).settings
    given = [say.well_formed(url) for url in urls]
    raise typer.Exit(options.run(add_to_job(settings, say.well_formed(job), given, as_json)))


@app.command()
def recover(
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Take back what dead processes held. Crawls do so by themselves; this is for the impatient."""
    from tenax.cli.frontier.work import take_back

    settings = options.settings(config, data=data).settings
    raise typer.Exit(options.run(take_back(settings, as_json)))


@app.command()
def clear(
    job: JobArgument,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Forget the URLs of a job that wait and were never visited. It must not be running."""
    from tenax.cli.frontier.work import clear_job

    settings = options.settings(config, data=data).settings
    raise typer.Exit(options.run(clear_job(settings, say.well_formed(job), yes, as_json)))
