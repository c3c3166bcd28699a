"""`tenax fetch`: one URL now, by the rules of all visits, printed."""

from __future__ import annotations

from typing import Annotated

import typer

from tenax.cli.terminal import options, say


def fetch(
    url: Annotated[str, typer.Argument(metavar="URL", help="What to fetch.")],
    post: options.Post = None,
    content_type: options.ContentType = None,
    form: Annotated[
        str, typer.Option("--as", help="What is printed: text, markdown, json or body [text].")
    ] = "text",
    dry: Annotated[
        bool, typer.Option("--dry", help="Store nothing; the host is treated as politely.")
    ] = False,
    wait: Annotated[
        float, typer.Option("--wait", min=0, help="Seconds to wait for the host's turn [30].")
    ] = 30.0,
    job: Annotated[
        str | None, typer.Option("--job", help="The job that it becomes a page of [fetch].")
    ] = None,
    delay: options.Delay = None,
    as_json: options.Json = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Say only what goes wrong.")] = False,
    allow_private: options.AllowPrivate = None,
    contact: options.Contact = None,
    data: options.Data = None,
    config: options.Config = None,
) -> None:
    """Fetch one URL now, by the rules of a crawl, and print it.

    Ends with 0 when the page was got, 1 when there is none, 5 when it has to be tried another
    time, 8 when robots.txt or a rule of ours is against it.
    """
    from tenax.cli.fetch.work import fetch_and_print
    from tenax.ops.fetch.answer import FetchForm
    from tenax.ops.fetch.fetch_now import FetchOrder

    chosen = "json" if as_json else form
    if chosen not in tuple(FetchForm):
        raise options.bad_input(f"--as {form}: there are {', '.join(FetchForm)}.")
    settings = options.settings(
        config,
        data=data,
        contact=contact,
        pace__delay=delay,
        allow_private=allow_private or None,
    ).settings
    sends = options.sends(post, content_type)
    order = FetchOrder(say.well_formed(url), job, dry, wait, sends)
    try:
        code = options.run(fetch_and_print(settings, order, FetchForm(chosen), quiet))
    except KeyboardInterrupt:
        code = say.EXIT_INTERRUPTED
    raise typer.Exit(code)
