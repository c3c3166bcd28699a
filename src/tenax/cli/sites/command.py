"""`tenax sites`: how single sites are treated, for the whole fleet."""

from __future__ import annotations

from typing import Annotated

import typer

from tenax.cli.terminal import options, say

app = typer.Typer(
    name="sites",
    help="How single sites are treated: delay, headers, patterns, limits and more.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Pattern = Annotated[
    str, typer.Argument(metavar="PATTERN", help="A host, or a pattern of hosts: '*.example.com'.")
]


@app.callback()
def _sites() -> None:
    """How single sites are treated. Kept in the ledger: every worker obeys within seconds."""


@app.command("list")
def list_(
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """List the rules of the ledger and of the settings, the most specific first.

    With --json: one object per line. What headers and cookies say is never shown.
    """
    from tenax.cli.sites.work import list_sites

    settings = options.settings(config, data=data).settings
    raise typer.Exit(options.run(list_sites(settings, as_json)))


@app.command()
def show(
    host: Annotated[
        str, typer.Argument(metavar="HOST", help="A host; or a pattern, for its own rules alone.")
    ],
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Show what holds for a host, and which rule says it. Ends with 1 where none does."""
    from tenax.cli.sites.work import show_site

    settings = options.settings(config, data=data).settings
    raise typer.Exit(options.run(show_site(settings, say.well_formed(host), as_json)))


@app.command("set")
def set_(
    pattern: Pattern,
    wishes: Annotated[
        list[str],
        typer.Argument(
            metavar="KEY=VALUE...",
            help="Such as delay=5, exclude='*/tag/*' (once for each) or headers.NAME=VALUE; with"
            " the value -, a header or cookie is read from standard input.",
        ),
    ],
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Set keys of the rules for a pattern; what is not named stays.

    Headers and cookies are kept encrypted, with secret_key or the key file of the data folder.
    """
    from tenax.cli.sites.work import set_site

    settings = options.settings(config, data=data).settings
    asked = [say.well_formed(wish) for wish in wishes]
    raise typer.Exit(options.run(set_site(settings, say.well_formed(pattern), asked, as_json)))


@app.command()
def unset(
    pattern: Pattern,
    keys: Annotated[
        list[str], typer.Argument(metavar="KEY...", help="Such as delay, or headers.NAME.")
    ],
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Let the rules for a pattern say nothing of these keys."""
    from tenax.cli.sites.work import unset_site

    settings = options.settings(config, data=data).settings
    asked = [say.well_formed(key) for key in keys]
    raise typer.Exit(options.run(unset_site(settings, say.well_formed(pattern), asked, as_json)))


@app.command()
def remove(
    pattern: Pattern,
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Remove the ledger's rules for a pattern; those of the settings stay."""
    from tenax.cli.sites.work import remove_site

    settings = options.settings(config, data=data).settings
    raise typer.Exit(options.run(remove_site(settings, say.well_formed(pattern), as_json)))
