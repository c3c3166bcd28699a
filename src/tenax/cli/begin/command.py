"""`tenax init` and `tenax shell`: begin a crawl of your own, and try selectors on a page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tenax.cli.terminal import options, say


def init(
    folder: Annotated[
        Path, typer.Argument(metavar="[FOLDER]", help="Where the files are written [.].")
    ] = Path(),
    contact: options.Contact = None,
) -> None:
    """Write a settings file with comments and a handlers file; nothing is ever overwritten."""
    from tenax.ops.project import ProjectExists, begin_project

    begun = begin_project(folder, contact or "")
    named = " and ".join(say.printable(str(path)) for path in begun.files)
    if isinstance(begun, ProjectExists):
        raise options.bad_input(f"{named} there already: nothing was written.")
    say.note(f"Wrote {named}. Next: tenax shell URL to try selectors, tenax crawl URL.")


def shell(
    url: Annotated[str | None, typer.Argument(metavar="[URL]", help="The page to look at.")] = None,
    code: Annotated[
        str | None, typer.Option("-c", metavar="CODE", help="Run this and end, without a prompt.")
    ] = None,
    allow_private: options.AllowPrivate = None,
    contact: options.Contact = None,
    data: options.Data = None,
    config: options.Config = None,
) -> None:
    """Fetch a page and look at it from a Python prompt: page.css(…), fetch(URL), view().

    Nothing is stored but how its host was treated. The prompt is IPython's where that is
    installed.
    """
    from tenax.cli.begin.prompt import prompt

    settings = options.settings(
        config, data=data, contact=contact, allow_private=allow_private or None
    ).settings
    raise typer.Exit(prompt(settings, config, say.well_formed(url) if url else None, code))
