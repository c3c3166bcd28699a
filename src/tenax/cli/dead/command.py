"""`tenax dead`: URLs that were given up. Look at them, have them tried again, or forget them."""

from __future__ import annotations

from typing import Annotated

import typer

from tenax.cli.terminal import options, say

app = typer.Typer(
    name="dead",
    cls=options.ListsByItself,
    help="URLs that were given up (dead letters).",
    rich_markup_mode=None,
)

Urls = Annotated[
    list[str] | None, typer.Argument(metavar="[URL]...", help="As `tenax dead` shows them.")
]
FaultName = Annotated[str | None, typer.Option("--fault", help="Only those with this fault.")]
HostName = Annotated[str | None, typer.Option("--host", help="Only those of this host.")]
Contains = Annotated[
    str, typer.Option("--contains", metavar="TEXT", help="Only those with this in URL or reason.")
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Only say how many there are of each fault.")
]
Everything = Annotated[bool, typer.Option("--all", help="Every one there is.")]


@app.callback()
def _dead() -> None:
    """URLs that were given up (dead letters). Without a command: list them."""


@app.command("list")
def list_(
    fault: FaultName = None,
    host: HostName = None,
    job: options.JobName = None,
    contains: Contains = "",
    limit: Annotated[int, typer.Option("--limit", min=1, help="At most this many.")] = 20,
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """List dead letters, the latest first, with how many there are of each fault.

    With --json: one object per line.
    """
    from tenax.cli.dead.work import list_letters
    from tenax.ops.jobs.dead_letters import LetterChoice

    settings = options.settings(config, data=data).settings
    wanted = LetterChoice((), None, job, host, fault, say.well_formed(contains))
    raise typer.Exit(options.run(list_letters(settings, wanted, limit, as_json)))


@app.command()
def show(
    url: Annotated[str, typer.Argument(metavar="URL", help="As `tenax dead` shows it.")],
    job: options.JobName = None,
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Tell why a URL was given up, with every attempt that was made.

    With --json: one object per line, one line for each job that gave it up.
    """
    from tenax.cli.dead.work import show_letters
    from tenax.ops.jobs.dead_letters import LetterChoice

    settings = options.settings(config, data=data).settings
    wanted = LetterChoice((say.well_formed(url),), job=job)
    raise typer.Exit(options.run(show_letters(settings, wanted, as_json)))


@app.command("return")
def return_(
    urls: Urls = None,
    fault: FaultName = None,
    host: HostName = None,
    job: options.JobName = None,
    contains: Contains = "",
    everything: Everything = False,
    dry_run: DryRun = False,
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Have URLs tried again: pending, due at once, with all their attempts.

    Name them, choose them by flags that must all hold, or take --all. Nothing is fetched
    here: run the crawl again, if none is under way.
    """
    from tenax.cli.dead import work
    from tenax.ops.jobs.dead_letters import LetterChoice

    settings = options.settings(config, data=data).settings
    named = tuple(say.well_formed(url) for url in urls or ())
    wanted = LetterChoice(named, None, job, host, fault, say.well_formed(contains), all=everything)
    raise typer.Exit(options.run(work.give_back(settings, wanted, dry_run, as_json)))


@app.command()
def purge(
    urls: Urls = None,
    fault: FaultName = None,
    host: HostName = None,
    job: options.JobName = None,
    contains: Contains = "",
    everything: Everything = False,
    dry_run: DryRun = False,
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Forget dead letters for good: their URLs stay failed and are not listed any more.

    Name them, choose them by flags that must all hold, or take --all.
    """
    from tenax.cli.dead import work
    from tenax.ops.jobs.dead_letters import LetterChoice

    settings = options.settings(config, data=data).settings
    named = tuple(say.well_formed(url) for url in urls or ())
    wanted = LetterChoice(named, None, job, host, fault, say.well_formed(contains), all=everything)
    raise typer.Exit(options.run(work.purge(settings, wanted, dry_run, as_json)))
