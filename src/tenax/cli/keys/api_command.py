"""`tenax key api`: who may use the API, and with which role."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from tenax.cli.terminal import options, say

app = typer.Typer(
    name="api",
    cls=options.ListsByItself,
    help="Who may use the API of `tenax serve`: add, list, revoke.",
    rich_markup_mode=None,
)
Name = Annotated[str, typer.Argument(metavar="NAME", help="Whom the key is for.")]


class KeyRole(StrEnum):
    USER = "user"
    ADMIN = "admin"


@app.callback()
def _api() -> None:
    """Who may use the API of `tenax serve`. Without a command: list."""


@app.command()
def add(
    name: Name,
    role: Annotated[KeyRole, typer.Option("--role", help="user: look; admin: also change.")],
    jobs: Annotated[
        list[str] | None,
        typer.Option("--job", help="Only for this job; may be given more than once."),
    ] = None,
    expires: Annotated[
        str | None, typer.Option("--expires", help="Good for so long: 12h, 30d, 52w.")
    ] = None,
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Make a key and print it, once: only its hash is kept."""
    from tenax.cli.keys.api_work import WantedKey, make_key

    settings = options.settings(config, data=data).settings
    wanted = WantedKey(say.well_formed(name), role, tuple(jobs) if jobs else None, expires)
    raise typer.Exit(options.run(make_key(settings, wanted, as_json)))


@app.command("list")
def list_(
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """List the keys: names, roles, since when, until when. With --json: one object per line."""
    from tenax.cli.keys.api_work import list_keys

    settings = options.settings(config, data=data).settings
    raise typer.Exit(options.run(list_keys(settings, as_json)))


@app.command()
def revoke(
    name: Name,
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Revoke a key: it opens nothing any more, from the next request on."""
    from tenax.cli.keys.api_work import revoke_key

    settings = options.settings(config, data=data).settings
    raise typer.Exit(options.run(revoke_key(settings, say.well_formed(name), as_json)))
