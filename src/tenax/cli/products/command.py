"""`tenax products`: what the pages offer for sale, what it cost before, how well sites are read."""

from __future__ import annotations

from typing import Annotated

import typer

from tenax.cli.terminal import options


def products(
    text: Annotated[
        str,
        typer.Argument(metavar="[TEXT]", help="Only with this in name, brand, number or URL."),
    ] = "",
    job: options.JobName = None,
    host: Annotated[str | None, typer.Option("--host", help="Only of this host.")] = None,
    brand: Annotated[str | None, typer.Option("--brand", help="Only of this brand.")] = None,
    category: Annotated[
        str | None, typer.Option("--category", help="Only of this category.")
    ] = None,
    availability: Annotated[
        str | None,
        typer.Option("--availability", help="InStock, OutOfStock, PreOrder, BackOrder …"),
    ] = None,
    lowest: Annotated[
        float | None, typer.Option("--min-price", min=0, help="Costs this or more.")
    ] = None,
    highest: Annotated[
        float | None, typer.Option("--max-price", min=0, help="Costs this or less.")
    ] = None,
    currency: Annotated[
        str | None, typer.Option("--currency", help="Only priced in this: EUR, USD …")
    ] = None,
    cheaper: Annotated[
        bool, typer.Option("--cheaper", help="Only what costs less than at first.")
    ] = False,
    limit: Annotated[int, typer.Option("--limit", min=1, help="At most this many.")] = 20,
    history: Annotated[
        str | None,
        typer.Option("--history", metavar="URL", help="Every price the product at URL had."),
    ] = None,
    rates: Annotated[
        bool, typer.Option("--rates", help="How well each site can be read, by parser.")
    ] = False,
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """List what stored pages offer for sale, or tell what one of it cost before.

    With --json: one object per line, with everything known and how sure it is.
    """
    from tenax.cli.products.work import list_products, show_history, show_rates, stock_word
    from tenax.ports.products import ProductFilter

    settings = options.settings(config, data=data).settings
    if history is not None and rates:
        raise options.bad_input("--history and --rates are two things to show: use one.")
    if history is not None:
        raise typer.Exit(options.run(show_history(settings, history, job, as_json)))
    if rates:
        raise typer.Exit(options.run(show_rates(settings, as_json)))
    wanted = ProductFilter(
        text=text,
        job=job,
        host=host,
        brand=brand,
        category=category,
        availability=stock_word(availability),
        lowest=lowest,
        highest=highest,
        currency=currency,
        is_cheaper=cheaper,
    )
    raise typer.Exit(options.run(list_products(settings, wanted, limit, as_json)))
