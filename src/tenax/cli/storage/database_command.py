"""`tenax db`: the tables of the ledger."""

from __future__ import annotations

from typing import Annotated

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
def downgrade(
    revision: Annotated[str, typer.Argument(help="The schema that the older Tenax knows.")],
    yes: Annotated[
        bool, typer.Option("--yes", help="Do it: what the older schema has no place for is lost.")
    ] = False,
    data: options.Data = None,
    config: options.Config = None,
) -> None:
    """Bring the tables of the ledger back to an older schema, for an older Tenax.

    Make a backup first. Nothing may work on the ledger meanwhile.
    """
    from tenax.compose.database import downgrade_ledger

    if not yes:
        raise options.bad_input(
            f"db downgrade {revision}: what schema {revision} has no place for would be lost."
            " Make a backup (tenax backup FOLDER), stop whoever works on the ledger, and say --yes."
        )
    settings = options.settings(config, data=data).settings
    place = options.run(downgrade_ledger(settings, revision))
    say.note(f"{place}: now schema {revision}. This Tenax would bring it up to date again.")


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
