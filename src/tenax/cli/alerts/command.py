"""`tenax alerts`: what is wrong, what was, and what nobody wants to hear of for a while."""

from __future__ import annotations

from typing import Annotated

import typer

from tenax.cli.terminal import options

app = typer.Typer(
    name="alerts",
    cls=options.ListsByItself,
    help="Alerts: what is wrong, and what was.",
    rich_markup_mode=None,
)


@app.callback()
def _alerts() -> None:
    """Alerts: what is wrong, and what was. Without a command: list those not over."""


@app.command("list")
def list_(
    all_: Annotated[bool, typer.Option("--all", help="Also those that are over.")] = False,
    limit: Annotated[int, typer.Option("--limit", min=1, help="At most this many.")] = 20,
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """List alerts, the latest first.

    With --json: one object per line.
    """
    from tenax.cli.alerts.work import list_alerts

    settings = options.settings(config, data=data).settings
    raise typer.Exit(options.run(list_alerts(settings, all_, limit, as_json)))


@app.command()
def silence(
    id: Annotated[int, typer.Argument(metavar="ID", help="As `tenax alerts` shows it.")],
    for_: Annotated[
        str, typer.Option("--for", metavar="TIME", help="For how long: 30m, 8h, 2d [1h].")
    ] = "1h",
    data: options.Data = None,
    config: options.Config = None,
) -> None:
    """Tell nobody of an alert for a while."""
    from tenax.cli.alerts.work import silence_alert

    settings = options.settings(config, data=data).settings
    raise typer.Exit(options.run(silence_alert(settings, id, for_)))


@app.command()
def rules(as_json: options.Json = False, config: options.Config = None) -> None:
    """List the rules by which alerts are raised, yours among them.

    With --json: one object per line.
    """
    from tenax.cli.alerts.work import list_rules

    raise typer.Exit(list_rules(options.settings(config).settings, as_json))
