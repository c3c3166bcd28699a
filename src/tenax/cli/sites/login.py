"""`tenax login`: bring the session of a browser to a site; kept sealed, sent by every client."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Annotated

import typer

from tenax.cli.terminal import options, say
from tenax.settings import Settings


def login(
    host: Annotated[str, typer.Argument(metavar="HOST", help="The site, or the URL of its login.")],
    cookies: Annotated[
        Path | None,
        typer.Option(
            "--cookies", metavar="FILE", help="Take them from a cookies.txt or JSON, no window."
        ),
    ] = None,
    data: options.Data = None,
    config: options.Config = None,
) -> None:
    """Log in to a site by hand, in a window of the installed Chromium, and keep its cookies.

    They are kept encrypted in the ledger and sent to that host by every job of this data
    folder: give what is behind a login a folder of its own. `tenax sites unset HOST cookies`
    forgets them.
    """
    settings = options.settings(config, data=data).settings
    from tenax.ops.jobs.create import whole_urls
    from tenax.urls.normalise import host_of

    (url,) = whole_urls([host])
    name = host_of(url) if url.startswith("http") else ""
    if not name:
        raise options.bad_input(f"{say.printable(host)}: neither a host nor a URL.")
    raise typer.Exit(options.run(_login(settings, url, name, cookies)))


async def _login(settings: Settings, url: str, host: str, file: Path | None) -> int:
    from tenax.cli.sites.work import set_cookies
    from tenax.ops.sites.cookie_files import CookieFileError, from_browser, read_cookies

    if file is not None:
        try:
            found = read_cookies(_text(file))
        except (OSError, CookieFileError) as error:
            return say.fail(f"--cookies {file}: {error}.", say.EXIT_BAD_INPUT)
    else:
        from tenax.compose.clients import login_by_hand

        say.note(f"Log in to {host} in the window, then close it, or press Enter here.")
        told = await login_by_hand(settings, url, _enter)
        found = [cookie for each in told if (cookie := from_browser(each)) is not None]
    return await set_cookies(settings, host, found)


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace")


async def _enter() -> None:
    """Until somebody presses Enter; where nobody can, until the window is closed."""
    if not sys.stdin.isatty():
        await asyncio.get_running_loop().create_future()
    arrived = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_reader(sys.stdin.fileno(), arrived.set)
    try:
        await arrived.wait()
    finally:
        loop.remove_reader(sys.stdin.fileno())
