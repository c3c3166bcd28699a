"""`tenax replay` and `tenax import-warc`: read bodies again, one's own or an archive's."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tenax.cli.jobs import flags
from tenax.cli.terminal import options


def replay(
    job: options.JobName = None,
    host: Annotated[str | None, typer.Option("--host", help="Only pages of this host.")] = None,
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="AGE", help="Only pages fetched in the last 12h, 7d …"),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would change.")] = False,
    links: Annotated[
        bool, typer.Option("--links", help="Offer the links to the jobs: new ones become work.")
    ] = False,
    handlers: options.Handlers = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on where the same replay was cut off.")
    ] = False,
    processes: Annotated[
        int | None, typer.Option("--processes", min=1, help="Processes that read [1].")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
    as_json: options.Json = False,
    data: options.Data = None,
    config: options.Config = None,
) -> None:
    """Read stored pages again with today's code: no network, what is stored is brought up to date.

    Says what changed, field by field. Bodies stay as they are. With handlers of yours: write or
    mend them after the crawl, and the records follow.
    """
    from tenax.cli.replay.work import ReplayOrder, run_replay

    if dry_run and links:
        raise options.bad_input(
            "--links would change the jobs, --dry-run changes nothing: use one."
        )
    settings = options.settings(
        config, data=data, processes=processes, handlers=handlers or None
    ).settings
    order = ReplayOrder(settings, job, host, since, dry_run, links, resume, quiet, as_json)
    raise typer.Exit(options.run(run_replay(order)))


def import_warc(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="WARC files, .gz or not.")],
    job: Annotated[
        str | None,
        typer.Option("--job", help="The job the pages go to, made if need be [the file's name]."),
    ] = None,
    include: flags.Include = None,
    exclude: flags.Exclude = None,
    max_pages: flags.MaxPages = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
    as_json: options.Json = False,
    data: options.Data = None,
    config: options.Config = None,
) -> None:
    """Take the pages of web archives into a job, as if they had been fetched: no network.

    Then they can be read again, searched and exported like any other.
    """
    from tenax.cli.replay.import_archive import ImportOrder, run_import

    settings = options.settings(config, data=data).settings
    wanted = (tuple(include or ()), tuple(exclude or ()), max_pages)
    order = ImportOrder(settings, tuple(files), job or _stem(files[0]), *wanted, quiet, as_json)
    raise typer.Exit(options.run(run_import(order)))


def _stem(file: Path) -> str:
    return file.name.removesuffix(".gz").removesuffix(".warc") or "import"
