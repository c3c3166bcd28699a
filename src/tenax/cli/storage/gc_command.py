"""`tenax gc` and `tenax archive`: what is too old goes, and can be read again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tenax.cli.terminal import options


def gc(
    yes: Annotated[bool, typer.Option("--yes", help="Remove it. Without: only say what.")] = False,
    fast: Annotated[
        bool,
        typer.Option("--fast", help="Take no rests: for when no crawl runs beside it."),
    ] = False,
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Say what is older than `retention` allows, and with --yes remove it.

    Pages and failures are archived first. Bodies go that nothing refers to. URLs are forgotten only
    in jobs that are over, and never where they offer a product.
    """
    from tenax.cli.storage.gc_work import collect

    settings = options.settings(config, data=data).settings
    raise typer.Exit(options.run(collect(settings, yes, fast, as_json)))


def archive(
    files: Annotated[list[Path], typer.Argument(help="Files that `tenax gc` wrote, or folders.")],
    into: Annotated[
        Path | None,
        typer.Option("--into", metavar="FILE", help="A SQLite file to be made of them."),
    ] = None,
) -> None:
    """Read what was archived: as JSON Lines, or into tables `pages` and `failures` of a new SQLite
    file, for questions in SQL.
    """
    from tenax.cli.storage.gc_work import read_archives

    raise typer.Exit(read_archives(files, into))
