"""`tenax proxies`: which proxies requests go through, and how they are doing."""

from __future__ import annotations

from typing import Annotated

import typer

from tenax.cli.terminal import options, say

app = typer.Typer(
    name="proxies",
    help="The proxies that requests go through.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Name = Annotated[str, typer.Argument(metavar="NAME", help="As `tenax proxies list` shows it.")]


@app.callback()
def _proxies() -> None:
    """The proxies that requests go through. Set `proxies.group` to use them."""


@app.command("list")
def list_(
    group: Annotated[str | None, typer.Option("--group", help="Only this group.")] = None,
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """List the proxies: state, share of tries that worked, time they take, last use.

    With --json: one object per line. Users and passwords are never shown.
    """
    from tenax.cli.proxies.work import list_proxies

    settings = options.settings(config, data=data).settings
    raise typer.Exit(options.run(list_proxies(settings, group, as_json)))


@app.command()
def add(
    url: Annotated[
        str,
        typer.Argument(metavar="URL", help="http://, https:// or socks5://[USER@]HOST:PORT"),
    ],
    name: Annotated[str | None, typer.Option("--name", help="What to call it [HOST:PORT].")] = None,
    group: Annotated[str, typer.Option("--group", help="The group it is used in.")] = "default",
    priority: Annotated[
        int, typer.Option("--priority", help="Lower goes first, with the strategy `priority`.")
    ] = 100,
    password_stdin: Annotated[
        bool, typer.Option("--password-stdin", help="Read the password from standard input.")
    ] = False,
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Add a proxy. The password of USER is asked for, so that it is in no shell's history.

    User and password are kept encrypted, with secret_key or the key file of the data folder.
    """
    from tenax.cli.proxies.work import add_proxy
    from tenax.fetch.proxies.choice import parse_proxy, with_login
    from tenax.model import Proxy

    settings = options.settings(config, data=data).settings
    try:
        address = parse_proxy(say.well_formed(url))
        password = _password(address.username, address.password, password_stdin)
        address = with_login(address, address.username, password)
    except ValueError as error:
        raise options.bad_input(f"proxies add: {error}") from None
    if not group.strip():
        raise options.bad_input("proxies add: a group needs a name.")
    has_login = bool(address.username or address.password)
    proxy = Proxy(name or "", address, 0, group, priority, has_login)
    raise typer.Exit(options.run(add_proxy(settings, proxy, as_json)))


@app.command()
def remove(
    name: Name,
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Forget a proxy, its figures and its secrets."""
    from tenax.cli.proxies.work import remove_proxy

    settings = options.settings(config, data=data).settings
    raise typer.Exit(options.run(remove_proxy(settings, name, as_json)))


@app.command()
def enable(
    name: Name,
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Take a proxy back into service, its bans forgotten."""
    from tenax.cli.proxies.work import change_proxy
    from tenax.fetch.proxies.choice import enabled

    settings = options.settings(config, data=data).settings
    raise typer.Exit(options.run(change_proxy(settings, name, enabled, as_json)))


@app.command()
def disable(
    name: Name,
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Take a proxy out of service; a crawl under way follows within seconds."""
    from tenax.cli.proxies.work import change_proxy
    from tenax.fetch.proxies.choice import disabled

    settings = options.settings(config, data=data).settings
    raise typer.Exit(options.run(change_proxy(settings, name, disabled, as_json)))


@app.command()
def reset(
    name: Name,
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Forget how a proxy has been doing: figures, failures and bans."""
    from tenax.cli.proxies.work import change_proxy
    from tenax.fetch.proxies.choice import anew

    settings = options.settings(config, data=data).settings
    raise typer.Exit(options.run(change_proxy(settings, name, anew, as_json)))


@app.command("test")
def try_(
    url: Annotated[str, typer.Argument(metavar="URL", help="What to ask for.")],
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Only these proxies.")
    ] = None,
    allow_private: options.AllowPrivate = None,
    contact: Annotated[
        str | None, typer.Option("--contact", help="Your URL or mail address, told to the site.")
    ] = None,
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Ask for a URL through each proxy, once, and say what happened.

    Ends with 1 when a proxy did not deliver an answer. Their figures stay as they are.
    """
    from tenax.cli.proxies.work import try_proxies

    settings = options.settings(
        config, data=data, allow_private=allow_private or None, contact=contact
    ).settings
    asked = say.well_formed(url)
    raise typer.Exit(options.run(try_proxies(settings, asked, names or [], as_json)))


def _password(username: str, typed: str, from_stdin: bool) -> str:
    """From standard input, from the URL, or asked for."""
    import sys

    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    if typed:
        say.note(
            "The password was part of the command: your shell's history and the list of"
            " processes may have it. Leave it out and it is asked for, or use --password-stdin."
        )
        return typed
    if not username:
        return ""
    if not sys.stdin.isatty():
        raise ValueError("no password for the user. Give it by --password-stdin.")
    asked: str = typer.prompt("Password", default="", hide_input=True, show_default=False, err=True)
    return asked
