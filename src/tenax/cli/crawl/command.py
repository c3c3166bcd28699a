"""`tenax crawl` and `tenax demo`: start a crawl, show how it goes, end in order."""

from __future__ import annotations

from typing import Annotated

import typer

from tenax.cli.jobs import flags
from tenax.cli.terminal import options
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
    post: options.Post = None,
    content_type: options.ContentType = None,
    seeds: flags.Seeds = None,
    sitemap: flags.Sitemap = None,
    scope: flags.Scope = None,
    include: flags.Include = None,
    exclude: flags.Exclude = None,
    max_pages: flags.MaxPages = None,
    max_depth: flags.MaxDepth = None,
    max_time: Annotated[
        str | None, typer.Option("--max-time", help="End in order after this long: 90s, 10m, 2h.")
    ] = None,
    delay: options.Delay = None,
    concurrency: options.Concurrency = None,
    per_host: options.PerHost = None,
    processes: Annotated[
        int | None, typer.Option("--processes", help="Processes to crawl with [1].")
    ] = None,
    handlers: options.Handlers = None,
    again: Annotated[
        bool, typer.Option("--again", help="Visit again what the job has visited.")
    ] = False,
    deferred: Annotated[
        bool,
        typer.Option(
            "--deferred",
            help="Visit also what was deferred: kinds of URLs that brought nothing new.",
        ),
    ] = False,
    allow_private: options.AllowPrivate = None,
    contact: options.Contact = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress, only the summary.")] = False,
    verbose: options.Verbose = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object on stdout at the end.")
    ] = False,
    config: options.Config = None,
) -> None:
    """Crawl from these URLs to the end. Run the same command again to go on where it stopped.

    Ctrl-C once finishes politely, twice stops at once; nothing stored is ever lost.
    """
    from msgspec.structs import astuple, replace

    from tenax.cli.crawl.drive import Drive, drive
    from tenax.compose import require_contact
    from tenax.model import Post

    loaded = options.working_settings(
        config,
        verbose=verbose,
        data=data,
        contact=contact,
        processes=processes,
        handlers=handlers or None,
        allow_private=allow_private or None,
        job__sitemaps=sitemap or None,
        job__scope=scope,
        job__include=include or None,
        job__exclude=exclude or None,
        job__max_pages=max_pages,
        job__max_depth=max_depth,
        pace__delay=delay,
        pace__slots_unpaced=options.slots(per_host, concurrency, delay),
        fetch__concurrency=concurrency,
    )
    settings = loaded.settings
    starts = tuple(urls or settings.job.seeds)
    files = tuple(seeds or ())
    sends = options.sends(post, content_type)
    posts = settings.job.posts
    if sends is not None:
        if not urls:
            raise SettingsError("--post: where to? Name the URL that it is sent to.")
        posts, starts = tuple(Post(url, *astuple(sends)) for url in urls), ()
    if not posts and not starts and not files and not settings.job.sitemaps:
        raise SettingsError(
            "no URL to start from. Name one: tenax crawl URL, give a file with --seeds or a sitemap"
            " with --sitemap, or set job.seeds."
        )
    settings = replace(settings, job=replace(settings.job, seeds=starts, posts=posts))
    require_contact(settings, settings.job.starts)
    order = Drive(
        settings,
        job,
        quiet,
        as_json,
        again,
        files,
        deferred,
        max_time=options.seconds("--max-time", max_time),
    )
    raise typer.Exit(drive(order))


def demo(
    data: Annotated[
        str | None, typer.Option("--data", help="Where to keep the crawl [a temporary folder].")
    ] = None,
    serve: Annotated[
        bool, typer.Option("--serve", help="Only serve the sites, for a browser or your tests.")
    ] = False,
    console: Annotated[
        bool, typer.Option("--console", help="Look on in a browser, until Ctrl-C.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
) -> None:
    """Crawl a family of local sites that Tenax serves itself: no internet, nothing to install."""
    from tenax.cli.crawl.demo import run_demo, serve_demo

    raise typer.Exit(serve_demo() if serve else run_demo(data, quiet, console))
