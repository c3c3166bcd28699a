"""`tenax jobs`: create, start, pause, resume, stop and delete jobs, and see how far they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from tenax.cli.jobs import flags
from tenax.cli.terminal import options, say
from tenax.jobs.states import JobOrder

if TYPE_CHECKING:
    from tenax.model import Sends

app = typer.Typer(
    name="jobs",
    cls=options.ListsByItself,
    help="Named crawls: create, start, pause, resume, stop, delete.",
    rich_markup_mode=None,
)

Name = Annotated[str, typer.Argument(metavar="NAME", help="As `tenax jobs` shows it.")]
Urls = Annotated[list[str] | None, typer.Argument(metavar="[URL]...", help="Where to start.")]


@app.callback()
def _jobs() -> None:
    """Named crawls. `tenax worker` works on those that are running. Without a command: list."""


@app.command("list")
def list_(
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """List the jobs: state, pages, what is left, how fast they are, when they may be done.

    With --json: one object per line.
    """
    from tenax.cli.jobs.show import list_jobs

    settings = options.settings(config, data=data).settings
    raise typer.Exit(options.run(list_jobs(settings, as_json)))


@app.command()
def show(
    name: Name,
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Tell everything about a job: figures, rate, what it waits for, what it was asked to do."""
    from tenax.cli.jobs.show import show_job

    settings = options.settings(config, data=data).settings
    raise typer.Exit(options.run(show_job(settings, say.well_formed(name), as_json)))


@app.command()
def create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What to call it.")],
    urls: Urls = None,
    post: options.Post = None,
    content_type: options.ContentType = None,
    seeds: flags.Seeds = None,
    sitemap: flags.Sitemap = None,
    scope: flags.Scope = None,
    include: flags.Include = None,
    exclude: flags.Exclude = None,
    max_pages: flags.MaxPages = None,
    max_depth: flags.MaxDepth = None,
    recrawl: flags.Recrawl = None,
    schedule: flags.Schedule = None,
    start: Annotated[bool, typer.Option("--start", help="Start it at once.")] = False,
    allow_private: options.AllowPrivate = None,
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Create a job. It waits until it is started; what the settings say of jobs holds for it."""
    from tenax.cli.crawl.seed_files import opened
    from tenax.cli.jobs import work

    sends = _sends(urls, post, content_type)
    loaded = options.settings(
        config,
        data=data,
        allow_private=allow_private or None,
        **_wishes(sitemap, scope, include, exclude, max_pages, max_depth, recrawl, schedule),
    )
    starts = tuple(urls or loaded.settings.job.seeds)
    order = work.Creation(say.well_formed(name), starts, start, sends)
    with opened(tuple(seeds or ())) as files:
        raise typer.Exit(options.run(work.create(loaded.settings, order, files, as_json)))


@app.command()
def preview(
    urls: Urls = None,
    post: options.Post = None,
    content_type: options.ContentType = None,
    link: Annotated[
        list[str] | None,
        typer.Option("--link", metavar="URL", help="Would it be taken as a link? Repeatable."),
    ] = None,
    sitemap: flags.Sitemap = None,
    scope: flags.Scope = None,
    include: flags.Include = None,
    exclude: flags.Exclude = None,
    max_pages: flags.MaxPages = None,
    max_depth: flags.MaxDepth = None,
    recrawl: flags.Recrawl = None,
    schedule: flags.Schedule = None,
    allow_private: options.AllowPrivate = None,
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Say what a job like this would take and refuse, and why. Writes and fetches nothing."""
    from tenax.cli.jobs.preview import preview_wishes

    sends = _sends(urls, post, content_type)
    wishes = _wishes(sitemap, scope, include, exclude, max_pages, max_depth, recrawl, schedule)
    loaded = options.settings(config, data=data, allow_private=allow_private or None, **wishes)
    seeds = tuple(say.well_formed(url) for url in urls or loaded.settings.job.seeds)
    links = tuple(say.well_formed(url) for url in link or ())
    raise typer.Exit(options.run(preview_wishes(loaded.settings, seeds, links, as_json, sends)))


