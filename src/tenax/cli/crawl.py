"""`tenax crawl` and `tenax demo`: start a crawl, show how it goes, end in order."""

from __future__ import annotations

from typing import Annotated

import typer

from tenax.cli import options
from tenax.model import ScopeKind
from tenax.settings import SettingsError


def crawl(
    urls: Annotated[
        list[str] | None,
        typer.Argument(metavar="[URL...]", help="Where to start [job.seeds of the settings]."),
    ] = None,
    data: options.Data = None,
    job: Annotated[
        str | None, typer.Option("--job", help="The job's name [the first seed's host].")
    ] = None,
    scope: Annotated[
        ScopeKind | None,
        typer.Option("--scope", help="How far to go from the seeds [host]."),
    ] = None,
    include: Annotated[
        list[str] | None,
        typer.Option("--include", help="Only URLs like this glob (or re:REGEX); repeatable."),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option("--exclude", help="No URLs like this glob (or re:REGEX); repeatable."),
    ] = None,
    max_pages: Annotated[
        int | None, typer.Option("--max-pages", help="End after this many pages.")
    ] = None,
    max_depth: Annotated[
        int | None, typer.Option("--max-depth", help="Links away from a seed, at most [10].")
    ] = None,
    delay: Annotated[
        float | None,
        typer.Option("--delay", help="Seconds between requests to one host [1.0]."),
    ] = None,
    concurrency: Annotated[
        int | None, typer.Option("--concurrency", help="Requests under way at once [64].")
    ] = None,
    per_host: Annotated[
        int | None,
        typer.Option("--per-host", help="Requests under way at one host when the delay is 0 [8]."),
    ] = None,
    processes: Annotated[
        int | None, typer.Option("--processes", help="Processes to crawl with [1].")
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Visit again what the job has visited.")
    ] = False,
    allow_private: options.AllowPrivate = None,
    contact: Annotated[
        str | None,
        typer.Option("--contact", help="Your URL or mail address, told to every site visited."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress, only the summary.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object on stdout at the end.")
    ] = False,
    config: options.Config = None,
) -> None:
    """Crawl from these URLs to the end. Run the same command again to go on where it stopped.

    Ctrl-C once finishes politely, twice stops at once; nothing stored is ever lost.
    """
    from tenax.cli.drive import Drive, drive
    from tenax.compose import require_contact

    if per_host is None and concurrency is not None and delay == 0:
        per_host = concurrency
    loaded = options.settings(
        config,
        data=data,
        contact=contact,
        processes=processes,
        allow_private=allow_private or None,
        job__scope=scope,
        job__include=include or None,
        job__exclude=exclude or None,
        job__max_pages=max_pages,
        job__max_depth=max_depth,
        pace__delay=delay,
        pace__slots_unpaced=per_host,
        fetch__concurrency=concurrency,
    )
    settings = loaded.settings
    seeds = tuple(urls or settings.job.seeds)
    if not seeds:
        raise SettingsError("no URL to start from. Name one: tenax crawl URL, or set job.seeds.")
    require_contact(settings, seeds)
    raise typer.Exit(drive(Drive(settings, seeds, job, quiet, as_json, again)))


def demo(
    data: options.Data = None,
    serve: Annotated[
        bool, typer.Option("--serve", help="Only serve the sites, for a browser or your tests.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
) -> None:
    """Crawl a family of local sites that Tenax serves itself: no internet, nothing to install."""
    from tenax.cli.demo import run_demo, serve_demo

    raise typer.Exit(serve_demo() if serve else run_demo(data, quiet))
