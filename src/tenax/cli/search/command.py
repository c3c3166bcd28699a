"""`tenax search`, `reindex` and `links`: find pages by what they say, and by who links to them."""

from __future__ import annotations

from typing import Annotated

import typer

from tenax.cli.terminal import options


def search(
    query: Annotated[
        list[str],
        typer.Argument(metavar="QUERY...", help='Words, "phrases", -not, host:, price:10..20 …'),
    ],
    limit: Annotated[int, typer.Option("--limit", min=1, help="At most this many.")] = 10,
    skip: Annotated[int, typer.Option("--skip", min=0, help="Leave out the first so many.")] = 0,
    as_is: Annotated[
        bool, typer.Option("--as-is", help="Do not bring the index up to date first.")
    ] = False,
    as_json: options.Json = False,
    data: options.Data = None,
    config: options.Config = None,
) -> None:
    """Find stored pages, products and records, the best first. All words have to be there.

    Fields: title: url: text: host: job: lang: record: brand: category: sku: gtin: mpn:
    availability: status: rating: currency: price: date: since: before: — each takes a value, quoted
    when it has spaces; a minus before excludes.
    """
    from tenax.cli.search.work import SearchOrder, run_search

    settings = options.settings(config, data=data).settings
    order = SearchOrder(settings, " ".join(query), limit, skip, as_is, as_json)
    raise typer.Exit(options.run(run_search(order)))


def reindex(
    anew: Annotated[
        bool, typer.Option("--anew", help="Forget the index first and make it again.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
    as_json: options.Json = False,
    data: options.Data = None,
    config: options.Config = None,
) -> None:
    """Bring the search index up to date with the ledger: what is new, changed or gone."""
    from tenax.cli.search.work import run_reindex

    settings = options.settings(config, data=data).settings
    raise typer.Exit(options.run(run_reindex(settings, anew, quiet, as_json)))


def links(
    url: Annotated[
        str | None, typer.Argument(metavar="[URL]", help="Who links to it, and what it links to.")
    ] = None,
    job: options.JobName = None,
    limit: Annotated[int, typer.Option("--limit", min=1, help="At most this many.")] = 20,
    as_is: Annotated[
        bool, typer.Option("--as-is", help="Do not read pages that are new or changed first.")
    ] = False,
    as_json: options.Json = False,
    data: options.Data = None,
    config: options.Config = None,
) -> None:
    """Tell which URLs of a job most pages link to, or all links from and to one.

    The links are read from stored bodies when this is asked first, and of new pages after that.
    """
    from tenax.cli.search.links import LinksOrder, run_links

    settings = options.settings(config, data=data).settings
    raise typer.Exit(options.run(run_links(LinksOrder(settings, url, job, limit, as_is, as_json))))