@app.command()
def change(
    name: Name,
    urls: Urls = None,
    post: options.Post = None,
    content_type: options.ContentType = None,
    seeds: flags.Seeds = None,
    sitemap: flags.Sitemap = None,
    scope: flags.Scope = None,
    include: flags.Include = None,
    exclude: flags.Exclude = None,
    max_pages: flags.MaxPages = None,
    max_depth: flags.MaxDepth = None,
    recrawl: flags.Recrawl = None,
    schedule: flags.Schedule = None,
    unset: Annotated[
        list[str] | None,
        typer.Option("--unset", metavar="FLAG", help="Take this wish back, such as max-pages."),
    ] = None,
    allow_private: options.AllowPrivate = None,
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Change what a job is asked to do. URLs, files and sitemaps are added; the rest replaces
    what was. Processes at work go by it within seconds.
    """
    from tenax.cli.crawl.seed_files import opened
    from tenax.cli.jobs import work

    sends = _sends(urls, post, content_type)
    wishes = _wishes(sitemap, scope, include, exclude, max_pages, max_depth, recrawl, schedule)
    loaded = options.settings(config, data=data, allow_private=allow_private or None, **wishes)
    given = [key.removeprefix("job__") for key, value in wishes.items() if value is not None]
    order = work.Change(
        say.well_formed(name), tuple(urls or ()), tuple(given), tuple(unset or ()), sends
    )
    with opened(tuple(seeds or ())) as files:
        raise typer.Exit(options.run(work.change(loaded.settings, order, files, as_json)))


@app.command()
def start(
    name: Name,
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Start a job that is stopped. `tenax worker` works on it."""
    _order(JobOrder.START, name, data, as_json, config)


@app.command()
def pause(
    name: Name,
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Let a running job rest. Whoever works on it asks for nothing more within two seconds."""
    _order(JobOrder.PAUSE, name, data, as_json, config)


@app.command()
def resume(
    name: Name,
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Go on with a paused job where it was."""
    _order(JobOrder.RESUME, name, data, as_json, config)


@app.command()
def stop(
    name: Name,
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Stop a job: a `tenax crawl` of it ends. What is left stays; `start` goes on with it."""
    _order(JobOrder.STOP, name, data, as_json, config)


@app.command()
def run(
    name: Name,
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Visit everything of a job again, beginning now, and what is left of it."""
    from tenax.cli.jobs import work

    settings = options.settings(config, data=data).settings
    raise typer.Exit(options.run(work.run(settings, say.well_formed(name), as_json)))


@app.command()
def delete(
    name: Name,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Delete a job with all its URLs, pages and history. What is known of hosts stays.

    When it is interrupted, run it again to delete the rest.
    """
    from tenax.cli.jobs import delete as jobs_delete

    settings = options.settings(config, data=data).settings
    raise typer.Exit(options.run(jobs_delete.delete(settings, say.well_formed(name), yes, as_json)))


def _order(
    order: JobOrder, name: str, data: str | None, as_json: bool, config: options.Config
) -> None:
    from tenax.cli.jobs import work

    settings = options.settings(config, data=data).settings
    raise typer.Exit(options.run(work.order(settings, say.well_formed(name), order, as_json)))


def _sends(urls: list[str] | None, post: str | None, content_type: str | None) -> Sends | None:
    sends = options.sends(post, content_type)
    if sends is not None and not urls:
        raise options.bad_input("--post: where to? Name the URL that it is sent to.")
    return sends


def _wishes(
    sitemap: list[str] | None,
    scope: flags.Scope,
    include: list[str] | None,
    exclude: list[str] | None,
    max_pages: int | None,
    max_depth: int | None,
    recrawl: str | None,
    schedule: str | None,
) -> dict[str, Any]:
    """The flags as settings; None where one was not given."""
    return {
        "job__sitemaps": sitemap or None,
        "job__scope": scope,
        "job__include": include or None,
        "job__exclude": exclude or None,
        "job__max_pages": max_pages,
        "job__max_depth": max_depth,
        "job__recrawl": flags.recrawl_seconds(recrawl),
        "job__schedule": flags.checked_schedule(schedule),
    }
