"""`tenax products`: what the pages offer for sale, what it cost before, how well sites are read."""

from __future__ import annotations

from pathlib import Path
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
    sku: Annotated[str | None, typer.Option("--sku", help="The shop's number.")] = None,
    gtin: Annotated[str | None, typer.Option("--gtin", help="EAN, UPC or ISBN.")] = None,
    mpn: Annotated[str | None, typer.Option("--mpn", help="The maker's number.")] = None,
    availability: Annotated[
        str | None,
        typer.Option("--availability", help="InStock, OutOfStock, PreOrder, BackOrder …"),
    ] = None,
    status: Annotated[
        str | None, typer.Option("--status", help="listed, delisted or unknown.")
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
    rating: Annotated[
        float | None,
        typer.Option("--min-rating", min=0, max=5, help="Rated this or better, out of five."),
    ] = None,
    changed_since: Annotated[
        str | None,
        typer.Option("--changed-since", metavar="WHEN", help="Other since then: a date, or 12h."),
    ] = None,
    cheaper: Annotated[
        bool, typer.Option("--cheaper", help="Only what costs less than at first.")
    ] = False,
    limit: Annotated[int, typer.Option("--limit", min=1, help="At most this many.")] = 20,
    history: Annotated[
        str | None,
        typer.Option("--history", metavar="URL", help="How the product at URL was offered so far."),
    ] = None,
    picture: Annotated[
        str | None,
        typer.Option("--picture", metavar="URL", help="The stored picture of the product at URL."),
    ] = None,
    number: Annotated[
        int, typer.Option("--number", min=0, help="Which of its pictures; 0 is the first.")
    ] = 0,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The picture's file [stdout].")
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
    from tenax.cli.products.work import list_products, save_picture, show_history, show_rates
    from tenax.ops.products.wanted import ProductQuestion

    settings = options.settings(config, data=data).settings
    shown = {"--history": history is not None, "--picture": picture is not None, "--rates": rates}
    if sum(shown.values()) > 1:
        named = " and ".join(flag for flag, wanted in shown.items() if wanted)
        raise options.bad_input(f"{named} are different things to show: use one.")
    if (number or output is not None) and picture is None:
        raise options.bad_input("--number and --output are for a picture: --picture URL.")
    if history is not None:
        raise typer.Exit(options.run(show_history(settings, history, job, as_json)))
    if picture is not None:
        raise typer.Exit(options.run(save_picture(settings, picture, job, number, output)))
    if rates:
        raise typer.Exit(options.run(show_rates(settings, as_json)))
    wanted = ProductQuestion(
        text=text,
        job=job,
        host=host,
        brand=brand,
        category=category,
        sku=sku,
        mpn=mpn,
        gtin=gtin,
        availability=availability,
        status=status,
        min_price=lowest,
        max_price=highest,
        currency=currency,
        min_rating=rating,
        changed_since=changed_since,
        cheaper=cheaper,
    )
    raise typer.Exit(options.run(list_products(settings, wanted, limit, as_json)))
