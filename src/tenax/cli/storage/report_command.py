"""`tenax report`: figures about the crawler itself."""

from __future__ import annotations

import typer

from tenax.cli.terminal import options

app = typer.Typer(
    name="report",
    help="Figures about what Tenax keeps.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.callback()
def _report() -> None:
    """Figures about what Tenax keeps."""


@app.command()
def storage(
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """How large each table and the bodies are, and how fast they grow.

    Growth is counted from the first day of the last thirty on which this was asked.
    """
    from tenax.cli.storage.report_work import show_storage

    settings = options.settings(config, data=data).settings
    raise typer.Exit(options.run(show_storage(settings, as_json)))
