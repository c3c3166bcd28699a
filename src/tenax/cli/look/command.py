"""`tenax pages`, `export`, `hosts` and `audit`: look at what a crawl has stored."""

from __future__ import annotations

from typing import Annotated

import typer

from tenax.cli.terminal import options
from tenax.ops.export.formats import Format
from tenax.page.reading.link_style import LinkStyle

# It was there once. Who still asks for it is told, and gets no other text in silence.
Quality = Annotated[bool, typer.Option("--quality", hidden=True)]
_NO_QUALITY = (
    "--quality is gone: it read most pages worse than Tenax does without, and took fifteen times"
    " as long. Leave it away."
)


def pages(
    text: Annotated[
        str, typer.Argument(metavar="[TEXT]", help="Only pages with this in their URL or title.")
    ] = "",
    job: options.JobName = None,
    limit: Annotated[int, typer.Option("--limit", min=1, help="At most this many.")] = 20,
    body: Annotated[
        str | None, typer.Option("--body", metavar="URL", help="Print the stored body of this URL.")
    ] = None,
    main_text: Annotated[
        str | None, typer.Option("--text", metavar="URL", help="Print the main text of this URL.")
    ] = None,
    markdown: Annotated[
        str | None,
        typer.Option("--markdown", metavar="URL", help="Print the main part of this URL."),
    ] = None,
    links: Annotated[
        LinkStyle, typer.Option("--links", help="How --markdown has its links.")
    ] = LinkStyle.INLINE,
    post: options.Post = None,
    content_type: options.ContentType = None,
    quality: Quality = False,
    duplicates: Annotated[
        bool,
        typer.Option("--duplicates", help="Only near-duplicates, with the page they are like."),
    ] = False,
    unique: Annotated[
        bool, typer.Option("--unique", help="Only pages that are no near-duplicate of another.")
    ] = False,
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """List stored pages, those found last first, or print one of them.

    With --json: one object per line, with the fields of `tenax export`.
    """
    from tenax.cli.look.show_pages import PrintForm, WantedPages, list_pages, print_page

    if quality:
        raise options.bad_input(_NO_QUALITY)
    settings = options.settings(config, data=data).settings
    asked = {PrintForm.BODY: body, PrintForm.TEXT: main_text, PrintForm.MARKDOWN: markdown}
    chosen = [(form, url) for form, url in asked.items() if url is not None]
    if len(chosen) > 1:
        raise options.bad_input("--body, --text and --markdown are three ways to print: use one.")
    if chosen:
        sends = options.sends(post, content_type)
        raise typer.Exit(options.run(print_page(settings, *chosen[0], job, links, sends)))
    if post is not None or content_type is not None:
        raise options.bad_input("--post tells pages of one URL apart: use it with --text URL.")
    if duplicates and unique:
        raise options.bad_input("--duplicates and --unique leave nothing together: use one.")
    wanted = WantedPages(text, job, limit, duplicates if duplicates or unique else None)
    raise typer.Exit(options.run(list_pages(settings, wanted, as_json)))


def export(
    format: Annotated[
        Format | None, typer.Option("--format", help="The form [what the file's name says].")
    ] = None,
    job: options.JobName = None,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="A file or s3://BUCKET/KEY [stdout]."),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="WHEN", help="Pages fetched since: a date, or 12h."),
    ] = None,
    changed: Annotated[
        bool, typer.Option("--changed", help="With --since: only those whose text is new or other.")
    ] = False,
    products: Annotated[
        bool, typer.Option("--products", help="What pages offer for sale, in place of the pages.")
    ] = False,
    prices: Annotated[
        bool, typer.Option("--prices", help="How products were offered over time, all of them.")
    ] = False,
    records: Annotated[
        str | None,
        typer.Option("--records", metavar="NAME", help="Your own records of this name."),
    ] = None,
    changed_since: Annotated[
        str | None,
        typer.Option(
            "--changed-since", metavar="WHEN", help="Products, records since: a date, or 12h."
        ),
    ] = None,
    fields: Annotated[
        str | None,
        typer.Option("--fields", help="Only these, in this order: url,title,…"),
    ] = None,
    list_fields: Annotated[
        bool, typer.Option("--list-fields", help="Print all fields and their meaning, and end.")
    ] = False,
    text: Annotated[bool, typer.Option("--text", help="Add the main text.")] = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Add the main part as Markdown.")
    ] = False,
    links: Annotated[
        LinkStyle, typer.Option("--links", help="How Markdown has its links.")
    ] = LinkStyle.INLINE,
    outlinks: Annotated[
        bool, typer.Option("--outlinks", help="Add the field links: the URLs it links to.")
    ] = False,
    chunks: Annotated[
        int | None,
        typer.Option(
            "--chunks", metavar="N", min=100, help="Pieces of N characters at most, by heading."
        ),
    ] = None,
    body: Annotated[
        bool,
        typer.Option("--body", help="Add the body as text (exact bytes: the field body_base64)."),
    ] = False,
    quality: Quality = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with FILE where an export was cut off.")
    ] = False,
    data: options.Data = None,
    config: options.Config = None,
) -> None:
    """Write all stored pages as JSON Lines, CSV, Parquet, WARC or a folder of Markdown.

    Products, prices and pieces of pages are written as the first three.

    The file's name says which, and .gz or .zst behind it packs it. CSV is safe to open in a
    spreadsheet: a cell that would run as a formula gets a leading '.
    """
    from tenax.cli.look.run_export import ExportOrder, export_pages, tell_fields

    if quality:
        raise options.bad_input(_NO_QUALITY)
    if list_fields:
        if records is not None:
            raise options.bad_input("--records: their fields are those that your handlers tell.")
        raise typer.Exit(tell_fields(products=products, prices=prices, chunks=bool(chunks)))
    added = {"text": text, "markdown": markdown, "links": outlinks, "body": body}
    order = ExportOrder(
        settings=options.settings(config, data=data).settings,
        format=format,
        job=job,
        output=output,
        fields=None if fields is None else [f.strip() for f in fields.split(",") if f.strip()],
        added=[name for name, wanted in added.items() if wanted],
        resume=resume,
        products=products,
        prices=prices,
        records=records,
        changed_since=changed_since,
        since=since,
        changed=changed,
        chunks=chunks,
        links=links,
    )
    raise typer.Exit(options.run(export_pages(order)))


