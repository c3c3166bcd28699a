"""`tenax purge`: forget stored pages that are named."""

from __future__ import annotations

from typing import Annotated

import typer

from tenax.cli.terminal import options, say


def purge(
    job: options.JobName = None,
    host: Annotated[str | None, typer.Option("--host", help="Only those of this host.")] = None,
    older_than: Annotated[
        str | None,
        typer.Option(
            "--older-than", metavar="WHEN", help="Only those fetched before: an age (30d), a date."
        ),
    ] = None,
    contains: Annotated[
        str, typer.Option("--contains", metavar="TEXT", help="Only with this in URL or title.")
    ] = "",
    everything: Annotated[bool, typer.Option("--all", help="Every one there is.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do it. Without: only say how many.")] = False,
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Say how many stored pages are meant, and with --yes forget them.

    Choose them by flags that must all hold, or take --all. Their URLs, products, prices and bodies
    stay; `tenax gc` removes bodies that nothing refers to.
    """
    from tenax.cli.storage.purge_work import WantedPurge, purge_stored

    settings = options.settings(config, data=data).settings
    wanted = WantedPurge(
        job, host and host.lower(), older_than, say.well_formed(contains), everything, yes
    )
    raise typer.Exit(options.run(purge_stored(settings, wanted, as_json)))
