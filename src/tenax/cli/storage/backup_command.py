"""`tenax backup` and `tenax restore`: everything a crawl keeps, copied and brought back."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tenax.cli.terminal import options


def backup(
    folder: Annotated[Path, typer.Argument(help="Where it goes; empty, or not there yet.")],
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Copy ledger, bodies, keys and pushed URLs into a folder, while crawls go on.

    The copy is of one moment, is read back and checked, and can be restored into SQLite or
    PostgreSQL, whichever it came from. Keep the folder safe: it has the keys that open secrets.
    """
    from tenax.cli.storage.backup_work import make_backup

    settings = options.settings(config, data=data).settings
    raise typer.Exit(options.run(make_backup(settings, folder, as_json)))


def restore(
    folder: Annotated[Path, typer.Argument(help="What `tenax backup` wrote.")],
    check: Annotated[
        bool, typer.Option("--check", help="Only see whether the backup is whole.")
    ] = False,
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Bring a backup back into an empty folder (--data) or an empty database.

    Checked before anything is written, and audited afterwards. Crawls go on where they were; what
    was being fetched at that moment is fetched again.
    """
    from tenax.cli.storage.backup_work import bring_back, check_backup

    settings = options.settings(config, data=data).settings
    work = check_backup(folder, as_json) if check else bring_back(settings, folder, as_json)
    raise typer.Exit(options.run(work))