def hosts(
    host: Annotated[
        str | None, typer.Argument(metavar="[HOST]", help="Everything about this host.")
    ] = None,
    pause: Annotated[
        bool, typer.Option("--pause", help="Ask HOST for nothing more, until it is resumed.")
    ] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with HOST.")] = False,
    reset: Annotated[
        bool,
        typer.Option("--reset", help="Forget what HOST did: breaker, budget, cooldown, throttle."),
    ] = False,
    timeline: Annotated[
        bool, typer.Option("--timeline", help="Every request that left for HOST of late.")
    ] = False,
    minutes: Annotated[
        int, typer.Option("--minutes", min=1, max=360, help="How far --timeline goes back.")
    ] = 10,
    limit: Annotated[int, typer.Option("--limit", min=1, help="At most this many.")] = 50,
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """List the hosts of the crawl, tell all about one, or pause, resume or reset it.

    A crawl under way notices within one assignment.
    """
    from tenax.cli.look.show_hosts import Act, change_host, list_hosts, tell_host

    settings = options.settings(config, data=data).settings
    flags = {Act.PAUSE: pause, Act.RESUME: resume, Act.RESET: reset}
    acts = [act for act, wanted in flags.items() if wanted]
    if len(acts) > 1:
        raise options.bad_input("--pause, --resume and --reset are three things to do: use one.")
    if timeline and (acts or host is None):
        raise options.bad_input(
            "--timeline: of which host? It stands alone: tenax hosts HOST --timeline"
        )
    if acts and host is None:
        raise options.bad_input(f"--{acts[0]}: which host? Name it: tenax hosts HOST --{acts[0]}")
    if host is None:
        raise typer.Exit(options.run(list_hosts(settings, limit, as_json)))
    if acts:
        raise typer.Exit(options.run(change_host(settings, host, acts[0], as_json)))
    if timeline:
        from tenax.cli.look.show_timeline import tell_timeline

        raise typer.Exit(options.run(tell_timeline(settings, host, minutes, as_json)))
    raise typer.Exit(options.run(tell_host(settings, host, as_json)))


def audit(
    bodies: Annotated[
        bool, typer.Option("--bodies", help="Also read every stored body and check its SHA-256.")
    ] = False,
    data: options.Data = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Prove that nothing was lost or doubled. Ends with 6, naming the rows, when something was.

    Reads one consistent moment of the ledger, so a crawl may go on meanwhile.
    """
    from tenax.cli.look.show_audit import audit_ledger

    settings = options.settings(config, data=data).settings
    raise typer.Exit(options.run(audit_ledger(settings, bodies, as_json)))
