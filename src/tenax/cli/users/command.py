"""`tenax user`: people who may log in to the console and the API of `tenax serve`."""

from __future__ import annotations

from typing import Annotated

import typer

from tenax.cli.keys.api_command import KeyRole
from tenax.cli.terminal import options, say

app = typer.Typer(
    name="user",
    cls=options.ListsByItself,
    help="People who may log in to `tenax serve`: add, list, passwd, remove.",
    rich_markup_mode=None,
)
Name = Annotated[str, typer.Argument(metavar="NAME", help="Who logs in.")]
FromStdin = Annotated[
    bool,
    typer.Option("--password-stdin", help="Read the password from standard input, one line."),
]


@app.callback()
def _user() -> None:
    """People who may log in to `tenax serve`. Without a command: list."""


@app.command()
def add(
    name: Name,
    role: Annotated[KeyRole, typer.Option("--role", help="user: look; admin: also change.")],
    password_stdin: FromStdin = False,
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Add somebody. The password is asked for, twice, and never shown."""
    from tenax.cli.users.work import add_user, asked_password

    settings = options.settings(config, data=data).settings
    password = asked_password(password_stdin)
    work = add_user(settings, say.well_formed(name), role, password, as_json)
    raise typer.Exit(options.run(work))


@app.command("list")
def list_(
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """List those who can log in. With --json: one object per line."""
    from tenax.cli.users.work import list_users

    settings = options.settings(config, data=data).settings
    raise typer.Exit(options.run(list_users(settings, as_json)))


@app.command()
def passwd(
    name: Name,
    password_stdin: FromStdin = False,
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Give somebody another password. All sessions of theirs end."""
    from tenax.cli.users.work import asked_password, change_password

    settings = options.settings(config, data=data).settings
    password = asked_password(password_stdin)
    work = change_password(settings, say.well_formed(name), password, as_json)
    raise typer.Exit(options.run(work))


@app.command()
def remove(
    name: Name,
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Remove somebody, with all sessions of theirs. The last admin stays."""
    from tenax.cli.users.work import remove_user

    settings = options.settings(config, data=data).settings
    raise typer.Exit(options.run(remove_user(settings, say.well_formed(name), as_json)))
