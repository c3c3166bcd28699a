"""`tenax content`: where page bodies are kept."""

from __future__ import annotations

from typing import Annotated

import typer

from tenax.cli.terminal import options

app = typer.Typer(
    name="content",
    help="Where page bodies are kept.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.callback()
def _content() -> None:
    """Where page bodies are kept."""


@app.command()
def move(
    to: Annotated[
        str, typer.Option("--to", metavar="URL", help="The store that gets them, as in `content`.")
    ],
    source: Annotated[
        str | None,
        typer.Option("--from", metavar="URL", help="The store that has them [content]."),
    ] = None,
    keep: Annotated[
        bool, typer.Option("--keep", help="Copy: leave the bodies where they are, too.")
    ] = False,
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Move page bodies to another store. What was interrupted goes on when it is run again.

    A body leaves its old place only after it was read back from the new one and has the right
    SHA-256.
    """
    from tenax.cli.storage.content_work import move_bodies

    settings = options.settings(config, data=data).settings
    given = settings.content if source is None else source
    raise typer.Exit(options.run(move_bodies(settings, given, to, keep, as_json)))
