"""`tenax relay` and `tenax consume`: tell others of pages, and read what was told."""

from __future__ import annotations

from typing import Annotated

import typer

from tenax.cli.terminal import options


def relay(
    until_empty: Annotated[
        bool, typer.Option("--until-empty", help="End when everything is told.")
    ] = False,
    since: Annotated[
        str | None,
        typer.Option(
            "--since", metavar="AGE", help="First go back so far: 10m, 1h. Told again since then."
        ),
    ] = None,
    status: Annotated[
        bool, typer.Option("--status", help="Only say how far behind it is.")
    ] = False,
    forget: Annotated[
        str | None,
        typer.Option("--forget", metavar="NAME", help="Keep nothing for one that --status shows."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Say only what goes wrong.")] = False,
    as_json: options.Json = False,
    data: options.Data = None,
    config: options.Config = None,
) -> None:
    """Tell others of pages as they come, until it is stopped: Kafka, or files (`events`).

    Many may run: one of them is at work, and when it dies another takes over. A crawl tells its
    pages itself; workers leave it to this.
    """
    from tenax.cli.events.work import RelayOrder, run_relay

    settings = options.working_settings(config, data=data).settings
    order = RelayOrder(settings, until_empty, since, status, forget, quiet, as_json)
    raise typer.Exit(options.run(run_relay(order)))


def consume(
    group: Annotated[
        str, typer.Option("--group", help="Who reads: each group remembers how far it came.")
    ] = "tenax-consume",
    from_beginning: Annotated[
        bool, typer.Option("--from-beginning", help="Begin with the oldest there is.")
    ] = False,
    links: Annotated[
        bool, typer.Option("--links", help="Read the links in the bodies again.")
    ] = False,
    dead: Annotated[
        bool, typer.Option("--dead", help="URLs that were given up instead of pages.")
    ] = False,
    products: Annotated[
        bool, typer.Option("--products", help="What changed of products instead of pages.")
    ] = False,
    gone: Annotated[
        bool, typer.Option("--gone", help="Pages that are not there any more.")
    ] = False,
    records: Annotated[
        bool, typer.Option("--records", help="What changed of your own records.")
    ] = False,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="End after this many.")
    ] = None,
    until_empty: Annotated[
        bool, typer.Option("--until-empty", help="End when nothing more comes.")
    ] = False,
    data: options.Data = None,
    config: options.Config = None,
) -> None:
    """Read the events that were told, each once, and print them as JSON Lines.

    The body of each page is looked up in the content store. What was printed is not read again
    by the same group.
    """
    from tenax.cli.events.work import ConsumeOrder, run_consume
    from tenax.model import EventKind

    settings = options.settings(config, data=data).settings
    topics = {EventKind.FAILED: dead, EventKind.PRODUCT: products, EventKind.GONE: gone,
              EventKind.RECORD: records}  # fmt: skip
    chosen = [kind for kind, wanted in topics.items() if wanted]
    if len(chosen) > 1:
        raise options.bad_input(
            "--dead, --products, --gone and --records are topics to read: use one."
        )
    kind = chosen[0] if chosen else EventKind.FETCHED
    order = ConsumeOrder(settings, group, from_beginning, links, kind, limit, until_empty)
    raise typer.Exit(options.run(run_consume(order)))
