"""`tenax db`: the tables of the ledger."""

from __future__ import annotations

import typer

from tenax.cli.terminal import options, say

app = typer.Typer(
    name="db",
    help="The tables of the ledger.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.callback()
def _db() -> None:
    """The tables of the ledger."""


@app.command()
def upgrade(
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Make the tables of the ledger, or bring them up to date. Nothing is lost, and a second time
    does nothing.

    PostgreSQL needs it once before the first crawl and after every upgrade of Tenax; a SQLite
    ledger is brought up to date by any command.
    """
    from tenax.compose import upgrade_ledger

    settings = options.settings(config, data=data).settings
    place, before, after = options.run(upgrade_ledger(settings))
    if as_json:
        say.as_json({"ledger": place, "before": before, "after": after})
    elif before == after:
        say.note(f"{place}: schema {after}, up to date.")
    else:
        made = "made" if before is None else f"upgraded from schema {before}"
        say.note(f"{place}: {made}, now schema {after}.")
